(** * X5 (ext:canonical-form): equality of ReLU networks, decided by canonical forms

No hypotheses.  Two networks with skips are equal as functions if and only if their linear
parts Lambda agree and so do their coefficients on every line. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks lemma6 counting.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** X5, ReLU: exact equality of two networks, no hypotheses at all. *)
Section Scale.
Variables (R : realFieldType) (d : nat).
(** scale of v on the line of u (0 if v is not on it) *)
Definition sc (u v : 'rV[R]_d) : R :=
  if [pick k | u 0 k != 0] is Some k then (if (v <= u)%MS then v 0 k / u 0 k else 0) else 0.
Lemma scP u v : (v <= u)%MS -> v = sc u v *: u.
Proof.
move=> h; rewrite /sc; case: pickP => [k uk|u0]; last first.
  rewrite scale0r; apply/eqP; rewrite -submx0; apply: submx_trans h _.
  by rewrite submx0; apply/eqP/rowP => k; rewrite mxE; have /negbFE/eqP := u0 k.
rewrite h; have /sub_rVP[a e] := h; have -> : v 0 k = a * u 0 k by rewrite e mxE.
by rewrite mulfK.
Qed.
Lemma sc_out u v : ~~ (v <= u)%MS -> sc u v = 0.
Proof. by rewrite /sc => /negbTE ->; case: pickP. Qed.
End Scale.

Section Vanish.
Variables (R : realFieldType) (d : nat) (I : finType) (v : I -> 'rV[R]_d) (c : I -> R).
Definition PK (P : pred I) (u : 'rV[R]_d) := \sum_(i | P i) c i * `|sc u (v i)|.

Lemma class_abs (P : pred I) u (x : 'cV[R]_d) :
  \sum_(i | P i && (v i <= u)%MS) c i * `|(v i *m x) 0 0| = PK P u * `|(u *m x) 0 0|.
Proof.
rewrite /PK mulr_suml [RHS](bigID (fun i => (v i <= u)%MS)) /= [X in _ = _ + X]big1 ?addr0; last first.
  by move=> i /andP[_ h]; rewrite sc_out // normr0 mulr0 mul0r.
apply: eq_bigr => i /andP[_ h]; rewrite {1}(scP h) -scalemxAl.
have -> (A : 'M[R]_1) (a : R) : (a *: A) 0 0 = a * A 0 0 by rewrite mxE.
by rewrite normrM mulrA.
Qed.

Lemma abs_vanish :
  (forall x : 'cV[R]_d, \sum_i c i * `|(v i *m x) 0 0| = 0) <-> (forall u, u != 0 -> PK predT u = 0).
Proof.
split=> [h u u0|h].
  have [k uk] := rV0Pn _ u0; pose e : 'cV[R]_d := delta_mx k 0.
  have := class_sum h u e; rewrite (eq_bigl (fun i => predT i && (v i <= u)%MS)) // class_abs.
  move/eqP; rewrite mulf_eq0 normr_eq0 -colE mxE (negbTE uk) orbF => /eqP. exact.
move=> x.
suff main n (P : pred I) : (#|P| < n)%N -> (forall u, u != 0 -> PK P u = 0) ->
    \sum_(i | P i) c i * `|(v i *m x) 0 0| = 0.
  by apply: (main #|I|.+1 predT); rewrite ?ltnS ?max_card.
elim: n P => // n IH P; rewrite ltnS => szP hP.
have [j /andP[Pj vj]|none] := pickP (fun i => P i && (v i != 0)); last first.
  rewrite big1 // => i Pi; have := none i; rewrite Pi /= => /negbFE/eqP ->.
  by rewrite mul0mx mxE normr0 mulr0.
rewrite (bigID (fun i => (v i <= v j)%MS)) /= class_abs hP // mul0r add0r.
apply: (IH [pred i | P i && ~~ (v i <= v j)%MS]).
  apply: leq_trans szP; apply: proper_card; apply/properP; split.
    by apply/subsetP => i; rewrite !inE => /andP[].
  by exists j; rewrite // !inE submx_refl andbF.
move=> u u0; rewrite -[RHS](hP u u0) /PK.
have [uj|uj] := boolP (u <= v j)%MS.
  have vu : (v j <= u)%MS.
    by have := scP uj => e; rewrite e in u0 *; apply/sub_rVP; exists (sc (v j) u)^-1;
       rewrite scalerA mulVf ?scale1r //; apply: contra u0 => /eqP ->; rewrite scale0r.
  rewrite -/(PK P u) (hP u u0) big1 // => i /andP[_ hi]; rewrite sc_out ?normr0 ?mulr0 //.
  by apply: contra hi => h1; apply: submx_trans h1 uj.
rewrite [RHS](bigID (fun i => (v i <= v j)%MS)) /= [X in _ = X + _]big1 ?add0r // => i /andP[Pi hi].
have [vu|vu] := boolP (v i <= u)%MS; last by rewrite sc_out ?normr0 ?mulr0.
have [v0|v0] := eqVneq (v i) 0.
  suff -> : sc u (v i) = 0 by rewrite normr0 mulr0.
  by rewrite v0 /sc; case: pickP => // k _; rewrite sub0mx mxE mul0r.
case/negP: uj; apply: submx_trans hi.
have e := scP vu; apply/sub_rVP; exists (sc u (v i))^-1.
rewrite {2}e scalerA mulVf ?scale1r //; apply: contra v0 => /eqP z; by rewrite e z scale0r.
Qed.
End Vanish.

Section Canon.
Variables (R : realFieldType) (m d : nat).
Record rnet := RNet { wid : nat; lin : 'M[R]_(m, d); dn : 'M[R]_(m, wid); up : 'M[R]_(wid, d) }.
Definition evalr (f : rnet) x := lin f *m x + mlp (@relu R) (dn f) (up f) x.
Definition Lam (f : rnet) := 2%:R *: lin f + dn f *m up f.
Definition Pc (f : rnet) (u : 'rV[R]_d) : 'cV[R]_m :=
  \col_l \sum_j dn f l j * `|sc u (row j (up f))|.

Lemma evalr_parts f x l : 2%:R * evalr f x l 0 =
  (Lam f *m x) l 0 + \sum_j dn f l j * `|(row j (up f) *m x) 0 0|.
Proof.
have relu2 (z : R) : 2%:R * relu z = z + `|z|.
  rewrite -[X in _ = X + _](relu_odd z) -relu_even addrACA addNr addr0.
  by rewrite mulr_natl mulr2n.
have Z (A : 'cV[R]_m) : (2%:R *: A) l 0 = 2%:R * A l 0 by rewrite mxE.
rewrite /evalr /Lam /mlp mxE mulrDr mulmxDl -scalemxAl -mulmxA [X in _ = X + _]mxE Z -addrA.
congr (_ + _); rewrite [X in 2%:R * X = _]mxE [X in _ = X + _]mxE mulr_sumr -big_split /=.
apply: eq_bigr => j _; rewrite mulrCA -mulrDr; congr (_ * _).
have -> : (row j (up f) *m x) 0 0 = (up f *m x) j 0 by rewrite -row_mul [LHS]mxE.
by move: (up f *m x) => w; rewrite mxE relu2.
Qed.

Theorem canon f g : (forall x, evalr f x = evalr g x) <->
  (Lam f = Lam g /\ forall u, u != 0 -> Pc f u = Pc g u).
Proof.
pose J := ('I_(wid f) + 'I_(wid g))%type.
pose v (t : J) := match t with inl i => row i (up f) | inr j => row j (up g) end.
pose c l (t : J) := match t with inl i => dn f l i | inr j => - dn g l j end.
have sumE l (F : 'rV[R]_d -> R) : \sum_t c l t * F (v t) =
    \sum_j dn f l j * F (row j (up f)) - \sum_j dn g l j * F (row j (up g)).
  by rewrite big_sumType /= -sumrN; congr (_ + _); apply: eq_bigr => j _; rewrite mulNr.
have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
have key : Lam f = Lam g -> (forall x, evalr f x = evalr g x) <-> (forall u, u != 0 -> Pc f u = Pc g u).
  move=> eL; split=> [h u u0|h x].
    apply/colP => l; rewrite !mxE; apply/eqP; rewrite -subr_eq0.
    rewrite -(sumE l (fun w => `|sc u w|)); apply/eqP.
    apply: (iffLR (abs_vanish v (c l))) u0 => x; rewrite (sumE l (fun w => `|(w *m x) 0 0|)).
    have := congr1 (fun w : 'cV_m => 2%:R * w l 0) (h x); rewrite /= !evalr_parts eL => /addrI ->.
    by rewrite subrr.
  apply/colP => l; apply: (mulfI two0); rewrite !evalr_parts eL; congr (_ + _).
  apply/eqP; rewrite -subr_eq0 -(sumE l (fun w => `|(w *m x) 0 0|)); apply/eqP; move: x.
  apply/(abs_vanish v (c l)) => u u0; rewrite /PK (sumE l (fun w => `|sc u w|)); apply/eqP.
  by rewrite subr_eq0; apply/eqP; have := congr1 (fun w : 'cV_m => w l 0) (h u u0); rewrite !mxE.
split=> [h|[eL]]; last by move/(key eL).
suff eL : Lam f = Lam g by split=> //; apply/(key eL).
have odd k x : Lam k *m x = evalr k x - evalr k (- x).
  rewrite /evalr opprD addrACA mulmxN opprK (mlp_odd (@relu_odd R)) /Lam mulmxDl -scalemxAl.
  by rewrite scaler_nat mulr2n.
by apply: mx_ext => x; rewrite !odd !h.
Qed.
End Canon.
