(** * Theorem 4 (thm:ungated) for GELU, the tanh form of GELU, and SiLU *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals.
From SkipAbsorption Require Import networks theorem4_smooth silu_tanh_gelu gelu.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Theorem thm4_silu (R : realType) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)) :
  generic_pm D U ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)), forall x, mlp (@silu R) D U x + M *m x = mlp (@silu R) D' U' x) <->
  (exists S : {set 'I_N}, part S D U = - M).
Proof. exact: (thm4_smooth (@silu_odd R) (@silu_si R)). Qed.

Theorem thm4_gelu (R : realType) (kappa : R) (k0 : kappa != 0)
  m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)) :
  generic_pm D U ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)), forall x, mlp (gelu kappa) D U x + M *m x = mlp (gelu kappa) D' U' x) <->
  (exists S : {set 'I_N}, part S D U = - M).
Proof. exact: (thm4_smooth (@gelu_odd R kappa) (gelu_si k0)). Qed.
