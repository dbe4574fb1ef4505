(** * X1b (ext:biases) for GELU and its tanh form

GELU: the tail Q of its integral satisfies Q(z + w) <= exp (- w z) Q(z).  The tanh form: its
exponent is a cubic.  (SiLU, for which r(z + w) / r(z) does not tend to 0, has a file of its own.) *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences derive realfun exp trigo.
From mathcomp Require Import ring.
From SkipAbsorption Require Import networks theorem4_smooth silu_tanh_gelu gelu.
From SkipAbsorption Require Import theorem4_activations gelu_normal.
From SkipAbsorption Require Import x1_width x1_values x1_construction x1b_biases x1b_smooth dominance_affine.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Tanh.
Variables (R : realType) (c1 c3 : R).
Hypotheses (c10 : 0 < c1) (c30 : 0 < c3).
Let p (z : R) := c1 * z + c3 * z ^+ 3.
Let r := lrest p.
Let podd z : p (- z) = - p z. Proof. by rewrite /p; ring. Qed.
Let plow t : 0 < t -> c1 * t <= p t.
Proof. by move=> t0; rewrite ler_addl mulr_ge0 ?(ltW c30) // exprn_ge0 // ltW. Qed.

Lemma cubic_tail z w : 1 <= z -> 0 < w -> r (z + w) * (w * z ^+ 2) <= 2%:R / c3 * r z * (z + w).
Proof.
move=> z1 w0; have z0 : 0 < z by apply: lt_le_trans z1; exact: ltr01.
rewrite /r /lrest; set A := 1 + expR (p z); set B := 1 + expR (p (z + w)).
have A0 : 0 < A by exact: den_gt0.
have B0 : 0 < B by exact: den_gt0.
have zw : 0 < z + w by rewrite addr_gt0.
suff h : w * z * A <= 2%:R / c3 * B.
  have -> : 2%:R * (z + w) / B * (w * z ^+ 2) = (2%:R * (z + w) * z / (A * B)) * (w * z * A).
    by field; rewrite !gt_eqF.
  have -> : 2%:R / c3 * (2%:R * z / A) * (z + w) = (2%:R * (z + w) * z / (A * B)) * (2%:R / c3 * B).
    by field; rewrite !gt_eqF.
  by rewrite ler_wpmul2l // divr_ge0 ?mulr_ge0 ?ler0n // ltW.
have pz : 0 <= p z by apply: le_trans (plow z0); rewrite mulr_ge0 // ltW.
have step : c3 * (w * z) <= p (z + w) - p z.
  rewrite -subr_ge0; have -> : p (z + w) - p z - c3 * (w * z) =
      c1 * w + c3 * w * (3%:R * z * w + w ^+ 2 + 2%:R * z ^+ 2 + z * (z - 1)) by rewrite /p; ring.
  rewrite addr_ge0 ?mulr_ge0 ?(ltW c10) ?(ltW c30) ?(ltW w0) // !addr_ge0 ?mulr_ge0 ?exprn_ge0 ?subr_ge0 //;
    by rewrite ?ler0n ?(ltW z0) ?(ltW w0).
have e1 : c3 * (w * z) * expR (p z) <= expR (p (z + w)).
  have -> : expR (p (z + w)) = expR (p (z + w) - p z) * expR (p z) by rewrite -expRD subrK.
  rewrite ler_wpmul2r ?(ltW (expR_gt0 _)) //; apply: (le_trans step).
  apply: le_trans (expR_ge1Dx _); first by rewrite ler_addr ler01.
  by apply: (le_trans _ step); rewrite !mulr_ge0 // ltW.
have A2 : A <= 2%:R * expR (p z).
  by rewrite /A mulr_natl mulr2n ler_add2r; apply: le_trans (expR_ge1Dx pz); rewrite ler_addl.
apply: (@le_trans _ _ (w * z * (2%:R * expR (p z)))); first by rewrite ler_wpmul2l // mulr_ge0 // ltW.
have -> : w * z * (2%:R * expR (p z)) = 2%:R / c3 * (c3 * (w * z) * expR (p z)) by field; rewrite gt_eqF.
rewrite ler_wpmul2l ?divr_ge0 ?ler0n ?(ltW c30) //; apply: le_trans e1 _.
by rewrite ler_addr ler01.
Qed.

Lemma tgelu_affine : affine_indep (fun z => tgelu c1 c3 z + tgelu c1 c3 (- z)).
Proof.
have K0 : 0 < 2%:R / c3 by rewrite divr_gt0 ?ltr0n.
apply: (@affine_dominance _ _ r 1) => [z z0|z z0|e e0|].
- by rewrite mul1r; exact: (lsig_even podd z0).
- exact: lrest_gt0.
- exact: (lrest_lim c10 plow).
by apply: (step_of_tail K0 _ cubic_tail) => z; exact: lrest_gt0.
Qed.
End Tanh.

Section Gelu.
Variable R : realType.

Lemma decreasing (f df : R -> R) (a x y : R) : (forall z : R, is_derive z 1 f (df z)) ->
  (forall z, a <= z -> df z <= 0) -> a <= x -> x <= y -> f y <= f x.
Proof.
move=> hf d0 ax; rewrite le_eqVlt => /predU1P[->//|xy].
have [|c] := MVT xy (fun z _ => hf z).
  apply/continuous_subspaceT => z; apply/differentiable_continuous/derivable1_diffP.
  exact: ex_derive.
rewrite in_itv /= => /andP[xc _] e; rewrite -subr_le0 e mulr_le0_ge0 ?subr_ge0 ?(ltW xy) //.
by apply: d0; apply: le_trans ax (ltW xc).
Qed.

Let g (z : R) := expR (- (z ^+ 2 / 2%:R)).
Lemma S_up (x y : R) : x <= y -> S x <= S y.
Proof.
move=> xy; rewrite -ler_opp2; apply: (@decreasing (- (@S R)) (fun z => - g z) x) => // [z|z _].
  exact: (is_deriveN (S_derive z)).
by rewrite oppr_le0 ltW // expR_gt0.
Qed.
Lemma S_lt (x y : R) : x < y -> S x < S y.
Proof.
move=> xy; have hS := @S_derive R; have [|c _ e] := MVT xy (fun z _ => hS z).
  apply/continuous_subspaceT => z; apply/differentiable_continuous/derivable1_diffP.
  exact: ex_derive.
by rewrite -subr_gt0 e mulr_gt0 ?expR_gt0 ?subr_gt0.
Qed.
Lemma S_le z : S z <= expR (2%:R^-1) :> R.
Proof.
have [z0|z0] := leP 0 z; last first.
  by apply: le_trans (S_up (ltW z0)) _; rewrite /S mul0r ltW // expR_gt0.
pose f := (@S R : R -> R) + expR (2%:R^-1) *: (expR \o -%R : R -> R).
have df x : is_derive x 1 f (g x - expR 2%:R^-1 * expR (- x)).
  have d1 : is_derive x 1 (expR \o -%R : R -> R) (expR (- x) * - 1).
    by apply: is_derive1_comp.
  apply: (is_derive_eq (is_deriveD (S_derive x) (is_deriveZ _ d1))).
  by rewrite /GRing.scale /= mulrN1 mulrN.
have : f z <= f 0.
  apply: (decreasing df) z0 => // x _; rewrite subr_le0 -expRD ler_expR -subr_ge0.
  have -> : 2%:R^-1 - x - - (x ^+ 2 / 2%:R) = (x - 1) ^+ 2 / 2%:R by field.
  by rewrite divr_ge0 ?sqr_ge0 ?ler0n.
have fE x : f x = S x + expR 2%:R^-1 * expR (- x) by [].
have S0 : S 0 = 0 :> R by rewrite /S mul0r.
rewrite !fE S0 oppr0 expR0 mulr1 add0r; apply: le_trans.
by rewrite ler_addl mulr_ge0 ?(ltW (expR_gt0 _)).
Qed.

Definition S_sup : R := sup [set S z | z in [set: R]].
Lemma has_S : has_sup [set S z | z in [set: R]].
Proof.
split; first by exists (S 0); exists 0.
by exists (expR 2%:R^-1) => _ [z _ <-]; exact: S_le.
Qed.
Definition Q (z : R) : R := S_sup - S z.
Lemma Q_gt0 z : 0 < Q z.
Proof.
rewrite subr_gt0; apply: (@lt_le_trans _ _ (S (z + 1))).
  by apply: S_lt; rewrite ltr_addl ltr01.
by apply: sup_ub; [case: has_S|exists (z + 1)].
Qed.
Lemma Q_small e : 0 < e -> exists z0, forall z, z0 <= z -> Q z < e.
Proof.
move=> e0; have [_ [z0 _ <-] h] := sup_adherent e0 has_S; exists z0 => z hz.
rewrite /Q ltr_subl_addr -ltr_subl_addl; exact: lt_le_trans h (S_up hz).
Qed.

Lemma Q_step z w : 0 <= z -> 0 < w -> Q (z + w) <= expR (- (w * z)) * Q z.
Proof.
move=> z0 w0; pose k := expR (- (w * z)).
pose h : R -> R := (id : R -> R) + cst w.
pose f := (@S R \o h : R -> R) - k *: (@S R : R -> R).
have df y : is_derive y 1 f (g (y + w) - k * g y).
  have d0 : is_derive y 1 h (1 + 0) by apply: is_deriveD.
  have hS : is_derive (h y) 1 (@S R) (g (y + w)) by exact: S_derive.
  have d1 : is_derive y 1 (@S R \o h : R -> R) (g (y + w) * (1 + 0)) by exact: is_derive1_comp.
  apply: (is_derive_eq (is_deriveB d1 (is_deriveZ k (S_derive y)))).
  by rewrite addr0 mulr1.
have dec y : z <= y -> f y <= f z.
  apply: (decreasing df) => // x zx; rewrite subr_le0 /g /k -expRD ler_expR -subr_ge0.
  have -> : - (w * z) + - (x ^+ 2 / 2%:R) - - ((x + w) ^+ 2 / 2%:R) = w * (x - z) + w ^+ 2 / 2%:R by field.
  by rewrite addr_ge0 ?divr_ge0 ?sqr_ge0 ?ler0n ?mulr_ge0 ?subr_ge0 ?(ltW w0).
apply/ler_addgt0Pl => e e0; have [y0 hy] := Q_small e0.
pose y := Num.max z y0; have zy : z <= y by rewrite le_maxr lexx.
have /ltW : Q y < e by apply: hy; rewrite le_maxr lexx orbT.
have fE x : f x = S (x + w) - k * S x by [].
have := dec y zy; rewrite !fE.
have h1 : S y <= S (y + w) by apply: S_up; rewrite ler_addl ltW.
have h2 : k * S y <= k * S_sup.
  by rewrite ler_wpmul2l ?(ltW (expR_gt0 _)) // -subr_ge0 ltW // Q_gt0.
rewrite /Q => h3 h4; rewrite -subr_ge0.
have -> : e + k * (S_sup - S z) - (S_sup - S (z + w)) = (e - (S_sup - S y)) + (S (y + w) - S y) +
    (k * S_sup - k * S y) + ((S (z + w) - k * S z) - (S (y + w) - k * S y)) by ring.
by rewrite addr_ge0 ?subr_ge0 // addr_ge0 ?subr_ge0 // addr_ge0 ?subr_ge0.
Qed.

Variable ka : R.
Hypothesis ka0 : 0 < ka.
Let rest (z : R) := 2%:R * ka * z * Q z.
Lemma rest_gt0 z : 0 < z -> 0 < rest z.
Proof. by move=> z0; rewrite /rest !mulr_gt0 ?ltr0n ?Q_gt0. Qed.
Lemma rest_tail z w : 1 <= z -> 0 < w -> rest (z + w) * (w * z ^+ 2) <= 1 * rest z * (z + w).
Proof.
move=> z1 w0; have z0 : 0 < z by apply: lt_le_trans z1; exact: ltr01.
have wz : 0 < w * z by rewrite mulr_gt0.
have h : Q (z + w) * (w * z) <= Q z.
  have := Q_step (ltW z0) w0; rewrite expRN mulrC ler_pdivl_mulr ?expR_gt0 // => h; apply: le_trans h.
  rewrite ler_wpmul2l ?(ltW (Q_gt0 _)) //; apply: le_trans (expR_ge1Dx (ltW wz)).
  by rewrite ler_addr ler01.
have -> : rest (z + w) * (w * z ^+ 2) = 2%:R * ka * z * (z + w) * (Q (z + w) * (w * z)).
  by rewrite /rest; ring.
have -> : 1 * rest z * (z + w) = 2%:R * ka * z * (z + w) * Q z by rewrite /rest; ring.
by rewrite ler_wpmul2l // !mulr_ge0 ?ler0n ?addr_ge0 // ltW.
Qed.
Lemma rest_lim e : 0 < e -> exists2 T, 0 < T & forall z, T <= z -> rest z <= e.
Proof.
move=> e0; pose C := 2%:R * ka * Q 1; have C0 : 0 < C by rewrite !mulr_gt0 ?ltr0n ?Q_gt0.
exists (2%:R + 8%:R * C / e) => [|z].
  by rewrite addr_gt0 ?ltr0n // divr_gt0 // mulr_gt0 ?ltr0n.
pose w := z - 1; have -> : z = 1 + w by rewrite addrC subrK.
rewrite mulr2n -addrA ler_add2l => hw.
have w1 : 1 <= w by apply: le_trans hw; rewrite ler_addl divr_ge0 ?(ltW e0) // mulr_ge0 ?ler0n ?(ltW C0).
have w0 : 0 < w by apply: lt_le_trans w1; exact: ltr01.
have hC : 8%:R * C <= e * w.
  by rewrite [e * w]mulrC -ler_pdivr_mulr //; apply: le_trans hw; rewrite ler_addr ler01.
have hQ : Q (1 + w) * expR w <= Q 1.
  have := Q_step ler01 w0; rewrite mulr1 expRN mulrC ler_pdivl_mulr ?expR_gt0 //.
have hE : (w / 2%:R) ^+ 2 <= expR w.
  have h2 : 0 <= w / 2%:R by rewrite divr_ge0 ?ler0n // ltW.
  by have := exp_sq h2; rewrite [2%:R * _]mulrC divfK // pnatr_eq0.
have h3 : Q (1 + w) * w ^+ 2 <= 4%:R * Q 1.
  have -> : Q (1 + w) * w ^+ 2 = 4%:R * (Q (1 + w) * (w / 2%:R) ^+ 2) by field.
  by rewrite ler_pmul2l ?ltr0n //; apply: le_trans hQ; rewrite ler_wpmul2l // ltW // Q_gt0.
rewrite -(ler_pmul2r w0); apply: le_trans hC.
have -> : rest (1 + w) * w = 2%:R * ka * (Q (1 + w) * (w + w ^+ 2)) by rewrite /rest; ring.
have -> : 8%:R * C = 2%:R * ka * (8%:R * Q 1) by rewrite /C; ring.
rewrite ler_wpmul2l ?mulr_ge0 ?ler0n ?(ltW ka0) //.
apply: (@le_trans _ _ (Q (1 + w) * (w ^+ 2 + w ^+ 2))).
  rewrite ler_wpmul2l ?(ltW (Q_gt0 _)) // ler_add2r expr2 ler_pmulr //.
rewrite mulrDr; have -> : 8%:R * Q 1 = 4%:R * Q 1 + 4%:R * Q 1 by ring.
exact: ler_add.
Qed.

Lemma gelu_affine : affine_indep (fun z => gelu ka z + gelu ka (- z)).
Proof.
apply: (@affine_dominance _ _ rest (2%:R * ka * S_sup)) => [z z0| | |]; last 3 first.
- exact: rest_gt0.
- exact: rest_lim.
- exact: (step_of_tail ltr01 rest_gt0 rest_tail).
by rewrite /gelu psum_even psum_gco /rest /Q; field.
Qed.
End Gelu.

Section Statements.
Variable R : realType.
(** GELU and its tanh form, with their own constants. *)
Inductive gelu_form : (R -> R) -> Prop :=
  | Erf_form : gelu_form (@gelu_erf R)
  | Tanh_form : gelu_form (@gelu_tanh R).

Lemma gelu_form_odd s : gelu_form s -> forall z, s z - s (- z) = z.
Proof. by case; [exact: (@gelu_odd R _)|exact: (@tgelu_odd R _ _)]. Qed.
Lemma gelu_form_affine s : gelu_form s -> affine_indep (fun z => s z + s (- z)).
Proof.
case.
  by apply: gelu_affine; rewrite invr_gt0 sqrtr_gt0 mulr_gt0 ?trigo.pi_gt0 ?ltr0n.
apply: tgelu_affine; first exact: tanh_slope_gt0.
rewrite mulr_gt0 ?tanh_slope_gt0 // divr_gt0 ?exprn_gt0 ?ltr0n // addr_gt0 ?mulr_gt0 ?exprn_gt0 ?ltr0n //.
Qed.

Variables (m d N : nat) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N).
Variables (M : 'M[R]_(m, d)) (c : 'cV[R]_m).
Lemma generic_bW : generic_b D U b -> generic_pm_b D U b.
Proof.
case=> U0 gU D0; split=> // i i' ne; have h := gU _ _ ne.
by split; apply: contraNneq h => ->; rewrite ?eqmx_opp submx_refl.
Qed.

(** X1b for GELU: the least width with hidden biases and an output bias is N + k*. *)
Theorem x1b_gelu (s : R -> R) : gelu_form s -> generic_pm_b D U b ->
  forall N', (exists (D' : 'M_(m, N')) (U' : 'M_(N', d)) (b' : 'cV_N') (c' : 'cV_m), forall x,
      mlpb s D U b x + M *m x + c = mlpb s D' U' b' x + c') <->
    (N + kstar D U M <= N')%N.
Proof. by move=> hs G N'; exact: (x1b_smooth (gelu_form_odd hs) (gelu_form_affine hs) M c G N'). Qed.

