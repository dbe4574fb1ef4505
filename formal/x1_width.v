(** * X1 (ext:minimal-width): the least width is N + k*

A residual-free network of width N' computes x |-> W_down sigma(W_up x) + M x exactly
when N' >= N + k*, for ReLU under (G) and for every GELU-like sigma under the weaker
hypotheses of X1c.  M is any m x d matrix. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks lemma6 counting theorem4_relu theorem4_smooth.
From SkipAbsorption Require Import x5_canonical x5_canonical_smooth x1_lines x1_lower x1_construction.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Rank.
Variable R : fieldType.
Lemma rank_col_mx n1 n2 d (K : 'M[R]_(n1, d)) (A : 'M_(n2, d)) : \rank (col_mx K A) = \rank (K + A)%MS.
Proof. by rewrite addsmxE. Qed.
Lemma rank_coker_cap n1 n2 d (K : 'M[R]_(n1, d)) (A : 'M_(n2, d)) :
  (\rank (K *m cokermx A)%R + \rank (K :&: A)%MS = \rank K)%N.
Proof.
have kA : (kermx (cokermx A) :=: A)%MS.
  by apply/eqmxP/andP; split; [rewrite submxE mulmx_ker|apply/sub_kermxP; rewrite mulmx_coker].
by rewrite -(cap_eqmx (eqmx_refl K) kA) mxrank_mul_ker.
Qed.
Lemma rank_coker n1 n2 d (K : 'M[R]_(n1, d)) (A : 'M_(n2, d)) :
  \rank (K *m cokermx A) = (\rank (col_mx K A) - \rank A)%N.
Proof.
apply/eqP; rewrite rank_col_mx -(eqn_add2r (\rank (K :&: A)%MS)) rank_coker_cap.
by rewrite addnBAC ?mxrankS ?addsmxSr // mxrank_sum_cap addnK.
Qed.

(** The rows in G span the same space whether the others are left out or put to 0. *)
Lemma rows_in_eqmx N d (G : {set 'I_N}) (U : 'M[R]_(N, d)) :
  ((\matrix_(i, k) (if i \in G then U i k else 0) : 'M_(N, d)) :=: rows_in G U)%MS.
Proof.
apply/eqmxP/andP; split; apply/row_subP => i.
  have [iG|iG] := boolP (i \in G).
    have -> : row i (\matrix_(i, k) (if i \in G then U i k else 0)) = row (enum_rank_in iG i) (rows_in G U).
      by apply/rowP => k; rewrite !mxE iG enum_rankK_in.
    exact: row_sub.
  rewrite (_ : row i _ = 0) ?sub0mx //; apply/rowP => k.
  by rewrite !mxE (negbTE iG).
have iG := enum_valP i.
have -> : row i (rows_in G U) = row (enum_val i) (\matrix_(i, k) (if i \in G then U i k else 0)).
  by apply/rowP => k; rewrite !mxE iG.
exact: row_sub.
Qed.
End Rank.

Section Cost.
Variables (R : fieldType) (m d N : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)).

(** The price of flipping F and doubling G:  |G| + 2 (rank [M + A_F B_F ; w_G] - rank w_G). *)
Definition cost (F G : {set 'I_N}) : nat :=
  #|G| + 2 * (\rank (col_mx (M + part F D U)%R (rows_in G U)) - \rank (rows_in G U)).

(** k*: the least price over disjoint F and G. *)
Definition kstar : nat :=
  let p := [arg min_(p < (set0 : {set 'I_N}, set0 : {set 'I_N}) | [disjoint p.1 & p.2]) cost p.1 p.2] in
  cost p.1 p.2.

Lemma kstarP : (exists F G : {set 'I_N}, [disjoint F & G] /\ kstar = cost F G) /\
  (forall F G : {set 'I_N}, [disjoint F & G] -> (kstar <= cost F G)%N).
Proof.
rewrite /kstar; case: arg_minnP => [|[F G] /= dFG least]; first by rewrite /= -setI_eq0 setI0.
by split=> [|F' G' h]; [exists F, G | exact: (least (F', G'))].
Qed.
Lemma kstar_le (F G : {set 'I_N}) : [disjoint F & G] -> (kstar <= cost F G)%N.
Proof. by have [_] := kstarP; apply. Qed.
End Cost.

(** Lower bound from the data of the counting core. *)
Section Lower.
Variables (R : realFieldType) (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)).
Variables (M : 'M[R]_(m, d)) (s : 'I_N -> 'I_N' -> R).
Hypothesis s_row : forall i j, s i j != 0 -> row j U' = s i j *: row i U.
Hypothesis s_uniq : forall i i' j, s i j != 0 -> s i' j != 0 -> i = i'.
Hypothesis even : forall i, col i D = \sum_j `|s i j| *: col j D'.
Hypothesis odd : D *m U + 2%:R *: M = D' *m U'.
Hypothesis D0 : forall i, col i D != 0.
Hypothesis hv : (2 * \rank (\sum_(j | [forall i, (s i j == 0)%R]) col j D' *m row j U')%R <=
  #|[pred j | [forall i, (s i j == 0)%R]]|)%N.

Lemma lower_kstar : (N + kstar D U M <= N')%N.
Proof.
pose G := doubled even D0; pose F := flipped even D0 :\: G.
have dFG : [disjoint F & G] by rewrite -setI_eq0 setIC setIDA setDIl setDv set0I.
have leN := width_ge s_uniq even D0; rewrite -leq_subRL //.
apply: leq_trans (kstar_le D U M dFG) _.
have := core2 s_row s_uniq even odd D0 hv; rewrite rank_coker rank_col_mx.
have e := rows_in_eqmx G U; rewrite -/(wG U even D0) in e.
by rewrite (adds_eqmx (eqmx_refl _) e) e -rank_col_mx.
Qed.
End Lower.

Section ReLU.
Variables (R : realFieldType) (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)).
Variable M : 'M[R]_(m, d).
Hypothesis G : generic D U.
Hypothesis eqf : forall x, mlp (@relu R) D U x + M *m x = mlp (@relu R) D' U' x.

(** The units of V on lines without a w cancel line by line. *)
Lemma free_lines (u : 'rV[R]_d) : u != 0 ->
  PV (fun j => row j U') (fun j => col j D') [pred j | [forall i, scal U' G i j == 0]] u = 0.
Proof.
move=> u0; have [/existsP[i iu]|none] := boolP [exists i, (row i U <= u)%MS].
  rewrite /PV big1 // => j /forallP/(_ i) sij; have [ju|ju] := boolP (row j U' <= u)%MS; last first.
    by rewrite sc_out ?normr0 ?scale0r.
  have ui : (u <= row i U)%MS.
    have [U0 _ _] := G; have e := scP iu; apply/sub_rVP; exists (sc u (row i U))^-1.
    rewrite {2}e scalerA mulVf ?scale1r //; apply: contraNneq (U0 i) => z; by rewrite e z scale0r.
  have ji : (row j U' <= row i U)%MS := submx_trans ju ui.
  have /eqP : row j U' = scal U' G i j *: row i U.
    have /sub_rVP[a e] := ji; rewrite /scal ji e; congr (_ *: _).
    have -> : U' j (piv G i) = a * U i (piv G i).
      by have := congr1 (fun v : 'rV_d => v 0 (piv G i)) e; rewrite !mxE.
    by rewrite mulfK ?pivP.
  rewrite (eqP sij) scale0r => /eqP ->; rewrite (_ : sc u 0 = 0) ?normr0 ?scale0r //.
  by rewrite /sc; case: pickP => // k _; rewrite sub0mx mxE mul0r.
have eqc x : evalr (RNet M D U) x = evalr (RNet 0 D' U') x.
  by rewrite /evalr /= mul0mx add0r -eqf addrC.
have [_ /(_ u u0) eP] := iffLR (canon _ _) eqc.
have /eqP : Pc (RNet 0 D' U') u = 0.
  rewrite -eP; apply/matrixP => l k; rewrite !mxE big1 // => i _ /=; rewrite sc_out ?normr0 ?mulr0 //.
  by move: none; rewrite negb_exists => /forallP.
move/eqP => e0; rewrite -[RHS]e0 /PV; apply/matrixP => l k; rewrite summxE mxE /=.
rewrite big_mkcond; apply: eq_bigr => j _ /=; rewrite ![in LHS]mxE mulrC.
case: ifP => // /negbT; rewrite negb_forall => /existsP[i sij].
rewrite sc_out ?normr0 ?mulr0 //; have e := scal_row sij.
move: none; rewrite negb_exists => /forallP/(_ i); apply: contra => h; apply: submx_trans h.
by apply/sub_rVP; exists (scal U' G i j)^-1; rewrite e scalerA mulVf ?scale1r.
Qed.

Lemma x1_lower_relu : (N + kstar D U M <= N')%N.
Proof.
have [_ _ D0] := G; have o := odd_part (@relu_odd R) eqf.
apply: lower_kstar (@scal_row _ _ _ _ _ D U U' G) (@scal_uniq _ _ _ _ _ D U U' G) (scal_even G eqf) o D0 _.
exact: rank_pairs free_lines.
Qed.
End ReLU.

Section Smooth.
Variables (R : realFieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Hypothesis Esi : scale_indep (fun z => s z + s (- z)).
Variables (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)).
Variable M : 'M[R]_(m, d).
Hypothesis G : generic_pm D U.
Hypothesis eqf : forall x, mlp s D U x + M *m x = mlp s D' U' x.

Lemma sc0 (u : 'rV[R]_d) : sc u 0 = 0.
Proof. by rewrite /sc; case: pickP => // k _; rewrite sub0mx mxE mul0r. Qed.
Lemma scN (u v : 'rV[R]_d) : sc u (- v) = - sc u v.
Proof.
rewrite /sc; case: pickP => [k _|]; last by rewrite oppr0.
by rewrite eqmx_opp mxE mulNr; case: ifP; rewrite ?oppr0.
Qed.

(** The units of V that equal no w and no -w cancel pair by pair, hence line by line. *)
Lemma free_pairs (u : 'rV[R]_d) : u != 0 ->
  PV (fun j => row j U') (fun j => col j D') [pred j | [forall i, pm U U' i j == 0]] u = 0.
Proof.
move=> u0; apply: (pm_regroup (f := fun w => `|sc u w|)) => [|w|w w0]; first by rewrite sc0 normr0.
  by rewrite scN normrN.
have [/existsP[i iw]|none] := boolP [exists i, pmeq (row i U) w].
  rewrite big1 // => j /andP[/forallP/(_ i)/eqP sij jw]; move: sij; rewrite /pm.
  have : pmeq (row j U') (row i U).
    by rewrite (pmeq_trans _ iw).
  by rewrite /pmeq; case: eqP => [_ _ /eqP|_ /= ->/eqP]; rewrite ?oppr_eq0 oner_eq0.
have eqc x : evals s (RNet M D U) x = evals s (RNet 0 D' U') x.
  by rewrite /evals /= mul0mx add0r -eqf addrC.
have [_ /(_ w w0) eP] := canon_pm_nec hs Esi eqc.
have e0 : Qc (RNet 0 D' U') w = 0.
  rewrite -eP /Qc big1 // => i iw; case/existsP: none; by exists i.
rewrite -[RHS]e0; apply: eq_bigl => j /=; case jw: (pmeq (row j U') w); rewrite ?andbF // andbT.
apply/forallP => i; apply: contraNT none => /pm_cases sij; apply/existsP; exists i.
move: jw; case: sij => -> //; by rewrite /pmeq eqr_opp orbC eqr_oppLR.
Qed.

Lemma x1_lower_smooth : (N + kstar D U M <= N')%N.
Proof.
have [_ _ D0] := G; have o := odd_part hs eqf.
apply: lower_kstar (@pm_row _ _ _ _ U U') (@pm_uniq _ _ _ _ _ D U U' G) (pm_even Esi G eqf) o D0 _.
exact: rank_pairs free_pairs.
Qed.
End Smooth.

(** Some residual-free network of width N' computes W_down sigma(W_up x) + M x. *)
Definition absorbed (R : ringType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d))
    (M : 'M[R]_(m, d)) (N' : nat) :=
  exists (D' : 'M_(m, N')) (U' : 'M_(N', d)), forall x, mlp s D U x + M *m x = mlp s D' U' x.

Lemma absorbed_kstar (R : fieldType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) M N' :
  (forall z, s z - s (- z) = z) -> (N + kstar D U M <= N')%N -> absorbed s D U M N'.
Proof.
move=> hs; have [[F [G [dFG ->]]] _] := kstarP D U M; rewrite /cost -rank_coker.
exact: x1_upper.
Qed.

(** X1 for GELU, tanh-GELU, SiLU: rows only have to differ from each other and each other's opposite. *)
Theorem x1_smooth (R : realFieldType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) M :
  (forall z, s z - s (- z) = z) -> scale_indep (fun z => s z + s (- z)) -> generic_pm D U ->
  forall N', absorbed s D U M N' <-> (N + kstar D U M <= N')%N.
Proof.
move=> hs Esi G N'; split; last exact: absorbed_kstar.
by case=> D' [U' eqf]; exact: (x1_lower_smooth hs Esi G eqf).
Qed.

(** X1 for ReLU. *)
Theorem x1_relu (R : realFieldType) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)) :
  generic D U ->
  forall N', absorbed (@relu R) D U M N' <-> (N + kstar D U M <= N')%N.
Proof.
move=> G N'; split; last exact: (absorbed_kstar (@relu_odd R)).
by case=> D' [U' eqf]; exact: x1_lower_relu G eqf.
Qed.

(** The hypotheses can be met, and the count is not trivial: W_up = W_down = I in dimension d. *)
Example x1_instance (R : realFieldType) d : generic (1%:M : 'M[R]_d) (1%:M : 'M[R]_d).
Proof. exact: generic_scalar (oner_neq0 _). Qed.
