(** * X1: bounds on k*, and its values

k* = 0 is Theorem 4; k* lies between min_F rank (M + A_F B_F) and 2 rank M, and between
2 d - rank W_up and nothing else when every det (M + A_F B_F) is non-zero (Proposition 8);
these determinants are principal minors of a matrix of size N; every value 0, ..., d occurs. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks theorem4_smooth x1_construction x1_width.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** A 2 x 2 minor shows that two rows are not collinear. *)
Lemma not_collinear (R : fieldType) N d (U : 'M[R]_(N, d)) i i' k l :
  U i k * U i' l != U i l * U i' k -> ~~ (row i U <= row i' U)%MS.
Proof.
apply: contraNN => /sub_rVP[b e].
have E j : U i j = b * U i' j by have := congr1 (fun v : 'rV_d => v 0 j) e; rewrite !mxE.
by rewrite !E mulrAC.
Qed.

Section Bounds.
Variables (R : fieldType) (m d N : nat).
Variables (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)).

Lemma part_sub F : (part F D U <= U)%MS.
Proof.
apply: summx_sub => i _; apply: submx_trans (submxMl _ _) (row_sub _ _).
Qed.
Lemma rows_in_sub G : (rows_in G U <= U)%MS.
Proof. exact: rowsub_sub. Qed.

Lemma rows_in_set0 : rows_in set0 U = 0.
Proof. by apply/matrixP => i; have := ltn_ord i; rewrite {2}cards0. Qed.
Lemma cost_set0 F : cost D U M F set0 = (2 * \rank (M + part F D U)%R)%N.
Proof. by rewrite /cost rank_col_mx rows_in_set0 addsmx0 mxrank0 subn0 cards0. Qed.

