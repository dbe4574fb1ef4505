"""Corollary 5: for almost every W no MLP of the same width equals x + W_down σ(W_up x).

The weights that satisfy (3) for one set S are the zeros of d² polynomials that do not all vanish at
W_down = 0, a null set; there are 2^N sets. Random weights show the outcome. So does a line that meets the
exceptional weights: along W_down ↦ tW_down, each S allows at most one t, −1/λ where 2c·A_S B_S = λI.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import Absorption
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import decide
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.exact.rational import ExactArray, identity, is_zero, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, generic_integers, planted
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.canonical import canonical_form, equal_functions, hypotheses

CLAIM = "corollary_5"
EVIDENCE = "exact"
HYPOTHESES = (
    "d ≥ 2, N ≥ d; ReLU, leaky ReLU, GELU (erf and tanh forms) or SiLU",
    "almost every W: (G), and W_down[:, S] W_up[S, :] = −I/2c for no set S",
)
METHOD = (
    "Gaussian dyadics and large random integers: the decision is no, with a certificate that a second "
    "program checks, and for N ≤ 16 all 2^N sets S fail in integers. Lines tW_down through planted "
    "solutions, N ≤ 8: the finitely many t that absorb are found from all S; the decision is yes at each of "
    "them, with a twin equal as a function, and no at random and neighbouring t."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
WEIGHTS = ("gaussian", "integers", "line")
BOUND = 1000  # of the large integers
EVERY_SET = 16  # the width up to which all sets are tried beside the certificate
ON_A_LINE = 8  # the width up to which all t of a line are found
NEARBY = Fraction(1, 2**40)


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random weights and lines, and its false variants; see `METHOD`."""
    tally, lines, meetings = Tally(), 0, 0
    kinds = len(ACTIVATIONS) * len(WEIGHTS)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        weights = WEIGHTS[case.number // len(ACTIVATIONS) % len(WEIGHTS)]
        description = f"case {case.number}, {act.name}, {weights}, (d, N) = {(case.d, case.n)}"
        if weights == "line":
            line = Line.through_a_solution(case, act)
            lines, meetings = lines + 1, meetings + len(line.exceptions)
            tally.add(line.absorbs_there_alone(rng=case.rng), description)
        else:
            tally.add(disjoint(_draw(case, act, weights), rng=case.rng), description)
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} as predicted: no random W absorbs, {lines} lines do at "
            f"{meetings} points{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _draw(case: Case, act: Activation, weights: str) -> Instance:
    d, n, rng = case.d, case.n, case.rng
    if weights == "gaussian":
        return Instance(gaussian((n, d), rng=rng), gaussian((d, n), rng=rng), act)
    return Instance(*generic_integers(d, n, rng=rng, bound=BOUND), act)


def disjoint(instance: Instance, *, rng: np.random.Generator) -> Verdict:
    """Decide that (G) holds and no V exists: by a certified decision, and by all sets where they are few."""
    w_up, w_down, act = instance.w_up, instance.w_down, instance.act
    if len(canonical_form(instance.residual).classes) != len(w_up):  # each unit a class: (G) holds
        return Verdict.REFUTED
    decision = decide(w_up, w_down, activation=act, rng=rng)
    if decision.verdict is Absorption.UNKNOWN:
        return Verdict.UNKNOWN
    certified = (
        decision.certificate is not None and check_certificate(decision.certificate, w_up, w_down).valid
    )
    exhausted = len(w_up) <= EVERY_SET and instance.first_set(-identity(len(w_down))) is None
    if decision.verdict is Absorption.ABSORBABLE or (not exhausted and len(w_up) <= EVERY_SET):
        return Verdict.REFUTED
    return Verdict.PROVED if certified or exhausted else Verdict.UNKNOWN


