(** * GELU satisfies what Theorem 4 asks of an activation

GELU is defined here by the power series of the error function:
z/2 + kappa * sum_k (-1)^k z^(2k+2) / (2^k k! (2k+1)), where kappa = 1/sqrt(2 pi); the
theorems hold for every non-zero kappa. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences.
From mathcomp Require Import ring.
From SkipAbsorption Require Import networks theorem4_smooth lemma7.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** Power series with bounded coefficients have their coefficients as Taylor expansion. *)
Section PS.
Variables (R : realType) (a : nat -> R).
Hypothesis a1 : forall n, `|a n| <= 1.
Definition psum (t : R) : R := lim (series (fun k => a k * t ^+ k : R^o)).

Lemma geo2 (t : R) n : 0 <= t -> t <= 2%:R^-1 -> \sum_(k < n) t ^+ k <= 2%:R.
Proof.
move=> t0 th; have h : 2%:R^-1 <= 1 - t.
  by rewrite ler_subr_addr -ler_subr_addl; have -> : 1 - 2%:R^-1 = 2%:R^-1 :> R by field.
have p0 : 0 < 1 - t by apply: lt_le_trans h; rewrite invr_gt0 ltr0n.
rewrite -(ler_pmul2l p0); apply: (@le_trans _ _ 1).
  by rewrite -opprB mulNr -subrX1 opprB ler_subl_addr ler_addl exprn_ge0.
by rewrite -ler_pdivr_mulr ?ltr0n // mul1r.
Qed.
Lemma ps_cvg (t : R) : 0 <= t -> t <= 2%:R^-1 -> cvg (series (fun k => a k * t ^+ k : R^o)).
Proof.
move=> t0 th; apply: normed_cvg.
apply: (@series_le_cvg _ _ (geometric 1 2%:R^-1)) => [n|n|n|] /=.
- exact: normr_ge0.
- by rewrite mul1r exprn_ge0 // invr_ge0 ler0n.
- rewrite normrM mul1r -[X in _ <= X]mul1r ler_pmul // ger0_norm ?exprn_ge0 //.
  by rewrite ler_expn2r ?nnegrE ?invr_ge0 ?ler0n.
apply: is_cvg_geometric_series; rewrite ger0_norm ?invr_ge0 ?ler0n //.
by rewrite invf_lt1 ?ltr0n // ltr1n.
Qed.
Lemma ps_taylor : taylor a psum.
Proof.
move=> n; exists 2%:R; first exact: ler0n.
exists 2%:R^-1 => [|t t0 th]; first by rewrite invr_gt0 ltr0n.
pose u := series (fun k => a k * t ^+ k : R^o); pose S := \sum_(k < n) a k * t ^+ k.
have cu : cvg u := ps_cvg t0 th.
have b m : (n <= m)%N -> `|u m - S| <= 2%:R * t ^+ n.
  move=> nm; rewrite /u /series /= big_mkord /S -!(big_mkord xpredT (fun k => a k * t ^+ k)).
  rewrite (@big_cat_nat _ _ _ n) //= addrAC subrr add0r.
  rewrite -{1}[n]add0n big_addn big_mkord; apply: le_trans (ler_norm_sum _ _ _) _.
  apply: (@le_trans _ _ (\sum_(k < m - n) t ^+ k * t ^+ n)).
    apply: ler_sum => k _; rewrite normrM -exprD -[X in _ <= X]mul1r ler_pmul //.
    by rewrite ger0_norm ?exprn_ge0.
  by rewrite -mulr_suml ler_wpmul2r ?exprn_ge0 // geo2.
have h : (fun m => u m - S : R^o) @ \oo --> (psum t - S : R^o).
  by apply: cvgB => //; exact: cvg_cst.
by apply: (cvgr_to_le (cvg_norm h)); exists n => // m /= nm; exact: b.
Qed.
End PS.

Section Gelu.
Variable R : realType.
(** E z = kappa * sum (-1)^k z^(2k+2) / (2^k k! (2k+1)), kappa = 1/sqrt(2 pi) *)
Definition gco (n : nat) : R :=
  if odd n || (n == 0%N) then 0 else
  let k := n./2.-1 in (-1) ^+ k / (2 ^ k * k`! * (2 * k + 1))%:R.
Variable kappa : R.
Hypothesis kappa0 : kappa != 0.
Definition gelu (z : R) : R := z / 2%:R + kappa * psum gco z.

Lemma gco_le1 n : `|gco n| <= 1.
Proof.
rewrite /gco; case: ifP => _; first by rewrite normr0 ler01.
set q := (2 ^ _ * _ * _)%N; have q0 : (0 < q)%N by rewrite !muln_gt0 expn_gt0 fact_gt0 addn1.
rewrite normrM normrX normrN normr1 expr1n mul1r ger0_norm ?invr_ge0 ?ler0n //.
by rewrite invf_le1 ?ltr0n // ler1n.
Qed.
Lemma gco_inf n0 : exists2 n, (n0 <= n)%N & gco n != 0.
Proof.
exists (n0.+1.*2); first by rewrite -addnn (leq_trans (leqnSn _)) // leq_addr.
rewrite /gco odd_double /= doubleK /= mulf_neq0 ?signr_eq0 // invr_eq0 pnatr_eq0 -lt0n.
by rewrite !muln_gt0 expn_gt0 fact_gt0 addn1.
Qed.
Lemma psum_even z : psum gco (- z) = psum gco z.
Proof.
rewrite /psum; suff -> : (fun k => gco k * (- z) ^+ k : R^o) = (fun k => gco k * z ^+ k) by [].
apply/funext => k.
rewrite exprNn -signr_odd /gco; case: (odd k) => /=; first by rewrite !mul0r.
by rewrite expr0 mul1r.
Qed.
Lemma gelu_odd z : gelu z - gelu (- z) = z.
Proof. by rewrite /gelu psum_even; field. Qed.
Lemma gelu_si : scale_indep (fun z => gelu z + gelu (- z)).
Proof.
apply: (@taylor_si _ _ (fun n => 2%:R * kappa * gco n)).
  apply: taylor_ext (taylorZ (2%:R * kappa) (ps_taylor gco_le1)) => // z.
  by rewrite /gelu psum_even; field.
by move=> n0; have [n h g] := gco_inf n0; exists n => //; rewrite !mulf_neq0 // pnatr_eq0.
Qed.
End Gelu.

(** An instance of the hypotheses of Lemma 7: the even part of GELU. *)
Example lemma7_instance (R : realType) : taylor (@gco R) (psum (@gco R)) /\
  forall n0, exists2 n, (n0 <= n)%N & gco R n != 0.
Proof. by split; [exact: ps_taylor (@gco_le1 R)|exact: gco_inf]. Qed.
