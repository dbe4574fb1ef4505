(** * X1b (ext:biases) for SiLU

For SiLU the rest of the even part is r(z) = 2 z / (1 + exp z), and r(z + w) / r(z) does not tend to 0.
Instead expand: z / (1 + exp z) = sum over k >= 1 of (-1)^(k-1) z exp(-k z).  Among a t + b with a the
least, the terms with exponent m a, for m such that no other a' divides it, give the power sums of the
exp(-b), and those vanish only if the coefficients do. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences derive realfun exp.
From mathcomp Require Import ring.
From SkipAbsorption Require Import networks lemma7 dominance silu_tanh_gelu x1_width x1_values x1b_biases.
From SkipAbsorption Require Import x1b_smooth dominance_affine.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Exponentials.
Variable R : realType.

Lemma exp_small (de e : R) : 0 < de -> 0 < e ->
  exists2 T, 0 < T & forall t, T <= t -> t * expR (- (de * t)) <= e.
Proof.
move=> d0 e0; exists (4%:R / (e * de ^+ 2)) => [|t].
  by rewrite divr_gt0 ?ltr0n // mulr_gt0 ?exprn_gt0.
rewrite ler_pdivr_mulr ?mulr_gt0 ?exprn_gt0 // => ht.
have t0 : 0 <= t.
  rewrite -(pmulr_lge0 t (_ : 0 < e * de ^+ 2)) ?mulr_gt0 ?exprn_gt0 //; apply: le_trans ht; exact: ler0n.
have h2 : 0 <= de * t / 2%:R by rewrite divr_ge0 ?ler0n // mulr_ge0 // ltW.
have := exp_sq h2; rewrite [2%:R * _]mulrC divfK ?pnatr_eq0 // => h.
rewrite expRN ler_pdivr_mulr ?expR_gt0 //; apply: le_trans (_ : e * (de * t / 2%:R) ^+ 2 <= _); last first.
  by rewrite ler_pmul2l.
have -> : e * (de * t / 2%:R) ^+ 2 = t * (t * (e * de ^+ 2) / 4%:R) by field.
by rewrite ler_pemulr // ler_pdivl_mulr ?ltr0n // mul1r.
Qed.

(** A sum of terms (C t + D) exp(- l t) that is O(t exp(- L t)): the terms of each exponent below L cancel. *)
Lemma exp_sums (J : finType) (C D l : J -> R) (K L : R) n (P : pred J) : (#|P| < n)%N -> 0 <= K ->
  (exists2 T, 0 < T & forall t, T <= t ->
    `|\sum_(j | P j) (C j * t + D j) * expR (- (l j * t))| <= K * (t * expR (- (L * t)))) ->
  forall x, x < L -> \sum_(j | P j && (l j == x)) C j = 0.
Proof.
move=> + K0; elim: n P => // n IH P; rewrite ltnS => szP [T0 T00 vz] x xL.
have [j0 /andP[Pj0 lj0]|none] := pickP (fun j => P j && (l j < L)); last first.
  by rewrite big1 // => j /andP[Pj /eqP e]; have := none j; rewrite Pj e xL.
have [j1 Pj1 minl] := arg_minP l Pj0.
have l1 : l j1 < L := le_lt_trans (minl _ Pj0) lj0.
pose m := l j1; pose Q := [pred j | P j && (l j != m)].
pose SC := \sum_(j | P j && (l j == m)) C j; pose SD := \sum_(j | P j && (l j == m)) D j.
have split t : \sum_(j | P j) (C j * t + D j) * expR (- (l j * t)) =
    (SC * t + SD) * expR (- (m * t)) + \sum_(j | Q j) (C j * t + D j) * expR (- (l j * t)).
  rewrite (bigID (fun j => l j == m)) /=; congr (_ + _).
  rewrite /SC /SD mulr_suml -big_split mulr_suml; apply: eq_bigr => j /andP[_ /eqP ->] //.
have [SC0 SD0] : SC = 0 /\ SD = 0.
  apply: affine0 => e e0; pose W := 1 + K + \sum_(j | Q j) (`|C j| + `|D j|).
  have S0 : 0 <= \sum_(j | Q j) (`|C j| + `|D j|) by apply: sumr_ge0 => j _; rewrite addr_ge0.
  have W0 : 0 < W by rewrite /W -addrA ltr_spaddl ?ltr01 // addr_ge0.
  have d0 := divr_gt0 e0 W0.
  have ev j : Q j -> exists2 T, 0 < T & forall t, T <= t -> t * expR (- ((l j - m) * t)) <= e / W.
    case/andP=> Pj ne; apply: exp_small => //; rewrite subr_gt0 lt_neqAle eq_sym ne; exact: minl.
  have [T1 T10 h1] := eventually_all ev.
  have Lm : 0 < L - m by rewrite subr_gt0.
  have [T2 T20 h2] := exp_small Lm d0.
  exists (Num.max (Num.max T0 1) (Num.max T1 T2)) => [|t]; first by rewrite !lt_maxr T00.
  rewrite !le_maxl => /andP[/andP[t0 t1] /andP[tT1 tT2]].
  have tp : 0 < t := lt_le_trans T00 t0; have E0 : 0 < expR (- (m * t)) by exact: expR_gt0.
  have shift y : expR (- (y * t)) = expR (- ((y - m) * t)) * expR (- (m * t)).
    by rewrite -expRD; congr expR; ring.
  rewrite -(ler_pmul2r E0) -[X in _ * X <= _](gtr0_norm E0) -normrM.
  have -> : (SC * t + SD) * expR (- (m * t)) = \sum_(j | P j) (C j * t + D j) * expR (- (l j * t)) -
      \sum_(j | Q j) (C j * t + D j) * expR (- (l j * t)) by rewrite split addrK.
  apply: le_trans (ler_norm_sub _ _) _.
  apply: (@le_trans _ _ ((K * (e / W) + \sum_(j | Q j) (`|C j| + `|D j|) * (e / W)) * expR (- (m * t)))).
    rewrite mulrDl; apply: ler_add.
      apply: le_trans (vz t t0) _; rewrite shift [t * _]mulrA mulrA ler_pmul2r // ler_wpmul2l //.
      exact: h2.
    apply: le_trans (ler_norm_sum _ _ _) _; rewrite mulr_suml; apply: ler_sum => j Qj.
    rewrite shift mulrA normrM (gtr0_norm E0) ler_pmul2r // normrM [`|expR _|]gtr0_norm ?expR_gt0 //.
    apply: (@le_trans _ _ ((`|C j| + `|D j|) * t * expR (- ((l j - m) * t)))).
      rewrite ler_wpmul2r ?(ltW (expR_gt0 _)) //; apply: le_trans (ler_norm_add _ _) _.
      by rewrite mulrDl normrM (gtr0_norm tp) ler_add2l ler_pemulr.
    by rewrite -mulrA ler_wpmul2l ?addr_ge0 //; exact: h1.
  rewrite ler_pmul2r // -mulr_suml -mulrDl mulrA ler_pdivr_mulr // mulrC ler_pmul2l //.
  by rewrite /W -addrA ler_addr ler01.
have [->|xm] := eqVneq x m; first exact: SC0.
rewrite -[RHS](IH [pred j | P j && (l j != m)] _ _ x xL).
- apply: eq_bigl => j /=; case: (P j) => //=; case: eqP => [->|]; rewrite ?andbF //.
  by rewrite xm.
- apply: leq_trans szP; apply: proper_card; apply/properP; split.
    by apply/fintype.subsetP => j; rewrite !inE => /andP[].
  by exists j1; rewrite // !inE /m eqxx andbF.
by exists T0 => // t /vz; rewrite split SC0 SD0 mul0r addr0 mul0r add0r.
Qed.
End Exponentials.

Section Logistic.
Variable R : realType.

(** The expansion to m terms. *)
Lemma logistic_sum (z : R) m :
  `|z / (1 + expR z) - \sum_(k < m) (-1) ^+ k * z * expR (- z) ^+ k.+1| <= `|z| * expR (- z) ^+ m.+1.
Proof.
set q := expR (- z); have q0 : 0 < q by exact: expR_gt0.
have h1 : 1 + q != 0 by rewrite gt_eqF // addr_gt0 ?ltr01.
have eq1 : z / (1 + expR z) = z * (q / (1 + q)).
  by rewrite -[z in expR z]opprK expRN -/q; field; rewrite h1 gt_eqF.
have geo : \sum_(k < m) (-1) ^+ k * z * q ^+ k.+1 = z * (q * (1 - (- q) ^+ m) / (1 + q)).
  apply: (mulIf h1); rewrite -[RHS]mulrA divfK // mulr_suml.
  elim: m => [|m IH]; first by rewrite big_ord0 expr0 subrr !mulr0.
  rewrite big_ord_recr /= IH !exprSr ![(- q) ^+ m]exprNn.
  by move: ((-1) ^+ m) (q ^+ m) => u v; ring.
have -> : z / (1 + expR z) - \sum_(k < m) (-1) ^+ k * z * q ^+ k.+1 = z * q ^+ m.+1 * ((-1) ^+ m / (1 + q)).
  rewrite eq1 geo [(- q) ^+ m]exprNn exprSr.
  by move: ((-1) ^+ m) (q ^+ m) => u v; field.
have le1 : `|(-1) ^+ m / (1 + q)| <= 1.
  have g0 : 0 < 1 + q by rewrite addr_gt0 ?ltr01.
  rewrite normrM normrX normrN normr1 expr1n mul1r gtr0_norm ?invr_gt0 // invf_le1 //.
  by rewrite ler_addl ltW.
rewrite normrM normrM [`|q ^+ _|]gtr0_norm ?exprn_gt0 // ler_pimulr //.
by rewrite mulr_ge0 // exprn_ge0 // ltW.
Qed.

(** Multiples of a that are no multiple of a' > a: all m = 1 mod mu, for some mu. *)
Lemma no_multiple (a a' : R) : 0 < a -> a < a' ->
  exists2 mu, (0 < mu)%N & forall k n, n%:R * a' != (1 + k * mu)%:R * a.
Proof.
move=> a0 lt; have a'0 : 0 < a' := lt_trans a0 lt.
have [[mu [n [mu0 e]]]|none] := pselect (exists mu n, (0 < mu)%N /\ n%:R * a' = mu%:R * a); last first.
  exists 1%N => // k n; apply/negP => /eqP e; apply: none; exists (1 + k * 1)%N, n; by rewrite add1n.
exists mu => // k n'; apply/negP => /eqP e'.
have E : n'%:R * a' = a + (k * n)%:R * a'.
  by rewrite e' natrD mulrDl mul1r !natrM -mulrA -e mulrA.
have [le|gt] := leqP n' (k * n).
  have : n'%:R * a' <= (k * n)%:R * a' by rewrite ler_pmul2r // ler_nat.
  by rewrite E ger_addr leNgt a0.
have : (k * n).+1%:R * a' <= n'%:R * a' by rewrite ler_pmul2r // ler_nat.
by rewrite E -addn1 natrD mulrDl mul1r addrC ler_add2r leNgt lt.
Qed.

Lemma common_mu (I : finType) (a : I -> R) (x : R) : 0 < x ->
  exists2 mu, (0 < mu)%N & forall i k n, x < a i -> n%:R * a i != (1 + k * mu)%:R * x.
Proof.
move=> x0; suff [mu mu0 h] : exists2 mu, (0 < mu)%N &
    forall i, i \in enum I -> forall k n, x < a i -> n%:R * a i != (1 + k * mu)%:R * x.
  by exists mu => // i; apply: h; rewrite mem_enum.
elim: (enum I) => [|i s [mu mu0 IH]]; first by exists 1%N.
have [nu nu0 hnu] : exists2 nu, (0 < nu)%N & forall k n, x < a i -> n%:R * a i != (1 + k * nu)%:R * x.
  have [lt|le] := ltP x (a i); last by exists 1%N.
  by have [nu nu0 h] := no_multiple x0 lt; exists nu.
exists (mu * nu)%N => [|j]; first by rewrite muln_gt0 mu0.
rewrite inE => /predU1P[->|js] k n lt; first by rewrite mulnA; exact: hnu.
by rewrite mulnCA mulnC; exact: IH.
Qed.

Section Family.
Variables (I : finType) (c a b : I -> R).
Let z i t : R := a i * t + b i.

Lemma least_class (P : pred I) i1 : P i1 -> (forall i, P i -> a i1 <= a i) -> 0 < a i1 ->
  (exists2 T, 0 < T & forall t, T <= t -> \sum_(i | P i) c i * (z i t / (1 + expR (z i t))) = 0) ->
  forall y, \sum_(i | P i && ((a i == a i1) && (b i == y))) c i = 0.
Proof.
move=> Pi1 mina x0 [T T0 vz] y; set x := a i1 in mina x0 *.
have [mu mu0 good] := common_mu a x0.
pose c1 i := if P i && (a i == x) then c i else 0; pose al i := expR (- b i).
have al0 i : 0 <= al i by rewrite ltW // expR_gt0.
suff pw n0 : exists2 n, (n0 <= n)%N & \sum_i c1 i * al i ^+ n = 0.
  have := power_sums al0 pw (expR_gt0 (- y)) => h; rewrite -[RHS]h [RHS]big_mkcond [LHS]big_mkcond.
  apply: eq_bigr => i _; rewrite /c1 /al (inj_eq (@expR_inj R)) (inj_eq oppr_inj).
  by case: (P i); case: (a i == x); case: (b i == y).
pose m := (n0 * mu)%N; exists m.+1.
  by rewrite ltnW // ltnS leq_pmulr.
pose J := (I * 'I_m.+1)%type.
pose C (j : J) := (-1) ^+ j.2 * c j.1 * a j.1 * al j.1 ^+ j.2.+1.
pose D (j : J) := (-1) ^+ j.2 * c j.1 * b j.1 * al j.1 ^+ j.2.+1.
pose l (j : J) := (j.2.+1)%:R * a j.1.
pose K := \sum_(i | P i) `|c i| * ((`|a i| + `|b i|) * al i ^+ m.+2).
have K0 : 0 <= K by apply: sumr_ge0 => i _; rewrite mulr_ge0 // mulr_ge0 ?addr_ge0 // exprn_ge0.
have expE i t k : expR (- z i t) ^+ k = al i ^+ k * expR (- (k%:R * a i * t)).
  rewrite /z opprD expRD mulrC exprMn; congr (_ * _); rewrite -expRMm; congr expR; ring.
have bound : exists2 T, 0 < T & forall t, T <= t ->
    `|\sum_(j : J | P j.1) (C j * t + D j) * expR (- (l j * t))| <= K * (t * expR (- ((m.+2)%:R * x * t))).
  exists (Num.max T 1) => [|t]; first by rewrite lt_maxr T0.
  rewrite le_maxl => /andP[tT t1]; have t0 : 0 < t := lt_le_trans ltr01 t1.
  have -> : \sum_(j : J | P j.1) (C j * t + D j) * expR (- (l j * t)) =
      - \sum_(i | P i) c i * (z i t / (1 + expR (z i t)) -
        \sum_(k < m.+1) (-1) ^+ k * z i t * expR (- z i t) ^+ k.+1).
    under [in RHS]eq_bigr do rewrite mulrBr.
    rewrite sumrB vz // sub0r opprK (eq_bigl (fun j : J => P j.1 && true)) => [|j]; last by rewrite andbT.
    rewrite -(pair_big P xpredT (fun i k => (C (i, k) * t + D (i, k)) * expR (- (l (i, k) * t)))) /=.
    apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => k _.
    by rewrite expE /C /D /l /z /=; ring.
  rewrite normrN; apply: le_trans (ler_norm_sum _ _ _) _; rewrite mulr_suml; apply: ler_sum => i Pi.
  rewrite normrM -mulrA ler_wpmul2l //; apply: le_trans (logistic_sum _ _) _.
  rewrite expE mulrA [X in _ <= X]mulrACA mulrA.
  have A0 : 0 <= al i ^+ m.+2 := exprn_ge0 _ (al0 i).
  have E0 y : 0 <= expR y :> R := ltW (expR_gt0 y).
  move: A0; move: (al i ^+ m.+2) => A A0; apply: ler_pmul; [exact: mulr_ge0|exact: E0| |].
    apply: (ler_wpmul2r A0); rewrite /z; apply: le_trans (ler_norm_add _ _) _.
    by rewrite mulrDl normrM (gtr0_norm t0) ler_add2l ler_pemulr.
  by rewrite ler_expR ler_opp2 (ler_pmul2r t0) ler_pmul2l ?ltr0n // mina.
have lt : (m.+1)%:R * x < (m.+2)%:R * x by rewrite ltr_pmul2r // ltr_nat.
have := exp_sums (ltnSn _) K0 bound lt.
rewrite -(pair_big_dep P (fun i (k : 'I_m.+1) => (k.+1)%:R * a i == (m.+1)%:R * x) (fun i k => C (i, k))) /=.
move=> h; have e0 : (-1) ^+ m * x != 0 by rewrite mulf_neq0 ?signr_eq0 // gt_eqF.
apply: (mulfI e0); rewrite mulr0 -[RHS]h mulr_sumr [RHS]big_mkcond /=; apply: eq_bigr => i _.
rewrite /c1; case: (boolP (P i)) => [Pi|_] /=; last by rewrite mul0r mulr0.
have [e|ne] := eqVneq (a i) x; last first.
  rewrite mul0r mulr0 big_pred0 // => k; apply/negP => /idP; apply/negP.
  have ai : x < a i by rewrite lt_neqAle eq_sym ne mina.
  by have := good i n0 k.+1 ai; rewrite add1n.
rewrite (big_pred1 ord_max) => [|k]; first by rewrite /C /= e; ring.
by rewrite e -subr_eq0 -mulrBl mulf_eq0 (gt_eqF x0) orbF subr_eq0 eqr_nat eqSS.
Qed.

Lemma silu_residual n (P : pred I) : (#|P| < n)%N -> (forall i, P i -> 0 < a i) ->
  (exists2 T, 0 < T & forall t, T <= t -> \sum_(i | P i) c i * (z i t / (1 + expR (z i t))) = 0) ->
  forall a0 b0, \sum_(i | P i && ((a i == a0) && (b i == b0))) c i = 0.
Proof.
elim: n P => // n IH P; rewrite ltnS => szP Pa vz a0 b0.
have [i0 Pi0|none] := pickP P; last by rewrite big1 // => i; rewrite none.
have [i1 Pi1 mina] := arg_minP a Pi0.
pose K i := (a i == a i1) && (b i == b i1).
have lead : \sum_(i | P i && K i) c i = 0 by exact: (least_class Pi1 mina (Pa _ Pi1) vz).
have [/andP[/eqP -> /eqP ->]|ne] := boolP ((a0 == a i1) && (b0 == b i1)); first exact: lead.
rewrite -[RHS](IH [pred i | P i && ~~ K i] _ _ _ a0 b0).
- apply: eq_bigl => i /=; case: (P i) => //=.
  case h: ((a i == a0) && (b i == b0)); rewrite ?andbF // andbT.
  by case/andP: h => /eqP ea /eqP eb; rewrite /K ea eb ne.
- apply: leq_trans szP; apply: proper_card; apply/properP; split.
    by apply/fintype.subsetP => i; rewrite !inE => /andP[].
  by exists i1; rewrite // !inE /K !eqxx andbF.
- by move=> i /andP[/Pa].
have [T T0 vT] := vz; exists T => // t Tt; rewrite -[RHS](vT t Tt) [RHS](bigID K) /=.
rewrite [X in X + _](eq_bigr (fun i => c i * (z i1 t / (1 + expR (z i1 t))))).
  by rewrite -mulr_suml lead mul0r add0r.
by move=> i /andP[_ /andP[/eqP ea /eqP eb]]; rewrite /z ea eb.
Qed.
End Family.
End Logistic.

Section Statements.
Variables (R : realType) (m d N : nat) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N).
Variables (M : 'M[R]_(m, d)) (c : 'cV[R]_m).

Lemma silu_affine : affine_indep (fun z : R => silu z + silu (- z)).
Proof.
have odd (z : R) : id (- z) = - id z by [].
apply: (@affine_of_residual _ _ (lrest id) 1) => [z z0| | |].
- by rewrite mul1r; exact: lsig_even.
- exact: lrest_gt0.
- by apply: (@lrest_lim R id 1) => // t; rewrite mul1r.
move=> I k x y P P0 [T T0 vz] a0 b0.
apply: (@silu_residual R I k x y #|I|.+1 P) => //; first by rewrite ltnS max_card.
exists T => // t /vz h; have n2 : 2%:R != 0 :> R by rewrite pnatr_eq0.
apply: (mulfI n2); rewrite mulr0 -[RHS]h mulr_sumr; apply: eq_bigr => i _.
by rewrite /lrest mulrCA !mulrA.
Qed.

(** X1b for SiLU: the least width with hidden biases and an output bias is N + k*. *)
Theorem x1b_silu : generic_pm_b D U b ->
  forall N', (exists (D' : 'M_(m, N')) (U' : 'M_(N', d)) (b' : 'cV_N') (c' : 'cV_m), forall x,
      mlpb (@silu R) D U b x + M *m x + c = mlpb (@silu R) D' U' b' x + c') <->
    (N + kstar D U M <= N')%N.
Proof. by move=> G N'; exact: (x1b_smooth (@silu_odd R) silu_affine M c G N'). Qed.

(** Condition (3) is unchanged by biases. *)
Theorem x1b_silu_same_width : generic_pm_b D U b ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)) (b' : 'cV_N) (c' : 'cV_m), forall x,
      mlpb (@silu R) D U b x + M *m x + c = mlpb (@silu R) D' U' b' x + c') <->
  exists S : {set 'I_N}, part S D U = - M.
Proof.
move=> G; rewrite -kstar_eq0; split=> [/(x1b_silu G)|k0].
  by move=> le; apply/eqP; rewrite -leqn0 -(leq_add2l N) addn0.
by apply/(x1b_silu G); rewrite k0 addn0.
Qed.

(** Hidden biases alone, at the same width. *)
Theorem x1b_silu_hidden_only : generic_pm_b D U b ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)) (b' : 'cV_N), forall x,
      mlpb (@silu R) D U b x + M *m x + c = mlpb (@silu R) D' U' b' x) <->
  exists S : {set 'I_N}, part S D U = - M /\ part S D b = - c.
Proof. by move=> G; exact: (x1b_hidden_only_smooth (@silu_odd R) silu_affine M c G). Qed.
End Statements.
