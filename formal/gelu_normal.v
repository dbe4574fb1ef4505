(** * GELU is z Phi(z)

The power series by which GELU is defined here is z Phi(z), where Phi is the function with
Phi(0) = 1/2 whose derivative is the density of the standard normal distribution. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences derive realfun exp trigo.
From mathcomp Require Import ring.
From SkipAbsorption Require Import networks theorem4_smooth gelu theorem4_activations.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Factorial.
Variable R : realType.

(** Coefficients below 1/n! : the series converges everywhere, and so do its derivatives. *)
Definition fact_bounded (a : nat -> R) := forall n, `|a n| <= (n`!%:R)^-1.
Lemma fact_cvg a (x : R) : fact_bounded a -> cvg (pseries a x).
Proof.
move=> ha; apply: normed_cvg.
apply: (@series_le_cvg _ _ (exp_coeff `|x|)) => [n|n|n|] /=.
- exact: normr_ge0.
- exact: exp_coeff_ge0.
- by rewrite normrM normrX mulrC ler_wpmul2l ?exprn_ge0.
exact: is_cvg_series_exp_coeff.
Qed.
Lemma fact_diffs a : fact_bounded a -> fact_bounded (pseries_diffs a).
Proof.
move=> ha n; rewrite /pseries_diffs normrM ger0_norm ?ler0n //.
have -> : (n`!%:R)^-1 = n.+1%:R * ((n.+1)`!%:R)^-1 :> R.
  by rewrite factS natrM invfM mulrA mulfV ?mul1r ?pnatr_eq0.
by rewrite ler_wpmul2l ?ler0n.
Qed.
Lemma fact_derive a (x : R) : fact_bounded a ->
  is_derive x 1 (fun x : R => lim (pseries a x)) (lim (pseries (pseries_diffs a) x)).
Proof.
move=> ha; apply: (@pseries_snd_diffs _ _ (`|x| + 1)); do ?[exact: fact_cvg].
- by apply: fact_cvg; exact: fact_diffs.
- by apply: fact_cvg; do 2!apply: fact_diffs.
by rewrite [X in _ < X]ger0_norm ?addr_ge0 // ltr_addl.
Qed.

(** T(y) = sum_k (-y/2)^k / (k! (2k+1)) solves T(y) + 2 y T'(y) = exp(-y/2). *)
Definition tco (k : nat) : R := (-1) ^+ k / (2 ^ k * k`! * (2 * k + 1))%:R.
Definition T (y : R) : R := lim (pseries tco y).
Definition T' (y : R) : R := lim (pseries (pseries_diffs tco) y).

Lemma tco_bounded : fact_bounded tco.
Proof.
move=> n; rewrite /tco normrM normrX normrN normr1 expr1n mul1r.
have q0 : (0 < 2 ^ n * n`! * (2 * n + 1))%N by rewrite !muln_gt0 expn_gt0 fact_gt0 addn1.
rewrite ger0_norm ?invr_ge0 ?ler0n // lef_pinv ?posrE ?ltr0n ?fact_gt0 // ler_nat.
rewrite -[X in (X <= _)%N]muln1 -[X in (X * 1 <= _)%N]mul1n leq_mul //; last by rewrite addn1.
by rewrite leq_mul // expn_gt0.
Qed.

Lemma T_equation y : T y + 2%:R * y * T' y = expR (- (y / 2%:R)).
Proof.
have c1 : pseries tco y --> T y by exact: fact_cvg tco_bounded.
have c2 := pseries_diffs_equiv (fact_cvg (x := y) (fact_diffs tco_bounded)).
have c3 : (fun n => pseries tco y n + 2%:R * y * series (fun i => i%:R * tco i * y ^+ i.-1) n) --> T y + 2%:R * y * T' y.
  by apply: cvgD => //; apply: cvgM => //; exact: cvg_cst.
suff E : (fun n => pseries tco y n + 2%:R * y * series (fun i => i%:R * tco i * y ^+ i.-1) n) =
    series (exp_coeff (- (y / 2%:R))) by rewrite E in c3; exact: esym (cvg_lim _ c3).
apply/funext => n; rewrite /pseries /series /= mulr_sumr -big_split; apply: eq_bigr => i _ /=.
have e : 2%:R * y * (i%:R * tco i * y ^+ i.-1) = 2%:R * i%:R * tco i * y ^+ i.
  by case: i => [|i]; [rewrite !(mul0r, mulr0)|rewrite exprS /=; ring].
rewrite e -mulrDl -{1}[tco i]mul1r -mulrDl /exp_coeff /= exprNn expr_div_n /tco.
rewrite !natrM natrD natrM natrX.
have f0 : i`!%:R != 0 :> R by rewrite pnatr_eq0 -lt0n fact_gt0.
have g0 : 2%:R * i%:R + 1 != 0 :> R by rewrite -natrM -mulrSr pnatr_eq0.
have h0 : 2%:R ^+ i != 0 :> R by rewrite expf_neq0 ?pnatr_eq0.
move: f0 g0 h0; move: (i`!%:R) (i%:R) (2%:R ^+ i) ((-1) ^+ i) (y ^+ i) => f k p sg t f0 g0 h0.
by field; rewrite f0 g0 h0.
Qed.

