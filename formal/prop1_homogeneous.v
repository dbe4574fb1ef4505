(** * Proposition 1 (prop:homogeneous): homogeneous blocks never absorb a skip

Two maps that scale alike under x -> l x, by a factor c different from l, never differ by a
non-zero linear map.  A positively homogeneous map of real degree k <> 1 scales so with
l = 2 and c = 2^k.  Any widths, any M <> 0. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** Proposition 1.  [scales l c f]: f(l x) = c f(x).  A positively homogeneous
    map of degree k <> 1 scales with l = 2, c = 2^k <> 2. *)
Definition scales (R : ringType) (m d : nat) (l c : R) (f : 'cV[R]_d -> 'cV[R]_m) :=
  forall x, f (l *: x) = c *: f x.

Section Prop1.
Variables (R : fieldType) (m d : nat) (l c : R) (M : 'M[R]_(m, d)).
Variables (f g : 'cV[R]_d -> 'cV[R]_m).
Hypotheses (lc : c != l) (fs : scales l c f) (gs : scales l c g) (M0 : M != 0).

Theorem prop1 : exists x, M *m x + f x != g x.
Proof.
have [i [j Mij]] := matrix0Pn _ M0.
have Mj : col j M != 0 by apply/cV0Pn; exists i; rewrite mxE.
pose e : 'cV[R]_d := delta_mx j 0.
have Me : M *m e != 0 by rewrite -colE.
have [h|] := eqVneq (M *m e + f e) (g e); last by exists e.
exists (l *: e); rewrite fs gs -h scalerDr -scalemxAr.
apply: contraNN Me => /eqP/addIr/eqP.
by rewrite -subr_eq0 -scalerBl scaler_eq0 subr_eq0 eq_sym (negbTE lc).
Qed.
End Prop1.

Section Homog.
Variables (R : fieldType) (s : R -> R) (l c : R).
Hypothesis hs : forall z, s (l * z) = c * s z.
Lemma mlp_scales m N d (D : 'M[R]_(m, N)) (U : 'M_(N, d)) : scales l c (mlp s D U).
Proof.
move=> x; rewrite /mlp -scalemxAr; set y := U *m x.
suff -> : map_mx s (l *: y) = c *: map_mx s y by rewrite -scalemxAr.
by apply/matrixP=> i j; rewrite !mxE hs.
Qed.

Corollary prop1_mlp m d N N' (D : 'M[R]_(m, N)) U (D' : 'M_(m, N')) U' (M : 'M_(m, d)) :
  c != l -> M != 0 -> exists x, M *m x + mlp s D U x != mlp s D' U' x.
Proof. by move=> lc; apply: prop1 lc _ _; exact: mlp_scales. Qed.
End Homog.

Section Relu.
Variable R : realFieldType.
Lemma relu_pow_scales n (z : R) : relu (2%:R * z) ^+ n = 2%:R ^+ n * relu z ^+ n.
Proof. by rewrite -exprMn /relu maxr_pmulr ?ler0n // mulr0. Qed.
Corollary prop1_relu_pow n m d N N' (D : 'M[R]_(m, N)) U (D' : 'M_(m, N')) U' (M : 'M_(m, d)) :
  n != 1%N -> M != 0 ->
  exists x, M *m x + mlp (fun z => relu z ^+ n) D U x != mlp (fun z => relu z ^+ n) D' U' x.
Proof.
move=> n1; apply: (@prop1_mlp _ (fun z => relu z ^+ n) 2%:R (2%:R ^+ n)) => [z|].
  exact: relu_pow_scales.
rewrite -[X in _ != X]expr1 -!natrX eqr_nat eqn_exp2l //.
Qed.

(** ReGLU, whose units ReLU(a.x) (b.x) have degree 2. *)
Lemma reglu_scales m N d (D : 'M[R]_(m, N)) (G V : 'M_(N, d)) : scales 2%:R 4%:R (gmlp (@relu R) D G V).
Proof.
move=> x; rewrite /gmlp -!scalemxAr; move: (G *m x) (V *m x) => a b.
rewrite [RHS]scalemxAr; congr (_ *m _); apply/matrixP => i j; rewrite !mxE.
have -> : relu (2%:R * a i 0) = 2%:R * relu (a i 0) by rewrite /relu maxr_pmulr ?ler0n // mulr0.
by rewrite mulrACA -natrM.
Qed.
Corollary prop1_reglu m d N N' (D : 'M[R]_(m, N)) G V (D' : 'M_(m, N')) G' V' (M : 'M_(m, d)) :
  M != 0 -> exists x, M *m x + gmlp (@relu R) D G V x != gmlp (@relu R) D' G' V' x.
Proof. by apply: prop1 (reglu_scales _ _ _) (reglu_scales _ _ _); rewrite eqr_nat. Qed.
End Relu.

(** An instance: squared ReLU, and a skip that is not zero. *)
Example prop1_instance (R : realFieldType) m N d (D : 'M[R]_(m, N)) (U : 'M_(N, d)) :
  [/\ 4%:R != 2%:R :> R, scales 2%:R 4%:R (mlp (fun z => relu z ^+ 2) D U) & 1%:M != 0 :> 'M[R]_2].
Proof.
split; rewrite ?oner_neq0 ?eqr_nat //.
by apply: mlp_scales => z; rewrite relu_pow_scales -natrX.
Qed.
