(** * X3 (ext:distance): the equations for c_k have a root

c^(k-1) (1 + c) = (k-1)^(k-1) k^(-k) for k > 1, and c^(1-k) = (1 - c) (1-k)^(1-k) k^k with
0 < c < 1 for 0 < k < 1, by the intermediate value theorem in ln c. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets reals ereal signed topology normedtype.
From mathcomp Require Import sequences derive realfun exp.
From SkipAbsorption Require Import networks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory numFieldNormedType.Exports.
Local Open Scope ring_scope.

Section Root.
Variable R : realType.
Implicit Types k c : R.

Lemma exp_fun_expR (y k : R) : exp_fun (expR y) k = expR (k * y).
Proof. by rewrite /exp_fun expK. Qed.
Lemma continuous_scale (a : R) : continuous (fun y : R => expR (a * y) : R).
Proof. by move=> y; apply: continuous_comp; [exact: mulrl_continuous|exact: continuous_expR]. Qed.

(** The equations for c_k have a root. *)
Theorem x3_root_above k : 1 < k -> exists2 c, 0 < c &
  exp_fun c (k - 1) * (1 + c) = exp_fun (k - 1) (k - 1) / exp_fun k k.
Proof.
move=> k1; have h0 : 0 < k - 1 by rewrite subr_gt0.
set K := _ / _; have K0 : 0 < K by rewrite divr_gt0 ?exp_fun_gt0.
pose h (y : R) : R := expR ((k - 1) * y) * (1 + expR (1 * y)).
pose y1 := ln K / (k - 1); pose y0 := Num.min 0 (ln (K / 2%:R) / (k - 1)).
have K2 : 0 < K / 2%:R by rewrite divr_gt0 ?ltr0n.
have hy1 : K <= h y1.
  rewrite /h /y1 mulrCA divff ?gt_eqF // mulr1 lnK ?posrE //.
  by rewrite -[X in X <= _]mulr1 ler_pmul2l // ler_addl ltW // expR_gt0.
have hy0 : h y0 <= K.
  have e1 : expR ((k - 1) * y0) <= K / 2%:R.
    rewrite -[X in _ <= X](lnK (x := K / 2%:R)) ?posrE // ler_expR mulrC -ler_pdivl_mulr //.
    by rewrite le_minl lexx orbT.
  have e2 : 1 + expR (1 * y0) <= 2%:R.
    by rewrite mulr2n ler_add2l mul1r -expR0 ler_expR le_minl lexx.
  rewrite -[X in _ <= X](divfK (_ : 2%:R != 0)) ?pnatr_eq0 //.
  by apply: ler_pmul => //; rewrite ?addr_ge0 ?ler01 ?(ltW (expR_gt0 _)).
have le : y0 <= y1.
  rewrite le_minl; apply/orP; right; rewrite ler_pmul2r ?invr_gt0 // ler_ln ?posrE //.
  by rewrite ler_pdivr_mulr ?ltr0n // ler_pmulr // ler1n.
have cont : {within `[y0, y1], continuous h}.
  apply: continuous_subspaceT => y; apply: cvgM; first exact: continuous_scale.
  by apply: cvgD; [exact: cvg_cst|exact: continuous_scale].
have [|y _ e] := IVT le cont (v := K).
  by rewrite le_minl hy0 /= le_maxr hy1 orbT.
exists (expR y); first exact: expR_gt0.
by rewrite exp_fun_expR -e /h mul1r.
Qed.

Theorem x3_root_below k : 0 < k -> k < 1 -> exists c, [/\ 0 < c, c < 1 &
  exp_fun c (1 - k) = (1 - c) * exp_fun (1 - k) (1 - k) * exp_fun k k].
Proof.
move=> k0 k1; have h0 : 0 < 1 - k by rewrite subr_gt0.
pose K := exp_fun (1 - k) (1 - k) * exp_fun k k; have K0 : 0 < K by rewrite mulr_gt0 ?exp_fun_gt0.
pose h (y : R) : R := expR ((1 - k) * y) + K * expR (1 * y).
have K2 : 0 < K / 2%:R by rewrite divr_gt0 ?ltr0n.
have two : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
pose y0 := Num.min 0 (Num.min (ln (K / 2%:R) / (1 - k)) (ln 2%:R^-1)).
have hy1 : K < h 0 by rewrite /h !mulr0 expR0 mulr1 ltr_addr ltr01.
have hy0 : h y0 <= K.
  have e1 : expR ((1 - k) * y0) <= K / 2%:R.
    rewrite -[X in _ <= X](lnK (x := K / 2%:R)) ?posrE // ler_expR mulrC -ler_pdivl_mulr //.
    by rewrite !le_minl lexx !orbT.
  have e2 : K * expR (1 * y0) <= K / 2%:R.
    rewrite ler_pmul2l // mul1r -[X in _ <= X]lnK ?posrE // ler_expR.
    by rewrite !le_minl lexx !orbT.
  by apply: le_trans (ler_add e1 e2) _; rewrite -splitr.
have le : y0 <= 0 by rewrite le_minl lexx.
have cont : {within `[y0, 0], continuous h}.
  apply: continuous_subspaceT => y; apply: cvgD; first exact: continuous_scale.
  by apply: cvgM; [exact: cvg_cst|exact: continuous_scale].
have [|y] := IVT le cont (v := K).
  by rewrite le_minl hy0 /= le_maxr (ltW hy1) orbT.
rewrite in_itv /= => /andP[_ y1] e; exists (expR y); split; first exact: expR_gt0.
  rewrite -[X in _ < X]expR0 ltr_expR lt_neqAle y1 andbT; apply: contraTneq hy1 => y00.
  by rewrite -e y00 ltxx.
rewrite exp_fun_expR -mulrA -/K [(1 - expR y) * K]mulrBl mul1r; apply: (addIr (expR y * K)).
by rewrite subrK -[RHS]e /h mul1r [K * _]mulrC.
Qed.
End Root.
