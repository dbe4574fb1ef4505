"""D7: blocks of Propositions 1 and 2 stay apart at unequal widths, the skip-free one far wider or narrower.

Neither proof knows a width: one uses that both MLPs are homogeneous of one degree, the other that both are
o(|x|) at 0. So no number of units helps, and for homogeneous blocks the distance of X3 does not shrink with
it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from skip_absorption.claims.gated import GATES, Pair
from skip_absorption.claims.homogeneous import (
    KINDS,
    RELU_SQUARED,
    Kind,
    carried,
    segment_bound,
    two_point_bound,
    witness,
)
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.rational import ExactArray, identity, is_zero
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, rationals
from skip_absorption.networks.blocks import Block, GatedMlp, Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

CLAIM = "d7"
EVIDENCE = "enclosure"
HYPOTHESES = (
    "both MLPs homogeneous of one degree k > 0, k ≠ 1; or both gated, g(0) = 0, g continuous at 0",
    "M ≠ 0; the widths N of W and N' of V differ",
)
METHOD = (
    "Homogeneous kinds ReLU², ReGLU, ReLU³, √ReLU; SwiGLU, GeGLU (both forms) and bilinear gates; N' = 1, N "
    "− 1, N + d, 2N, 4N. V contains W's units where it has room, and its columns are fitted to r by least "
    "squares. Homogeneous: witness at x or 2x over Q or in balls, and the bounds of X3, free of widths. "
    "Gated: witness at tx; second route, one enclosure over all 0 < t ≤ 2⁻ʲ."
)
POINTS = 10  # random points for each control
_KINDS: tuple[Kind | str, ...] = (*KINDS, *(gate for gate in GATES if gate != "relu"))


Build = Callable[[ExactArray, ExactArray, ExactArray], Block]


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, ratios = Tally(), [1.0]
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(_KINDS)):
        kind = _KINDS[case.number % len(_KINDS)]
        widths = (1, case.n - 1, case.n + case.d, 2 * case.n, 4 * case.n)
        width = int(case.rng.choice(widths))
        ratios.append(width / case.n)
        name = kind if isinstance(kind, str) else kind.name
        verdict = _told_apart(case, kind, width)
        tally.add(verdict, f"case {case.number}, {name}, (d, N, N') = {(case.d, case.n, width)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} pairs differ, N'/N from {min(ratios):.2f} to {max(ratios):.2f}"
            f"{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _told_apart(case: Case, kind: Kind | str, width: int) -> Verdict:
    if isinstance(kind, Kind):
        left, right, x = _draw(case, width, kind.build)
        exact = kind.k.denominator == 1
        bounds = (two_point_bound(left, right, x, kind), segment_bound(left, right, x, kind))
        return all_of([witness(left, right, x, exact=exact), *bounds])
    left, right, x = _draw(case, width, _gated(kind))
    pair = _pair(left, right)
    return all_of([pair.witness(x), pair.interval(x)])


def _gated(gate: str) -> Build:
    return lambda gates, values, down: GatedMlp(gates, values, down, gate)


def _pair(left: Residual, right: Block) -> Pair:
    assert isinstance(left.block, GatedMlp)
    assert isinstance(right, GatedMlp)
    return Pair(identity(left.d_in) if left.skip is None else left.skip, left.block, right)


def _draw(case: Case, width: int, build: Build) -> tuple[Residual, Block, ExactArray]:
    """Draw r, V and x with Mx ≠ 0; V has r's units as far as it has room, and fitted columns."""
    d, n, rng = case.d, case.n, case.rng
    first, second = rationals((n, d), rng=rng), rationals((n, d), rng=rng)
    block = build(first, second, rationals((d, n), rng=rng))
    while True:
        left, x = Residual(block, rationals((d, d), rng=rng)), rationals((d,), rng=rng)
        if not is_zero(carried(left, x)):
            break
    one, two = (
        np.concatenate([known, rationals((width - n, d), rng=rng)]) if width > n else known[:width]
        for known in (first, second)
    )
    points = gaussian((8 * width, d), rng=rng)
    features = build(one, two, identity(width)).float(points)
    columns = np.linalg.lstsq(features, left.float(points), rcond=None)[0].T
    return left, build(one, two, columns), x


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    d, n = 2, 3
    first, second = rationals((n, d), rng=rng), rationals((n, d), rng=rng)
    down, skip = rationals((d, n), rng=rng), rationals((d, d), rng=rng)
    relu = Mlp(first, down, "relu")
    opposed = Mlp(
        np.concatenate([first, identity(d), -identity(d)]),
        np.concatenate([down, identity(d), -identity(d)], axis=1),
        "relu",
    )
    idle = np.concatenate([first, 0 * first])
    padded = RELU_SQUARED.build(idle, idle, np.concatenate([down, down], axis=1))
    sigmoid = GatedMlp(first, second, down, "sigmoid")
    opened = GatedMlp(
        np.concatenate([first, 0 * skip]),
        np.concatenate([second, skip]),
        np.concatenate([down, 2 * identity(d)], axis=1),
        "sigmoid",
    )

    def told_apart(left: Residual, right: Block) -> bool:
        points = [rationals((d,), rng=rng) for _ in range(POINTS)]
        if isinstance(right, GatedMlp):
            return any(_pair(left, right).interval(x) is Verdict.PROVED for x in points)
        return any(witness(left, right, x, exact=True) is Verdict.PROVED for x in points)

    return (
        Control(
            "k = 1: ReLU of width N + 2d absorbs",
            not told_apart(Residual(relu), opposed) and equal_functions(Residual(relu), opposed),
        ),
        Control(
            "g(0) ≠ 0: rank M more sigmoid units absorb", not told_apart(Residual(sigmoid, skip), opened)
        ),
        Control(
            "M = 0: V is W with idle units",
            not told_apart(Residual(RELU_SQUARED.build(first, second, down), 0 * skip), padded),
        ),
    )
