(** * X3 (ext:distance) for every real degree k <> 1

c^(k-1) (1 + c) = (k-1)^(k-1) k^(-k) for k > 1, and c^(1-k) = (1 - c) (1-k)^(1-k) k^k for
0 < k < 1.  The residual M x + f(x) of a map of degree k reaches c |M x| on the segment from 0
to x, and one unit of degree k attains it on a ray. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import boolp classical_sets reals ereal signed topology normedtype.
From mathcomp Require Import sequences derive realfun exp.
From SkipAbsorption Require Import networks prop1_homogeneous cor3_degrees x3_distance x3_closed_forms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory numFieldNormedType.Exports.
Local Open Scope ring_scope.

Section Exponential.
Variable R : realType.
Implicit Types x y u v k c : R.

(** 1 + x <= exp x for every x, and ln x <= x - 1. *)
Lemma expR_ge1D x : 1 + x <= expR x.
Proof.
have [x0|x0] := leP 0 x; first exact: expR_ge1Dx.
have [|c] := @MVT R expR expR x 0 x0 (fun t _ => is_derive_expR t).
  by apply/continuous_subspaceT => ?; exact: continuous_expR.
rewrite in_itv /= => /andP[_ c0] e; have e1 : expR c <= 1 by rewrite -expR0 ler_expR ltW.
have : 1 - expR x <= - x.
  by rewrite -expR0 e sub0r -[X in _ <= X]mul1r ler_wpmul2r // oppr_ge0 ltW.
by rewrite ler_subl_addr addrC -ler_subl_addr opprK addrC.
Qed.
Lemma ln_le x : 0 < x -> ln x <= x - 1.
Proof. by move=> x0; rewrite ler_subr_addl -{2}(lnK (x := x)) ?posrE // expR_ge1D. Qed.

Lemma exp_fun_ln u k : ln (exp_fun u k) = k * ln u.
Proof. by rewrite /exp_fun expK. Qed.

(** Bernoulli. *)
Lemma bernoulli u k : 0 < u -> 1 <= k -> 1 + k * (u - 1) <= exp_fun u k.
Proof.
move=> u0 k1; have k0 : 0 < k := lt_le_trans ltr01 k1; set v := exp_fun u k.
have v0 : 0 < v by exact: exp_fun_gt0.
pose m := (v + (k - 1)) / k.
have m0 : 0 < m by rewrite divr_gt0 // ltr_paddr // subr_ge0.
have h1 : ln v - ln m <= v / m - 1 by rewrite -ln_div ?posrE //; exact/ln_le/divr_gt0.
have h2 : - ln m <= m^-1 - 1 by rewrite -lnV ?posrE //; apply: ln_le; rewrite invr_gt0.
have h3 : 0 <= m^-1 - 1 + ln m by move: h2; rewrite -subr_ge0 opprK.
have km : (v + (k - 1)) / m = k by rewrite /m invf_div mulrCA divff ?mulr1 // gt_eqF // ltr_paddr ?subr_ge0.
have lu : ln u <= ln m.
  rewrite -(ler_pmul2l k0) -exp_fun_ln -/v -subr_ge0.
  have : 0 <= (v / m - 1 - (ln v - ln m)) + (k - 1) * (m^-1 - 1 + ln m).
    by rewrite addr_ge0 ?subr_ge0 // mulr_ge0 ?subr_ge0.
  have E (w n p q : R) : (w / n - 1 - (p - q)) + (k - 1) * (n^-1 - 1 + q) =
    k * q - p + ((w + (k - 1)) / n - k) by ring.
  by rewrite E km subrr addr0.
have : u <= m by rewrite -ler_ln ?posrE.
rewrite ler_pdivl_mulr // -subr_ge0 => h; rewrite -subr_ge0; move: h.
have E (w : R) : w + (k - 1) - u * k = w - (1 + k * (u - 1)) by ring.
by rewrite E.
Qed.
Lemma bernoulli_root u k : 0 < u -> 0 < k -> k <= 1 -> exp_fun u k <= 1 + k * (u - 1).
Proof.
move=> u0 k0 k1; set v := exp_fun u k; have v0 : 0 < v by exact: exp_fun_gt0.
have kV : 1 <= k^-1 by rewrite invf_ge1.
have := bernoulli v0 kV; rewrite (_ : exp_fun v k^-1 = u); last first.
  by apply: ln_inj; rewrite ?posrE ?exp_fun_gt0 // !exp_fun_ln mulKf // gt_eqF.
rewrite -(ler_pmul2l k0) mulrDr mulr1 mulVKf ?gt_eqF // => h.
have E : 1 + k * (u - 1) - v = k * u - (k + (v - 1)) by ring.
by rewrite -subr_ge0 E subr_ge0.
Qed.
End Exponential.

Section Distance.
Variables (R : realType) (m d : nat) (nrm : 'cV[R]_m -> R) (M : 'M[R]_(m, d)).
Hypothesis N : seminorm nrm.
Variables k c : R.

(** One scale t with (1 + c) t^k = t - c, or (1 - c) t^k = t + c, carries the bound c. *)
Lemma distance_at (f : 'cV[R]_d -> 'cV[R]_m) x t : homogeneous k f -> 0 < t -> t <= 1 -> 0 <= c ->
  (1 + c) * exp_fun t k = t - c \/ c < 1 /\ (1 - c) * exp_fun t k = t + c ->
  exists2 u, 0 < u <= 1 & c * nrm (M *m x) <= nrm (M *m (u *: x) + f (u *: x)).
Proof.
have [nD nZ] := N; move=> hf t0 t1 c0 eT; set T := exp_fun t k in eT *.
have T0 : 0 < T by exact: exp_fun_gt0.
have hT : scales t T f by move=> y; exact: hf.
have cE : c <= `|T - t| / (1 + T).
  rewrite ler_pdivl_mulr ?addr_gt0 ?ltr01 //; case: eT => [e|[c1 e]].
    have E (z v w : R) : z * (1 + w) - (v - w) = (1 + z) * w - (v - z) by ring.
    have -> : c * (1 + T) = t - T by apply/eqP; rewrite -subr_eq0 E e subrr.
    by rewrite -opprB -[X in _ <= X]normrN ler_norm.
  have E (z v w : R) : z * (1 + w) - (w - v) = v + z - (1 - z) * w by ring.
  have -> : c * (1 + T) = T - t by apply/eqP; rewrite -subr_eq0 E e subrr.
  exact: ler_norm.
have := x3 nD nZ M hT x (ltW T0); rewrite le_maxr => h.
have le := ler_wpmul2r (seminorm_ge0 N (M *m x)) cE.
case/orP: h => h; [exists 1|exists t]; rewrite ?ltr01 ?lexx ?t0 ?t1 ?scale1r //; exact: le_trans le h.
Qed.

(** The unit of degree k. *)
Definition power_unit (z : R) : R := if 0 < z then exp_fun z k else 0.

Lemma attained l : (forall t, 0 < t -> t <= 1 -> `|t - l * exp_fun t k| <= c) -> forall x0, x0 != 0 ->
  exists (D : 'M_(m, 1)) (U : 'M_(1, d)), forall t, 0 < t -> t <= 1 ->
    nrm (M *m (t *: x0) + mlp power_unit D U (t *: x0)) <= c * nrm (M *m x0).
