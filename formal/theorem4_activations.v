(** * Theorem 4 (thm:ungated) and the converse of Corollary 5, for the four activations

ReLU, GELU (by the power series of the error function), the tanh form of GELU (z/2 (1 + tanh u)
is z / (1 + exp(-2u))), and SiLU, each with its own constants; under the one set of hypotheses (G). *)
From mathcomp Require Import all_ssreflect all_algebra perm.
From mathcomp Require Import reals trigo.
From SkipAbsorption Require Import networks lemma6 counting theorem4_relu theorem4_smooth.
From SkipAbsorption Require Import theorem4_sufficiency theorem4_solutions silu_tanh_gelu gelu.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Constants.
Variable R : realType.
(** GELU: the constant of the normal density. *)
Definition gelu_erf : R -> R := gelu (Num.sqrt (2%:R * trigo.pi))^-1.
(** The tanh form: 2 sqrt(2/pi) (z + 0.044715 z^3) in the exponential; natural numbers are unary
    here, so the decimal is put together from small ones. *)
Definition tanh_cubic : R := (44%:R * 10%:R ^+ 3 + 715%:R) / 10%:R ^+ 6.
Definition tanh_slope : R := 2%:R * Num.sqrt (2%:R / trigo.pi).
Definition gelu_tanh : R -> R := tgelu tanh_slope (tanh_cubic * tanh_slope).

Inductive smooth_activation : (R -> R) -> Prop :=
  | Gelu : smooth_activation gelu_erf
  | TanhGelu : smooth_activation gelu_tanh
  | Silu : smooth_activation (@silu R).
Inductive activation : (R -> R) -> Prop :=
  | Relu : activation (@relu R)
  | Smooth s : smooth_activation s -> activation s.

Lemma gelu_constant_neq0 : (Num.sqrt (2%:R * trigo.pi))^-1 != 0 :> R.
Proof. by rewrite invr_eq0 gt_eqF // sqrtr_gt0 mulr_gt0 ?trigo.pi_gt0 ?ltr0n. Qed.
Lemma tanh_slope_gt0 : 0 < tanh_slope.
Proof. by rewrite mulr_gt0 ?ltr0n // sqrtr_gt0 divr_gt0 ?trigo.pi_gt0 ?ltr0n. Qed.

Lemma tanh_cubic_ge0 : 0 <= tanh_cubic * tanh_slope.
Proof.
rewrite mulr_ge0 ?(ltW tanh_slope_gt0) // divr_ge0 ?exprn_ge0 ?ler0n // addr_ge0 ?ler0n //.
by rewrite mulr_ge0 ?exprn_ge0 ?ler0n.
Qed.

