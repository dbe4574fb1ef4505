(** * D5, almost every weight: no set of sign flips is a symmetry *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences.
From mathcomp Require Import measure lebesgue_measure numfun lebesgue_integral.
From SkipAbsorption Require Import networks lebesgue prop8_almost_everywhere x7a_polynomial.
From SkipAbsorption Require Import x7a_almost_everywhere x1_construction d5_symmetries hypotheses_examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section AE.
Variables (R : realType) (d' N : nat).
Let d := d'.+1.
Let n := dimL d N 1.
Let ext (v : 'I_n -> R) (i : nat) : R := if insub i is Some k then v k else 0.
Let evI (v : 'I_n -> R) : {rmorphism PT R n -> R} := evR n (ext v).
Let evIX v (i : 'I_n) : evI v (XT R n i) = v i.
Proof. by rewrite /evI evRX // /ext valK. Qed.
Let X (i : 'I_n) := XT R n i.
Let entry (S : {set 'I_N}) : PT R n := part S (downL (XL X) 0) (upL (XL X) 0) 0 0.

Lemma entry_ev S T : evI (coordL T) (entry S) = part S (downL T 0) (upL T 0) 0 0.
Proof.
rewrite /entry !partE raddf_sum; apply: eq_bigr => i _; case: ifP => _; last by rewrite /= rmorph0.
by rewrite /= rmorphM; congr (_ * _); rewrite !mxE evIX /coordL mxvecE.
Qed.
Lemma entry_neq0 S : S != finset.set0 -> entry S != 0.
Proof.
move=> S0; suff : evI (coordL (const_mx 1)) (entry S) != 0 by apply: contraNN => /eqP ->; rewrite rmorph0.
rewrite entry_ev partE (eq_bigr (fun i => if i \in S then 1 else 0)) => [|i _]; last first.
  by rewrite !mxE mulr1.
by rewrite -big_mkcond /= sumr_const pnatr_eq0 -lt0n card_gt0.
Qed.

(** For almost every point z of R^(2 N d) and every activation with sigma(z) - sigma(-z) = z, flipping
    a non-empty set of rows changes the function. *)
Theorem d5_almost_everywhere : {ae mu (lebn R n), forall z : car (lebn R n),
  let U := upL (weights z) 0 in let D := downL (weights z) 0 in
  forall (s : R -> R) (S : {set 'I_N}), (forall t, s t - s (- t) = t) -> S != finset.set0 ->
  ~ (forall x, mlp s D (flip_rows S U) x = mlp s D U x)}.
Proof.
pose P := \prod_(S | S != finset.set0) entry S.
have P0 : P != 0 by apply/prodf_neq0 => S; exact: entry_neq0.
have [mZ zZ] := poly_null P0; exists [set z | ev P z = 0]; split => // z /= nz; apply: contrapT => Pz.
apply: nz => s S hs S0 /(d5_flip _ _ S hs) h; apply: Pz; rewrite ev_co.
have -> : evR n (co z) P = evI (coordL (weights z)) P.
  apply: evR_ext => i lt; rewrite /ext insubT /coordL.
  have [l [k e']] : exists l k, (Sub i lt : 'I_n) = mxvec_index l k.
    by case/mxvec_indexP: (Sub i lt : 'I_n) => l k; exists l, k.
  by rewrite e' mxvecE mxE -e'.
rewrite /P rmorph_prod; apply/eqP/prodf_eq0; exists S => //.
by rewrite entry_ev h mxE.
Qed.
End AE.