Proof.
move=> hc x0 /cV0Pn[i xi]; pose U : 'M[R]_(1, d) := (x0 i 0)^-1 *: delta_mx 0 i.
exists (- l *: (M *m x0)), U => t t0 t1.
have Ux : U *m (t *: x0) = t%:M.
  rewrite -scalemxAr -scalemxAl -rowE; apply/matrixP => a b; rewrite (ord1 a) (ord1 b) !mxE eqxx.
  by rewrite mulVf // mulr1 mulr1n.
have -> : mlp power_unit (- l *: (M *m x0)) U (t *: x0) = - (l * exp_fun t k) *: (M *m x0).
  rewrite /mlp Ux; have -> : map_mx power_unit t%:M = (exp_fun t k)%:M :> 'M_1.
    by apply/matrixP => a b; rewrite (ord1 a) (ord1 b) !mxE eqxx !mulr1n /power_unit t0.
  by rewrite mul_mx_scalar scalerA mulrN mulrC.
rewrite -scalemxAr -scalerDl; have [_ ->] := N; rewrite ler_wpmul2r ?seminorm_ge0 //.
exact: hc.
Qed.

(** The scale at which t - (1 + c) t^k (or its mirror) takes the value c. *)
Lemma equation_above : 1 < k -> 0 < c ->
  exp_fun c (k - 1) * (1 + c) = exp_fun (k - 1) (k - 1) / exp_fun k k ->
  let t := c * k / (k - 1) in [/\ 0 < t, t <= 1 & (1 + c) * exp_fun t k = c / (k - 1)].
