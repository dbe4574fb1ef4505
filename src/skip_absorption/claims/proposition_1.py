"""Proposition 1: homogeneous blocks of degree k ≠ 1 absorb no skip, and miss it by a computable amount.

With δ = r − V, homogeneity gives 2^k δ(x) − δ(2x) = (2^k − 2)Mx: where Mx ≠ 0 the two functions differ at
x or at 2x, and exact values there are the proof.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.claims.homogeneous import (
    KINDS,
    RELU_CUBED,
    RELU_SQUARED,
    Kind,
    carried,
    constants_are_consistent,
    segment_bound,
    squared,
    squared_gap,
    two_point_bound,
    witness,
)
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.balls import ball
from skip_absorption.exact.rational import ExactArray, identity, is_zero
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, rationals
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Block, Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

if TYPE_CHECKING:
    pass

CLAIM = "proposition_1"
EVIDENCE = "enclosure"
HYPOTHESES = ("σ(λz) = λ^k σ(z) for all λ > 0, with k > 0 and k ≠ 1", "M ≠ 0", "any widths, any weights")
METHOD = (
    "ReLU² and ReGLU (k = 2), ReLU³ (k = 3) and √ReLU (k = 1/2) at unequal widths; W and M random rationals, "
    "V random or fitted to r by least squares. r and V are evaluated at x and 2x, over Q where values are "
    "rational and in balls for √ReLU. Second route, in balls: the two bounds of X3 on the distance."
)
RAISED = Fraction(9, 25)  # a false value of c_3 = 1/3
PIECES = 128  # subintervals of [0, 1] that refute it
POINTS = 20  # random points for the other controls


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally = Tally()
    consistent = Verdict.of(all(constants_are_consistent(kind) for kind in KINDS))
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=2 * len(KINDS)):
        kind = KINDS[case.number % len(KINDS)]
        left, right, x = _draw(case, kind)
        verdicts = [
            consistent,
            witness(left, right, x, exact=kind.k.denominator == 1),
            two_point_bound(left, right, x, kind),
            segment_bound(left, right, x, kind),
        ]
        tally.add(all_of(verdicts), f"case {case.number}, {kind.name}, (d, N) = {(case.d, case.n)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{tally.proved} of {tally.total} pairs differ at x or 2x, and by the bounds of X3{tally.note}",
        expected=f"all {tally.total}",
    )


def _draw(case: Case, kind: Kind) -> tuple[Residual, Block, ExactArray]:
    """Draw r, V and x with Mx ≠ 0; in every second round V is the least-squares fit to r on its rows."""
    d, rng = case.d, case.rng
    width = int(rng.integers(1, 2 * case.n + 1))
    first, second = rationals((case.n, d), rng=rng), rationals((case.n, d), rng=rng)
    block = kind.build(first, second, rationals((d, case.n), rng=rng))
    while True:
        skip, x = rationals((d, d), rng=rng), rationals((d,), rng=rng)
        if rng.integers(2):
            skip[1:] = Fraction(0)  # a skip of rank at most 1
        left = Residual(block, skip)
        if not is_zero(carried(left, x)):
            break
    first, second = rationals((width, d), rng=rng), rationals((width, d), rng=rng)
    down = rationals((d, width), rng=rng)
    if case.number // len(KINDS) % 2:
        points = gaussian((20 * width, d), rng=rng)
        features = kind.build(first, second, identity(width)).float(points)
        down = np.linalg.lstsq(features, left.float(points), rcond=None)[0].T
    return left, kind.build(first, second, down), x


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    eye = identity(2)
    linear, flipped = Residual(Mlp(eye, -eye, "relu")), Mlp(-eye, -eye, "relu")
    block = RELU_SQUARED.build(
        rationals((4, 2), rng=rng), rationals((4, 2), rng=rng), rationals((2, 4), rng=rng)
    )

    def no_witness(left: Block, right: Block) -> bool:
        points = [rationals((2,), rng=rng) for _ in range(POINTS)]
        return all(witness(left, right, x, exact=True) is Verdict.REFUTED for x in points)

    return (
        Control(
            "k = 1: x − ReLU(x) = −ReLU(−x)",
            activation("relu").degree == 1
            and no_witness(linear, flipped)
            and equal_functions(linear, flipped),
        ),
        Control("M = 0: V = W", no_witness(Residual(block, 0 * eye), block)),
        Control("c_3 = 9/25 in place of 1/3", _stays_below(RAISED)),
    )


def _stays_below(constant: Fraction) -> bool:
    """Whether one extremal ReLU³ unit keeps |δ(tx)| below constant·|Mx| on all of [0, 1], in balls."""
    import flint

    x = np.array([Fraction(1), Fraction(2)], dtype=object)
    nothing, unit = 0 * identity(2), np.array([x / squared(x)])
    left = Residual(RELU_CUBED.build(nothing, nothing, nothing))
    right = RELU_CUBED.build(unit, unit, Fraction(4, 3) * x.reshape(2, 1))
    limit = constant**2 * squared(x)
    pieces = [ball(Fraction(2 * i + 1, 2 * PIECES)) + flint.arb(0, 0.5 / PIECES) for i in range(PIECES)]
    return all(squared_gap(left, right, x, piece) < ball(limit) for piece in pieces)