(** Theorem 4 inside X1. *)
Theorem kstar_eq0 : kstar D U M = 0%N <-> exists S : {set 'I_N}, part S D U = - M.
Proof.
split=> [k0|[S hS]].
  have [[F [G [dFG e]]] _] := kstarP D U M; move: e; rewrite k0 => /esym/eqP.
  rewrite addn_eq0 cards_eq0 muln_eq0 /= => /andP[/eqP G0]; rewrite {dFG}G0.
  rewrite rank_col_mx rows_in_set0 addsmx0 mxrank0 subn0 mxrank_eq0 => /eqP h; exists F.
  by apply/eqP; rewrite -addr_eq0 addrC h.
apply/eqP; rewrite -leqn0; apply: leq_trans (kstar_le D U M (F := S) (G := set0) _) _.
  by rewrite -setI_eq0 setI0.
by rewrite cost_set0 hS subrr mxrank0.
Qed.

(** Lower bound: min_F rank (M + A_F B_F) + rank [M ; W_up] - rank W_up. *)
Theorem kstar_ge r : (forall F, r <= \rank (M + part F D U)%R)%N ->
  (r + (\rank (col_mx M U) - \rank U) <= kstar D U M)%N.
Proof.
move=> hr; have [[F [G [_ ->]]] _] := kstarP D U M; rewrite /cost -!rank_coker.
set K := M + part F D U; set A := rows_in G U.
have rA : (\rank A <= #|G|)%N := rank_leq_row A.
have rK : (r <= \rank A + \rank (K *m cokermx A))%N.
  apply: leq_trans (hr F) _; rewrite rank_coker rank_col_mx.
  by rewrite subnKC ?mxrankS ?addsmxSr ?addsmxSl.
have rM : (\rank (M *m cokermx U) <= \rank (K *m cokermx A))%N.
  have -> : M *m cokermx U = K *m cokermx U.
    rewrite mulmxDl [X in _ = _ + X](_ : _ = 0) ?addr0 //; apply/eqP.
    by rewrite -submxE part_sub.
  rewrite -(leq_add2r (\rank (K :&: A)%MS)) rank_coker_cap -(rank_coker_cap K U).
  by rewrite leq_add2l mxrankS // capmxS ?rows_in_sub.
rewrite mul2n -addnn addnA; apply: leq_add rM; apply: leq_trans rK _.
by rewrite leq_add2r.
Qed.

(** Upper bounds: no flip and no doubled unit, or no flip and a basis of the rows doubled. *)
Theorem kstar_le_rank : (kstar D U M <= 2 * \rank M)%N.
Proof.
apply: leq_trans (kstar_le D U M (F := set0) (G := set0) _) _; first by rewrite -setI_eq0 setI0.
by rewrite cost_set0 /part big_set0 addr0.
Qed.
Theorem kstar_le_basis : (kstar D U M <= 2 * \rank (col_mx M U) - \rank U)%N.
Proof.
pose f := maxrankfun U; pose G := [set f i | i in 'I_(\rank U)].
have cG : #|G| = \rank U by rewrite card_imset ?card_ord //; exact: maxrankfun_inj.
have eG : (rows_in G U :=: U)%MS.
  apply/eqmxP; rewrite rows_in_sub /= -eq_maxrowsub; apply/row_subP => i.
  have iG : f i \in G by apply/imsetP; exists i.
  have -> : row i (rowsub (maxrankfun U) U) = row (enum_rank_in iG (f i)) (rows_in G U).
    by apply/rowP => k; rewrite !mxE enum_rankK_in.
  exact: row_sub.
apply: leq_trans (kstar_le D U M (F := set0) (G := G) _) _; first by rewrite -setI_eq0 set0I.
rewrite /cost /part big_set0 addr0 (rank_col_mx M (rows_in G U)) (adds_eqmx (eqmx_refl M) eG) eG -rank_col_mx.
have le : (\rank U <= \rank (col_mx M U))%N by rewrite rank_col_mx mxrankS ?addsmxSr.
rewrite cG mulnBr addnBA ?leq_mul2l ?le ?orbT // addnC !mul2n -!addnn subnDA addnK.
exact: leqnn.
Qed.

(** The bounds in one line, for a square skip or not. *)
Theorem kstar_bounds r : (forall F, r <= \rank (M + part F D U)%R)%N ->
  (r <= kstar D U M <= minn (2 * \rank M) (2 * d - \rank U))%N.
Proof.
move=> hr; rewrite (leq_trans (leq_addr _ _) (kstar_ge hr)) /= leq_min kstar_le_rank /=.
by apply: leq_trans kstar_le_basis _; rewrite leq_sub2r // leq_mul2l rank_leq_col orbT.
Qed.
End Bounds.

(** Without vanishing determinant, k* = 2 d - rank W_up exactly. *)
Theorem kstar_regular (R : fieldType) d N (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) M :
  (forall F, \det (M + part F D U) != 0) -> kstar D U M = (2 * d - \rank U)%N.
Proof.
move=> hdet; have full F : \rank (M + part F D U)%R = d.
  by apply: mxrank_unit; rewrite unitmxE unitfE; apply: hdet.
have rM : \rank (col_mx M U) = d.
  apply/eqP; rewrite eqn_leq rank_leq_col /= rank_col_mx.
  by have := mxrankS (addsmxSl (M + part set0 D U) U); rewrite full /part big_set0 addr0.
have le := kstar_le_basis D U M; rewrite rM in le; apply/eqP; rewrite eqn_leq le /=.
rewrite mul2n -addnn -addnBA ?rank_leq_col //; have := @kstar_ge _ _ _ _ D U M d; rewrite rM; apply=> F.
by rewrite full.
Qed.

(** Sylvester: det (I + A_F B_F) is the principal minor on F of the N x N matrix I + W_up W_down. *)
Lemma sylvester (R : comRingType) m n (A : 'M[R]_(m, n)) (B : 'M[R]_(n, m)) :
  \det (1%:M + A *m B) = \det (1%:M + B *m A).
Proof.
have e1 : block_mx 1%:M (- A) B 1%:M = block_mx 1%:M 0 B 1%:M *m block_mx 1%:M (- A) 0 (1%:M + B *m A).
  by rewrite mulmx_block !mul1mx !mulmx1 ?mul0mx ?mulmx0 ?addr0 ?add0r mulmxN [_ + B *m A]addrC addKr.
have e2 : block_mx 1%:M (- A) B 1%:M = block_mx (1%:M + A *m B) (- A) 0 1%:M *m block_mx 1%:M 0 B 1%:M.
  by rewrite mulmx_block !mulmx1 !mul1mx ?mul0mx ?mulmx0 ?add0r ?addr0 mulNmx addrK.
have := congr1 determinant e1; rewrite e2 !det_mulmx !det_ublock !det_lblock !det1 !mulr1 !mul1r.
by move=> <-.
Qed.
Theorem principal_minor (R : comRingType) d N (D : 'M[R]_(d, N)) (U : 'M[R]_(N, d)) (F : {set 'I_N}) :
  \det (1%:M + part F D U) =
  \det (mxsub (@enum_val _ (mem F)) (@enum_val _ (mem F)) (1%:M + U *m D)).
Proof.
have -> : part F D U = colsub (@enum_val _ (mem F)) D *m rows_in F U.
  rewrite /part big_enum_val; apply/matrixP => i j; rewrite summxE [RHS]mxE /=.
  by apply: eq_bigr => k _; rewrite mxE big_ord1 !mxE.
rewrite sylvester; congr (\det _); apply/matrixP => i j; rewrite !mxE (inj_eq enum_val_inj).
by congr (_ + _); apply: eq_bigr => k _; rewrite !mxE.
Qed.
