(** * X3 (ext:distance): how far a homogeneous block must stay from a skip *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks prop1_homogeneous.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** X3, dual form: for every scaling pair (t, c = t^k) and every seminorm. *)
Section X3.
Variables (R : realFieldType) (m d : nat) (nrm : 'cV[R]_m -> R).
Hypotheses (nD : forall u v, nrm (u + v) <= nrm u + nrm v) (nZ : forall a v, nrm (a *: v) = `|a| * nrm v).
Variables (t c : R) (M : 'M[R]_(m, d)) (f : 'cV[R]_d -> 'cV[R]_m).
Hypothesis fs : scales t c f.
Let r x := M *m x + f x.
Theorem x3 x : 0 <= c -> `|c - t| / (1 + c) * nrm (M *m x) <= Num.max (nrm (r x)) (nrm (r (t *: x))).
Proof.
move=> c0; have k0 : 0 < 1 + c by apply: (lt_le_trans ltr01); rewrite ler_addl.
rewrite mulrAC ler_pdivr_mulr // -nZ.
have -> : (c - t) *: (M *m x) = c *: r x + (-1) *: r (t *: x).
  by rewrite /r fs -scalemxAr scaleN1r opprD scalerDr addrACA subrr addr0 scalerBl.
apply: le_trans (nD _ _) _; rewrite !nZ (ger0_norm c0) normrN normr1 mulrDr mulr1 [X in _ <= X]addrC.
by rewrite mul1r [X in _ <= X + _]mulrC ler_add ?ler_wpmul2l // le_maxr lexx ?orbT.
Qed.
End X3.
