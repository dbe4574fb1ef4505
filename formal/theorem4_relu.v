(** * Theorem 4 (thm:ungated) for ReLU: the skip is absorbed if and only if A_S B_S = -M for some S

[relu_lower] is the lower bound on the width: a network of width N' without skip that
computes the function has N <= N' and rank (M + A_F B_F) <= N' - N for some F. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks theorem4_sufficiency lemma6 counting.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section ReLU.
Variables (R : realFieldType) (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)).
Variable (M : 'M[R]_(m, d)).

Hypothesis G : generic D U.
Hypothesis eqf : forall x, mlp (@relu R) D U x + M *m x = mlp (@relu R) D' U' x.

Lemma piv_ex i : exists k, U i k != 0.
Proof. by have [/(_ i)/rV0Pn[k]] := G; rewrite mxE; exists k. Qed.
Definition piv i := xchoose (piv_ex i).
Lemma pivP i : U i (piv i) != 0. Proof. exact: xchooseP (piv_ex i). Qed.
Definition scal i j := if (row j U' <= row i U)%MS then U' j (piv i) / U i (piv i) else 0.

Lemma scal_row i j : scal i j != 0 -> row j U' = scal i j *: row i U.
Proof.
rewrite /scal; case: ifP => [/sub_rVP[a e] _|]; last by rewrite eqxx.
have -> : U' j (piv i) = a * U i (piv i).
  by have := congr1 (fun v : 'rV_d => v 0 (piv i)) e; rewrite !mxE.
by rewrite mulfK ?pivP.
Qed.
Lemma scal_uniq i i' j : scal i j != 0 -> scal i' j != 0 -> i = i'.
Proof.
move=> h h'; have [//|ne] := eqVneq i i'; have [_ gU _] := G; case/negP: (gU _ _ ne).
apply/sub_rVP; exists ((scal i j)^-1 * scal i' j).
by rewrite -scalerA -(scal_row h') (scal_row h) scalerA mulVf // scale1r.
Qed.
Lemma scal_even i : col i D = \sum_j `|scal i j| *: col j D'.
Proof.
apply/matrixP => l k; rewrite summxE mxE.
pose v (t : 'I_N + 'I_N') := match t with inl i => row i U | inr j => row j U' end.
pose c (t : 'I_N + 'I_N') := match t with inl i => D l i | inr j => - D' l j end.
have vanish (x : 'cV[R]_d) : \sum_t c t * `|(v t *m x) 0 0| = 0.
  have rowE n (W : 'M[R]_(n, d)) i0 : (W *m x) i0 0 = (row i0 W *m x) 0 0 by rewrite -row_mul [RHS]mxE.
  rewrite big_sumType /=; have := even_part eqf l x.
  under eq_bigr do rewrite relu_even rowE; move=> ->.
  under eq_bigr do rewrite relu_even rowE; rewrite -big_split /= big1 // => j _.
  by rewrite mulNr subrr.
have e0 (w : 'rV[R]_d) p : (w *m (delta_mx p 0 : 'cV[R]_d)) 0 0 = w 0 p by rewrite -colE mxE.
have := class_sum vanish (row i U) (delta_mx (piv i) 0).
rewrite big_sumType /= (bigD1 i) //= big1 ?addr0 => [|i' /andP[h ne]]; last first.
  by have [_ gU _] := G; rewrite (negbTE (gU _ _ ne)) in h.
rewrite e0 mxE => /eqP; rewrite addr_eq0 => /eqP h.
have ui : `|U i (piv i)| != 0 by rewrite normr_eq0 pivP.
apply: (mulIf ui); rewrite h -sumrN mulr_suml [RHS](bigID (fun j => (row j U' <= row i U)%MS)) /=.
rewrite [X in _ = _ + X]big1 ?addr0 => [|j /negbTE hj]; last first.
  by rewrite !mxE /scal hj normr0 !mul0r.
apply: eq_bigr => j hj; rewrite e0 !mxE /scal hj mulNr opprK normrM normfV.
by rewrite mulrAC divfK // mulrC.
Qed.

(** Lower bound of X1 (F only) for ReLU; N' = N is the necessity half of Theorem 4. *)
Lemma relu_lower : (N <= N')%N /\ exists F : {set 'I_N}, (\rank (M + part F D U)%R <= N' - N)%N.
Proof.
have [_ _ D0] := G; have o := odd_part (@relu_odd R) eqf.
split; first exact: (width_ge scal_uniq scal_even D0).
exists (flipped scal_even D0); exact: (core scal_row scal_uniq scal_even o D0).
Qed.
End ReLU.

Theorem thm4_relu (R : realFieldType) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)) :
  generic D U ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)), forall x, mlp (@relu R) D U x + M *m x = mlp (@relu R) D' U' x) <->
  (exists S : {set 'I_N}, part S D U = - M).
Proof.
move=> G; split=> [[D' [U' eqf]]|[S /(thm4_suff (@relu_odd R))[V hV]]]; last by exists D, V.
have [_ [F]] := relu_lower G eqf; rewrite subnn leqn0 mxrank_eq0 => h; exists F.
by apply/eqP; rewrite -addr_eq0 addrC.
Qed.
