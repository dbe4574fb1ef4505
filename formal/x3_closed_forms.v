(** * X3 (ext:distance): closed forms of the distance, and where it is attained

A map of degree k = q/p satisfies f(u^p x) = u^q f(x) for u > 0.  The residual r = M x + f(x)
then has max over 0 <= t <= 1 of |r(t x)| at least c_k |M x|, with
c_2 = (sqrt 2 - 1) / 2, c_3 = 1/3, c_(1/2) = 3 - 2 sqrt 2, and one unit attains it along a ray. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From SkipAbsorption Require Import networks prop1_homogeneous x3_distance.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** f is positively homogeneous of degree q / p. *)
Definition degree (R : realFieldType) m d (p q : nat) (f : 'cV[R]_d -> 'cV[R]_m) :=
  forall u, 0 < u -> scales (u ^+ p) (u ^+ q) f.

(** A seminorm. *)
Definition seminorm (R : realFieldType) m (nrm : 'cV[R]_m -> R) :=
  (forall u v, nrm (u + v) <= nrm u + nrm v) /\ (forall a v, nrm (a *: v) = `|a| * nrm v).

Section Two.
Variables (R : realFieldType) (m d : nat) (nrm : 'cV[R]_m -> R).
Hypothesis N : seminorm nrm.
Lemma seminorm_ge0 v : 0 <= nrm v.
Proof.
have [nD nZ] := N; have := nD v (-1 *: v); rewrite nZ normrN normr1 mul1r scaleN1r subrr.
have -> : nrm 0 = 0 by rewrite -[in LHS](scale0r (0 : 'cV[R]_m)) nZ normr0 mul0r.
by rewrite -mulr2n pmulrn_lge0.
Qed.

(** Two points: x and 2 x. *)
Theorem x3_two_points k (M : 'M[R]_(m, d)) (f : 'cV[R]_d -> 'cV[R]_m) x : degree 1 k f ->
  `|2%:R ^+ k - 2%:R| / (1 + 2%:R ^+ k) * nrm (M *m x) <=
  Num.max (nrm (M *m x + f x)) (nrm (M *m (2%:R *: x) + f (2%:R *: x))).
Proof.
have [nD nZ] := N; move=> hf; have h2 : scales 2%:R (2%:R ^+ k) f by have := hf 2%:R (ltr0Sn _ _).
by apply: (x3 nD nZ M h2); rewrite exprn_ge0 ?ler0n.
Qed.

(** c is attained: the lower bound at one scale u0, for every f of degree q / p. *)
Lemma x3_lower p q (c u0 : R) (M : 'M[R]_(m, d)) (f : 'cV[R]_d -> 'cV[R]_m) x :
  degree p q f -> 0 < u0 -> u0 <= 1 -> c * (1 + u0 ^+ q) = `|u0 ^+ q - u0 ^+ p| ->
  exists2 t, 0 < t <= 1 & c * nrm (M *m x) <= nrm (M *m (t *: x) + f (t *: x)).
Proof.
have [nD nZ] := N; move=> hf u1 u2 hc; have q0 : 0 < 1 + u0 ^+ q by rewrite addr_gt0 ?ltr01 ?exprn_gt0.
have := x3 nD nZ M (hf _ u1) x (ltW (exprn_gt0 q u1)); rewrite -hc mulfK ?gt_eqF //.
rewrite le_maxr => /orP[h|h]; [exists 1|exists (u0 ^+ p) => //]; rewrite ?ltr01 ?lexx ?scale1r //.
by rewrite exprn_gt0 // exprn_ile1 // ltW.
Qed.
End Two.

(** One unit with sigma(u^p) = u^q, on the ray of x0 where its form is 1. *)
Lemma x3_attained (R : realFieldType) m d (nrm : 'cV[R]_m -> R) p q (c l : R) (s : R -> R)
    (M : 'M[R]_(m, d)) (x0 : 'cV[R]_d) :
  seminorm nrm -> (forall u, 0 <= u -> u <= 1 -> `|u ^+ p - l * u ^+ q| <= c) ->
  (forall u, 0 <= u -> s (u ^+ p) = u ^+ q) -> x0 != 0 ->
  exists (D : 'M_(m, 1)) (U : 'M_(1, d)), forall u, 0 <= u -> u <= 1 ->
    nrm (M *m (u ^+ p *: x0) + mlp s D U (u ^+ p *: x0)) <= c * nrm (M *m x0).
Proof.
move=> N hc hs /cV0Pn[k xk]; pose U : 'M[R]_(1, d) := (x0 k 0)^-1 *: delta_mx 0 k.
exists (- l *: (M *m x0)), U => u u0 u1.
have Ux : U *m (u ^+ p *: x0) = (u ^+ p)%:M.
  rewrite -scalemxAr -scalemxAl -rowE; apply/matrixP => i j; rewrite (ord1 i) (ord1 j) !mxE eqxx.
  by rewrite mulVf // mulr1 mulr1n.
have -> : mlp s (- l *: (M *m x0)) U (u ^+ p *: x0) = - (l * u ^+ q) *: (M *m x0).
  rewrite /mlp Ux; have -> : map_mx s (u ^+ p)%:M = (u ^+ q)%:M :> 'M_1.
    by apply/matrixP => i j; rewrite (ord1 i) (ord1 j) !mxE eqxx !mulr1n hs.
  by rewrite mul_mx_scalar scalerA mulrN mulrC.
rewrite -scalemxAr -scalerDl; have [_ ->] := N; rewrite ler_wpmul2r ?seminorm_ge0 //.
exact: hc.
Qed.

(** ReLU^k. *)
Lemma relu_power (R : realFieldType) k (u : R) : 0 <= u -> relu (u ^+ 1) ^+ k = u ^+ k.
Proof. by move=> u0; rewrite expr1 /relu max_l. Qed.

Section Closed.
Variables (R : rcfType) (m d : nat) (nrm : 'cV[R]_m -> R) (M : 'M[R]_(m, d)).
Hypothesis N : seminorm nrm.
Let s2 : R := Num.sqrt 2%:R.
Lemma s2E : s2 ^+ 2 = 2%:R. Proof. by rewrite sqr_sqrtr ?ler0n. Qed.
Lemma s2_gt1 : 1 < s2.
Proof. by rewrite -(ltr_pexpn2r (n := 2)) ?nnegrE ?ler01 ?sqrtr_ge0 // s2E expr1n ltr1n. Qed.
Lemma s2_lt2 : s2 < 2%:R.
Proof. by rewrite -(ltr_pexpn2r (n := 2)) ?nnegrE ?ler0n ?sqrtr_ge0 // s2E -natrX ltr_nat. Qed.

(** |a| <= c from two differences that are visibly non-negative. *)
Lemma norm_le (a c : R) : 0 <= c - a -> 0 <= c + a -> `|a| <= c.
Proof. by move=> h1 h2; rewrite ler_norml -subr_ge0 opprK addrC h2 -subr_ge0. Qed.

Theorem x3_degree2 : let c : R := (s2 - 1) / 2%:R in
  (forall (f : 'cV[R]_d -> 'cV[R]_m) x, degree 1 2 f ->
     exists2 t, 0 < t <= 1 & c * nrm (M *m x) <= nrm (M *m (t *: x) + f (t *: x))) /\
  (forall x0, x0 != 0 -> exists (D : 'M_(m, 1)) (U : 'M_(1, d)), forall t, 0 <= t -> t <= 1 ->
     nrm (M *m (t *: x0) + mlp (fun z => relu z ^+ 2) D U (t *: x0)) <= c * nrm (M *m x0)).
Proof.
move=> c; have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
have c0 : 0 < c by rewrite divr_gt0 ?subr_gt0 ?s2_gt1 ?ltr0n.
have c2 : 2%:R * c = s2 - 1 by rewrite mulrC divfK.
have ce : 4%:R * (c * (1 + c)) = 1.
  have E (z : R) : 4%:R * (z * (1 + z)) = (2%:R * z + 1) ^+ 2 - 1 by ring.
  by rewrite E c2 subrK s2E mulr2n addrK.
split=> [f x hf|x0 x0n].
  have u0 : 0 < 2%:R * c by rewrite mulr_gt0 ?ltr0n.
  have u1 : 2%:R * c <= 1 by rewrite c2 ler_subl_addr -mulr2n ltW ?s2_lt2.
  apply: (x3_lower N M x hf u0 u1).
  have le : 2%:R * c * (2%:R * c) <= 2%:R * c by rewrite ler_pimulr ?(ltW u0).
  have E (z : R) : z * (1 + 2%:R * z * (2%:R * z)) - (- (2%:R * z * (2%:R * z) - 2%:R * z)) =
    (4%:R * (z * (1 + z)) - 1) * z by ring.
  rewrite expr1 expr2 ler0_norm ?subr_le0 //.
  by apply/eqP; rewrite -subr_eq0 E ce subrr mul0r.
have bound u : 0 <= u -> u <= 1 -> `|u ^+ 1 - (1 + c) * u ^+ 2| <= c.
  move=> u0 u1; rewrite expr1; apply: norm_le.
    have E : 4%:R * (1 + c) * (c - (u - (1 + c) * u ^+ 2)) = (1 - 2%:R * (1 + c) * u) ^+ 2.
      have E' (z v : R) : 4%:R * (1 + z) * (z - (v - (1 + z) * v ^+ 2)) =
        (1 - 2%:R * (1 + z) * v) ^+ 2 + (4%:R * (z * (1 + z)) - 1) by ring.
      by rewrite E' ce subrr addr0.
    by rewrite -(pmulr_rge0 _ (x := 4%:R * (1 + c))) ?E ?sqr_ge0 // mulr_gt0 ?ltr0n ?addr_gt0 ?ltr01.
  have E' (z v : R) : z + (v - (1 + z) * v ^+ 2) = (1 - v) * (z + (1 + z) * v) by ring.
  by rewrite E' mulr_ge0 ?subr_ge0 // addr_ge0 ?(ltW c0) // mulr_ge0 // addr_ge0 ?ler01 ?(ltW c0).
have [D [U h]] := x3_attained (s := fun z => relu z ^+ 2) M N bound (@relu_power R 2) x0n.
by exists D, U => t t0 t1; have := h t t0 t1; rewrite expr1.
Qed.

Theorem x3_degree3 : let c : R := 3%:R^-1 in
  (forall (f : 'cV[R]_d -> 'cV[R]_m) x, degree 1 3 f ->
     exists2 t, 0 < t <= 1 & c * nrm (M *m x) <= nrm (M *m (t *: x) + f (t *: x))) /\
  (forall x0, x0 != 0 -> exists (D : 'M_(m, 1)) (U : 'M_(1, d)), forall t, 0 <= t -> t <= 1 ->
     nrm (M *m (t *: x0) + mlp (fun z => relu z ^+ 3) D U (t *: x0)) <= c * nrm (M *m x0)).
Proof.
move=> c; have c3 : 3%:R * c = 1 by rewrite mulfV ?pnatr_eq0.
have c0 : 0 < c by rewrite invr_gt0 ltr0n.
have pos (z : R) : 0 <= 3%:R * z -> 0 <= z by rewrite pmulr_rge0 ?ltr0n.
split=> [f x hf|x0 x0n].
  pose h : R := 2%:R^-1; have h2 : 2%:R * h = 1 by rewrite mulfV ?pnatr_eq0.
  have h0 : 0 < h by rewrite invr_gt0 ltr0n.
  have h1 : h <= 1 by rewrite invf_le1 ?ltr0n // ler1n.
  apply: (x3_lower N M x hf h0 h1).
  have hh : h ^+ 3 <= h by rewrite exprS ler_pimulr ?(ltW h0) // exprn_ile1 // ltW.
  rewrite expr1 ler0_norm ?subr_le0 // opprB.
  apply: (mulfI (_ : 24%:R != 0)); first by rewrite pnatr_eq0.
  have E1 (z v : R) : 24%:R * (z * (1 + v ^+ 3)) = (3%:R * z) * (8%:R + (2%:R * v) ^+ 3) by ring.
  have E2 (v : R) : 24%:R * (v - v ^+ 3) = 12%:R * (2%:R * v) - 3%:R * (2%:R * v) ^+ 3 by ring.
  have E3 : 8%:R + 1 = 12%:R - 3%:R :> R by ring.
  by rewrite E1 E2 c3 h2 expr1n !mulr1 mul1r E3.
have bound u : 0 <= u -> u <= 1 -> `|u ^+ 1 - (1 + c) * u ^+ 3| <= c.
  move=> u0 u1; rewrite expr1; apply: norm_le; apply: pos.
    have E (z v : R) : 3%:R * (z - (v - (1 + z) * v ^+ 3)) =
      (1 + v) * (2%:R * v - 1) ^+ 2 + (3%:R * z - 1) * (1 + v ^+ 3) by ring.
    by rewrite E c3 subrr mul0r addr0 mulr_ge0 ?sqr_ge0 // addr_ge0 ?ler01.
  have E (z v : R) : 3%:R * (z + (v - (1 + z) * v ^+ 3)) =
    (1 - v) * (1 + 4%:R * v + 4%:R * v ^+ 2) + (3%:R * z - 1) * (1 - v ^+ 3) by ring.
  rewrite E c3 subrr mul0r addr0 mulr_ge0 ?subr_ge0 //.
  by rewrite addr_ge0 ?mulr_ge0 ?exprn_ge0 ?ler0n // addr_ge0 ?ler01 ?mulr_ge0 ?ler0n.
have [D [U h]] := x3_attained (s := fun z => relu z ^+ 3) M N bound (@relu_power R 3) x0n.
by exists D, U => t t0 t1; have := h t t0 t1; rewrite expr1.
Qed.

(** Degree 1/2, with the scale t = u^2; attained by a unit with sigma(u^2) = u. *)
Theorem x3_degree_half : let c : R := 3%:R - 2%:R * s2 in
  (forall (f : 'cV[R]_d -> 'cV[R]_m) x, degree 2 1 f ->
     exists2 t, 0 < t <= 1 & c * nrm (M *m x) <= nrm (M *m (t *: x) + f (t *: x))) /\
  (forall x0, x0 != 0 -> exists (D : 'M_(m, 1)) (U : 'M_(1, d)), forall u, 0 <= u -> u <= 1 ->
     nrm (M *m (u ^+ 2 *: x0) + mlp (@Num.sqrt R) D U (u ^+ 2 *: x0)) <= c * nrm (M *m x0)).
Proof.
move=> c; have e2 := s2E; have g1 := s2_gt1; have g2 := s2_lt2.
pose w := s2 - 1; have w0 : 0 < w by rewrite subr_gt0.
have cw : c = w ^+ 2.
  have E (z : R) : 3%:R - 2%:R * z = (z - 1) ^+ 2 + (2%:R - z ^+ 2) by ring.
  by rewrite /c E e2 subrr addr0.
have w1 : w <= 1 by rewrite ler_subl_addr -mulr2n ltW.
split=> [f x hf|x0 x0n].
  apply: (x3_lower N M x hf w0 w1); have ww : w ^+ 2 <= w by rewrite expr2 ler_pimulr ?(ltW w0).
  rewrite expr1 ger0_norm ?subr_ge0 // cw.
  have E (z : R) : (z - 1) ^+ 2 * (1 + (z - 1)) - ((z - 1) - (z - 1) ^+ 2) =
    (z ^+ 2 - 2%:R) * (z - 1) by ring.
  by apply/eqP; rewrite -subr_eq0 E e2 subrr mul0r.
have bound u : 0 <= u -> u <= 1 -> `|u ^+ 2 - (1 - c) * u ^+ 1| <= c.
  move=> u0 u1; rewrite expr1; apply: norm_le.
    have E (z v : R) : z - (v ^+ 2 - (1 - z) * v) = (1 - v) * (z + v) by ring.
    by rewrite E mulr_ge0 ?subr_ge0 // addr_ge0 // cw exprn_ge0 // ltW.
  have E (z v : R) : (3%:R - 2%:R * z) + (v ^+ 2 - (1 - (3%:R - 2%:R * z)) * v) =
    (v - (z - 1)) ^+ 2 + (2%:R - z ^+ 2) by ring.
  by rewrite E e2 subrr addr0 sqr_ge0.
have root (u : R) : 0 <= u -> Num.sqrt (u ^+ 2) = u ^+ 1 by move=> u0; rewrite sqrtr_sqr ger0_norm ?expr1.
by have [D [U h]] := x3_attained (s := @Num.sqrt R) M N bound root x0n; exists D, U.
Qed.
End Closed.

(** A seminorm: the absolute value in one dimension; a map of degree 2: one unit ReLU^2. *)
Example x3_instance (R : realFieldType) (D U : 'M[R]_1) :
  seminorm (fun v : 'cV[R]_1 => `|v 0 0|) /\ degree 1 2 (mlp (fun z => relu z ^+ 2) D U).
Proof.
split; first by split=> [u v|a v]; rewrite mxE ?ler_norm_add ?normrM.
move=> u u0; apply: mlp_scales => z; rewrite expr1 -exprMn; congr (_ ^+ 2).
by rewrite /relu maxr_pmulr ?mulr0 // ltW.
Qed.
