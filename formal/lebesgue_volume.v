(** * The measure on R^n used here gives every box its volume

So it is Lebesgue measure, and not a measure for which "almost every" would say nothing: a
measure on the Borel sets is determined by its values on boxes. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences measure lebesgue_measure numfun lebesgue_integral.
From SkipAbsorption Require Import networks lebesgue prop8_almost_everywhere.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Volume.
Variables (R : realType) (a b : nat -> R).

(** All coordinates between their bounds. *)
Definition cube n : set (car (lebn R n)) := [set z | forall i, (i < n)%N -> a i <= co z i <= b i].
Arguments cube : clear implicits.

Lemma cubeS n : cube n.+1 = cube n `*` [set` `[a n, b n]].
Proof.
rewrite predeqE => -[z t]; split=> [h|[h1 h2] i] /=.
  split=> [i lt|] /=; first by have := h i (ltnW lt); rewrite /= ltn_eqF.
  by have := h n (ltnSn n); rewrite /= eqxx in_itv.
rewrite ltnS leq_eqVlt => /predU1P[->|lt]; first by rewrite eqxx; move: h2; rewrite /= in_itv.
by rewrite ltn_eqF //; exact: h1.
Qed.

Theorem volume n : (forall i, a i <= b i) ->
  measurable (cube n) /\ mu (lebn R n) (cube n) = (\prod_(i < n) (b i - a i))%:E.
Proof.
move=> ab; elim: n => [|n [mc vc]].
  have -> : cube 0 = setT by rewrite predeqE => z; split.
  split; first exact: measurableT.
  by rewrite big_ord0 /= /dirac indicE in_setT.
have mi : measurable ([set` `[a n, b n]] : set (carrier [the {measure set _ -> \bar R} of @lebesgue_measure R])).
  exact: measurable_itv.
split; first by rewrite cubeS; exact: measurableM.
rewrite cubeS /= product_measure1E // vc big_ord_recr /= EFinM; congr (_ * _)%E.
rewrite lebesgue_measure_itv hlength_itv /= lte_fin; case: ltgtP (ab n) => // e _.
by rewrite e subrr.
Qed.
End Volume.

(** The unit cube has volume 1. *)
Example volume_instance (R : realType) n :
  mu (lebn R n) (@cube R (fun=> 0) (fun=> 1) n) = 1%:E.
Proof. by have [i|_ ->] := @volume R (fun=> 0) (fun=> 1) n; rewrite ?ler01 // subr0 big1_eq. Qed.
