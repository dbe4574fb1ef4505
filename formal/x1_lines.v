(** * X1 (ext:minimal-width): units on foreign lines cost two per rank

Units whose even parts cancel on every line, [P_K = 0], number at least twice the rank of the
linear map that they compute. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks x5_canonical.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** Key step of X1: units on lines that carry no w cost two per rank. *)
Section Pairs.
Variables (R : realFieldType) (m d : nat) (I : finType) (v : I -> 'rV[R]_d) (c : I -> 'cV[R]_m).
Definition PV (P : pred I) u := \sum_(i | P i) `|sc u (v i)| *: c i.
Lemma rank_pairs (P : pred I) : (forall u, u != 0 -> PV P u = 0) ->
  (2 * \rank (\sum_(i | P i) c i *m v i)%R <= #|P|)%N.
Proof.
move: {2}#|P|.+1 (ltnSn #|P|) => n; elim: n P => // n IH P; rewrite ltnS => szP hP.
have [j /andP[Pj vj]|none] := pickP (fun i => P i && (v i != 0)); last first.
  rewrite big1 ?mxrank0 // => i Pi; have := none i; rewrite Pi /= => /negbFE/eqP ->.
  by rewrite mulmx0.
pose Q := [pred i | P i && ~~ (v i <= v j)%MS]; pose K := [pred i | P i && (v i <= v j)%MS].
have cardPQ : (#|K| + #|Q| = #|P|)%N.
  rewrite -!sum1_card [RHS](bigID (fun i => (v i <= v j)%MS)) /=.
  by congr (_ + _)%N; apply: eq_bigl => i; rewrite ?inE.
have Kj : (0 < #|K|)%N by apply/card_gt0P; exists j; rewrite !inE submx_refl andbT.
have hQ u : u != 0 -> PV Q u = 0.
  move=> u0; have [uj|uj] := boolP (u <= v j)%MS.
    rewrite /PV big1 // => i /andP[_ h]; rewrite sc_out ?normr0 ?scale0r //.
    by apply: contra h => h1; apply: submx_trans h1 uj.
  rewrite -[RHS](hP u u0) /PV [RHS](bigID (fun i => (v i <= v j)%MS)) /= [X in _ = X + _]big1 ?add0r //.
  move=> i /andP[Pi hi]; have [vu|vu] := boolP (v i <= u)%MS; last by rewrite sc_out ?normr0 ?scale0r.
  have e := scP vu; have [z|z] := eqVneq (sc u (v i)) 0; first by rewrite z normr0 scale0r.
  case/negP: uj; apply: submx_trans hi; apply/sub_rVP; exists (sc u (v i))^-1.
  by rewrite {2}e scalerA mulVf ?scale1r.
have ltQ : (#|Q| < n)%N by apply: leq_trans szP; rewrite -cardPQ -[X in (X < _)%N]add0n ltn_add2r.
rewrite (bigID (fun i => (v i <= v j)%MS)) /=.
have -> : \sum_(i | P i && (v i <= v j)%MS) c i *m v i = (\sum_(i | K i) sc (v j) (v i) *: c i) *m v j.
  by rewrite mulmx_suml; apply: eq_bigr => i /andP[_ h]; rewrite {1}(scP h) -scalemxAr scalemxAl.
have rK : (2 * \rank ((\sum_(i | K i) sc (v j) (v i) *: c i) *m v j)%R <= #|K|)%N.
  have [k2|k1] := leqP 2 #|K|.
    apply: leq_trans k2; rewrite -[X in (_ <= X)%N]muln1 leq_mul2l /=.
    by apply: leq_trans (mxrankM_maxr _ _) (rank_leq_row _).
  have K1 : #|K| = 1%N by apply/eqP; rewrite eqn_leq Kj -ltnS k1.
  have only i : K i -> i = j.
    move=> Ki; apply/eqP; apply: contraT => ne; move: K1; rewrite (cardD1 j) (cardD1 i).
    have -> : j \in K by rewrite inE /= Pj submx_refl.
    by have -> : i \in [predD1 K & j] by rewrite !inE ne.
  have cj : c j = 0.
    have := hP _ vj; rewrite /PV (bigD1 j) //= big1 ?addr0 => [|i /andP[Pi ne]]; last first.
      have [h|h] := boolP (v i <= v j)%MS; last by rewrite sc_out ?normr0 ?scale0r.
      by rewrite (only i) ?eqxx // /K /= Pi in ne.
    move/eqP; rewrite scaler_eq0 normr_eq0 => /orP[/eqP z|/eqP //].
    by have e := scP (submx_refl (v j)); rewrite z scale0r in e; rewrite e eqxx in vj.
  by rewrite big1 ?mul0mx ?mxrank0 // => i /only ->; rewrite cj scaler0.
rewrite -cardPQ; apply: leq_trans (leq_add rK (IH Q ltQ hQ)).
by rewrite -mulnDr leq_mul2l mxrank_add.
Qed.
End Pairs.
