(** * Where each hypothesis bites: exact minimal examples

Each example drops one hypothesis of a statement and shows the conclusion fail, by
computation.  Equality of functions is proved for every x, and the absorption condition
(3) is refuted for every set S.  [s] is any activation with s z - s (- z) = z (ReLU, GELU,
tanh-GELU, SiLU), over any ordered field, the rationals among them. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From SkipAbsorption Require Import networks x1_construction x1_width x1_values.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** A matrix given by its rows. *)
Definition mat (R : ringType) m n (rows : seq (seq R)) : 'M[R]_(m, n) :=
  \matrix_(i, j) nth 0 (nth [::] rows i) j.

Section Compute.
Variable R : ringType.
Local Notation o n k := (@Ordinal n k isT).
Lemma sum2 (F : 'I_2 -> R) : \sum_i F i = F (o 2 0) + F (o 2 1).
Proof. by rewrite !big_ord_recl big_ord0 addr0; congr (F _ + F _); apply: val_inj. Qed.
Lemma sum3 (F : 'I_3 -> R) : \sum_i F i = F (o 3 0) + F (o 3 1) + F (o 3 2).
Proof. by rewrite !big_ord_recl big_ord0 addr0 addrA; congr (F _ + F _ + F _); apply: val_inj. Qed.
Lemma sum4 (F : 'I_4 -> R) : \sum_i F i = F (o 4 0) + F (o 4 1) + F (o 4 2) + F (o 4 3).
Proof. by rewrite !big_ord_recl big_ord0 addr0 !addrA; congr (F _ + F _ + F _ + F _); apply: val_inj. Qed.
Lemma all2P (P : 'I_2 -> Prop) : P (o 2 0) -> P (o 2 1) -> forall i, P i.
Proof. by move=> P0 P1 [[|[|//]] h]; rewrite (bool_irrelevance h isT). Qed.
Lemma all3P (P : 'I_3 -> Prop) : P (o 3 0) -> P (o 3 1) -> P (o 3 2) -> forall i, P i.
Proof. by move=> P0 P1 P2 [[|[|[|//]]] h]; rewrite (bool_irrelevance h isT). Qed.
Lemma partE m N d (S : {set 'I_N}) (D : 'M[R]_(m, N)) (U : 'M_(N, d)) l j :
  part S D U l j = \sum_i (if i \in S then D l i * U i j else 0).
Proof.
rewrite /part summxE big_mkcond; apply: eq_bigr => i _; case: ifP => // _.
by rewrite mxE big_ord1 !mxE.
Qed.
Lemma mlpE (s : R -> R) m N d (D : 'M[R]_(m, N)) (U : 'M_(N, d)) (x : 'cV_d) l :
  mlp s D U x l 0 = \sum_i D l i * s (\sum_j U i j * x j 0).
Proof. by rewrite /mlp mxE; apply: eq_bigr => i _; rewrite !mxE. Qed.
End Compute.
Definition simpl01 := (mul0r, mul1r, mulr0, mulr1, add0r, addr0, mulN1r, mulrN1).

Section Examples.
Variables (R : realFieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Let I2 : 'M[R]_2 := 1%:M.

Lemma s_opp z : s (- z) = s z - z.
Proof. by rewrite -[X in _ - X]hs opprB addrC subrK. Qed.

(** Rows non-collinear (Theorem 4) fails: opposed rows, d = N = 2; r = x_2 e_2. *)
Theorem opposed_rows_absorb :
  let U : 'M_(2, 2) := mat 2 2 [:: [:: 1; 0]; [:: -1; 0]] in
  let D : 'M_(2, 2) := mat 2 2 [:: [:: -1; 1]; [:: 0; 0]] in
  let V : 'M_(2, 2) := mat 2 2 [:: [:: 0; 1]; [:: 0; -1]] in
  let C : 'M_(2, 2) := mat 2 2 [:: [:: 0; 0]; [:: 1; -1]] in
  (forall x, mlp s D U x + x = mlp s C V x) /\ (forall S, part S D U <> - I2).
Proof.
split=> [x|S /matrixP/(_ 1 1)].
  have E1 (a b : R) : - a + (a - b) + b = 0 by ring.
  have E2 (a b : R) : b = a - (a - b) by ring.
  apply/matrixP => i k; rewrite (ord1 k) {k} mxE !mlpE !sum2 !mxE /= !simpl01; move: i.
  by apply: all2P; rewrite /= !s_opp !simpl01; [exact: E1|exact: E2].
by rewrite partE sum2 !mxE /= !mul0r !if_same addr0 => /eqP; rewrite eq_sym oppr_eq0 oner_eq0.
Qed.

(** Rows non-collinear fails: two equal rows, d = 2, N = 3. *)
Theorem equal_rows_absorb :
  let U : 'M_(3, 2) := mat 3 2 [:: [:: 1; 0]; [:: 1; 0]; [:: 0; 1]] in
  let D : 'M_(2, 3) := mat 2 3 [:: [:: 1; 1; 0]; [:: 0; 0; -1]] in
  let V : 'M_(3, 2) := mat 3 2 [:: [:: 1; 0]; [:: -1; 0]; [:: 0; -1]] in
  let C : 'M_(2, 3) := mat 2 3 [:: [:: 3%:R; -1; 0]; [:: 0; 0; -1]] in
  (forall x, mlp s D U x + x = mlp s C V x) /\ (forall S, part S D U <> - I2).
Proof.
split=> [x|S /matrixP/(_ 0 0)].
  have E1 (a b : R) : a + a + b = 3%:R * a - (a - b) by ring.
  have E2 (a b : R) : - a + b = - (a - b) by ring.
  apply/matrixP => i k; rewrite (ord1 k) {k} mxE !mlpE !sum3 !sum2 !mxE /= !simpl01; move: i.
  by apply: all2P; rewrite /= !s_opp !simpl01; [exact: E1|exact: E2].
rewrite partE sum3 !mxE /= !simpl01 if_same addr0 => e; have := @ltr01 R.
by rewrite -oppr_lt0 -e ltNge => /negP; apply; apply: addr_ge0; case: ifP => _; rewrite ?ler01 ?lexx.
Qed.

(** Columns non-zero (Theorem 4) fails: one zero column, d = 2, N = 3. *)
Theorem zero_column_absorb :
  let U : 'M_(3, 2) := mat 3 2 [:: [:: 1; 0]; [:: 0; 1]; [:: 1; 1]] in
  let D : 'M_(2, 3) := mat 2 3 [:: [:: 2%:R; 0; 0]; [:: 0; -1; 0]] in
  let V : 'M_(3, 2) := mat 3 2 [:: [:: 1; 0]; [:: -1; 0]; [:: 0; -1]] in
  let C : 'M_(2, 3) := mat 2 3 [:: [:: 3%:R; -1; 0]; [:: 0; 0; -1]] in
  (forall x, mlp s D U x + x = mlp s C V x) /\ (forall S, part S D U <> - I2).
Proof.
split=> [x|S /matrixP/(_ 0 0)].
  have E1 (a b : R) : 2%:R * a + b = 3%:R * a - (a - b) by ring.
  have E2 (a b : R) : - a + b = - (a - b) by ring.
  apply/matrixP => i k; rewrite (ord1 k) {k} mxE !mlpE !sum3 !sum2 !mxE /= !simpl01; move: i.
  by apply: all2P; rewrite /= !s_opp !simpl01; [exact: E1|exact: E2].
rewrite partE sum3 !mxE /= !simpl01 !if_same !addr0 => e; have := @ltr01 R.
by rewrite -oppr_lt0 -e ltNge => /negP; apply; case: ifP => _; rewrite ?ler0n ?lexx.
Qed.

(** Rows non-zero (Theorem 4) fails: one zero row, with any column (c, c'), d = 2, N = 3. *)
Theorem zero_row_absorb (c c' : R) : s 0 = 0 ->
  let U : 'M_(3, 2) := mat 3 2 [:: [:: 1; 0]; [:: 0; 1]; [:: 0; 0]] in
  let D : 'M_(2, 3) := mat 2 3 [:: [:: 2%:R; 0; c]; [:: 0; -1; c']] in
  let V : 'M_(3, 2) := mat 3 2 [:: [:: 1; 0]; [:: -1; 0]; [:: 0; -1]] in
  let C : 'M_(2, 3) := mat 2 3 [:: [:: 3%:R; -1; 0]; [:: 0; 0; -1]] in
  (forall x, mlp s D U x + x = mlp s C V x) /\ (forall S, part S D U <> - I2).
Proof.
move=> s0; split=> [x|S /matrixP/(_ 0 0)].
  have E1 (a b : R) : 2%:R * a + b = 3%:R * a - (a - b) by ring.
  have E2 (a b : R) : - a + b = - (a - b) by ring.
  apply/matrixP => i k; rewrite (ord1 k) {k} mxE !mlpE !sum3 !sum2 !mxE /= !simpl01 s0 !simpl01; move: i.
  by apply: all2P; rewrite /= !s_opp !simpl01; [exact: E1|exact: E2].
rewrite partE sum3 !mxE /= !simpl01 !if_same !addr0 => e; have := @ltr01 R.
by rewrite -oppr_lt0 -e ltNge => /negP; apply; case: ifP => _; rewrite ?ler0n ?lexx.
Qed.

(** d >= 2 (Theorem 4 for ReLU) fails: x + 2 sigma(x) = 3 sigma(x) - sigma(- x), the rows 1, 1 of width 2. *)
Theorem dimension_one_absorbs :
  let U : 'M_(2, 1) := mat 2 1 [:: [:: 1]; [:: 1]] in
  let D : 'M_(1, 2) := mat 1 2 [:: [:: 1; 1]] in
  let V : 'M_(2, 1) := mat 2 1 [:: [:: 1]; [:: -1]] in
  let C : 'M_(1, 2) := mat 1 2 [:: [:: 3%:R; -1]] in
  (forall x, mlp s D U x + x = mlp s C V x) /\ (forall S, part S D U <> - 1%:M).
Proof.
split=> [x|S /matrixP/(_ 0 0)].
  have E1 (a b : R) : a + a + b = 3%:R * a - (a - b) by ring.
  apply/matrixP => i k; rewrite (ord1 k) (ord1 i) {k i} mxE !mlpE !sum2 !big_ord1 !mxE /= !simpl01.
  by rewrite s_opp; exact: E1.
rewrite partE sum2 !mxE /= !simpl01 => e; have := @ltr01 R.
by rewrite -oppr_lt0 -e ltNge => /negP; apply; apply: addr_ge0; case: ifP => _; rewrite ?ler01 ?lexx.
Qed.

(** A set with A_S B_S = -2 I does not absorb by itself, but may contain one that does. *)
Theorem minus_two_contains_minus_one :
  let U : 'M_(4, 2) := mat 4 2 [:: [:: 1; 0]; [:: 0; 1]; [:: 1; 1]; [:: 1; -1]] in
  let h : R := 2%:R^-1 in
  let D : 'M_(2, 4) := mat 2 4 [:: [:: -1; 0; - h; - h]; [:: 0; -1; - h; h]] in
  part setT D U = - (2%:R *: I2) /\ part [set i : 'I_4 | (i < 2)%N] D U = - I2.
Proof.
split; apply/matrixP => i j; rewrite partE sum4 !inE !mxE /= ?simpl01; move: i j.
  have h2 : 2%:R^-1 + 2%:R^-1 = 1 :> R by rewrite -mulr2n -[LHS]mulr_natr mulVf ?pnatr_eq0.
  have E : -1 + - 2%:R^-1 + - 2%:R^-1 = - (2%:R) :> R by rewrite -addrA -opprD h2 -opprD.
  by apply: all2P => /=; apply: all2P; rewrite /= ?simpl01 ?mulrN ?simpl01 ?oppr0 ?addNr ?subrr ?E.
by apply: all2P => /=; apply: all2P; rewrite /= ?simpl01 ?mulr0n ?mulr1n ?oppr0.
Qed.
End Examples.
