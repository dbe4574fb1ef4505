(** * Lemma 7 (lem:scales): scales are independent

The function need not be analytic: a Taylor expansion at 0 from the right, with infinitely
many non-zero coefficients, suffices. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From SkipAbsorption Require Import networks lemma6 theorem4_smooth.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Lemma7.
Variable R : archiFieldType.
Implicit Types (a : nat -> R) (f : R -> R).

Definition taylor a f := forall n, exists2 K, 0 <= K & exists2 de, 0 < de &
  forall t, 0 <= t -> t <= de -> `|f t - \sum_(k < n) a k * t ^+ k| <= K * t ^+ n.

Lemma taylor_ext a b f g : a =1 b -> f =1 g -> taylor a f -> taylor b g.
Proof.
move=> e1 e2 h n; have [K K0 [de de0 hd]] := h n; exists K => //; exists de => // t t0 td.
rewrite -e2 (eq_bigr (fun k : 'I_n => a k * t ^+ k)); [exact: hd|by move=> k _; rewrite e1].
Qed.
Lemma taylor0 : taylor (fun _ => 0) (fun _ => 0).
Proof.
move=> n; exists 0 => //; exists 1 => // t _ _; rewrite big1 ?subrr ?normr0 ?mul0r // => k _.
by rewrite mul0r.
Qed.
Lemma taylorD a b f g : taylor a f -> taylor b g -> taylor (fun n => a n + b n) (fun t => f t + g t).
Proof.
move=> ha hb n; have [K K0 [de de0 hd]] := ha n; have [K' K'0 [de' de'0 hd']] := hb n.
exists (K + K'); first exact: addr_ge0.
exists (Num.min de de') => [|t t0]; first by rewrite lt_minr de0.
rewrite le_minr => /andP[h1 h2].
rewrite (eq_bigr (fun k : 'I_n => a k * t ^+ k + b k * t ^+ k)); last by move=> k _; rewrite mulrDl.
rewrite big_split /= opprD addrACA mulrDl; apply: le_trans (ler_norm_add _ _) _.
by rewrite ler_add ?hd ?hd'.
Qed.
Lemma taylorZ c a f : taylor a f -> taylor (fun n => c * a n) (fun t => c * f t).
Proof.
move=> ha n; have [K K0 [de de0 hd]] := ha n; exists (`|c| * K); first exact: mulr_ge0.
exists de => // t t0 td.
rewrite (eq_bigr (fun k : 'I_n => c * (a k * t ^+ k))); last by move=> k _; rewrite mulrA.
by rewrite -mulr_sumr -mulrBr normrM -mulrA ler_wpmul2l // hd.
Qed.
Lemma taylor_dil al a f : 0 <= al -> taylor a f -> taylor (fun n => a n * al ^+ n) (fun t => f (al * t)).
Proof.
move=> al0 ha n; have [K K0 [de de0 hd]] := ha n; exists (K * al ^+ n).
  by rewrite mulr_ge0 ?exprn_ge0.
have k0 : 0 < 1 + al by apply: (lt_le_trans ltr01); rewrite ler_addl.
exists (de / (1 + al)) => [|t t0 td]; first by rewrite divr_gt0.
rewrite (eq_bigr (fun k : 'I_n => a k * (al * t) ^+ k)); last by move=> k _; rewrite exprMn mulrA.
rewrite -mulrA -exprMn; apply: hd; first exact: mulr_ge0.
apply: (@le_trans _ _ ((1 + al) * t)); first by rewrite ler_wpmul2r // ler_addr ler01.
by rewrite mulrC -ler_pdivl_mulr.
Qed.
Lemma taylor_sum (I : finType) (A : I -> nat -> R) (F : I -> R -> R) :
  (forall i, taylor (A i) (F i)) -> taylor (fun n => \sum_i A i n) (fun t => \sum_i F i t).
Proof.
move=> h; elim: (index_enum I) => [|i s IH].
  by apply: taylor_ext taylor0 => x; rewrite big_nil.
by apply: taylor_ext (taylorD (h i) IH) => x; rewrite big_cons.
Qed.
Lemma taylor_mono c i : taylor (fun n => if n == i then c else 0) (fun t => c * t ^+ i).
Proof.
move=> n; exists `|c| => //; exists 1 => // t t0 t1.
have [lt|le] := ltnP i n.
  rewrite (bigD1 (Ordinal lt)) //= eqxx big1 ?addr0 ?subrr ?normr0 ?mulr_ge0 ?exprn_ge0 // => k ne.
  by rewrite ifN ?mul0r //; apply: contra ne => /eqP e; apply/eqP/val_inj.
rewrite big1 ?subr0 => [|k _]; last by rewrite ltn_eqF ?mul0r // (leq_trans (ltn_ord k)).
by rewrite normrM ler_wpmul2l // ger0_norm ?exprn_ge0 // ler_wiexpn2l.
Qed.
Lemma taylor_poly (p : {poly R}) : taylor (fun n => p`_n) (horner p).
Proof.
apply: taylor_ext (taylor_sum (fun i : 'I_(size p) => taylor_mono p`_i i)) => [n|t]; last first.
  by rewrite horner_coef.
have [lt|le] := ltnP n (size p); last first.
  by rewrite big1 ?nth_default // => i _; rewrite gtn_eqF // (leq_trans (ltn_ord i)).
rewrite (bigD1 (Ordinal lt)) //= eqxx big1 ?addr0 // => k ne.
by rewrite ifN //; apply: contra ne => /eqP e; apply/eqP/val_inj.
Qed.
Lemma taylor_uniq a f : (forall t, 0 < t -> f t = 0) -> taylor a f -> forall n, a n = 0.
Proof.
move=> f0 h n; elim/ltn_ind: n => n IH.
have [K K0 [de de0 hd]] := h n.+1; apply/eqP; rewrite -normr_eq0 eq_le normr_ge0 andbT.
apply/ler_addgt0Pl => e e0; rewrite addr0.
have k0 : 0 < 1 + K by apply: (lt_le_trans ltr01); rewrite ler_addl.
pose t := Num.min de (e / (1 + K)); have t0 : 0 < t by rewrite lt_minr de0 divr_gt0.
have td : t <= de by rewrite le_minl lexx.
have te : t * (1 + K) <= e by rewrite -ler_pdivl_mulr // le_minl lexx orbT.
have := hd t (ltW t0) td; rewrite f0 // sub0r normrN big_ord_recr /= big1 ?add0r => [|k _]; last first.
  by rewrite IH ?mul0r.
rewrite normrM (ger0_norm (exprn_ge0 _ (ltW t0))) exprS mulrA ler_pmul2r ?exprn_gt0 // => /le_trans.
by apply; apply: le_trans te; rewrite [t * _]mulrC ler_wpmul2r ?(ltW t0) // ler_addr ler01.
Qed.

Lemma pow_bern (q : R) n : 0 <= q -> q <= 1 -> q ^+ n * (1 + n%:R * (1 - q)) <= 1.
Proof.
move=> q0 q1; elim: n => [|n IH]; first by rewrite expr0 mul0r addr0 mulr1.
apply: le_trans IH; rewrite exprSr -mulrA ler_wpmul2l ?exprn_ge0 // mulrDr mulr1.
have e : 1 + n%:R * (1 - q) = q + n.+1%:R * (1 - q).
  by rewrite -addn1 natrD; ring.
by rewrite e ler_add2l ler_pimull // mulr_ge0 ?ler0n // subr_ge0.
Qed.
Lemma pow_lim (q e : R) : 0 <= q -> q < 1 -> 0 < e -> exists n0, forall n, (n0 <= n)%N -> q ^+ n <= e.
Proof.
move=> q0 q1 e0; have h : 0 < e * (1 - q) by rewrite mulr_gt0 // subr_gt0.
exists (Num.bound (1 / (e * (1 - q)))) => n hn.
have b : 1 / (e * (1 - q)) <= n%:R.
  apply: le_trans (ltW (archi_boundP _)) _; first by rewrite divr_ge0 ?ler01 // ltW.
  by rewrite ler_nat.
have q1' : 0 <= 1 - q by rewrite subr_ge0 ltW.
have := pow_bern n q0 (ltW q1).
have k0 : 0 < 1 + n%:R * (1 - q) by apply: (lt_le_trans ltr01); rewrite ler_addl mulr_ge0 ?ler0n.
rewrite -ler_pdivl_mulr // => /le_trans; apply; rewrite ler_pdivr_mulr //.
move: b; rewrite ler_pdivr_mulr // mulrCA => b; apply: le_trans b _.
by rewrite ler_wpmul2l ?(ltW e0) // ler_addr ler01.
Qed.

(** generalised Vandermonde, grouped: power sums vanishing at infinitely many exponents *)
Lemma power_sums (I : finType) (c al : I -> R) : (forall i, 0 <= al i) ->
  (forall n0, exists2 n, (n0 <= n)%N & \sum_i c i * al i ^+ n = 0) ->
  forall b, 0 < b -> \sum_(i | al i == b) c i = 0.
Proof.
move=> al0 hz.
suff main n (P : pred I) : (#|P| < n)%N ->
    (forall n0, exists2 n, (n0 <= n)%N & \sum_(i | P i) c i * al i ^+ n = 0) ->
    forall b, 0 < b -> \sum_(i | P i && (al i == b)) c i = 0.
  by move=> b b0; apply: (main #|I|.+1 predT _ hz b b0); rewrite ltnS max_card.
elim: n P => // n IH P; rewrite ltnS => szP vz b b0.
have [i0 hi0|noneg] := pickP (fun i => P i && (0 < al i)); last first.
  rewrite big1 // => i /andP[Pi /eqP e]; by have := noneg i; rewrite Pi e b0.
case: (@arg_maxP _ _ _ i0 (fun i => P i && (0 < al i)) al hi0) => i1 /andP[Pi1 ai1] max1.
pose B := al i1.
have lead : \sum_(i | P i && (al i == B)) c i = 0.
  set S := \sum_(i | _) c i; apply/eqP; rewrite -normr_eq0 eq_le normr_ge0 andbT.
  apply/ler_addgt0Pl => e e0; rewrite addr0.
  pose Q := [pred i | P i && (al i != B)].
  have K0 : 0 < 1 + \sum_(i | Q i) `|c i| by apply: (lt_le_trans ltr01); rewrite ler_addl sumr_ge0.
  have le1 i : P i -> al i <= B.
    move=> Pi; have [h|h] := ltP 0 (al i); first by apply: max1; rewrite Pi.
    by apply: le_trans h (ltW ai1).
  have [N hN] : exists N, forall n, (N <= n)%N -> forall i, Q i ->
      (al i / B) ^+ n <= e / (1 + \sum_(i | Q i) `|c i|).
    suff [N hN] : exists N, forall n, (N <= n)%N -> forall i, i \in enum Q ->
      (al i / B) ^+ n <= e / (1 + \sum_(i | Q i) `|c i|).
      by exists N => k hk i Qi; apply: hN => //; rewrite mem_enum.
    have : forall i, i \in enum Q -> Q i by move=> i; rewrite mem_enum.
    elim: (enum Q) => [|i s IHs] hs; first by exists 0%N.
    have [j js|N hN] := IHs; first by apply: hs; rewrite inE js orbT.
    have /andP[Pi ne] := hs i (mem_head _ _).
    have q1 : al i / B < 1 by rewrite ltr_pdivr_mulr // mul1r lt_neqAle ne le1.
    have q0 : 0 <= al i / B by rewrite divr_ge0 // ltW.
    have [N' hN'] := pow_lim q0 q1 (divr_gt0 e0 K0).
    exists (maxn N N') => k; rewrite geq_max => /andP[h1 h2] j.
    by rewrite inE => /predU1P[->|js]; [exact: hN'|exact: hN].
  have [k hk] := vz N; rewrite (bigID (fun i => al i == B)) /=.
  rewrite (eq_bigr (fun i => c i * B ^+ k)); last by move=> i /andP[_ /eqP ->].
  rewrite -mulr_suml -/S => /eqP; rewrite addr_eq0 => /eqP h.
  have Bk : 0 < B ^+ k by rewrite exprn_gt0.
  rewrite -(ler_pmul2r Bk) -[X in _ * X <= _](gtr0_norm Bk) -normrM h normrN.
  apply: (@le_trans _ _ (\sum_(i | Q i) `|c i| * (e / (1 + \sum_(i | Q i) `|c i|) * B ^+ k))).
    apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => i Qi.
    rewrite normrM ler_wpmul2l // ger0_norm ?exprn_ge0 // -ler_pdivr_mulr // -expr_div_n.
    exact: hN.
  rewrite -mulr_suml mulrA ler_wpmul2r ?(ltW Bk) // mulrA ler_pdivr_mulr // mulrC ler_wpmul2l ?(ltW e0) //.
  by rewrite ler_addr ler01.
have [->//|nb] := eqVneq b B.
rewrite -[RHS](IH [pred i | P i && (al i != B)] _ _ b b0).
- apply: eq_bigl => i /=; case: (P i) => //=; have [->|] := eqVneq (al i) b; rewrite ?nb ?andbF //.
- apply: leq_trans szP; apply: proper_card; apply/properP; split.
    by apply/subsetP => i; rewrite !inE => /andP[].
  by exists i1; rewrite // !inE /B eqxx andbF.
move=> n0; have [k hk h] := vz n0; exists k => //; rewrite -[RHS]h [RHS](bigID (fun i => al i == B)) /=.
rewrite [X in X + _](eq_bigr (fun i => c i * B ^+ k)); last by move=> i /andP[_ /eqP ->].
by rewrite -mulr_suml lead mul0r add0r.
Qed.

Lemma lemma7_classes (psi : R -> R) a (I : finType) (c al : I -> R) (p : {poly R}) :
  taylor a psi -> (forall n0, exists2 n, (n0 <= n)%N & a n != 0) -> (forall i, 0 <= al i) ->
  (forall t, 0 < t -> \sum_i c i * psi (al i * t) = p.[t]) ->
  forall b, 0 < b -> \sum_(i | al i == b) c i = 0.
Proof.
move=> ta a0 al0 e; apply: power_sums => // n0.
have T := taylorD (taylor_sum (fun i => taylorZ (c i) (taylor_dil (al0 i) ta))) (taylorZ (-1) (taylor_poly p)).
have z t : 0 < t -> \sum_i c i * psi (al i * t) + -1 * p.[t] = 0 by move=> /e ->; rewrite mulN1r subrr.
have u := taylor_uniq z T.
have [n hn an] := a0 (maxn n0 (size p)); move: hn; rewrite geq_max => /andP[h1 h2].
exists n => //; have := u n; rewrite nth_default // mulr0 addr0 => h.
apply: (mulfI an); rewrite mulr0 -[RHS]h mulr_sumr; apply: eq_bigr => i _.
by rewrite mulrCA.
Qed.
Corollary taylor_si (E : R -> R) a : taylor a E ->
  (forall n0, exists2 n, (n0 <= n)%N & a n != 0) -> scale_indep E.
Proof.
move=> ta a0 I c al al0 h b b0; apply: (@lemma7_classes E a I c al 0 ta a0 al0 _ b b0) => t t0.
by rewrite h // horner0.
Qed.
End Lemma7.

(** Lemma 7: distinct positive scales; the combination may be a polynomial. *)
Theorem lemma7 (R : archiFieldType) (psi : R -> R) (a : nat -> R) (I : finType) (c al : I -> R) (p : {poly R}) :
  taylor a psi -> (forall n0, exists2 n, (n0 <= n)%N & a n != 0) ->
  (forall i, 0 < al i) -> injective al ->
  (forall t, 0 < t -> \sum_i c i * psi (al i * t) = p.[t]) -> forall i, c i = 0.
Proof.
move=> ta a0 al0 inj h i.
have := lemma7_classes ta a0 (fun j => ltW (al0 j)) h (al0 i); rewrite (bigD1 i) //= big1 ?addr0 //.
by move=> j /andP[/eqP /inj -> /eqP].
Qed.
