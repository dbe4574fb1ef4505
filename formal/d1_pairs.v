(** * D1: what a linear map costs in units

Opposing d units with independent rows adds any linear map for d units; from scratch a
linear map of rank r costs exactly 2 r units. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks x1_construction x1_width x1_values.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** Units f 0, ..., f (d-1) with independent rows: their columns change, and each is opposed by
    one new unit; the other units stay. *)
Theorem d1_opposed_pairs (R : fieldType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d))
    (f : 'I_d -> 'I_N) (M : 'M[R]_(m, d)) :
  (forall z, s z - s (- z) = z) -> rowsub f U \in unitmx ->
  exists (Y : 'M_(m, d)), forall x,
    mlp s D U x + M *m x = mlp s (row_mx (D + Y *m rowsub f 1%:M) (- Y)) (col_mx U (- rowsub f U)) x.
Proof.
move=> hs u; exists (M *m invmx (rowsub f U)) => x.
by rewrite -(oppose_mlp hs) mulmxKV.
Qed.

Lemma kstar_empty (R : fieldType) m d (M : 'M[R]_(m, d)) :
  kstar (0 : 'M_(m, 0)) (0 : 'M_(0, d)) M = (2 * \rank M)%N.
Proof.
set D0 := 0 : 'M_(m, 0); set U0 := 0 : 'M_(0, d).
apply/eqP; rewrite eqn_leq kstar_le_rank /=; have [[F [H [_ ->]]] _] := kstarP D0 U0 M.
have -> : H = set0 by apply/setP; case.
rewrite cost_set0 leq_mul2l /=; suff -> : part F D0 U0 = 0 by rewrite addr0.
by rewrite /part big1 //; case.
Qed.

(** From scratch (N = 0): M x alone is a ReLU network of width N' if and only if N' >= 2 rank M. *)
Theorem d1_fresh_pairs (R : realFieldType) m d (M : 'M[R]_(m, d)) N' :
  (exists (D : 'M_(m, N')) (U : 'M_(N', d)), forall x, M *m x = mlp (@relu R) D U x) <->
  (2 * \rank M <= N')%N.
Proof.
rewrite -kstar_empty; pose D0 : 'M[R]_(m, 0) := 0; pose U0 : 'M[R]_(0, d) := 0.
have G : generic D0 U0 by split; case.
have e0 x : mlp (@relu R) D0 U0 x = 0 by rewrite /mlp mul0mx.
have := x1_relu M G N'; rewrite add0n => <-.
by split=> -[D [U e]]; exists D, U => x; rewrite -e e0 add0r.
Qed.

(** Every GELU-like activation writes M x with 2 rank M units. *)
Theorem d1_pairs (R : fieldType) (s : R -> R) m d (M : 'M[R]_(m, d)) :
  (forall z, s z - s (- z) = z) -> forall x,
  M *m x = mlp s (row_mx (col_base M) (- col_base M)) (col_mx (row_base M) (- row_base M)) x.
Proof.
move=> hs x; rewrite /mlp mul_col_mx map_col_mx mul_row_col (mulNmx (col_base M)) -mulmxBr.
by rewrite opposed_rows // mulmxA mulmx_base.
Qed.

(** Independent rows: the identity. *)
Example d1_instance (R : fieldType) d : rowsub id (1%:M : 'M[R]_d) \in unitmx.
Proof. by rewrite (_ : rowsub id _ = 1%:M) ?unitmx1 //; apply/matrixP => i j; rewrite !mxE. Qed.