Lemma smooth_odd s : smooth_activation s -> forall z, s z - s (- z) = z.
Proof.
by case; [exact: (@gelu_odd R _)|exact: (@tgelu_odd R _ _)|exact: (@silu_odd R)].
Qed.
Lemma smooth_scale_indep s : smooth_activation s -> scale_indep (fun z => s z + s (- z)).
Proof.
case; [exact: (gelu_si gelu_constant_neq0)|exact: (tgelu_si tanh_slope_gt0 tanh_cubic_ge0)|].
exact: (@silu_si R).
Qed.
Lemma activation_odd s : activation s -> forall z, s z - s (- z) = z.
Proof. by case=> [|s' /smooth_odd //]; exact: relu_odd. Qed.
End Constants.

Section Lower.
Variables (R : realType) (s : R -> R) (hs : activation s) (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)).
Variable (M : 'M[R]_(m, d)).
Hypothesis G : generic D U.
Hypothesis eqf : forall x, mlp s D U x + M *m x = mlp s D' U' x.

Lemma activation_lower : (N <= N')%N /\ exists F : {set 'I_N}, (\rank (M + part F D U)%R <= N' - N)%N.
Proof.
move: eqf; case: hs => [e|s' hs' e]; first exact: relu_lower G e.
exact: (smooth_lower (smooth_odd hs') (smooth_scale_indep hs') (generic_pmW G) e).

Qed.
End Lower.

(** Theorem 4: the skip M is absorbed at the same width if and only if A_S B_S = -M for some S. *)
Theorem thm4 (R : realType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)) :
  activation s -> generic D U ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)), forall x, mlp s D U x + M *m x = mlp s D' U' x) <->
  (exists S : {set 'I_N}, part S D U = - M).
Proof.
move=> hs G; split=> [[D' [U' e]]|[S /(thm4_suff (activation_odd hs))[V hV]]]; last by exists D, V.
have [_ [F]] := activation_lower hs G e; rewrite subnn leqn0 mxrank_eq0 => h; exists F.
by apply/eqP; rewrite -addr_eq0 addrC.
Qed.

(** Theorem 4, the smooth activations under the weaker hypotheses of X1c. *)
Theorem thm4_pm (R : realType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)) :
  smooth_activation s -> generic_pm D U ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)), forall x, mlp s D U x + M *m x = mlp s D' U' x) <->
  (exists S : {set 'I_N}, part S D U = - M).
Proof. by move=> hs; exact: (thm4_smooth (smooth_odd hs) (smooth_scale_indep hs)). Qed.

(** Theorem 4, all solutions for GELU and its relatives: W with the rows in S negated, up to the
    order of the units.  (For ReLU, see [thm4_relu_solutions].) *)
Theorem thm4_gelu_solutions (R : realType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d))
    (M : 'M[R]_(m, d)) (D' : 'M[R]_(m, N)) (U' : 'M[R]_(N, d)) :
  smooth_activation s -> generic D U ->
  (forall x, mlp s D U x + M *m x = mlp s D' U' x) <->
  exists S p, part S D U = - M /\ flip_of D U S p (fun=> 1) D' U'.
Proof.
by move=> hs G; exact: (thm4_smooth_solutions M D' U' (smooth_odd hs) (smooth_scale_indep hs) (generic_pmW G)).
Qed.

(** |S| >= d in condition (3). *)
Theorem condition_card (F : fieldType) d N (D : 'M[F]_(d, N)) (U : 'M[F]_(N, d)) (S : {set 'I_N}) :
  part S D U = - 1%:M -> (d <= #|S|)%N.
Proof.
move=> h; have := rank_sum (mem S) (fun i => col i D) (fun i => row i U).
by rewrite -/(part S D U) h mxrank_opp mxrank1.
Qed.

(** Corollary 5, converse: a network without skip minus the identity is a network without skip of
    the same width if and only if A_S B_S = I for some S. *)
Theorem cor5_converse (R : realType) (s : R -> R) d N (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) :
  activation s -> generic D U ->
  (exists (D' : 'M_(d, N)) (U' : 'M_(N, d)), forall x, mlp s D U x - x = mlp s D' U' x) <->
  (exists S : {set 'I_N}, part S D U = 1%:M).
Proof.
move=> hs G; have := thm4 (- 1%:M) hs G; rewrite opprK => h; split=> [[D' [U' e]]|/h[D' [U' e]]].
  by apply/h; exists D', U' => x; rewrite mulNmx mul1mx.
by exists D', U' => x; rewrite -e mulNmx mul1mx.
Qed.

(** An instance, of any size: W_up = I and W_down = -I absorb the identity. *)
Example thm4_instance (R : realType) d : let D := (-1)%:M : 'M[R]_d in let U := 1%:M in
  [/\ generic D U, part setT D U = - 1%:M & activation (@relu R)].
Proof.
split; [|by rewrite part_scalar raddfN|exact: Relu].
by apply: generic_scalar; rewrite oppr_eq0 oner_eq0.
Qed.
Example cor5_instance (R : realType) d : let D := 1%:M : 'M[R]_d in let U := 1%:M in
  [/\ generic D U, part setT D U = 1%:M & activation (@silu R)].
Proof.
split; [|by rewrite part_scalar|by apply: Smooth; exact: Silu].
by apply: generic_scalar; rewrite oner_eq0.
Qed.
