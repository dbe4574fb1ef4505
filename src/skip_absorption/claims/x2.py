"""X2: continuity of the gate at 0 with g(0) = 0 suffices in Proposition 2, and g(0) = 0 is needed.

MLP(tx)/t = W_down(g(tW_gate x) ⊙ W_val x) → 0 uses no more than g(z) → 0 = g(0). Conversely, if g(0) ≠ 0,
rank M units with zero gate rows carry Mx: W_val and W_down are the factors of a rank factorisation of M/g(0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.claims import compositions
from skip_absorption.claims.agreement import agree_at_points
from skip_absorption.claims.gated import Pair
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.balls import ball
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    from_fmpq_mat,
    identity,
    is_zero,
    rank,
    to_fmpq_mat,
)
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, integers, rationals
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import GatedMlp, Residual

if TYPE_CHECKING:
    import flint

CLAIM = "x2"
EVIDENCE = "enclosure"
HYPOTHESES = ("g(0) = 0 and g continuous at 0, not necessarily differentiable; M ≠ 0; any widths",)
METHOD = (
    "Gates that are continuous at 0 but not differentiable: √|z|, ∛z, |z|, z·sin(1/z), ReLU. W, V, M random "
    "rationals at unequal widths. One enclosure of (r − V)(tx)/t over a whole interval 0 < t ≤ 2⁻ʲ excludes "
    "0, and r and V differ at such tx; compositions of 2 or 3 blocks likewise (Corollary 3). Sharpness: for "
    "gates with g(0) ≠ 0 (sigmoid, cos, 1 + z, a step that is 1 at 0) rank M more units absorb a random M: "
    "g(0)·W_down W_val = M over Q, and the two sides agree at points, over Q or to 200 bits."
)
BOUND = 3  # of numerators; a slow gate closes only where tW_gate x is tiny
POINTS = 6  # points at which absorption is seen
CONTROL_BITS = 512  # the precision up to which a false variant is given a chance


def _gate(
    name: str,
    enclosed: Callable[[flint.arb], flint.arb],
    exact: Callable[[Fraction], Fraction] | None = None,
) -> Activation:
    """Return a gate of this module; its values in floats are not used."""
    return replace(activation("sigmoid"), name=name, _ball=enclosed, _rational=exact)


def _root(z: flint.arb) -> flint.arb:
    """Enclose √|z|, also where the ball touches 0."""
    import flint

    size = abs(z)
    if size > 0 or size.is_zero():
        return size.sqrt()
    return size.abs_upper().sqrt() / 2 * (1 + flint.arb(0, 1))


def _cube_root(z: flint.arb) -> flint.arb:
    import flint

    if z > 0 or z.is_zero():
        return z if z.is_zero() else z.root(3)
    return -(-z).root(3) if z < 0 else z.abs_upper().root(3) * flint.arb(0, 1)


def _wave(z: flint.arb) -> flint.arb:
    """Enclose z·sin(1/z), 0 at 0."""
    import flint

    return z * (1 / z).sin() if z > 0 or z < 0 else z.abs_upper() * flint.arb(0, 1)


def _step(z: flint.arb) -> flint.arb:
    """Enclose the step that is 1 from 0 on."""
    import flint

    if z >= 0 or z < 0:
        return flint.arb(1 if z >= 0 else 0)
    return flint.arb(0.5, 0.5)


CONTINUOUS = (
    _gate("√|z|", _root),
    _gate("∛z", _cube_root),
    _gate("|z|", abs, abs),
    _gate("z·sin(1/z)", _wave),
    activation("relu"),
)
OPEN: tuple[tuple[Activation, Fraction], ...] = (
    (activation("sigmoid"), Fraction(1, 2)),
    (_gate("cos", lambda z: z.cos()), Fraction(1)),
    (_gate("1 + z", lambda z: 1 + z, lambda z: 1 + z), Fraction(1)),
    (_gate("step", _step, lambda z: Fraction(z >= 0)), Fraction(1)),
)
KINDS = len(CONTINUOUS) * len(OPEN)


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement and its converse on random instances, and false variants; see `METHOD`."""
    apart, absorbed = Tally(), Tally()
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=KINDS):
        gate = CONTINUOUS[case.number % len(CONTINUOUS)]
        verdicts = [differ(case, gate), composed_differ(case, gate, depth=2 + case.number % 2)]
        apart.add(all_of(verdicts), f"case {case.number}, gate {gate.name}, (d, N) = {(case.d, case.n)}")
        opened, value = OPEN[case.number % len(OPEN)]
        absorbed.add(
            Verdict.of(absorbs(case, opened, value)),
            f"case {case.number}, gate {opened.name}, (d, N) = {(case.d, case.n)}",
        )
    return Report(
        verdict=all_of([apart.verdict, absorbed.verdict]),
        cases=apart.total,
        controls=_controls(seed),
        found=(
            f"{apart.proved} of {apart.total} pairs differ for 0 < t ≤ 2⁻ʲ{apart.note}; with g(0) ≠ 0, "
            f"{absorbed.proved} of {absorbed.total} skips are absorbed by rank M more units{absorbed.note}"
        ),
        expected=f"all {apart.total} of both",
    )


def _block(case: Case, gate: Activation, width: int) -> GatedMlp:
    rng, d = case.rng, case.d
    gates, values = (rationals((width, d), rng=rng, bound=BOUND) for _ in range(2))
    return GatedMlp(gates, values, rationals((d, width), rng=rng, bound=BOUND), gate)