(** Condition (3) is unchanged by biases. *)
Theorem x1b_gelu_same_width (s : R -> R) : gelu_form s -> generic_pm_b D U b ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)) (b' : 'cV_N) (c' : 'cV_m), forall x,
      mlpb s D U b x + M *m x + c = mlpb s D' U' b' x + c') <->
  exists S : {set 'I_N}, part S D U = - M.
Proof.
move=> hs G; rewrite -kstar_eq0; split=> [/(x1b_gelu hs G)|k0].
  by move=> le; apply/eqP; rewrite -leqn0 -(leq_add2l N) addn0.
by apply/(x1b_gelu hs G); rewrite k0 addn0.
Qed.

(** Hidden biases alone, at the same width. *)
Theorem x1b_gelu_hidden_only (s : R -> R) : gelu_form s -> generic_pm_b D U b ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)) (b' : 'cV_N), forall x,
      mlpb s D U b x + M *m x + c = mlpb s D' U' b' x) <->
  exists S : {set 'I_N}, part S D U = - M /\ part S D b = - c.
Proof.
by move=> hs G; exact: (x1b_hidden_only_smooth (gelu_form_odd hs) (gelu_form_affine hs) M c G).
Qed.
End Statements.

(** Two units in dimension 1 with the same row and different biases. *)
Example x1b_gelu_instance (R : realType) : gelu_form (@gelu_erf R) /\
  generic_pm_b (const_mx 1 : 'M[R]_(1, 2)) (const_mx 1 : 'M[R]_(2, 1)) (\col_i (i : nat)%:R).
Proof. by split; [exact: Erf_form|apply: generic_bW; exact: x1b_instance]. Qed.
