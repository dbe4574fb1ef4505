(** * X1b (ext:biases) for GELU-like activations

The only fact used of the even part E of sigma, besides sigma(z) - sigma(-z) = z, is that
the functions t |-> E(a t + b), a > 0, are independent of each other and of affine ones. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From SkipAbsorption Require Import networks lemma6 counting theorem4_smooth x5_canonical x5_canonical_smooth.
From SkipAbsorption Require Import x1_lines x1_construction x1_width x1_values x1b_half_space x1b_biases.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Definition affine_indep (R : realFieldType) (E : R -> R) :=
  forall (I : finType) (c a b : I -> R) (A B : R), (forall i, 0 <= a i) ->
  (forall t, 0 < t -> \sum_i c i * E (a i * t + b i) = A * t + B) ->
  forall a0 b0, 0 < a0 -> \sum_(i | (a i == a0) && (b i == b0)) c i = 0.

Section Pairs.
Variables (R : realFieldType) (E : R -> R).
Hypotheses (Eeven : forall z, E (- z) = E z) (Eai : affine_indep E).
Variables (d : nat) (I : finType) (q : I -> 'rV[R]_(d + 1)) (c : I -> R) (L : 'rV[R]_(d + 1)).
Hypothesis affine : forall x : 'cV[R]_d,
  \sum_i c i * E ((q i *m col_mx x 1) 0 0) = (L *m col_mx x 1) 0 0.

Let form (w : 'rV[R]_(d + 1)) (x : 'cV[R]_d) : R := (lsubmx w *m x) 0 0.
Let bias (w : 'rV[R]_(d + 1)) : R := rsubmx w 0 0.
Lemma affine_form w t (y : 'cV[R]_d) : (w *m col_mx (t *: y) 1) 0 0 = form w y * t + bias w.
Proof. by rewrite -{1}(hsubmxK w) mul_row_col mulmx1 mxE -scalemxAr mxE mulrC. Qed.
Lemma formN w y : form (- w) y = - form w y.
Proof. by rewrite /form lsubmx_mul mulNmx mulNmx mxE -lsubmx_mul. Qed.
Lemma biasN w : bias (- w) = - bias w.
Proof. by rewrite /bias rsubmx_mul mulNmx mxE -rsubmx_mul. Qed.

Lemma lsub0 : lsubmx (0 : 'rV[R]_(d + 1)) = 0. Proof. exact: linear0. Qed.
Lemma lsubN (w : 'rV[R]_(d + 1)) : lsubmx (- w) = - lsubmx w. Proof. exact: linearN. Qed.

(** The pairs {u, -u} cancel one by one, u = (v, b) with v <> 0. *)
Lemma class_sum_biases (u : 'rV[R]_(d + 1)) : lsubmx u != 0 -> \sum_(i | pmeq (q i) u) c i = 0.
Proof.
move=> u0; pose g (o : option (I * bool)) := match o with None => lsubmx u
  | Some (i, true) => lsubmx (q i) - lsubmx u | Some (i, false) => lsubmx (q i) + lsubmx u end.
have [y hy] := @avoid R _ (fun o => g o != 0) d g (fun _ h => h).
have uy : form u y != 0 by exact: (hy None).
pose sgn w : R := if form w y < 0 then -1 else 1.
have sgnN w : form w y != 0 -> sgn (- w) = - sgn w.
  by rewrite /sgn formN oppr_lt0; case: (ltgtP (form w y) 0) => //= *; rewrite ?opprK.
have sgnE w : sgn w * form w y = `|form w y|.
  by rewrite /sgn; case: ltP => h; [rewrite mulN1r ltr0_norm|rewrite mul1r ger0_norm].
have pmE i : pmeq (q i) u = (`|form (q i) y| == `|form u y|) && (sgn (q i) * bias (q i) == sgn u * bias u).
  apply/orP/andP => [[/eqP ->|/eqP ->]|[/eqP ea /eqP eb]]; rewrite ?eqxx //.
    by rewrite formN normrN biasN sgnN // mulrNN !eqxx.
  have s0 : sgn u != 0 by rewrite /sgn; case: ifP => _; rewrite ?oppr_eq0 oner_eq0.
  move/eqP: ea; rewrite eqr_norm2 => /orP[/eqP e|/eqP e].
    left; have l : lsubmx (q i) = lsubmx u.
      apply/eqP; rewrite -subr_eq0; apply: contraT => /(hy (Some (i, true))).
      by rewrite /= mulmxBl mxE [(- _ : 'M_1) 0 0]mxE -/(form (q i) y) -/(form u y) e subrr eqxx.
    rewrite -(hsubmxK (q i)) -(hsubmxK u) l; apply/eqP; congr (row_mx _ _).
    apply/matrixP => a b; rewrite (ord1 a) (ord1 b); apply: (mulfI s0); rewrite -[RHS]eb.
    by rewrite /sgn e.
  right; have l : lsubmx (q i) = - lsubmx u.
    apply/eqP; rewrite -addr_eq0; apply: contraT => /(hy (Some (i, false))).
    by rewrite /= mulmxDl mxE -/(form (q i) y) -/(form u y) e addNr eqxx.
  have sN : sgn (q i) = - sgn u by rewrite -sgnN // /sgn e formN.
  rewrite -(hsubmxK (q i)) -(hsubmxK u) l opp_row_mx; apply/eqP; congr (row_mx _ _).
  apply/matrixP => a b; rewrite (ord1 a) (ord1 b) [RHS]mxE; apply: (mulfI s0).
  rewrite mulrN -[in RHS]/(bias u) -eb.
  by rewrite sN mulNr opprK.
rewrite (eq_bigl _ _ pmE); apply: (Eai (A := form L y) (B := bias L)) => [i|t t0|]; rewrite ?normr_gt0 //.
rewrite -affine_form -affine; apply: eq_bigr => i _; rewrite affine_form -sgnE; congr (_ * _).
have -> : sgn (q i) * form (q i) y * t + sgn (q i) * bias (q i) = sgn (q i) * (form (q i) y * t + bias (q i)).
  by rewrite mulrDr mulrA.
by rewrite /sgn; case: ifP => _; rewrite ?mul1r // mulN1r Eeven.
Qed.

(** What remains is constant. *)
Let p i := lsubmx (q i) != 0.
Lemma constants_only_smooth (x : 'cV[R]_d) :
  (L *m col_mx x 1) 0 0 = \sum_(i | ~~ p i) c i * E (bias (q i)).
Proof.
rewrite -affine (bigID p) /= -[RHS]add0r; congr (_ + _).
  pose f (w : 'rV[R]_(d + 1)) := if lsubmx w == 0 then 0 else E ((w *m col_mx x 1) 0 0).
  have := @pm_regroup R _ [lmodType R of R^o] I q c f p.
  rewrite (eq_bigr (fun i => c i * E ((q i *m col_mx x 1) 0 0))) => [|i /negbTE pi]; last first.
    by rewrite /f pi /GRing.scale /= mulrC.
  apply=> [|w|w w0]; first by rewrite /f lsub0 eqxx.
    by rewrite /f lsubN oppr_eq0; case: ifP => // _; rewrite mulNmx mxE Eeven.
  have [lw|lw] := eqVneq (lsubmx w) 0.
    rewrite big1 // => i /andP[pi iw]; move: pi; rewrite /p.
    by case/orP: iw => /eqP ->; rewrite ?lsubN ?oppr_eq0 lw eqxx.
  rewrite -[RHS](class_sum_biases lw); apply: eq_bigl => i; rewrite /p.
  case iw: (pmeq (q i) w); last by rewrite andbF.
  by rewrite andbT; case/orP: iw => /eqP ->; rewrite ?lsubN ?oppr_eq0 lw.
apply: eq_bigr => i; rewrite /p negbK => /eqP li; congr (_ * E _).
by rewrite -{1}(hsubmxK (q i)) li mul_row_col mul0mx add0r mulmx1.
Qed.
Lemma affine_constant_smooth : lsubmx L = 0.
Proof.
have lx (x : 'cV[R]_d) : (lsubmx L *m x) 0 0 = 0.
  have := constants_only_smooth x; rewrite -(constants_only_smooth 0) -{1 2}(hsubmxK L).
  by rewrite !mul_row_col mulmx0 add0r mxE -[RHS]add0r => /addIr.
apply/rowP => k; have := lx (delta_mx k 0); rewrite -colE mxE => ->.
by rewrite mxE.
Qed.
Lemma affine_zero_smooth : (forall i, p i) -> L = 0.
Proof.
move=> pi; have := constants_only_smooth 0; rewrite big1 => [|i]; last by rewrite pi.
rewrite -{1}(hsubmxK L) affine_constant_smooth mul_row_col mul0mx add0r mulmx1 => e.
suff r0 : rsubmx L = 0 by rewrite -(hsubmxK L) affine_constant_smooth r0 row_mx0.
by apply/matrixP => i j; rewrite (ord1 i) (ord1 j) e mxE.
Qed.
End Pairs.

Section Lower.
Variables (R : realFieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Hypothesis Eai : affine_indep (fun z => s z + s (- z)).
Variables (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N) (M : 'M[R]_(m, d)) (c : 'cV[R]_m).
Variables (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)) (b' : 'cV[R]_N') (c' : 'cV[R]_m).

(** w_i and a_i non-zero, (w_i, b_i) neither equal nor opposite. *)
Definition generic_pm_b := [/\ forall i, row i U != 0,
  forall i i', i != i' -> row i (row_mx U b) != row i' (row_mx U b) /\
    row i (row_mx U b) != - row i' (row_mx U b) & forall i, col i D != 0].
Hypothesis G : generic_pm_b.
Hypothesis eqf : forall x, mlpb s D U b x + M *m x + c = mlpb s D' U' b' x + c'.
Let E z := s z + s (- z).
Let Ee z : E (- z) = E z. Proof. by rewrite /E opprK addrC. Qed.
Let U1 := row_mx U b.
Let V1 := row_mx U' b'.
Let lU i : lsubmx (row i U1) = row i U. Proof. by rewrite /U1 row_row_mx row_mxKl. Qed.
Let lV j : lsubmx (row j V1) = row j U'. Proof. by rewrite /V1 row_row_mx row_mxKl. Qed.
Let q (t : 'I_N + 'I_N') := match t with inl i => row i U1 | inr j => row j V1 end.
Let k l (t : 'I_N + 'I_N') := match t with inl i => D l i | inr j => - D' l j end.
Let Lam1 : 'M[R]_(m, d + 1) := D' *m V1 - D *m U1 - 2%:R *: row_mx M (c - c').

Lemma generic_pm_lift : generic_pm D U1.
Proof.
have [U0 gU D0] := G; split=> // i; apply: contraNneq (U0 i) => e.
by rewrite -lU e lsub0.
Qed.

Lemma even_affine l (x : 'cV[R]_d) :
  \sum_t k l t * E ((q t *m col_mx x 1) 0 0) = (row l Lam1 *m col_mx x 1) 0 0.
Proof.
set y := col_mx x 1.
have two n (C : 'M[R]_(m, n)) (V : 'M[R]_(n, d + 1)) : 2%:R * mlp s C V y l 0 =
    (C *m V *m y) l 0 + \sum_i C l i * E ((row i V *m y) 0 0).
  rewrite -mulmxA /mlp [X in 2%:R * X]mxE [X in _ = X + _]mxE mulr_sumr -big_split /=; apply: eq_bigr => i _.
  rewrite mulrCA -mulrDr; congr (_ * _); have -> : (row i V *m y) 0 0 = (V *m y) i 0.
    by rewrite -row_mul [LHS]mxE.
  move: (V *m y) => w; rewrite mxE -[X in _ = X + _]hs /E addrACA addNr addr0.
  by rewrite mulr_natl mulr2n.
have := congr1 (fun v : 'cV_m => 2%:R * v l 0) (eqf x); rewrite /= !mlpb_mlp -/U1 -/V1 -/y.
have -> : mlp s D U1 y + M *m x + c = mlp s D U1 y + (row_mx M (c - c') *m y + c').
  by rewrite mul_row_col mulmx1 -!addrA addNr addr0.
move/eqP; rewrite addrA; set A := _ *m y; rewrite -subr_eq0.
have S (v w : 'cV[R]_m) : (v + w) l 0 = v l 0 + w l 0 by rewrite mxE.
rewrite !S !mulrDr opprD addrACA subrr addr0 !two => /eqP e.
rewrite big_sumType /=; under [X in _ + X]eq_bigr do rewrite mulNr; rewrite sumrN.
have -> : (row l Lam1 *m y) 0 0 = (D' *m V1 *m y) l 0 - (D *m U1 *m y) l 0 - 2%:R * A l 0.
  rewrite -row_mul [LHS]mxE /Lam1 !mulmxBl -scalemxAl -/A.
  have O (v : 'cV[R]_m) : (- v) l 0 = - v l 0 by rewrite mxE.
  by rewrite !S !O; congr (_ - _ - _); rewrite mxE.
apply/eqP; rewrite -subr_eq0 -[X in _ == X]e; apply/eqP.
have fin (s1 s2 p1 p2 p3 : R) : s1 - s2 - (p1 - p2 - 2%:R * p3) = p2 + s1 + 2%:R * p3 - (p1 + s2).
  by ring.
exact: fin.
Qed.

Lemma pairs_cancel l (u : 'rV[R]_(d + 1)) : lsubmx u != 0 -> \sum_(t | pmeq (q t) u) k l t = 0.
Proof. by move=> lu; exact: (class_sum_biases Ee Eai (even_affine l) lu). Qed.

Lemma odd_smooth : D *m U + 2%:R *: M = D' *m U'.
Proof.
suff e : lsubmx Lam1 = D' *m U' - D *m U - 2%:R *: M.
  have : D' *m U' - D *m U - 2%:R *: M = 0; last by move/eqP; rewrite -addrA -opprD subr_eq0 => /eqP.
  rewrite -e; apply/row_matrixP => l; rewrite row0 -(affine_constant_smooth Ee Eai (even_affine l)).
  by rewrite !lsubmx_mul row_mul.
rewrite /Lam1 lsubmx_mul !mulmxBl -scalemxAl -!mulmxA !mul_row_col.
by rewrite !mulmx1 !mulmx0 !addr0.
Qed.

Let sc1 := pm U1 V1.
Lemma row_smooth i j : sc1 i j != 0 -> row j U' = sc1 i j *: row i U.
Proof. by move=> h; rewrite -lV -lU (pm_row h) !lsubmx_mul scalemxAl. Qed.
Lemma even_smooth i : col i D = \sum_j `|sc1 i j| *: col j D'.
Proof.
have [U0 _ _] := G; have [_ gU _] := generic_pm_lift; apply/matrixP => l z; rewrite summxE (ord1 z) {z} mxE.
have := pairs_cancel l (u := row i U1); rewrite lU => /(_ (U0 i)); rewrite big_sumType /=.
rewrite (bigD1 i) /pmeq ?eqxx //= big1 ?addr0 => [|i' /andP[h ne]]; last first.
  by have [/negbTE n1 /negbTE n2] := gU _ _ ne; rewrite n1 n2 in h.
move/eqP; rewrite addr_eq0 => /eqP ->; rewrite -sumrN big_mkcond /=; apply: eq_bigr => j _.
by rewrite !mxE norm_pm; case: ifP => _; rewrite ?opprK ?mul1r ?mul0r.
Qed.
Lemma uniq_smooth i i' j : sc1 i j != 0 -> sc1 i' j != 0 -> i = i'.
Proof. exact: (pm_uniq generic_pm_lift). Qed.

Lemma free_smooth : (2 * \rank (\sum_(j | [forall i, (sc1 i j == 0)%R]) col j D' *m row j U')%R <=
  #|[pred j | [forall i, (sc1 i j == 0)%R]]|)%N.
Proof.
pose P := [pred j | [forall i, sc1 i j == 0] && (row j U' != 0)].
have -> : \sum_(j | [forall i, sc1 i j == 0]) col j D' *m row j U' =
    lsubmx (\sum_(j | P j) col j D' *m row j V1).
  rewrite lsubmx_mul mulmx_suml (bigID (fun j => row j U' != 0)) /= [X in _ + X]big1 ?addr0 => [|j].
    by apply: eq_bigr => j _; rewrite -mulmxA -lsubmx_mul lV.
  by case/andP=> _; rewrite negbK => /eqP ->; rewrite mulmx0.
rewrite lsubmx_mul; apply: (@leq_trans (2 * \rank (\sum_(j | P j) col j D' *m row j V1)%R)).
  by rewrite leq_mul2l mxrankM_maxl.
apply: (@leq_trans #|P|); last by apply/subset_leq_card/subsetP => j; rewrite !inE => /andP[].
apply: rank_pairs => u u0; rewrite /PV.
apply: (pm_regroup (f := fun w => `|sc u w|)) => [|w|w w0]; rewrite ?sc0 ?normr0 ?scN ?normrN //.
have [lw|lw] := eqVneq (lsubmx w) 0.
  rewrite big1 // => j /andP[/andP[_ vj] jw]; move: vj; rewrite -lV.
  by case/orP: jw => /eqP ->; rewrite ?lsubN ?oppr_eq0 lw eqxx.
have [/existsP[i iw]|none] := boolP [exists i, pmeq (row i U1) w].
  rewrite big1 // => j /andP[/andP[/forallP/(_ i)/eqP sij _] jw]; move: sij; rewrite /sc1 /pm.
  have : pmeq (row j V1) (row i U1) by rewrite (pmeq_trans _ iw).
  by rewrite /pmeq; case: eqP => [_ _ /eqP|_ /= ->/eqP]; rewrite ?oppr_eq0 oner_eq0.
apply/matrixP => l z; rewrite summxE [RHS]mxE (ord1 z) {z}.
have := pairs_cancel l lw; rewrite big_sumType /= big1 ?add0r => [|i iw]; last first.
  by case/existsP: none; exists i.
rewrite sumrN => /eqP; rewrite oppr_eq0 => /eqP e; rewrite -[RHS]e {e}.
apply: eq_big => [j|j _]; last by rewrite mxE.
case jw: (pmeq (row j V1) w); rewrite ?andbF // andbT; apply/andP; split.
  apply/forallP => i; apply: contraNT none => /pm_cases sij; apply/existsP; exists i.
  by move: jw; case: sij => -> //; rewrite /pmeq eqr_opp orbC eqr_oppLR.
by rewrite -lV; case/orP: jw => /eqP ->; rewrite ?lsubN ?oppr_eq0.
Qed.

Lemma x1b_lower_smooth : (N + kstar D U M <= N')%N.
Proof.
have [_ _ D0] := G.
exact: (lower_kstar row_smooth uniq_smooth even_smooth odd_smooth D0 free_smooth).
Qed.

Lemma x1b_tight_smooth : (N' <= N)%N -> exists S : {set 'I_N}, part S D U = - M /\ part S D b = c' - c.
Proof.
move=> leN; have [W0 _ D0] := G.
have used j : row j U' != 0.
  have inj := pi_inj uniq_smooth (even := even_smooth) (D0 := D0).
  have /codomP[i ->] : j \in codom (pi even_smooth D0) by apply: inj_card_onto; rewrite ?card_ord.
  have s0 := piP even_smooth D0 i.
  by rewrite (row_smooth s0) scaler_eq0 negb_or s0 W0.
have L0 : Lam1 = 0.
  apply/row_matrixP => l; rewrite row0; apply: (affine_zero_smooth Ee Eai (even_affine l)) => -[i|j] /=.
    by rewrite lU W0.
  by rewrite lV used.
have odd1 : D *m U1 + 2%:R *: row_mx M (c - c') = D' *m V1.
  by move/eqP: L0; rewrite /Lam1 -addrA -opprD subr_eq0 => /eqP ->.
have := core (@pm_row _ _ _ _ U1 V1) uniq_smooth even_smooth odd1 D0.
have /eqP -> : (N' - N == 0)%N by rewrite subn_eq0.
rewrite leqn0 mxrank_eq0 part_row_mx add_row_mx => /eqP; rewrite -row_mx0 => /eq_row_mx[h1 h2].
exists (flipped even_smooth D0); split; apply/eqP.
  by rewrite -addr_eq0 addrC h1.
by rewrite -subr_eq0 opprB addrC h2.
Qed.
End Lower.

Section Statements.
Variables (R : realFieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Hypothesis Eai : affine_indep (fun z => s z + s (- z)).
Variables (m d N : nat) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N).
Variables (M : 'M[R]_(m, d)) (c : 'cV[R]_m).
Hypothesis G : generic_pm_b D U b.

(** X1b: hidden biases and an output bias on both sides. *)
Theorem x1b_smooth N' :
  (exists (D' : 'M_(m, N')) (U' : 'M_(N', d)) (b' : 'cV_N') (c' : 'cV_m), forall x,
      mlpb s D U b x + M *m x + c = mlpb s D' U' b' x + c') <->
  (N + kstar D U M <= N')%N.
Proof.
split=> [[D' [U' [b' [c' e]]]]|]; first exact: (x1b_lower_smooth hs Eai G e).
exact: x1b_upper.
Qed.

(** Hidden biases alone. *)
Theorem x1b_hidden_only_smooth :
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)) (b' : 'cV_N), forall x,
      mlpb s D U b x + M *m x + c = mlpb s D' U' b' x) <->
  exists S : {set 'I_N}, part S D U = - M /\ part S D b = - c.
Proof.
split=> [[D' [U' [b' e]]]|[S [hM hc]]]; last first.
  exists D, (flip_rows S U), (flip_rows S b) => x.
  by rewrite (x1b_flip hs b c hM) hc subrr addr0.
have e0 x : mlpb s D U b x + M *m x + c = mlpb s D' U' b' x + 0 by rewrite addr0.
by have [S [hM hc]] := x1b_tight_smooth hs Eai G e0 (leqnn N); exists S; rewrite hc sub0r.
Qed.
End Statements.
