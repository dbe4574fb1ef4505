(** * D8 (ext:d8): two blocks can be as close as wished and yet be different functions *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp trigo.
From mathcomp Require Import ring.
From SkipAbsorption Require Import networks prop2_gated theorem4_activations x1_examples.
From SkipAbsorption Require Import silu_tanh_gelu gelu gelu_normal x1b_activations.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Growth.
Variable R : realType.
Lemma lsig_le (p : R -> R) z : `|lsig p z| <= `|z|.
Proof.
rewrite /lsig normrM normfV (gtr0_norm (den_gt0 _)) ler_pdivr_mulr ?den_gt0 //.
by rewrite ler_pemulr // ler_addl ltW ?expR_gt0.
Qed.
Lemma activation_growth (s : R -> R) : activation s -> exists2 C, 0 < C & forall z, `|s z| <= C * `|z|.
Proof.
case=> [|_ [||]]; last 2 first.
- by exists 1 => // z; rewrite mul1r; exact: lsig_le.
- by exists 1 => // z; rewrite mul1r; exact: lsig_le.
- exists 1 => // z; rewrite mul1r /relu; have [z0|z0] := leP z 0; first by rewrite normr0.
  by rewrite lexx.
pose k : R := (Num.sqrt (2%:R * trigo.pi))^-1; have k0 : 0 <= k by rewrite invr_ge0 sqrtr_ge0.
have odd z : S (- z) = - S z :> R by rewrite /S sqrrN mulNr.
have S0 z : 0 <= z -> 0 <= S z :> R by move=> /S_up; rewrite {1}/S mul0r.
have le z : `|S z| <= expR (2%:R^-1) :> R.
  have [z0|z0] := leP 0 z; first by rewrite ger0_norm ?S0 // S_le.
  by rewrite -[z]opprK odd normrN ger0_norm ?S_le // S0 // oppr_ge0 ltW.
exists (1 + k * expR (2%:R^-1)) => [|z]; first by rewrite ltr_spaddl ?ltr01 // mulr_ge0 // ltW // expR_gt0.
have -> : gelu_erf z = z * (2%:R^-1 + k * S z) by rewrite /gelu_erf /gelu psum_gco -/k; ring.
rewrite normrM mulrC ler_wpmul2r //; apply: le_trans (ler_norm_add _ _) _; apply: ler_add.
  by rewrite ger0_norm ?invr_ge0 ?ler0n // invf_le1 ?ltr0n // ler1n.
by rewrite normrM (ger0_norm k0) ler_wpmul2l.
Qed.
End Growth.

(** For every radius and every e > 0: a residual block and a block without skip of the same width that
    differ by at most e wherever |x_i| <= rad, though no block without skip of this width equals the first. *)
Theorem d8_close (R : realType) (s : R -> R) (d' : nat) (rad e : R) : let d := d'.+1 in
  activation s -> 0 < rad -> 0 < e ->
  exists D U D' U' : 'M[R]_d, (forall x, box rad x -> box e (mlp s D U x + x - mlp s D' U' x)) /\
    ~ exists (V : 'M_d) (W : 'M_d), forall x, mlp s D U x + x = mlp s V W x.
Proof.
move=> d hs r0 e0; have [C C0 hC] := activation_growth hs.
pose de := Num.min (2%:R^-1) (e / (C * rad)); have Cr : 0 < C * rad by rewrite mulr_gt0.
have de0 : 0 < de by rewrite lt_minr invr_gt0 ltr0n divr_gt0.
have de1 : de < 1.
  by apply: le_lt_trans (_ : 2%:R^-1 < 1); rewrite ?le_minl ?lexx // invf_lt1 ?ltr0n // ltr1n.
have dee : de * (C * rad) <= e by rewrite -ler_pdivl_mulr // le_minl lexx orbT.
pose a : 'rV[R]_d := \row_i (if i == 0 then de - 1 else - 1).
exists (diag_mx a), 1%:M, (- 1%:M), (- 1%:M); split=> [x bx i|].
  have -> : (mlp s (diag_mx a) 1%:M x + x - mlp s (- 1%:M) (- 1%:M) x) i 0 = (a 0 i + 1) * s (x i 0).
    rewrite /mlp mulNmx !mul1mx mulNmx mul1mx opprK mul_diag_mx !mxE.
    move: (x i 0) => y; have -> : s (- y) = s y - y.
      by have := activation_odd hs y; move: (s y) (s (- y)) => u v <-; rewrite opprB addrC subrK.
    by case: (i == 0); ring.
  rewrite mxE; case: (i == 0); last by rewrite addNr mul0r normr0 ltW.
  rewrite subrK normrM (gtr0_norm de0); apply: le_trans dee; rewrite ler_wpmul2l ?(ltW de0) //.
  by apply: le_trans (hC _) _; rewrite ler_wpmul2l ?(ltW C0).
have a0 i : a 0 i != 0.
  by rewrite mxE; case: ifP => _; rewrite ?oppr_eq0 ?oner_eq0 // subr_eq0 lt_eqF.
case=> V [W hV]; have [|S] := (thm4 1%:M hs (generic_diag a0)).1.
  by exists V, W => x; rewrite mul1mx.
rewrite part_diag => /matrixP/(_ 0 0)/eqP; rewrite !mxE eqxx !mulr1n; case: ifP => _.
  by rewrite subr_eq addNr gt_eqF.
by rewrite eq_sym oppr_eq0 oner_eq0.
Qed.
