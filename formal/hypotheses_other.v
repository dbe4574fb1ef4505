(** * Where the other hypotheses bite: d = 1, gates, degree one, the two lemmas, one ulp *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks x1_construction x1_width hypotheses_examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** ** One input dimension: a ReLU network of any width is two units, so it absorbs every skip. *)
Section OneDimension.
Variable R : realFieldType.
Lemma relu_scale (z x : R) : relu (z * x) = relu z * relu x + relu (- z) * relu (- x).
Proof.
rewrite /relu; have [z0|z0] := leP 0 z; have [x0|x0] := leP 0 x.
- by rewrite max_l ?mulr_ge0 // (max_r (x := - z)) ?oppr_le0 // mul0r addr0.
- rewrite max_r ?mulr_ge0_le0 ?(ltW x0) // mulr0 add0r (max_r (x := - z)) ?oppr_le0 //.
  by rewrite mul0r.
- by rewrite max_r ?mulr_le0_ge0 ?(ltW z0) // mul0r add0r [Num.max (- x) 0]max_r ?oppr_le0 // mulr0.
by rewrite max_l ?mulr_le0 ?(ltW z0) ?(ltW x0) // mul0r add0r !max_l ?oppr_ge0 ?(ltW z0) ?(ltW x0) // mulrNN.
Qed.

