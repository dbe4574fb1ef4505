(** * SiLU and the tanh form of GELU satisfy what Theorem 4 asks of an activation

Both are z / (1 + exp(-p(z))) with p odd and superlinear. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp ring.
From SkipAbsorption Require Import networks theorem4_smooth dominance.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** sigma z = z / (1 + exp(- p z)): SiLU for p = id, GPT-2's tanh-GELU for
    p z = 2 sqrt(2/pi) (z + 0.044715 z^3). *)
Section Logistic.
Variables (R : realType) (p : R -> R) (ka : R).
Hypotheses (podd : forall z, p (- z) = - p z) (ka0 : 0 < ka).
Hypothesis plow : forall t, 0 < t -> ka * t <= p t.
Hypothesis pscale : forall b t, 1 <= b -> 0 < t -> b * p t <= p (b * t).
Definition lsig (z : R) := z / (1 + expR (- p z)).
Definition lrest (t : R) := 2%:R * t / (1 + expR (p t)).

Lemma den_gt0 (x : R) : 0 < 1 + expR x. Proof. by rewrite addr_gt0 ?expR_gt0 ?ltr01. Qed.
Lemma lsig_odd z : lsig z - lsig (- z) = z.
Proof.
rewrite /lsig podd opprK expRN.
have h : expR (p z) != 0 by rewrite gt_eqF ?expR_gt0.
have h1 : 1 + expR (p z) != 0 by rewrite gt_eqF ?den_gt0.
by field; rewrite h1 h.
Qed.
Lemma lsig_even t : 0 < t -> lsig t + lsig (- t) = t - lrest t.
Proof.
move=> _; rewrite /lsig /lrest podd opprK expRN.
have h : expR (p t) != 0 by rewrite gt_eqF ?expR_gt0.
have h1 : 1 + expR (p t) != 0 by rewrite gt_eqF ?den_gt0.
by field; rewrite h1 h.
Qed.
Lemma lrest_gt0 t : 0 < t -> 0 < lrest t.
Proof. by move=> t0; rewrite /lrest divr_gt0 ?den_gt0 ?mulr_gt0 ?ltr0n. Qed.

Lemma exp_sq (x : R) : 0 <= x -> x ^+ 2 <= expR (2%:R * x).
Proof.
move=> x0; rewrite expRMm ler_expn2r ?nnegrE ?(ltW (expR_gt0 _)) //.
by apply: le_trans (expR_ge1Dx x0); rewrite ler_addr ler01.
Qed.

Lemma lrest_lim e : 0 < e -> exists2 T, 0 < T & forall t, T <= t -> lrest t <= e.
Proof.
move=> e0; pose T := 8%:R / (e * ka ^+ 2); exists T => [|t Tt].
  by rewrite divr_gt0 ?ltr0n // mulr_gt0 ?exprn_gt0.
have T0 : 0 < T by rewrite divr_gt0 ?ltr0n // mulr_gt0 ?exprn_gt0.
have t0 := lt_le_trans T0 Tt.
rewrite /lrest ler_pdivr_mulr ?den_gt0 //.
have hx : 0 <= ka * t / 2%:R by rewrite divr_ge0 ?ler0n ?mulr_ge0 ?(ltW t0) ?(ltW ka0).
have h1 := exp_sq hx; have E : 2%:R * (ka * t / 2%:R) = ka * t by field.
rewrite E in h1; have h2 : expR (ka * t) <= expR (p t) by rewrite ler_expR plow.
apply: (@le_trans _ _ (e * (ka * t / 2%:R) ^+ 2)); last first.
  by rewrite ler_pmul2l //; apply: le_trans (le_trans h1 h2) _; rewrite ler_addr ler01.
have -> : e * (ka * t / 2%:R) ^+ 2 = (t * (e * ka ^+ 2) / 4%:R) * t by field.
rewrite ler_wpmul2r ?(ltW t0) // ler_pdivl_mulr ?ltr0n // -natrM.
by rewrite -ler_pdivr_mulr // mulr_gt0 ?exprn_gt0.
Qed.

