(** * X3 (ext:distance): the constant c_k is well defined, and the units that attain the bound have degree k *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp.
From SkipAbsorption Require Import networks prop1_homogeneous cor3_degrees x3_distance x3_closed_forms x3_degrees.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** Two points, x and 2 x, for every real degree. *)
Theorem x3_two_points_real (R : realType) (k : R) m d (nrm : 'cV[R]_m -> R) (M : 'M[R]_(m, d))
    (f : 'cV[R]_d -> 'cV[R]_m) x : seminorm nrm -> homogeneous k f ->
  `|exp_fun 2%:R k - 2%:R| / (1 + exp_fun 2%:R k) * nrm (M *m x) <=
  Num.max (nrm (M *m x + f x)) (nrm (M *m (2%:R *: x) + f (2%:R *: x))).
Proof.
move=> [nD nZ] hf; have sf : scales 2%:R (exp_fun 2%:R k) f by move=> y; apply: hf; rewrite ltr0n.
by apply: (x3 nD nZ M sf); rewrite ltW // exp_fun_gt0.
Qed.

(** The units with which [x3_above], [x3_below] and the closed forms attain the bound have degree k. *)
Theorem x3_unit_degree (R : realType) (k : R) : homogeneous1 k (power_unit k).
Proof.
move=> l z l0; rewrite /power_unit pmulr_rgt0 //; case: ifP => [z0|_]; last by rewrite mulr0.
by rewrite /exp_fun lnM ?posrE // mulrDr expRD.
Qed.
Theorem x3_unit_closed (R : rcfType) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) :
  (forall n, degree 1 n (mlp (fun z => relu z ^+ n) D U)) /\ degree 2 1 (mlp (@Num.sqrt R) D U).
Proof.
split=> [n|] u u0; apply: mlp_scales => z; last by rewrite sqrtrM ?sqr_ge0 // sqrtr_sqr gtr0_norm.
rewrite expr1 -exprMn; congr (_ ^+ _).
by rewrite /relu maxr_pmulr ?(ltW u0) // mulr0.
Qed.

(** The equation for c_k has one root only. *)
Theorem x3_constant_unique (R : realType) (k c c' : R) : 0 < c -> 0 < c' ->
  1 < k /\ (forall z, z \in [:: c; c'] ->
    exp_fun z (k - 1) * (1 + z) = exp_fun (k - 1) (k - 1) / exp_fun k k) \/
  [/\ 0 < k, k < 1 & forall z, z \in [:: c; c'] ->
    z < 1 /\ exp_fun z (1 - k) = (1 - z) * exp_fun (1 - k) (1 - k) * exp_fun k k] ->
  c = c'.
Proof.
pose nrm (v : 'cV[R]_1) := `|v 0 0|; pose M : 'M[R]_1 := 1%:M.
have sn : seminorm nrm.
  by split=> [u v|a v]; rewrite /nrm !mxE; [exact: ler_norm_add|exact: normrM].
suff half c1 c2 : 0 < c1 -> 0 < c2 ->
  1 < k /\ (forall z, z \in [:: c1; c2] ->
    exp_fun z (k - 1) * (1 + z) = exp_fun (k - 1) (k - 1) / exp_fun k k) \/
  [/\ 0 < k, k < 1 & forall z, z \in [:: c1; c2] ->
    z < 1 /\ exp_fun z (1 - k) = (1 - z) * exp_fun (1 - k) (1 - k) * exp_fun k k] -> c1 <= c2.
  move=> c0 c'0 h; apply/eqP; rewrite eq_le !half //.
  have sw z : (z \in [:: c'; c]) = (z \in [:: c; c']) by rewrite !inE orbC.
  by case: h => [[k1 h]|[k0 k1 h]]; [left|right]; split=> // z; rewrite sw; exact: h.
move=> c10 c20 h; have m1 : c1 \in [:: c1; c2] by rewrite inE eqxx.
have m2 : c2 \in [:: c1; c2] by rewrite !inE eqxx orbT.
have x0 : (1 : 'cV[R]_1) != 0 by exact: oner_neq0.
have nM : nrm (M *m (1 : 'cV[R]_1)) = 1 by rewrite /nrm mul1mx mxE normr1.
have [lower attain] : (forall (f : 'cV[R]_1 -> 'cV[R]_1) x, homogeneous k f ->
     exists2 t, 0 < t <= 1 & c1 * nrm (M *m x) <= nrm (M *m (t *: x) + f (t *: x))) /\
  exists (D : 'M[R]_1) (U : 'M_1), forall t, 0 < t -> t <= 1 ->
     nrm (M *m (t *: 1) + mlp (power_unit k) D U (t *: 1)) <= c2 * nrm (M *m 1).
  case: h => [[k1 h]|[k0 k1 h]].
    by split; [exact: (x3_above M sn k1 c10 (h _ m1)).1|exact: (x3_above M sn k1 c20 (h _ m2)).2].
  have [z1 e1] := h _ m1; have [z2 e2] := h _ m2.
  by split; [exact: (x3_below M sn k0 k1 c10 z1 e1).1|exact: (x3_below M sn k0 k1 c20 z2 e2).2].
have [D [U le]] := attain.
have [t /andP[t0 t1] ge] := lower _ 1 (mlp_homogeneous D U (@x3_unit_degree R k)).
by have := le_trans ge (le t t0 t1); rewrite nM !mulr1.
Qed.
