(** * Corollary 3 (cor:depth): depth does not help

Compositions of residual blocks against compositions of blocks without skips, of any
lengths and widths. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks prop2_gated.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Towers.
Variable R : realFieldType.
(** Corollary 3: towers. *)
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
Definition tower d (fs : seq ('cV[R]_d -> 'cV[R]_d)) := foldr (fun f g => f \o g) id fs.

Record gate_params N d := GP { gD : 'M[R]_(d, N); gG : 'M[R]_(N, d); gV : 'M[R]_(N, d) }.
Definition gblock g N d (M : 'M[R]_d) (p : gate_params N d) x := M *m x + gmlp g (gD p) (gG p) (gV p) x.
Definition gmap g N d (p : gate_params N d) x := gmlp g (gD p) (gG p) (gV p) x.

Theorem cor3_gated g N N' d' (ps : seq (gate_params N d'.+1)) (qs : seq (gate_params N' d'.+1)) :
  cont0 g -> (0 < size qs)%N ->
  exists x, tower [seq gblock g 1%:M p | p <- ps] x != tower [seq gmap g p | p <- qs] x.
Proof.
move=> cg q0.
have tF : tangent 1%:M (tower [seq gblock g 1%:M p | p <- ps]).
  elim: ps => [|p ps IH] /=.
    by move=> e e0; exists 1 => // r x r0 _ _ i; rewrite mul1mx subrr mxE normr0 mulr_ge0 // ltW.
  rewrite -[X in tangent X _]mulmx1; apply: (tangent_comp _ IH) => e e0.
  have [de de0 h] := gmlp_small (gD p) (gG p) (gV p) cg e0; exists de => // r x r0 rd bx.
  by rewrite /gblock addrAC subrr add0r; apply: h.
have sH : small (tower [seq gmap g p | p <- qs]).
  case: qs q0 => // q qs _; elim: qs q => [|q' qs IH] q /=; first exact: gmlp_small.
  exact: small_comp (gmlp_small _ _ _ cg) (IH q').
have n1 : 1%:M != 0 :> 'M[R]_d'.+1 by rewrite oner_neq0.
have [x hx] := prop2_abs n1 tF sH; exists x; move: hx.
by rewrite addrC subrK.
Qed.
End Towers.

(** Corollary 3 for any blocks that are o(|x|): homogeneous of degree k > 1 or gated. *)
Theorem cor3_small (R : realFieldType) d' (fs gs : seq ('cV[R]_d'.+1 -> 'cV[R]_d'.+1)) :
  (forall f, List.In f fs -> small f) -> (forall g, List.In g gs -> small g) -> (0 < size gs)%N ->
  exists x, tower [seq (fun x => x + f x) | f <- fs] x != tower gs x.
Proof.
move=> hf hg g0.
have tF : tangent 1%:M (tower [seq (fun x => x + f x) | f <- fs]).
  elim: fs hf => [|f fs IH] hf /=.
    by move=> e e0; exists 1 => // r x r0 _ _ i; rewrite mul1mx subrr mxE normr0 mulr_ge0 // ltW.
  have tf : tangent 1%:M (fun x => x + f x).
    move=> e e0; have [de de0 h] := hf f (or_introl erefl) e e0; exists de => // r x r0 rd bx.
    by rewrite mul1mx addrAC subrr add0r; apply: h.
  rewrite -[X in tangent X _]mulmx1; apply: tangent_comp tf (IH _) => f' h'; apply: hf; by right.
have sH : small (tower gs).
  case: gs g0 hg => // g gs _; elim: gs g => [|g' gs IH] g hg /=; first by apply: hg; left.
  apply: small_comp; first by apply: hg; left.
  by apply: IH => h hh; apply: hg; right.
have n1 : 1%:M != 0 :> 'M[R]_d'.+1 by rewrite oner_neq0.
have [x hx] := prop2_abs n1 tF sH; exists x; move: hx.
by rewrite mul1mx addrC subrK.
Qed.