Lemma collect (z u v : R) : z * (v * (2%:R * z)) + u * 1 = u + 2%:R * z ^+ 2 * v.
Proof. by ring. Qed.

(** S(z) = z T(z^2) is the integral of exp(-z^2/2) from 0. *)
Definition S (z : R) : R := z * T (z ^+ 2).
Lemma S_derive z : is_derive z 1 S (expR (- (z ^+ 2 / 2%:R))).
Proof.
have dT := fact_derive (z ^+ 2) tco_bounded.
have dq : is_derive z 1 (fun z : R => z ^+ 2 : R) (2%:R * z).
  have -> : (fun z : R => z ^+ 2 : R) = (id : R -> R) * id by apply/funext => x; rewrite expr2.
  apply: (is_derive_eq (is_deriveM (is_derive_id z 1) (is_derive_id z 1))).
  by rewrite /GRing.scale /= mulr1 mulr_natl mulr2n.
have dc : is_derive z 1 (T \o (fun z : R => z ^+ 2 : R)) (T' (z ^+ 2) * (2%:R * z)).
  exact: is_derive1_comp.
have -> : S = (id : R -> R) * (T \o (fun z : R => z ^+ 2 : R)) by [].
apply: (is_derive_eq (is_deriveM (is_derive_id z 1) dc)).
rewrite -T_equation; exact: collect.
Qed.
End Factorial.

(** The even part of GELU, as defined, is kappa z S(z). *)
Lemma psum_gco (R : realType) (z : R) : psum (@gco R) z = z * S z.
Proof.
have c : (pseries (@tco R) (z ^+ 2) : R^o^nat) --> (T (z ^+ 2) : R^o) by exact: fact_cvg (@tco_bounded R).
have half : (fun n => (uphalf n).-1) @ \oo --> \oo.
  move=> A [N _ hA]; exists (N.+1).*2 => // n /= hn; apply: hA => /=.
  rewrite -ltnS; apply: leq_trans (leqSpred _); rewrite uphalf_half.
  by apply: leq_trans (leq_addl _ _); rewrite -(doubleK N.+1) half_leq.
have d : (fun n => z ^+ 2 * pseries (@tco R) (z ^+ 2) (uphalf n).-1 : R^o) --> (z ^+ 2 * T (z ^+ 2) : R^o).
  by apply: cvgM; [exact: cvg_cst|apply: (cvg_comp half c)].
rewrite /psum /S mulrA -expr2 -(cvg_lim _ d) //; congr (lim _).
suff -> : series (fun k => gco R k * z ^+ k : R^o) = (fun n => z ^+ 2 * pseries (@tco R) (z ^+ 2) (uphalf n).-1 : R^o) by [].
apply/funext => n; rewrite /series /pseries /series /=.
elim: n => [|n IH]; first by rewrite !big_geq // mulr0.
rewrite big_nat_recr //= IH uphalf_half /gco.
have [on|en] := boolP (odd n); first by rewrite mul0r addr0.
have [->|n0] := eqVneq n 0%N; first by rewrite mul0r addr0.
rewrite add0n /=; have -> : z ^+ n = z ^+ 2 * (z ^+ 2) ^+ (n./2).-1.
  have h0 : (0 < n./2)%N by rewrite half_gt0; case: n en n0 {IH} => [|[|n]].
  have e : n = (2 * n./2)%N by rewrite mul2n -[LHS]odd_double_half (negbTE en).
  by rewrite -exprS prednK // -exprM -e.
have h0 : n./2 = (n./2).-1.+1 by rewrite prednK // half_gt0; case: n en n0 {IH} => [|[|n]].
rewrite [in RHS]h0 big_nat_recr //= mulrDr; congr (_ + _).
by rewrite /tco mulrCA.
Qed.

(** The density of the standard normal distribution. *)
Definition normal_density (R : realType) (z : R) : R := expR (- (z ^+ 2 / 2%:R)) / Num.sqrt (2%:R * trigo.pi).

(** GELU z = z Phi z, where Phi 0 = 1/2 and Phi' is the normal density. *)
Theorem gelu_normal (R : realType) : exists Phi : R -> R,
  [/\ Phi 0 = 2%:R^-1, forall z : R, is_derive z 1 Phi (normal_density z)
    & forall z : R, gelu_erf z = z * Phi z].
Proof.
pose ka : R := (Num.sqrt (2%:R * trigo.pi))^-1.
exists (fun z : R => 2%:R^-1 + ka * S z); split=> [|z|z].
- by rewrite /S mul0r mulr0 addr0.
- have -> : (fun z : R => 2%:R^-1 + ka * S z : R) = cst (2%:R^-1 : R) + ka *: (@S R) by [].
  apply: (is_derive_eq (is_deriveD (is_derive_cst _ _ _) (is_deriveZ ka (S_derive z)))).
  by rewrite add0r /normal_density [RHS]mulrC.
by rewrite /gelu_erf /gelu psum_gco -/ka; move: (S z) => b; field.
Qed.
