(** * Lebesgue measure on R^n, and polynomials

R^n is the iterated product of the real line with itself and carries the product of
Lebesgue measures.  [poly_null]: the zero set of a non-zero polynomial has measure zero. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality mathcomp_extra.
From mathcomp Require Import reals ereal signed topology normedtype sequences measure lebesgue_measure numfun lebesgue_integral.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** the one-point measurable space R^0 *)
Canonical unit_pointedType := PointedType unit tt.
Section discrete_measurable_unit.
Definition discrete_measurable_unit : set (set unit) := [set: set unit].
Let m0 : discrete_measurable_unit set0. Proof. by []. Qed.
Let mC X : discrete_measurable_unit X -> discrete_measurable_unit (~` X). Proof. by []. Qed.
Let mU (F : (set unit)^nat) : (forall i, discrete_measurable_unit (F i)) ->
  discrete_measurable_unit (\bigcup_i F i). Proof. by []. Qed.
HB.instance Definition _ := @isMeasurable.Build default_measure_display unit (Pointed.class _)
  discrete_measurable_unit m0 mC mU.
End discrete_measurable_unit.

Section Null.
Variable R : realType.
Definition carrier d (T : measurableType d) (m : {measure set T -> \bar R}) := T.
Let leb := [the {measure set _ -> \bar R} of @lebesgue_measure R].
Let RT := carrier leb.

Lemma roots_null (p : {poly R}) : p != 0 ->
  measurable ([set x | root p x] : set RT) /\ leb [set x | root p x] = 0%E.
Proof.
move: {2}(size p) (leqnn (size p)) => n; elim: n p => [|n IH] p sp p0.
  by rewrite -size_poly_leq0 sp in p0.
have [[a ra]|nr] := pselect (exists a, root p a); last first.
  have -> : [set x | root p x] = set0.
    by rewrite predeqE => x; split => // rx; apply: nr; exists x.
  by split; [exact: measurable0|exact: measure0].
have [q e] := factor_theorem _ _ ra.
have q0 : q != 0 by apply: contra p0 => /eqP q0; rewrite e q0 mul0r.
have sq : (size q <= n)%N.
  by move: sp; rewrite e size_Mmonic ?monicXsubC // size_XsubC addn2.
have [mq zq] := IH q sq q0.
have -> : [set x | root p x] = [set x | root q x] `|` [set a].
  rewrite predeqE => x; split => /=; rewrite e rootM root_XsubC.
    by move=> /orP[h|/eqP h]; [left|right].
  by move=> [->//|->]; rewrite eqxx orbT.
have ma : measurable ([set a] : set RT) by exact: measurable_set1.
split; first exact: measurableU.
by apply: null_set_setU => //; exact: lebesgue_measure_set1.
Qed.

Section Fubini.
Variables (d : measure_display) (T : measurableType d) (mu : {measure set T -> \bar R}).
Hypothesis sl : sigma_finite setT leb.
Lemma prod_null (A : set (T * RT)) (N : set T) :
  measurable A -> measurable N -> mu N = 0%E ->
  (forall x, ~ N x -> leb (xsection A x) = 0%E) ->
  product_measure1 mu sl A = 0%E.
Proof.
move=> mA mN muN h; rewrite /product_measure1 (negligible_integral mN) //.
- rewrite (eq_integral (cst 0%E)) ?integral0 // => x; rewrite inE => -[_ Nx] /=.
  exact: h.
- by apply: measurable_fun_xsection => //; rewrite inE.
Qed.
End Fubini.

Lemma leb_sf : sigma_finite setT leb.
Proof. exact: (Hahn_ext_sigma_finite (@hlength_sigma_sub_additive R) (@hlength_sigma_finite R)). Qed.

Record MS := mkMS { disp : measure_display; car : measurableType disp;
  mu : {measure set car -> \bar R}; sf : sigma_finite setT mu }.

Lemma prod_sf (m : MS) : sigma_finite setT (product_measure1 (mu m) leb_sf).
Proof.
have /sigma_finiteP[F1 F1_T [F1_nd F1_oo]] := sf m.
have /sigma_finiteP[F2 F2_T [F2_nd F2_oo]] := leb_sf.
exists (fun n => F1 n `*` F2 n).
  rewrite -setMTT F1_T F2_T predeqE => -[x y]; split.
    move=> [/= [n _ Fnx] [k _ Fky]]; exists (maxn n k) => //; split.
    - by move: x Fnx; exact/subsetPset/F1_nd/leq_maxl.
    - by move: y Fky; exact/subsetPset/F2_nd/leq_maxr.
  by move=> [n _ []/= ? ?]; split; exists n.
move=> k; have [? ?] := F1_oo k; have [? ?] := F2_oo k.
split; first exact: measurableM.
by rewrite product_measure1E // lte_mul_pinfty// ge0_fin_numE.
Qed.
Definition msS (m : MS) : MS := mkMS (prod_sf m).

Lemma dirac_sf : sigma_finite setT [the {measure set unit -> \bar R} of dirac tt].
Proof.
exists (fun=> setT) => [|n]; first by rewrite predeqE => x; split=> // _; exists 0%N.
by split; [exact: measurableT|rewrite /= /dirac indicE in_setT ltey].
Qed.
(** R^n as an iterated product, with its product Lebesgue measure *)
Fixpoint lebn (n : nat) : MS := if n is n'.+1 then msS (lebn n') else mkMS dirac_sf.

(** polynomials in n variables, as iterated univariate ones *)
Fixpoint PT (n : nat) : idomainType := if n is n'.+1 then [idomainType of {poly PT n'}] else R.
Fixpoint ev (n : nat) : PT n -> car (lebn n) -> R :=
  match n return PT n -> car (lebn n) -> R with
  | 0 => fun p _ => p
  | n'.+1 => fun (p : {poly PT n'}) (z : car (lebn n') * R) =>
      \sum_(i < size p) ev p`_i z.1 * z.2 ^+ i
  end.

Lemma mfst d1 d2 (T1 : measurableType d1) (T2 : measurableType d2) : measurable_fun setT (@fst T1 T2).
Proof. by have [] := (prod_measurable_funP (fun x : T1 * T2 => x)).1 (@measurable_fun_id _ _ _). Qed.
Lemma msnd d1 d2 (T1 : measurableType d1) (T2 : measurableType d2) : measurable_fun setT (@snd T1 T2).
Proof. by have [] := (prod_measurable_funP (fun x : T1 * T2 => x)).1 (@measurable_fun_id _ _ _). Qed.

Lemma ev_measurable n (p : PT n) : measurable_fun setT (ev p : car (lebn n) -> RT).
Proof.
elim: n p => [|n IH] p /=; first exact: measurable_fun_cst.
have H k : measurable_fun setT ((fun z : car (lebn n) * RT => \sum_(i < k) ev (p : {poly PT n})`_i z.1 * z.2 ^+ i) : _ -> RT).
  elim: k => [|k IHk].
    rewrite (_ : (fun z => _) = cst 0); last by apply/funext => z; rewrite big_ord0.
    exact: measurable_fun_cst.
  rewrite (_ : (fun z => _) = (fun z : car (lebn n) * RT => \sum_(i < k) ev (p : {poly PT n})`_i z.1 * z.2 ^+ i)
     \+ ((fun z => ev (p : {poly PT n})`_k z.1) \* (fun z => z.2 ^+ k))); last first.
    by apply/funext => z; rewrite big_ord_recr.
  apply: measurable_funD => //; apply: measurable_funM.
    by apply: measurable_fun_comp (IH _) _; exact: mfst.
  by apply: measurable_fun_exprn; exact: msnd.
exact: H.
Qed.

Lemma poly_null n (p : PT n) : p != 0 ->
  measurable [set z : car (lebn n) | ev p z = 0] /\ mu (lebn n) [set z | ev p z = 0] = 0%E.
Proof.
move=> p0; split.
  rewrite [X in measurable X](_ : _ = setT `&` (ev p : _ -> RT) @^-1` [set 0]); last by rewrite setTI.
  by apply: ev_measurable => //; exact: measurable_set1.
elim: n p p0 => [|n IH] p p0.
  by rewrite (_ : [set z | _] = set0) ?measure0 // predeqE => x; split => //= h; rewrite h eqxx in p0.
have q0 : lead_coef (p : {poly PT n}) != 0 by rewrite lead_coef_eq0.
have mN : measurable [set z : car (lebn n) | ev (lead_coef (p : {poly PT n})) z = 0].
  rewrite [X in measurable X](_ : _ = setT `&` (ev (lead_coef (p : {poly PT n})) : _ -> RT) @^-1` [set 0]); last by rewrite setTI.
  by apply: ev_measurable => //; exact: measurable_set1.
apply: (@prod_null _ _ (mu (lebn n)) leb_sf [set z | ev (p : PT n.+1) z = 0] _ _ mN (IH _ q0)).
  rewrite [X in measurable X](_ : _ = setT `&` (ev p : _ -> RT) @^-1` [set 0]); last by rewrite setTI.
  by apply: (@ev_measurable n.+1 p) => //; exact: measurable_set1.
move=> y ny; pose P : {poly R} := \poly_(i < size (p : {poly PT n})) ev (p : {poly PT n})`_i y.
have P0 : P != 0.
  apply/eqP => /(congr1 (fun r : {poly R} => r`_(size (p : {poly PT n})).-1)); rewrite coef0 coef_poly.
  have sp : (0 < size (p : {poly PT n}))%N by rewrite size_poly_gt0.
  by rewrite prednK // leqnn => h; apply: ny.
have [_ <-] := roots_null P0; congr (leb _); rewrite predeqE => x; rewrite /xsection /= inE /=.
by rewrite /root /P horner_poly; split => [->|/eqP].
Qed.
End Null.
