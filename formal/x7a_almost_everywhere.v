(** * X7a, Lebesgue-almost everywhere *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences.
From mathcomp Require Import measure lebesgue_measure numfun lebesgue_integral.
From SkipAbsorption Require Import networks lebesgue prop8_almost_everywhere x7a_depth_relu x7a_polynomial.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section AE.
Variables (R : realType) (d N L : nat).
Let n := dimL d N L.
(** The weights read off the coordinates of a point, block by block. *)
Definition weights (z : car (lebn R n)) : 'M[R]_(L, dim1 d N) := \matrix_(l, k) co z (mxvec_index l k).
Let ext (v : 'I_n -> R) (i : nat) : R := if insub i is Some k then v k else 0.
Let evI (v : 'I_n -> R) : {rmorphism PT R n -> R} := evR n (ext v).
Let evIX v (i : 'I_n) : evI v (XT R n i) = v i.
Proof. by rewrite /evI evRX // /ext valK. Qed.

(** X7a: for almost every point z of R^(2 L N d), the residual network with the weights of z is no
    block of fewer than 2 d units without skip, followed by anything. *)
Theorem x7a_almost_everywhere :
  {ae mu (lebn R n), forall z : car (lebn R n), unlike_any (residual (weights z))}.
Proof.
have [P P0 hP] := x7a_any (ev := evI) evIX; have [mZ zZ] := poly_null P0.
exists [set z | ev P z = 0]; split => // z /= nz; apply: contrapT => Pz.
apply: nz; apply: hP; apply/eqP => e; apply: Pz; rewrite ev_co -[RHS]e; apply: evR_ext => i lt.
rewrite /ext insubT /coordL; have [l [k e']] : exists l k, (Sub i lt : 'I_n) = mxvec_index l k.
  by case/mxvec_indexP: (Sub i lt : 'I_n) => l k; exists l, k.
by rewrite e' mxvecE mxE -e'.
Qed.
End AE.
