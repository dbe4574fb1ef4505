(** * X1c (ext:collinear): the least width for any weights

Any network is listed by its classes: one row u_K for each line (ReLU) or pair (GELU) whose
coefficient P_K is not zero.  Its least width without skip is the number of classes plus the
k* of the network with rows u_K, columns P_K and skip (Lambda - sum P_K u_K^T) / 2. *)
From mathcomp Require Import all_ssreflect all_algebra.
From SkipAbsorption Require Import networks theorem4_smooth x5_canonical x5_canonical_smooth x1_width.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(** The skip that goes with listed classes. *)
Definition class_skip (R : realFieldType) m d (f : rnet R m d) n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)) :=
  2%:R^-1 *: (Lam f - P *m W).
Lemma Lam_class (R : realFieldType) m d (f : rnet R m d) n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)) :
  Lam (RNet (class_skip f P W) P W) = Lam f.
Proof. by rewrite {1}/Lam /= scalerA mulfV ?pnatr_eq0 // scale1r subrK. Qed.

Section Lines.
Variables (R : realFieldType) (m d : nat) (f : rnet R m d).

(** W lists the lines with a non-zero coefficient, P their coefficients. *)
Definition lists_lines n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)) :=
  [/\ generic P W, forall i, col i P = Pc f (row i W) &
    forall u, u != 0 -> Pc f u != 0 -> exists i, (u <= row i W)%MS].

