(** * Lemma 7 (lem:scales) for real-analytic functions

Analytic: near every point the sum of a power series.  An analytic function with finitely many
non-zero Taylor coefficients at 0 is a polynomial, so Lemma 7 applies to all others. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences exp.
From SkipAbsorption Require Import networks lemma7 gelu.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Analytic.
Variable R : realType.
Implicit Types (f g : R -> R) (a : nat -> R).

(** Near every x0, f is the sum of a power series; [pseries a h] are the partial sums of sum_n a_n h^n. *)
Definition analytic f := forall x0 : R, exists (a : nat -> R) (r : R), 0 < r /\
  forall h : R, `|h| < r -> pseries a h --> f (x0 + h).
Definition polynomial f := exists q : {poly R}, forall x, f x = q.[x].

Lemma taylor_local a f g (r : R) : 0 < r -> (forall t, 0 <= t -> t <= r -> f t = g t) ->
  taylor a f -> taylor a g.
Proof.
move=> r0 fg h n; have [K K0 [de de0 hd]] := h n; exists K => //.
exists (Num.min de r) => [|t t0]; first by rewrite lt_minr de0.
by rewrite le_minr => /andP[td tr]; rewrite -fg //; exact: hd.
Qed.

Lemma series_taylor a g (r : R) : 0 < r -> (forall h : R, 0 <= h -> h < r -> pseries a h --> g h) ->
  taylor a g.
Proof.
move=> r0 hg; have [s s0 sr] : exists2 s, 0 < s & s < r.
  by exists (r / 2%:R); rewrite ?divr_gt0 ?ltr0n // ltr_pdivr_mulr ?ltr0n // mulr_natr mulr2n ltr_addl.
have [C C0 hC] : exists2 C : R, 0 < C & forall n, `|a n * s ^+ n| <= C.
  have cv : cvg (pseries a s) by apply/cvg_ex; exists (g s); exact: hg (ltW s0) sr.
  have /pinfty_ex_gt0[C C0 hC] := cvg_series_bounded cv.
  by exists C => // n; apply: hC.
pose b n := C^-1 * (a n * s ^+ n).
have b1 n : `|b n| <= 1.
  by rewrite normrM gtr0_norm ?invr_gt0 // mulrC ler_pdivr_mulr // mul1r.
have sV : 0 <= s^-1 by rewrite invr_ge0 ltW.
have T := taylorZ C (taylor_dil sV (ps_taylor b1)).
have sn n : s ^+ n != 0 by rewrite expf_neq0 // gt_eqF.
have e : (fun n => C * (b n * s^-1 ^+ n)) =1 a.
  by move=> n /=; rewrite /b exprVn !mulrA mulfV ?gt_eqF // mul1r mulfK.
apply: (taylor_local s0 _ (taylor_ext e (frefl _) T)) => t t0 ts /=.
rewrite /psum.
have move_scale (w u v x : R) : u != 0 -> w * (v * u) * (u^-1 * x) = w * (v * x).
  by move=> u0; rewrite -!mulrA mulVKf.
have -> : series (fun k => b k * (s^-1 * t) ^+ k : R^o) = (fun n => C^-1 * pseries a t n).
  apply/funext => n; rewrite /pseries /series /= mulr_sumr; apply: eq_bigr => k _.
  by rewrite /b exprMn exprVn; exact: move_scale.
have L : (fun n => C^-1 * pseries a t n) @ \oo --> (C^-1 * g t).
  by apply: cvgM; [exact: cvg_cst|exact: hg t0 (le_lt_trans ts sr)].
by rewrite (cvg_lim _ L) // mulVKf ?gt_eqF.
Qed.

Lemma pseries_opp a (h : R) : pseries (fun n => a n * (-1) ^+ n) h = pseries a (- h).
Proof.
apply/funext => n; rewrite /pseries /series /=; apply: eq_bigr => k _.
by rewrite [(- h) ^+ k]exprNn mulrA.
Qed.

(** The expansion at x0 to the right and to the left; if all its coefficients are 0, so is f near x0. *)
Lemma expansion f x0 : analytic f -> exists a r, [/\ 0 < r, taylor a (fun h => f (x0 + h)),
  taylor (fun n => a n * (-1) ^+ n) (fun h => f (x0 - h)) &
  (forall n, a n = 0) -> forall h, `|h| < r -> f (x0 + h) = 0].
