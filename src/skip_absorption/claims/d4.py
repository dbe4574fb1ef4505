"""D4: LayerNorm fixes the basis of the stream: for generic gain and bias, LN(Mx) = M LN(x) forces M = I.

Write Γ = diag(gain) and P for the projection off (1, …, 1). At the origin LN(tx) = bias + tΓPx/√ε + O(t³), so
that LN(Mx) = M LN(x) implies M·bias = bias and ΓPM = MΓP, linear equations in M. If the vectors (ΓP)^k·bias
span R^d, the second makes M a linear map that fixes each of them: M = I.

RMSNorm has no bias and no P: ΓM = MΓ remains, and by the terms of order t³, |Mx| = |x| where M ≠ 0. So
exactly the orthogonal M that mix only coordinates of equal gain commute with it, and M = 0: for distinct
gains, diag(±1).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.claims.derivatives import quotient_is
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, any_of, each_case
from skip_absorption.exact.balls import decide_nonzero
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    from_fmpq_mat,
    identity,
    is_zero,
    rank,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, rationals
from skip_absorption.networks.normalisation import Norm
from skip_absorption.networks.transformer import Linear

if TYPE_CHECKING:
    import flint

CLAIM = "d4"
EVIDENCE = "enclosure"
HYPOTHESES = (
    "LayerNorm: gains nonzero, the vectors (ΓP)^k·bias, k < d, independent; so almost every pair",
    "RMSNorm: gains nonzero; ε > 0 in both",
)
METHOD = (
    "Random gains and biases. In balls: the derivative of the norm at 0 is the ΓP/√ε or Γ/√ε used. Over Q: "
    "the linear equations in M have the solution I alone for LayerNorm, and for RMSNorm a space of dimension "
    "Σ m², m the numbers of equal gains. Second route: each of several M ≠ I fails at a point; every "
    "orthogonal M in the RMSNorm space (all 2^d of diag(±1) for distinct gains) is kept to 2⁻²⁰⁰ at random "
    "points, every other one fails."
)
ROOT = Fraction(1, 100)
EPSILON = ROOT**2  # a square, so that derivatives at 0 are rational
TRIES = 5  # points tried to refute a matrix
BITS, CLOSE = 300, 2.0**-200


def projection(d: int) -> ExactArray:
    """Return P = I − 11ᵀ/d."""
    out: ExactArray = to_fractions(identity(d)) - Fraction(1, d)
    return out


def slope(norm: Norm) -> ExactArray:
    """Return ΓP, or Γ for RMSNorm: √ε times the derivative at 0."""
    d = norm.d_in
    read = identity(d) if norm.bias is None else projection(d)
    out: ExactArray = to_fractions(norm.gain)[:, None] * to_fractions(read)
    return out


def freedom(norm: Norm) -> int:
    """Return the dimension of the affine space of M with SM = MS and M·bias = bias, S the slope; I is in it.

    The equations are written out for the d² entries of M, row after row.
    """
    s, eye = slope(norm), to_fractions(identity(norm.d_in))
    equations = [np.kron(s, eye) - np.kron(eye, s.T)]
    if norm.bias is not None:
        equations.append(np.kron(eye, to_fractions(norm.bias)[None, :]))
    return int(eye.size - rank(np.concatenate(equations)))


def is_generic(norm: Norm) -> bool:
    """Whether the gains are nonzero and the vectors S^k·bias span R^d."""
    assert norm.bias is not None
    vectors = [to_fractions(norm.bias)]
    for _ in range(norm.d_in - 1):
        vectors.append(slope(norm) @ vectors[-1])
    return bool(np.all(norm.gain != 0)) and rank(np.array(vectors)) == norm.d_in


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, alone, signs = Tally(), 0, 0
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=4):
        kind = ("layer", "distinct gains", "layer", "equal gains")[case.number % 4]
        if kind == "layer":
            verdict = layer_norm_fixes_the_basis(case)
            alone += verdict is Verdict.PROVED
        else:
            verdict = rms_norm_leaves_orthogonal_maps(case, repeated=kind == "equal gains")
            signs += verdict is Verdict.PROVED
        tally.add(verdict, f"case {case.number}, {kind}, d = {case.d}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total}: M = I alone for {alone} LayerNorms (dimension 0), orthogonal "
            f"M within equal gains for {signs} RMSNorms (dimension Σ m²){tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def layer_norm_fixes_the_basis(case: Case) -> Verdict:
    """Decide for a generic LayerNorm that M = I alone solves the equations, and other M fail at a point."""
    d, rng = case.d, case.rng
    while True:
        norm = Norm(_gains(d, rng=rng), rationals((d,), rng=rng), EPSILON)
        if is_generic(norm):
            break
    assert norm.bias is not None
    eye = to_fractions(identity(d))
    others = [eye * Fraction(3, 2), -eye, rationals((d, d), rng=rng), eye[rng.permutation(d)]]
    others += [_orthogonal([d], rng=rng), eye + _kernel_projection(norm), _fixing(norm.bias, rng=rng)]
    failing = [fails(norm, m, rng=rng) for m in others if not is_zero(m - eye)]
    return all_of([slope_is_right(norm, rng=rng), Verdict.of(freedom(norm) == 0), *failing])


def rms_norm_leaves_orthogonal_maps(case: Case, *, repeated: bool) -> Verdict:
    """Decide which M commute with an RMSNorm, its gains distinct or the first ones equal."""
    d, rng = case.d, case.rng
    gains = _gains(d, rng=rng)
    equal = int(rng.integers(2, d + 1)) if repeated else 1
    gains[:equal] = gains[0]
    norm = Norm(gains, None, EPSILON)
    sizes = list(Counter(gains.tolist()).values())
    verdicts = [slope_is_right(norm, rng=rng), Verdict.of(freedom(norm) == sum(m * m for m in sizes))]
    if repeated:
        kept = [_orthogonal(sizes, rng=rng) for _ in range(3)]
    else:
        kept = [np.diag([Fraction(s) for s in row]) for row in product((1, -1), repeat=d)]
    for m in kept:
        exact = is_zero(m.T @ m - identity(d)) and is_zero(slope(norm) @ m - m @ slope(norm))
        verdicts += [Verdict.of(exact), keeps(norm, m, rng=rng)]
    stretched = to_fractions(identity(d))
    stretched[0, 0] = Fraction(2)  # commutes with Γ and is not orthogonal
    strange = _orthogonal([d], rng=rng)  # orthogonal and, with two gains or more, mixes them
    verdicts.append(fails(norm, stretched, rng=rng))
    if len(sizes) > 1 and not is_zero(slope(norm) @ strange - strange @ slope(norm)):
        verdicts.append(fails(norm, strange, rng=rng))
    return all_of(verdicts)


def _gains(d: int, *, rng: np.random.Generator) -> ExactArray:
    """Return distinct nonzero rationals."""
    while True:
        gains = rationals((d,), rng=rng)
        if all(gains) and len(set(gains.tolist())) == d:
            return gains


def _orthogonal(sizes: list[int], *, rng: np.random.Generator) -> ExactArray:
    """Return a rational orthogonal matrix with blocks of these sizes, Cayley transforms and reflections."""
    d, start = sum(sizes), 0
    out = np.full((d, d), Fraction(0), dtype=object)
    for size in sizes:
        skew = rationals((size, size), rng=rng)
        skew = skew - skew.T
        eye = to_fractions(identity(size))
        block = exact_matmul(eye - skew, from_fmpq_mat(to_fmpq_mat(eye + skew).inv()))
        block[0] *= Fraction(int(rng.choice([-1, 1])))
        out[start : start + size, start : start + size] = block
        start += size
    return out


def _kernel_projection(norm: Norm) -> ExactArray:
    """Return Π with ΓPΠ = ΠΓP = 0: it projects onto (1, …, 1) along the image of ΓP."""
    inverse = 1 / to_fractions(norm.gain)
    ones = np.full(norm.d_in, Fraction(1), dtype=object)
    out: ExactArray = np.outer(ones, inverse) / (inverse.sum() or 1)
    return out


def _fixing(bias: ExactArray, *, rng: np.random.Generator) -> ExactArray:
    """Return a random M with M·bias = bias."""
    m, b = rationals((len(bias), len(bias)), rng=rng), to_fractions(bias)
    out: ExactArray = m + np.outer(b - m @ b, b) / (b @ b)
    return out


def slope_is_right(norm: Norm, *, rng: np.random.Generator) -> Verdict:
    """Decide in balls that the derivative of a norm at 0 is the slope divided by √ε."""
    return quotient_is(norm, slope(norm) / ROOT, rationals((norm.d_in,), rng=rng))


def _gap(norm: Norm, m: ExactArray, x: ExactArray, entry: int) -> flint.arb:
    turn = Linear(m)
    gap: flint.arb = norm.ball(turn.rational(x))[entry] - turn.ball(norm.ball(x))[entry]
    return gap


def fails(norm: Norm, m: ExactArray, *, rng: np.random.Generator) -> Verdict:
    """Decide that LN(Mx) ≠ M LN(x) at a point; PROVED exhibits it, UNKNOWN says no more."""
    points = [rationals((norm.d_in,), rng=rng) for _ in range(TRIES)]
    gaps = (partial(_gap, norm, m, x, k) for x in points for k in range(norm.d_in))
    found = any_of(decide_nonzero(gap, limit=256) for gap in gaps)
    return found if found is Verdict.PROVED else Verdict.UNKNOWN


def keeps(norm: Norm, m: ExactArray, *, rng: np.random.Generator) -> Verdict:
    """Decide that LN(Mx) and M LN(x) agree to `CLOSE` at a random point."""
    import flint

    x = rationals((norm.d_in,), rng=rng)
    with flint.ctx.workprec(BITS):
        gaps = [_gap(norm, m, x, k) for k in range(norm.d_in)]
        if any(gap != 0 for gap in gaps):
            return Verdict.REFUTED
        return Verdict.PROVED if all(abs(gap) < CLOSE for gap in gaps) else Verdict.UNKNOWN


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    d = 3
    gains, bias = np.array([2, 3, 5]), np.array([1, 2, 4])
    eye = to_fractions(identity(d))
    centred, constant = Norm(gains, 0 * bias, EPSILON), Norm(gains, 0 * bias + 7, EPSILON)
    plain, rms = Norm(0 * gains + 1, bias, EPSILON), Norm(gains, None, EPSILON)
    shear = eye + 5 * _kernel_projection(centred)
    turn = eye[[1, 0, 2]]
    return (
        Control(
            "LayerNorm with bias 0: M = I + 5Π is kept too",
            freedom(centred) == d and keeps(centred, shear, rng=rng) is Verdict.PROVED,
        ),
        Control(
            "LayerNorm with a constant bias: not M = I alone",
            freedom(constant) > 0 and not is_generic(constant),
        ),
        Control(
            "LayerNorm with equal gains: a space of dimension (d − 1)(d − 2)",
            freedom(plain) == (d - 1) * (d - 2) and not is_generic(plain),
        ),
        Control(
            "RMSNorm with distinct gains: exchanging coordinates", fails(rms, turn, rng=rng) is Verdict.PROVED
        ),
        Control("RMSNorm: M = 2I", fails(rms, 2 * eye, rng=rng) is Verdict.PROVED),
    )
