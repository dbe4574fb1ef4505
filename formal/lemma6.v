(** * Lemma 6 (lem:kinks): kinks are independent

If a combination of absolute values of linear forms vanishes identically, then so does
the part of it on each line ([class_sum], which has no hypothesis at all); with pairwise
non-collinear forms every coefficient is zero ([lemma6]).  A second difference across one
hyperplane, at a point off the others, reads the coefficient. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** A finite family of nonzero linear forms has a common non-zero: the moment curve. *)
Section Avoid.
Variable R : numFieldType.
Definition moment n (t : R) : 'cV[R]_n := \col_i t ^+ i.
Lemma moment_form n (v : 'rV[R]_n) t : (v *m moment n t) 0 0 = (rVpoly v).[t].
Proof.
rewrite !mxE /rVpoly horner_poly; apply: eq_bigr => i _; rewrite !mxE.
by case: insubP => [u _ /val_inj ->|/negP[]].
Qed.
Lemma rVpoly_neq0 n (v : 'rV[R]_n) : v != 0 -> rVpoly v != 0.
Proof. by apply: contraNN => /eqP h; rewrite -[v]rVpolyK h linear0. Qed.
Lemma avoid (I : finType) (P : pred I) n (q : I -> 'rV[R]_n) :
  (forall i, P i -> q i != 0) -> exists x : 'cV[R]_n, forall i, P i -> (q i *m x) 0 0 != 0.
Proof.
move=> q0; pose p := \prod_(i | P i) rVpoly (q i).
have p0 : p != 0 by apply/prodf_neq0 => i /q0/rVpoly_neq0.
pose rs := [seq k%:R | k <- iota 0 (size p)] : seq R.
have urs : uniq rs by rewrite map_inj_uniq ?iota_uniq //; apply: mulrIn; rewrite oner_eq0.
have : ~~ all (root p) rs.
  by apply/negP => h; have := max_poly_roots p0 h urs; rewrite size_map size_iota ltnn.
case/allPn => t _ rt; exists (moment n t) => i Pi; rewrite moment_form.
by move: rt; rewrite /root horner_prod => /prodf_neq0; apply.
Qed.
End Avoid.

Section Second.
Variable R : realFieldType.
Lemma second_diff (a h : R) : `|h| <= `|a| -> `|a + h| + `|a - h| - 2%:R * `|a| = 0.
Proof.
have [a0|a0] := leP 0 a.
  rewrite (ger0_norm a0) ler_norml => /andP[h1 h2].
  rewrite !ger0_norm; last 2 first.
  - by rewrite subr_ge0.
  - by rewrite -ler_subl_addl sub0r.
  by rewrite addrACA subrr addr0 mulr_natl mulr2n subrr.
rewrite (ltr0_norm a0) ler_norml opprK => /andP[h1 h2].
rewrite !ler0_norm; last 2 first.
- by rewrite subr_le0.
- by rewrite -ler_subr_addl sub0r.
by rewrite -opprD addrACA subrr addr0 mulr_natl mulr2n opprD subrr.
Qed.

(** Small steps: t |h i| <= |a i| for finitely many non-zero a i. *)
Lemma small_step (I : finType) (P : pred I) (a h : I -> R) :
  (forall i, P i -> a i != 0) -> exists2 t, 0 < t & forall i, P i -> `|t * h i| <= `|a i|.
Proof.
move=> a0.
suff [t t0 ht] : exists2 t, 0 < t & forall i, i \in enum P -> `|t * h i| <= `|a i|.
  by exists t => // i Pi; apply: ht; rewrite mem_enum.
have : forall i, i \in enum P -> a i != 0 by move=> i; rewrite mem_enum; apply: a0.
elim: (enum P) => [|i s IH] hs; first by exists 1.
have [j js|t t0 ht] := IH; first by rewrite hs // inE js orbT.
pose u := `|a i| / (1 + `|h i|).
have h1 : 0 < 1 + `|h i| by rewrite ltr_spaddl.
have u0 : 0 < u by rewrite divr_gt0 // normr_gt0 hs // mem_head.
exists (Num.min t u) => [|j]; first by rewrite lt_minr t0.
have m0 : 0 <= Num.min t u by rewrite le_minr !ltW.
rewrite normrM ger0_norm // inE => /orP[/eqP->|js].
  apply: (@le_trans _ _ (u * (1 + `|h i|))); last by rewrite divfK ?gt_eqF.
  by apply: ler_pmul; rewrite ?le_minl ?lexx ?orbT // ler_addr.
apply: le_trans (ht _ js); rewrite normrM (gtr0_norm t0) ler_wpmul2r //.
by rewrite le_minl lexx.
Qed.
End Second.

Section Lemma6.
Variables (R : realFieldType) (d : nat) (I : finType).
Variables (v : I -> 'rV[R]_d) (c : I -> R).
Hypothesis vanish : forall x : 'cV[R]_d, \sum_i c i * `|(v i *m x) 0 0| = 0.

(** Class form, no hypothesis on the family: the terms collinear to [u] (or zero)
    already cancel by themselves.  Zero rows contribute 0. *)
Lemma class_sum (u : 'rV[R]_d) (e : 'cV[R]_d) :
  \sum_(i | (v i <= u)%MS) c i * `|(v i *m e) 0 0| = 0.
Proof.
pose P := [pred i | ~~ (v i <= u)%MS].
have [y hy] : exists y : 'cV[R]_d, forall i, P i -> ((v i *m cokermx u) *m y) 0 0 != 0.
  by apply: (@avoid _ _ P _ (fun i => v i *m cokermx u)) => i; rewrite /P /= submxE.
pose x0 := cokermx u *m y.
have x0P i : P i -> (v i *m x0) 0 0 != 0 by move=> Pi; rewrite /x0 (mulmxA (v i)); apply: hy.
have x0N i : (v i <= u)%MS -> v i *m x0 = 0.
  by rewrite submxE => /eqP h; rewrite /x0 (mulmxA (v i)) h mul0mx.
have [t t0 ht] := small_step (fun i => (v i *m e) 0 0) x0P.
pose phi (x : 'cV[R]_d) := \sum_i c i * `|(v i *m x) 0 0|.
have: phi (x0 + t *: e) + phi (x0 - t *: e) - 2%:R * phi x0 = 0.
  by rewrite /phi !vanish mulr0 subr0 addr0.
rewrite /phi mulr_sumr -big_split -sumrB /= (bigID (fun i => (v i <= u)%MS)) /=.
rewrite [X in _ + X]big1 ?addr0 => [|i Pi]; last first.
  rewrite mulrCA -mulrDr -mulrBr !mulmxDr mulmxN -!scalemxAr.
  have E (A B : 'M[R]_1) : (A + B) 0 0 = A 0 0 + B 0 0 by rewrite mxE.
  have O (A : 'M[R]_1) : (- A) 0 0 = - A 0 0 by rewrite mxE.
  have Z (A : 'M[R]_1) : (t *: A) 0 0 = t * A 0 0 by rewrite mxE.
  by rewrite !E O Z second_diff ?mulr0 //; apply: ht.
move=> h; have tn : t != 0 by rewrite gt_eqF.
apply: (mulfI tn); have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
apply: (mulfI two0).
rewrite !mulr0 -[RHS]h !mulr_sumr; apply: eq_bigr => i Pi.
rewrite !mulmxDr mulmxN -!scalemxAr x0N // add0r sub0r.
have O (A : 'M[R]_1) : (- A) 0 0 = - A 0 0 by rewrite mxE.
have Z (A : 'M[R]_1) : (t *: A) 0 0 = t * A 0 0 by rewrite mxE.
have Z0 : (0 : 'M[R]_1) 0 0 = 0 by rewrite mxE.
rewrite O Z Z0 normrN normr0 !mulr0 subr0.
by rewrite normrM (gtr0_norm t0) mulr_natl mulr2n !(mulrCA t).
Qed.

End Lemma6.

(** Lemma 6: non-zero, pairwise non-collinear forms; the combination may even be a linear form. *)
Theorem lemma6 (R : realFieldType) d (I : finType) (v : I -> 'rV[R]_d) (c : I -> R) (b : 'rV[R]_d) :
  (forall i, v i != 0) -> (forall i j, i != j -> ~~ (v i <= v j)%MS) ->
  (forall x : 'cV[R]_d, \sum_i c i * `|(v i *m x) 0 0| = (b *m x) 0 0) -> forall i, c i = 0.
Proof.
move=> v0 vv h i.
have N (w : 'rV[R]_d) (x : 'cV[R]_d) : (w *m - x) 0 0 = - (w *m x) 0 0 by rewrite mulmxN mxE.
have vanish (x : 'cV[R]_d) : \sum_i c i * `|(v i *m x) 0 0| = 0.
  have e : (b *m x) 0 0 = - (b *m x) 0 0.
    by rewrite -N -!h; apply: eq_bigr => j _; rewrite N normrN.
  by rewrite h; apply/eqP; rewrite -[_ == _](mulrn_eq0 _ 2) mulr2n {1}e addNr.
have [j vij] := rV0Pn _ (v0 i).
have := class_sum vanish (v i) (delta_mx j 0); rewrite (bigD1 i) //= big1 ?addr0 => [|k /andP[ki kn]].
  move/eqP; rewrite mulf_eq0 normr_eq0 -colE mxE => /orP[/eqP//|/eqP e].
  by rewrite e eqxx in vij.
by rewrite (negbTE (vv _ _ kn)) in ki.
Qed.

(** Forms as required: the coordinates. *)
Example lemma6_instance (R : realFieldType) d : let v i : 'rV[R]_d := delta_mx 0 i in
  (forall i, v i != 0) /\ (forall i j, i != j -> ~~ (v i <= v j)%MS).
Proof.
split=> [i|i j ne]; first by apply/rV0Pn; exists i; rewrite !mxE !eqxx oner_eq0.
apply/negP => /sub_rVP[a /rowP/(_ i)]; rewrite !mxE !eqxx (negbTE ne) mulr0 => /eqP.
by rewrite oner_eq0.
Qed.
