"""Proposition 8: width N + d absorbs the skip if rank W_up = d, and for almost every W no smaller width does.

(i) The twin is built, by the library and again here from the proof, and compared with r as a function.
(ii) If every det(I + 2c·A_F B_F) is nonzero, min_F rank(I + 2c·A_F B_F) = d, which bounds the number k* of
further units from below (X1). All 2^N determinants are decided. W is drawn from distributions for which a
zero is an event of probability 0, or as good as.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from skip_absorption.absorption.construct import absorb
from skip_absorption.absorption.minors import zero_minors
from skip_absorption.absorption.width import minimal_width
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.errors import NotAbsorbable
from skip_absorption.exact.rational import (
    ExactArray,
    from_fmpq_mat,
    identity,
    is_zero,
    rank,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, generic_integers, planted_width, rationals
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Mlp
from skip_absorption.networks.canonical import equal_functions

CLAIM = "proposition_8"
EVIDENCE = "exact"
HYPOTHESES = (
    "d ≥ 2, N ≥ d; ReLU, leaky ReLU, GELU (erf and tanh forms) or SiLU",
    "(i) rank W_up = d",
    "(ii) almost every W: (G), and no principal minor of I + 2c·W_up W_down vanishes",
)
METHOD = (
    "(i) The twin of width N + d is built by the library and again from the proof, and compared with r as a "
    "function over Q, on random weights and on weights with k* = 0 … d planted. (ii) On Gaussian dyadics and "
    "large integers all 2^N principal minors are decided, and again one determinant at a time for N ≤ 6; the "
    "least width is N + d (N + k* for planted weights), and one unit less is refused with proof."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
WEIGHTS = ("gaussian", "integers", "planted")
ONE_BY_ONE = 6  # the width up to which every determinant is also computed by itself
SOME = 16  # how many random ones beyond it
BOUND = 1000  # of the large integers
POINTS = 2  # rational points at which a ReLU twin is evaluated


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try both parts on random instances, and their false variants; see `METHOD`."""
    built, minimal = Tally(), Tally()
    kinds = len(ACTIVATIONS) * len(WEIGHTS)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        weights = WEIGHTS[case.number // len(ACTIVATIONS) % len(WEIGHTS)]
        description = f"case {case.number}, {act.name}, {weights}, (d, N) = {(case.d, case.n)}"
        extra = int(case.rng.integers(case.d + 1)) if weights == "planted" else case.d
        instance = _draw(case, act, weights, extra)
        built.add(twin_exists(instance, rng=case.rng), description)
        if weights == "planted":
            parts = [
                zeros_are_counted(instance, rng=case.rng),
                least_width_is(instance, extra, rng=case.rng),
            ]
            minimal.add(all_of(parts), description)
        else:
            minimal.add(no_smaller_width(instance, rng=case.rng), description)
    return Report(
        verdict=all_of([built.verdict, minimal.verdict]),
        cases=built.total,
        controls=_controls(seed),
        found=(
            f"(i) {built.proved} of {built.total} absorbed at N + d{built.note}; "
            f"(ii) {minimal.proved} of {minimal.total} least widths as predicted{minimal.note}"
        ),
        expected="all of both",
    )


def _draw(case: Case, act: Activation, weights: str, extra: int) -> Instance:
    """Draw weights with rank W_up = d; planted ones absorb at width N + extra for almost every draw."""
    d, n, rng = case.d, case.n, case.rng
    while True:
        w_up, w_down = _weights(d, n, weights, extra, rng=rng)
        if rank(w_up) == d:
            break
    if weights == "planted":  # the columns are planted for 2c = 1
        w_down = to_fractions(w_down) / Instance(w_up, w_down, act).odd
    return Instance(w_up, w_down, act)


def _weights(
    d: int, n: int, weights: str, extra: int, *, rng: np.random.Generator
) -> tuple[ExactArray, ExactArray]:
    if weights == "gaussian":
        return gaussian((n, d), rng=rng), gaussian((d, n), rng=rng)
    if weights == "integers":
        return generic_integers(d, n, rng=rng, bound=BOUND)
    return planted_width(d, n, extra, rng=rng, bound=BOUND)


def twin_exists(instance: Instance, *, rng: np.random.Generator) -> Verdict:
    """Decide part (i): both constructions have width N + d and equal r as functions."""
    n, d = instance.w_up.shape
    residual = instance.residual
    mlp = Mlp(instance.w_up, instance.w_down, instance.act)
    twins = [absorb(mlp, width=n + d, rng=rng), widened(instance)]
    for twin in twins:
        if twin.width != n + d or not equal_functions(residual, twin):
            return Verdict.REFUTED
        if instance.act.is_rational:
            points = rationals((POINTS, d), rng=rng)
            if not is_zero(residual.rational(points) - twin.rational(points)):
                return Verdict.REFUTED
    return Verdict.PROVED


def widened(instance: Instance, *, sign: int = 1) -> Mlp:
    """Build the twin of part (i) from d independent rows w_G and vectors δ_i with Σ δ_i w_iᵀ = I.

    Unit i ∈ G gets the column a_i + δ_i/2c; a further unit has row −w_i and column −δ_i/2c. They add
    Σ (δ_i/2c)(σ(w_i·x) − σ(−w_i·x)) = x. The false sign −1 serves as a control.
    """
    rows, columns = to_fractions(instance.w_up), to_fractions(instance.w_down)
    chosen: list[int] = []
    for i in range(len(rows)):
        if rank(rows[[*chosen, i]]) > len(chosen):
            chosen.append(i)
    split = sign * from_fmpq_mat(to_fmpq_mat(rows[chosen]).inv()) / instance.odd
    columns[:, chosen] += split
    return Mlp(np.concatenate([rows, -rows[chosen]]), np.concatenate([columns, -split], axis=1), instance.act)


def no_smaller_width(instance: Instance, *, rng: np.random.Generator) -> Verdict:
    """Decide part (ii): no minor vanishes, the least width is N + d, and N + d − 1 is refused."""
    minors = zero_minors(instance.w_up, instance.w_down, odd=instance.odd, rng=rng)
    if minors.verdict is Verdict.PROVED and _singular(instance, rng=rng):
        return Verdict.REFUTED
    return all_of([minors.verdict, least_width_is(instance, instance.w_up.shape[1], rng=rng)])


def zeros_are_counted(instance: Instance, *, rng: np.random.Generator) -> Verdict:
    """Decide that the minors found to vanish are those that do, one determinant at a time for small N."""
    minors = zero_minors(instance.w_up, instance.w_down, odd=instance.odd, rng=rng)
    if minors.count is None:
        return Verdict.UNKNOWN
    singular = _singular(instance, rng=rng)
    if len(instance.w_up) <= ONE_BY_ONE:
        return Verdict.of(sorted(minors.flips) == sorted(singular))
    return Verdict.of(minors.count >= len(set(singular)))


def _singular(instance: Instance, *, rng: np.random.Generator) -> list[tuple[int, ...]]:
    return [units for units in _sets(len(instance.w_up), rng=rng) if not _is_regular(instance, units)]


def _sets(n: int, *, rng: np.random.Generator) -> list[tuple[int, ...]]:
    if n <= ONE_BY_ONE:
        members = list(product((False, True), repeat=n))
    else:
        members = [tuple(row) for row in rng.integers(2, size=(SOME, n)).astype(bool).tolist()]
    return [tuple(i for i, inside in enumerate(row) if inside) for row in members]


def _is_regular(instance: Instance, units: tuple[int, ...]) -> bool:
    """Whether principal minor F of I_N + 2c·W_up W_down is nonzero, computed over Q by itself."""
    if not units:
        return True
    chosen = list(units)
    rows, columns = to_fmpq_mat(instance.w_up[chosen]), to_fmpq_mat(instance.w_down[:, chosen])
    scale = to_fmpq_mat(to_fractions(identity(len(chosen))) * instance.odd)
    return bool((to_fmpq_mat(identity(len(chosen))) + scale * rows * columns).det() != 0)


def least_width_is(instance: Instance, extra: int, *, rng: np.random.Generator) -> Verdict:
    """Decide that the least width is N + extra and that a smaller one is refused."""
    n = len(instance.w_up)
    found = minimal_width(instance.w_up, instance.w_down, activation=instance.act, rng=rng)
    if found.lower > n + extra or found.upper < n + extra:
        return Verdict.REFUTED
    if found.width is None:
        return Verdict.UNKNOWN
    return Verdict.of(extra == 0 or refused(instance, n + extra - 1))


def refused(instance: Instance, width: int) -> bool:
    """Whether the library refuses to absorb at a width, stating that none exists."""
    try:
        absorb(Mlp(instance.w_up, instance.w_down, instance.act), width=width)
    except NotAbsorbable:
        return True
    return False


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    relu = activation("relu")
    plane = Instance(np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0]]), identity(3), relu)
    flip = Instance(identity(2), -identity(2), relu)
    random = Instance(gaussian((5, 3), rng=rng), gaussian((3, 5), rng=rng), relu)
    n, d = random.w_up.shape
    return (
        Control(
            "(i) without rank W_up = d: rows e₁, e₂, e₁ + e₂ at d = 3 need width 7",
            _least(plane) == 7 and refused(plane, 6),
        ),
        Control("(i) with N + d − 1", refused(random, n + d - 1)),
        Control(
            "(i) with the added units' sign wrong",
            not equal_functions(random.residual, widened(random, sign=-1)),
        ),
        Control(
            "(ii) for W_up = I, W_down = −I: width N absorbs",
            _least(flip) == 2
            and not _is_regular(flip, (0,))
            and zero_minors(flip.w_up, flip.w_down, rng=rng).verdict is Verdict.REFUTED,
        ),
    )


def _least(instance: Instance) -> int | None:
    return minimal_width(instance.w_up, instance.w_down, activation=instance.act).width
