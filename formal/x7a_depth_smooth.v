(** * X7a for activations at bounded distance from ReLU, such as SiLU and GELU

sigma(t z) / t tends to relu(z), uniformly, as t grows.  So two compositions of blocks with such
activations that are equal stay equal when all activations become ReLU, and X7a for ReLU applies. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From SkipAbsorption Require Import networks prop2_gated x7a_depth_relu x7a_polynomial.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** A composition of residual blocks x + W_down s(W_up x), and of blocks without skips, first block first. *)
Section Compositions.
Variables (R : realFieldType) (s : R -> R) (d : nat).
Implicit Type w : wblock R d.
Definition bare w (x : 'cV[R]_d) : 'cV[R]_d := mlp s (projT2 w).1 (projT2 w).2 x.
Fixpoint net_of (ws : seq (wblock R d)) x := if ws is w :: ws' then net_of ws' (x + bare w x) else x.
Fixpoint bares (ws : seq (wblock R d)) x := if ws is w :: ws' then bares ws' (bare w x) else x.
End Compositions.

Section Near.
Variable R : realFieldType.

(** sigma is at distance at most C from ReLU. *)
Definition near_relu (s : R -> R) := exists2 C, 0 <= C & forall z, `|s z - relu z| <= C.

Definition near m d (f g : 'cV[R]_d -> 'cV[R]_m) := exists2 K, 0 <= K & forall x, box K (f x - g x).
Definition lipschitz m d (f : 'cV[R]_d -> 'cV[R]_m) :=
  exists2 L, 0 <= L & forall r x y, 0 <= r -> box r (x - y) -> box (L * r) (f x - f y).
Definition degree_one m d (f : 'cV[R]_d -> 'cV[R]_m) := forall t x, 0 <= t -> f (t *: x) = t *: f x.

Lemma boxD d (r r' : R) (x y : 'cV[R]_d) : box r x -> box r' y -> box (r + r') (x + y).
Proof. by move=> hx hy i; rewrite mxE; apply: le_trans (ler_norm_add _ _) _; exact: ler_add. Qed.

Lemma near_comp m n d (f f' : 'cV[R]_n -> 'cV[R]_m) (g g' : 'cV[R]_d -> 'cV[R]_n) :
  near f f' -> lipschitz f' -> near g g' -> near (fun x => f (g x)) (fun x => f' (g' x)).
Proof.
move=> [K K0 hf] [L L0 hL] [K' K'0 hg]; exists (K + L * K') => [|x]; first by rewrite addr_ge0 ?mulr_ge0.
have -> : f (g x) - f' (g' x) = (f (g x) - f' (g x)) + (f' (g x) - f' (g' x)) by rewrite addrA subrK.
by apply: boxD; [exact: hf|exact: hL].
Qed.
Lemma lipschitz_comp m n d (f : 'cV[R]_n -> 'cV[R]_m) (g : 'cV[R]_d -> 'cV[R]_n) :
  lipschitz f -> lipschitz g -> lipschitz (fun x => f (g x)).
Proof.
move=> [L L0 hf] [L' L'0 hg]; exists (L * L') => [|r x y r0 h]; first exact: mulr_ge0.
by rewrite -mulrA; apply: hf; [exact: mulr_ge0|exact: hg].
Qed.

Lemma relu_lipschitz (a b : R) : `|relu a - relu b| <= `|a - b|.
Proof.
have h (x y : R) : x <= y -> `|relu y - relu x| <= `|y - x|.
  move=> xy; rewrite [X in _ <= X]ger0_norm ?subr_ge0 //; have := relu_odd x; have := relu_odd y.
  rewrite /relu; have [x0|x0] := leP x 0; have [y0|y0] := leP y 0 => _ _.
  - by rewrite subrr normr0 subr_ge0.
  - by rewrite subr0 gtr0_norm // ler_addl oppr_ge0.
  - by have := lt_le_trans x0 (le_trans xy y0); rewrite ltxx.
  - by rewrite ger0_norm ?subr_ge0.
by have [/h|/ltW/h] := leP b a; rewrite // distrC [X in _ <= X]distrC.
Qed.

Section Block.
Variables (m d N : nat) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)).
Lemma lipschitz_relu : lipschitz (mlp (@relu R) D U).
Proof.
exists (mxbound D * mxbound U) => [|r x y r0 h]; first by rewrite mulr_ge0 // ltW // mxbound_gt0.
rewrite /mlp -mulmxBr -mulrA; apply: box_mul; first by rewrite mulr_ge0 // ltW // mxbound_gt0.
move=> i; have := box_mul U r0 h i; rewrite mulmxBr; move: (U *m x) (U *m y) => a b.
by rewrite !mxE; apply: le_trans (relu_lipschitz _ _).
Qed.
Lemma near_mlp s : near_relu s -> near (mlp s D U) (mlp (@relu R) D U).
Proof.
move=> [C C0 h]; exists (mxbound D * C) => [|x]; first by rewrite mulr_ge0 // ltW // mxbound_gt0.
by rewrite /mlp -mulmxBr; apply: box_mul => // i; rewrite !mxE.
Qed.
Lemma degree_one_mlp : degree_one (mlp (@relu R) D U).
Proof.
move=> t x t0; rewrite /mlp -scalemxAr; have -> : map_mx (@relu R) (t *: (U *m x)) = t *: map_mx (@relu R) (U *m x).
  by apply/matrixP => i j; rewrite !mxE /relu maxr_pmulr // mulr0.
by rewrite scalemxAr.
Qed.
End Block.

Section Net.
Variables (d : nat) (s : R -> R).
Hypothesis hs : near_relu s.
Implicit Type ws : seq (wblock R d).

Lemma near_id : near (fun x : 'cV[R]_d => x) (fun x => x).
Proof. by exists 0 => // x i; rewrite subrr mxE normr0. Qed.
Lemma lipschitz_id : lipschitz (fun x : 'cV[R]_d => x).
Proof. by exists 1 => // r x y r0 h; rewrite mul1r. Qed.
Lemma lipschitz_block (w : wblock R d) : lipschitz (fun x => x + bare (@relu R) w x).
Proof.
have [L L0 h] := lipschitz_relu (projT2 w).1 (projT2 w).2.
exists (1 + L) => [|r x y r0 b]; first by rewrite addr_ge0.
by rewrite opprD addrACA mulrDl mul1r; apply: boxD => //; exact: h.
Qed.
Lemma near_block (w : wblock R d) : near (fun x => x + bare s w x) (fun x => x + bare (@relu R) w x).
Proof.
have [K K0 h] := near_mlp (projT2 w).1 (projT2 w).2 hs.
by exists K => // x; rewrite opprD addrACA subrr add0r; exact: h.
Qed.

Lemma lipschitz_net ws : lipschitz (net_of (@relu R) ws).
Proof.
elim: ws => [|w ws IH] /=; first exact: lipschitz_id.
exact: lipschitz_comp IH (lipschitz_block w).
Qed.
Lemma near_net ws : near (net_of s ws) (net_of (@relu R) ws).
Proof.
elim: ws => [|w ws IH] /=; first exact: near_id.
exact: near_comp IH (lipschitz_net ws) (near_block w).
Qed.
Lemma lipschitz_bares ws : lipschitz (bares (@relu R) ws).
Proof.
elim: ws => [|w ws IH] /=; first exact: lipschitz_id.
exact: lipschitz_comp IH (lipschitz_relu _ _).
Qed.
Lemma near_bares ws : near (bares s ws) (bares (@relu R) ws).
Proof.
elim: ws => [|w ws IH] /=; first exact: near_id.
exact: near_comp IH (lipschitz_bares ws) (near_mlp _ _ hs).
Qed.
Lemma degree_one_net ws : degree_one (net_of (@relu R) ws).
Proof.
elim: ws => [//|w ws IH] t x t0 /=.
by rewrite /bare degree_one_mlp // -scalerDr IH.
Qed.
Lemma degree_one_bares ws : degree_one (bares (@relu R) ws).
Proof. by elim: ws => [//|w ws IH] t x t0 /=; rewrite /bare degree_one_mlp // IH. Qed.
End Net.

Lemma net_of_relu d (ws : seq (wblock R d)) x : net_of (@relu R) ws x = net ws x.
Proof. by elim: ws x => //= w ws IH x; rewrite IH. Qed.

(** Where the ReLU networks differ at x, the others differ at some t x. *)
Lemma differ_far d (f g f' g' : 'cV[R]_d -> 'cV[R]_d) x : near f f' -> near g g' ->
  degree_one f' -> degree_one g' -> f' x != g' x -> exists y, f y != g y.
Proof.
move=> [K K0 hf] [K' K'0 hg] df dg; rewrite -subr_eq0 => /cV0Pn[i]; rewrite !mxE => ne.
pose e := `|f' x i 0 - g' x i 0|; have e0 : 0 < e by rewrite normr_gt0.
pose t := (K + K' + 1) / e; have t0 : 0 <= t by rewrite divr_ge0 ?addr_ge0 ?(ltW e0).
exists (t *: x); apply/negP => /eqP E.
have := hf (t *: x) i; have := hg (t *: x) i; rewrite -E df // dg // !mxE => h1 h2.
have : t * e <= K + K'.
  rewrite /e -{1}(ger0_norm t0) -normrM mulrBr; move: h1 h2; set u := f _ _ _.
  move=> h1 h2; have -> : t * f' x i 0 - t * g' x i 0 = (u - t * g' x i 0) - (u - t * f' x i 0) by ring.
  by apply: le_trans (ler_norm_sub _ _) _; rewrite addrC; exact: ler_add.
by rewrite divfK ?gt_eqF // ger_addl leNgt ltr01.
Qed.

(** If the ReLU network with the weights of F is unlike every network whose first block has no skip and
    fewer than 2 d units, then F with activation s is no composition of blocks without skip, with
    activation s', whose first block has fewer than 2 d units; both activations near ReLU. *)
Theorem x7a_near d (s s' : R -> R) (ws : seq (wblock R d)) (w : wblock R d) (vs : seq (wblock R d)) :
  near_relu s -> near_relu s' -> unlike_any (net ws) -> (projT1 w < 2 * d)%N ->
  exists x, net_of s ws x != bares s' (w :: vs) x.
Proof.
move=> hs hs' un lt.
have [x ne] := un d (projT1 w) (projT2 w).1 (projT2 w).2 (bares (@relu R) vs) lt.
apply: (differ_far (x := x) (near_net hs ws) (near_bares hs' (w :: vs))).
- exact: degree_one_net.
- exact: degree_one_bares.
by rewrite net_of_relu.
Qed.
End Near.
