(** * Proposition 8 (prop:width) (i): width N + d always absorbs

Provided that W_up has rank d.  Any skip M and any sigma with sigma(z) - sigma(-z) = z. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Width.
Variables (R : fieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
(** Proposition 8(i), for any skip M. *)
Lemma prop8i m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M_(m, d)) :
  \rank U = d ->
  exists (V : 'M_(N + d, d)) (C : 'M_(m, N + d)), forall x, mlp s D U x + M *m x = mlp s C V x.
Proof.
move=> /eqP rU; pose f := fullrankfun rU; pose B := rowsub f U.
have uB : B \in unitmx by apply: fullrowsub_unit.
pose de := M *m invmx B.
exists (col_mx U (- B)), (row_mx (D + de *m rowsub f 1%:M) (- de)) => x.
rewrite /mlp mul_col_mx map_col_mx mul_row_col mulmxDl -addrA; congr (_ + _).
rewrite -mulmxA mul_rowsub_mx mul1mx mulNmx -mulmxBr.
suff -> : rowsub f (map_mx s (U *m x)) - map_mx s (- B *m x) = B *m x by rewrite mulmxA mulmxKV.
apply/matrixP=> i j; rewrite -[RHS]hs mulNmx !mxE; congr (s _ - _).
by apply: eq_bigr => k _; rewrite !mxE.
Qed.
End Width.

(** Proposition 8 (i) for the paper's skip: width N + d computes x + W_down s(W_up x). *)
Theorem prop8i_identity (R : fieldType) (s : R -> R) d N (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) :
  (forall z, s z - s (- z) = z) -> \rank U = d ->
  exists (V : 'M_(N + d, d)) (C : 'M_(d, N + d)), forall x, mlp s D U x + x = mlp s C V x.
Proof.
move=> hs rU; have [V [C h]] := prop8i hs D 1%:M rU.
by exists V, C => x; rewrite -h mul1mx.
Qed.

Example prop8i_instance (R : realFieldType) d :
  (forall z : R, relu z - relu (- z) = z) /\ \rank (1%:M : 'M[R]_d) = d.
Proof. by split; [exact: relu_odd|exact: mxrank1]. Qed.
