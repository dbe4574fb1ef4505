"""Corollary 3: depth does not help blocks of Propositions 1 and 2, whatever widths and depths.

Let F compose blocks x ↦ M_l x + MLP_l(x) and H compose residual-free ones. Where t → 0, or t → ∞ for degrees
k < 1, F(tx)/t tends to M_L ⋯ M_1 x and H(tx)/t to 0; homogeneous blocks give H(tx) = t^(k^L) H(x) exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from skip_absorption.claims.compositions import FAMILIES, Family, Pair, squared_length
from skip_absorption.claims.gated import SCALES
from skip_absorption.claims.homogeneous import RELU_CUBED, RELU_SQUARED
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.balls import START, decide_nonzero
from skip_absorption.exact.rational import ExactArray, identity, is_zero, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, integers
from skip_absorption.networks.blocks import Block, Composition, GatedMlp, Mlp, Residual

CLAIM = "corollary_3"
EVIDENCE = "enclosure"
HYPOTHESES = (
    "all blocks homogeneous of one degree k > 0, k ≠ 1, or all gated with g(0) = 0, g continuous at 0",
    "linear skips M_1, …, M_L with M_L ⋯ M_1 ≠ 0, such as identities",
    "any widths, any weights, any numbers of blocks",
)
METHOD = (
    "ReLU², ReLU³, √ReLU, ReGLU, bilinear, SwiGLU and GeGLU blocks (erf and tanh forms), 1 to 8 on either "
    "side, widths drawn block by block, M_l the identity or random integers. F(tx)/t and H(tx)/t are "
    "enclosed over a whole interval of t and differ there; at its end they agree with the library's "
    "compositions; at scale 0 they are M_L ⋯ M_1 and 0, column by column. H(2x) = 2^(k^L) H(x) ≠ 0 over Q, "
    "for √ReLU in balls."
)
DEPTH = 8  # the largest number of blocks
CONTROL_BITS = 512  # the precision up to which a false variant is given a chance


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random compositions, and its false variants; see `METHOD`."""
    tally, deepest = Tally(), 0
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(FAMILIES)):
        family, depth = FAMILIES[case.number % len(FAMILIES)], 1 + case.number % DEPTH
        pair, x = _draw(case, family, depth)
        verdict, scale = pair.interval(x)
        verdicts = [verdict, Verdict.of(pair.limits_are_exact() and pair.agrees(x, scale))]
        verdicts.append(pair.differ_at(x, scale))
        if family.degree is not None:
            verdicts.append(pair.scales(x, family.degree ** len(pair.plain)))
        deepest = max(deepest, depth)
        tally.add(
            all_of(verdicts), f"case {case.number}, {family.name}, L = {depth}, (d, N) = {(case.d, case.n)}"
        )
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} pairs of up to {deepest} blocks differ on an interval of t, "
            f"with the limits M_L⋯M_1 x and 0{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _draw(case: Case, family: Family, depth: int) -> tuple[Pair, ExactArray]:
    """Draw F, H and x with M_L ⋯ M_1 x ≠ 0 and, for homogeneous blocks, H(x) ≠ 0."""
    rng, other = case.rng, int(case.rng.integers(1, DEPTH + 1))
    while True:
        x = to_fractions(integers((case.d,), rng=rng))
        pair = Pair(
            family,
            tuple(Residual(_block(case, family), _skip(case)) for _ in range(depth)),
            tuple(_block(case, family) for _ in range(other)),
        )
        if is_zero(pair.product @ x):
            continue
        if family.degree is None or _is_alive(pair.plain, x):
            return pair, x


def _block(case: Case, family: Family) -> Block:
    rng, width = case.rng, int(case.rng.integers(1, 2 * case.n + 1))
    shape = (width, case.d)
    return family.build(
        integers(shape, rng=rng, bound=2),
        integers(shape, rng=rng, bound=2),
        integers(shape[::-1], rng=rng, bound=2),
    )


def _skip(case: Case) -> ExactArray | None:
    return None if case.rng.integers(2) else integers((case.d, case.d), rng=case.rng, bound=2)


def _is_alive(blocks: Sequence[Block], x: ExactArray) -> bool:
    """Whether H(x) ≠ 0, in balls at a low precision; redrawn if that does not show it."""
    return (
        decide_nonzero(lambda: squared_length(Composition(blocks).ball(list(x))), limit=START)
        is Verdict.PROVED
    )


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    eye, zero = identity(2), np.zeros((2, 2), dtype=np.int64)
    squares, gated = FAMILIES[0], FAMILIES[-1]
    points = to_fractions(integers((6, 2), rng=rng, bound=9))

    def told_apart(pair: Pair) -> bool:
        return Verdict.PROVED in [
            verdict
            for x in points
            for verdict in (
                pair.interval(x, limit=CONTROL_BITS)[0],
                *(pair.differ_at(x, scale, limit=CONTROL_BITS) for scale in SCALES[:3]),
            )
        ]

    def equal(pair: Pair) -> bool:
        return is_zero(Composition(pair.residual).rational(points) - Composition(pair.plain).rational(points))

    linear = Family("ReLU", lambda up, _, down: Mlp(up, down, "relu"), Fraction(1))
    kinks = Pair(linear, (Residual(Mlp(eye, -eye, "relu")),) * 3, (Mlp(-eye, -eye, "relu"),) * 3)
    # x − ReLU(x) + ReLU(−x) = 0, and what follows it is 0 at 0 on both sides
    block = GatedMlp(points[:2], points[2:4], points[4:], "relu")
    cancelled = Mlp(np.concatenate([eye, -eye]), np.concatenate([-eye, eye], axis=1), "relu")
    slipped = Pair(gated, (Residual(cancelled), Residual(block)), (Mlp(eye, zero, "relu"), block))
    rows = points[:2]
    opened = Pair(
        gated,
        (Residual(GatedMlp(rows, eye, -eye, "sigmoid")),) * 2,
        (GatedMlp(-rows, eye, eye, "sigmoid"),) * 2,
    )
    nothing = RELU_SQUARED.build(eye, eye, zero)
    first, second = np.array([[1, 0], [0, 0]]), np.array([[0, 0], [0, 1]])
    idle = Pair(squares, (Residual(nothing, first), Residual(nothing, second)), (nothing, nothing))
    positive = RELU_CUBED.build(eye, eye, eye)
    cubes = Pair(squares, (Residual(positive),), (positive,) * 3)
    ones = to_fractions(np.array([1, 1]))
    return (
        Control("k = 1: three blocks x − ReLU(x) = −ReLU(−x)", equal(kinks) and not told_apart(kinks)),
        Control("an ungated block slipped in", equal(slipped) and not told_apart(slipped)),
        Control("g(0) ≠ 0: two blocks with sigmoid gates", not told_apart(opened)),
        Control("M_2 M_1 = 0 with M_1, M_2 ≠ 0", equal(idle) and not told_apart(idle)),
        Control(
            "the exponent kL in place of k^L",
            cubes.scales(ones, Fraction(27)) is Verdict.PROVED
            and cubes.scales(ones, Fraction(9)) is Verdict.REFUTED,
        ),
    )
