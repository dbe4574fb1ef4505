(** * X5 for GELU-like activations: exact equality of two networks

The even part of sigma separates {v, -v} from every other pair, so a function
x |-> L x + sum c_j sigma(v_j x) is known from Lambda_2 and, for each pair {u, -u},
the sum of the c_j with v_j = u or v_j = -u. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks lemma6 counting theorem4_smooth x5_canonical.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** v = u or v = - u *)
Definition pmeq (R : ringType) d (v u : 'rV[R]_d) := (v == u) || (v == - u).
Lemma pmeq_trans (R : ringType) d (u v w : 'rV[R]_d) : pmeq v u -> pmeq w v = pmeq w u.
Proof. by move=> /orP[/eqP ->//|/eqP ->]; rewrite /pmeq opprK orbC. Qed.

(** A network as the sum of its units. *)
Lemma mlp_sum (R : comRingType) (s : R -> R) m N d (D : 'M[R]_(m, N)) (U : 'M_(N, d)) x :
  mlp s D U x = \sum_j s ((row j U *m x) 0 0) *: col j D.
Proof.
apply/matrixP => l k; rewrite ord1 summxE mxE; apply: eq_bigr => j _.
rewrite -row_mul; move: (U *m x) => y; by rewrite !mxE mulrC.
Qed.

(** If all sums over pairs {u, -u} vanish, so does every sum weighted by an even function. *)
Lemma pm_regroup (R : ringType) d (W : lmodType R) (I : finType) (v : I -> 'rV[R]_d) (c : I -> W)
    (f : 'rV[R]_d -> R) (P : pred I) :
  f 0 = 0 -> (forall u, f (- u) = f u) ->
  (forall u, u != 0 -> \sum_(i | P i && pmeq (v i) u) c i = 0) -> \sum_(i | P i) f (v i) *: c i = 0.
Proof.
move=> f0 fN; move: {2}#|P|.+1 (ltnSn #|P|) => n; elim: n P => // n IH P; rewrite ltnS => szP hP.
have [j /andP[Pj vj]|none] := pickP (fun i => P i && (v i != 0)); last first.
  rewrite big1 // => i Pi; have := none i; rewrite Pi /= => /negbFE/eqP ->.
  by rewrite f0 scale0r.
rewrite (bigID (fun i => pmeq (v i) (v j))) /=.
rewrite (eq_bigr (fun i => f (v j) *: c i)) => [|i /andP[_ /orP[/eqP ->//|/eqP ->]]]; last by rewrite fN.
rewrite -scaler_sumr hP // scaler0 add0r.
apply: (IH [pred i | P i && ~~ pmeq (v i) (v j)]).
  apply: leq_trans szP; apply: proper_card; apply/properP; split.
    by apply/subsetP => i; rewrite !inE => /andP[].
  by exists j; rewrite // !inE /pmeq eqxx andbF.
move=> u u0 /=; have [uj|uj] := boolP (pmeq u (v j)).
  by rewrite big1 // => i /andP[/andP[_ h] h']; rewrite -(pmeq_trans _ uj) h' in h.
rewrite -[RHS](hP u u0); apply: eq_bigl => i; case: (P i) => //=.
case h: (pmeq (v i) u); rewrite ?andbF // andbT; apply: contra uj => h'.
by rewrite -(pmeq_trans _ h') /pmeq; case/orP: h => /eqP ->; rewrite ?opprK eqxx ?orbT.
Qed.

Section CanonPM.
Variables (R : realFieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Hypothesis Esi : scale_indep (fun z => s z + s (- z)).
Variables (m d : nat).
Implicit Types f g : rnet R m d.

Definition evals f (x : 'cV[R]_d) := lin f *m x + mlp s (dn f) (up f) x.
(** the coefficient of the pair {u, -u} *)
Definition Qc f (u : 'rV[R]_d) : 'cV[R]_m := \sum_(j | pmeq (row j (up f)) u) col j (dn f).
Let E z := s z + s (- z).

Lemma evals_odd f x : Lam f *m x = evals f x - evals f (- x).
Proof.
rewrite /evals opprD addrACA mulmxN opprK (mlp_odd hs) /Lam mulmxDl -scalemxAl.
by rewrite scaler_nat mulr2n.
Qed.
Lemma evals_even f x : evals f x + evals f (- x) = \sum_j E ((row j (up f) *m x) 0 0) *: col j (dn f).
Proof.
rewrite /evals addrACA mulmxN subrr add0r !mlp_sum -big_split; apply: eq_bigr => j _ /=.
by rewrite -scalerDl mulmxN [(- _ : 'M_1) 0 0]mxE.
Qed.

Section Two.
Variables f g : rnet R m d.
Let J := ('I_(wid f) + 'I_(wid g))%type.
Let v (t : J) := match t with inl i => row i (up f) | inr j => row j (up g) end.
Let c (t : J) : 'cV[R]_m := match t with inl i => col i (dn f) | inr j => - col j (dn g) end.
Lemma sum_two (h : 'rV[R]_d -> R) : \sum_t h (v t) *: c t =
  \sum_j h (row j (up f)) *: col j (dn f) - \sum_j h (row j (up g)) *: col j (dn g).
Proof. by rewrite big_sumType /= -sumrN; congr (_ + _); apply: eq_bigr => j _; rewrite scalerN. Qed.
Lemma class_two u : \sum_(t | pmeq (v t) u) c t = Qc f u - Qc g u.
Proof. by rewrite big_sumType /= /Qc -sumrN. Qed.

Lemma canon_pm_nec : (forall x, evals f x = evals g x) ->
  Lam f = Lam g /\ forall u, u != 0 -> Qc f u = Qc g u.
Proof.
move=> h; split; first by apply: mx_ext => x; rewrite !evals_odd !h.
move=> u u0; apply/eqP; rewrite -subr_eq0 -class_two; apply/eqP/matrixP => l k.
rewrite summxE [RHS]mxE.
have Ee z : E (- z) = E z by rewrite /E opprK addrC.
apply: (class_sum_pm Ee Esi) u0 => x; rewrite (ord1 k).
have := congr1 (fun y : 'cV_m => y l 0) (sum_two (fun w => E ((w *m x) 0 0))).
rewrite -!evals_even !h subrr summxE [RHS]mxE => {2}<-.
by apply: eq_bigr => t _; rewrite [RHS]mxE mulrC.
Qed.

Lemma canon_pm_suff : s 0 = 0 ->
  Lam f = Lam g -> (forall u, u != 0 -> Qc f u = Qc g u) -> forall x, evals f x = evals g x.
Proof.
move=> s0 eL eQ x; have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
apply: (scalerI two0).
have split2 k : 2%:R *: evals k x = Lam k *m x + (evals k x + evals k (- x)).
  by rewrite evals_odd addrACA addNr addr0 scaler_nat mulr2n.
rewrite !split2 eL; congr (_ + _); apply/eqP; rewrite -subr_eq0 !evals_even.
rewrite -(sum_two (fun w => E ((w *m x) 0 0))); apply/eqP.
apply: (pm_regroup (f := fun w : 'rV[R]_d => E ((w *m x) 0 0)) (P := xpredT) (v := v) (c := c)).
- by rewrite mul0mx mxE /E oppr0 s0 addr0.
- by move=> u; rewrite mulNmx [X in E X]mxE /E opprK addrC.
by move=> u u0; rewrite class_two eQ ?subrr.
Qed.
End Two.

(** X5 for GELU, tanh-GELU, SiLU: no hypothesis on the weights. *)
Theorem canon_pm f g : s 0 = 0 ->
  (forall x, evals f x = evals g x) <-> (Lam f = Lam g /\ forall u, u != 0 -> Qc f u = Qc g u).
Proof. by move=> s0; split=> [|[]]; [exact: canon_pm_nec|exact: canon_pm_suff]. Qed.
End CanonPM.

(** Two networks with the same form: sigma(x) - sigma(- x), two units, and x, no unit. *)
Example canon_pm_instance (R : realFieldType) :
  let f := RNet 0 (row_mx 1%:M (- 1%:M)) (col_mx 1%:M (- 1%:M) : 'M[R]_(1 + 1, 1)) in
  Lam f = Lam (RNet (1%:M : 'M[R]_1) (0 : 'M_(1, 0)) 0).
Proof.
rewrite /Lam /= mul_row_col mul0mx addr0 scaler0 add0r mul1mx mulNmx mulmxN mul1mx opprK.
by rewrite -mulr2n scaler_nat.
Qed.
