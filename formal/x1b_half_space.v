(** * X1b, Lemma 6 with biases: kinks of affine forms

If sum_i c_i |v_i x + b_i| is an affine function of x, the c_i cancel on every hyperplane
v x + b = 0 with v <> 0, and the affine function is constant.  An affine form is a linear
form q = (v, b) on the hyperplane h y = 1, that is, on the vectors y = (x, 1). *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks lemma6 x5_canonical.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma lsubmx_mul (R : comRingType) m n p (A : 'M[R]_(m, n + p)) : lsubmx A = A *m col_mx 1%:M 0.
Proof. by rewrite -{2}(hsubmxK A) mul_row_col mulmx1 mulmx0 addr0. Qed.
Lemma rsubmx_mul (R : comRingType) m n p (A : 'M[R]_(m, n + p)) : rsubmx A = A *m col_mx 0 1%:M.
Proof. by rewrite -{2}(hsubmxK A) mul_row_col mulmx1 mulmx0 add0r. Qed.

Section HalfSpace.
Variables (R : realFieldType) (n : nat) (I : finType) (q : I -> 'rV[R]_n) (c : I -> R) (h L : 'rV[R]_n).
Hypothesis affine : forall y : 'cV[R]_n, (h *m y) 0 0 = 1 ->
  \sum_i c i * `|(q i *m y) 0 0| = (L *m y) 0 0.

(** Off the line of h, the terms collinear to u still cancel along the hyperplane. *)
Lemma class_sum_affine (u : 'rV[R]_n) (e : 'cV[R]_n) : ~~ (h <= u)%MS -> (h *m e) 0 0 = 0 ->
  \sum_(i | (q i <= u)%MS) c i * `|(q i *m e) 0 0| = 0.
Proof.
move=> hu he; pose form (o : option I) := if o is Some i then q i else h.
have [y hy] : exists y : 'cV[R]_n, forall o, ~~ (form o <= u)%MS ->
    ((form o *m cokermx u) *m y) 0 0 != 0.
  apply: (@avoid _ _ (fun o => ~~ (form o <= u)%MS) _ (fun o => form o *m cokermx u)) => o.
  by rewrite submxE.
pose z := cokermx u *m y; have hz : (h *m z) 0 0 != 0 by rewrite /z (mulmxA h); exact: (hy None hu).
pose x0 := ((h *m z) 0 0)^-1 *: z.
have Z (a : R) (A : 'M[R]_1) : (a *: A) 0 0 = a * A 0 0 by rewrite mxE.
have S (A B : 'M[R]_1) : (A + B) 0 0 = A 0 0 + B 0 0 by rewrite mxE.
have O (A : 'M[R]_1) : (- A) 0 0 = - A 0 0 by rewrite mxE.
have hx0 : (h *m x0) 0 0 = 1 by rewrite /x0 -scalemxAr Z mulVf.
have x0P i : ~~ (q i <= u)%MS -> (q i *m x0) 0 0 != 0.
  by move=> Pi; rewrite /x0 -scalemxAr Z mulf_neq0 ?invr_eq0 // /z (mulmxA (q i)); exact: (hy (Some i)).
have x0N i : (q i <= u)%MS -> q i *m x0 = 0.
  by rewrite submxE => /eqP e0; rewrite /x0 -scalemxAr /z (mulmxA (q i)) e0 mul0mx scaler0.
have [t t0 ht] := small_step (fun i => (q i *m e) 0 0) x0P; clearbody x0.
pose phi (x : 'cV[R]_n) := \sum_i c i * `|(q i *m x) 0 0|.
have hx (a : R) : (h *m (x0 + a *: e)) 0 0 = 1 by rewrite mulmxDr S -scalemxAr Z he mulr0 addr0.
have : phi (x0 + t *: e) + phi (x0 - t *: e) - 2%:R * phi x0 = 0.
  rewrite -scaleNr /phi !affine ?hx // !mulmxDr !S -!scalemxAr !Z mulNr.
  by rewrite addrACA subrr addr0 mulr_natl mulr2n subrr.
rewrite /phi mulr_sumr -big_split -sumrB /= (bigID (fun i => (q i <= u)%MS)) /=.
rewrite [X in _ + X]big1 ?addr0 => [|i Pi]; last first.
  rewrite mulrCA -mulrDr -mulrBr !mulmxDr mulmxN -!scalemxAr !S O Z second_diff ?mulr0 //.
  exact: ht.
move=> e0; have tn : t != 0 by rewrite gt_eqF.
have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
apply: (mulfI tn); apply: (mulfI two0); rewrite !mulr0 -[RHS]e0 !mulr_sumr; apply: eq_bigr => i Pi.
have Z0 : (0 : 'M[R]_1) 0 0 = 0 by rewrite mxE.
rewrite !mulmxDr mulmxN -!scalemxAr x0N // add0r sub0r O Z Z0 normrN normr0 !mulr0 subr0.
by rewrite normrM (gtr0_norm t0) mulr_natl mulr2n !(mulrCA t).
Qed.
End HalfSpace.

(** Affine forms: d coordinates and a constant. *)
Section Affine.
Variables (R : realFieldType) (d : nat) (I : finType).
Variables (q : I -> 'rV[R]_(d + 1)) (c : I -> R) (L : 'rV[R]_(d + 1)).
Hypothesis affine : forall x : 'cV[R]_d, \sum_i c i * `|(q i *m col_mx x 1) 0 0| = (L *m col_mx x 1) 0 0.

Lemma lsub_line (u v : 'rV[R]_(d + 1)) : (v <= u)%MS -> lsubmx v = sc u v *: lsubmx u.
Proof. by move=> h; rewrite {1}(scP h) !lsubmx_mul scalemxAl. Qed.

Lemma PK_affine (u : 'rV[R]_(d + 1)) : lsubmx u != 0 -> PK q c predT u = 0.
Proof.
case/rV0Pn=> k uk; pose h : 'rV[R]_(d + 1) := row_mx 0 1.
pose e : 'cV[R]_(d + 1) := col_mx (delta_mx k 0) 0.
have hu : ~~ (h <= u)%MS.
  apply/negP => hu; have := lsub_line hu; rewrite row_mxKl => /rowP/(_ k); rewrite [LHS]mxE [RHS]mxE.
  move/esym/eqP; rewrite mulf_eq0 (negbTE uk) orbF => /eqP z; have := scP hu; rewrite z scale0r.
  by move/rowP/(_ (rshift d 0)); rewrite row_mxEr !mxE => /eqP; rewrite oner_eq0.
have he : (h *m e) 0 0 = 0 by rewrite mul_row_col mul0mx mulmx0 addr0 mxE.
have aff (y : 'cV[R]_(d + 1)) : (h *m y) 0 0 = 1 -> \sum_i c i * `|(q i *m y) 0 0| = (L *m y) 0 0.
  rewrite -(vsubmxK y) mul_row_col mul0mx add0r mul1mx => y1.
  suff -> : dsubmx y = 1 by exact: affine.
  by apply/matrixP => i j; rewrite (ord1 i) (ord1 j) y1 mxE.
have := class_sum_affine aff hu he.
rewrite (eq_bigl (fun i => predT i && (q i <= u)%MS)) // class_abs => /eqP.
rewrite mulf_eq0 normr_eq0 -{2}(hsubmxK u) mul_row_col mulmx0 addr0 -colE mxE (negbTE uk) orbF.
by move/eqP.
Qed.

(** Forms with v <> 0 cancel; what remains of the sum is its constant forms. *)
Let p i := lsubmx (q i) != 0.
Lemma constants_only (x : 'cV[R]_d) :
  (L *m col_mx x 1) 0 0 = \sum_(i | ~~ p i) c i * `|rsubmx (q i) 0 0|.
Proof.
pose c1 i := if p i then c i else 0.
have PK0 u : u != 0 -> PK q c1 predT u = 0.
  move=> u0; have [lu|lu] := eqVneq (lsubmx u) 0.
    rewrite /PK big1 // => i _; rewrite /c1 /p; case: ifP => [qi|]; last by rewrite mul0r.
    rewrite sc_out ?normr0 ?mulr0 //; apply: contra qi => /lsub_line ->; by rewrite lu scaler0.
  rewrite -[RHS](PK_affine lu); apply: eq_bigr => i _; rewrite /c1 /p; case: eqP => //= qi.
  have [iu|iu] := boolP (q i <= u)%MS; last by rewrite sc_out ?normr0 ?mulr0.
  have /eqP := lsub_line iu; rewrite qi eq_sym scaler_eq0 (negbTE lu) orbF => /eqP ->.
  by rewrite normr0 !mulr0.
have k0 (y : 'cV[R]_(d + 1)) : \sum_i c1 i * `|(q i *m y) 0 0| = 0 by move: y; exact/abs_vanish.
rewrite -affine (bigID p) /= -[RHS]add0r; congr (_ + _).
  rewrite -[RHS](k0 (col_mx x 1)) [RHS](bigID p) /= [X in _ = _ + X]big1 ?addr0.
    by apply: eq_bigr => i pi; rewrite /c1 pi.
  by move=> i /negbTE pi; rewrite /c1 pi mul0r.
apply: eq_bigr => i; rewrite /p negbK => /eqP li; congr (_ * `|_|).
by rewrite -{1}(hsubmxK (q i)) li mul_row_col mul0mx add0r mulmx1.
Qed.

(** So the affine function L is constant, and zero if no form is constant. *)
Lemma affine_constant : lsubmx L = 0.
Proof.
have lx (x : 'cV[R]_d) : (lsubmx L *m x) 0 0 = 0.
  have := constants_only x; rewrite -(constants_only 0) -{1 2}(hsubmxK L) !mul_row_col mulmx0 add0r mxE.
  by rewrite -[RHS]add0r => /addIr.
apply/rowP => k; have := lx (delta_mx k 0); rewrite -colE mxE => ->.
by rewrite mxE.
Qed.
Lemma affine_zero : (forall i, p i) -> L = 0.
Proof.
move=> pi; have := constants_only 0; rewrite big1 => [|i]; last by rewrite pi.
rewrite -{1}(hsubmxK L) affine_constant mul_row_col mul0mx add0r mulmx1 => e.
suff r0 : rsubmx L = 0 by rewrite -(hsubmxK L) affine_constant r0 row_mx0.
by apply/matrixP => i j; rewrite (ord1 i) (ord1 j) e mxE.
Qed.
End Affine.
