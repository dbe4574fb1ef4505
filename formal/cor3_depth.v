(** * Corollary 3 (cor:depth): depth does not help; blocks that are o(|x|) at the origin

A composition of residual blocks x -> M_l x + f_l(x) against a composition of blocks without
skips, of any lengths and widths.  If every block is o(|x|) at the origin, the first has the
derivative M_1 M_2 ... there and the second has derivative 0; so they differ as soon as that
product is not zero.  Gated blocks are of this kind (here), and so are homogeneous ones of
degree k > 1 (in the file on degrees).  Blocks are listed from the last to the first. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks prop2_gated.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Definition compose (T : Type) (fs : seq (T -> T)) := foldr (fun f g => f \o g) id fs.
Section Residual.
Variables (R : ringType) (d : nat).
Implicit Type F : seq ('M[R]_d * ('cV[R]_d -> 'cV[R]_d)).
(** x -> M_1 x + f_1(x) after x -> M_2 x + f_2(x) after ... *)
Definition residual F := compose [seq (fun x => p.1 *m x + p.2 x) | p <- F].
(** the product of the skips *)
Definition skips F : 'M[R]_d := foldr (fun p A => p.1 *m A) 1%:M F.
End Residual.

Section Towers.
Variable R : realFieldType.
Lemma small_comp d (f g : 'cV[R]_d -> 'cV[R]_d) : small f -> small g -> small (f \o g).
Proof.
move=> sf sg e e0; have [d1 d10 h1] := sf _ e0; have [d2 d20 h2] := sg _ ltr01.
exists (Num.min d1 d2) => [|r x r0]; first by rewrite lt_minr d10.
rewrite le_minr => /andP[rd1 rd2] bx; apply: h1 => //.
by have := h2 r x r0 rd2 bx; rewrite mul1r.
Qed.
(** f x = A x + o(|x|) *)
Definition tangent d (A : 'M[R]_d) (f : 'cV[R]_d -> 'cV[R]_d) := small (fun x => f x - A *m x).
Lemma tangent_comp d (A B : 'M[R]_d) f g : tangent A f -> tangent B g -> tangent (A *m B) (f \o g).
Proof.
move=> tf tg e e0.
pose KB := mxbound B + 1; have KB0 : 0 < KB by rewrite /KB addr_gt0 ?mxbound_gt0 ?ltr01.
pose KA := mxbound A; have KA0 : 0 < KA by rewrite mxbound_gt0.
have e2 : 0 < e / 2%:R by rewrite divr_gt0 ?ltr0n.
have [d1 d10 h1] := tf _ (divr_gt0 e2 KB0).
have [d2 d20 h2] := tg _ (divr_gt0 e2 KA0); have [d3 d30 h3] := tg _ ltr01.
exists (Num.min (d1 / KB) (Num.min d2 d3)) => [|r x r0].
  by rewrite !lt_minr d20 d30 divr_gt0.
rewrite !le_minr => /and3P[rd1 rd2 rd3] bx.
have bg : box (KB * r) (g x).
  move=> i; have -> : g x i 0 = (B *m x) i 0 + (g x - B *m x) i 0.
    by have := congr1 (fun v : 'cV_d => v i 0) (subrK (B *m x) (g x)); rewrite addrC [LHS]mxE.
  rewrite /KB mulrDl; apply: le_trans (ler_norm_add _ _) (ler_add _ (h3 r x r0 rd3 bx i)).
  exact: box_mul.
have b1 : box (e / 2%:R * r) (f (g x) - A *m g x).
  have := h1 (KB * r) (g x) (mulr_ge0 (ltW KB0) r0) _ bg; rewrite mulrA divfK ?gt_eqF //.
  by apply; rewrite mulrC -ler_pdivl_mulr.
have b2 : box (e / 2%:R * r) (A *m (g x - B *m x)).
  have nn : 0 <= e / 2%:R / KA * r by rewrite !mulr_ge0 ?invr_ge0 ?(ltW KA0) ?(ltW e0) ?ler0n.
  have := box_mul A nn (h2 r x r0 rd2 bx).
  by rewrite -/KA mulrA [KA * _]mulrC divfK ?gt_eqF.
move=> i; rewrite /= -mulmxA; have -> : f (g x) - A *m (B *m x) = (f (g x) - A *m g x) + A *m (g x - B *m x).
  by rewrite mulmxBr addrA subrK.
rewrite mxE; apply: le_trans (ler_norm_add _ _) _; apply: le_trans (ler_add (b1 i) (b2 i)) _.
by rewrite -mulrDl -mulr2n -mulr_natr divfK ?pnatr_eq0.
Qed.

Lemma residual_tangent d (F : seq ('M[R]_d * ('cV[R]_d -> 'cV[R]_d))) :
  (forall p, List.In p F -> small p.2) -> tangent (skips F) (residual F).
Proof.
elim: F => [|p F IH] h /=.
  by move=> e e0; exists 1 => // r x r0 _ _ i; rewrite mul1mx subrr mxE normr0 mulr_ge0 // ltW.
apply: tangent_comp (IH _) => [e e0|q hq]; last by apply: h; right.
have [de de0 hd] := h p (or_introl erefl) e e0; exists de => // r x r0 rd bx.
by rewrite addrAC subrr add0r; apply: hd.
Qed.
Lemma compose_small d (H : seq ('cV[R]_d -> 'cV[R]_d)) :
  (forall g, List.In g H -> small g) -> (0 < size H)%N -> small (compose H).
Proof.
case: H => // h H hs _; elim: H h hs => [|h' H IH] h hs /=; first by apply: hs; left.
by apply: small_comp; [apply: hs; left|apply: IH => k hk; apply: hs; right].
Qed.

Lemma cor3_small d (F : seq ('M[R]_d * ('cV[R]_d -> 'cV[R]_d))) (H : seq ('cV[R]_d -> 'cV[R]_d)) :
  (forall p, List.In p F -> small p.2) -> (forall g, List.In g H -> small g) ->
  skips F != 0 -> (0 < size H)%N -> exists x, residual F x != compose H x.
Proof.
move=> hF hH F0 H0; have [x hx] := prop2_abs F0 (residual_tangent hF) (compose_small hH H0).
by exists x; move: hx; rewrite addrC subrK.
Qed.
End Towers.

(** A map that some gated MLP computes, of any width, with any gate as in Proposition 2. *)
Definition gated (R : realFieldType) d (f : 'cV[R]_d -> 'cV[R]_d) :=
  exists (g : R -> R) N (D : 'M_(d, N)) (G V : 'M_(N, d)), cont0 g /\ f = gmlp g D G V.

(** Corollary 3, gated blocks, with linear skips M_l whose product is not zero. *)
Theorem cor3_gated (R : realFieldType) d
    (F : seq ('M[R]_d * ('cV[R]_d -> 'cV[R]_d))) (H : seq ('cV[R]_d -> 'cV[R]_d)) :
  (forall p, List.In p F -> gated p.2) -> (forall f, List.In f H -> gated f) ->
  skips F != 0 -> (0 < size H)%N -> exists x, residual F x != compose H x.
Proof.
move=> hF hH; apply: cor3_small => [p /hF|f /hH] [g [N [D [G [V [cg ->]]]]]]; exact: gmlp_small.
Qed.

(** An instance: two residual ReGLU blocks and identity skips, against one block. *)
Example cor3_gated_instance (R : realFieldType) :
  let b := gmlp (@relu R) (1%:M : 'M_2) 1%:M 1%:M in let F := [:: (1%:M, b); (1%:M, b)] in
  [/\ forall p, List.In p F -> gated p.2, forall f, List.In f [:: b] -> gated f,
    skips F != 0 & (0 < size [:: b])%N].
Proof.
have hb : gated (gmlp (@relu R) (1%:M : 'M_2) 1%:M 1%:M).
  by exists (@relu R), 2%N, 1%:M, 1%:M, 1%:M; split=> //; exact: relu_cont0.
split=> //.
- by move=> p [<-//|[<-//|//]].
- by move=> f [<-//|//].
by rewrite /= !mul1mx oner_neq0.
Qed.
