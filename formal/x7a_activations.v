(** * X7a (ext:narrow) for SiLU, the tanh form of GELU, and GELU with a normal density of mass 1

GELU is z Phi z, and it is near ReLU because Phi tends to 1.  That the constant 1 / sqrt (2 pi) makes
it so is the Gaussian integral, which is not proved here.  So GELU is taken with the constant that does,
whatever its value: Phi' is c exp (- z^2 / 2), and c is such that Phi rises from 0 to 1. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences derive realfun exp trigo.
From mathcomp Require Import measure lebesgue_measure numfun lebesgue_integral.
From mathcomp Require Import ring.
From SkipAbsorption Require Import networks silu_tanh_gelu gelu theorem4_activations gelu_normal x1b_activations.
From SkipAbsorption Require Import lebesgue prop8_almost_everywhere x7a_depth_relu x7a_polynomial.
From SkipAbsorption Require Import x7a_almost_everywhere x7a_depth_smooth.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Near.
Variable R : realType.

(** From the even part: sigma(t) + sigma(-t) is at most 2 K away from t. *)
Lemma near_of_even (s : R -> R) (K : R) : 0 <= K -> (forall z, s z - s (- z) = z) -> `|s 0| <= K ->
  (forall t, 0 < t -> `|s t + s (- t) - t| <= 2%:R * K) -> near_relu s.
Proof.
move=> K0 hs h0 h; exists K => // z.
have pos t : 0 < t -> `|s t - t| <= K /\ `|s (- t)| <= K.
  move=> t0; have n2 : 0 < 2%:R :> R by rewrite ltr0n.
  have E1 (a b : R) : 2%:R * (a - (a - b)) = a + b - (a - b) by ring.
  have E2 (a b : R) : 2%:R * b = a + b - (a - b) by ring.
  have e1 := E1 (s t) (s (- t)); have e2 := E2 (s t) (s (- t)); rewrite hs in e1 e2.
  have := h t t0; rewrite -{1}e1 => h1; have := h t t0; rewrite -{1}e2 => h2.
  move: h1 h2; rewrite !normrM (gtr0_norm n2) !(ler_pmul2l n2); by split.
rewrite /relu; have [z0|z0|->] := ltgtP z 0.
- by rewrite subr0; have := (pos (- z) _).2; rewrite opprK oppr_gt0; apply.
- exact: (pos z z0).1.
- by rewrite subr0.
Qed.

Lemma near_lsig (p : R -> R) (ka : R) : (forall z, p (- z) = - p z) -> 0 < ka ->
  (forall t, 0 < t -> ka * t <= p t) -> near_relu (lsig p).
Proof.
move=> po ka0 low; have kV : 0 <= ka^-1 by rewrite invr_ge0 ltW.
apply: (near_of_even kV) => [z||t t0].
- exact: lsig_odd.
- by rewrite /lsig mul0r normr0.
rewrite lsig_even // addrAC subrr add0r normrN gtr0_norm ?lrest_gt0 // /lrest.
have pt : 0 < p t by apply: lt_le_trans (low t t0); rewrite mulr_gt0.
rewrite -mulrA ler_pmul2l ?ltr0n // ler_pdivr_mulr ?den_gt0 // ler_pdivl_mull //.
apply: le_trans (low t t0) _; apply: le_trans (_ : 1 + p t <= _); first by rewrite ler_addr ler01.
by apply: le_trans (expR_ge1Dx (ltW pt)) _; rewrite ler_addr ler01.
Qed.

(** GELU with mass 1. *)
Lemma S_sup_gt0 : 0 < S_sup R.
Proof. by have := Q_gt0 (0 : R); rewrite /Q /S mul0r subr0. Qed.
Definition gelu_mass1 : R -> R := gelu (2%:R * S_sup R)^-1.

