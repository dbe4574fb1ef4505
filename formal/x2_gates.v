(** * X2 (ext:gates): among gates continuous at 0, those with g(0) = 0 are exactly the safe ones *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks prop2_gated hypotheses_other.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** With g(0) <> 0, every gated network absorbs every M with rank M further units. *)
Theorem x2_absorbs (R : realFieldType) (g : R -> R) m N d (D : 'M[R]_(m, N)) (G V : 'M[R]_(N, d)) (M : 'M[R]_(m, d)) :
  g 0 != 0 ->
  exists (D' : 'M_(m, N + \rank M)) (G' V' : 'M_(N + \rank M, d)), forall x,
    M *m x + gmlp g D G V x = gmlp g D' G' V' x.
Proof.
move=> g0; exists (row_mx D ((g 0)^-1 *: col_base M)), (col_mx G 0), (col_mx V (row_base M)) => x.
rewrite (open_gate_realises M g0) addrC /gmlp !mul_col_mx map_col_mx.
have -> (a1 b1 : 'cV[R]_N) (a2 b2 : 'cV[R]_(\rank M)) :
    had (col_mx a1 a2) (col_mx b1 b2) = col_mx (had a1 b1) (had a2 b2).
  by apply/matrixP => i j; rewrite !mxE; case: splitP => k ek; rewrite ?col_mxEu ?col_mxEd !mxE.
by rewrite mul_row_col.
Qed.

(** g continuous at 0, in any dimensions >= 1: some skip other than 0 is absorbed by some gated network
    if and only if g(0) <> 0. *)
Theorem x2_gates (R : realFieldType) (g : R -> R) m d :
  (forall e, 0 < e -> exists2 de, 0 < de & forall z, `|z| <= de -> `|g z - g 0| <= e) ->
  (exists (M : 'M[R]_(m.+1, d.+1)) N N' (D : 'M_(m.+1, N)) (G V : 'M_(N, d.+1))
      (D' : 'M_(m.+1, N')) (G' V' : 'M_(N', d.+1)),
    M != 0 /\ forall x, M *m x + gmlp g D G V x = gmlp g D' G' V' x) <->
  g 0 != 0.
Proof.
move=> cg; split=> [[M [N [N' [D [G [V [D' [G' [V' [M0 e]]]]]]]]]]|g0].
  apply/negP => /eqP g0; have c0 : cont0 g.
    by move=> e' /cg[de de0 h]; exists de => // z /h; rewrite g0 subr0.
  have [x] := @prop2 R g _ N N' _ M D G V D' G' V' c0 M0.
  by rewrite e eqxx.
pose M : 'M[R]_(m.+1, d.+1) := delta_mx 0 0.
have [D' [G' [V' e]]] := x2_absorbs (0 : 'M_(m.+1, 0)) (0 : 'M_(0, d.+1)) 0 M g0.
exists M, 0%N, (0 + \rank M)%N, 0, 0, 0, D', G', V'; split=> //.
by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE !eqxx oner_eq0.
Qed.

(** A gate that is continuous at 0 and open there: a constant. *)
Example x2_instance (R : realFieldType) : let g (z : R) : R := 1 in
  g 0 != 0 /\ forall e, 0 < e -> exists2 de, 0 < de & forall z, `|z| <= de -> `|g z - g 0| <= e.
Proof.
by split=> [|e e0]; rewrite ?oner_eq0 //; exists 1 => // z _; rewrite subrr normr0 ltW.
Qed.
