(** * X1b (ext:biases): the least width with biases is N + k*, with the same k*

The function is x |-> W_down sigma(W_up x + b) + M x + c, and the competing networks may
have hidden biases and an output bias.  ReLU; the hypotheses ask the w_i and a_i to be
non-zero and the hyperplanes w_i x + b_i = 0 to be distinct, collinear w_i are allowed. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From SkipAbsorption Require Import networks lemma6 counting theorem4_relu.
From SkipAbsorption Require Import x5_canonical x1_lines x1_construction x1_width x1_values x1b_half_space.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** Network with hidden biases. *)
Definition mlpb (R : ringType) (s : R -> R) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N)
    (x : 'cV[R]_d) : 'cV[R]_m := D *m map_mx s (U *m x + b).

Lemma mlpb_mlp (R : ringType) (s : R -> R) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) b x :
  mlpb s D U b x = mlp s D (row_mx U b) (col_mx x 1).
Proof. by rewrite /mlpb /mlp mul_row_col mulmx1. Qed.

Lemma part_mul (R : comRingType) m N d p (F : {set 'I_N}) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d))
    (X : 'M_(d, p)) :
  part F D U *m X = part F D (U *m X).
Proof. by rewrite /part mulmx_suml; apply: eq_bigr => i _; rewrite -mulmxA row_mul. Qed.
Lemma part_row_mx (R : comRingType) m N d p (F : {set 'I_N}) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d))
    (V : 'M_(N, p)) :
  part F D (row_mx U V) = row_mx (part F D U) (part F D V).
Proof.
rewrite -[LHS]hsubmxK lsubmx_mul rsubmx_mul !part_mul !mul_row_col !mulmx1 !mulmx0.
by rewrite addr0 add0r.
Qed.
Lemma rows_in_row_mx (R : ringType) N d p (G : {set 'I_N}) (U : 'M[R]_(N, d)) (V : 'M_(N, p)) :
  rows_in G (row_mx U V) = row_mx (rows_in G U) (rows_in G V).
Proof. by apply/matrixP => i j; rewrite !mxE; case: split => k; rewrite !mxE. Qed.

(** ** Upper bound *)
Section Upper.
Variables (R : fieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Variables (m d N : nat) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N).
Variables (M : 'M[R]_(m, d)) (c : 'cV[R]_m).

(** Flipping S with A_S B_S = -M absorbs M; the output bias becomes c + sum over S of b_i a_i. *)
Theorem x1b_flip (S : {set 'I_N}) : part S D U = - M -> forall x,
  mlpb s D U b x + M *m x + c = mlpb s D (flip_rows S U) (flip_rows S b) x + (c + part S D b).
Proof.
move=> hS x; have -> : mlpb s D (flip_rows S U) (flip_rows S b) x =
    mlp s D (flip_rows S (row_mx U b)) (col_mx x 1).
  rewrite mlpb_mlp; congr (mlp _ _ _ _); apply/matrixP => i j.
  by rewrite !mxE; case: split => k; rewrite !mxE; case: ifP.
rewrite -(flip_mlp hs) -mlpb_mlp part_row_mx mul_row_col hS mulNmx mulmx1 opprD opprK.
by rewrite [c + _]addrC -!addrA addKr.
Qed.

Lemma x1b_upper N' : (N + kstar D U M <= N')%N ->
  exists (D' : 'M_(m, N')) (U' : 'M_(N', d)) (b' : 'cV_N') (c' : 'cV_m), forall x,
    mlpb s D U b x + M *m x + c = mlpb s D' U' b' x + c'.
Proof.
have [[F [G [dFG ->]]] _] := kstarP D U M; rewrite /cost -rank_coker => leN.
have [Y [C [B eK]]] := factor_modulo (rows_in G U) (M + part F D U).
move: (\rank (_ *m _)) leN C B eK => t leN C B eK.
pose g := Y *m rows_in G b - part F D b; pose U1 := row_mx U b.
have eK1 : row_mx M g + part F D U1 = Y *m rows_in G U1 + C *m row_mx B 0.
  rewrite part_row_mx add_row_mx eK subrK rows_in_row_mx !mul_mx_row mulmx0 add_row_mx addr0.
  by [].
have [|D' [U' e]] := @x1_upper _ _ hs _ _ _ D U1 (row_mx M g) F G N' dFG.
  apply: leq_trans leN; rewrite !leq_add2l leq_mul2l eK1 mulmxDl -mulmxA mulmx_coker mulmx0 add0r.
  by apply: leq_trans (rank_leq_col C); rewrite -mulmxA mxrankM_maxl.
exists D', (lsubmx U'), (rsubmx U'), (c - g) => x.
have := e (col_mx x 1); rewrite -mlpb_mlp mul_row_col mulmx1 -{1}(hsubmxK U') -mlpb_mlp => <-.
by rewrite [X in _ = X + _]addrA [RHS]addrACA subrr addr0.
Qed.
End Upper.

(** ** Lower bound *)
Section Lower.
Variables (R : realFieldType) (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N) (M : 'M[R]_(m, d)) (c : 'cV[R]_m).
Variables (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)) (b' : 'cV[R]_N') (c' : 'cV[R]_m).

(** w_i and a_i non-zero, the hyperplanes w_i x + b_i = 0 distinct. *)
Definition generic_b := [/\ forall i, row i U != 0,
  forall i i', i != i' -> ~~ (row i (row_mx U b) <= row i' (row_mx U b))%MS & forall i, col i D != 0].
Hypothesis G : generic_b.
Hypothesis eqf : forall x,
  mlpb (@relu R) D U b x + M *m x + c = mlpb (@relu R) D' U' b' x + c'.
Let U1 := row_mx U b.
Let V1 := row_mx U' b'.
Let lU i : lsubmx (row i U1) = row i U. Proof. by rewrite /U1 row_row_mx row_mxKl. Qed.
Let lV j : lsubmx (row j V1) = row j U'. Proof. by rewrite /V1 row_row_mx row_mxKl. Qed.

Lemma generic_lift : generic D U1.
Proof.
have [U0 gU D0] := G; split=> // i; apply: contraNneq (U0 i) => e.
by rewrite -lU e lsubmx_mul mul0mx.
Qed.

Let q (t : 'I_N + 'I_N') := match t with inl i => row i U1 | inr j => row j V1 end.
Let k l (t : 'I_N + 'I_N') := match t with inl i => D l i | inr j => - D' l j end.
Let Lam1 : 'M[R]_(m, d + 1) := D' *m V1 - D *m U1 - 2%:R *: row_mx M (c - c').

Lemma kinks_affine l (x : 'cV[R]_d) :
  \sum_t k l t * `|(q t *m col_mx x 1) 0 0| = (row l Lam1 *m col_mx x 1) 0 0.
Proof.
set y := col_mx x 1.
have relu2 (z : R) : 2%:R * relu z = z + `|z|.
  by rewrite -[X in _ = X + _](relu_odd z) -relu_even addrACA addNr addr0 mulr_natl mulr2n.
have two n (C : 'M[R]_(m, n)) (V : 'M[R]_(n, d + 1)) : 2%:R * mlp (@relu R) C V y l 0 =
    (C *m V *m y) l 0 + \sum_i C l i * `|(row i V *m y) 0 0|.
  rewrite -mulmxA /mlp [X in 2%:R * X]mxE [X in _ = X + _]mxE mulr_sumr -big_split /=; apply: eq_bigr => i _.
  rewrite mulrCA -mulrDr; congr (_ * _); have -> : (row i V *m y) 0 0 = (V *m y) i 0.
    by rewrite -row_mul [LHS]mxE.
  by move: (V *m y) => w; rewrite mxE relu2.
have := congr1 (fun v : 'cV_m => 2%:R * v l 0) (eqf x); rewrite /= !mlpb_mlp -/U1 -/V1 -/y.
have -> : mlp (@relu R) D U1 y + M *m x + c = mlp (@relu R) D U1 y + (row_mx M (c - c') *m y + c').
  by rewrite mul_row_col mulmx1 -!addrA addNr addr0.
move/eqP; rewrite addrA; set A := _ *m y; rewrite -subr_eq0.
have E (v w : 'cV[R]_m) : (v + w) l 0 = v l 0 + w l 0 by rewrite mxE.
rewrite !E !mulrDr opprD addrACA subrr addr0 !two => /eqP e.
rewrite big_sumType /=; under [X in _ + X]eq_bigr do rewrite mulNr; rewrite sumrN.
have -> : (row l Lam1 *m y) 0 0 = (D' *m V1 *m y) l 0 - (D *m U1 *m y) l 0 - 2%:R * A l 0.
  rewrite -row_mul [LHS]mxE /Lam1 !mulmxBl -scalemxAl -/A.
  have O (v : 'cV[R]_m) : (- v) l 0 = - v l 0 by rewrite mxE.
  by rewrite !E !O; congr (_ - _ - _); rewrite mxE.
apply/eqP; rewrite -subr_eq0 -[X in _ == X]e; apply/eqP.
have fin (s1 s2 p1 p2 p3 : R) : s1 - s2 - (p1 - p2 - 2%:R * p3) = p2 + s1 + 2%:R * p3 - (p1 + s2).
  by ring.
exact: fin.
Qed.

Lemma PK_kinks l (u : 'rV[R]_(d + 1)) : lsubmx u != 0 -> PK q (k l) predT u = 0.
Proof. by move=> lu; exact: (PK_affine (kinks_affine l) lu). Qed.

Lemma odd_biases : D *m U + 2%:R *: M = D' *m U'.
Proof.
suff e : lsubmx Lam1 = D' *m U' - D *m U - 2%:R *: M.
  have : D' *m U' - D *m U - 2%:R *: M = 0; last by move/eqP; rewrite -addrA -opprD subr_eq0 => /eqP.
  rewrite -e; apply/row_matrixP => l; rewrite row0 -(affine_constant (kinks_affine l)).
  by rewrite !lsubmx_mul row_mul.
rewrite /Lam1 lsubmx_mul !mulmxBl -scalemxAl -!mulmxA !mul_row_col.
by rewrite !mulmx1 !mulmx0 !addr0.
Qed.

Let s := scal V1 generic_lift.
Lemma scal_sc i j : s i j = sc (row i U1) (row j V1).
Proof.
rewrite /s /scal; case: ifP => h; last by rewrite sc_out ?h.
have /rowP/(_ (piv generic_lift i)) := scP h; rewrite [LHS]mxE [RHS]mxE [X in _ * X]mxE => ->.
by rewrite mulfK // pivP.
Qed.
Lemma even_biases i : col i D = \sum_j `|s i j| *: col j D'.
Proof.
have [U0 gU _] := generic_lift; have [W0 _ _] := G.
apply/matrixP => l z; rewrite summxE (ord1 z) {z} mxE.
have := PK_kinks l (u := row i U1); rewrite lU => /(_ (W0 i)); rewrite /PK big_sumType /=.
rewrite (bigD1 i) //= big1 ?addr0 => [|i' ne]; last by rewrite sc_out ?normr0 ?mulr0 ?gU.
have -> : sc (row i U1) (row i U1) = 1.
  have := scP (submx_refl (row i U1)); rewrite -{1}[row i U1]scale1r => /eqP.
  by rewrite -subr_eq0 -scalerBl scaler_eq0 (negbTE (U0 i)) orbF subr_eq0 => /eqP <-.
rewrite normr1 mulr1 => /eqP; rewrite addr_eq0 -sumrN => /eqP ->; apply: eq_bigr => j _.
by rewrite scal_sc !mxE mulNr opprK mulrC.
Qed.
Lemma row_biases i j : s i j != 0 -> row j U' = s i j *: row i U.
Proof. by move=> h; rewrite -lV -lU (scal_row h) !lsubmx_mul scalemxAl. Qed.
Lemma uniq_biases i i' j : s i j != 0 -> s i' j != 0 -> i = i'.
Proof. exact: scal_uniq. Qed.

(** The units of V on hyperplanes without a w cancel hyperplane by hyperplane. *)
Lemma free_biases : (2 * \rank (\sum_(j | [forall i, (s i j == 0)%R]) col j D' *m row j U')%R <=
  #|[pred j | [forall i, (s i j == 0)%R]]|)%N.
Proof.
pose P := [pred j | [forall i, s i j == 0] && (row j U' != 0)].
have -> : \sum_(j | [forall i, s i j == 0]) col j D' *m row j U' =
    lsubmx (\sum_(j | P j) col j D' *m row j V1).
  rewrite lsubmx_mul mulmx_suml (bigID (fun j => row j U' != 0)) /= [X in _ + X]big1 ?addr0 => [|j].
    by apply: eq_bigr => j _; rewrite -mulmxA -lsubmx_mul lV.
  by case/andP=> _; rewrite negbK => /eqP ->; rewrite mulmx0.
rewrite lsubmx_mul; apply: (@leq_trans (2 * \rank (\sum_(j | P j) col j D' *m row j V1)%R)).
  by rewrite leq_mul2l mxrankM_maxl.
apply: (@leq_trans #|P|); last by apply/subset_leq_card/subsetP => j; rewrite !inE => /andP[].
apply: rank_pairs => u u0; rewrite /PV; have [lu|lu] := eqVneq (lsubmx u) 0.
  rewrite big1 // => j /andP[_ vj]; rewrite sc_out ?normr0 ?scale0r //; apply: contra vj => /lsub_line.
  by rewrite lV lu scaler0 => ->.
have inv (v : 'rV[R]_(d + 1)) : lsubmx v != 0 -> (v <= u)%MS -> (u <= v)%MS.
  move=> v0 vu; have e := scP vu; apply/sub_rVP; exists (sc u v)^-1; rewrite {2}e scalerA mulVf ?scale1r //.
  by apply: contraNneq v0 => z; rewrite e z scale0r lsubmx_mul mul0mx.
have [W0 _ _] := G; have [/existsP[i iu]|none] := boolP [exists i, (row i U1 <= u)%MS].
  rewrite big1 // => j /andP[/forallP/(_ i) sij vj].
  have [ju|ju] := boolP (row j V1 <= u)%MS; last by rewrite sc_out ?normr0 ?scale0r.
  have ui : (u <= row i U1)%MS by apply: inv iu; rewrite lU.
  have := lsub_line (submx_trans ju ui); rewrite -scal_sc (eqP sij) scale0r lV => e.
  by rewrite e eqxx in vj.
apply/matrixP => l z; rewrite summxE [RHS]mxE (ord1 z) {z}.
have := PK_kinks l lu; rewrite /PK big_sumType /= big1 ?add0r => [|i _]; last first.
  by rewrite sc_out ?normr0 ?mulr0 //; move: none; rewrite negb_exists => /forallP.
under eq_bigr do rewrite mulNr; rewrite sumrN => /eqP; rewrite oppr_eq0 => /eqP e; rewrite -[RHS]e {e}.
rewrite [LHS]big_mkcond; apply: eq_bigr => j _ /=; case: ifP => [_|/negbT]; first by rewrite !mxE mulrC.
rewrite negb_and negbK negb_forall => /orP[/existsP[i sij]|/eqP vj].
  rewrite sc_out ?normr0 ?mulr0 //; move: none; rewrite negb_exists => /forallP/(_ i); apply: contra.
  apply: submx_trans; apply/sub_rVP; exists (s i j)^-1.
  by rewrite (scal_row sij) scalerA mulVf ?scale1r.
have [ju|ju] := boolP (row j V1 <= u)%MS; last by rewrite sc_out ?normr0 ?mulr0.
have /eqP := lsub_line ju; rewrite lV vj eq_sym scaler_eq0 (negbTE lu) orbF => /eqP ->.
by rewrite normr0 mulr0.
Qed.

Lemma x1b_lower : (N + kstar D U M <= N')%N.
Proof.
have [_ _ D0] := G.
exact: (lower_kstar row_biases uniq_biases even_biases odd_biases D0 free_biases).
Qed.

(** At the same width no unit is constant, and the bias columns balance as well. *)
Lemma all_used : (N' <= N)%N -> forall j, row j U' != 0.
Proof.
have [W0 _ D0] := G; move=> leN j; have inj := pi_inj uniq_biases (even := even_biases) (D0 := D0).
have /codomP[i ->] : j \in codom (pi even_biases D0) by apply: inj_card_onto; rewrite ?card_ord.
have s0 := piP even_biases D0 i.
by rewrite (row_biases s0) scaler_eq0 negb_or s0 W0.
Qed.
Lemma x1b_tight : (N' <= N)%N -> exists S : {set 'I_N}, part S D U = - M /\ part S D b = c' - c.
Proof.
move=> leN; have [W0 _ D0] := G.
have L0 : Lam1 = 0.
  apply/row_matrixP => l; rewrite row0; apply: (affine_zero (kinks_affine l)) => -[i|j] /=.
    by rewrite lU W0.
  by rewrite lV all_used.
have odd1 : D *m U1 + 2%:R *: row_mx M (c - c') = D' *m V1.
  by move/eqP: L0; rewrite /Lam1 -addrA -opprD subr_eq0 => /eqP ->.
have := core (@scal_row _ _ _ _ _ _ _ V1 generic_lift) uniq_biases even_biases odd1 D0.
have /eqP -> : (N' - N == 0)%N by rewrite subn_eq0.
rewrite leqn0 mxrank_eq0 part_row_mx add_row_mx => /eqP; rewrite -row_mx0 => /eq_row_mx[h1 h2].
exists (flipped even_biases D0); split; apply/eqP.
  by rewrite -addr_eq0 addrC h1.
by rewrite -subr_eq0 opprB addrC h2.
Qed.
End Lower.

(** X1b for ReLU: hidden biases and an output bias on both sides. *)
Theorem x1b_relu (R : realFieldType) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N)
    (M : 'M[R]_(m, d)) (c : 'cV[R]_m) : generic_b D U b ->
  forall N', (exists (D' : 'M_(m, N')) (U' : 'M_(N', d)) (b' : 'cV_N') (c' : 'cV_m), forall x,
      mlpb (@relu R) D U b x + M *m x + c = mlpb (@relu R) D' U' b' x + c') <->
    (N + kstar D U M <= N')%N.
Proof.
move=> G N'; split=> [[D' [U' [b' [c' e]]]]|]; first exact: (x1b_lower G e).
exact: (x1b_upper (@relu_odd R)).
Qed.

(** Condition (3) is unchanged by biases. *)
Theorem x1b_same_width (R : realFieldType) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N)
    (M : 'M[R]_(m, d)) (c : 'cV[R]_m) : generic_b D U b ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)) (b' : 'cV_N) (c' : 'cV_m), forall x,
      mlpb (@relu R) D U b x + M *m x + c = mlpb (@relu R) D' U' b' x + c') <->
  exists S : {set 'I_N}, part S D U = - M.
Proof.
move=> G; rewrite -kstar_eq0; split=> [/(x1b_relu M c G)|k0].
  by move=> le; apply/eqP; rewrite -leqn0 -(leq_add2l N) addn0.
by apply/(x1b_relu M c G); rewrite k0 addn0.
Qed.

(** Hidden biases alone: also the constant must be absorbed. *)
Theorem x1b_hidden_only (R : realFieldType) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N)
    (M : 'M[R]_(m, d)) (c : 'cV[R]_m) : generic_b D U b ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)) (b' : 'cV_N), forall x,
      mlpb (@relu R) D U b x + M *m x + c = mlpb (@relu R) D' U' b' x) <->
  exists S : {set 'I_N}, part S D U = - M /\ part S D b = - c.
Proof.
move=> G; split=> [[D' [U' [b' e]]]|[S [hM hc]]]; last first.
  exists D, (flip_rows S U), (flip_rows S b) => x.
  by rewrite (x1b_flip (@relu_odd R) b c hM) hc subrr addr0.
have e0 x : mlpb (@relu R) D U b x + M *m x + c = mlpb (@relu R) D' U' b' x + 0 by rewrite addr0.
by have [S [hM hc]] := x1b_tight G e0 (leqnn N); exists S; rewrite hc sub0r.
Qed.

(** Biases allow what (G) forbids: d = 1, two units with the rows 1, 1 and the biases 0, 1. *)
Example x1b_instance (R : realFieldType) :
  generic_b (const_mx 1 : 'M[R]_(1, 2)) (const_mx 1 : 'M[R]_(2, 1)) (\col_i (i : nat)%:R).
Proof.
split=> [i|i i' ne|i].
- by apply/rV0Pn; exists 0; rewrite !mxE oner_eq0.
- apply: (@not_collinear _ _ _ _ _ _ (lshift 1 0) (rshift 1 0)).
  by rewrite !row_mxEl !row_mxEr !mxE mul1r mulr1 eqr_nat eq_sym.
by apply/cV0Pn; exists 0; rewrite !mxE oner_eq0.
Qed.
