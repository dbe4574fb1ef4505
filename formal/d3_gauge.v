(** * D3: without normalisation a transformer has a GL(d) of symmetries

The stream is a d x n matrix X, one column for each token.  A block adds O g(I X): for an
MLP, g applies sigma entry by entry; for attention, I stacks query, key and value maps and
g mixes the tokens.  Any g will do. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Gauge.
Variables (R : comUnitRingType) (d n : nat).

Record layer := Layer { inner : nat; outer : nat;
  reads : 'M[R]_(inner, d); mixes : 'M[R]_(inner, n) -> 'M[R]_(outer, n); writes : 'M[R]_(d, outer) }.
Definition apply_layer (X : 'M[R]_(d, n)) (l : layer) := X + writes l *m @mixes l (reads l *m X).
Definition transformer v w (E : 'M[R]_(d, v)) (ls : seq layer) (Un : 'M[R]_(w, d)) (T : 'M[R]_(v, n)) :=
  Un *m foldl apply_layer (E *m T) ls.

(** Q acts on a layer: reads by Q^-1, writes by Q. *)
Definition gauge (Q : 'M[R]_d) (l : layer) := Layer (reads l *m invmx Q) (@mixes l) (Q *m writes l).

(** One block: Q (X + O g(I X)) = Q X + (Q O) g((I Q^-1) (Q X)). *)
Lemma gauge_layer Q l X : Q \in unitmx -> apply_layer (Q *m X) (gauge Q l) = Q *m apply_layer X l.
Proof. by move=> uQ; rewrite /apply_layer /= -[reads l *m _ *m _]mulmxA mulKmx // mulmxDr !mulmxA. Qed.

(** The whole network, embedding and unembedding included. *)
Theorem d3_gauge v w (E : 'M[R]_(d, v)) (ls : seq layer) (Un : 'M[R]_(w, d)) Q T : Q \in unitmx ->
  transformer (Q *m E) [seq gauge Q l | l <- ls] (Un *m invmx Q) T = transformer E ls Un T.
Proof.
move=> uQ; rewrite /transformer -(mulmxA Q); set X := E *m T.
suff -> : foldl apply_layer (Q *m X) [seq gauge Q l | l <- ls] = Q *m foldl apply_layer X ls.
  by rewrite -mulmxA mulKmx.
by elim: ls X => [|l ls IH] X //=; rewrite gauge_layer ?IH.
Qed.

(** An MLP block and an attention head are such layers; phi stands for softmax. *)
Definition mlp_layer (s : R -> R) N (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) := Layer U (map_mx s) D.
Definition attention_layer k h (phi : 'M[R]_n -> 'M[R]_n) (WQ WK : 'M[R]_(k, d)) (WV : 'M[R]_(h, d))
    (WO : 'M[R]_(d, h)) :=
  @Layer (k + (k + h)) h (col_mx WQ (col_mx WK WV))
    (fun Z => dsubmx (dsubmx Z) *m phi ((usubmx (dsubmx Z))^T *m usubmx Z)) WO.
Lemma attention_layerE k h phi (WQ WK : 'M[R]_(k, d)) (WV : 'M[R]_(h, d)) WO X :
  apply_layer X (attention_layer phi WQ WK WV WO) =
  X + WO *m (WV *m X *m phi ((WK *m X)^T *m (WQ *m X))).
Proof. by rewrite /apply_layer /= !mul_col_mx !(col_mxKu, col_mxKd). Qed.
End Gauge.
Lemma mlp_layerE (R : comUnitRingType) d (s : R -> R) N (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) (x : 'cV[R]_d) :
  apply_layer x (mlp_layer 1 s D U) = x + mlp s D U x.
Proof. by []. Qed.

(** A change of basis: doubling the stream. *)
Example d3_instance d : (2%:R)%:M \in @unitmx [comUnitRingType of rat] d.
Proof. by rewrite unitmxE det_scalar unitrX. Qed.