@dataclass(frozen=True)
class Line:
    """The weights (W_up, tW_down), and the t ≠ 0 at which some set S satisfies (3), with such a set."""

    base: Instance
    exceptions: dict[Fraction, tuple[int, ...]]

    @classmethod
    def through_a_solution(cls, case: Case, act: Activation) -> Line:
        """Draw a line through a planted solution, at t = 1."""
        n = min(case.n, ON_A_LINE)
        plant = planted(case.d, n, rng=case.rng)
        odd = Instance(plant.w_up, plant.w_down, act).odd
        base = Instance(plant.w_up, to_fractions(plant.w_down) / odd, act)
        found = {}
        for units in subsets(n):
            total = base.sum_over(units)
            factor = total[0, 0]
            if factor and is_zero(total - factor * identity(case.d)):
                found[-1 / factor] = units
        return cls(base, found)

    def at(self, t: Fraction) -> Instance:
        """Return the weights of a parameter."""
        return replace(self.base, w_down=t * to_fractions(self.base.w_down))

    def absorbs_there_alone(self, *, rng: np.random.Generator) -> Verdict:
        """Decide that the skip is absorbed at the exceptional t, 1 among them, but not near them."""
        if Fraction(1) not in self.exceptions:
            return Verdict.REFUTED
        for t, units in self.exceptions.items():
            there = self.at(t)
            decision = decide(there.w_up, there.w_down, activation=there.act, rng=rng)
            if decision.verdict is not Absorption.ABSORBABLE:
                return Verdict.of(False) if decision.verdict is Absorption.NOT_ABSORBABLE else Verdict.UNKNOWN
            if not equal_functions(there.residual, there.flipped(units)):
                return Verdict.REFUTED
        others = {t + NEARBY for t in self.exceptions} | {Fraction(int(rng.integers(1, 99)), 101)}
        for t in others - set(self.exceptions):
            there = self.at(t)
            decision = decide(there.w_up, there.w_down, activation=there.act, rng=rng)
            if decision.verdict is not Absorption.NOT_ABSORBABLE:
                return Verdict.of(False) if decision.verdict is Absorption.ABSORBABLE else Verdict.UNKNOWN
        return Verdict.PROVED


def subsets(n: int) -> list[tuple[int, ...]]:
    """Return all sets of units."""
    return [tuple(i for i, inside in enumerate(row) if inside) for row in product((False, True), repeat=n)]


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    w_up, w_down = gaussian((5, 2), rng=rng), gaussian((2, 5), rng=rng)
    plant = planted(3, 6, rng=rng)
    narrow = gaussian((4, 1), rng=rng), gaussian((1, 4), rng=rng)
    return (
        Control(
            "every W in place of almost every W",
            _refuted(Instance(plant.w_up, plant.w_down, activation("gelu")), rng=rng),
        ),
        Control(
            "W_up = I, W_down = −I",
            _refuted(Instance(identity(3), -identity(3), activation("relu")), rng=rng),
        ),
        Control("M = 0 for the identity", _absorbs(w_up, w_down, skip=0 * identity(2), rng=rng)),
        Control("d = 1 with ReLU: every W of width 4 absorbs", _absorbs(*narrow, rng=rng)),
        Control("weights 0, ±1 at d = N = 2: a positive fraction absorbs", _absorbed_fraction() > 0),
    )


def _refuted(instance: Instance, *, rng: np.random.Generator) -> bool:
    return disjoint(instance, rng=rng) is Verdict.REFUTED


def _absorbs(
    w_up: ExactArray, w_down: ExactArray, *, skip: ExactArray | None = None, rng: np.random.Generator
) -> bool:
    return decide(w_up, w_down, skip=skip, rng=rng).verdict is Absorption.ABSORBABLE


def _absorbed_fraction() -> Fraction:
    """Return the fraction of generic W_down with entries 0, ±1 that absorb, W_up = [e₁; e₁ + e₂]."""
    w_up = np.array([[1, 0], [1, 1]])
    drawn = [np.array(entries).reshape(2, 2) for entries in product((-1, 0, 1), repeat=4)]
    generic = [w for w in drawn if hypotheses(w_up, w, "relu").generic]
    absorbed = sum(Instance(w_up, w, activation("relu")).first_set(-identity(2)) is not None for w in generic)
    return Fraction(absorbed, len(generic))
