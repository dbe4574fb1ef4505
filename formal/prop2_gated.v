(** * Proposition 2 (prop:gated), in the form X2: gated blocks never absorb a skip

The gate is only assumed to be continuous at 0 with value 0.  Then a gated MLP is o(|x|) at
the origin; [small] says so with sup-norm boxes, without naming a norm.  Any widths, M <> 0. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** f x = o(|x|) at 0 for the sup norm, without naming the norm. *)
Definition box (R : realFieldType) d (r : R) (x : 'cV[R]_d) := forall i, `|x i 0| <= r.
Definition small (R : realFieldType) m d (f : 'cV[R]_d -> 'cV[R]_m) :=
  forall e, 0 < e -> exists2 de, 0 < de & forall r x, 0 <= r -> r <= de -> box r x -> box (e * r) (f x).

Section Small.
Variable R : realFieldType.

Lemma prop2_abs m d (M : 'M[R]_(m, d)) (f g : 'cV[R]_d -> 'cV[R]_m) :
  M != 0 -> small f -> small g -> exists x, M *m x + f x != g x.
Proof.
move=> /matrix0Pn[i [j Mij]] sf sg.
have e0 : 0 < `|M i j| / 3%:R by rewrite divr_gt0 ?normr_gt0 ?ltr0n.
have [df df0 hf] := sf _ e0; have [dg dg0 hg] := sg _ e0.
pose t := Num.min df dg; have t0 : 0 < t by rewrite lt_minr df0.
have tf : t <= df by rewrite le_minl lexx.
have tg : t <= dg by rewrite le_minl lexx orbT.
pose x : 'cV[R]_d := t *: delta_mx j 0.
have bx : box t x.
  move=> k; rewrite !mxE andbT; case: (k == j); rewrite ?mulr1 ?mulr0 ?normr0 ?(ltW t0) //.
  by rewrite gtr0_norm.
exists x; apply/negP => /eqP/(congr1 (fun v : 'cV_m => v i 0)).
rewrite mxE; have -> : (M *m x) i 0 = t * M i j.
  by rewrite -scalemxAr -colE !mxE.
have h1 := hf t x (ltW t0) tf bx i; have h2 := hg t x (ltW t0) tg bx i.
move=> h0; have h : t * M i j = g x i 0 - f x i 0 by rewrite -h0 addrK.
have : `|M i j| * t <= `|M i j| / 3%:R * t + `|M i j| / 3%:R * t.
  rewrite -[X in _ * X <= _](gtr0_norm t0) mulrC -normrM h.
  exact: le_trans (ler_norm_sub _ _) (ler_add h2 h1).
rewrite -mulrDl ler_pmul2r // -mulr2n -mulr_natr mulrAC ler_pdivl_mulr ?ltr0n //.
by rewrite ler_pmul2l ?normr_gt0 // ler_nat.
Qed.

(** operator bound of a matrix *)
Definition mxbound m d (A : 'M[R]_(m, d)) : R := 1 + \sum_i \sum_j `|A i j|.
Lemma mxbound_gt0 m d (A : 'M[R]_(m, d)) : 0 < mxbound A.
Proof. by rewrite ltr_spaddl // sumr_ge0 // => i _; rewrite sumr_ge0. Qed.
Lemma box_mul m d (A : 'M[R]_(m, d)) r x : 0 <= r -> box r x -> box (mxbound A * r) (A *m x).
Proof.
move=> r0 bx i; rewrite mxE; apply: le_trans (ler_norm_sum _ _ _) _.
apply: (@le_trans _ _ ((\sum_j `|A i j|) * r)).
  by rewrite mulr_suml; apply: ler_sum => j _; rewrite normrM ler_wpmul2l.
rewrite ler_wpmul2r // /mxbound [X in 1 + X](bigD1 i) //= addrCA ler_addl addr_ge0 //.
by rewrite sumr_ge0 // => k _; rewrite sumr_ge0.
Qed.

Definition cont0 (g : R -> R) :=
  forall e, 0 < e -> exists2 de, 0 < de & forall z, `|z| <= de -> `|g z| <= e.

(** X2: continuity at 0 with g 0 = 0 (which [cont0] contains). *)
Lemma gmlp_small g m N d (D : 'M[R]_(m, N)) (G V : 'M[R]_(N, d)) : cont0 g -> small (gmlp g D G V).
Proof.
move=> cg e e0; pose K := mxbound D * mxbound V; have K0 : 0 < K by rewrite mulr_gt0 ?mxbound_gt0.
have [de de0 hg] := cg _ (divr_gt0 e0 K0).
exists (de / mxbound G) => [|r x r0 rd bx]; first by rewrite divr_gt0 ?mxbound_gt0.
have Kn : K != 0 by rewrite gt_eqF.
have E : mxbound D * (e / K * (mxbound V * r)) = e * r.
  by rewrite mulrCA !mulrA -[e / K * _ * _]mulrA -/K divfK.
rewrite -E; apply: box_mul => [|i].
  by rewrite !mulr_ge0 ?invr_ge0 // ltW // mxbound_gt0.
rewrite !mxE normrM ler_pmul //; last by have := box_mul V r0 bx i; rewrite mxE.
apply: hg; have := box_mul G r0 bx i; rewrite mxE => /le_trans -> //.
by rewrite mulrC -ler_pdivl_mulr ?mxbound_gt0.
Qed.

End Small.

Lemma relu_cont0 (R : realFieldType) : cont0 (@relu R).
Proof.
move=> e e0; exists e => // z; apply: le_trans; rewrite /relu; have [z0|z0] := leP z 0.
  by rewrite normr0.
by rewrite lexx.
Qed.

(** Proposition 2 in the form X2: [cont0 g] says that g(0) = 0 and g is continuous at 0. *)
Theorem prop2 (R : realFieldType) (g : R -> R) m N N' d (M : 'M[R]_(m, d)) (D : 'M_(m, N)) G V (D' : 'M_(m, N')) G' V' :
  cont0 g -> M != 0 -> exists x, M *m x + gmlp g D G V x != gmlp g D' G' V' x.
Proof. by move=> cg M0; apply: prop2_abs M0 _ _; apply: gmlp_small. Qed.

(** An instance: the gate ReLU (ReGLU), the skip of the paper. *)
Example prop2_instance (R : realFieldType) : cont0 (@relu R) /\ 1%:M != 0 :> 'M[R]_2.
Proof. by split; [exact: relu_cont0|rewrite oner_neq0]. Qed.
