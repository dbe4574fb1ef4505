(** * Networks, and what every file uses

A network without biases has a down-projection [D] (its columns are the a_i) and an
up-projection [U] (its rows are the w_i).  Everything algebraic is stated over an
arbitrary ordered field, so it holds over the rationals and over the reals alike. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** Bias-free single-hidden-layer network  x |-> D sigma(U x). *)
Definition mlp (R : ringType) (s : R -> R) (m N d : nat)
  (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (x : 'cV[R]_d) : 'cV[R]_m :=
  D *m map_mx s (U *m x).

(** Gated network: D (g(G x) * (V x)), the product taken coordinate by coordinate. *)
Definition had (R : ringType) n (a b : 'cV[R]_n) : 'cV[R]_n := \col_i (a i 0 * b i 0).
Definition gmlp (R : ringType) (g : R -> R) (m N d : nat)
  (D : 'M[R]_(m, N)) (G V : 'M[R]_(N, d)) (x : 'cV[R]_d) : 'cV[R]_m :=
  D *m had (map_mx g (G *m x)) (V *m x).

(** The product restricted to a set of units: A_F B_F, the sum over i in F of a_i w_i^T. *)
Definition part (R : ringType) (m N d : nat) (F : {set 'I_N})
  (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) : 'M[R]_(m, d) :=
  \sum_(i in F) col i D *m row i U.

Section Lin.
Variables (R : comRingType) (m d : nat).
Lemma mx_ext (A B : 'M[R]_(m, d)) : (forall x : 'cV_d, A *m x = B *m x) -> A = B.
Proof.
move=> h; apply/trmx_inj/row_matrixP => j.
by rewrite -!tr_col !colE h.
Qed.
End Lin.

Lemma mulmx_colrow (R : comRingType) m N d (D : 'M[R]_(m, N)) (U : 'M_(N, d)) :
  D *m U = \sum_i col i D *m row i U.
Proof.
apply/matrixP => i k; rewrite summxE mxE; apply: eq_bigr => j _.
by rewrite mxE big_ord1 !mxE.
Qed.

Lemma rank_sum (F : fieldType) m d (I : finType) (P : pred I) (c : I -> 'cV[F]_m) (y : I -> 'rV[F]_d) :
  (\rank (\sum_(j | P j) c j *m y j)%R <= #|P|)%N.
Proof.
rewrite -sum1_card; elim/big_rec2: _ => [|j k A _ h]; first by rewrite mxrank0.
apply: leq_trans (mxrank_add _ _) _; apply: leq_add => //.
by apply: leq_trans (mxrankM_maxl _ _) (rank_leq_col _).
Qed.

(** Hypotheses (G): rows non-zero and pairwise non-collinear, columns non-zero. *)
Definition generic (R : fieldType) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) :=
  [/\ forall i, row i U != 0, forall i i', i != i' -> ~~ (row i U <= row i' U)%MS
    & forall i, col i D != 0].

(** The weaker hypotheses that suffice for GELU and SiLU (X1c): rows are only
    forbidden to be equal or opposite. *)
Definition generic_pm (R : ringType) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) :=
  [/\ forall i, row i U != 0,
    forall i i', i != i' -> row i U != row i' U /\ row i U != - row i' U & forall i, col i D != 0].

Section Relu.
Variable R : realFieldType.
Definition relu (z : R) := Num.max z 0.
Lemma relu_odd (z : R) : relu z - relu (- z) = z.
Proof.
rewrite /relu; have [z0|z0] := leP z 0.
  by rewrite max_l ?oppr_ge0 // sub0r opprK.
by rewrite max_r ?oppr_le0 ?ltW // subr0.
Qed.
Lemma relu_even (z : R) : relu z + relu (- z) = `|z|.
Proof.
rewrite /relu; have [z0|z0] := leP z 0.
  by rewrite max_l ?oppr_ge0 // add0r ler0_norm.
by rewrite max_r ?oppr_le0 ?ltW // addr0 gtr0_norm.
Qed.
End Relu.

Lemma generic_pmW (R : numFieldType) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) :
  generic D U -> generic_pm D U.
Proof.
case=> U0 gU D0; split=> // i i' ne; have := gU _ _ ne.
by split; apply: contra H => /eqP ->; rewrite ?eqmx_opp ?submx_refl.
Qed.

(** The hypotheses can be met: take W_up = I and W_down = a I with a non-zero. *)
Lemma generic_scalar (R : fieldType) d (a : R) : a != 0 -> generic (a%:M : 'M_d) (1%:M : 'M_d).
Proof.
move=> a0; split=> [i|i i' ne|i].
- by apply/rV0Pn; exists i; rewrite !mxE eqxx oner_eq0.
- apply/negP => /sub_rVP[b /rowP/(_ i)]; rewrite !mxE eqxx eq_sym (negbTE ne) mulr0.
  by move/eqP; rewrite oner_eq0.
- by apply/cV0Pn; exists i; rewrite !mxE eqxx.
Qed.
Lemma part_scalar (R : comRingType) d (a : R) : part [set: 'I_d] (a%:M : 'M_d) 1%:M = a%:M.
Proof.
rewrite /part (eq_bigl predT) => [|i]; last by rewrite inE.
by rewrite -mulmx_colrow mulmx1.
Qed.
