"""X1c: for GELU and SiLU, rows may be collinear and d may be 1, as long as no row is ± another.

The even parts of distinct classes ±w are independent, collinear or not (Lemma 7), so Theorem 4 and X1 hold
word for word. With no hypothesis at all, the canonical form takes the network's place: its n₀ classes ±u with
columns P ≠ 0 and skip M₀ satisfy them, and the least width is n₀ + k*(M₀; P, u).
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.condition import Absorption
from skip_absorption.claims.agreement import agree_at_points
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import absorb, decide, minimal_width
from skip_absorption.claims.refusals import refused
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.claims.widths import EVERY_PAIR, build, is_distinct, least_extra
from skip_absorption.exact.rational import (
    exact_matmul,
    from_fmpq_mat,
    identity,
    is_zero,
    rank,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, integers, rationals
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import canonical_form, equal_functions, hypotheses

CLAIM = "x1c"
EVIDENCE = "exact"
HYPOTHESES = (
    "GELU (erf and tanh forms) or SiLU; d ≥ 1, any N ≥ 1",
    "w_i ≠ 0, w_i ≠ ±w_j, a_i ≠ 0; or none of these, with the canonical form in the network's place",
)
METHOD = (
    "d = 1 and rows on d lines with distinct scales, with and without a planted S: the decision agrees with "
    "all sets S in integers, and r with the sign patterns of V as functions (all 2^N for N ≤ 4); the least "
    "width is N + k* (over all F, G for N ≤ 6), twins of that width equal r, one unit less is refused. Any "
    "rows, zero and repeated ones too: the classes are merged again here, the least width is n₀ + k* of them."
)
ACTIVATIONS = ("gelu", "silu", "gelu_tanh")
WEIGHTS = ("line", "planted on a line", "lines", "planted on lines", "no hypotheses")
LARGEST = 10  # the number of units at most
EVERY_SET = 4  # the width up to which all sign patterns are compared
SOME_SETS = 8  # how many random ones beyond it


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, absorbed, merged = Tally(), 0, 0
    kinds = len(ACTIVATIONS) * len(WEIGHTS)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        weights = WEIGHTS[case.number // len(ACTIVATIONS) % len(WEIGHTS)]
        mlp = _draw(case, act, weights)
        if weights == "no hypotheses":
            verdict = merged_width_is(mlp, rng=case.rng)
            merged += not hypotheses(mlp.w_up, mlp.w_down, act).generic
        else:
            solution = Instance(mlp.w_up, mlp.w_down, act).first_set(-identity(mlp.d_in))
            verdict = agrees(mlp, solution, rng=case.rng)
            absorbed += solution is not None
        tally.add(verdict, f"case {case.number}, {act.name}, {weights}, (d, N) = {(mlp.d_in, mlp.width)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} as predicted, {absorbed} absorbed at width N, {merged} merged "
            f"into fewer classes{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _draw(case: Case, act: Activation, weights: str) -> Mlp:
    """Draw W with w_i ≠ 0, w_i ≠ ±w_j, a_i ≠ 0 on one line or d lines, or anything with many coincidences."""
    rng, d = case.rng, 1 if weights.endswith("line") else case.d
    if weights == "no hypotheses":
        n = min(case.n, EVERY_PAIR)
        rows = integers((n, d), rng=rng, bound=1) * integers((n, 1), rng=rng, bound=2)
        return Mlp(rows, integers((d, n), rng=rng, bound=1), act)
    n = min(case.n, LARGEST)
    while True:
        lines, scales = integers((d, d), rng=rng, bound=3), rationals((n, 1), rng=rng)
        if rank(lines) < d:
            continue
        rows = scales * np.concatenate([lines] * n)[:n]
        columns = to_fractions(integers((d, n), rng=rng, bound=2))
        if weights.startswith("planted") and scales[:d].all():
            # S holds the first d units, whose rows are a basis, and some others
            free = [i for i in range(d, n) if rng.integers(2)]
            rest = -identity(d) - exact_matmul(columns[:, free], rows[free])
            columns[:, :d] = exact_matmul(rest, from_fmpq_mat(to_fmpq_mat(rows[:d]).inv()))
        order = rng.permutation(n)
        mlp = Mlp(rows[order], columns[:, order], act)
        if is_distinct(mlp):
            return mlp


def agrees(mlp: Mlp, solution: tuple[int, ...] | None, *, rng: np.random.Generator) -> Verdict:
    """Decide Theorem 4 and X1 for one instance, given what exhaustion of (3) found."""
    act, n = mlp.activation, mlp.width
    instance = Instance(mlp.w_up, mlp.w_down, act)
    stated = hypotheses(mlp.w_up, mlp.w_down, act).generic
    if not stated or len(canonical_form(instance.residual).classes) != n:  # drawn so
        return Verdict.REFUTED
    for units in _sets(n, rng=rng) if solution is None else [*_sets(n, rng=rng), solution]:
        holds = is_zero(instance.sum_over(units) + identity(mlp.d_in))
        if equal_functions(instance.residual, instance.flipped(units)) != holds or (
            holds and solution is None
        ):
            return Verdict.REFUTED
    decision = decide(mlp.w_up, mlp.w_down, activation=act, rng=rng)
    found = minimal_width(mlp.w_up, mlp.w_down, activation=act, rng=rng)
    if decision.verdict is Absorption.UNKNOWN or found.width is None:
        return Verdict.UNKNOWN
    if {decision.verdict is Absorption.ABSORBABLE, found.width == n} != {solution is not None}:
        return Verdict.REFUTED
    if n <= EVERY_PAIR and least_extra(instance.residual).extra != found.width - n:
        return Verdict.REFUTED
    twins = [absorb(mlp, width=found.width, rng=rng), build(instance.residual, found.flipped, found.doubled)]
    same = all(
        t.width == found.width
        and equal_functions(instance.residual, t)
        and agree_at_points(instance.residual, t, rng=rng)
        for t in twins
    )
    return Verdict.of(same and refused(mlp, found.width - 1))


def _sets(n: int, *, rng: np.random.Generator) -> list[tuple[int, ...]]:
    if n <= EVERY_SET:
        rows = list(product((False, True), repeat=n))
    else:
        rows = [tuple(row) for row in rng.integers(2, size=(SOME_SETS, n)).astype(bool).tolist()]
    return [tuple(i for i, inside in enumerate(row) if inside) for row in rows]


def merged(mlp: Mlp) -> tuple[NDArray[np.object_], NDArray[np.object_], NDArray[np.object_]]:
    """Return u (n₀, d), P (d, n₀) and M₀ of the block x + mlp(x): one unit for each class ±u with P ≠ 0.

    A unit with row −u is a σ(−u·x) = a σ(u·x) − 2c·a(u·x): its column joins the class, a linear map the skip.
    """
    odd = mlp.activation.odd
    assert odd is not None
    skip = to_fractions(identity(mlp.d_in))
    classes: dict[tuple[object, ...], NDArray[np.object_]] = {}
    for row, column in zip(to_fractions(mlp.w_up), to_fractions(mlp.w_down).T, strict=True):
        key, opposite = tuple(row), tuple(-row)
        if opposite in classes:
            key, skip = opposite, skip + odd * np.outer(column, row)
        if any(row):
            classes[key] = classes.get(key, 0 * column) + column
    kept = {key: column for key, column in classes.items() if any(column)}
    rows = np.array(list(kept), dtype=object).reshape(len(kept), mlp.d_in)
    return rows, np.array(list(kept.values()), dtype=object).reshape(len(kept), mlp.d_out).T, skip


def merged_width_is(mlp: Mlp, *, rng: np.random.Generator) -> Verdict:
    """Decide that the least width is n₀ + k* of the merged network, and is attained."""
    rows, columns, skip = merged(mlp)
    least = 2 * rank(skip)
    if len(rows):
        small = Residual(Mlp(rows, columns, mlp.activation), skip)
        if not equal_functions(small, Residual(mlp)):
            return Verdict.REFUTED
        least = len(rows) + least_extra(small).extra
    found = minimal_width(mlp.w_up, mlp.w_down, activation=mlp.activation, rng=rng)
    if found.width is None:
        return Verdict.UNKNOWN
    twin = absorb(mlp, rng=rng)
    attained = twin.width == max(1, least) and equal_functions(Residual(mlp), twin)
    return Verdict.of(found.width == least and attained and refused(mlp, least - 1))


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)

    def rejected(w_up: object, w_down: object, name: str = "gelu") -> bool:
        """Whether the check refuses the weights, for which an MLP narrower than N + k* equals r."""
        mlp = Mlp(w_up, w_down, name)
        twin = absorb(mlp)
        solution = Instance(mlp.w_up, mlp.w_down, mlp.activation).first_set(-identity(mlp.d_in))
        return (
            agrees(mlp, solution, rng=rng) is Verdict.REFUTED
            and twin.width < mlp.width + least_extra(Residual(mlp)).extra
            and equal_functions(Residual(mlp), twin)
        )

    return (
        Control("w_i = w_j", rejected([[1, 0], [1, 0], [0, 1]], [[1, 1, 0], [0, 0, -1]])),
        Control("w_i = −w_j", rejected([[1, 0], [-1, 0]], [[-1, 1], [0, 0]])),
        Control("a zero row", rejected([[1, 0], [0, 1], [0, 0]], [[2, 0, 1], [0, -1, 0]])),
        Control("a zero column", rejected([[1, 0], [0, 1], [1, 1]], [[2, 0, 0], [0, -1, 0]])),
        Control("ReLU on one line: d = 1, rows 1 and 2", rejected([[1], [2]], [[1, 1]], "relu")),
        Control(
            "ReLU with collinear rows, d = 2",
            rejected([[1, 0], [2, 0], [0, 1]], [[1, 1, 0], [0, 0, -1]], "relu"),
        ),
    )
