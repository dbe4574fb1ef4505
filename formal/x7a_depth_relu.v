(** * X7a: deep ReLU networks whose first layer is narrow

If every I + A_S B_S of every block is invertible, the residual network is equal to no
network whose first layer has no skip and width below 2d, whatever comes after. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks lemma6.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** X7 / Theorem F2, derivative-free: one-sided directional increments. *)
Section Depth.
Variable R : realFieldType.

Definition eventually0 (P : R -> Prop) := exists2 e, 0 < e & forall t, 0 <= t -> t <= e -> P t.
Lemma ev0_and P Q : eventually0 P -> eventually0 Q -> eventually0 (fun t => P t /\ Q t).
Proof.
move=> [e e0 he] [f f0 hf]; exists (Num.min e f) => [|t t0]; first by rewrite lt_minr e0.
by rewrite le_minr => /andP[h1 h2]; split; [exact: he|exact: hf].
Qed.
Lemma ev0_all (I : finType) (P : I -> R -> Prop) :
  (forall i, eventually0 (P i)) -> eventually0 (fun t => forall i, P i t).
Proof.
move=> h; suff [e e0 he] : eventually0 (fun t => forall i, i \in enum I -> P i t).
  by exists e => // t t0 te i; apply: he; rewrite ?mem_enum.
elim: (enum I) => [|i s IH]; first by exists 1.
have [e e0 he] := ev0_and (h i) IH; exists e => // t t0 te j.
by have [h1 h2] := he t t0 te; rewrite inE => /predU1P[->|/h2].
Qed.

Definition act (a b : R) := (0 < a) || (a == 0) && (0 < b).
Lemma keep_sign (a b : R) : 0 < a -> eventually0 (fun t => 0 < a + t * b).
Proof.
move=> a0; exists (a / (1 + `|b|) / 2%:R) => [|t t0 te].
  by rewrite !divr_gt0 ?ltr0n // ltr_spaddl.
have k0 : 0 < 1 + `|b| by rewrite ltr_spaddl.
have : t * `|b| <= a / 2%:R.
  apply: (@le_trans _ _ (t * (1 + `|b|))); first by rewrite ler_wpmul2l // ler_addr ler01.
  by rewrite -ler_pdivl_mulr // mulrAC.