Theorem one_dimension_relu m N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, 1)) (M : 'M[R]_(m, 1)) N' :
  (2 <= N')%N -> absorbed (@relu R) D U M N'.
Proof.
move=> /subnKC <-; pose f (t : R) := mlp (@relu R) D U (t%:M) + M *m t%:M.
have two (p q : 'M[R]_(m, 1)) y : mlp (@relu R) (row_mx p q) (col_mx 1%:M (- 1%:M)) y =
    p *m map_mx (@relu R) y + q *m map_mx (@relu R) (- y).
  by rewrite /mlp mul_col_mx map_col_mx mul_row_col mul1mx mulNmx mul1mx.
pose V : 'M[R]_(1 + 1, 1) := col_mx 1%:M (- 1%:M).
exists (row_mx (row_mx (f 1) (f (-1))) 0), (col_mx V 0) => x.
rewrite -pad_mlp; apply: etrans (esym (two _ _ _)); rewrite [x]mx11_scalar; move: (x 0 0) => t.
have map1 z : map_mx (@relu R) (z%:M : 'M_1) = (relu z)%:M.
  by apply/matrixP => i j; rewrite (ord1 i) (ord1 j) !mxE eqxx.
rewrite -raddfN /= !map1 !mul_mx_scalar /f !scalerDr addrACA; congr (_ + _); last first.
  by rewrite !mul_mx_scalar !scalerA mulr1 mulrN1 -scalerDl relu_odd.
rewrite /mlp !scalemxAr -mulmxDr; congr (_ *m _); apply/matrixP => i k; rewrite (ord1 k) {k}.
by rewrite !mxE !big_ord1 !mxE eqxx !mulr1n mulr1 mulrN1 relu_scale [relu t * _]mulrC [relu (- t) * _]mulrC.
Qed.
End OneDimension.

(** ** Gates *)
Section Gates.
Variables (R : realFieldType) (g : R -> R).

(** g(0) = 0 (Proposition 2) fails: a gate with g(z) + g(-z) = 1, such as the logistic
    function, absorbs x at width d, whatever the gate's rows are. *)
Theorem sigmoid_gate_absorbs d (W : 'M[R]_d) : (forall z, g z + g (- z) = 1) ->
  forall x, x + gmlp g (- 1%:M) W 1%:M x = gmlp g 1%:M (- W) 1%:M x.
Proof.
move=> hg x; rewrite /gmlp !mul1mx mulNmx mul1mx mulNmx; move: (W *m x) => y.
apply/matrixP => i k; rewrite (ord1 k) {k} !mxE.
by rewrite -[X in X - _]mul1r -mulrBl -(hg (y i 0)) addrAC subrr add0r.
Qed.

(** g(0) = 0 fails, in general: rank M units realise M x. *)
Theorem open_gate_realises m d (M : 'M[R]_(m, d)) : g 0 != 0 ->
  forall x, M *m x = gmlp g ((g 0)^-1 *: col_base M) 0 (row_base M) x.
Proof.
move=> g0 x; rewrite /gmlp mul0mx -scalemxAl scalemxAr -{1}(mulmx_base M) -mulmxA; congr (_ *m _).
by apply/matrixP => i k; rewrite (ord1 k) !mxE mulrA mulVf // mul1r.
Qed.
End Gates.

(** Some gate with g(z) + g(-z) = 1 exists over every ordered field. *)
Example rational_sigmoid (R : realFieldType) (z : R) :
  let g (z : R) := (1 + z / (1 + `|z|)) / 2%:R in g z + g (- z) = 1.
Proof.
by rewrite /= -mulrDl normrN mulNr addrACA subrr addr0 -mulr2n divff ?pnatr_eq0.
Qed.

(** Continuity of g at 0 (Proposition 2) fails: with the Heaviside gate and value = gate
    input the gated network is a ReLU network, and x - relu(x) = - relu(- x). *)
Theorem heaviside_gate_absorbs (R : realFieldType) d :
  let g (z : R) : R := (0 < z)%R%:R in
  g 0 = 0 /\ forall x : 'cV[R]_d,
    x + gmlp g (- 1%:M) 1%:M 1%:M x = gmlp g (- 1%:M) (- 1%:M) (- 1%:M) x.
Proof.
split=> [|x]; first by rewrite ltxx.
rewrite /gmlp !mulNmx !mul1mx; apply/matrixP => i k; rewrite (ord1 k) {k} !mxE oppr_gt0.
have [x0|x0|->] := ltgtP (x i 0) 0; rewrite ?mul0r ?mul1r ?oppr0 ?addr0 ?opprK ?subrr //.
Qed.

(** k <> 1 (Proposition 1) fails: degree one, W_up = I and W_down = - I. *)
Theorem degree_one_absorbs (R : realFieldType) d (x : 'cV[R]_d) :
  x + mlp (@relu R) (- 1%:M) 1%:M x = mlp (@relu R) (- 1%:M) (- 1%:M) x.
Proof.
rewrite /mlp !mulNmx !mul1mx; apply/matrixP => i k; rewrite (ord1 k) {k} !mxE.
by rewrite -[X in X - _ = _]relu_odd addrAC subrr add0r.
Qed.

(** M <> 0 (Propositions 1 and 2) fails trivially: W absorbs 0. *)
Lemma zero_skip (R : ringType) (f : R -> R) m N d (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) x :
  mlp f D U x + (0 : 'M_(m, d)) *m x = mlp f D U x.
Proof. by rewrite mul0mx addr0. Qed.

(** Lemma 6 without "non-collinear": |2 l(x)| - 2 |l(x)| vanishes identically. *)
Theorem collinear_kinks_dependent (R : realFieldType) d (l : 'rV[R]_d) (x : 'cV[R]_d) :
  1 * `|((2%:R *: l) *m x) 0 0| + (- 2%:R) * `|(l *m x) 0 0| = 0.
Proof.
rewrite -scalemxAl; move: (l *m x) => y; rewrite mxE normrM ger0_norm ?ler0n //.
by rewrite mul1r mulNr subrr.
Qed.

(** Lemma 7 with psi a polynomial, psi(t) = t^2, and with a repeated scale. *)
Theorem polynomial_scales_dependent (R : comRingType) (t : R) :
  4%:R * (1 * t) ^+ 2 + (-1) * (2%:R * t) ^+ 2 = 0.
Proof. by rewrite mul1r exprMn mulN1r -natrX subrr. Qed.
Theorem repeated_scale_dependent (R : ringType) (psi : R -> R) a t : 1 * psi (a * t) + (-1) * psi (a * t) = 0.
Proof. by rewrite mul1r mulN1r subrr. Qed.

(** ** One ulp: a change of one entry of a unit in S destroys (3) for S; outside S it changes nothing. *)
Section Ulp.
Variables (R : fieldType) (m d N : nat) (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d)).
Variables (S : {set 'I_N}) (e : R) (i : 'I_N).
Hypothesis hS : part S D U = - M.

Theorem ulp_down l : e != 0 -> row i U != 0 -> part S (D + e *: delta_mx l i) U = - M <-> i \notin S.
Proof.
move=> e0 /rV0Pn[j]; rewrite mxE => uij; rewrite -hS; split=> [/matrixP/(_ l j)|iS].
  apply: contra_eqN => iS; rewrite !partE -subr_eq0 -sumrB (bigD1 i) //= iS big1 ?addr0 => [|k ki].
    by rewrite !mxE !eqxx mulr1 mulrDl addrAC subrr add0r mulf_neq0.
  by rewrite !mxE eqxx (negbTE ki) mulr0 addr0 subrr.
apply/matrixP => a b; rewrite !partE; apply: eq_bigr => k _; case: ifP => // kS.
rewrite !mxE; have [ki|_] := eqVneq k i; last by rewrite andbF mulr0 addr0.
by rewrite -ki kS in iS.
Qed.
Theorem ulp_up l : e != 0 -> col i D != 0 -> part S D (U + e *: delta_mx i l) = - M <-> i \notin S.
Proof.
move=> e0 /cV0Pn[j]; rewrite mxE => dij; rewrite -hS; split=> [/matrixP/(_ j l)|iS].
  apply: contra_eqN => iS; rewrite !partE -subr_eq0 -sumrB (bigD1 i) //= iS big1 ?addr0 => [|k ki].
    by rewrite !mxE !eqxx mulr1 mulrDr addrAC subrr add0r mulf_neq0.
  by rewrite !mxE eqxx (negbTE ki) mulr0 addr0 subrr.
apply/matrixP => a b; rewrite !partE; apply: eq_bigr => k _; case: ifP => // kS.
rewrite !mxE; have [ki|_] := eqVneq k i; last by rewrite mulr0 addr0.
by rewrite -ki kS in iS.
Qed.
End Ulp.