Proof.
move=> /(_ x0)[a [r [r0 hf]]]; exists a, r; split=> // [||a0 h hr].
- by apply: (series_taylor r0) => h h0 hr; apply: hf; rewrite ger0_norm.
- apply: (series_taylor r0) => h h0 hr; rewrite pseries_opp; apply: hf.
  by rewrite normrN ger0_norm.
have := hf h hr; have -> : pseries a h = fun=> 0.
  by apply/funext => n; rewrite /pseries /series /= big1 // => k _; rewrite a0 mul0r.
by move/cvg_lim => <- //; rewrite lim_cst.
Qed.

Lemma analytic_opp f : analytic f -> analytic (fun x => f (- x)).
Proof.
move=> af x0; have [a [r [r0 hf]]] := af (- x0); exists (fun n => a n * (-1) ^+ n), r; split=> // h hr.
by rewrite pseries_opp opprD; apply: hf; rewrite normrN.
Qed.

Lemma poly_series (p : {poly R}) (t : R) : pseries (fun n => p`_n) t --> p.[t].
Proof.
apply: cvg_near_cst; exists (size p) => // n /= pn.
by rewrite /pseries /series /= (horner_coef_wide _ pn) big_mkord.
Qed.

Lemma analytic_sub f (q : {poly R}) : analytic f -> analytic (fun x => f x - q.[x]).
Proof.
move=> af x0; have [a [r [r0 hf]]] := af x0; pose p := q \Po ('X + x0%:P).
exists (fun n => a n - p`_n), r; split=> // t tr.
have -> : pseries (fun n => a n - p`_n) t = (fun n => pseries a t n - pseries (fun n => p`_n) t n).
  by apply/funext => n; rewrite /pseries /series /= -sumrB; apply: eq_bigr => k _; rewrite mulrBl.
have -> : q.[x0 + t] = p.[t] by rewrite horner_comp hornerD hornerX hornerC addrC.
by apply: cvgB; [exact: hf|exact: poly_series].
Qed.

(** Zero to the right of 0, zero on the half line. *)
Lemma analytic_zero g (r : R) : analytic g -> 0 < r -> (forall x, 0 <= x -> x < r -> g x = 0) ->
  forall x, 0 <= x -> g x = 0.
Proof.
move=> ag r0 gr y y0; apply/eqP/negPn/negP => gy.
pose A := [set s : R | 0 <= s /\ forall x, 0 <= x -> x <= s -> g x = 0].
have A0 : A 0 by split=> // x x0 xle; apply: gr => //; exact: le_lt_trans xle r0.
have ub s : A s -> s <= y.
  by move=> [s0 hs]; rewrite leNgt; apply/negP => ys; move: gy; rewrite hs ?eqxx // ltW.
have hA : has_sup A by split; [exists 0|exists y => s /ub].
pose S := sup A; have Sle s : A s -> s <= S by exact: sup_upper_bound.
have below x : 0 <= x -> x < S -> g x = 0.
  move=> x0 xS; have e0 : 0 < S - x by rewrite subr_gt0.
  have [s [s0 hs]] := sup_adherent e0 hA; rewrite -/S opprB addrC subrK => xs.
  by apply: hs => //; exact: ltW.
have h0 : 0 < r / 2%:R by rewrite divr_gt0 ?ltr0n.
have S0 : 0 < S.
  apply: (lt_le_trans h0); apply: Sle; split=> [|x x0 xr]; first exact: (ltW h0).
  by apply: gr => //; apply: le_lt_trans xr _; rewrite ltr_pdivr_mulr ?ltr0n // mulr_natr mulr2n ltr_addl.
have [a [rho [rho0 _ T hz]]] := expansion S ag.
have a0 n : a n = 0.
  suff : a n * (-1) ^+ n = 0 by move/eqP; rewrite mulf_eq0 signr_eq0 orbF => /eqP.
  apply: (@taylor_uniq _ (fun n => a n * (-1) ^+ n) (fun h => if 0 < h then 0 else g S)).
    by move=> t ->.
  apply: (taylor_local S0 _ T) => h h1 hS; case: ltP => [h2|h2].
    by apply: below; rewrite ?subr_ge0 // ltr_subl_addl ltr_addr.
  by rewrite (@le_anti _ _ h 0) ?h1 ?h2 // subr0.
have d0 : 0 < rho / 2%:R by rewrite divr_gt0 ?ltr0n.
have : S + rho / 2%:R <= S; last by rewrite ger_addl leNgt d0.
apply: Sle; split=> [|x x0 xS]; first by rewrite addr_ge0 // ltW.
have [lt|le] := ltP x S; first exact: below.
rewrite -(subrK S x) addrC; apply: hz => //; rewrite ger0_norm ?subr_ge0 // ltr_subl_addl.
apply: le_lt_trans xS _; rewrite ltr_add2l ltr_pdivr_mulr ?ltr0n // mulr_natr mulr2n ltr_addl //.
Qed.

