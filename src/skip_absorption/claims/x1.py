"""X1: the least width of a residual-free MLP equal to Mx + W_down σ(W_up x) is N + k*.

k* = min over disjoint F, G of |G| + 2(rank[M + 2c·A_F B_F ; w_G] − rank w_G). F is flipped, G doubled, and a
direction outside span w_G costs two units. Deciding k* = 0 is as hard as Subset Sum, which is built in here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from skip_absorption.absorption.condition import Absorption
from skip_absorption.absorption.width import MinimalWidth
from skip_absorption.claims.agreement import agree_at_points
from skip_absorption.claims.patient import absorb, decide, minimal_width
from skip_absorption.claims.refusals import refused
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.claims.widths import EVERY_PAIR, build, is_distinct, least_extra, mlp_of, skip_of
from skip_absorption.exact.rational import ExactArray, identity, rank, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import (
    gaussian,
    generator,
    generic_integers,
    integers,
    planted_width,
)
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions, hypotheses

CLAIM = "x1"
EVIDENCE = "exact"
HYPOTHESES = (
    "(G): d ≥ 2, N ≥ d, rows of W_up nonzero and pairwise non-collinear, columns of W_down nonzero",
    "ReLU, leaky ReLU, GELU (erf and tanh forms) or SiLU; any skip M, square or not",
)
METHOD = (
    "Planted k* = 0 … d; Gaussian dyadics; rows of rank below d; random M of every rank; small integers, "
    "where coincidences are common; Subset Sum. The least width found by the library is the predicted one, "
    "and for N ≤ 6 the minimum over all 3^N pairs F, G, taken rank by rank. Twins of that width, by the "
    "library and from the proof, equal r as functions; one unit less is refused; the bounds of k* hold."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
WEIGHTS = ("planted", "gaussian", "plane", "skip", "integers", "subset sum")
BOUND = 1000  # of large integers
NUMBERS = 4  # of a Subset Sum instance


@dataclass
class _Seen:
    extras: set[int] = field(default_factory=set)
    exhausted: int = 0


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, seen = Tally(), _Seen()
    kinds = len(ACTIVATIONS) * len(WEIGHTS)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        weights = WEIGHTS[case.number // len(ACTIVATIONS) % len(WEIGHTS)]
        if weights == "subset sum":
            verdict = subset_sum_is_decided(rng=case.rng)
        else:
            block, expected = _draw(case, act, weights)
            verdict = least_width_is(block, expected, seen, rng=case.rng)
        tally.add(verdict, f"case {case.number}, {act.name}, {weights}, (d, N) = {(case.d, case.n)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} least widths are N + k*, k* = "
            f"{', '.join(map(str, sorted(seen.extras)))}; {seen.exhausted} by all F, G{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _draw(case: Case, act: Activation, weights: str) -> tuple[Residual, int | None]:
    """Draw weights that satisfy (G), and k* where it is known for almost every draw."""
    d, n, rng = case.d, case.n, case.rng
    assert act.odd is not None
    skip: ExactArray | None = None
    if weights == "planted":
        expected = int(rng.integers(d + 1))
        w_up, w_down = planted_width(d, n, expected, rng=rng, bound=BOUND)
        return Residual(Mlp(w_up, to_fractions(w_down) / act.odd, act)), expected
    if weights == "gaussian":
        return Residual(Mlp(gaussian((n, d), rng=rng), gaussian((d, n), rng=rng), act)), d
    if weights == "integers":
        w_up, w_down = generic_integers(d, n, rng=rng, bound=1 if n <= d + 1 else n)
        skip = integers((d, d), rng=rng, bound=1)
        return Residual(Mlp(w_up, to_fractions(w_down) / act.odd, act), skip), None
    while True:  # rows of a given rank, collinear with probability 0
        of_rows = int(rng.integers(2, d + 1)) if weights == "plane" else d
        w_up = integers((n, of_rows), rng=rng, bound=BOUND) @ integers((of_rows, d), rng=rng, bound=BOUND)
        m = d if weights == "plane" else int(rng.integers(1, d + 2))
        w_down = integers((m, n), rng=rng, bound=BOUND)
        of_skip = int(rng.integers(min(m, d) + 1))
        if weights == "skip":
            skip = integers((m, of_skip), rng=rng, bound=BOUND) @ integers((of_skip, d), rng=rng, bound=BOUND)
        block = Residual(Mlp(w_up, w_down, act), skip)
        if rank(w_up) == of_rows and is_distinct(mlp_of(block)):
            return block, min(2 * rank(skip_of(block)), 2 * d - of_rows)


def least_width_is(
    block: Residual, expected: int | None, seen: _Seen, *, rng: np.random.Generator
) -> Verdict:
    """Decide that the least width is N + k*, by every route there is; ``expected`` is k* where known."""
    mlp = mlp_of(block)
    if not hypotheses(mlp.w_up, mlp.w_down, mlp.activation).generic:
        return Verdict.REFUTED
    found = minimal_width(mlp.w_up, mlp.w_down, activation=mlp.activation, skip=skip_of(block), rng=rng)
    if found.extra is None:
        return Verdict.UNKNOWN
    extra = found.extra
    if expected not in (None, extra) or not twins_exist(block, extra, found, rng=rng):
        return Verdict.REFUTED
    if mlp.width <= EVERY_PAIR:
        least = least_extra(block)
        twin = build(block, least.flipped, least.doubled)
        same = least.extra == extra == twin.width - mlp.width and least.lower <= extra <= least.upper
        if not same or not equal_functions(block, twin):
            return Verdict.REFUTED
        seen.exhausted += 1
    seen.extras.add(extra)
    return Verdict.PROVED


def twins_exist(block: Residual, extra: int, found: MinimalWidth, *, rng: np.random.Generator) -> bool:
    """Whether MLPs of width N + k*, the library's and one from its F and G, equal r, and none is smaller."""
    mlp = mlp_of(block)
    width = mlp.width + extra
    twins = [absorb(mlp, skip=block.skip, width=width, rng=rng), build(block, found.flipped, found.doubled)]
    for twin in twins:
        if (
            twin.width != width
            or not equal_functions(block, twin)
            or not agree_at_points(block, twin, rng=rng)
        ):
            return False
    return refused(mlp_of(block), width - 1, skip=block.skip)


