(** * X1, upper bound: a residual-free network of width N + |G| + 2t

Three moves, each an identity of functions for every sigma with
sigma z - sigma (- z) = z: flip a set of rows (no new unit), oppose a row (one new
unit), add a pair on a fresh direction (two new units).  No hypothesis on the weights. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** The rows w_i with i in G, as a matrix of their own. *)
Definition rows_in (R : ringType) N d (G : {set 'I_N}) (U : 'M[R]_(N, d)) : 'M[R]_(#|G|, d) :=
  rowsub (@enum_val _ (mem G)) U.

(** W_up with the rows in F negated. *)
Definition flip_rows (R : ringType) N d (F : {set 'I_N}) (U : 'M[R]_(N, d)) : 'M[R]_(N, d) :=
  \matrix_(i, j) (if i \in F then - U i j else U i j).

Section Moves.
Variables (R : comRingType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Variables (m d N : nat) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)).

(** A flip takes the linear map A_F B_F away from the function. *)
Lemma flip_mlp (F : {set 'I_N}) x : mlp s D U x - part F D U *m x = mlp s D (flip_rows F U) x.
Proof.
apply/eqP; rewrite subr_eq addrC -subr_eq; apply/eqP; rewrite /mlp -mulmxBr.
set V := flip_rows F U.
have Vx i k : (V *m x) i k = if i \in F then - (U *m x) i k else (U *m x) i k.
  rewrite !mxE; case: ifP => iF; last by apply: eq_bigr => j _; rewrite mxE iF.
  by rewrite -sumrN; apply: eq_bigr => j _; rewrite mxE iF mulNr.
have T j k : (map_mx s (U *m x) - map_mx s (V *m x)) j k = s ((U *m x) j k) - s ((V *m x) j k).
  by rewrite !mxE.
rewrite /part mulmx_suml; apply/matrixP => i k; rewrite summxE mxE.
rewrite (bigID (mem F)) /= [X in _ + X]big1 ?addr0 => [|j jF]; last first.
  by rewrite T Vx (negbTE jF) subrr mulr0.
apply: eq_bigr => j jF; rewrite -mulmxA -row_mul [RHS]mxE big_ord1 ![col _ _ _ _]mxE ![row _ _ _ _]mxE.
by rewrite T Vx jF hs.
Qed.

(** sigma(B x) - sigma(- B x) = B x, coordinate by coordinate. *)
Lemma opposed_rows n (B : 'M[R]_(n, d)) (x : 'cV_d) : map_mx s (B *m x) - map_mx s (- B *m x) = B *m x.
Proof. by rewrite mulNmx; move: (B *m x) => y; apply/matrixP => i j; rewrite !mxE hs. Qed.

(** Opposing the rows f 0, ..., f (n-1) adds any linear map that factors through them. *)
Lemma oppose_mlp n (f : 'I_n -> 'I_N) (Y : 'M_(m, n)) x :
  mlp s D U x + Y *m rowsub f U *m x =
  mlp s (row_mx (D + Y *m rowsub f 1%:M) (- Y)) (col_mx U (- rowsub f U)) x.
Proof.
have E : rowsub f 1%:M *m map_mx s (U *m x) = map_mx s (rowsub f U *m x).
  by rewrite !mul_rowsub_mx mul1mx; apply/matrixP => i j; rewrite !mxE.
rewrite /mlp mul_col_mx map_col_mx mul_row_col mulmxDl -addrA; congr (_ + _).
by rewrite -(mulmxA Y (rowsub f 1%:M)) E (mulNmx Y) -mulmxBr opposed_rows mulmxA.
Qed.

(** A pair of units on each row of B adds any C B. *)
Lemma pair_mlp t (C : 'M_(m, t)) (B : 'M_(t, d)) x :
  mlp s D U x + C *m B *m x =
  mlp s (row_mx D (row_mx C (- C))) (col_mx U (col_mx B (- B))) x.
Proof.
rewrite /mlp !mul_col_mx !map_col_mx !mul_row_col; congr (_ + _).
by rewrite mulNmx -mulmxBr opposed_rows mulmxA.
Qed.

(** Units without output can be added at will. *)
Lemma pad_mlp n x : mlp s D U x = mlp s (row_mx D (0 : 'M_(m, n))) (col_mx U 0) x.
Proof. by rewrite /mlp !mul_col_mx !map_col_mx !mul_row_col mul0mx addr0. Qed.
End Moves.

Section Upper.
Variables (R : fieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.

(** Modulo the rows of A, a matrix factors through as many rows as its rank there. *)
Lemma factor_modulo m n d (A : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) :
  exists (Y : 'M_(m, n)) (C : 'M_(m, \rank (K *m cokermx A))) (B : 'M_(_, d)), K = Y *m A + C *m B.
Proof.
set Q := K *m cokermx A; have /submxP[Z hZ] : (row_base Q <= Q)%MS by rewrite eq_row_base.
have : (K - col_base Q *m (Z *m K) <= A)%MS.
  rewrite submxE mulmxBl -(mulmxA _ (Z *m K)) -(mulmxA Z) -/Q -hZ.
  by rewrite mulmx_base subrr.
by case/submxP => Y hY; exists Y, (col_base Q), (Z *m K); rewrite -hY subrK.
Qed.

Lemma rows_in_flip N d (F G : {set 'I_N}) (U : 'M[R]_(N, d)) :
  [disjoint F & G] -> rows_in G (flip_rows F U) = rows_in G U.
Proof.
move=> dFG; apply/matrixP => i j; rewrite !mxE.
by rewrite (disjointFl dFG) // enum_valP.
Qed.

(** X1, upper bound. *)
Theorem x1_upper m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)) (F G : {set 'I_N}) N' :
  [disjoint F & G] ->
  (N + (#|G| + 2 * \rank ((M + part F D U)%R *m cokermx (rows_in G U))) <= N')%N ->
  exists (D' : 'M_(m, N')) (U' : 'M_(N', d)), forall x, mlp s D U x + M *m x = mlp s D' U' x.
Proof.
move=> dFG; have [Y [C [B eK]]] := factor_modulo (rows_in G U) (M + part F D U).
rewrite mul2n -addnn addnA; move: (\rank _) C B eK => t C B eK /subnKC <-.
pose V := flip_rows F U; pose f := @enum_val _ (mem G).
pose D1 := row_mx (D + Y *m rowsub f 1%:M) (- Y); pose U1 := col_mx V (- rowsub f V).
pose D2 := row_mx D1 (row_mx C (- C)); pose U2 := col_mx U1 (col_mx B (- B)).
exists (row_mx D2 0), (col_mx U2 0) => x; rewrite -pad_mlp -(pair_mlp hs) -(oppose_mlp hs).
rewrite -/(rows_in G V) rows_in_flip // -(flip_mlp hs) -!addrA; congr (_ + _).
by rewrite -mulmxDl -eK mulmxDl addrCA addNr addr0.
Qed.
End Upper.
