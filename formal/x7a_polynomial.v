(** * X7a, almost every weight: one polynomial of all the weights

L residual ReLU blocks of width N in dimension d.  Off the zeros of one non-zero polynomial of
the 2 L N d weights, no network whose first block has no skip and fewer than 2 d units
computes the same function, whatever follows that block. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SsrMultinomials Require Import mpoly.
From SkipAbsorption Require Import networks x7a_depth_relu.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Weights.
Variables (d N L : nat).
(** Weights of one block, and of all. *)
Definition dim1 := (N * d + d * N)%N.
Definition dimL := (L * dim1)%N.
Section Blocks.
Variables (R : ringType) (T : 'M[R]_(L, dim1)).
Definition upL (l : 'I_L) : 'M[R]_(N, d) := vec_mx (lsubmx (row l T)).
Definition downL (l : 'I_L) : 'M[R]_(d, N) := vec_mx (rsubmx (row l T)).
End Blocks.
(** The residual network x |-> f_L (... (f_1 x)), f_l(x) = x + W_down^l relu (W_up^l x). *)
Definition residual (R : realFieldType) (T : 'M[R]_(L, dim1)) : 'cV[R]_d -> 'cV[R]_d :=
  net [seq existT _ N (downL T l, upL T l) : wblock R d | l <- enum 'I_L].

(** The function of T is no block of fewer than 2 d units followed by anything. *)
Definition unlike_any (R : realFieldType) (f : 'cV[R]_d -> 'cV[R]_d) :=
  forall d1 N' (D' : 'M[R]_(d1, N')) (U' : 'M[R]_(N', d)) (rest : 'cV[R]_d1 -> 'cV[R]_d),
  (N' < 2 * d)%N -> exists x, f x != rest (mlp (@relu R) D' U' x).

Section Polynomial.
Variables (R : realFieldType) (Q : idomainType) (X : 'I_dimL -> Q).
Variable ev : ('I_dimL -> R) -> {rmorphism Q -> R}.
Hypothesis evX : forall v i, ev v (X i) = v i.
Definition coordL (T : 'M[R]_(L, dim1)) : 'I_dimL -> R := fun k => mxvec T 0 k.
Definition XL : 'M[Q]_(L, dim1) := \matrix_(l, k) X (mxvec_index l k).
Lemma XL_ev T : map_mx (ev (coordL T)) XL = T.
Proof. by apply/matrixP => l k; rewrite !mxE evX /coordL mxvecE. Qed.
Definition genL : Q := \prod_l \prod_S \det (1%:M + part S (downL XL l) (upL XL l)).

Lemma genL_ev T : ev (coordL T) genL = \prod_l \prod_S \det (1%:M + part S (downL T l) (upL T l)).
Proof.
rewrite rmorph_prod; apply: eq_bigr => l _; rewrite rmorph_prod; apply: eq_bigr => S _.
rewrite -det_map_mx map_mxD map_mx1 /part; congr (\det (_ + _)); rewrite raddf_sum; apply: eq_bigr => i _.
rewrite /= map_mxM map_col map_row /downL /upL !map_vec_mx.
by rewrite map_lsubmx map_rsubmx map_row XL_ev.
Qed.
Lemma genL_neq0 : genL != 0.
Proof.
suff : ev (coordL 0) genL != 0 by apply: contraNN => /eqP ->; rewrite rmorph0.
rewrite genL_ev; apply/prodf_neq0 => l _; apply/prodf_neq0 => S _.
have -> : downL (0 : 'M[R]_(L, dim1)) l = 0 by rewrite /downL row0 !linear0.
by rewrite /part big1 ?addr0 ?det1 ?oner_neq0 // => i _; rewrite col0 mul0mx.
Qed.
Lemma genL_unlike T : ev (coordL T) genL != 0 -> unlike_any (residual T).
Proof.
rewrite genL_ev => /prodf_neq0 h d1 N' D' U' rest; apply: F2 => w.
rewrite /residual; elim: (enum _) => //= l ls IH [<- S|]; last exact: IH.
by have /prodf_neq0/(_ S isT) := h l isT; rewrite unitmxE unitfE.
Qed.
Lemma x7a_any : exists2 P : Q, P != 0 & forall T, ev (coordL T) P != 0 -> unlike_any (residual T).
Proof. by exists genL; [exact: genL_neq0|exact: genL_unlike]. Qed.
End Polynomial.
End Weights.

(** X7a with multivariate polynomials. *)
Theorem x7a_polynomial (R : realFieldType) (d N L : nat) :
  exists2 P : {mpoly R[dimL d N L]}, P != 0 &
  forall T : 'M[R]_(L, dim1 d N), P.@[coordL T] != 0 -> unlike_any (residual T).
Proof.
have X (v : 'I_(dimL d N L) -> R) i : [rmorphism of meval v] 'X_i = v i by exact: mevalXU.
exact: (x7a_any X).
Qed.

(** Such weights exist: with W_down = 0 throughout, no block without skip and of fewer than 2 d units
    can begin a network that computes the identity. *)
Example x7a_instance (R : realFieldType) (d N L : nat) : unlike_any (residual (0 : 'M[R]_(L, dim1 d N))).
Proof.
move=> d1 N' D' U' rest; apply: F2 => w; rewrite /residual; elim: (enum _) => //= l ls IH [<- S|//] /=.
have -> : downL (0 : 'M[R]_(L, dim1 d N)) l = 0 by rewrite /downL row0 !linear0.
by rewrite /part big1 ?addr0 ?unitmx1 // => i _; rewrite col0 mul0mx.
Qed.
