(** * Counting units: the core of Theorem 4 and of Proposition 8 (ii)

Compare the even and the odd parts of two networks that differ by a linear map.  Once each
w_i is known to have units of the other network on its line, [core] bounds the rank of
M + A_F B_F by the number of units to spare.  Used for ReLU and for GELU alike. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** The counting core shared by ReLU (s i j = scale of v_j on the line of w_i)
    and GELU (s i j = +-1 when v_j = +- w_i): no class of v's needs to be excluded. *)
Section Core.
Variables (R : realFieldType) (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)).
Variables (M : 'M[R]_(m, d)) (s : 'I_N -> 'I_N' -> R).
Hypothesis s_row : forall i j, s i j != 0 -> row j U' = s i j *: row i U.
Hypothesis s_uniq : forall i i' j, s i j != 0 -> s i' j != 0 -> i = i'.
Hypothesis even : forall i, col i D = \sum_j `|s i j| *: col j D'.
Hypothesis odd : D *m U + 2%:R *: M = D' *m U'.
Hypothesis D0 : forall i, col i D != 0.

Lemma pi_ex i : exists j, s i j != 0.
Proof.
apply/existsP; rewrite -negb_forall; apply: contra (D0 i) => /forallP h.
by rewrite even big1 // => j _; move/eqP: (h j) => ->; rewrite normr0 scale0r.
Qed.
Definition pi i := xchoose (pi_ex i).
Lemma piP i : s i (pi i) != 0. Proof. exact: xchooseP (pi_ex i). Qed.
Lemma pi_inj : injective pi.
Proof. by move=> i i' h; apply: (@s_uniq _ _ (pi i)); rewrite ?piP // h piP. Qed.
Lemma width_ge : (N <= N')%N.
Proof. by have := leq_card _ pi_inj; rewrite !card_ord. Qed.

Definition flipped : {set 'I_N} := [set i | s i (pi i) < 0].
Let y j := row j U' - \sum_i (Num.sg (s i (pi i)) * `|s i j|) *: row i U.

Lemma y_im i : y (pi i) = 0.
Proof.
rewrite /y (bigD1 i) //= big1 ?addr0 => [|i' ne]; last first.
  have [->|h] := eqVneq (s i' (pi i)) 0; first by rewrite normr0 mulr0 scale0r.
  by rewrite (s_uniq h (piP i)) eqxx in ne.
by rewrite -numEsg (s_row (piP i)) subrr.
Qed.

Lemma core_sum : 2%:R *: (M + part flipped D U) = \sum_j col j D' *m y j.
Proof.
have -> : \sum_j col j D' *m y j =
    D' *m U' - \sum_i Num.sg (s i (pi i)) *: (col i D *m row i U).
  rewrite mulmx_colrow -sumrN.
  rewrite (eq_bigr (fun j => col j D' *m row j U' -
     \sum_i (Num.sg (s i (pi i)) * `|s i j|) *: (col j D' *m row i U))); last first.
    move=> j _; rewrite /y mulmxBr mulmx_sumr; congr (_ - _).
    by apply: eq_bigr => i _; rewrite scalemxAr.
  rewrite big_split /= sumrN sumrN; congr (_ - _); rewrite exchange_big /=.
  apply: eq_bigr => i _; rewrite even mulmx_suml scaler_sumr.
  by apply: eq_bigr => j _; rewrite -scalemxAl scalerA.
rewrite -odd scalerDr [D *m U + _]addrC -addrA; congr (_ + _); rewrite mulmx_colrow -sumrB.
rewrite /part scaler_sumr big_mkcond /=; apply: eq_bigr => i _; rewrite inE.
case: (ltgtP (s i (pi i)) 0) (piP i) => [h|h|->] //.
  by rewrite ltr0_sg // scaleN1r opprK scaler_nat mulr2n.
by rewrite gtr0_sg // scale1r subrr.
Qed.

Lemma core : (\rank (M + part flipped D U)%R <= N' - N)%N.
Proof.
have t0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
rewrite -(mxrank_scale_nz _ t0) core_sum (bigID (mem (codom pi))) /= big1 ?add0r; last first.
  by move=> j /codomP[i ->]; rewrite y_im mulmx0.
apply: leq_trans (rank_sum _ _ _) _.
have cN : #|codom pi| = N by rewrite (card_codom pi_inj) card_ord.
have e := cardC (mem (codom pi)); rewrite card_ord cN in e.
by rewrite leq_subRL ?width_ge //; apply: eq_leq.
Qed.
End Core.

(** Parity split for any sigma with sigma z - sigma(-z) = z. *)
Section Parity.
Variables (R : realFieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Variables (m d N N' : nat) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)).
Variables (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)) (M : 'M[R]_(m, d)).
Hypothesis eqf : forall x, mlp s D U x + M *m x = mlp s D' U' x.

Lemma mlp_odd n p (C : 'M[R]_(m, n)) (V : 'M_(n, p)) x : mlp s C V x - mlp s C V (- x) = C *m V *m x.
Proof.
rewrite /mlp -mulmxBr -mulmxA mulmxN; congr (_ *m _); move: (V *m x) => w.
by apply/matrixP => i j; rewrite !mxE hs.
Qed.
Lemma odd_part : D *m U + 2%:R *: M = D' *m U'.
Proof.
apply: mx_ext => x; rewrite -mlp_odd -!eqf mulmxDl -mlp_odd opprD mulmxN opprK addrACA.
by rewrite -scalemxAl scaler_nat mulr2n.
Qed.
Lemma even_part l (x : 'cV[R]_d) :
  \sum_i D l i * (s ((U *m x) i 0) + s (- (U *m x) i 0)) =
  \sum_j D' l j * (s ((U' *m x) j 0) + s (- (U' *m x) j 0)).
Proof.
have E n p (C : 'M[R]_(m, n)) (V : 'M_(n, p)) (z : 'cV_p) :
    (mlp s C V z + mlp s C V (- z)) l 0 = \sum_i C l i * (s ((V *m z) i 0) + s (- (V *m z) i 0)).
  rewrite /mlp -mulmxDr mxE; apply: eq_bigr => i _; congr (_ * _).
  by rewrite mulmxN; move: (V *m z) => w; rewrite !mxE.
by rewrite -!E -!eqf mulmxN addrACA subrr addr0.
Qed.
End Parity.
