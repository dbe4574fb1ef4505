(** * Weights that satisfy hypotheses: the algebraic theorems

Hypotheses that nothing satisfies make a theorem empty.  Where the file of a theorem has no
instance of its own, one is here: over any ordered field, the rationals among them. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks x1_examples x7a_depth_relu x3_closed_forms prop1_homogeneous.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** An activation with sigma(z) - sigma(-z) = z and sigma(0) = 0. *)
Example relu_instance (R : realFieldType) : (forall z : R, relu z - relu (- z) = z) /\ relu 0 = 0 :> R.
Proof. by split; [exact: relu_odd|rewrite /relu maxxx]. Qed.

Section Identity.
Variables (R : realFieldType) (d : nat).
Let One : 'M[R]_d := 1%:M.

(** W_up = W_down = I: I + A_F B_F is diagonal with the entries 1 and 2. *)
Lemma part_identity (F : {set 'I_d}) :
  One + part F One One = diag_mx (\row_i (if i \in F then 2%:R else 1)).
Proof.
have -> : part F One One = part F (diag_mx (const_mx 1)) 1%:M.
  by congr part; apply/matrixP => i j; rewrite !mxE.
rewrite part_diag; apply/matrixP => i j; rewrite !mxE -mulrnDl; congr (_ *+ _).
by case: ifP => _; rewrite ?addr0.
Qed.
Lemma det_identity F : \det (One + part F One One) != 0.
Proof.
rewrite part_identity det_diag; apply/prodf_neq0 => i _; rewrite mxE.
by case: ifP => _; rewrite ?oner_eq0 // pnatr_eq0.
Qed.

(** Every M + A_F B_F is invertible; its rank is d. *)
Example regular_instance : [/\ generic One One, forall F, \det (One + part F One One) != 0 &
  forall F, (d <= \rank (One + part F One One)%R)%N].
Proof.
split; [exact: (generic_scalar d (oner_neq0 R))|exact: det_identity|move=> F].
by rewrite mxrank_unit // unitmxE unitfE det_identity.
Qed.

(** Two non-singular residual blocks, and a first layer of width 1 < 2 d. *)
Example F2_instance : (0 < d)%N -> let w : wblock R d := existT _ d (One, One) in
  (forall w', List.In w' [:: w; w] -> nonsing w') /\ (1 < 2 * d)%N.
Proof.
move=> d0 w; have nw : nonsing w by move=> S; rewrite unitmxE unitfE det_identity.
by split=> [w' [<-|[<-|[]]]|] //; rewrite (@leq_mul 2 1 2 d).
Qed.
End Identity.

(** Positive factors. *)
Example rescaling_instance (R : realFieldType) N : forall i : 'I_N, 0 < (fun=> 2%:R) i :> R.
Proof. by move=> i; rewrite ltr0n. Qed.
