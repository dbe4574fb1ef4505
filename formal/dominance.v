(** * A criterion for the conclusion of Lemma 7

E(t) = t - r(t) for t > 0, where r tends to 0 and r(b t) = o(r(t)) for b > 1.  It holds for
SiLU and for the tanh form of GELU, and spares us their analyticity. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks theorem4_smooth.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** A sufficient condition for [scale_indep]: E t = t - r t for t > 0, r -> 0, and
    r (beta t) = o(r t) for beta > 1.  Holds for SiLU and both GELUs. *)
Section Dominance.
Variables (R : realFieldType) (E r : R -> R).
Hypothesis Er : forall t, 0 < t -> E t = t - r t.
Hypothesis r_pos : forall t, 0 < t -> 0 < r t.
Hypothesis r_lim : forall e, 0 < e -> exists2 T, 0 < T & forall t, T <= t -> r t <= e.
Hypothesis r_dom : forall b e, 1 < b -> 0 < e -> exists2 T, 0 < T & forall t, T <= t -> r (b * t) <= e * r t.

(** finitely many eventual statements hold together *)
Lemma eventually_all (I : finType) (P : pred I) (Q : I -> R -> Prop) :
  (forall i, P i -> exists2 T, 0 < T & forall t, T <= t -> Q i t) ->
  exists2 T, 0 < T & forall t, T <= t -> forall i, P i -> Q i t.
Proof.
move=> h.
suff [T T0 hT] : exists2 T, 0 < T & forall t, T <= t -> forall i, i \in enum P -> Q i t.
  by exists T => // t /hT ht i Pi; apply: ht; rewrite mem_enum.
