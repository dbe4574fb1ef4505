"""X7b: each visible unit of a ReLU composition accounts for 2d − 1 dimensions of functions nearby.

So a residual composition with (2d − 1)·#visible > k_H − ΣN'_i is, for almost every θ, equal to no
residual-free one of widths N'_i. Regions, visible units and ranks are exact: at d = 2 and d = 3 all regions
are enumerated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.depth.functional_dimension import functional_dimension, total_dimension
from skip_absorption.depth.relu_regions import ReluNetwork, patterns, regions
from skip_absorption.depth.relu_visible import is_contractive, relu_plain_dimension, visible_bound
from skip_absorption.distributions import distribution
from skip_absorption.exact.rational import identity, is_zero
from skip_absorption.exact.residues import random_prime
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, integers
from skip_absorption.networks.blocks import Composition, Mlp, Residual

CLAIM = "x7b"
EVIDENCE = "exact"
HYPOTHESES = (
    "ReLU, d ≥ 2; bias-free blocks with identity skips, any number L of them and any width N",
    "almost every θ; of H only that its widths N'_i satisfy k_H − ΣN'_i < (2d − 1)·#visible",
)
METHOD = (
    "Gaussian and LeCun uniform weights in multiples of 2^−20, W_down scaled by 1/2 to 8, two and three "
    "blocks, at d = 2 and d = 3. All regions are enumerated in integers, which decides the visible units. "
    "The derivative of the linear maps on all regions by all weights has rank ≥ (2d − 1)·#visible modulo a "
    "prime; a lesser rank is computed again over Q. With every unit visible the rank is LN(2d − 1), which "
    "rescalings do not let it exceed; so it is if ‖W_up‖‖W_down‖ < 1 in all blocks but the last. On one "
    "region a case the linear map gives the network's value."
)
MEASURES = ("gaussian", "lecun")
SCALES = (0.5, 1.0, 2.0, 4.0, 8.0)
CONTRACTION = 0.05  # a scale at which most compositions of few units satisfy the last hypothesis


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random compositions, and its false variants; see `METHOD`."""
    tally, excluded, seen, units = Tally(), 0, 0, 0
    scales = (*SCALES, CONTRACTION)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed):
        turn = case.number // len(dims)
        measure, scale = MEASURES[turn % 2], scales[turn // 2 % len(scales)]
        depth = 2 + turn // (2 * len(scales)) % 2 if case.d == 2 else 2
        network = draw(case, measure, scale, depth)
        verdict, visible = is_bounded(network, rng=case.rng)
        tally.add(
            verdict, f"case {case.number}, {measure} × {scale}, L = {depth}, (d, N) = {(case.d, case.n)}"
        )
        seen, units = seen + visible, units + depth * case.n
        excluded += visible_bound(case.d, visible) > relu_plain_dimension(case.d, [case.n] * depth)
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} ranks reach the bound, {seen} of {units} units visible, "
            f"{excluded} compositions excluded at their own width{tally.note}"
        ),
        expected=f"all {tally.total} ranks",
    )


def draw(case: Case, measure: str, scale: float, depth: int) -> ReluNetwork:
    """Draw a residual composition of the case's width, with its columns scaled."""
    up, down = distribution(measure).draw((depth, case.d, case.n), case.rng)
    return ReluNetwork.rounded(up, scale * down)


def is_bounded(network: ReluNetwork, *, rng: np.random.Generator) -> tuple[Verdict, int]:
    """Decide (2d − 1)·#visible ≤ functional dimension ≤ (2d − 1)LN; return #visible, too."""
    found = regions(network)
    visible, units = int(found.visible.sum()), network.depth * network.width
    bound, d = visible_bound(network.d, visible), network.d
    dimension = total_dimension(network, found, p=random_prime(rng=rng))
    shown = not is_contractive(network) or visible == units
    chosen = found.points[rng.integers(len(found.points))]
    holds = bound <= dimension <= (2 * d - 1) * units and shown and is_linear_map(network, chosen)
    return Verdict.of(holds), visible


def is_linear_map(network: ReluNetwork, x: NDArray[Any]) -> bool:
    """Whether the product of the I + W_down[:, S] W_up[S, :] of the units active at x gives F(x)."""
    active = patterns(network, x[None])[0][0]
    blocks, image = [], x
    for up, down, on in zip(network.up, network.down, active, strict=True):
        blocks.append(Residual(Mlp(up, down, "relu"), network.skip * identity(network.d)))
        image = network.skip * image + down[:, on].astype(object) @ (up[on].astype(object) @ image)
    return is_zero(Composition(blocks).rational(x) - image)


def dimension_of(network: ReluNetwork) -> int:
    """Return the functional dimension over Q, at d = 2 or 3."""
    return functional_dimension(network, regions(network).points)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    up, down = (distribution("gaussian").draw((2, 2, 4), rng)[k] for k in (0, 1))
    tame = ReluNetwork.rounded(up, CONTRACTION * down)
    all_seen = visible_bound(2, 8)
    twins = ReluNetwork(tame.up.copy(), tame.down, tame.skip)
    twins.up[0, 1] = twins.up[0, 0]
    folded = _folded(tame, rng=rng)
    silent = ReluNetwork(tame.up, tame.down.copy(), tame.skip)
    silent.down[0, :, 0] = 0
    line_up, line_down = integers((2, 3, 2), rng=rng, bound=9), integers((2, 2, 3), rng=rng, bound=9)
    line_up[:, :, 1] = line_down[:, 1] = 0
    line = ReluNetwork(line_up, line_down, 1000)  # the second coordinate is carried along
    return (
        Control(
            "one dimension more: (2d − 1)·#visible + 1",
            bool(regions(tame).visible.all()) and dimension_of(tame) == all_seen,
        ),
        Control("every θ: two equal rows in a block", _falls_short(twins)),
        Control("every θ: a zero column", _falls_short(silent)),
        Control("every θ: all rows of all blocks on one line", _falls_short(line)),
        Control(
            "units counted that are not visible",
            not regions(folded).visible[1].any() and dimension_of(folded) < all_seen,
        ),
        Control(
            "L = 1: the counts tie",
            visible_bound(2, 4) == relu_plain_dimension(2, [4]) == 12,
        ),
    )


def _falls_short(network: ReluNetwork) -> bool:
    found = regions(network)
    return functional_dimension(network, found.points) < visible_bound(network.d, int(found.visible.sum()))


def _folded(network: ReluNetwork, *, rng: np.random.Generator) -> ReluNetwork:
    """Return two blocks, the first folding the plane onto a cone on which the second's rows are negative."""
    one = 1 << 20
    up, down = network.up.copy(), np.zeros_like(network.down)
    up[0, 0], up[1, :, 0], up[1, :, 1] = (0, -one), rng.integers(-9, 10, network.width), -one
    down[0, 1], down[0, 1, 0], down[1] = one // 32, 2 * one, network.down[1]
    return ReluNetwork(up, down, network.skip)
