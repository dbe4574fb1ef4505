(** * X1 (ext:minimal-width) and X5 (ext:canonical-form) for the four activations

ReLU, GELU, the tanh form of GELU and SiLU, each with its own constants. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions reals topology normedtype sequences.
From SkipAbsorption Require Import networks theorem4_smooth theorem4_activations silu_tanh_gelu gelu.
From SkipAbsorption Require Import x5_canonical x5_canonical_smooth x1_width x1_values.
From SkipAbsorption Require Import d1_pairs x1c_any_weights.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Activations.
Variables (R : realType) (s : R -> R) (m d N : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)).

(** X1: the least width of a network without skip that computes W_down s(W_up x) + M x is N + k*. *)
Theorem x1_activations : activation s -> generic D U ->
  forall N', absorbed s D U M N' <-> (N + kstar D U M <= N')%N.
Proof.
case=> [G|s' hs' G] N'; first exact: x1_relu.
exact: (x1_smooth M (smooth_odd hs') (smooth_scale_indep hs') (generic_pmW G)).
Qed.

(** X1c: the smooth ones with collinear rows. *)
Theorem x1_activations_pm : smooth_activation s -> generic_pm D U ->
  forall N', absorbed s D U M N' <-> (N + kstar D U M <= N')%N.
Proof. by move=> hs G N'; exact: (x1_smooth M (smooth_odd hs) (smooth_scale_indep hs) G). Qed.
End Activations.

(** D1: M x alone is a network of width N' if and only if N' >= 2 rank M. *)
Theorem d1_activations (R : realType) (s : R -> R) m d (M : 'M[R]_(m, d)) N' : activation s ->
  (exists (D : 'M_(m, N')) (U : 'M_(N', d)), forall x, M *m x = mlp s D U x) <-> (2 * \rank M <= N')%N.
Proof.
move=> hs; rewrite -kstar_empty; pose D0 : 'M[R]_(m, 0) := 0; pose U0 : 'M[R]_(0, d) := 0.
have G : generic D0 U0 by split; case.
have e0 x : mlp s D0 U0 x = 0 by rewrite /mlp mul0mx.
have := x1_activations M hs G N'; rewrite add0n => <-.
by split=> -[D [U e]]; exists D, U => x; rewrite -e e0 add0r.
Qed.

Lemma smooth_zero (R : realType) (s : R -> R) : smooth_activation s -> s 0 = 0.
Proof.
case; rewrite /gelu_erf /gelu_tanh /silu /gelu /tgelu /lsig ?mul0r // add0r.
rewrite (_ : psum _ _ = 0) ?mulr0 // /psum (_ : series _ = fun=> 0) ?lim_cst //.
apply/funext => n; rewrite /series /= big1 // => k _.
by case: k => [|k]; rewrite ?expr0 ?mulr1 ?expr0n ?mulr0.
Qed.

(** X5: two networks, with skips, are the same function if and only if their canonical forms agree. *)
Theorem x5_smooth (R : realType) (s : R -> R) m d (f g : rnet R m d) : smooth_activation s ->
  (forall x, evals s f x = evals s g x) <-> (Lam f = Lam g /\ forall u, u != 0 -> Qc f u = Qc g u).
Proof. by move=> hs; exact: (canon_pm (smooth_odd hs) (smooth_scale_indep hs) f g (smooth_zero hs)). Qed.

(** X1c: the least width for any weights, from the pairs {u, -u} with a non-zero coefficient. *)
Theorem x1c_activations (R : realType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d))
    (M : 'M[R]_(m, d)) n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)) : smooth_activation s ->
  let f := RNet M D U in lists_pairs f P W ->
  forall N', absorbed s D U M N' <-> (n + kstar P W (class_skip f P W) <= N')%N.
Proof. by move=> hs; exact: (x1c_smooth (smooth_odd hs) (smooth_scale_indep hs) (smooth_zero hs)). Qed.
