(** * Proposition 8 (prop:width) (ii) and Corollary 5 (cor:generic), Lebesgue-almost everywhere *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences measure lebesgue_measure numfun lebesgue_integral.
From SkipAbsorption Require Import networks theorem4_activations prop8_polynomial lebesgue.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section AE.
Variable R : realType.

Definition evR (n : nat) (v : nat -> R) : {rmorphism PT R n -> R}.
Proof.
elim: n => [|n f]; first exact: [rmorphism of idfun].
exact: [rmorphism of horner_eval (v n) \o map_poly f].
Defined.
Fixpoint co (n : nat) : car (lebn R n) -> nat -> R :=
  match n return car (lebn R n) -> nat -> R with
  | 0 => fun _ _ => 0
  | n'.+1 => fun (z : car (lebn R n') * R) i => if i == n' then z.2 else co z.1 i
  end.
Fixpoint XT (n : nat) (i : nat) : PT R n :=
  match n return PT R n with
  | 0 => 0
  | n'.+1 => if i == n' then 'X else (XT n' i)%:P
  end.
Lemma evR_S n v (p : {poly PT R n}) : evR n.+1 v p = \sum_(i < size p) evR n v p`_i * v n ^+ i.
Proof.
transitivity ((\poly_(i < size p) evR n v p`_i).[v n]); first by [].
exact: horner_poly.
Qed.
Lemma evR_ext n v v' p : (forall i, (i < n)%N -> v i = v' i) -> evR n v p = evR n v' p.
Proof.
elim: n p => [|n IH] p h //; rewrite !evR_S; apply: eq_bigr => i _.
by rewrite h // (IH _ (fun i hi => h i (ltnW hi))).
Qed.
Lemma evRX n v i : (i < n)%N -> evR n v (XT n i) = v i.
Proof.
elim: n => // n IH; rewrite ltnS leq_eqVlt => /predU1P[->|lt] /=.
  by rewrite eqxx /= /horner_eval map_polyX hornerX.
by rewrite ltn_eqF //= /horner_eval map_polyC hornerC; exact: IH.
Qed.
Lemma ev_co n (p : PT R n) z : ev p z = evR n (co z) p.
Proof.
elim: n p z => [//|n IH] p z; rewrite evR_S /=; apply: eq_bigr => i _.
rewrite eqxx IH; congr (_ * _); apply: evR_ext => j jn.
by rewrite ltn_eqF.
Qed.

Variables (d' N : nat).
Let d := d'.+2.
Let n := dimW d' N.
Definition Uz (z : car (lebn R n)) : 'M[R]_(N, d) := vec_mx (\row_k co z (lshift (d * N) k)).
Definition Dz (z : car (lebn R n)) : 'M[R]_(d, N) := vec_mx (\row_k co z (rshift (N * d) k)).
Definition val_ext (v : 'I_n -> R) (i : nat) : R := if insub i is Some k then v k else 0.
Let evI (v : 'I_n -> R) : {rmorphism PT R n -> R} := evR n (val_ext v).
Let evIX v (i : 'I_n) : evI v (XT n i) = v i.
Proof. by rewrite /evI evRX // /val_ext valK. Qed.

Lemma coord_z z i : (i < n)%N -> val_ext (coord (Uz z) (Dz z)) i = co z i.
Proof.
move=> lt; rewrite /val_ext insubT /coord /Uz /Dz !vec_mxK.
case: (splitP (Ordinal lt)) => k e.
  rewrite (_ : Sub i lt = lshift _ k) ?row_mxEl ?mxE; last exact/val_inj.
  by congr (co z _); exact: esym e.
rewrite (_ : Sub i lt = rshift _ k) ?row_mxEr ?mxE; last exact/val_inj.
by congr (co z _); exact: esym e.
Qed.

Lemma prop8ii_null (s : R -> R) : width_bound s -> {ae mu (lebn R n), forall z,
  forall N' (D' : 'M_(d, N')) (U' : 'M_(N', d)), (N' < N + d)%N ->
  ~ (forall x, mlp s (Dz z) (Uz z) x + x = mlp s D' U' x)}.
Proof.
move=> hs; have [P P0 hP] := prop8ii_zariski (ev := evI) evIX hs.
have [mZ zZ] := poly_null P0.
exists [set z | ev P z = 0]; split => // z /= nz; apply: contrapT => Pz.
apply: nz => N' D' U' lt; apply: (hP (Uz z) (Dz z)) lt.
apply/eqP => e; apply: Pz; rewrite ev_co -[RHS]e; apply: evR_ext => i lt.
by rewrite coord_z.
Qed.
End AE.

Lemma activation_width_bound (R : realType) (s : R -> R) : activation s -> width_bound s.
Proof.
move=> hs d N N' D U D' U' G e; apply: (activation_lower (M := 1%:M) hs G (D' := D') (U' := U')) => x.
by rewrite mul1mx.
Qed.

(** Proposition 8 (ii): for almost every point z of R^(2 N d), with W_up and W_down read off its
    coordinates, d = d' + 2 >= 2, no network without skip of width below N + d computes
    x + W_down s(W_up x). *)
Theorem prop8ii_almost_everywhere (R : realType) (s : R -> R) (d' N : nat) : let d := d'.+2 in
  activation s -> {ae mu (lebn R (dimW d' N)), forall z : car (lebn R (dimW d' N)),
    forall N' (D' : 'M_(d, N')) (U' : 'M_(N', d)), (N' < N + d)%N ->
    ~ (forall x, mlp s (Dz z) (Uz z) x + x = mlp s D' U' x)}.
Proof. by move=> d /activation_width_bound; apply: prop8ii_null. Qed.

(** Corollary 5: the same width. *)
Theorem cor5_almost_everywhere (R : realType) (s : R -> R) (d' N : nat) : let d := d'.+2 in
  activation s -> {ae mu (lebn R (dimW d' N)), forall z : car (lebn R (dimW d' N)),
    ~ exists (D' : 'M_(d, N)) (U' : 'M_(N, d)), forall x, mlp s (Dz z) (Uz z) x + x = mlp s D' U' x}.
Proof.
move=> d hs; have [A [mA A0 sub]] := prop8ii_almost_everywhere d' N hs.
exists A; split=> // z /= nz; apply: sub => /= h; apply: nz => -[D' [U' e]].
by apply: h e; rewrite -addn1 leq_add2l.
Qed.

(** Every pair of weights is the image of a point. *)
Lemma weights_onto (R : realType) (d' N : nat) (U : 'M[R]_(N, d'.+2)) (D : 'M[R]_(d'.+2, N)) :
  exists z : car (lebn R (dimW d' N)), Uz z = U /\ Dz z = D.
Proof.
have [z hz] : exists z : car (lebn R (dimW d' N)), forall i, (i < dimW d' N)%N -> co z i = val_ext (coord U D) i.
  move: (val_ext _) => v; elim: (dimW d' N) => [|k [z hz]]; first by exists tt.
  exists (z, v k) => i; rewrite ltnS leq_eqVlt /= => /predU1P[->|lt]; first by rewrite eqxx.
  by rewrite ltn_eqF // hz.
exists z; split; apply/matrixP => i j; rewrite /Uz /Dz !mxE hz ?ltn_ord // /val_ext valK /coord.
  by rewrite row_mxEl mxvecE.
by rewrite row_mxEr mxvecE.
Qed.