Lemma line_sym (u w : 'rV[R]_d) : w != 0 -> (w <= u)%MS -> (u <= w)%MS.
Proof.
move=> w0 wu; have e := scP wu; apply/sub_rVP; exists (sc u w)^-1.
by rewrite {2}e scalerA mulVf ?scale1r //; apply: contraNneq w0 => z; rewrite e z scale0r.
Qed.
Lemma sc_change (u w v : 'rV[R]_d) : u != 0 -> w != 0 -> (w <= u)%MS -> sc u v = sc u w * sc w v.
Proof.
move=> u0 w0 wu; have [vw|vw] := boolP (v <= w)%MS; last first.
  rewrite (sc_out vw) mulr0 sc_out //; apply: contra vw => vu; exact: submx_trans vu (line_sym w0 wu).
have e1 := scP vw; have e2 := scP wu; have e3 := scP (submx_trans vw wu).
have e4 : v = (sc w v * sc u w) *: u by rewrite -scalerA -e2 -e1.
by apply/eqP; rewrite -subr_eq0 -[_ == 0]orbF -(negbTE u0) -scaler_eq0 scalerBl -e3 mulrC -e4 subrr.
Qed.
Lemma Pc_change (u w : 'rV[R]_d) : u != 0 -> w != 0 -> (w <= u)%MS -> Pc f u = `|sc u w| *: Pc f w.
Proof.
move=> u0 w0 wu; apply/matrixP => l k; rewrite !mxE mulr_sumr; apply: eq_bigr => j _.
by rewrite (sc_change _ u0 w0 wu) normrM mulrCA.
Qed.

Lemma lists_equal n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)) : lists_lines P W ->
  forall x, evalr f x = evalr (RNet (class_skip f P W) P W) x.
Proof.
case=> [[W0 gW P0] eP all]; apply/canon; rewrite Lam_class; split=> // u u0.
have PcE : Pc (RNet (class_skip f P W) P W) u = \sum_i `|sc u (row i W)| *: col i P.
  apply/matrixP => l k; rewrite summxE mxE; apply: eq_bigr => i _ /=.
  by rewrite [RHS]mxE mxE mulrC.
rewrite PcE; have [/existsP[i iu]|none] := boolP [exists i, (row i W <= u)%MS].
  rewrite (bigD1 i) //= big1 ?addr0 => [|i' ne]; first by rewrite eP -Pc_change.
  rewrite sc_out ?normr0 ?scale0r //; apply: contra (gW _ _ ne) => h.
  exact: submx_trans h (line_sym (W0 i) iu).
rewrite big1 => [|i _]; last first.
  by rewrite sc_out ?normr0 ?scale0r //; move: none; rewrite negb_exists => /forallP.
apply/eqP; apply: contraNT none => /(all u u0)[i ui]; apply/existsP; exists i.
exact: line_sym u0 ui.
Qed.

(** Such a list exists for every network: of each line the first row. *)
Lemma lines_listed : exists n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)), lists_lines P W.
Proof.
pose r j := row j (up f).
pose C := [set j | [&& r j != 0, Pc f (r j) != 0 &
  [forall j' : 'I_(wid f), (j' < j)%N ==> ~~ (r j <= r j')%MS]]].
pose W : 'M[R]_(#|C|, d) := \matrix_i r (enum_val i).
pose P : 'M[R]_(m, #|C|) := \matrix_(l, i) Pc f (r (enum_val i)) l 0.
have rW i : row i W = r (enum_val i) by rewrite rowK.
have cP i : col i P = Pc f (row i W) by rewrite rW; apply/matrixP => l k; rewrite (ord1 k) !mxE.
have inC i : [/\ r (enum_val i) != 0, Pc f (r (enum_val i)) != 0 &
    forall j' : 'I_(wid f), (j' < @enum_val _ (mem C) i)%N -> ~~ (r (enum_val i) <= r j')%MS].
  have := enum_valP i; rewrite inE => /and3P[h1 h2 /forallP h3]; split=> // j' lt.
  by have := h3 j'; rewrite lt.
exists #|C|, P, W; split=> // [|u u0 Pu].
  split=> [i|i i' ne|i]; last by rewrite cP rW; have [] := inC i.
    by rewrite rW; have [] := inC i.
  rewrite !rW; have [a0 _ a] := inC i; have [b0 _ b] := inC i'.
  have : enum_val i != enum_val i' by rewrite (inj_eq enum_val_inj).
  rewrite neq_ltn => /orP[lt|/a //]; apply: contra (b _ lt); exact: line_sym.
have [j hj] : exists j, (r j != 0) && (r j <= u)%MS.
  apply/existsP; apply: contraNT Pu; rewrite negb_exists => /forallP h; apply/eqP/matrixP => l k.
  rewrite !mxE big1 // => j _; have := h j; rewrite negb_and negbK => /orP[/eqP e|ju].
    by rewrite -/(r j) e /sc; case: pickP => [k' _|_]; rewrite ?sub0mx ?mxE ?mul0r normr0 mulr0.
  by rewrite sc_out ?normr0 ?mulr0.
pose on j := (r j != 0) && (r j <= u)%MS.
case: (@arg_minnP _ j on (fun j : 'I_(wid f) => j : nat) hj) => j0 /andP[n0 ju] least.
have jC : j0 \in C.
  rewrite inE n0 /=; apply/andP; split.
    by apply: contra Pu => /eqP e; rewrite (Pc_change u0 n0 ju) e scaler0.
  apply/forallP => j'; apply/implyP => lt; apply/negP => h.
  have n1 : r j' != 0 by apply: contraNneq n0 => e; have /sub_rVP[a ->] := h; rewrite e scaler0.
  have := least j'; rewrite /on n1 (submx_trans (line_sym n0 h) ju) leqNgt lt => /(_ isT) //.
exists (enum_rank_in jC j0); rewrite rW enum_rankK_in //; exact: line_sym.
Qed.
End Lines.

(** X1c for ReLU: any weights. *)
Theorem x1c_relu (R : realFieldType) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d)) (M : 'M[R]_(m, d))
    n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)) : let f := RNet M D U in lists_lines f P W ->
  forall N', absorbed (@relu R) D U M N' <-> (n + kstar P W (class_skip f P W) <= N')%N.
Proof.
move=> f h N'; have [G _ _] := h; rewrite -(x1_relu _ G); have e := lists_equal h.
have e' x : mlp (@relu R) D U x + M *m x = mlp (@relu R) P W x + class_skip f P W *m x.
  by have := e x; rewrite /evalr /= addrC => ->; rewrite addrC.
by split=> -[D' [U' e1]]; exists D', U' => x; rewrite -e1 e'.
Qed.

Section PairsOfRows.
Variables (R : realFieldType) (s : R -> R).
Hypothesis hs : forall z, s z - s (- z) = z.
Hypothesis Esi : scale_indep (fun z => s z + s (- z)).
Hypothesis s0 : s 0 = 0.
Variables (m d : nat) (f : rnet R m d).

(** W lists the pairs {u, -u} with a non-zero coefficient, P their coefficients. *)
Definition lists_pairs n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)) :=
  [/\ generic_pm P W, forall i, col i P = Qc f (row i W) &
    forall u, u != 0 -> Qc f u != 0 -> exists i, pmeq u (row i W)].

Lemma pmeq_sym (u v : 'rV[R]_d) : pmeq u v = pmeq v u.
Proof. by rewrite /pmeq eq_sym [u == - v]eq_sym eqr_oppLR. Qed.
Lemma Qc_change (u w : 'rV[R]_d) : pmeq w u -> Qc f w = Qc f u.
Proof. by move=> h; apply: eq_bigl => j; rewrite (pmeq_trans _ h). Qed.

Lemma pairs_equal n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)) : lists_pairs P W ->
  forall x, evals s f x = evals s (RNet (class_skip f P W) P W) x.
Proof.
case=> [[W0 gW P0] eP all]; apply/(canon_pm hs Esi _ _ s0); rewrite Lam_class; split=> // u u0.
rewrite [RHS]/Qc /=; have [/existsP[i iu]|none] := boolP [exists i, pmeq (row i W) u].
  rewrite (bigD1 i) //= big1 ?addr0 => [|i' /andP[iu' ne]]; first by rewrite eP (Qc_change iu).
  have := pmeq_trans (row i' W) iu; rewrite iu' /pmeq; have [/negbTE -> /negbTE ->] := gW _ _ ne.
  by [].
rewrite big1 => [|i iu]; last by case/existsP: none; exists i.
apply/eqP; apply: contraNT none => /(all u u0)[i ui]; apply/existsP; exists i.
by rewrite pmeq_sym.
Qed.

Lemma pairs_listed : exists n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)), lists_pairs P W.
Proof.
pose r j := row j (up f).
pose C := [set j | [&& r j != 0, Qc f (r j) != 0 &
  [forall j' : 'I_(wid f), (j' < j)%N ==> ~~ pmeq (r j) (r j')]]].
pose W : 'M[R]_(#|C|, d) := \matrix_i r (enum_val i).
pose P : 'M[R]_(m, #|C|) := \matrix_(l, i) Qc f (r (enum_val i)) l 0.
have rW i : row i W = r (enum_val i) by rewrite rowK.
have cP i : col i P = Qc f (row i W) by rewrite rW; apply/matrixP => l k; rewrite (ord1 k) !mxE.
have inC i : [/\ r (enum_val i) != 0, Qc f (r (enum_val i)) != 0 &
    forall j' : 'I_(wid f), (j' < @enum_val _ (mem C) i)%N -> ~~ pmeq (r (enum_val i)) (r j')].
  have := enum_valP i; rewrite inE => /and3P[h1 h2 /forallP h3]; split=> // j' lt.
  by have := h3 j'; rewrite lt.
exists #|C|, P, W; split=> // [|u u0 Pu].
  split=> [i|i i' ne|i]; last by rewrite cP rW; have [] := inC i.
    by rewrite rW; have [] := inC i.
  apply/andP; rewrite -negb_or -/(pmeq _ _) !rW; have [_ _ a] := inC i; have [_ _ b] := inC i'.
  have : enum_val i != enum_val i' by rewrite (inj_eq enum_val_inj).
  by rewrite neq_ltn pmeq_sym => /orP[/b //|/a]; rewrite pmeq_sym.
have [j hj] : exists j, pmeq (r j) u.
  apply/existsP; apply: contraNT Pu; rewrite negb_exists => /forallP h; apply/eqP.
  by rewrite /Qc big1 // => j ju; have := h j; rewrite ju.
case: (@arg_minnP _ j (fun j => pmeq (r j) u) (fun j : 'I_(wid f) => j : nat) hj) => j0 ju least.
have n0 : r j0 != 0 by case/orP: ju => /eqP ->; rewrite ?oppr_eq0.
have jC : j0 \in C.
  rewrite inE n0 (Qc_change ju) Pu /=; apply/forallP => j'; apply/implyP => lt; apply/negP => h.
  by have := least j'; rewrite -(pmeq_trans _ ju) pmeq_sym h leqNgt lt => /(_ isT).
by exists (enum_rank_in jC j0); rewrite rW enum_rankK_in // pmeq_sym.
Qed.
End PairsOfRows.

(** X1c for GELU-like activations: any weights. *)
Theorem x1c_smooth (R : realFieldType) (s : R -> R) m d N (D : 'M[R]_(m, N)) (U : 'M[R]_(N, d))
    (M : 'M[R]_(m, d)) n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)) :
  (forall z, s z - s (- z) = z) -> scale_indep (fun z => s z + s (- z)) -> s 0 = 0 ->
  let f := RNet M D U in lists_pairs f P W ->
  forall N', absorbed s D U M N' <-> (n + kstar P W (class_skip f P W) <= N')%N.
Proof.
move=> hs Esi s0 f h N'; have [G _ _] := h; rewrite -(x1_smooth _ hs Esi G).
have e := pairs_equal hs Esi s0 h.
have e' x : mlp s D U x + M *m x = mlp s P W x + class_skip f P W *m x.
  by have := e x; rewrite /evals /= addrC => ->; rewrite addrC.
by split=> -[D' [U' e1]]; exists D', U' => x; rewrite -e1 e'.
Qed.

(** Every network has such a list. *)
Example x1c_instance (R : realFieldType) m d (f : rnet R m d) :
  (exists n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)), lists_lines f P W) /\
  (exists n (P : 'M[R]_(m, n)) (W : 'M[R]_(n, d)), lists_pairs f P W).
Proof. by split; [exact: lines_listed|exact: pairs_listed]. Qed.
