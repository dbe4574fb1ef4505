"""D8: an ungated residual block may be within any tolerance of a skip-free one, and yet equal none.

Take W0 with a planted set S for (3) and its twin V, and move one column of W_down by δ: r_W − V = δ σ(w_i·x),
and as |σ(z)| ≤ |z| this is at most |δ||w_i|R on the ball of radius R. Where W satisfies (3) for no set, no V'
of its width equals r_W. X3 forbids this for homogeneous blocks of degree k ≠ 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.absorption.condition import Absorption
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.homogeneous import RELU_SQUARED, segment_bound, squared
from skip_absorption.claims.patient import decide
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.balls import ball, decide_positive
from skip_absorption.exact.rational import identity, is_zero, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, planted, rationals
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

if TYPE_CHECKING:
    import flint

CLAIM = "d8"
EVIDENCE = "enclosure"
HYPOTHESES = (
    "ReLU, GELU (erf and tanh forms) or SiLU, for which |σ(z)| ≤ |z|",
    "the ball |x| ≤ R with R = 1000",
)
METHOD = (
    "Planted weights, one column moved so little that the distance on the ball is below ε = 10⁻³, 10⁻¹⁰, "
    "10⁻¹⁰⁰, 10⁻¹⁰⁰⁰ (exact bound). The functions differ by canonical forms and at a rational point, over Q "
    "or in balls; the moved weights are decided not absorbable, also by trying all sets in integers."
)
ACTIVATIONS = ("relu", "gelu", "silu", "gelu_tanh")
RADIUS = 1000
TOLERANCES = tuple(Fraction(1, 10**digits) for digits in (3, 10, 100, 1000))
TRIES = 20  # points tried to tell two functions apart


@dataclass(frozen=True)
class Close:
    """A residual block, a block without a skip, and the one term δ σ(w·x) by which they differ."""

    instance: Instance
    twin: Mlp
    unit: int
    delta: np.ndarray

    @property
    def residual(self) -> Residual:
        """The block r_W."""
        return self.instance.residual

    def within(self, tolerance: Fraction) -> bool:
        """Whether |δ||w_i|R < ε, an upper bound on |r_W − V| over the ball; squared, so exact."""
        row = to_fractions(self.instance.w_up)[self.unit]
        return bool(squared(self.delta) * squared(row) * RADIUS**2 < tolerance**2)

    def differs_by_one_term(self, *, rng: np.random.Generator) -> bool:
        """Whether r_W(x) − V(x) = δ σ(w·x) at a random x: over Q, or in balls that overlap."""
        import flint

        x, sigma = rationals((self.twin.d_in,), rng=rng), self.twin.activation
        z = (to_fractions(self.instance.w_up) @ x)[self.unit]
        if sigma.is_rational:
            values = self.residual.rational(x) - self.twin.rational(x)
            return is_zero(values - self.delta * sigma.rational(z))
        with flint.ctx.workprec(256):
            values = self.residual.ball(x) - self.twin.ball(x)
            terms = [ball(value) * sigma.ball(ball(z)) for value in self.delta]
            return all(value.overlaps(term) for value, term in zip(values, terms, strict=True))

    def further_than(self, distance: Fraction, *, rng: np.random.Generator) -> Verdict:
        """Decide |r_W(x) − V(x)| > distance at some x of the ball; UNKNOWN if none was found."""

        def margin(x: np.ndarray) -> flint.arb:
            gap: flint.arb = squared(self.residual.ball(x) - self.twin.ball(x)) - ball(distance**2)
            return gap

        for _ in range(TRIES):
            x = rationals((self.twin.d_in,), rng=rng, bound=RADIUS // 4)
            if squared(x) > RADIUS**2:
                continue
            if self.twin.activation.is_rational:
                found = squared(self.residual.rational(x) - self.twin.rational(x)) > distance**2
                verdict = Verdict.of(bool(found))
            else:
                verdict = decide_positive(partial(margin, x), limit=1 << 14)
            if verdict is Verdict.PROVED:
                return verdict
        return Verdict.UNKNOWN


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally = Tally()
    kinds = len(ACTIVATIONS) * len(TOLERANCES)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        tolerance = TOLERANCES[case.number // len(ACTIVATIONS) % len(TOLERANCES)]
        close = _draw(case, tolerance)
        verdicts = [
            Verdict.of(close.within(tolerance) and close.differs_by_one_term(rng=case.rng)),
            distinct(close, rng=case.rng),
            absorbed_by_none(close.instance, rng=case.rng),
        ]
        digits = len(str(tolerance.denominator)) - 1
        description = (
            f"case {case.number}, {close.twin.activation.name}, ε = 10^−{digits}, (d, N) = {(case.d, case.n)}"
        )
        tally.add(all_of(verdicts), description)
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} pairs closer than ε on the ball and distinct, the skip "
            f"absorbed by no V of width N{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _draw(case: Case, tolerance: Fraction) -> Close:
    """Draw planted weights and their twin, and move one column of the planted set below the tolerance."""
    act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
    plant = planted(case.d, case.n, rng=case.rng)
    unit = int(case.rng.choice(plant.flip_set))
    return _moved(Instance(plant.w_up, plant.w_down, act), plant.flip_set, unit, tolerance, rng=case.rng)


def _moved(
    instance: Instance, units: tuple[int, ...], unit: int, tolerance: Fraction, *, rng: np.random.Generator
) -> Close:
    direction = rationals((instance.w_up.shape[1],), rng=rng) + Fraction(1, 11)
    row = to_fractions(instance.w_up)[unit]
    delta = direction * tolerance / (RADIUS * (1 + squared(direction)) * (1 + squared(row)))
    columns = to_fractions(instance.w_down)
    columns[:, unit] += delta
    moved = Instance(instance.w_up, columns, instance.act)
    return Close(moved, instance.flipped(units), unit, delta)


def distinct(close: Close, *, rng: np.random.Generator) -> Verdict:
    """Decide that r_W and V are different functions, by canonical forms and at a point."""
    if equal_functions(close.residual, close.twin):
        return Verdict.REFUTED
    return close.further_than(Fraction(0), rng=rng)


def absorbed_by_none(instance: Instance, *, rng: np.random.Generator) -> Verdict:
    """Decide that no V of width N equals r_W; UNKNOWN if the procedure and trying all sets do not agree."""
    decision = decide(instance.w_up, instance.w_down, activation=instance.act, rng=rng)
    exists = instance.first_set(-identity(instance.w_up.shape[1])) is not None
    if decision.verdict is not (Absorption.ABSORBABLE if exists else Absorption.NOT_ABSORBABLE):
        return Verdict.UNKNOWN
    return Verdict.of(not exists)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    plant = planted(2, 4, rng=rng)
    instance = Instance(plant.w_up, plant.w_down, activation("gelu"))
    unit = plant.flip_set[0]
    unmoved = Close(instance, instance.flipped(plant.flip_set), unit, 0 * identity(2)[0])
    near = _moved(instance, plant.flip_set, unit, TOLERANCES[1], rng=rng)
    reach = near.further_than(TOLERANCES[1] / 10**9, rng=rng)
    return (
        Control(
            "weights not moved: no distinct functions",
            distinct(unmoved, rng=rng) is Verdict.REFUTED
            and absorbed_by_none(instance, rng=rng) is Verdict.REFUTED,
        ),
        Control(
            "a tolerance below the distance reached at a point",
            reach is Verdict.PROVED and near.within(TOLERANCES[1]) and not near.within(TOLERANCES[1] / 10**9),
        ),
        Control(
            "ReLU²: the best fits stay c₂|Mx| apart (X3)",
            all(_stays_apart(width, rng=rng) for width in (4, 8, 16)),
        ),
    )


def _stays_apart(width: int, *, rng: np.random.Generator) -> bool:
    """Whether a ReLU² block fitted to a residual one by least squares obeys the bound of X3."""
    rows, x = rationals((width, 2), rng=rng), rationals((2,), rng=rng) + 10
    left = Residual(RELU_SQUARED.build(rows[:4], rows[:4], rationals((2, 4), rng=rng)))
    points = gaussian((200, 2), rng=rng)
    features = RELU_SQUARED.build(rows, rows, identity(width)).float(points)
    columns = np.linalg.lstsq(features, left.float(points), rcond=None)[0].T
    return segment_bound(left, RELU_SQUARED.build(rows, rows, columns), x, RELU_SQUARED) is Verdict.PROVED