Proof.
move=> k1 c0 e t; have k0 : 0 < k := lt_trans ltr01 k1.
have h0 : 0 < k - 1 by rewrite subr_gt0.
have t0 : 0 < t by rewrite divr_gt0 // mulr_gt0.
have g0 : 0 < 1 + c by rewrite addr_gt0 ?ltr01.
have eT : (1 + c) * exp_fun t k = c / (k - 1).
  apply: ln_inj; rewrite ?posrE ?mulr_gt0 ?exp_fun_gt0 ?invr_gt0 //.
  have := congr1 (@ln R) e; rewrite !lnM ?posrE ?exp_fun_gt0 ?invr_gt0 ?exp_fun_gt0 //.
  rewrite !lnV ?posrE ?exp_fun_gt0 // !exp_fun_ln /t !lnM ?posrE ?mulr_gt0 ?invr_gt0 // lnV ?posrE //.
  move: (ln (1 + c)) (ln c) (ln k) (ln (k - 1)) => a1 a2 a3 a4 h.
  have E (b1 b2 b3 b4 w : R) : b1 + w * (b2 + b3 - b4) - (b2 - b4) =
    (w - 1) * b2 + b1 - ((w - 1) * b4 - w * b3) by ring.
  by apply/eqP; rewrite -subr_eq0 E h subrr.
split=> //; rewrite leNgt; apply/negP => lt1.
have hB : 1 + k * (t - 1) <= exp_fun t k by apply: bernoulli (ltW k1).
have : t < (1 + c) * exp_fun t k.
  apply: lt_le_trans (ler_wpmul2l (ltW g0) hB).
  have E (w z v : R) : (1 + z) * (1 + w * (v - 1)) - v = (w - 1) * (v - 1) + z * (1 + w * (v - 1)) by ring.
  rewrite -subr_gt0 E ltr_paddl // ?mulr_ge0 ?subr_ge0 ?ltW //.
  by rewrite mulr_gt0 // addr_gt0 ?ltr01 // mulr_gt0 // subr_gt0.
rewrite eT ltNge => /negP; apply; rewrite /t ler_pmul2r ?invr_gt0 //.
by rewrite -[X in X <= _]mulr1 ler_pmul2l // ltW.
Qed.

Lemma equation_below : 0 < k -> k < 1 -> 0 < c -> c < 1 ->
  exp_fun c (1 - k) = (1 - c) * exp_fun (1 - k) (1 - k) * exp_fun k k ->
  let t := c * k / (1 - k) in [/\ 0 < t, t <= 1 & (1 - c) * exp_fun t k = c / (1 - k)].
Proof.
move=> k0 k1 c0 c1 e t; have h0 : 0 < 1 - k by rewrite subr_gt0.
have t0 : 0 < t by rewrite divr_gt0 // mulr_gt0.
have g0 : 0 < 1 - c by rewrite subr_gt0.
have eT : (1 - c) * exp_fun t k = c / (1 - k).
  apply: ln_inj; rewrite ?posrE ?mulr_gt0 ?exp_fun_gt0 ?invr_gt0 //.
  have := congr1 (@ln R) e; rewrite !lnM ?posrE ?mulr_gt0 ?exp_fun_gt0 ?invr_gt0 //.
  rewrite !exp_fun_ln /t !lnM ?posrE ?mulr_gt0 ?invr_gt0 // lnV ?posrE //.
  move: (ln (1 - c)) (ln c) (ln k) (ln (1 - k)) => a1 a2 a3 a4 h.
  have E (b1 b2 b3 b4 w : R) : b1 + w * (b2 + b3 - b4) - (b2 - b4) =
    b1 + (1 - w) * b4 + w * b3 - (1 - w) * b2 by ring.
  by apply/eqP; rewrite -subr_eq0 E h subrr.