move=> h; rewrite -ltr_subl_addl sub0r; apply: (@lt_le_trans _ _ (- (t * `|b|))).
  rewrite ltr_opp2; apply: le_lt_trans h _.
  by rewrite ltr_pdivr_mulr ?ltr0n // mulr_natr mulr2n ltr_addl.
by rewrite -mulrN ler_wpmul2l // ler_oppl -normrN ler_norm.
Qed.
Lemma relu_dir (a b : R) :
  eventually0 (fun t => relu (a + t * b) = relu a + t * (if act a b then b else 0)).
Proof.
rewrite /act /relu; have [a0|a0|->] := ltgtP a 0 => /=.
- have a0' : 0 < - a by rewrite oppr_gt0.
  have [e e0 he] := keep_sign (- b) a0'; exists e => // t t0 te; rewrite mulr0 addr0.
  have := he t t0 te; rewrite mulrN -opprD oppr_gt0 => h.
  by rewrite !max_r ?(ltW h) ?(ltW a0).
- have [e e0 he] := keep_sign b a0; exists e => // t t0 te.
  by rewrite !max_l ?(ltW a0) ?(ltW (he _ _ _)).
- exists 1 => // t t0 _; rewrite ?maxxx !add0r; case: ltP => b0.
    by rewrite max_l // mulr_ge0 // ltW.
  by rewrite mulr0 max_r // mulr_ge0_le0.
Qed.

Definition block N d (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) (x : 'cV[R]_d) := x + mlp (@relu R) D U x.

Lemma block_dir N d (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) y u :
  exists S : {set 'I_N}, eventually0 (fun t =>
    block D U (y + t *: u) = block D U y + t *: ((1%:M + part S D U) *m u)).
Proof.
exists [set i | act ((U *m y) i 0) ((U *m u) i 0)].
have [e e0 he] := ev0_all (fun i : 'I_N => relu_dir ((U *m y) i 0) ((U *m u) i 0)).
exists e => // t t0 te; rewrite /block mulmxDl mul1mx scalerDr addrACA; congr (_ + _).
rewrite /mlp; apply/matrixP => i k; rewrite ord1 [RHS]mxE [X in _ = X + _]mxE [LHS]mxE.
rewrite /part mulmx_suml scaler_sumr summxE [X in _ = _ + X]big_mkcond -big_split; apply: eq_bigr => j _.
rewrite mulmxDr -scalemxAr.
have -> : map_mx (@relu R) (U *m y + t *: (U *m u)) j 0 = relu ((U *m y) j 0 + t * (U *m u) j 0).
  by move: (U *m y) (U *m u) => A B; rewrite !mxE.
rewrite (he t t0 te j) mulrDr; congr (_ + _); first by congr (_ * _); rewrite [RHS]mxE.
rewrite inE; case: ifP => _; last by rewrite !mulr0.
rewrite [RHS]mxE -mulmxA -row_mul [X in _ = t * X]mxE big_ord1 [col _ _ _ _]mxE [row _ _ _ _]mxE.
by rewrite mulrCA.
Qed.

Definition wblock d := {N : nat & ('M[R]_(d, N) * 'M[R]_(N, d))%type}.
Definition bmap d (w : wblock d) := block (projT2 w).1 (projT2 w).2.
Definition nonsing d (w : wblock d) :=
  forall S, 1%:M + part S (projT2 w).1 (projT2 w).2 \in unitmx.
Fixpoint net d (ws : seq (wblock d)) (x : 'cV[R]_d) := if ws is w :: ws' then net ws' (bmap w x) else x.

Lemma net_dir d (ws : seq (wblock d)) : (forall w, List.In w ws -> nonsing w) ->
  forall y u, u != 0 -> exists2 u', u' != 0 & eventually0 (fun t => net ws (y + t *: u) = net ws y + t *: u').
Proof.
elim: ws => [|w ws IH] h y u u0; first by exists u => //; exists 1.
have [S hS] := block_dir (projT2 w).1 (projT2 w).2 y u.
pose u1 := (1%:M + part S (projT2 w).1 (projT2 w).2) *m u.
have n1 : u1 != 0.
  have uS := h w (or_introl erefl) S.
  by apply: contra u0 => /eqP e; rewrite -[u](mulKmx uS) -/u1 e mulmx0.
have [w' hw' | u' u'0 hu'] := IH _ (bmap w y) u1 n1; first by apply: h; right.
exists u' => //; have [e e0 he] := ev0_and hS hu'; exists e => // t t0 te /=.
by have [h1 h2] := he t t0 te; rewrite /bmap h1.
Qed.

(** a first layer of width < 2d has a flat direction somewhere *)
Lemma flat N d (U : 'M[R]_(N, d)) : (N < 2 * d)%N ->
  exists x u : 'cV[R]_d, u != 0 /\ eventually0 (fun t => map_mx (@relu R) (U *m (x + t *: u)) = map_mx (@relu R) (U *m x)).
Proof.
move=> ltN.
have [x0 hx0] := @avoid R _ (fun i => row i U != 0) d (fun i => row i U) (fun _ h => h).
have rowE (x : 'cV[R]_d) i : (row i U *m x) 0 0 = (U *m x) i 0 by rewrite -row_mul [LHS]mxE.
pose A (x : 'cV[R]_d) : {set 'I_N} := [set i | 0 < (U *m x) i 0].
have [x hx cA] : exists2 x, (forall i, row i U != 0 -> (U *m x) i 0 != 0) & (#|A x| < d)%N.
  have [h|h] := ltnP #|A x0| d; first by exists x0 => // i /hx0; rewrite rowE.
  exists (- x0) => [i /hx0|]; first by rewrite rowE mulmxN [(- _ : 'cV_N) i 0]mxE oppr_eq0.
  have dis : A (- x0) \subset ~: A x0.
    by apply/subsetP => i; rewrite !inE mulmxN [(- _ : 'cV_N) i 0]mxE oppr_gt0 -leNgt => /ltW.
  apply: leq_ltn_trans (subset_leq_card dis) _.
  have := cardsC (A x0); rewrite card_ord => e.
  by rewrite -(ltn_add2l #|A x0|) e (leq_trans ltN) // mul2n -addnn leq_add2r.
pose B : 'M[R]_(N, d) := \matrix_(i, j) (if i \in A x then U i j else 0).
have rB : (\rank B < d)%N.
  apply: leq_ltn_trans cA.
  have -> : B = \sum_(i in A x) delta_mx i (0 : 'I_1) *m row i U.
    apply/matrixP => i j; rewrite summxE mxE; case: ifP => iA.
      rewrite (bigD1 i) //= big1 ?addr0 => [|k /andP[_ ne]]; rewrite mxE big_ord1 !mxE.
        by rewrite !eqxx mul1r.
      by rewrite eq_sym (negbTE ne) mul0r.
    rewrite big1 // => k kA; rewrite mxE big_ord1 !mxE andbT.
    by have [e|_] := eqVneq i k; [rewrite -e iA in kA|rewrite mul0r].
  exact: rank_sum.
have : kermx B^T != 0 by rewrite -mxrank_eq0 mxrank_ker mxrank_tr subn_eq0 -ltnNge.
case/rowV0Pn => v /sub_kermxP vB v0.
pose u := v^T; have Bu : B *m u = 0 by rewrite -[B]trmxK -trmx_mul vB trmx0.
have u0 : u != 0 by apply: contra v0 => /eqP h; rewrite -[v]trmxK -/u h trmx0.
exists x, u; split => //.
have : eventually0 (fun t => forall i, relu ((U *m x) i 0 + t * (U *m u) i 0) = relu ((U *m x) i 0)).
  apply: ev0_all => i; have [iA|iA] := boolP (i \in A x).
    exists 1 => // t _ _; suff -> : (U *m u) i 0 = 0 by rewrite mulr0 addr0.
    have := congr1 (fun w : 'cV_N => w i 0) Bu; rewrite !mxE => h; rewrite -[RHS]h.
    by apply: eq_bigr => j _; rewrite [B i j]mxE iA.
  have [r0|r0] := eqVneq (row i U) 0.
    by exists 1 => // t _ _; rewrite -!rowE r0 !mul0mx mxE mulr0 addr0.
  have : (U *m x) i 0 < 0 by rewrite lt_neqAle hx //= leNgt; rewrite inE in iA.
  rewrite -oppr_gt0 => lt0; have [e e0 he] := keep_sign (- (U *m u) i 0) lt0.
  exists e => // t t0 te; have := he t t0 te; rewrite mulrN -opprD !oppr_gt0 => h.
  by rewrite /relu !max_r ?(ltW h) // ltW // -oppr_gt0.
case=> e e0 he; exists e => // t t0 te; apply/matrixP => i k; rewrite ord1.
rewrite mulmxDr -scalemxAr; have := he t t0 te i.
by move: (U *m x) (U *m u) => X Y; rewrite !mxE.
Qed.

(** Theorem F2: every continuation [rest] of a first residual-free block of width < 2d,
    of any depth, width and nature, differs from every non-singular residual net. *)
Theorem F2 d d1 N' (ws : seq (wblock d)) (D' : 'M[R]_(d1, N')) (U' : 'M[R]_(N', d)) (rest : 'cV[R]_d1 -> 'cV[R]_d) :
  (forall w, List.In w ws -> nonsing w) -> (N' < 2 * d)%N ->
  exists x, net ws x != rest (mlp (@relu R) D' U' x).
Proof.
move=> hws ltN; have [x [u [u0 hflat]]] := flat U' ltN.
have [u' u'0 hdir] := net_dir hws x u0.
have [e e0 he] := ev0_and hflat hdir; have [h1 h2] := he e (ltW e0) (lexx e).
have [h|] := eqVneq (net ws x) (rest (mlp (@relu R) D' U' x)); last by exists x.
exists (x + e *: u); rewrite /mlp h1 -/(mlp (@relu R) D' U' x) -h h2.
by rewrite -subr_eq0 addrAC subrr add0r scaler_eq0 negb_or u'0 andbT gt_eqF.
Qed.
End Depth.
