(** * Theorem 4 (thm:ungated) for smooth activations

Everything asked of sigma: sigma(z) - sigma(-z) = z, and the conclusion of Lemma 7 for its
even part ([scale_indep]).  The hypotheses on the weights are those of X1c, weaker than (G). *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks theorem4_sufficiency lemma6 counting.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** Conclusion of Lemma 7, the only fact about the even part that is used. *)
Definition scale_indep (R : realFieldType) (E : R -> R) :=
  forall (I : finType) (c a : I -> R), (forall i, 0 <= a i) ->
  (forall t, 0 < t -> \sum_i c i * E (a i * t) = 0) ->
  forall b, 0 < b -> \sum_(i | a i == b) c i = 0.

Section Class.
Variables (R : realFieldType) (E : R -> R).
Hypotheses (Eeven : forall z, E (- z) = E z) (Esi : scale_indep E).
Variables (d : nat) (I : finType) (v : I -> 'rV[R]_d) (c : I -> R).
Hypothesis vanish : forall x : 'cV[R]_d, \sum_i c i * E ((v i *m x) 0 0) = 0.

Lemma Enorm z : E `|z| = E z.
Proof. by have [z0|z0] := leP 0 z; [rewrite ger0_norm|rewrite ltr0_norm]. Qed.

Lemma class_sum_pm (u : 'rV[R]_d) : u != 0 -> \sum_(i | (v i == u) || (v i == - u)) c i = 0.
Proof.
move=> u0.
pose q (p : option (I * bool)) := match p with None => u
  | Some (i, true) => v i - u | Some (i, false) => v i + u end.
have [x hx] := @avoid R _ (fun p => q p != 0) d q (fun _ h => h).
have ux : 0 < `|(u *m x) 0 0| by rewrite normr_gt0 (hx None).
have ax i : 0 <= `|(v i *m x) 0 0| by [].
have hz t : 0 < t -> \sum_i c i * E (`|(v i *m x) 0 0| * t) = 0.
  move=> t0; rewrite -[RHS](vanish (t *: x)); apply: eq_bigr => i _.
  have Zx (A : 'M[R]_1) : (t *: A) 0 0 = t * A 0 0 by rewrite mxE.
  by rewrite -scalemxAr Zx -[in RHS]Enorm normrM (gtr0_norm t0) [t * _]mulrC.
rewrite -[RHS](Esi ax hz ux); apply: eq_bigl => i.
have Nx (w : 'rV[R]_d) : (- w *m x) 0 0 = - (w *m x) 0 0 by rewrite mulNmx mxE.
have Dx (w w' : 'rV[R]_d) : ((w + w') *m x) 0 0 = (w *m x) 0 0 + (w' *m x) 0 0.
  by rewrite mulmxDl mxE.
rewrite eqr_norm2 -[X in X || _ = _]subr_eq0 -[X in _ || X = _]addr_eq0.
rewrite -[(_ *m x) 0 0 == (u *m x) 0 0]subr_eq0 -[(_ *m x) 0 0 == - _]addr_eq0 -Nx -!Dx.
have H (p : option (I * bool)) : (q p == 0) = ((q p *m x) 0 0 == 0).
  have [->|h] := eqVneq (q p) 0; first by rewrite mul0mx mxE eqxx.
  by rewrite (negbTE (hx p h)).
by rewrite (H (Some (i, true))) (H (Some (i, false))).
Qed.
End Class.

Section Smooth.
Variables (R : realFieldType) (sg : R -> R).
Hypothesis hs : forall z, sg z - sg (- z) = z.
Hypothesis Esi : scale_indep (fun z => sg z + sg (- z)).
Variables (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)).
Variable (M : 'M[R]_(m, d)).
Hypothesis G : generic_pm D U.
Hypothesis eqf : forall x, mlp sg D U x + M *m x = mlp sg D' U' x.

Definition pm i j : R := if row j U' == row i U then 1 else if row j U' == - row i U then -1 else 0.
Lemma pm_row i j : pm i j != 0 -> row j U' = pm i j *: row i U.
Proof.
rewrite /pm; have [->|_] := eqVneq (row j U') (row i U); first by rewrite scale1r.
by have [->|_] := eqVneq (row j U') (- row i U); rewrite ?scaleN1r ?eqxx.
Qed.
Lemma pm_cases i j : pm i j != 0 -> row j U' = row i U \/ row j U' = - row i U.
Proof.
rewrite /pm; have [->|_] := eqVneq (row j U') (row i U); first by left.
by have [->|_] := eqVneq (row j U') (- row i U); rewrite ?eqxx //; right.
Qed.
Lemma pm_uniq i i' j : pm i j != 0 -> pm i' j != 0 -> i = i'.
Proof.
move=> /pm_cases h /pm_cases h'; have [//|ne] := eqVneq i i'; have [_ gU _] := G.
have [/eqP n1 /eqP n2] := gU _ _ ne; exfalso.
case: h h' => -> [] e; [exact: n1|exact: n2| |exact/n1/oppr_inj].
by apply: n2; rewrite -e opprK.
Qed.
Lemma norm_pm i j : `|pm i j| = ((row j U' == row i U) || (row j U' == - row i U))%:R.
Proof.
rewrite /pm; case: (_ == row i U) => /=; first by rewrite normr1.
by case: (_ == - row i U); rewrite ?normrN ?normr1 ?normr0.
Qed.
Lemma pm_even i : col i D = \sum_j `|pm i j| *: col j D'.
Proof.
apply/matrixP => l k; rewrite summxE mxE.
pose E z := sg z + sg (- z).
have Ee z : E (- z) = E z by rewrite /E opprK addrC.
pose v (t : 'I_N + 'I_N') := match t with inl i => row i U | inr j => row j U' end.
pose c (t : 'I_N + 'I_N') := match t with inl i => D l i | inr j => - D' l j end.
have vanish (x : 'cV[R]_d) : \sum_t c t * E ((v t *m x) 0 0) = 0.
  have rowE n (W : 'M[R]_(n, d)) i0 : (W *m x) i0 0 = (row i0 W *m x) 0 0 by rewrite -row_mul [RHS]mxE.
  rewrite big_sumType /=; have := even_part eqf l x.
  under eq_bigr do rewrite rowE; move=> ->.
  under eq_bigr do rewrite rowE; rewrite -big_split /= big1 // => j _.
  by rewrite mulNr subrr.
have [U0 gU _] := G.
have := class_sum_pm Ee Esi vanish (U0 i).
rewrite big_sumType /= (bigD1 i) ?eqxx //= big1 ?addr0 => [|i' /andP[h ne]]; last first.
  by have [/negbTE n1 /negbTE n2] := gU _ _ ne; rewrite n1 n2 in h.
move/eqP; rewrite addr_eq0 => /eqP ->; rewrite -sumrN big_mkcond /=; apply: eq_bigr => j _.
by rewrite !mxE norm_pm; case: ifP => _; rewrite ?opprK ?mul1r ?mul0r.
Qed.

Lemma smooth_lower : (N <= N')%N /\ exists F : {set 'I_N}, (\rank (M + part F D U)%R <= N' - N)%N.
Proof.
have [_ _ D0] := G; have o := odd_part hs eqf.
split; first exact: (width_ge pm_uniq pm_even D0).
exists (flipped pm_even D0); exact: (core pm_row pm_uniq pm_even o D0).
Qed.
End Smooth.

Lemma thm4_smooth (R : realFieldType) (sg : R -> R) (hs : forall z, sg z - sg (- z) = z)
  (Esi : scale_indep (fun z => sg z + sg (- z)))
  m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)) :
  generic_pm D U ->
  (exists (D' : 'M_(m, N)) (U' : 'M_(N, d)), forall x, mlp sg D U x + M *m x = mlp sg D' U' x) <->
  (exists S : {set 'I_N}, part S D U = - M).
Proof.
move=> G; split=> [[D' [U' eqf]]|[S /(thm4_suff hs)[V hV]]]; last by exists D, V.
have [_ [F]] := smooth_lower hs Esi G eqf; rewrite subnn leqn0 mxrank_eq0 => h; exists F.
by apply/eqP; rewrite -addr_eq0 addrC.
Qed.
