(** * Proposition 8 (prop:width) (ii) and Corollary 5 (cor:generic), in polynomial form

One non-zero polynomial in the weights; wherever it does not vanish, no network without skip
and of width below N + d computes x + W_down sigma(W_up x).  The ring of polynomials is any
integral domain with evaluations at points, so that the same proof serves for multivariate
polynomials and, in the file on Lebesgue measure, for iterated univariate ones. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SsrMultinomials Require Import mpoly.
From SkipAbsorption Require Import networks theorem4_relu.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** What the lower bound of Theorem 4 says of an activation: a network of width N' without skip
    that computes x + W_down s(W_up x) leaves some I + A_F B_F with rank at most N' - N. *)
Definition width_bound (R : realFieldType) (s : R -> R) := forall d N N' (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d))
  (D' : 'M[R]_(d, N')) (U' : 'M[R]_(N', d)), generic D U ->
  (forall x, mlp s D U x + x = mlp s D' U' x) ->
  (N <= N')%N /\ exists F : {set 'I_N}, (\rank (1%:M + part F D U)%R <= N' - N)%N.

(** Weights as points of an affine space, and polynomials in their coordinates. *)
Section Zariski.
Variables (R : realFieldType) (d' N : nat).
Let d := d'.+2.
Definition dimW := (N * d + d * N)%N.
(** Any integral domain with one element for each coordinate, and evaluations at points. *)
Variables (Q : idomainType) (X : 'I_dimW -> Q) (ev : ('I_dimW -> R) -> {rmorphism Q -> R}).
Hypothesis evX : forall v i, ev v (X i) = v i.
Definition coord (U : 'M[R]_(N, d)) (D : 'M[R]_(d, N)) : 'I_dimW -> R :=
  fun k => row_mx (mxvec U) (mxvec D) 0 k.
Definition XU : 'M[Q]_(N, d) := \matrix_(i, j) X (lshift _ (mxvec_index i j)).
Definition XD : 'M[Q]_(d, N) := \matrix_(i, j) X (rshift _ (mxvec_index i j)).

Lemma XU_ev U D : map_mx (ev (coord U D)) XU = U.
Proof. by apply/matrixP => i j; rewrite !mxE evX /coord row_mxEl mxvecE. Qed.
Lemma XD_ev U D : map_mx (ev (coord U D)) XD = D.
Proof. by apply/matrixP => i j; rewrite !mxE evX /coord row_mxEr mxvecE. Qed.
Lemma XUE U D i j : ev (coord U D) (XU i j) = U i j.
Proof. by rewrite -[in RHS](XU_ev U D) [RHS]mxE. Qed.
Lemma XDE U D i j : ev (coord U D) (XD i j) = D i j.
Proof. by rewrite -[in RHS](XD_ev U D) [RHS]mxE. Qed.

Definition detp (F : {set 'I_N}) : Q := \det (1%:M + part F XD XU).
Lemma detpE F U D : ev (coord U D) (detp F) = \det (1%:M + part F D U).
Proof.
rewrite -det_map_mx map_mxD map_mx1 /part; congr (\det (_ + _)).
rewrite raddf_sum; apply: eq_bigr => i _.
by rewrite /= map_mxM map_col map_row XU_ev XD_ev.
Qed.
Lemma neq0_ev (p : Q) U D : ev (coord U D) p != 0 -> p != 0.
Proof. by apply: contraNN => /eqP ->; rewrite rmorph0. Qed.

Definition i0 : 'I_d := ord0.
Definition i1 : 'I_d := lift ord0 ord0.
Definition minp (p : 'I_N * 'I_N) : Q := XU p.1 i0 * XU p.2 i1 - XU p.1 i1 * XU p.2 i0.
Definition genp : Q :=
  (\prod_F detp F) * (\prod_i XD i0 i) * (\prod_i XU i i0) * (\prod_(p | p.1 != p.2) minp p).

Lemma genp_neq0 : genp != 0.
Proof.
rewrite /genp !mulf_neq0 //; apply/prodf_neq0.
- move=> F _; apply: (@neq0_ev _ 0 0).
  rewrite detpE /part big1 ?addr0 ?det1 ?oner_neq0 // => i _.
  by rewrite row0 mulmx0.
- by move=> i _; apply: (@neq0_ev _ 0 (const_mx 1)); rewrite XDE mxE oner_neq0.
- by move=> i _; apply: (@neq0_ev _ (const_mx 1) 0); rewrite XUE mxE oner_neq0.
move=> [i i'] /= ne; apply: (@neq0_ev _ (\matrix_(k, j) ((k == i) && (j == i0) || (k == i') && (j == i1))%:R) 0).
rewrite /minp /= rmorphB !rmorphM !XUE !mxE !eqxx /= !andbF !orbT mulr1.
by rewrite (negbTE ne) /= mul0r subr0 oner_neq0.
Qed.

Lemma genp_generic U D : ev (coord U D) genp != 0 ->
  generic D U /\ forall F, \det (1%:M + part F D U) != 0.
Proof.
rewrite /genp !rmorphM !mulf_eq0 !negb_or => /andP[/andP[/andP[h1 h2] h3] h4].
have pr (I : finType) (P : pred I) (p : I -> Q) i :
    ev (coord U D) (\prod_(i | P i) p i) != 0 -> P i -> ev (coord U D) (p i) != 0.
  by rewrite rmorph_prod /= => /prodf_neq0 h; exact: h.
split; last by move=> F; rewrite -detpE; apply: pr h1 _.
split.
- by move=> i; apply/rV0Pn; exists i0; rewrite mxE -(XUE U D); apply: pr h3 _.
- move=> i i' ne; apply/negP => /sub_rVP[a e].
  have /= := pr _ _ _ (i, i') h4 ne; rewrite /minp rmorphB !rmorphM !XUE /=.
  have E j : U i j = a * U i' j by have := congr1 (fun v : 'rV_d => v 0 j) e; rewrite !mxE.
  by rewrite !E mulrAC subrr eqxx.
by move=> i; apply/cV0Pn; exists i0; rewrite mxE -(XDE U D); apply: pr h2 _.
Qed.

(** One non-zero polynomial works for all smaller widths at once. *)
Lemma prop8ii_zariski (s : R -> R) : width_bound s -> exists2 P : Q, P != 0 &
  forall U D, ev (coord U D) P != 0 ->
  forall N' (D' : 'M_(d, N')) (U' : 'M_(N', d)), (N' < N + d)%N ->
  ~ (forall x, mlp s D U x + x = mlp s D' U' x).
Proof.
move=> hs; exists genp => [|U D /genp_generic[G hdet] N' D' U' ltN e]; first exact: genp_neq0.
have [leN [F]] := hs _ _ _ _ _ _ _ G e; apply/negP; rewrite -ltnNge.
have /mxrank_unit -> : 1%:M + part F D U \in unitmx by rewrite unitmxE unitfE.
by rewrite ltn_subLR.
Qed.
End Zariski.

(** Proposition 8 (ii) with multivariate polynomials, d = d' + 2 >= 2; the case N' = N is Corollary 5. *)
Theorem prop8ii_polynomial (R : realFieldType) (s : R -> R) (d' N : nat) : let d := d'.+2 in
  width_bound s -> exists2 P : {mpoly R[dimW d' N]}, P != 0 &
  forall U D, P.@[coord U D] != 0 ->
  forall N' (D' : 'M_(d, N')) (U' : 'M_(N', d)), (N' < N + d)%N ->
  ~ (forall x, mlp s D U x + x = mlp s D' U' x).
Proof.
have X (v : 'I_(dimW d' N) -> R) i : [rmorphism of meval v] 'X_i = v i by exact: mevalXU.
exact: (prop8ii_zariski X).
Qed.

(** ReLU, over any ordered field. *)
Example prop8ii_instance (R : realFieldType) : width_bound (@relu R).
Proof.
move=> d N N' D U D' U' G e; apply: (relu_lower (M := 1%:M) G (D' := D') (U' := U')) => x.
by rewrite mul1mx.
Qed.
