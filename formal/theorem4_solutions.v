(** * Theorem 4 (thm:ungated), complete: every absorbing network

For given weights W under the hypotheses, exactly which V of the same width compute
W_down sigma(W_up x) + M x: those that are W with the rows of some S with A_S B_S = -M
negated, up to the order of the units and, for ReLU, up to multiplying a row by c > 0 and
dividing its column by c. *)
From mathcomp Require Import all_ssreflect all_algebra perm.
From SkipAbsorption Require Import networks theorem4_sufficiency lemma6 counting theorem4_relu theorem4_smooth.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Solutions.
Variables (R : realFieldType) (m d N : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)).

(** V is W with the rows in [S] negated, units moved by [p], row i multiplied by [c i]
    and its column divided by [c i]. *)
Definition flip_of (S : {set 'I_N}) (p : 'S_N) (c : 'I_N -> R) (D' : 'M[R]_(m, N)) (U' : 'M[R]_(N, d)) :=
  forall i, 0 < c i /\ row (p i) U' = (if i \in S then - c i else c i) *: row i U /\
    col (p i) D' = (c i)^-1 *: col i D.

Section Only.
Variables (D' : 'M[R]_(m, N)) (U' : 'M[R]_(N, d)) (s : 'I_N -> 'I_N -> R).
Hypothesis s_row : forall i j, s i j != 0 -> row j U' = s i j *: row i U.
Hypothesis s_uniq : forall i i' j, s i j != 0 -> s i' j != 0 -> i = i'.
Hypothesis even : forall i, col i D = \sum_j `|s i j| *: col j D'.
Hypothesis odd : D *m U + 2%:R *: M = D' *m U'.
Hypothesis D0 : forall i, col i D != 0.

Lemma only_flips : exists (S : {set 'I_N}) (p : 'S_N) (c : 'I_N -> R),
  [/\ part S D U = - M, flip_of S p c D' U' & forall i, c i = `|s i (p i)|].
Proof.
pose f : 'I_N -> 'I_N := pi even D0.
have inj : injective f by exact: (pi_inj s_uniq).
have fP i : s i (f i) != 0 by exact: piP.
exists (flipped even D0), (perm inj), (fun i => `|s i (perm inj i)|); split=> // [|i].
  have := core s_row s_uniq even odd D0; rewrite subnn leqn0 mxrank_eq0 => h.
  by apply/eqP; rewrite -addr_eq0 addrC.
have s0 : s i (perm inj i) != 0 by rewrite permE.
rewrite normr_gt0; split=> //; split.
  rewrite (s_row s0) inE -/(f i) permE; case: ifP => [lt|/negbT]; first by rewrite ltr0_norm ?opprK.
  by rewrite -leNgt => ge; rewrite ger0_norm.
rewrite even (bigD1 (perm inj i)) //= big1 ?addr0 => [|k ki].
  by rewrite scalerA mulVf ?scale1r // normr_eq0.
have [->|sk] := eqVneq (s i k) 0; first by rewrite normr0 scale0r.
case/eqP: ki; rewrite -[k](permKV (perm inj)); congr (perm inj _); apply: s_uniq sk.
by rewrite -[X in s _ X](permKV (perm inj)) permE.
Qed.
End Only.

Lemma mlp_sum (s : R -> R) (C : 'M[R]_(m, N)) (V : 'M[R]_(N, d)) x :
  mlp s C V x = \sum_i s ((row i V *m x) 0 0) *: col i C.
Proof.
apply/matrixP => l k; rewrite ord1 summxE mxE; apply: eq_bigr => i _.
have -> : (row i V *m x) 0 0 = (V *m x) i 0 by rewrite -row_mul [LHS]mxE.
by move: (V *m x) => y; rewrite !mxE mulrC.
Qed.

(** All of them do absorb; [hc] is trivial when every [c i] is 1. *)
Lemma flips_absorb (s : R -> R) S p c D' U' : (forall z, s z - s (- z) = z) ->
  (forall i z, s (c i * z) = c i * s z) -> part S D U = - M -> flip_of S p c D' U' ->
  forall x, mlp s D U x + M *m x = mlp s D' U' x.
Proof.
move=> hs hc hM hf x; rewrite -[M]opprK -hM mulNmx /part mulmx_suml !mlp_sum.
rewrite [RHS](reindex_inj (@perm_inj _ p)) -sumrN [X in _ + X]big_mkcond -big_split /=.
apply: eq_bigr => i _; have [ci [-> ->]] := hf i; set z := (row i U *m x) 0 0.
have c1 : c i * (c i)^-1 = 1 by rewrite mulfV // gt_eqF.
have sc (b : R) : (b *: row i U *m x) 0 0 = b * z by rewrite -scalemxAl mxE.
rewrite sc; case: ifP => _; last by rewrite addr0 hc scalerA mulrAC c1 mul1r.
rewrite mulNr -mulrN hc scalerA mulrAC c1 mul1r -mulmxA [row i U *m x]mx11_scalar -/z.
by rewrite mul_mx_scalar -scalerBl -{2}(hs z) opprB addrC subrK.
Qed.
End Solutions.

Section Final.
Variables (R : realFieldType) (m d N : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)).

Theorem thm4_relu_solutions (D' : 'M[R]_(m, N)) (U' : 'M[R]_(N, d)) : generic D U ->
  (forall x, mlp (@relu R) D U x + M *m x = mlp (@relu R) D' U' x) <->
  exists S p c, part S D U = - M /\ flip_of D U S p c D' U'.
Proof.
move=> G; split=> [e|[S [p [c [hS hf]]]]].
  have [_ _ D0] := G; have o := odd_part (@relu_odd R) e.
  have sr i j : scal U' G i j != 0 -> row j U' = scal U' G i j *: row i U by exact: scal_row.
  have su i i' j : scal U' G i j != 0 -> scal U' G i' j != 0 -> i = i' by exact: scal_uniq.
  have [S [p [c [h1 h2 _]]]] := only_flips sr su (scal_even G e) o D0.
  by exists S, p, c.
apply: (flips_absorb _ _ hS hf) => [|i z]; first exact: relu_odd.
by have [/ltW c0 _] := hf i; rewrite /relu maxr_pmulr // mulr0.
Qed.

Lemma thm4_smooth_solutions (s : R -> R) (D' : 'M[R]_(m, N)) (U' : 'M[R]_(N, d)) :
  (forall z, s z - s (- z) = z) -> scale_indep (fun z => s z + s (- z)) -> generic_pm D U ->
  (forall x, mlp s D U x + M *m x = mlp s D' U' x) <->
  exists S p, part S D U = - M /\ flip_of D U S p (fun=> 1) D' U'.
Proof.
move=> hs si G; split=> [e|[S [p [hS hf]]]]; last by apply: flips_absorb hS hf => // i z; rewrite !mul1r.
have [_ _ D0] := G; have o := odd_part hs e.
have [S [p [c [h1 h2 h3]]]] := only_flips (pm_row (U := U) (U' := U')) (pm_uniq G) (pm_even si G e) o D0.
exists S, p; split=> // i; have [ci [h4 h5]] := h2 i.
suff c1 : c i = 1 by rewrite c1 in h4 h5; rewrite ltr01.
by move: ci; rewrite h3 norm_pm; case: (_ || _) => //; rewrite ltxx.
Qed.
End Final.
