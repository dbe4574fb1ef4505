(** * The logistic gate absorbs (g(0) = 1/2 in Proposition 2) *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp.
From SkipAbsorption Require Import networks hypotheses_other.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Definition logistic (R : realType) (z : R) : R := (1 + expR (- z))^-1.

(** x_i - g(w_i x) x_i = g(- w_i x) x_i, whatever the rows w_i. *)
Theorem logistic_gate_absorbs (R : realType) d (W : 'M[R]_d) (x : 'cV[R]_d) :
  x + gmlp (@logistic R) (- 1%:M) W 1%:M x = gmlp (@logistic R) 1%:M (- W) 1%:M x.
Proof.
apply: sigmoid_gate_absorbs => z; rewrite /logistic opprK expRN.
move: (expR z) (expR_gt0 z) => e e0; have n0 : e != 0 by rewrite gt_eqF.
have n1 : 1 + e != 0 by rewrite gt_eqF // addr_gt0 ?ltr01.
have -> : (1 + e^-1)^-1 = e / (1 + e) by rewrite -invf_div mulrDl mul1r divff // addrC.
by rewrite -[X in _ + X]mul1r -mulrDl addrC divff.
Qed.
