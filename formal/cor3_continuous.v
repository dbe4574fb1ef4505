(** * Corollary 3 (cor:depth) for continuous homogeneous blocks

A continuous map is bounded on the unit box, which is compact. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences exp.
From SkipAbsorption Require Import networks prop2_gated cor3_depth cor3_degrees.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** Continuity, with sup-norm boxes. *)
Definition continuous_box (R : realType) m d (f : 'cV[R]_d -> 'cV[R]_m) :=
  forall x e, 0 < e -> exists2 de, 0 < de & forall y, box de (y - x) -> box e (f y - f x).

Lemma continuous_bounded (R : realType) m d (f : 'cV[R]_d.+1 -> 'cV[R]_m) : continuous_box f -> bounded1 f.
Proof.
move=> cf; have coord i : exists C, forall x, box 1 x -> `|f x i 0| <= C.
  pose g (v : 'rV[R]_d.+1) : R := f v^T i 0.
  have cg : continuous g.
    move=> v; have vF : Filter (nbhs v) by exact: nbhs_filter.
    apply/cvgrPdist_lt => e e0; have h0 : 0 < e / 2%:R by rewrite divr_gt0 ?ltr0n.
    have [de de0 h] := cf v^T _ h0.
    exists (fun a b => ball (v a b) de) => [a b|t bt]; first by apply/nbhs_ballP; exists de.
    have /h/(_ i) : box de (t^T - v^T).
      by move=> j; rewrite !mxE distrC ltW //; exact: bt.
    rewrite !mxE distrC => le; apply: le_lt_trans le _.
    by rewrite ltr_pdivr_mulr ?ltr0n // mulr_natr mulr2n ltr_addl.
  pose B := [set v : 'rV[R]_d.+1 | forall j, `[(-1 : R), 1]%classic (v ord0 j)].
  have cB : compact B by apply: (@rV_compact _ _ (fun=> `[(-1 : R), 1]%classic)) => j; exact: segment_compact.
  have [C [_ hC]] : bounded_set (g @` B).
    by apply/compact_bounded/continuous_compact => //; apply: continuous_subspaceT => v; exact: cg.
  exists (C + 1) => x bx; apply: hC; first by rewrite ltr_addl.
  exists x^T; last by rewrite /g trmxK.
  by move=> j /=; rewrite in_itv /= -ler_norml mxE; exact: bx.
have [C hC] := fin_all_exists coord; exists (\sum_i `|C i|) => x bx i.
apply: le_trans (hC i x bx) _; apply: le_trans (ler_norm _) _.
by rewrite (bigD1 i) //= ler_addl sumr_ge0.
Qed.

(** Corollary 3 for continuous maps of one degree k > 0, k <> 1, with linear skips. *)
Theorem cor3_continuous (R : realType) (k : R) d (F : seq ('M[R]_d * ('cV[R]_d -> 'cV[R]_d)))
    (H : seq ('cV[R]_d -> 'cV[R]_d)) : 0 < k -> k != 1 ->
  (forall p, List.In p F -> homogeneous k p.2 /\ continuous_box p.2) ->
  (forall f, List.In f H -> homogeneous k f /\ continuous_box f) -> skips F != 0 -> (0 < size H)%N ->
  exists x, residual F x != compose H x.
Proof.
case: d F H => [|d] F H k0 k1 hF hH F0 H0; first by move: F0; rewrite flatmx0 eqxx.
have bF p : List.In p F -> homogeneous k p.2 /\ bounded1 p.2.
  by move=> /hF[hp /continuous_bounded].
have bH f : List.In f H -> homogeneous k f /\ bounded1 f.
  by move=> /hH[hf /continuous_bounded].
by have [lt|gt|e] := ltgtP k 1; [exact: (cor3_below lt)|exact: (cor3_above gt)|rewrite e eqxx in k1].
Qed.

(** An instance: blocks with one ReLU^2 unit on each coordinate, of degree 2, and the skip I. *)
Example cor3_continuous_instance (R : realType) :
  let f (x : 'cV[R]_1) : 'cV[R]_1 := \col_i (x i 0 * `|x i 0|) in
  [/\ homogeneous 2%:R f, continuous_box f & skips [:: (1%:M, f)] != 0].
Proof.
move=> f; split=> [l x l0|x e e0|]; last by rewrite /skips /= mul1mx oner_neq0.
  apply/matrixP => i j; rewrite (ord1 j) !mxE exp_fun_mulrn // normrM (gtr0_norm l0).
  by rewrite expr2 mulrACA.
pose C := 2%:R * (1 + `|x 0 0|); have C0 : 0 < C by rewrite mulr_gt0 ?ltr0n // ltr_spaddl.
exists (Num.min 1 (e / C)) => [|y by1 i]; first by rewrite lt_minr ltr01 divr_gt0.
move: (by1 i) => {by1}; rewrite (ord1 i) !mxE le_minr; move: (y 0 0) (x 0 0) @C C0 => v u C C0 /andP[h1 h2].
have -> : v * `|v| - u * `|u| = (v - u) * `|v| + u * (`|v| - `|u|).
  by rewrite mulrBl mulrBr addrA subrK.
apply: le_trans (ler_norm_add _ _) _; rewrite !normrM normr_id.
have vu : `|v| <= 1 + `|u|.
  by rewrite -(subrK u v) (le_trans (ler_norm_add _ _)) // ler_add2r.
apply: (@le_trans _ _ (`|v - u| * (1 + `|u|) + (1 + `|u|) * `|v - u|)).
  apply: ler_add; first by rewrite ler_wpmul2l.
  by rewrite ler_pmul // ?ler_addr ?ler01 // ler_dist_dist.
rewrite [_ * `|v - u|]mulrC -mulrDr -mulr2n -mulr_natl -/C.
by move: h2; rewrite ler_pdivl_mulr.
Qed.
