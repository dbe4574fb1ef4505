(** * Proposition 8 (prop:width) (ii) and Corollary 5 (cor:generic), Lebesgue-almost everywhere *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences measure lebesgue_measure numfun lebesgue_integral.
From SkipAbsorption Require Import networks prop8_polynomial lebesgue.
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

(** Proposition 8(ii) and Corollary 5 for ReLU, Lebesgue almost everywhere. *)
Theorem prop8ii_ae : {ae mu (lebn R n), forall z,
  forall N' (D' : 'M_(d, N')) (U' : 'M_(N', d)), (N' < N + d)%N ->
  ~ (forall x, mlp (@relu R) (Dz z) (Uz z) x + x = mlp (@relu R) D' U' x)}.
Proof.
have [P P0 hP] := @prop8ii_zariski R d' N (PT R n) (fun i => XT n i) evI evIX.
have [mZ zZ] := poly_null P0.
exists [set z | ev P z = 0]; split => // z /= nz; apply: contrapT => Pz.
apply: nz => N' D' U' lt; apply: (hP (Uz z) (Dz z)) lt.
apply/eqP => e; apply: Pz; rewrite ev_co -[RHS]e; apply: evR_ext => i lt.
by rewrite coord_z.
Qed.
End AE.
