(** * X1b (ext:biases): hidden biases alone, beyond width N

One constant unit replaces an output bias.  So without output bias the least width is N + k* or one
more; at k* = 0, [x1b_hidden_only] and its relatives say which. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals.
From SkipAbsorption Require Import networks theorem4_activations x1_width x1b_biases x1b_smooth.
From SkipAbsorption Require Import x1b_activations x1b_silu.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** Some network of width N' with hidden biases computes W_down s(W_up x + b) + M x + c. *)
Definition absorbed_hidden (R : ringType) (s : R -> R) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N)
    (M : 'M[R]_(m, d)) (c : 'cV[R]_m) (N' : nat) :=
  exists (D' : 'M_(m, N')) (U' : 'M_(N', d)) (b' : 'cV_N'), forall x,
    mlpb s D U b x + M *m x + c = mlpb s D' U' b' x.

Section Constant.
Variables (R : fieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.

(** sigma(1) and sigma(-1) are not both 0. *)
Lemma constant_unit m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N) (c : 'cV[R]_m) :
  exists (D' : 'M_(m, N + 1)) (U' : 'M_(N + 1, d)) (b' : 'cV_(N + 1)), forall x,
    mlpb s D U b x + c = mlpb s D' U' b' x.
Proof.
have [e e0] : exists e, s e != 0.
  have [s1|s1] := eqVneq (s 1) 0; last by exists 1.
  by exists (- 1); have := hs 1; rewrite s1 sub0r => /eqP; rewrite eqr_oppLR => /eqP ->; rewrite oppr_eq0 oner_eq0.
exists (row_mx D ((s e)^-1 *: c)), (col_mx U 0), (col_mx b (const_mx e)) => x.
rewrite /mlpb mul_col_mx add_col_mx map_col_mx mul_row_col mul0mx add0r; congr (_ + _).
apply/matrixP => i j; rewrite (ord1 j) !mxE big_ord1 !mxE mulrAC mulVf // mul1r //.
Qed.
End Constant.

Section Width.
Variables (R : realFieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Variables (m N d : nat) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N) (M : 'M[R]_(m, d)) (c : 'cV[R]_m).
Hypothesis least : forall N', (exists (D' : 'M_(m, N')) (U' : 'M_(N', d)) (b' : 'cV_N') (c' : 'cV_m), forall x,
    mlpb s D U b x + M *m x + c = mlpb s D' U' b' x + c') <-> (N + kstar D U M <= N')%N.

Lemma hidden_width N' : (absorbed_hidden s D U b M c N' -> (N + kstar D U M <= N')%N) /\
  ((N + kstar D U M < N')%N -> absorbed_hidden s D U b M c N').
Proof.
split=> [[D' [U' [b' e]]]|].
  by apply/least; exists D', U', b', 0 => x; rewrite addr0.
case: N' => // n; rewrite ltnS => /least[D' [U' [b' [c' e]]]].
have [D2 [U2 [b2 e2]]] := constant_unit hs D' U' b' c'.
rewrite -addn1; exists D2, U2, b2 => x; rewrite e; exact: e2.
Qed.
End Width.

(** ReLU. *)
Theorem x1b_hidden_width (R : realFieldType) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (b : 'cV[R]_N)
    (M : 'M[R]_(m, d)) (c : 'cV[R]_m) N' : generic_b D U b ->
  (absorbed_hidden (@relu R) D U b M c N' -> (N + kstar D U M <= N')%N) /\
  ((N + kstar D U M < N')%N -> absorbed_hidden (@relu R) D U b M c N').
Proof. by move=> G; apply: (hidden_width (@relu_odd R)) => n; exact: x1b_relu. Qed.

(** GELU, its tanh form, and SiLU. *)
Theorem x1b_hidden_width_smooth (R : realType) (s : R -> R) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d))
    (b : 'cV[R]_N) (M : 'M[R]_(m, d)) (c : 'cV[R]_m) N' : smooth_activation s -> generic_pm_b D U b ->
  (absorbed_hidden s D U b M c N' -> (N + kstar D U M <= N')%N) /\
  ((N + kstar D U M < N')%N -> absorbed_hidden s D U b M c N').
Proof.
move=> hs G; apply: (hidden_width (smooth_odd hs)) => n; case: hs.
- by apply: x1b_gelu; first exact: Erf_form.
- by apply: x1b_gelu; first exact: Tanh_form.
exact: x1b_silu.
Qed.