split=> //; rewrite leNgt; apply/negP => lt1.
have hB : exp_fun t k <= 1 + k * (t - 1) by apply: bernoulli_root (ltW k1).
have tk : c / (1 - k) = t / k by rewrite /t mulrAC mulfK // gt_eqF.
have : (1 - c) * exp_fun t k <= exp_fun t k.
  by rewrite -[X in _ <= X]mul1r ler_wpmul2r ?(ltW (exp_fun_gt0 _ _)) // ler_subl_addr ler_addl ltW.
rewrite eT tk leNgt => /negP; apply; apply: le_lt_trans hB _.
apply: (@le_lt_trans _ _ t); last by rewrite ltr_pdivl_mulr // gtr_pmulr.
have E (w v : R) : v - (1 + w * (v - 1)) = (1 - w) * (v - 1) by ring.
by rewrite -subr_ge0 E mulr_ge0 // subr_ge0; exact: ltW.
Qed.

Lemma exp_fun_scale w t : 0 < w -> 0 < t -> exp_fun t k = exp_fun w k * exp_fun (t / w) k.
Proof.
move=> w0 t0; apply: ln_inj; rewrite ?posrE ?mulr_gt0 ?exp_fun_gt0 // lnM ?posrE ?exp_fun_gt0 // !exp_fun_ln.
by rewrite -mulrDr -lnM ?posrE ?divr_gt0 // mulrCA divff ?mulr1 // gt_eqF.
Qed.
Lemma ln_le0 (t : R) : 0 < t -> t <= 1 -> ln t <= 0.
Proof. by move=> t0 t1; rewrite -(@ln1 R) ler_ln ?posrE. Qed.

(** Degrees above 1. *)
Theorem x3_above : 1 < k -> 0 < c ->
  exp_fun c (k - 1) * (1 + c) = exp_fun (k - 1) (k - 1) / exp_fun k k ->
  (forall (f : 'cV[R]_d -> 'cV[R]_m) x, homogeneous k f ->
     exists2 t, 0 < t <= 1 & c * nrm (M *m x) <= nrm (M *m (t *: x) + f (t *: x))) /\
  (forall x0, x0 != 0 -> exists (D : 'M_(m, 1)) (U : 'M_(1, d)), forall t, 0 < t -> t <= 1 ->
     nrm (M *m (t *: x0) + mlp power_unit D U (t *: x0)) <= c * nrm (M *m x0)).
Proof.
move=> k1 c0 e; have [t0 t1 eT] := equation_above k1 c0 e; set w := c * k / (k - 1) in t0 t1 eT.
have h0 : 0 < k - 1 by rewrite subr_gt0.
have kn : k - 1 != 0 by rewrite gt_eqF.
have wc : c / (k - 1) = w - c.
  have E : c = c * k - c * (k - 1) by ring.
  by apply: (mulIf kn); rewrite mulrBl /w !divfK.
split=> [f x hf|]; first by apply: (distance_at x hf t0 t1 (ltW c0)); left; rewrite eT.
apply: (attained (l := 1 + c)) => t p0 p1; apply: norm_le.
  have hB := bernoulli (divr_gt0 p0 t0) (ltW k1).
  have le : t - c <= (1 + c) * exp_fun t k.
    rewrite (exp_fun_scale t0 p0) mulrA eT.
    have -> : t - c = c / (k - 1) * (1 + k * (t / w - 1)).
      have E (a z v : R) : a * (1 + z * (v - 1)) = a * z * v + (a - a * z) by ring.
      rewrite E [_ / _ * k]mulrAC -/w wc mulrCA divff ?mulr1 ?gt_eqF //.
      by rewrite addrAC subrr add0r.
    by rewrite ler_wpmul2l // divr_ge0 //; exact: ltW.
  have E (z v y : R) : z - (v - y) = y - (v - z) by ring.
  by rewrite E subr_ge0.
have le : exp_fun t k <= t.
  rewrite -ler_ln ?posrE ?exp_fun_gt0 // exp_fun_ln -subr_ge0.
  have E (z v : R) : v - z * v = (z - 1) * - v by ring.
  by rewrite E mulr_ge0 ?(ltW h0) // oppr_ge0 ln_le0.
