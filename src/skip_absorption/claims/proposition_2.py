"""Proposition 2: a gate with g(0) = 0, continuous at 0, absorbs no skip, at any widths (X2).

A gated MLP is o(|x|) at the origin, for MLP(tx)/t = W_down(g(tW_gate x) ⊙ W_val x) → 0, and the skip is
not. So δ(tx)/t → Mx for δ = r − V, and r differs from V at tx for every small t > 0 wherever Mx ≠ 0.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.claims.gated import GATES, Pair
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.rational import ExactArray, exact_matmul, identity, is_zero
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, rationals
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import GatedMlp, Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

if TYPE_CHECKING:
    import flint

CLAIM = "proposition_2"
EVIDENCE = "enclosure"
HYPOTHESES = ("g(0) = 0 and g is continuous at 0", "M ≠ 0", "any widths, any weights")
METHOD = (
    "SwiGLU, GeGLU (erf and tanh forms), ReGLU and bilinear gates at unequal widths; W and M random "
    "rationals, V random or fitted to r by least squares. A rational t with r(tx) ≠ V(tx) is found, over Q "
    "for ReGLU and bilinear gates and in balls otherwise. Second route: one enclosure of (r − V)(tx)/t over "
    "a whole interval 0 < t ≤ 2⁻ʲ excludes 0."
)
CONTROL_BITS = 512  # the precision up to which a false variant is given a chance
POINTS = 10  # random points for each control


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally = Tally()
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=2 * len(GATES)):
        gate = activation(GATES[case.number % len(GATES)])
        pair, x = _draw(case, gate)
        verdict = all_of([pair.witness(x), pair.interval(x)])
        tally.add(verdict, f"case {case.number}, gate {gate.name}, (d, N) = {(case.d, case.n)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{tally.proved} of {tally.total} pairs differ on a whole interval 0 < t ≤ 2⁻ʲ{tally.note}",
        expected=f"all {tally.total}",
    )


def _draw(case: Case, gate: Activation) -> tuple[Pair, ExactArray]:
    """Draw r, V and x with Mx ≠ 0; in every second round V is the least-squares fit to r on its rows."""
    d, n, rng = case.d, case.n, case.rng
    block = _random_block(d, n, gate, rng=rng)
    while True:
        skip, x = rationals((d, d), rng=rng), rationals((d,), rng=rng)
        if rng.integers(2):
            skip[1:] = Fraction(0)  # a skip of rank at most 1
        if not is_zero(exact_matmul(skip, x.reshape(-1, 1))):
            break
    width = int(rng.integers(1, 2 * n + 1))
    other = _random_block(d, width, gate, rng=rng)
    if case.number // len(GATES) % 2:
        points = gaussian((20 * width, d), rng=rng)
        features = GatedMlp(other.w_gate, other.w_val, identity(width), gate).float(points)
        wanted = Residual(block, skip).float(points)
        other = GatedMlp(other.w_gate, other.w_val, np.linalg.lstsq(features, wanted, rcond=None)[0].T, gate)
    return Pair(skip, block, other), x


def _random_block(d: int, n: int, gate: str | Activation, *, rng: np.random.Generator) -> GatedMlp:
    gates, values = rationals((n, d), rng=rng), rationals((n, d), rng=rng)
    return GatedMlp(gates, values, rationals((d, n), rng=rng), gate)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    eye = identity(2)
    gates, skip = rationals((2, 2), rng=rng), rationals((2, 2), rng=rng)

    def told_apart(pair: Pair) -> bool:
        points = [rationals((2,), rng=rng) for _ in range(POINTS)]
        decided = [pair.witness(x, limit=CONTROL_BITS) for x in points]
        decided += [pair.interval(x, limit=CONTROL_BITS) for x in points]
        return Verdict.PROVED in decided

    # s(−z) = 1 − s(z) for the sigmoid s, so x_i − s(w_i·x)x_i = s(−w_i·x)x_i
    flipped = Pair(eye, GatedMlp(gates, eye, -eye, "sigmoid"), GatedMlp(-gates, eye, eye, "sigmoid"))
    # s(0) = 1/2, so gates with zero rows carry any linear map
    block = _random_block(2, 3, "sigmoid", rng=rng)
    wider = GatedMlp(
        np.concatenate([block.w_gate, 0 * eye]),
        np.concatenate([block.w_val, skip]),
        np.concatenate([block.w_down, 2 * eye], axis=1),
        "sigmoid",
    )
    constant = Pair(skip, block, wider)
    step = _heaviside()
    jump = Pair(eye, GatedMlp(eye, eye, -eye, step), GatedMlp(-eye, -eye, -eye, step))
    relu_twins = equal_functions(Residual(Mlp(eye, -eye, "relu")), Mlp(-eye, -eye, "relu"))
    same = _random_block(2, 4, "silu", rng=rng)
    return (
        Control("g(0) ≠ 0: a sigmoid gate absorbs at the same width", not told_apart(flipped)),
        Control("g(0) ≠ 0: rank M more sigmoid units absorb M", not told_apart(constant)),
        Control("g not continuous at 0: a step gate is ReLU", relu_twins and not told_apart(jump)),
        Control("M = 0: V = W", not told_apart(Pair(0 * eye, same, same))),
    )


def _heaviside() -> Activation:
    """Return the unit step, 0 at 0. It is evaluated over Q alone; on a ball around 0 it has two values."""
    import flint

    def enclosed(z: flint.arb) -> flint.arb:
        if z > 0 or z <= 0:
            return flint.arb(1 if z > 0 else 0)
        return flint.arb(0.5, 0.5)

    return replace(
        activation("sigmoid"),
        name="heaviside",
        _float=lambda z: (z > 0).astype(np.float64),
        _derivative=np.zeros_like,
        _ball=enclosed,
        _rational=lambda z: Fraction(int(z > 0)),
    )