def subset_sum(numbers: list[int], target: int) -> Mlp:
    """Return a ReLU block, d = 2, whose skip is absorbed at its own width iff some numbers sum to the target.

    Of (n_i + m_i, 4ⁱ) and (m_i, 4ⁱ) exactly one is taken for each i, or the digits of the second entry do not
    come out; so the first entries choose a subset. A linear map takes the target to e₁ and keeps e₂.
    """
    pairs: list[tuple[int, int]] = []
    shifts = []
    for i, n in enumerate(numbers):
        m = next(
            m for m in range(1, 10**6) if all(Fraction(x, 4**i) not in _slopes(pairs) for x in (m, n + m))
        )
        shifts.append(m)
        pairs += [(n + m, 4**i), (m, 4**i)]
    total, digits = target + sum(shifts), sum(4**i for i in range(len(numbers)))
    rows = [[Fraction(x, total), y - Fraction(digits * x, total)] for x, y in pairs]
    up = np.array([*rows, [Fraction(0), Fraction(1)]], dtype=object)
    down = np.array([[-1] * len(rows) + [0], [0] * len(rows) + [-1]])
    return Mlp(up, down, "relu")


def _slopes(pairs: list[tuple[int, int]]) -> set[Fraction]:
    return {Fraction(x, y) for x, y in pairs}


def subset_sum_is_decided(*, rng: np.random.Generator) -> Verdict:
    """Decide that the block of a random Subset Sum instance is absorbed iff the instance is solvable."""
    numbers = [int(n) for n in rng.integers(1, 12, size=NUMBERS)]
    target = int(rng.integers(1, sum(numbers) + 1))
    sums = {0}
    for n in numbers:
        sums |= {s + n for s in sums}
    mlp = subset_sum(numbers, target)
    if not hypotheses(mlp.w_up, mlp.w_down, "relu").generic:
        return Verdict.REFUTED
    decision = decide(mlp.w_up, mlp.w_down, rng=rng)
    if decision.verdict is Absorption.UNKNOWN:
        return Verdict.UNKNOWN
    return Verdict.of((decision.verdict is Absorption.ABSORBABLE) == (target in sums))


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    rows = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0]])
    plane = Residual(Mlp(rows, identity(3), "relu"))
    flat = Residual(Mlp(rows, np.diag([-1, -1, 1]), "relu"))
    half = Residual(Mlp(identity(3), np.diag([-1, 1, 1]), "gelu"))
    opposed = Residual(Mlp([[1, 0], [-1, 0]], [[-1, 1], [0, 0]], "relu"))
    doubled = Residual(Mlp([[1, 0], [2, 0], [0, 1]], [[1, 1, 0], [0, 0, 1]], "relu"))
    random = Residual(Mlp(gaussian((5, 3), rng=rng), gaussian((3, 5), rng=rng), "silu"))
    true = [(plane, 4), (flat, 2), (half, 2), (random, 3)]
    sound = all(_agree(block, extra) for block, extra in true)
    return (
        Control("no flips: F = ∅", sound and least_extra(half, flips=False).extra != 2),
        Control("no doubled units: G = ∅", sound and least_extra(random, doublings=False).extra != 3),
        Control("one unit for a new direction", sound and least_extra(plane, pair=1).extra != 4),
        Control("−M in place of M", sound and least_extra(Residual(half.block, -identity(3))).extra != 2),
        Control(
            "k* ≤ d where rank W_up < d: width 6 for 7", sound and refused(mlp_of(plane), 6, skip=plane.skip)
        ),
        Control("k* > d wherever rank W_up < d", sound and not refused(mlp_of(flat), 5, skip=flat.skip)),
        Control(
            "width N + k* − 1",
            sound
            and refused(mlp_of(random), 7, skip=random.skip)
            and refused(mlp_of(half), 4, skip=half.skip),
        ),
        Control("opposed rows", _overcounts(opposed)),
        Control("rows of the same direction", _overcounts(doubled)),
    )


def _agree(block: Residual, extra: int) -> bool:
    return least_extra(block).extra == extra == _minimal(block) - mlp_of(block).width


def _minimal(block: Residual) -> int:
    mlp = mlp_of(block)
    found = minimal_width(mlp.w_up, mlp.w_down, activation=mlp.activation, skip=skip_of(block))
    return -1 if found.width is None else found.width


def _overcounts(block: Residual) -> bool:
    """Whether, without (G), an MLP narrower than N + k* equals r."""
    width = _minimal(block)
    twin = absorb(mlp_of(block), width=width)
    return width < mlp_of(block).width + least_extra(block).extra and equal_functions(block, twin)