have E (z v y : R) : z + (v - (1 + z) * y) = z * (1 - v) + (1 + z) * (v - y) by ring.
by rewrite E addr_ge0 ?mulr_ge0 ?subr_ge0 ?addr_ge0 ?ler01 ?(ltW c0).
Qed.

(** Degrees between 0 and 1. *)
Theorem x3_below : 0 < k -> k < 1 -> 0 < c -> c < 1 ->
  exp_fun c (1 - k) = (1 - c) * exp_fun (1 - k) (1 - k) * exp_fun k k ->
  (forall (f : 'cV[R]_d -> 'cV[R]_m) x, homogeneous k f ->
     exists2 t, 0 < t <= 1 & c * nrm (M *m x) <= nrm (M *m (t *: x) + f (t *: x))) /\
  (forall x0, x0 != 0 -> exists (D : 'M_(m, 1)) (U : 'M_(1, d)), forall t, 0 < t -> t <= 1 ->
     nrm (M *m (t *: x0) + mlp power_unit D U (t *: x0)) <= c * nrm (M *m x0)).
Proof.
move=> k0 k1 c0 c1 e; have [t0 t1 eT] := equation_below k0 k1 c0 c1 e.
set w := c * k / (1 - k) in t0 t1 eT.
have h0 : 0 < 1 - k by rewrite subr_gt0.
have kn : 1 - k != 0 by rewrite gt_eqF.
have wc : c / (1 - k) = w + c.
  have E : c = c * k + c * (1 - k) by ring.
  by apply: (mulIf kn); rewrite mulrDl /w !divfK.
split=> [f x hf|]; first by apply: (distance_at x hf t0 t1 (ltW c0)); right; rewrite eT.
apply: (attained (l := 1 - c)) => t p0 p1; apply: norm_le.
  have ge : t <= exp_fun t k.
    rewrite -ler_ln ?posrE ?exp_fun_gt0 // exp_fun_ln -subr_ge0.
    have E (z v : R) : z * v - v = (1 - z) * - v by ring.
    by rewrite E mulr_ge0 ?(ltW h0) // oppr_ge0 ln_le0.
  have E (z v y : R) : z - (v - (1 - z) * y) = z * (1 - v) + (1 - z) * (y - v) by ring.
  by rewrite E addr_ge0 ?mulr_ge0 ?subr_ge0 ?(ltW c0) ?(ltW c1).
have hB := bernoulli_root (divr_gt0 p0 t0) k0 (ltW k1).
have le : (1 - c) * exp_fun t k <= t + c.
  rewrite (exp_fun_scale t0 p0) mulrA eT.
  have -> : t + c = c / (1 - k) * (1 + k * (t / w - 1)).
    have E (a z v : R) : a * (1 + z * (v - 1)) = a * z * v + (a - a * z) by ring.
    rewrite E [_ / _ * k]mulrAC -/w wc mulrCA divff ?mulr1 ?gt_eqF //.
    by rewrite addrAC subrr add0r.
  by rewrite ler_wpmul2l // divr_ge0 //; exact: ltW.
have E (z v y : R) : z + (v - y) = v + z - y by ring.
by rewrite E subr_ge0.
Qed.

(** On a ball: for every x in it some y in it has a residual of at least c |M x|, hence of at least c
    times the largest |M x| there, which is the radius times the norm of M. *)