Theorem gelu_mass1_normal : exists (Phi : R -> R) (c : R), [/\ 0 < c,
  Phi 0 = 2%:R^-1 /\ (forall z : R, is_derive z 1 Phi (c * expR (- (z ^+ 2 / 2%:R)))),
  forall e, 0 < e -> exists z0, forall z, z0 <= z -> `|1 - Phi z| <= e &
  forall z, gelu_mass1 z = z * Phi z].
Proof.
have S0 := S_sup_gt0; have n2 : 0 < 2%:R :> R by rewrite ltr0n.
pose c := (2%:R * S_sup R)^-1; have c0 : 0 < c by rewrite invr_gt0 mulr_gt0.
pose Phi : R -> R := cst 2%:R^-1 + c *: (@S R : R -> R).
have PhiE z : Phi z = 2%:R^-1 + c * S z by [].
exists Phi, c; split=> //; first split=> [|z].
- by rewrite PhiE /S mul0r mulr0 addr0.
- by apply: (is_derive_eq (is_deriveD (is_derive_cst _ _ _) (is_deriveZ c (S_derive z)))); rewrite add0r.
- move=> e e0; have [z0 hz] := Q_small (divr_gt0 e0 c0); exists z0 => z /hz.
  rewrite ltr_pdivl_mulr // => /ltW h.
  have -> : 1 - Phi z = Q z * c by rewrite PhiE /Q /c; field; rewrite gt_eqF.
  by rewrite ger0_norm // mulr_ge0 // ltW // Q_gt0.
by move=> z; rewrite /gelu_mass1 /gelu psum_gco PhiE -/c; ring.
Qed.

Lemma near_gelu : near_relu gelu_mass1.
Proof.
have S0 := S_sup_gt0; set c := (2%:R * S_sup R)^-1; have c0 : 0 < c by rewrite invr_gt0 mulr_gt0 ?ltr0n.
have K0 : 0 <= c * Q (0 : R) by rewrite mulr_ge0 // ltW // Q_gt0.
apply: (near_of_even K0) => [z||t t0].
- exact: gelu_odd.
- by rewrite /gelu_mass1 /gelu psum_gco !mul0r mulr0 addr0 normr0.
have -> : gelu_mass1 t + gelu_mass1 (- t) - t = - (2%:R * (c * (t * Q t))).
  by rewrite /gelu_mass1 /gelu psum_even psum_gco /Q -/c /c; field; rewrite gt_eqF.
rewrite normrN ger0_norm; last by rewrite !mulr_ge0 ?ler0n ?(ltW c0) ?(ltW t0) // ltW // Q_gt0.
rewrite ler_pmul2l ?ltr0n // ler_pmul2l //.
have down (x y : R) : x <= y -> Q y <= Q x by move=> xy; rewrite ler_sub // S_up.
have [t1|t1] := leP t 1.
  apply: le_trans (_ : 1 * Q t <= _); first by rewrite ler_wpmul2r // ltW // Q_gt0.
  by rewrite mul1r down // ltW.
pose w := t - 1; have w0 : 0 < w by rewrite subr_gt0.
have tE : t = 1 + w by rewrite addrC subrK.
apply: le_trans (down 0 1 ler01); rewrite {1 2}tE.
have := Q_step (@ler01 R) w0; rewrite mulr1 expRN mulrC ler_pdivl_mulr ?expR_gt0 // => h.
apply: le_trans h; rewrite mulrC ler_wpmul2l ?(ltW (Q_gt0 _)) //.
exact: expR_ge1Dx (ltW w0).
Qed.

Inductive near_form : (R -> R) -> Prop :=
  | Near_relu : near_form (@relu R)
  | Near_gelu : near_form gelu_mass1
  | Near_tanh : near_form (gelu_tanh (R := R))
  | Near_silu : near_form (@silu R).

Lemma near_form_relu s : near_form s -> near_relu s.
Proof.
case; [by exists 0 => // z; rewrite subrr normr0|exact: near_gelu| |].
  have h := tanh_cubic_ge0 R.
  apply: (@near_lsig _ (tanh_slope R)) => [z||t t0]; [by ring|exact: tanh_slope_gt0|].
  by rewrite ler_addl mulr_ge0 // exprn_ge0 // ltW.
by apply: (@near_lsig _ 1) => // *; rewrite ?mul1r ?ltr01.
Qed.
End Near.

(** The blocks with the weights T. *)
Definition blocks_of (R : realFieldType) d N L (T : 'M[R]_(L, dim1 d N)) : seq (wblock R d) :=
  [seq existT _ N (downL T l, upL T l) | l <- enum 'I_L].

(** X7a, almost every weight of L residual blocks of width N: with any two of these activations, the
    composition is no composition of blocks without skip whose first has fewer than 2 d units. *)
Theorem x7a_activations (R : realType) (d N L : nat) :
  {ae mu (lebn R (dimL d N L)), forall z : car (lebn R (dimL d N L)),
    forall (s s' : R -> R) (w : wblock R d) (vs : seq (wblock R d)),
    near_form s -> near_form s' -> (projT1 w < 2 * d)%N ->
    exists x, net_of s (blocks_of (weights z)) x != bares s' (w :: vs) x}.
Proof.
have [A [mA A0 sub]] := @x7a_almost_everywhere R d N L; exists A; split=> // z nz; apply: sub => un.
apply: nz => s s' w vs hs hs' lt.
exact: (x7a_near _ (near_form_relu hs) (near_form_relu hs') un lt).
Qed.
