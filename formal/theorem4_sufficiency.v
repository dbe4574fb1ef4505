(** * Theorem 4 (thm:ungated), sufficiency: flipping rows absorbs the skip

If A_S B_S = -M, negating the rows in S adds M x to the network.  Any sigma with
sigma(z) - sigma(-z) = z over any commutative ring; no genericity. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Suff.
Variables (R : comRingType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.

(** Theorem 4, sufficiency, for any skip M. *)
Theorem thm4_suff m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M_(m, d)) (S : {set 'I_N}) :
  part S D U = - M ->
  exists V : 'M_(N, d), forall x, mlp s D U x + M *m x = mlp s D V x.
Proof.
move=> hM; pose V : 'M_(N, d) := \matrix_(i, j) (if i \in S then - U i j else U i j).
exists V => x; rewrite /mlp -[M]opprK -hM mulNmx; apply/eqP.
rewrite subr_eq addrC -subr_eq -mulmxBr; apply/eqP.
have Vx i k : (V *m x) i k = if i \in S then - (U *m x) i k else (U *m x) i k.
  rewrite !mxE; case: ifP => iS; last by apply: eq_bigr => j _; rewrite mxE iS.
  by rewrite -sumrN; apply: eq_bigr => j _; rewrite mxE iS mulNr.
have T j k : (map_mx s (U *m x) - map_mx s (V *m x)) j k = s ((U *m x) j k) - s ((V *m x) j k).
  by rewrite !mxE.
rewrite /part mulmx_suml; apply/matrixP => i k; rewrite summxE mxE.
rewrite (bigID (mem S)) /= [X in _ + X]big1 ?addr0 => [|j jS]; last first.
  by rewrite T Vx (negbTE jS) subrr mulr0.
apply: eq_bigr => j jS; rewrite -mulmxA -row_mul [RHS]mxE big_ord1 ![col _ _ _ _]mxE ![row _ _ _ _]mxE.
by rewrite T Vx jS hs.
Qed.
End Suff.