(** The Taylor coefficients at 0 of an analytic function that is no polynomial. *)
Lemma analytic_taylor f : analytic f -> ~ polynomial f ->
  exists2 a, taylor a f & forall n0, exists2 n, (n0 <= n)%N & a n != 0.
Proof.
move=> af np; have [a [r [r0 hf]]] := af 0.
have hf0 h : `|h| < r -> pseries a h --> f h by move=> /hf; rewrite add0r.
exists a; first by apply: (series_taylor r0) => h h0 hr; apply: hf0; rewrite ger0_norm.
move=> n0; apply: contrapT => none; apply: np; pose q := \poly_(i < n0) a i.
have aq n : a n = q`_n.
  rewrite coef_poly; case: ltnP => // le; apply/eqP/negPn/negP => an; apply: none; by exists n.
have near h : `|h| < r -> f h = q.[h].
  move=> hr; have L := @poly_series q h; have := hf0 h hr.
  have -> : pseries a h = pseries (fun n => q`_n) h by congr pseries; apply/funext.
  by move/cvg_lim => <- //; move/cvg_lim: L => <-.
exists q; pose g x := f x - q.[x]; have ag : analytic g := analytic_sub q af.
have gr x : `|x| < r -> g x = 0 by move=> /near e; rewrite /g e subrr.
have right x : 0 <= x -> g x = 0.
  by apply: (analytic_zero ag r0) => t t0 tr; apply: gr; rewrite ger0_norm.
have left x : 0 <= x -> g (- x) = 0.
  by apply: (analytic_zero (analytic_opp ag) r0) => t t0 tr; apply: gr; rewrite normrN ger0_norm.
move=> x; apply/eqP; rewrite -subr_eq0; apply/eqP.
have [x0|x0] := leP 0 x; first exact: right.
by rewrite -[x]opprK; apply: left; rewrite oppr_ge0 ltW.
Qed.
End Analytic.

(** Lemma 7 as the paper states it: psi analytic and not a polynomial, distinct positive scales. *)
Theorem lemma7_analytic (R : realType) (psi : R -> R) (I : finType) (c al : I -> R) (p : {poly R}) :
  analytic psi -> ~ polynomial psi -> (forall i, 0 < al i) -> injective al ->
  (forall t, \sum_i c i * psi (al i * t) = p.[t]) -> forall i, c i = 0.
Proof.
move=> ap np al0 ali e; have [a ta a0] := analytic_taylor ap np.
by apply: (lemma7 ta a0 al0 ali) => t _; exact: e.
Qed.

(** An instance: the exponential function. *)
Example lemma7_analytic_instance (R : realType) : analytic (@expR R) /\ ~ polynomial (@expR R).
Proof.
have ae : analytic (@expR R).
  move=> x0; exists (fun n => expR x0 * (n`!%:R)^-1), 1; split=> // h _; rewrite expRD.
  have -> : pseries (fun n => expR x0 * (n`!%:R)^-1) h = (fun n => expR x0 * series (exp_coeff h) n).
    apply/funext => n; rewrite /pseries /series /= mulr_sumr; apply: eq_bigr => k _.
    by rewrite /exp_coeff /= -mulrA [_^-1 * _]mulrC.
  apply: cvgM; first exact: cvg_cst.
  exact: is_cvg_series_exp_coeff.
split=> // -[q hq]; have [a [r [r0 hf]]] := ae 0.
pose b n : R := (n`!%:R)^-1.
have Te : taylor b (@expR R).
  apply: (@series_taylor _ b _ 1) => // h _ _.
  have -> : pseries b h = series (exp_coeff h).
    by apply/funext => n; rewrite /pseries /series /=; apply: eq_bigr => k _; rewrite /exp_coeff /= mulrC.
  exact: is_cvg_series_exp_coeff.
have T := taylorD Te (taylorZ (-1) (taylor_poly q)).
have z t : 0 < t -> expR t + -1 * q.[t] = 0 by rewrite hq mulN1r subrr.
have := taylor_uniq z T (size q); rewrite nth_default // mulr0 addr0 => /eqP.
by rewrite invr_eq0 pnatr_eq0 -leqn0 leqNgt fact_gt0.
Qed.
