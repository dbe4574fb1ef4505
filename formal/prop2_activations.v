(** * Proposition 2 (prop:gated) for SwiGLU and GeGLU: the gates SiLU, GELU and its tanh form *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp ring.
From SkipAbsorption Require Import networks prop2_gated lemma7 silu_tanh_gelu gelu theorem4_activations.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Gates.
Variable R : realType.

(** z / (1 + exp (- p z)) is at most |z|. *)
Lemma lsig_cont0 (p : R -> R) : cont0 (lsig p).
Proof.
move=> e e0; exists e => // z ze; apply: le_trans ze.
rewrite /lsig normrM normfV (gtr0_norm (den_gt0 _)) ler_pdivr_mulr ?den_gt0 //.
by rewrite ler_pemulr // ler_addl ltW ?expR_gt0.
Qed.

(** For GELU, the first term of the Taylor expansion of its even part. *)
Lemma gelu_cont0 (kappa : R) : cont0 (gelu kappa).
Proof.
move=> e e0; have [K K0 [de de0 h]] := ps_taylor (@gco_le1 R) 1%N.
have C0 : 0 < 1 + `|kappa| * K by rewrite ltr_paddr ?mulr_ge0.
exists (Num.min de (e / (1 + `|kappa| * K))) => [|z]; first by rewrite lt_minr de0 divr_gt0.
rewrite le_minr => /andP[zd]; rewrite ler_pdivl_mulr // => ze; apply: le_trans ze.
have norm (t : R) : 0 <= t -> t <= de -> `|psum (@gco R) t| <= K * t.
  move=> t0 td; have := h t t0 td; rewrite big_ord_recl big_ord0 addr0 expr1.
  by rewrite {1}/gco /= mul0r subr0.
have even : psum (@gco R) z = psum (@gco R) `|z|.
  by have [z0|z0] := leP 0 z; [rewrite ger0_norm|rewrite ltr0_norm // psum_even].
rewrite /gelu mulrDr mulr1; apply: le_trans (ler_norm_add _ _) _; apply: ler_add.
  by rewrite normrM [`|2%:R^-1|]ger0_norm ?invr_ge0 ?ler0n // ler_pdivr_mulr ?ltr0n // mulr_natr mulr2n ler_addl.
by rewrite normrM mulrCA ler_wpmul2l // even mulrC norm.
Qed.

Lemma smooth_cont0 (s : R -> R) : smooth_activation s -> cont0 s.
Proof. by case; [exact: gelu_cont0|exact: lsig_cont0|exact: lsig_cont0]. Qed.
End Gates.

(** SwiGLU (s = SiLU) and GeGLU (s = GELU or its tanh form), any widths, any skip M <> 0. *)
Theorem prop2_activations (R : realType) (s : R -> R) m N N' d (M : 'M[R]_(m, d))
    (D : 'M_(m, N)) G V (D' : 'M_(m, N')) G' V' :
  smooth_activation s -> M != 0 -> exists x, M *m x + gmlp s D G V x != gmlp s D' G' V' x.
Proof. by move=> /smooth_cont0 hs M0; exact: prop2. Qed.