have : forall i, i \in enum P -> P i by move=> i; rewrite mem_enum.
elim: (enum P) => [|i s IH] hs; first by exists 1.
have [j js|T T0 hT] := IH; first by apply: hs; rewrite inE js orbT.
have [T' T'0 hT'] := h i (hs i (mem_head _ _)).
exists (Num.max T T') => [|t]; first by rewrite lt_maxr T0.
rewrite le_maxl => /andP[h1 h2] j; rewrite inE => /predU1P[->|js]; [exact: hT'|exact: hT].
Qed.

Lemma affine0 (A C : R) : (forall e, 0 < e -> exists2 T, 0 < T & forall t, T <= t -> `|A * t + C| <= e) ->
  A = 0 /\ C = 0.
Proof.
move=> h; have A0 : A = 0.
  have [//|nA] := eqVneq A 0; have a0 : 0 < `|A| / 3%:R by rewrite divr_gt0 ?normr_gt0 ?ltr0n.
  have [T T0 hT] := h _ a0; have h2 := hT _ (lexx T).
  have h1 : `|A * (T + 1) + C| <= `|A| / 3%:R by apply: hT; rewrite ler_addl ler01.
  have : `|A| <= `|A| / 3%:R + `|A| / 3%:R.
    apply: le_trans (ler_add h1 h2); rewrite -[X in `|X| <= _](_ : (A * (T + 1) + C) - (A * T + C) = A).
      exact: ler_norm_sub.
    by rewrite mulrDr mulr1 opprD addrACA subrr addr0 addrAC subrr add0r.
  by rewrite -mulr2n -mulr_natr mulrAC ler_pdivl_mulr ?ltr0n // ler_pmul2l ?normr_gt0 // ler_nat.
split=> //; apply/eqP; rewrite -normr_eq0 eq_le normr_ge0 andbT.
apply/ler_addgt0Pl => e e0; rewrite addr0; have [T T0 hT] := h _ e0.
by have := hT _ (lexx T); rewrite A0 mul0r add0r.
Qed.

Lemma dominance : scale_indep E.
Proof.
move=> I c a a0 hz.
suff main n (P : pred I) : (#|P| < n)%N ->
    (forall t, 0 < t -> \sum_(i | P i) c i * E (a i * t) = 0) ->
    forall b, 0 < b -> \sum_(i | P i && (a i == b)) c i = 0.
  by move=> b b0; apply: (main #|I|.+1 predT _ hz b b0); rewrite ltnS max_card.
elim: n P => // n IH P; rewrite ltnS => szP vz b b0.
have [i0 /andP[Pi0 ai0]|noneg] := pickP (fun i => P i && (0 < a i)); last first.
  rewrite big1 // => i /andP[Pi /eqP e]; by have := noneg i; rewrite Pi e b0.
have hi0 : P i0 && (0 < a i0) by rewrite Pi0.
case: (@arg_minP _ _ _ i0 (fun i => P i && (0 < a i)) a hi0) => i1 /andP[Pi1 ai1] min1.
pose B := a i1.
(* the leading coefficient vanishes *)
have lead : \sum_(i | P i && (a i == B)) c i = 0.
  pose Q := [pred i | P i && (0 < a i)].
  pose A := \sum_(i | Q i) c i * a i.
  pose C := \sum_(i | P i && ~~ (0 < a i)) c i * E 0.
  have split t : 0 < t -> \sum_(i | Q i) c i * r (a i * t) = A * t + C.
    move=> t0; apply/eqP; rewrite -subr_eq0 -oppr_eq0 opprB -[X in _ == X](vz t t0); apply/eqP.
    rewrite [RHS](bigID (fun i => 0 < a i)) /= /A /C mulr_suml addrAC -sumrB; congr (_ + _).
      by apply: eq_bigr => i /andP[_ ai]; rewrite Er ?mulr_gt0 // mulrBr mulrA.
    apply: eq_bigr => i /andP[_ ai]; suff -> : a i = 0 by rewrite mul0r.
    by apply/eqP; rewrite eq_le a0 andbT leNgt.
  have K0 : 0 < 1 + \sum_(i | Q i) `|c i| by rewrite ltr_spaddl // sumr_ge0.
  have [A0 C0] : A = 0 /\ C = 0.
    apply: affine0 => e e0.
    have [i Qi|T T0 hT] := @eventually_all I Q (fun i t => r (a i * t) <= e / (1 + \sum_(i | Q i) `|c i|)).
      have [T T0 hT] := r_lim (divr_gt0 e0 K0).
      have /andP[_ ai] := Qi; exists (T / a i) => [|t]; first by rewrite divr_gt0.
      by rewrite ler_pdivr_mulr // mulrC; apply: hT.
    exists T => // t Tt; have t0 := lt_le_trans T0 Tt; rewrite -split //.
    apply: (@le_trans _ _ (\sum_(i | Q i) `|c i| * (e / (1 + \sum_(i | Q i) `|c i|)))).
      apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => i Qi; have /andP[_ ai] := Qi.
      by rewrite normrM ler_wpmul2l // gtr0_norm ?r_pos ?mulr_gt0 // hT.
    rewrite -mulr_suml mulrA ler_pdivr_mulr // mulrC ler_wpmul2l ?(ltW e0) //.
    by rewrite ler_addr ler01.
  have zero t : 0 < t -> \sum_(i | Q i) c i * r (a i * t) = 0.
    by move=> t0; rewrite split // A0 C0 mul0r addr0.
  set S := \sum_(i | _) c i; apply/eqP; rewrite -normr_eq0 eq_le normr_ge0 andbT.
  apply/ler_addgt0Pl => e e0; rewrite addr0.
  pose Q2 := [pred i | Q i && (a i != B)].
  have [i Qi|T T0 hT] := @eventually_all I Q2
      (fun i t => r (a i * t) <= e / (1 + \sum_(i | Q i) `|c i|) * r (B * t)).
    have /andP[/andP[Pi ai] ne] := Qi.
    have ltB : 1 < a i / B by rewrite ltr_pdivl_mulr // mul1r lt_neqAle eq_sym ne min1 // Pi.
    have [T T0 hT] := r_dom ltB (divr_gt0 e0 K0).
    exists (T / B) => [|t]; first by rewrite divr_gt0.
    rewrite ler_pdivr_mulr // mulrC => /hT.
    by rewrite mulrA divfK ?gt_eqF.
  have rB : 0 < r (B * T) by rewrite r_pos ?mulr_gt0.
  have := zero _ T0; rewrite (bigID (fun i => a i == B)) /=.
  rewrite (eq_bigl (fun i => P i && (a i == B))); last first.
    by move=> i; rewrite -andbA; case: (P i) => //=; case: eqP => [->|_]; rewrite ?ai1 ?andbF.
  rewrite (eq_bigr (fun i => c i * r (B * T))); last by move=> i /andP[_ /eqP ->].
  rewrite -mulr_suml => /eqP; rewrite addr_eq0 => /eqP h.
  rewrite -(ler_pmul2r rB) -[X in _ * X <= _](gtr0_norm rB) -normrM h normrN.
  apply: (@le_trans _ _ (\sum_(i | Q2 i) `|c i| * (e / (1 + \sum_(i | Q i) `|c i|) * r (B * T)))).
    apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => i Qi; have /andP[/andP[_ ai] _] := Qi.
    by rewrite normrM ler_wpmul2l // gtr0_norm ?r_pos ?mulr_gt0 // hT.
  rewrite -mulr_suml mulrA ler_wpmul2r ?(ltW rB) // mulrA ler_pdivr_mulr // mulrC ler_wpmul2l ?(ltW e0) //.
  apply: (@le_trans _ _ (\sum_(i | Q i) `|c i|)); last by rewrite ler_addr ler01.
  by rewrite [X in _ <= X](bigID (fun i => a i == B)) /= ler_addr sumr_ge0.
have [->//|nb] := eqVneq b B.
rewrite -[RHS](IH [pred i | P i && (a i != B)] _ _ b b0).
- apply: eq_bigl => i /=; case: (P i) => //=; have [->|] := eqVneq (a i) b; rewrite ?nb ?andbF //.
- apply: leq_trans szP; apply: proper_card; apply/properP; split.
    by apply/subsetP => i; rewrite !inE => /andP[].
  by exists i1; rewrite // !inE /B eqxx andbF.
move=> t t0; rewrite -[RHS](vz t t0) [RHS](bigID (fun i => a i == B)) /=.
rewrite [X in X + _](eq_bigr (fun i => c i * E (B * t))); last by move=> i /andP[_ /eqP ->].
by rewrite -mulr_suml lead mul0r add0r.
Qed.
End Dominance.
