(** * A criterion for [affine_indep], the independence behind X1b

E(z) = lambda z - r(z) for z > 0, where r > 0 tends to 0 and every fixed step to the right
makes r negligible: r(z') <= e r(z) for all z' >= z + delta once z is large.  Among
r(a t + b), a > 0, the one with the lexicographically least (a, b) then dominates. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From SkipAbsorption Require Import networks dominance x1b_smooth.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Dominance.
Variables (R : realFieldType) (E r : R -> R) (lam : R).
Hypothesis Er : forall z, 0 < z -> E z = lam * z - r z.
Hypothesis r_pos : forall z, 0 < z -> 0 < r z.
Hypothesis r_lim : forall e, 0 < e -> exists2 T, 0 < T & forall z, T <= z -> r z <= e.
Hypothesis r_step : forall de e, 0 < de -> 0 < e ->
  exists2 T, 0 < T & forall z z', T <= z -> z + de <= z' -> r z' <= e * r z.

(** a t + b is as large as wished. *)
Lemma reach (a b T : R) : 0 < a -> exists2 S, 0 < S & forall t, S <= t -> T <= a * t + b.
Proof.
move=> a0; exists (Num.max 1 ((T - b) / a)) => [|t]; first by rewrite lt_maxr ltr01.
by rewrite le_maxl => /andP[_]; rewrite ler_pdivr_mulr // mulrC ler_subl_addr.
Qed.

Section Family.
Variables (I : finType) (c a b : I -> R).

Lemma residual_indep n (P : pred I) : (#|P| < n)%N -> (forall i, P i -> 0 < a i) ->
  (exists2 T, 0 < T & forall t, T <= t -> \sum_(i | P i) c i * r (a i * t + b i) = 0) ->
  forall a0 b0, \sum_(i | P i && ((a i == a0) && (b i == b0))) c i = 0.
Proof.
elim: n P => // n IH P; rewrite ltnS => szP Pa [T0 T00 vz] a0 b0.
have [i0 Pi0|none] := pickP P; last by rewrite big1 // => i; rewrite none.
have [ia Pia mina] := arg_minP a Pi0.
have Pib : P ia && (a ia == a ia) by rewrite Pia eqxx.
case: (@arg_minP _ _ _ ia (fun i => P i && (a i == a ia)) b Pib) => i1 /andP[Pi1 /eqP e1] minb.
pose K i := (a i == a i1) && (b i == b i1).
have lead : \sum_(i | P i && K i) c i = 0.
  have K0 : 0 < 1 + \sum_(i | P i) `|c i| by rewrite ltr_spaddl // sumr_ge0.
  set S := \sum_(i | _) c i; apply/eqP; rewrite -normr_eq0 eq_le normr_ge0 andbT.
  apply/ler_addgt0Pl => e e0; rewrite addr0; have d0 := divr_gt0 e0 K0.
  pose Q2 := [pred i | P i && ~~ K i].
  have ev1 i : Q2 i -> exists2 T, 0 < T & forall t, T <= t ->
      r (a i * t + b i) <= e / (1 + \sum_(i | P i) `|c i|) * r (a i1 * t + b i1).
    case/andP=> Pi Ki; have a1 : 0 < a i1 := Pa _ Pi1.
    have [ltab|] := boolP (a i1 < a i).
      have [S1 S10 h1] := r_step ltr01 d0; have [S2 S20 h2] := reach (b i1) S1 a1.
      have ab0 : 0 < a i - a i1 by rewrite subr_gt0.
      have [S3 S30 h3] := reach (b i - b i1) 1 ab0.
      exists (Num.max S2 S3) => [|t]; first by rewrite lt_maxr S20.
      rewrite le_maxl => /andP[/h2 g2 /h3 g3]; apply: h1 => //.
      by rewrite addrC -ler_subr_addr opprD addrACA -mulrBl.
    rewrite -leNgt => leab; have eab : a i = a i1 by apply/eqP; rewrite eq_le leab e1 mina.
    have ltb : 0 < b i - b i1.
      rewrite subr_gt0 lt_neqAle minb ?Pi ?eab ?e1 ?eqxx // andbT eq_sym.
      by move: Ki; rewrite /K eab eqxx.
    have [S1 S10 h1] := r_step ltb d0; have [S2 S20 h2] := reach (b i1) S1 a1.
    by exists S2 => // t /h2 g2; apply: h1 => //; rewrite eab -addrA ler_add2l addrC subrK.
  have ev2 i : P i -> exists2 T, 0 < T & forall t, T <= t -> 0 < r (a i * t + b i).
    move=> Pi; have [S1 S10 h1] := reach (b i) 1 (Pa _ Pi); exists S1 => // t /h1 h.
    by apply: r_pos; apply: lt_le_trans h; exact: ltr01.
  have [T1 T10 hT1] := eventually_all ev1; have [T2 T20 hT2] := eventually_all ev2.
  pose t := Num.max T0 (Num.max T1 T2).
  have tT0 : T0 <= t by rewrite le_maxr lexx.
  have tT1 : T1 <= t by rewrite !le_maxr lexx orbT.
  have tT2 : T2 <= t by rewrite !le_maxr lexx !orbT.
  have rB : 0 < r (a i1 * t + b i1) by exact: hT2.
  have := vz t tT0; rewrite (bigID K) /=.
  rewrite (eq_bigr (fun i => c i * r (a i1 * t + b i1))); last by move=> i /andP[_ /andP[/eqP -> /eqP ->]].
  rewrite -mulr_suml => /eqP; rewrite addr_eq0 => /eqP h.
  rewrite -(ler_pmul2r rB) -[X in _ * X <= _](gtr0_norm rB) -normrM h normrN.
  apply: (@le_trans _ _ (\sum_(i | Q2 i) `|c i| * (e / (1 + \sum_(i | P i) `|c i|) * r (a i1 * t + b i1)))).
    apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => i Qi; have /andP[Pi _] := Qi.
    by rewrite normrM ler_wpmul2l // gtr0_norm ?hT2 // hT1.
  rewrite -mulr_suml mulrA ler_wpmul2r ?(ltW rB) // mulrA ler_pdivr_mulr // mulrC ler_wpmul2l ?(ltW e0) //.
  apply: (@le_trans _ _ (\sum_(i | P i) `|c i|)); last by rewrite ler_addr ler01.
  by rewrite [X in _ <= X](bigID K) /= ler_addr sumr_ge0.
have [/andP[/eqP ea /eqP eb]|ne] := boolP ((a0 == a i1) && (b0 == b i1)); first by rewrite ea eb.
rewrite -[RHS](IH [pred i | P i && ~~ K i] _ _ _ a0 b0).
- apply: eq_bigl => i /=; case: (P i) => //=.
  case h: ((a i == a0) && (b i == b0)); rewrite ?andbF // andbT.
  by case/andP: h => /eqP ea /eqP eb; rewrite /K ea eb ne.
- apply: leq_trans szP; apply: proper_card; apply/properP; split.
    by apply/subsetP => i; rewrite !inE => /andP[].
  by exists i1; rewrite // !inE /K !eqxx andbF.
- by move=> i /andP[/Pa].
exists T0 => // t Tt; rewrite -[RHS](vz t Tt) [RHS](bigID K) /=.
rewrite [X in X + _](eq_bigr (fun i => c i * r (a i1 * t + b i1))).
  by rewrite -mulr_suml lead mul0r add0r.
by move=> i /andP[_ /andP[/eqP -> /eqP ->]].
Qed.
End Family.

(** Independence of the r(a t + b) gives that of the E(a t + b), affine functions included. *)
Lemma affine_of_residual : (forall (I : finType) (c a b : I -> R) (P : pred I), (forall i, P i -> 0 < a i) ->
    (exists2 T, 0 < T & forall t, T <= t -> \sum_(i | P i) c i * r (a i * t + b i) = 0) ->
    forall a0 b0, \sum_(i | P i && ((a i == a0) && (b i == b0))) c i = 0) -> affine_indep E.
Proof.
move=> indep I c a b A B a0 vz x0 y0 xp; pose Q := [pred i | 0 < a i].
have az i : ~~ Q i -> a i = 0 by rewrite /Q /= -leNgt => h; apply/eqP; rewrite eq_le a0 h.
rewrite (eq_bigl (fun i => Q i && ((a i == x0) && (b i == y0)))) => [|i]; last first.
  by case h: ((a i == x0) && (b i == y0)); rewrite ?andbF // andbT /Q /=; case/andP: h => /eqP ->.
apply: (indep I c a b Q) => //.
have pos i : Q i -> exists2 T, 0 < T & forall t, T <= t -> 0 < a i * t + b i.
  move=> Qi; have [S S0 h] := reach (b i) 1 Qi; exists S => // t /h; exact: lt_le_trans ltr01.
have [T T0 hT] := eventually_all pos.
pose A1 := lam * (\sum_(i | Q i) c i * a i) - A.
pose B1 := lam * (\sum_(i | Q i) c i * b i) + \sum_(i | ~~ Q i) c i * E (b i) - B.
have split t : T <= t -> \sum_(i | Q i) c i * r (a i * t + b i) = A1 * t + B1.
  move=> Tt; have t0 : 0 < t := lt_le_trans T0 Tt; have := vz t t0; rewrite (bigID Q) /=.
  rewrite [X in _ + X](eq_bigr (fun i => c i * E (b i))) => [|i nQ]; last by rewrite az // mul0r add0r.
  rewrite (eq_bigr (fun i => lam * (c i * a i) * t + lam * (c i * b i) - c i * r (a i * t + b i)));
    last first.
    move=> i Qi; rewrite Er ?hT // mulrBr; congr (_ - _).
    by rewrite mulrCA mulrDr mulrDr !mulrA.
  rewrite sumrB big_split /= -mulr_suml -!mulr_sumr => e.
  rewrite /A1 /B1; apply/eqP; rewrite eq_sym -subr_eq0.
  have fin (l z1 z2 z3 z4 u A' B' : R) : (l * z3 - A') * u + (l * z4 + z2 - B') - z1 =
    l * z3 * u + l * z4 - z1 + z2 - (A' * u + B') by ring.
  by rewrite fin e subrr.
have [A0 B0] : A1 = 0 /\ B1 = 0.
  apply: affine0 => e e0; have K0 : 0 < 1 + \sum_(i | Q i) `|c i| by rewrite ltr_spaddl // sumr_ge0.
  have small i : Q i -> exists2 S, 0 < S & forall t, S <= t ->
      r (a i * t + b i) <= e / (1 + \sum_(i | Q i) `|c i|).
    move=> Qi; have [S1 S10 h1] := r_lim (divr_gt0 e0 K0); have [S2 S20 h2] := reach (b i) S1 Qi.
    by exists S2 => // t /h2; apply: h1.
  have [S S0 hS] := eventually_all small; exists (Num.max T S) => [|t]; first by rewrite lt_maxr T0.
  rewrite le_maxl => /andP[Tt St]; rewrite -split //.
  apply: (@le_trans _ _ (\sum_(i | Q i) `|c i| * (e / (1 + \sum_(i | Q i) `|c i|)))).
    apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => i Qi.
    by rewrite normrM ler_wpmul2l // gtr0_norm ?hS // r_pos // hT.
  rewrite -mulr_suml mulrA ler_pdivr_mulr // mulrC ler_wpmul2l ?(ltW e0) //.
  by rewrite ler_addr ler01.
by exists T => // t /split ->; rewrite A0 B0 mul0r addr0.
Qed.

Lemma affine_dominance : affine_indep E.
Proof.
by apply: affine_of_residual => I c a b P; apply: (@residual_indep I c a b #|I|.+1); rewrite ltnS max_card.
Qed.
End Dominance.

(** A tail bound that gives the step. *)
Lemma step_of_tail (R : realFieldType) (r : R -> R) (K : R) : 0 < K ->
  (forall z, 0 < z -> 0 < r z) ->
  (forall z w, 1 <= z -> 0 < w -> r (z + w) * (w * z ^+ 2) <= K * r z * (z + w)) ->
  forall de e, 0 < de -> 0 < e ->
  exists2 T, 0 < T & forall z z', T <= z -> z + de <= z' -> r z' <= e * r z.
Proof.
move=> K0 r0 tail de e de0 e0; pose T := Num.max 1 (K * (1 + de) / (e * de)).
exists T => [|z z' Tz zz]; first by rewrite lt_maxr ltr01.
move: Tz; rewrite le_maxl => /andP[z1]; rewrite ler_pdivr_mulr ?mulr_gt0 // => Tz.
have z0 : 0 < z by apply: lt_le_trans z1; exact: ltr01.
pose w := z' - z; have wde : de <= w by rewrite /w ler_subr_addl.
have w0 : 0 < w := lt_le_trans de0 wde.
have -> : z' = z + w by rewrite /w addrC subrK.
have wz : 0 < w * z ^+ 2 by rewrite mulr_gt0 ?exprn_gt0.
rewrite -(ler_pmul2r wz); apply: le_trans (tail z w z1 w0) _.
rewrite [e * r z]mulrC [K * r z]mulrC -!mulrA ler_pmul2l ?r0 //.
have h1 : (z + w) * de <= (1 + de) * (w * z).
  rewrite mulrDl mulrDl mul1r; apply: ler_add; first by rewrite mulrC ler_pmul2r.
  by rewrite mulrC ler_pmul2l // -[X in X <= _]mulr1 ler_pmul2l.
have E1 : K * (z + w) * de = K * ((z + w) * de) by rewrite mulrA.
have E2 : e * (w * z ^+ 2) * de = z * (e * de) * (w * z) by ring.
rewrite -(ler_pmul2r de0) E1 E2; apply: (@le_trans _ _ (K * (1 + de) * (w * z))).
  by rewrite -mulrA ler_pmul2l.
by rewrite ler_pmul2r ?mulr_gt0.
Qed.
