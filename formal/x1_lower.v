(** * X1 (ext:minimal-width): the lower bound, with flipped and doubled units

rank [R; w_G] - rank w_G is written as the rank of R times a cokernel of w_G. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks counting.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** X1, lower bound with doubled classes G. rank[R; w_G] - rank w_G is written rank (R *m cokermx w_G). *)
Section Core2.
Variables (R : realFieldType) (m d N N' : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (D' : 'M[R]_(m, N')) (U' : 'M[R]_(N', d)).
Variables (M : 'M[R]_(m, d)) (s : 'I_N -> 'I_N' -> R).
Hypothesis s_row : forall i j, s i j != 0 -> row j U' = s i j *: row i U.
Hypothesis s_uniq : forall i i' j, s i j != 0 -> s i' j != 0 -> i = i'.
Hypothesis even : forall i, col i D = \sum_j `|s i j| *: col j D'.
Hypothesis odd : D *m U + 2%:R *: M = D' *m U'.
Hypothesis D0 : forall i, col i D != 0.
Let Vo := [pred j | [forall i, s i j == 0]].
Hypothesis hv : (2 * \rank (\sum_(j | Vo j) col j D' *m row j U')%R <= #|Vo|)%N.

Let p := pi even D0.
Let fl := flipped even D0.
Definition doubled : {set 'I_N} := [set i | [exists j, (j != p i) && (s i j != 0)]].
Definition wG : 'M[R]_(N, d) := \matrix_(i, k) (if i \in doubled then U i k else 0).
Let C := cokermx wG.

Lemma wGC i : i \in doubled -> row i U *m C = 0.
Proof.
move=> iG; have -> : row i U = row i wG by apply/rowP => k; rewrite !mxE iG.
by rewrite -row_mul mulmx_coker row0.
Qed.

Lemma core2 : (#|doubled| + 2 * \rank ((M + part (fl :\: doubled) D U) *m C)%R <= N' - N)%N.
Proof.
have t0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
have eC : 2%:R *: ((M + part (fl :\: doubled) D U) *m C) = (\sum_(j | Vo j) col j D' *m row j U') *m C.
  have -> : (M + part (fl :\: doubled) D U) *m C = (M + part fl D U) *m C.
    rewrite !mulmxDl; congr (_ + _); rewrite /part !mulmx_suml [RHS](big_setID doubled) /=.
    rewrite [X in _ = X + _]big1 ?add0r // => i; rewrite inE => /andP[_ iG].
    by rewrite -mulmxA wGC // mulmx0.
  rewrite scalemxAl (core_sum even odd D0) !mulmx_suml (bigID Vo) /= [X in _ + X]big1 ?addr0.
    apply: eq_bigr => j /forallP jV; congr (_ *m _ *m _).
    by rewrite big1 ?subr0 // => i _; rewrite (eqP (jV i)) normr0 mulr0 scale0r.
  move=> j; rewrite negb_forall => /existsP[i sij].
  rewrite (bigD1 i) //= [\sum_(_ < _ | _) _]big1 ?addr0 => [|i' ne]; last first.
    have [->|h] := eqVneq (s i' j) 0; first by rewrite normr0 mulr0 scale0r.
    by rewrite (s_uniq h sij) eqxx in ne.
  have [e|jp] := eqVneq j (p i).
    by rewrite e -/(p i) -numEsg -(s_row (piP even D0 i)) subrr mulmx0 mul0mx.
  have iG : i \in doubled by rewrite inE; apply/existsP; exists j; rewrite jp.
  by rewrite (s_row sij) -scalerBl -mulmxA -scalemxAl wGC // scaler0 mulmx0.
rewrite -(mxrank_scale_nz _ t0) eC.
have cnt : (N + (#|doubled| + #|Vo|) <= N')%N.
  have ex i : i \in doubled -> exists j, (j != p i) && (s i j != 0) by rewrite inE => /existsP.
  pose p2 i := if [pick j | (j != p i) && (s i j != 0)] is Some j then j else p i.
  have p2P i : i \in doubled -> (p2 i != p i) /\ (s i (p2 i) != 0).
    move=> /ex[j hj]; rewrite /p2; case: pickP => [k /andP[]//|/(_ j)]; by rewrite hj.
  have i2 : {in doubled &, injective p2}.
    move=> i k iG kG h; have [_ h1] := p2P i iG; have [_ h2] := p2P k kG.
    by apply: s_uniq h1 _; rewrite h.
  have c1 : #|[set p i | i in 'I_N]| = N by rewrite card_imset ?card_ord //; exact: pi_inj.
  have c2 : #|p2 @: doubled| = #|doubled| by rewrite card_in_imset.
  have d12 : [disjoint [set p i | i in 'I_N] & p2 @: doubled].
    apply/pred0P => j /=; apply/negP => /andP[/imsetP[i _ e] /imsetP[k kG e']].
    have [h1 h2] := p2P k kG; have h3 := piP even D0 i; rewrite -/p -/(p i) -e e' in h3.
    by move: h1; rewrite -e' e (s_uniq h3 h2) eqxx.
  have sub : [set p i | i in 'I_N] :|: p2 @: doubled \subset [predC Vo].
    apply/subsetP => j; rewrite !inE => /orP[/imsetP[i _ ->]|/imsetP[i iG ->]]; rewrite negb_forall; apply/existsP; exists i.
      exact: piP.
    by have [] := p2P i iG.
  have cV := cardC Vo; rewrite card_ord in cV.
  apply: (@leq_trans (#|Vo| + #|[predC Vo]|)); last by rewrite cV.
  rewrite addnA [X in (_ <= X)%N]addnC leq_add2r.
  apply: leq_trans (subset_leq_card sub); rewrite cardsU c1 c2.
  by rewrite (_ : _ :&: _ = set0) ?cards0 ?subn0 //; apply/eqP; rewrite setI_eq0.
rewrite leq_subRL ?(width_ge s_uniq even D0) //; apply: leq_trans cnt; rewrite leq_add2l leq_add2l.
by apply: leq_trans hv; rewrite leq_mul2l mxrankM_maxl.
Qed.
End Core2.