def _width(case: Case) -> int:
    return int(case.rng.integers(1, 2 * case.n + 1))


def _skip_and_point(case: Case) -> tuple[ExactArray, ExactArray]:
    """Draw M, of any rank but 0, and x with Mx ≠ 0."""
    d, rng = case.d, case.rng
    while True:
        of_skip = int(rng.integers(1, d + 1))
        skip = exact_matmul(integers((d, of_skip), rng=rng), integers((of_skip, d), rng=rng))
        x = rationals((d,), rng=rng)
        if not is_zero(skip @ x):
            return skip, x


def differ(case: Case, gate: Activation) -> Verdict:
    """Decide that a random residual block and a random gated block differ near 0 along a ray."""
    skip, x = _skip_and_point(case)
    pair = Pair(skip, _block(case, gate, case.n), _block(case, gate, _width(case)))
    return all_of([pair.interval(x), pair.witness(x)])


def composed_differ(case: Case, gate: Activation, *, depth: int) -> Verdict:
    """Decide the same for compositions, with skips I."""
    family = compositions.Family(gate.name, partial(_gated, gate), None)
    pair = compositions.Pair(
        family,
        tuple(Residual(_block(case, gate, 2)) for _ in range(depth)),
        tuple(_block(case, gate, 2) for _ in range(depth)),
    )
    x = rationals((case.d,), rng=case.rng)
    while is_zero(x):
        x = rationals((case.d,), rng=case.rng)
    verdict, scale = pair.interval(x)
    return all_of([verdict, pair.differ_at(x, scale)])


def _gated(gate: Activation, w_gate: ExactArray, w_val: ExactArray, w_down: ExactArray) -> GatedMlp:
    return GatedMlp(w_gate, w_val, w_down, gate)


def with_skip(block: GatedMlp, skip: ExactArray, value: Fraction, *, spare: int = 0) -> GatedMlp:
    """Add rank M − ``spare`` units with zero gate rows, which carry Mx, or less, if g(0) is ``value``."""
    basis = from_fmpq_mat(to_fmpq_mat(skip).rref()[0])[: rank(skip)]
    pivots = [int(np.flatnonzero(row)[0]) for row in basis]
    kept = len(basis) - spare
    rows, columns = basis[:kept], skip[:, pivots[:kept]] / value  # M = M[:, pivots] basis
    return GatedMlp(
        np.concatenate([block.w_gate, 0 * rows]),
        np.concatenate([block.w_val, rows]),
        np.concatenate([block.w_down, columns], axis=1),
        block.gate,
    )


def absorbs(case: Case, gate: Activation, value: Fraction) -> bool:
    """Whether rank M more units absorb a random M: as matrices over Q, and at points."""
    import flint

    skip, _ = _skip_and_point(case)
    block = _block(case, gate, case.n)
    wider = with_skip(block, skip, value)
    added = slice(block.width, None)
    carried = value * exact_matmul(wider.w_down[:, added], wider.w_val[added])
    with flint.ctx.workprec(CONTROL_BITS):
        opened = gate.ball(flint.arb(0)) - ball(value)
        exact = opened.contains(0) and abs(opened) < compositions.TIGHT
    same = exact and is_zero(carried - skip) and is_zero(wider.w_gate[added])
    return (
        same
        and wider.width == block.width + rank(skip)
        and agree_at_points(Residual(block, skip), wider, rng=case.rng, count=POINTS)
    )


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    eye = identity(2)
    case = Case(0, 2, 3, rng)
    points = [rationals((2,), rng=rng) for _ in range(POINTS)]

    def told_apart(pair: Pair) -> bool:
        decided = [pair.witness(x, limit=CONTROL_BITS) for x in points]
        decided += [pair.interval(x, limit=CONTROL_BITS) for x in points]
        return Verdict.PROVED in decided

    # value = gate input: the step makes ReLUs, and x − ReLU(x) = −ReLU(−x)
    step = _gate("step, 0 at 0", lambda z: 1 - _step(-z), lambda z: Fraction(z > 0))
    jump = Pair(eye, GatedMlp(eye, eye, -eye, step), GatedMlp(-eye, -eye, -eye, step))
    # 1 at 0 and 0 elsewhere: units with zero gate rows are open everywhere
    spike = _gate("1 at 0 alone", lambda z: z * 0 + int(z.is_zero()), lambda z: Fraction(z == 0))
    block, skip = _block(case, spike, 3), exact_matmul(eye, np.array([[1, 2], [2, 4]]))
    carried = Pair(skip, block, with_skip(block, skip, Fraction(1)))
    affine, full = _block(case, OPEN[2][0], 3), exact_matmul(eye, np.array([[1, 2], [3, 5]]))
    enough, fewer = (Pair(full, affine, with_skip(affine, full, Fraction(1), spare=k)) for k in (0, 1))
    same = _block(case, CONTINUOUS[0], 3)
    return (
        Control("g not continuous at 0: a step, 0 at 0", not told_apart(jump)),
        Control("g(0) ≠ 0 alone: 1 at 0, else 0", not told_apart(carried)),
        Control("g(0) ≠ 0: 1 + z", not told_apart(enough)),
        Control("rank M − 1 more units", told_apart(fewer) and not told_apart(enough)),
        Control("M = 0: V = W", not told_apart(Pair(0 * eye, same, same))),
    )
