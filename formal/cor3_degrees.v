(** * Proposition 1 and Corollary 3 (prop:homogeneous, cor:depth) for real degrees k

l^k is [exp_fun l k], that is exp(k ln l).  A map of degree k > 1 that is bounded on the unit
box is o(|x|) at the origin, and Corollary 3 follows as in the gated case; for 0 < k < 1 it is
o(|x|) at infinity, and the mirrored argument is at the end of this file. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp ring.
From SkipAbsorption Require Import networks prop1_homogeneous prop2_gated cor3_depth.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Degree.
Variable R : realType.

(** Positively homogeneous of degree k. *)
Definition homogeneous (k : R) m d (f : 'cV[R]_d -> 'cV[R]_m) :=
  forall l x, 0 < l -> f (l *: x) = exp_fun l k *: f x.
Definition homogeneous1 (k : R) (s : R -> R) := forall l z, 0 < l -> s (l * z) = exp_fun l k * s z.

Lemma mlp_homogeneous k s m N d (D : 'M[R]_(m, N)) (U : 'M_(N, d)) :
  homogeneous1 k s -> homogeneous k (mlp s D U).
Proof. by move=> hs l x l0; apply: mlp_scales => z; apply: hs. Qed.

Lemma exp_fun2_neq k : k != 1 -> exp_fun 2%:R k != 2%:R :> R.
Proof.
apply: contra => /eqP e.
have l0 : ln 2%:R != 0 :> R by rewrite gt_eqF // ln_gt0 // ltr1n.
have := congr1 (@ln R) e; rewrite /exp_fun expK -[RHS]mul1r => /(mulIf l0) ->.
by rewrite eqxx.
Qed.

(** Proposition 1 for every real degree k <> 1. *)
Theorem prop1_degree (k : R) m d (M : 'M[R]_(m, d)) (f g : 'cV[R]_d -> 'cV[R]_m) :
  k != 1 -> homogeneous k f -> homogeneous k g -> M != 0 -> exists x, M *m x + f x != g x.
Proof.
move=> k1 hf hg M0; apply: (prop1 (exp_fun2_neq k1) _ _ M0) => x; [apply: hf|apply: hg]; exact: ltr0n.
Qed.

(** Bounded on the unit box; every continuous map is. *)
Definition bounded1 m d (f : 'cV[R]_d -> 'cV[R]_m) := exists C, forall x, box 1 x -> box C (f x).

(** Values at scale r. *)
Lemma hom_box k m d (f : 'cV[R]_d -> 'cV[R]_m) C r x : homogeneous k f ->
  (forall x, box 1 x -> box C (f x)) -> 0 < r -> box r x -> box (exp_fun r k * C) (f x).
Proof.
move=> hf hC r0 bx i; have rn : r != 0 by rewrite gt_eqF.
rewrite -[x](scalerKV rn) hf // mxE normrM (gtr0_norm (exp_fun_gt0 _ _)) ler_pmul2l ?exp_fun_gt0 //.
by apply: hC => j; rewrite mxE normrM normfV (gtr0_norm r0) mulrC ler_pdivr_mulr // mul1r.
Qed.
Lemma hom0 k m d (f : 'cV[R]_d -> 'cV[R]_m) : k != 0 -> homogeneous k f -> f 0 = 0.
Proof.
move=> k0 hf; have := hf 2%:R 0; rewrite scaler0 ltr0n => /(_ isT) e.
have : (1 - exp_fun 2%:R k) *: f 0 = 0 by rewrite scalerBl scale1r -e subrr.
move/eqP; rewrite scaler_eq0 subr_eq0 => /orP[/eqP h|/eqP //].
case/eqP: k0; have l0 : ln 2%:R != 0 :> R by rewrite gt_eqF // ln_gt0 // ltr1n.
by apply: (mulIf l0); rewrite mul0r -[LHS](@expK R) -/(exp_fun _ k) -h ln1.
Qed.
Lemma exp_fun_split (k r : R) : 0 < r -> exp_fun r k = r * exp_fun r (k - 1).
Proof. by move=> r0; rewrite -{2}(exp_funr1 r0) -exp_funD // addrC subrK. Qed.

(** Degree above 1: o(|x|) at the origin. *)
Lemma degree_small k m d (f : 'cV[R]_d -> 'cV[R]_m) :
  1 < k -> homogeneous k f -> bounded1 f -> small f.
Proof.
move=> k1 hf [C hC] e e0; have k0 : 0 < k - 1 by rewrite subr_gt0.
have C1 : 0 < 1 + `|C| by rewrite ltr_spaddl.
exists (expR (ln (e / (1 + `|C|)) / (k - 1))) => [|r x r0 rd bx]; first exact: expR_gt0.
move: r0; rewrite le_eqVlt => /predU1P[r0|r0].
  have -> : x = 0.
    by apply/colP => i; rewrite mxE; apply/eqP; rewrite -normr_eq0 eq_le normr_ge0 r0 bx.
  by rewrite (hom0 _ hf) ?gt_eqF ?(lt_trans ltr01) // => i; rewrite mxE normr0 -r0 mulr0.