Lemma lrest_dom b e : 1 < b -> 0 < e -> exists2 T, 0 < T & forall t, T <= t -> lrest (b * t) <= e * lrest t.
Proof.
move=> b1 e0; have b0 : 0 < b := lt_trans ltr01 b1; have c0 : 0 < b - 1 by rewrite subr_gt0.
pose T := 2%:R * b / (e * (b - 1) * ka).
have K0 : 0 < e * (b - 1) * ka by rewrite !mulr_gt0.
have T0 : 0 < T by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
exists T => // t Tt; have t0 := lt_le_trans T0 Tt; rewrite /lrest.
have pt0 : 0 < p t by apply: lt_le_trans (plow t0); rewrite mulr_gt0.
rewrite [e * (_ / _)]mulrA ler_pdivr_mulr ?den_gt0 // [_ * (1 + _)]mulrAC ler_pdivl_mulr ?den_gt0 //.
have -> : 2%:R * (b * t) * (1 + expR (p t)) = 2%:R * t * (b * (1 + expR (p t))) by ring.
have -> : e * (2%:R * t) * (1 + expR (p (b * t))) = 2%:R * t * (e * (1 + expR (p (b * t)))) by ring.
rewrite ler_pmul2l ?mulr_gt0 ?ltr0n //.
have h1 : 1 <= expR (p t) by apply: le_trans (expR_ge1Dx (ltW pt0)); rewrite ler_addl ltW.
have h2 : expR (p t) * ((b - 1) * (ka * t)) <= expR (p (b * t)).
  apply: (@le_trans _ _ (expR (p t) * expR ((b - 1) * p t))); last first.
    rewrite -expRD -[X in expR (X + _)]mul1r -mulrDl addrC subrK ler_expR.
    by rewrite pscale ?(ltW b1).
  rewrite ler_pmul2l ?expR_gt0 //; apply: (@le_trans _ _ ((b - 1) * p t)).
    by rewrite ler_pmul2l ?plow.
  apply: le_trans (expR_ge1Dx _); first by rewrite ler_addr ler01.
  by rewrite mulr_ge0 ?(ltW c0) ?(ltW pt0).
apply: (@le_trans _ _ (2%:R * b * expR (p t))).
  rewrite mulrC mulrDl mul1r [2%:R * b]mulr_natl mulr2n mulrDl [_ * b]mulrC ler_add2r.
  by rewrite ler_pmulr.
apply: (@le_trans _ _ (e * expR (p (b * t)))); last by rewrite ler_pmul2l // ler_addr ler01.
apply: le_trans (_ : e * (expR (p t) * ((b - 1) * (ka * t))) <= _); last by rewrite ler_pmul2l.
have -> : e * (expR (p t) * ((b - 1) * (ka * t))) = t * (e * (b - 1) * ka) * expR (p t) by ring.
by rewrite ler_pmul2r ?expR_gt0 // -ler_pdivr_mulr.
Qed.

Lemma lsig_si : scale_indep (fun z => lsig z + lsig (- z)).
Proof. exact: (dominance lsig_even lrest_gt0 lrest_lim lrest_dom). Qed.
End Logistic.

Section Instances.
Variable R : realType.
Definition silu (z : R) := lsig id z.
Lemma silu_odd z : silu z - silu (- z) = z. Proof. exact: lsig_odd. Qed.
Lemma silu_si : scale_indep (fun z => silu z + silu (- z)).
Proof. by apply: (@lsig_si R id 1) => // *; rewrite ?mul1r ?ltr01. Qed.

(** c1 = 2 sqrt(2/pi), c3 = 0.044715 c1: any positive c1, nonnegative c3 *)
Variables c1 c3 : R.
Hypotheses (c10 : 0 < c1) (c30 : 0 <= c3).
Definition tgelu (z : R) := lsig (fun z => c1 * z + c3 * z ^+ 3) z.
Let podd z : c1 * - z + c3 * (- z) ^+ 3 = - (c1 * z + c3 * z ^+ 3). Proof. by ring. Qed.
Lemma tgelu_odd z : tgelu z - tgelu (- z) = z. Proof. exact: lsig_odd. Qed.
Lemma tgelu_si : scale_indep (fun z => tgelu z + tgelu (- z)).
Proof.
apply: (@lsig_si R _ c1) => // [t t0|b t b1 t0].
  by rewrite ler_addl mulr_ge0 // exprn_ge0 // ltW.
have -> : c1 * (b * t) + c3 * (b * t) ^+ 3 = b * (c1 * t) + b ^+ 3 * (c3 * t ^+ 3) by ring.
rewrite mulrDr ler_add2l ler_wpmul2r ?mulr_ge0 ?exprn_ge0 ?(ltW t0) //.
by rewrite -[X in X <= _]expr1 ler_weexpn2l.
Qed.
End Instances.
