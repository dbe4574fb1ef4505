(** * Weights that satisfy hypotheses: the theorems on GELU, tanh-GELU and SiLU *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp.
From SkipAbsorption Require Import networks theorem4_smooth theorem4_activations x1c_any_weights instances.
From SkipAbsorption Require Import x1_activations hypotheses_examples x5_canonical.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Instances.
Variable R : realType.

(** What the algebraic theorems ask of sigma, GELU-like. *)
Example smooth_instance : exists2 s : R -> R, smooth_activation s &
  [/\ forall z, s z - s (- z) = z, scale_indep (fun z => s z + s (- z)) & s 0 = 0].
Proof.
have g : smooth_activation (@gelu_erf R) by exact: Gelu.
by exists (@gelu_erf R) => //; split; [exact: smooth_odd|exact: smooth_scale_indep|exact: smooth_zero].
Qed.

(** Under (G), and absorbing: W_up = I, W_down = - I. *)
Example thm4_gelu_instance d : let D := (-1)%:M : 'M[R]_d in let U := 1%:M in
  [/\ smooth_activation (@gelu_erf R), generic D U & part setT D U = - 1%:M].
Proof.
split; [exact: Gelu|by apply: generic_scalar; rewrite oppr_eq0 oner_eq0|].
by rewrite part_scalar raddfN.
Qed.

(** Collinear rows 1 and 2 in dimension 1, columns - 1/3: allowed by X1c, excluded by (G), and absorbing. *)
Example thm4_pm_instance : let D : 'M[R]_(1, 2) := const_mx (- 3%:R^-1) in
  let U : 'M[R]_(2, 1) := \matrix_(i, j) (i.+1)%:R in
  [/\ smooth_activation (@silu_tanh_gelu.silu R), generic_pm D U, ~ generic D U & part setT D U = - 1%:M].
Proof.
have rowE (i : 'I_2) : row i (\matrix_(i, j) (i.+1)%:R : 'M[R]_(2, 1)) = const_mx (i.+1)%:R.
  by apply/matrixP => a b; rewrite !mxE.
have v3 : - 3%:R^-1 != 0 :> R by rewrite oppr_eq0 invr_eq0 pnatr_eq0.
split; first exact: Silu.
- split=> [i|i j ne|i]; rewrite ?rowE.
  + by apply/rV0Pn; exists 0; rewrite mxE pnatr_eq0.
  + split; apply: contra ne => /eqP/matrixP/(_ 0 0)/eqP; rewrite !mxE.
      by rewrite eqr_nat eqSS.
    by rewrite -addr_eq0 -natrD pnatr_eq0.
  + by apply/cV0Pn; exists 0; rewrite !mxE.
- case=> _ /(_ 0 1 isT)/negP + _; apply; rewrite !rowE; apply/sub_rVP; exists (2%:R^-1).
  by apply/matrixP => a b; rewrite !mxE mulVf // pnatr_eq0.
apply/matrixP => a b; rewrite (ord1 a) (ord1 b) partE sum2 !inE !mxE eqxx /= -mulrDr.
by rewrite -natrD mulNr mulVf // pnatr_eq0.
Qed.

(** Every I + A_F B_F invertible, with a GELU-like activation. *)
Example regular_smooth_instance d : let D : 'M[R]_d := 1%:M in
  [/\ smooth_activation (@gelu_erf R), generic_pm D D & forall F, \det (1%:M + part F D D) != 0].
Proof.
have [g h _] := @regular_instance R d.
by split; [exact: Gelu|exact: generic_pmW|exact: h].
Qed.
End Instances.