move=> i; apply: le_trans (hom_box hf hC r0 bx i) _.
apply: (@le_trans _ _ (exp_fun r k * (1 + `|C|))).
  rewrite ler_wpmul2l ?(ltW (exp_fun_gt0 _ _)) //.
  by apply: le_trans (ler_norm _) _; rewrite ler_addr ler01.
rewrite (exp_fun_split _ r0) -mulrA mulrC ler_wpmul2r ?(ltW r0) //.
rewrite -ler_pdivl_mulr // -[X in _ <= X]lnK ?posrE ?divr_gt0 // /exp_fun ler_expR.
rewrite mulrC -ler_pdivl_mulr // -[X in _ <= X](@expK R) ler_ln ?posrE ?expR_gt0 //.
Qed.

(** The one-variable form of an activation bounds it on the unit box. *)
Lemma activation_bounded k s m N d (D : 'M[R]_(m, N)) (U : 'M_(N, d)) :
  0 < k -> homogeneous1 k s -> bounded1 (mlp s D U).
Proof.
move=> k0 hs; pose K := 1 + `|s 1| + `|s (-1)|; pose B := mxbound U.
have s0 : s 0 = 0.
  have h0 : homogeneous k (fun x : 'cV[R]_1 => const_mx (s (x 0 0)) : 'cV_1).
    by move=> l x l0; apply/matrixP => i j; rewrite !mxE hs.
  by have := congr1 (fun A : 'cV_1 => A 0 0) (hom0 (lt0r_neq0 k0) h0); rewrite !mxE.
have K0 : 0 < K by rewrite /K -addrA ltr_spaddl // addr_ge0.
have bz z : `|z| <= B -> `|s z| <= exp_fun B k * K.
  move=> zB; have [->|z0] := eqVneq z 0.
    by rewrite s0 normr0 mulr_ge0 ?(ltW K0) ?(ltW (exp_fun_gt0 _ _)) ?mxbound_gt0.
  have nz : 0 < `|z| by rewrite normr_gt0.
  have -> : s z = exp_fun `|z| k * s (Num.sg z) by rewrite -hs // mulrC -numEsg.
  rewrite normrM (gtr0_norm (exp_fun_gt0 _ _)) ler_pmul // ?(ltW (exp_fun_gt0 _ _)) //.
    by rewrite /exp_fun ler_expR ler_pmul2l // ler_ln ?posrE ?mxbound_gt0.
  rewrite /K; case: sgrP z0 => //= _ _; first by rewrite addrAC ler_addr addr_ge0.
  by rewrite ler_addr addr_ge0.
exists (mxbound D * (exp_fun B k * K)) => x bx.
have q0 : 0 <= exp_fun B k * K by rewrite mulr_ge0 ?(ltW K0) ?(ltW (exp_fun_gt0 _ _)) ?mxbound_gt0.
apply: box_mul => // i; have := box_mul U ler01 bx i; rewrite mulr1 => /bz.
by move: (U *m x) => y; rewrite mxE.
Qed.

(** Corollary 3 for degrees k > 1. *)
Theorem cor3_above (k : R) d (F : seq ('M[R]_d * ('cV[R]_d -> 'cV[R]_d))) (H : seq ('cV[R]_d -> 'cV[R]_d)) :
  1 < k -> (forall p, List.In p F -> homogeneous k p.2 /\ bounded1 p.2) ->
  (forall f, List.In f H -> homogeneous k f /\ bounded1 f) -> skips F != 0 -> (0 < size H)%N ->
  exists x, residual F x != compose H x.
Proof. by move=> k1 hF hH; apply: cor3_small => [p /hF|f /hH] []; apply: degree_small. Qed.

(** Growth below linear: f(x) <= e |x| + K. *)
Definition sublinear m d (f : 'cV[R]_d -> 'cV[R]_m) :=
  forall e, 0 < e -> exists2 K, 0 <= K & forall r x, 0 <= r -> box r x -> box (e * r + K) (f x).

Lemma degree_sublinear k m d (f : 'cV[R]_d -> 'cV[R]_m) :
  k < 1 -> homogeneous k f -> bounded1 f -> sublinear f.
Proof.
move=> k1 hf [C hC] e e0; have k0 : k - 1 < 0 by rewrite subr_lt0.
have C1 : 0 < 1 + `|C| by rewrite ltr_spaddl.
have hC' x : box 1 x -> box (1 + `|C|) (f x).
  by move=> bx i; apply: le_trans (hC x bx i) (le_trans (ler_norm _) _); rewrite ler_addr ler01.
pose T := expR (ln (e / (1 + `|C|)) / (k - 1)); have T0 : 0 < T by exact: expR_gt0.
have g0 : 0 <= exp_fun T k * (1 + `|C|) by rewrite mulr_ge0 ?(ltW C1) ?(ltW (exp_fun_gt0 _ _)).
exists (exp_fun T k * (1 + `|C|)) => // r x r0 bx i.
have [rT|Tr] := leP r T.
  apply: le_trans (_ : exp_fun T k * (1 + `|C|) <= _); last by rewrite ler_addr mulr_ge0 ?(ltW e0).
  by apply: (hom_box hf hC' T0) => j; apply: le_trans (bx j) rT.
have rp := lt_trans T0 Tr.
apply: le_trans (hom_box hf hC' rp bx i) _.
apply: le_trans (_ : e * r <= _); last by rewrite ler_addl.
rewrite (exp_fun_split _ rp) -mulrA mulrC ler_wpmul2r ?(ltW rp) //.
rewrite -ler_pdivl_mulr // -[X in _ <= X]lnK ?posrE ?divr_gt0 // /exp_fun ler_expR.
rewrite mulrC -ler_ndivr_mulr // -[X in X <= _](@expK R) ler_ln ?posrE ?expR_gt0 //.
exact: ltW.
Qed.

Lemma sublinear_abs m d (M : 'M[R]_(m, d)) (f g : 'cV[R]_d -> 'cV[R]_m) :
  M != 0 -> sublinear f -> sublinear g -> exists x, M *m x + f x != g x.
Proof.
move=> /matrix0Pn[i [j Mij]] sf sg.
have a0 : 0 < `|M i j| by rewrite normr_gt0.
have e0 : 0 < `|M i j| / 4%:R by rewrite divr_gt0 ?ltr0n.
have [K K0 hK] := sf _ e0; have [L L0 hL] := sg _ e0.
pose t := 2%:R * (K + L + 1) / `|M i j|.
have t0 : 0 < t by rewrite divr_gt0 // mulr_gt0 ?ltr0n // ltr_spaddr ?ltr01 // addr_ge0.
pose x : 'cV[R]_d := t *: delta_mx j 0.
have bx : box t x.
  move=> k; rewrite !mxE andbT; case: (k == j); rewrite ?mulr1 ?mulr0 ?normr0 ?(ltW t0) //.
  by rewrite gtr0_norm.
exists x; apply/negP => /eqP/(congr1 (fun v : 'cV_m => v i 0)); rewrite mxE.
have -> : (M *m x) i 0 = t * M i j by rewrite -scalemxAr -colE !mxE.
have h1 := hK t x (ltW t0) bx i; have h2 := hL t x (ltW t0) bx i.
move=> h0; have h : t * M i j = g x i 0 - f x i 0 by rewrite -h0 addrK.
have : `|M i j| * t <= (`|M i j| / 4%:R * t + L) + (`|M i j| / 4%:R * t + K).
  rewrite -[X in _ * X <= _](gtr0_norm t0) mulrC -normrM h.
  exact: le_trans (ler_norm_sub _ _) (ler_add h2 h1).
have Mt : `|M i j| * t = 2%:R * (K + L + 1) by rewrite /t mulrCA mulfV ?mulr1 ?gt_eqF.
rewrite mulrAC Mt addrACA -mulrDl -mulr2n -[X in X / _]mulr_natr.
have -> : 2%:R * (K + L + 1) * 2%:R / 4%:R = K + L + 1 :> R.
  by field.
by rewrite mulr_natl mulr2n ler_add2l [L + K]addrC ger_addl leNgt ltr01.
Qed.

Lemma sublinear_comp d (f g : 'cV[R]_d -> 'cV[R]_d) : sublinear f -> sublinear g -> sublinear (f \o g).
Proof.
move=> sf sg e e0; have [K K0 hK] := sf _ e0; have [L L0 hL] := sg _ ltr01.
exists (e * L + K) => [|r x r0 bx]; first by rewrite addr_ge0 // mulr_ge0 // ltW.
have := hK (1 * r + L) (g x); rewrite mul1r mulrDr -addrA; apply; first exact: addr_ge0.
by have := hL r x r0 bx; rewrite mul1r.
Qed.
(** f x = A x + o(|x|) at infinity *)
Definition asymptote d (A : 'M[R]_d) (f : 'cV[R]_d -> 'cV[R]_d) := sublinear (fun x => f x - A *m x).
Lemma asymptote_comp d (A B : 'M[R]_d) f g : asymptote A f -> asymptote B g -> asymptote (A *m B) (f \o g).
Proof.
move=> tf tg e e0.
pose KB := mxbound B + 1; have KB0 : 0 < KB by rewrite /KB addr_gt0 ?mxbound_gt0 ?ltr01.
pose KA := mxbound A; have KA0 : 0 < KA by rewrite mxbound_gt0.
have e2 : 0 < e / 2%:R by rewrite divr_gt0 ?ltr0n.
have eB := divr_gt0 e2 KB0; have eA := divr_gt0 e2 KA0.
have [K1 K10 h1] := tf _ eB; have [K2 K20 h2] := tg _ eA; have [K3 K30 h3] := tg _ ltr01.
exists (e / 2%:R / KB * K3 + K1 + KA * K2) => [|r x r0 bx].
  by apply: addr_ge0; [apply: addr_ge0 => //|]; apply: mulr_ge0 => //; exact: ltW.
have bg : box (KB * r + K3) (g x).
  move=> i; have -> : g x i 0 = (B *m x) i 0 + (g x - B *m x) i 0.
    by have := congr1 (fun v : 'cV_d => v i 0) (subrK (B *m x) (g x)); rewrite addrC [LHS]mxE.
  rewrite /KB mulrDl -addrA; apply: le_trans (ler_norm_add _ _) (ler_add _ (h3 r x r0 bx i)).
  exact: box_mul.
have b1 : box (e / 2%:R * r + (e / 2%:R / KB * K3 + K1)) (f (g x) - A *m g x).
  have q0 : 0 <= KB * r + K3 by rewrite addr_ge0 ?mulr_ge0 ?(ltW KB0).
  by have := h1 (KB * r + K3) (g x) q0 bg; rewrite mulrDr mulrA divfK ?gt_eqF // -addrA.
have b2 : box (e / 2%:R * r + KA * K2) (A *m (g x - B *m x)).
  have nn : 0 <= e / 2%:R / KA * r + K2 by apply: addr_ge0 => //; apply: mulr_ge0 => //; exact: ltW.
  have := box_mul A nn (h2 r x r0 bx).
  by rewrite -/KA mulrDr mulrA [KA * (_ / _)]mulrC divfK ?gt_eqF.
move=> i; rewrite /= -mulmxA; have -> : f (g x) - A *m (B *m x) = (f (g x) - A *m g x) + A *m (g x - B *m x).
  by rewrite mulmxBr addrA subrK.
rewrite mxE; apply: le_trans (ler_norm_add _ _) _; apply: le_trans (ler_add (b1 i) (b2 i)) _.
by have E : e / 2%:R * r + e / 2%:R * r = e * r; [field|rewrite addrACA E].
Qed.

Lemma residual_asymptote d (F : seq ('M[R]_d * ('cV[R]_d -> 'cV[R]_d))) :
  (forall p, List.In p F -> sublinear p.2) -> asymptote (skips F) (residual F).
Proof.
elim: F => [|p F IH] h /=.
  by move=> e e0; exists 0 => // r x r0 _ i; rewrite mul1mx subrr mxE normr0 addr0 mulr_ge0 // ltW.
apply: asymptote_comp (IH _) => [e e0|q hq]; last by apply: h; right.
have [K K0 hd] := h p (or_introl erefl) e e0; exists K => // r x r0 bx.
by rewrite addrAC subrr add0r; apply: hd.
Qed.
Lemma compose_sublinear d (H : seq ('cV[R]_d -> 'cV[R]_d)) :
  (forall g, List.In g H -> sublinear g) -> (0 < size H)%N -> sublinear (compose H).
Proof.
case: H => // h H hs _; elim: H h hs => [|h' H IH] h hs /=; first by apply: hs; left.
by apply: sublinear_comp; [apply: hs; left|apply: IH => k hk; apply: hs; right].
Qed.

(** Corollary 3 for degrees below 1. *)
Theorem cor3_below (k : R) d (F : seq ('M[R]_d * ('cV[R]_d -> 'cV[R]_d))) (H : seq ('cV[R]_d -> 'cV[R]_d)) :
  k < 1 -> (forall p, List.In p F -> homogeneous k p.2 /\ bounded1 p.2) ->
  (forall f, List.In f H -> homogeneous k f /\ bounded1 f) -> skips F != 0 -> (0 < size H)%N ->
  exists x, residual F x != compose H x.
Proof.
move=> k1 hF hH F0 H0.
have sF : sublinear (fun x => residual F x - skips F *m x).
  by apply: residual_asymptote => p /hF[]; apply: degree_sublinear.
have sH : sublinear (compose H) by apply: compose_sublinear => // f /hH[]; apply: degree_sublinear.
by have [x hx] := sublinear_abs F0 sF sH; exists x; move: hx; rewrite addrC subrK.
Qed.
End Degree.

(** An activation of degree k > 0 satisfies what the corollaries ask of a block. *)
Lemma activation_block (R : realType) (k : R) (s : R -> R) N d (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) :
  0 < k -> homogeneous1 k s -> homogeneous k (mlp s D U) /\ bounded1 (mlp s D U).
Proof. by move=> k0 hs; split; [exact: mlp_homogeneous|exact: activation_bounded hs]. Qed.

(** Proposition 1 for an activation of any real degree k <> 1. *)
Theorem prop1_activation (R : realType) (k : R) (s : R -> R) m d N N' (M : 'M[R]_(m, d))
    (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)) :
  (forall l z, 0 < l -> s (l * z) = exp_fun l k * s z) -> k != 1 -> M != 0 ->
  exists x, M *m x + mlp s D U x != mlp s D' U' x.
Proof. by move=> hs k1 M0; apply: (prop1_degree k1 _ _ M0); exact: mlp_homogeneous. Qed.

(** A map that some MLP without skip computes, whatever its width. *)
Definition ungated (R : ringType) (s : R -> R) d (f : 'cV[R]_d -> 'cV[R]_d) :=
  exists N (D : 'M_(d, N)) (U : 'M_(N, d)), f = mlp s D U.

(** Corollary 3 for an activation of any degree k > 0, k <> 1, with linear skips. *)
Theorem cor3_activation (R : realType) (k : R) (s : R -> R) d
    (F : seq ('M[R]_d * ('cV[R]_d -> 'cV[R]_d))) (H : seq ('cV[R]_d -> 'cV[R]_d)) :
  (forall l z, 0 < l -> s (l * z) = exp_fun l k * s z) -> 0 < k -> k != 1 ->
  (forall p, List.In p F -> ungated s p.2) -> (forall f, List.In f H -> ungated s f) ->
  skips F != 0 -> (0 < size H)%N -> exists x, residual F x != compose H x.
Proof.
move=> hs k0 k1 hF hH F0 H0.
have bF p : List.In p F -> homogeneous k p.2 /\ bounded1 p.2.
  by move=> /hF[N [D [U ->]]]; exact: activation_block.
have bH f : List.In f H -> homogeneous k f /\ bounded1 f.
  by move=> /hH[N [D [U ->]]]; exact: activation_block.
have [lt|gt|e] := ltgtP k 1; last by rewrite e eqxx in k1.
  exact: (cor3_below lt).
exact: (cor3_above gt).
Qed.

(** Instances: |z|^k has degree k > 0; one residual block with it and an identity skip. *)
Example degree_instance (R : realType) (k : R) : 0 < k ->
  homogeneous1 k (fun z : R => if z == 0 then 0 else exp_fun `|z| k).
Proof.
move=> k0 l z l0; rewrite mulf_eq0 (gt_eqF l0) /=; case: ifP => [_|/negbT z0]; first by rewrite mulr0.
by rewrite normrM (gtr0_norm l0) /exp_fun lnM ?posrE ?normr_gt0 // mulrDr expRD.
Qed.
Example cor3_instance (R : realType) (k : R) (s : R -> R) : 0 < k -> homogeneous1 k s ->
  let b := mlp s (1%:M : 'M_2) 1%:M in
  [/\ ungated s b, homogeneous k b /\ bounded1 b & skips [:: (1%:M, b)] != 0].
Proof.
move=> k0 hs b; split; first by exists 2%N, 1%:M, 1%:M.
  exact: activation_block.
by rewrite /skips /= mul1mx oner_neq0.
Qed.