Theorem x3_ball (nd : 'cV[R]_d -> R) (f : 'cV[R]_d -> 'cV[R]_m) : seminorm nd -> homogeneous k f -> 0 < c ->
  1 < k /\ exp_fun c (k - 1) * (1 + c) = exp_fun (k - 1) (k - 1) / exp_fun k k \/
  [/\ 0 < k, k < 1, c < 1 & exp_fun c (1 - k) = (1 - c) * exp_fun (1 - k) (1 - k) * exp_fun k k] ->
  forall rho x, nd x <= rho -> exists2 y, nd y <= rho & c * nrm (M *m x) <= nrm (M *m y + f y).
Proof.
move=> Nd hf c0 h rho x hx; have [t /andP[t0 t1] ht] : exists2 t, 0 < t <= 1 &
    c * nrm (M *m x) <= nrm (M *m (t *: x) + f (t *: x)).
  by case: h => [[k1 e]|[k0 k1 c1 e]]; [have [h _] := x3_above k1 c0 e|have [h _] := x3_below k0 k1 c0 c1 e];
     exact: h.
exists (t *: x) => //; have [_ ->] := Nd; rewrite gtr0_norm //; apply: le_trans hx.
by rewrite -[X in _ <= X]mul1r ler_wpmul2r // seminorm_ge0.
Qed.
End Distance.

(** The equations can be met: k = 2 and c = (sqrt 2 - 1)/2, k = 1/2 and c = 3 - 2 sqrt 2. *)
Example x3_degrees_instance (R : realType) : let k := 2%:R : R in let c := (Num.sqrt 2%:R - 1) / 2%:R in
  [/\ 1 < k, 0 < c & exp_fun c (k - 1) * (1 + c) = exp_fun (k - 1) (k - 1) / exp_fun k k].
Proof.
have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
have s1 := s2_gt1 R; have e2 := s2E R; set s := Num.sqrt 2%:R in s1 e2 *.
have c0 : 0 < (s - 1) / 2%:R :> R by rewrite divr_gt0 ?subr_gt0 ?ltr0n.
split=> //; first by rewrite ltr1n.
have -> : 2%:R - 1 = 1 :> R by rewrite mulr2n addrK.
rewrite !exp_funr1 ?ltr01 // exp_fun_mulrn ?ltr0n // div1r.
apply: (mulfI (_ : 4%:R != 0 :> R)); first by rewrite pnatr_eq0.
have E (z h : R) : 4%:R * ((z - 1) * h * (1 + (z - 1) * h)) =
  (2%:R * h * (z - 1)) ^+ 2 + 2%:R * (2%:R * h * (z - 1)) by ring.
rewrite E divff // mul1r -natrX mulfV ?pnatr_eq0 //.
have E2 (z : R) : (z - 1) ^+ 2 + 2%:R * (z - 1) = z ^+ 2 - 1 by ring.
by rewrite E2 e2 mulr2n addrK.
Qed.
Example x3_degrees_instance_below (R : realType) : let k := 2%:R^-1 : R in
  let c : R := 3%:R - 2%:R * Num.sqrt 2%:R in
  [/\ 0 < k, k < 1, 0 < c, c < 1 & exp_fun c (1 - k) = (1 - c) * exp_fun (1 - k) (1 - k) * exp_fun k k].
Proof.
have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
have s1 := s2_gt1 R; have e2 := s2E R; set s := Num.sqrt 2%:R in s1 e2 *.
have h0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have hh : 1 - 2%:R^-1 = 2%:R^-1 :> R by apply: (mulfI two0); rewrite mulrBr mulr1 mulfV // mulr2n addrK.
have E3 (z : R) : 3%:R - 2%:R * z = (z - 1) ^+ 2 + (2%:R - z ^+ 2) by ring.
have ce : 3%:R - 2%:R * s = (s - 1) ^+ 2 by rewrite E3 e2 subrr addr0.
have d0 : 0 < s - 1 by rewrite subr_gt0.
have c1 : 3%:R - 2%:R * s < 1.
  have E1 (z : R) : 1 - (3%:R - 2%:R * z) = 2%:R * (z - 1) by ring.
  by rewrite -subr_gt0 E1 mulr_gt0 ?ltr0n.
split=> //; first by rewrite invf_lt1 ?ltr0n // ltr1n.
  by rewrite ce exprn_gt0.
rewrite hh -mulrA -exp_funD // -{3}hh subrK exp_funr1 // ce.
transitivity (s - 1).
  apply: ln_inj; rewrite ?posrE ?exp_fun_gt0 // exp_fun_ln lnX //.
  by rewrite -(mulr_natl (ln (s - 1)) 2) mulrA mulVf ?mul1r.
have E4 (z : R) : 1 - (z - 1) ^+ 2 = 2%:R * (z - 1) + (2%:R - z ^+ 2) by ring.
by rewrite E4 e2 subrr addr0 mulrAC mulfV // mul1r.
Qed.
