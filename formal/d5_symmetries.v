(** * D5: permuting units and positive rescaling are symmetries, a sign flip is not *)
From mathcomp Require Import all_ssreflect all_algebra perm.
From SkipAbsorption Require Import networks x1_construction.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** Units in another order, any activation. *)
Theorem d5_permutation (R : comRingType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d))
    (p : 'S_N) x :
  mlp s (col_perm p D) (row_perm p U) x = mlp s D U x.
Proof.
apply/matrixP => l k; rewrite /mlp [LHS]mxE [RHS]mxE [RHS](reindex_inj (@perm_inj _ p)) /=.
apply: eq_bigr => i _; rewrite [col_perm p D l i]mxE; congr (_ * _); rewrite [LHS]mxE [RHS]mxE.
by congr (s _); rewrite !mxE; apply: eq_bigr => j _; rewrite mxE.
Qed.

(** ReLU: row i times c_i > 0, column i divided by c_i. *)
Theorem d5_rescaling (R : realFieldType) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (c : 'I_N -> R) x :
  (forall i, 0 < c i) ->
  mlp (@relu R) (\matrix_(l, i) (D l i / c i)) (\matrix_(i, j) (c i * U i j)) x = mlp (@relu R) D U x.
Proof.
move=> c0; apply/matrixP => l k; rewrite /mlp [LHS]mxE [RHS]mxE; apply: eq_bigr => i _.
have -> : map_mx (@relu R) (\matrix_(i, j) (c i * U i j) *m x) i k =
    c i * map_mx (@relu R) (U *m x) i k.
  rewrite [LHS]mxE [X in _ = c i * X]mxE; have -> : (\matrix_(i, j) (c i * U i j) *m x) i k =
      c i * (U *m x) i k.
    by rewrite !mxE mulr_sumr; apply: eq_bigr => j _; rewrite mxE mulrA.
  by rewrite /relu maxr_pmulr ?mulr0 // ltW.
by rewrite mxE mulrA divfK // gt_eqF.
Qed.

(** Flipping the rows in S is a symmetry if and only if A_S B_S = 0 ... *)
Theorem d5_flip (R : comRingType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (S : {set 'I_N}) :
  (forall z, s z - s (- z) = z) ->
  (forall x, mlp s D (flip_rows S U) x = mlp s D U x) <-> part S D U = 0.
Proof.
move=> hs; split=> [h|h x]; last by rewrite -(flip_mlp hs) h mul0mx subr0.
apply: mx_ext => x; rewrite mul0mx -[LHS]opprK; apply/eqP; rewrite oppr_eq0; apply/eqP.
by apply: (addrI (mlp s D U x)); rewrite (flip_mlp hs) h addr0.
Qed.

(** ... so a single flip never is, unless the unit does nothing. *)
Theorem d5_one_flip (R : fieldType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (i : 'I_N) :
  (forall z, s z - s (- z) = z) -> row i U != 0 -> col i D != 0 ->
  ~ (forall x, mlp s D (flip_rows [set i] U) x = mlp s D U x).
Proof.
move=> hs /rV0Pn[j uj] /cV0Pn[l dl] /(d5_flip D U _ hs) /matrixP/(_ l j).
rewrite /part big_set1 [LHS]mxE big_ord1 [RHS]mxE => /eqP; rewrite mulf_eq0.
by move: uj dl; rewrite ![row i U _ _]mxE ![col i D _ _]mxE => /negbTE -> /negbTE ->.
Qed.

(** A unit that does something: row 1 and column 1. *)
Example d5_instance (R : realFieldType) : let one := 1%:M : 'M[R]_1 in
  [/\ forall z : R, relu z - relu (- z) = z, row 0 one != 0 & col 0 one != 0].
Proof.
split; first exact: relu_odd.
  by apply/rV0Pn; exists 0; rewrite !mxE oner_eq0.
by apply/cV0Pn; exists 0; rewrite !mxE oner_eq0.
Qed.
