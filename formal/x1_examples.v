(** * X1 on given weights: every k* from 0 to d, and what rank W_up < d costs *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks theorem4_smooth x1_construction x1_width x1_values.
From SkipAbsorption Require Import hypotheses_examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Width.
Variables (R : realFieldType) (d N : nat) (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_d).

(** Theorem 4 is the case N' = N of X1, and no smaller width absorbs. *)
Lemma thm4_from_x1 : generic D U -> forall N', (N' <= N)%N ->
  absorbed (@relu R) D U M N' <-> N' = N /\ exists S : {set 'I_N}, part S D U = - M.
Proof.
move=> G N' leN; rewrite -kstar_eq0; split=> [/(x1_relu _ G) le|[-> k0]]; last first.
  by apply/(x1_relu _ G); rewrite k0 addn0.
have e : N' = N by apply/eqP; rewrite eqn_leq leN (leq_trans (leq_addr _ _) le).
by split=> //; apply/eqP; rewrite -leqn0 -(leq_add2l N) addn0 (leq_trans le).
Qed.

(** Proposition 8 on given weights: when every det (M + A_F B_F) is non-zero,
    the least width is N + 2 d - rank W_up, that is N + d when rank W_up = d. *)
Theorem prop8_regular : generic D U -> (forall F, \det (M + part F D U) != 0) ->
  forall N', absorbed (@relu R) D U M N' <-> (N + (2 * d - \rank U) <= N')%N.
Proof. by move=> G hdet N'; rewrite -(kstar_regular hdet); exact: x1_relu. Qed.
Theorem prop8_regular_smooth (s : R -> R) :
  (forall z, s z - s (- z) = z) -> scale_indep (fun z => s z + s (- z)) ->
  generic_pm D U -> (forall F, \det (M + part F D U) != 0) ->
  forall N', absorbed s D U M N' <-> (N + (2 * d - \rank U) <= N')%N.
Proof. by move=> hs Esi G hdet N'; rewrite -(kstar_regular hdet); exact: x1_smooth. Qed.
End Width.

(** Diagonal weights. *)
Section Diagonal.
Variables (R : realFieldType) (d : nat) (a : 'rV[R]_d).
Hypothesis a0 : forall i, a 0 i != 0.
Lemma part_diag F : part F (diag_mx a) 1%:M = diag_mx (\row_i (if i \in F then a 0 i else 0)).
Proof.
apply/matrixP => i j; rewrite partE (bigD1 j) //= big1 ?addr0 => [|k kj]; last first.
  by rewrite !mxE (negbTE kj) mulr0 if_same.
rewrite !mxE eqxx mulr1; have [->|ij] := eqVneq i j; first by rewrite !mulr1n.
by rewrite !mulr0n if_same.
Qed.
Lemma generic_diag : generic (diag_mx a) 1%:M.
Proof.
split=> [i|i i' ne|i].
- by apply/rV0Pn; exists i; rewrite !mxE eqxx oner_eq0.
- apply/negP => /sub_rVP[b /rowP/(_ i)]; rewrite !mxE eqxx eq_sym (negbTE ne) mulr0.
  by move/eqP; rewrite oner_eq0.
by apply/cV0Pn; exists i; rewrite !mxE eqxx mulr1n.
Qed.
End Diagonal.

(** Every k from 0 to d is the k* of some network: W_up = I and W_down = diag (-1, ..., -1, 1, ..., 1)
    with k ones.  So every width from N to N + d is the least one for some weights. *)
Theorem every_value_occurs (R : realFieldType) (d k : nat) : (k <= d)%N ->
  let D : 'M[R]_d := diag_mx (\row_i (if (i < d - k)%N then -1 else 1)) in
  generic D 1%:M /\ forall N', absorbed (@relu R) D 1%:M 1%:M N' <-> (d + k <= N')%N.
Proof.
move=> kd; set a := \row_i _ => /=.
have a0 i : a 0 i != 0 by rewrite mxE; case: ifP; rewrite ?oppr_eq0 oner_eq0.
have G := generic_diag a0; split=> // N'; suff <- : kstar (diag_mx a) 1%:M 1%:M = k by exact: x1_relu.
pose F := [set i : 'I_d | (i < d - k)%N]; pose H := ~: F.
have cH : #|H| = k.
  have cF : #|F| = (d - k)%N.
    have -> : F = [set widen_ord (leq_subr k d) i | i in 'I_(d - k)].
      apply/setP => i; rewrite inE; apply/idP/imsetP => [lt|[j _ ->]]; last exact: (ltn_ord j).
      by exists (Ordinal lt) => //; apply: val_inj.
    by rewrite card_imset ?card_ord // => i j /(congr1 val) e; apply: val_inj.
  by rewrite /H cardsCs setCK cF card_ord subKn.
have one F' i j : (1%:M + part F' (diag_mx a) 1%:M) i j =
    (if i == j then 1 + (if i \in F' then a 0 i else 0) else 0).
  rewrite part_diag // !mxE; case: (eqVneq i j) => [->|_]; last by rewrite !mulr0n addr0.
  by rewrite !mulr1n.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  apply: leq_trans (kstar_le _ _ _ (F := F) (G := H) _) _; first by rewrite -setI_eq0 setICr.
  rewrite /cost rank_col_mx.
  suff le : ((1%:M + part F (diag_mx a) 1%:M)%R <= rows_in H 1%:M)%MS.
    by rewrite (addsmx_idPr le) subnn muln0 addn0 cH.
  apply/row_subP => i; have [iF|iH] := boolP (i \in F).
    rewrite (_ : row i _ = 0) ?sub0mx //; apply/rowP => j; rewrite mxE one iF !mxE.
    by move: iF; rewrite inE => ->; rewrite subrr if_same.
  have iH' : i \in H by rewrite inE.
  rewrite (_ : row i _ = row (enum_rank_in iH' i) (rows_in H 1%:M)) ?row_sub //.
  by apply/rowP => j; rewrite mxE one !mxE (negbTE iH) enum_rankK_in // addr0; case: eqP.
apply: leq_trans (kstar_ge (r := k) _); first exact: leq_addr.
move=> F'; have rH : \rank (rows_in H (1%:M : 'M[R]_d)) = k.
  have /eqP -> : row_free (rows_in H (1%:M : 'M[R]_d)); last by rewrite cH.
  apply/row_freeP; exists (rows_in H 1%:M)^T; apply/matrixP => i j; rewrite !mxE.
  rewrite (bigD1 (enum_val i)) //= big1 ?addr0 => [|l li]; last first.
    by rewrite !mxE eq_sym (negbTE li) mul0r.
  by rewrite !mxE eqxx mul1r (inj_eq enum_val_inj) eq_sym.
rewrite -{1}rH mxrankS //; apply/row_subP => i; have iH := enum_valP i; set l := enum_val i in iH.
pose c := 1 + (if l \in F' then a 0 l else 0).
have c0 : c != 0.
  rewrite /c mxE; move: iH; rewrite !inE => /negbTE ->; case: ifP => _; rewrite ?addr0 ?oner_eq0 //.
  by rewrite -mulr2n pnatr_eq0.
rewrite (_ : row i _ = c^-1 *: row l (1%:M + part F' (diag_mx a) 1%:M)).
  by apply: scalemx_sub; exact: row_sub.
apply/rowP => j; rewrite [RHS]mxE [X in _ = _ * X]mxE one -/c 3!mxE -/l.
by case: (l == j); rewrite ?mulr0 ?mulVf.
Qed.

(** W_up = I and W_down = - 2 I: no subset helps, the least width is 2 d. *)
Theorem minus_two_needs_double (R : realFieldType) d N' :
  absorbed (@relu R) ((- 2%:R)%:M : 'M_d) 1%:M 1%:M N' <-> (d + d <= N')%N.
Proof.
rewrite -diag_const_mx; set a := const_mx _.
have a0 i : a 0 i != 0 by rewrite mxE oppr_eq0 pnatr_eq0.
rewrite (_ : d + d = d + (2 * d - \rank (1%:M : 'M[R]_d)))%N; last by rewrite mxrank1 mul2n -addnn addnK.
apply: prop8_regular (generic_diag a0) _ N' => F.
rewrite part_diag // -(diag_const_mx _ 1) -raddfD det_diag; apply/prodf_neq0 => i _; rewrite !mxE.
case: ifP => _; rewrite ?addr0 ?oner_eq0 // mulr2n opprD addrA subrr add0r oppr_eq0.
exact: oner_neq0.
Qed.

Section Plane.
Variable R : realFieldType.
Local Notation o n k := (@Ordinal n k isT).
(** Three rows in a plane: e1, e2, e1 + e2 in dimension 3. *)
Definition plane : 'M[R]_3 := mat 3 3 [:: [:: 1; 0; 0]; [:: 0; 1; 0]; [:: 1; 1; 0]].

Lemma rank_plane : \rank plane = 2%N.
Proof.
suff e : (plane == (pid_mx 2 : 'M[R]_3))%MS by rewrite (eqmx_rank e) rank_pid_mx.
apply/andP; split; apply/submxP.
  exists plane; apply/matrixP => i j; rewrite [RHS]mxE sum3 !mxE; move: i j.
  by apply: all3P => /=; apply: all3P; rewrite /= !simpl01.
exists (pid_mx 2); apply/matrixP => i j; rewrite [RHS]mxE sum3 !mxE; move: i j.
by apply: all3P => /=; apply: all3P; rewrite /= !simpl01.
Qed.
Lemma generic_plane (a : 'rV[R]_3) : (forall i, a 0 i != 0) -> generic (diag_mx a) plane.
Proof.
move=> a0; split=> [i|i i'|i]; last by apply/cV0Pn; exists i; rewrite !mxE eqxx mulr1n.
  apply/rV0Pn; move: i; apply: all3P; [exists (o 3 0)|exists (o 3 1)|exists (o 3 0)];
    rewrite !mxE /=; exact: oner_neq0.
move=> ne; apply: (@not_collinear _ _ _ _ _ _ (o 3 0) (o 3 1)); rewrite !mxE; move: i i' ne.
by apply: all3P; apply: all3P => //= _; rewrite !simpl01 ?oner_eq0 // eq_sym oner_eq0.
Qed.
Lemma part_plane F (a : 'rV[R]_3) i j :
  (1%:M + part F (diag_mx a) plane) i j = (i == j)%:R + (if i \in F then a 0 i * plane i j else 0).
Proof.
rewrite mxE partE [X in X + _]mxE (bigD1 i) //= big1 ?addr0 => [|k ki].
  by rewrite [diag_mx a i i]mxE eqxx mulr1n.
by rewrite [diag_mx a i k]mxE eq_sym (negbTE ki) mul0r if_same.
Qed.

(** W_down = I: rank W_up = 2 < d, and the least width is 7, not N + d = 6. *)
Theorem plane_needs_seven N' : absorbed (@relu R) (1%:M : 'M_3) plane 1%:M N' <-> (7 <= N')%N.
Proof.
have e1 : 1%:M = diag_mx (const_mx 1) :> 'M[R]_3 by rewrite diag_const_mx.
rewrite {1}e1; have G : generic (diag_mx (const_mx 1)) plane.
  by apply: generic_plane => i; rewrite mxE oner_neq0.
have -> : 7%N = (3 + (2 * 3 - \rank plane))%N by rewrite rank_plane.
apply: prop8_regular G _ N' => F; rewrite det_trig.
  apply/prodf_neq0 => i _; rewrite part_plane eqxx; apply/lt0r_neq0/(ltr_spaddl ltr01).
  case: ifP => // _; rewrite !mxE mul1r; move: i.
  by apply: all3P; rewrite /= ?ler01.
apply/is_trig_mxP => i j lt; rewrite part_plane; have ne : i != j by rewrite neq_ltn lt.
rewrite (negbTE ne) add0r mxE mul1r mxE; case: ifP => // _; move: i j lt {ne}.
by apply: all3P; apply: all3P.
Qed.

(** The same rows with W_down = (- e1, - e2, e3): flipping two units and one pair give width 5. *)
Theorem plane_needs_five N' :
  absorbed (@relu R) (diag_mx (mat 1 3 [:: [:: -1; -1; 1]])) plane 1%:M N' <-> (5 <= N')%N.
Proof.
set a := mat _ _ _; have a0 i : a 0 i != 0.
  by rewrite mxE; move: i; apply: all3P; rewrite /= ?oppr_eq0 oner_eq0.
rewrite (x1_relu _ (generic_plane a0)); suff -> : kstar (diag_mx a) plane 1%:M = 2%N by [].
apply/eqP; rewrite eqn_leq; apply/andP; split.
  pose F : {set 'I_3} := [set i : 'I_3 | (i < 2)%N].
  apply: leq_trans (kstar_le _ _ _ (F := F) (G := set0) _) _; first by rewrite -setI_eq0 setI0.
  have eF : 1%:M + part F (diag_mx a) plane = delta_mx (o 3 2) (o 3 2).
    apply/matrixP => i j; rewrite part_plane !inE !mxE; move: i j.
    by apply: all3P; apply: all3P; rewrite /= !simpl01 ?subrr.
  by rewrite cost_set0 eF mxrank_delta.
have r3 : \rank (col_mx 1%:M plane) = 3%N.
  by rewrite rank_col_mx (addsmx_idPl (submx1 _)) mxrank1.
have := @kstar_ge R 3 3 3 (diag_mx a) plane 1%:M 1; rewrite r3 rank_plane; apply=> F.
rewrite lt0n mxrank_eq0; apply/negP => /eqP/matrixP/(_ (o 3 2) (o 3 2)).
rewrite part_plane eqxx !mxE /= mulr0 if_same addr0; move/eqP; exact/negP/oner_neq0.
Qed.
End Plane.
