"""D1: opposed units carry linear maps, because σ(z) − σ(−z) = 2cz.

Splitting each of d units with independent rows into an opposed pair, d more units, adds any linear map to an
MLP. From nothing a direction takes two units: units that add up to a linear map gather into classes whose
even parts cancel, and a class needs two members to do so and carries a map of rank 1.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import minimal_width
from skip_absorption.claims.refusals import refused
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    from_fmpq_mat,
    identity,
    is_zero,
    rank,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, generic_integers, rationals
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

CLAIM = "d1"
EVIDENCE = "exact"
HYPOTHESES = (
    "σ(z) − σ(−z) = 2cz with c ≠ 0: ReLU, leaky ReLU, GELU (erf and tanh forms), SiLU",
    "d units with linearly independent rows to split; nothing else",
)
METHOD = (
    "Random L of every rank ρ. d units are split as in the proof, and the result of width N + d is compared "
    "with W_down σ(W_up x) + Lx as a function over Q; for almost every W the least width is N + min(2ρ, d). "
    "Alone, L is built from ρ opposed pairs and refused at width 2ρ − 1. Second route, for kinks: the units "
    "active at x and those active at −x are disjoint, and each sum to L/2c, so each are at least ρ."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
BOUND = 1000  # of the integer weights
POINTS = 2  # points at which rational values are compared


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally = Tally()
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(ACTIVATIONS)):
        instance, linear = _draw(case)
        verdicts = [
            splitting_adds(instance, linear, rng=case.rng),
            least_width_is(instance, linear, rng=case.rng),
            pairs_are_needed(instance, linear, rng=case.rng),
        ]
        rho = rank(linear)
        description = f"case {case.number}, {instance.act.name}, (d, N) = {(case.d, case.n)}, rank L = {rho}"
        tally.add(all_of(verdicts), description)
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} maps L added by d split units, and alone carried by 2ρ units "
            f"and no fewer{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _draw(case: Case) -> tuple[Instance, ExactArray]:
    """Draw generic weights, the first d rows independent, and a linear map of rank 1..d."""
    d, n, rng = case.d, case.n, case.rng
    act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
    while True:
        w_up, w_down = generic_integers(d, n, rng=rng, bound=BOUND)
        if rank(w_up[:d]) == d:
            break
    rho = int(rng.integers(1, d + 1))
    while True:
        linear = exact_matmul(rationals((d, rho), rng=rng), rationals((rho, d), rng=rng))
        if rank(linear) == rho:
            return Instance(w_up, w_down, act), linear


def split(instance: Instance, linear: ExactArray, *, sign: int = 1) -> Mlp:
    """Split the first d units into opposed pairs that add L; the false sign −1 serves as a control.

    With δ = L W_G⁻¹/2c, unit i has the column a_i + δ_i, and a new unit has the row −w_i and the column −δ_i.
    """
    d = instance.w_up.shape[1]
    rows, columns = to_fractions(instance.w_up), to_fractions(instance.w_down)
    inverse = from_fmpq_mat(to_fmpq_mat(rows[:d]).inv())
    delta = sign * exact_matmul(linear, inverse) / instance.odd
    columns[:, :d] += delta
    return Mlp(np.concatenate([rows, -rows[:d]]), np.concatenate([columns, -delta], axis=1), instance.act)


def splitting_adds(instance: Instance, linear: ExactArray, *, rng: np.random.Generator) -> Verdict:
    """Decide that the split network has width N + d and adds L, by functions and at points."""
    n, d = instance.w_up.shape
    wanted, found = Residual(instance.residual.block, linear), split(instance, linear)
    if found.width != n + d or not equal_functions(wanted, found):
        return Verdict.REFUTED
    return Verdict.of(_agree_at_points(wanted, found, rng=rng))


def _agree_at_points(wanted: Residual, found: Mlp, *, rng: np.random.Generator) -> bool:
    """Whether two functions have the same values at some points: over Q, or in balls that overlap."""
    points = rationals((POINTS, found.d_in), rng=rng)
    if found.activation.is_rational:
        return is_zero(wanted.rational(points) - found.rational(points))
    return all(gap.contains(0) for gap in (wanted.ball(points) - found.ball(points)).flat)


def least_width_is(instance: Instance, linear: ExactArray, *, rng: np.random.Generator) -> Verdict:
    """Decide that the least width of W_down σ(W_up x) + Lx is N + min(2ρ, d), as almost everywhere."""
    n, d = instance.w_up.shape
    found = minimal_width(instance.w_up, instance.w_down, activation=instance.act, skip=linear, rng=rng)
    if found.width is None:
        return Verdict.UNKNOWN
    return Verdict.of(found.width == n + min(2 * rank(linear), d))


def pairs(linear: ExactArray, instance: Instance) -> Mlp:
    """Build L alone: L = CR with R its ρ independent rows, and for each of them two opposed units."""
    rows = to_fractions(linear)
    chosen: list[int] = []
    for i in range(len(rows)):
        if rank(rows[[*chosen, i]]) > len(chosen):
            chosen.append(i)
    basis = to_fmpq_mat(rows[chosen])
    gram = basis * basis.transpose()
    columns = from_fmpq_mat(to_fmpq_mat(rows) * basis.transpose() * gram.inv()) / instance.odd
    return Mlp(
        np.concatenate([rows[chosen], -rows[chosen]]),
        np.concatenate([columns, -columns], axis=1),
        instance.act,
    )


def pairs_are_needed(instance: Instance, linear: ExactArray, *, rng: np.random.Generator) -> Verdict:
    """Decide that L alone is carried by 2ρ units and by no 2ρ − 1."""
    d, rho = len(linear), rank(linear)
    nothing = Mlp(identity(d)[:1], 0 * identity(d)[:, :1], instance.act)
    alone, found = Residual(nothing, linear), pairs(linear, instance)
    if found.width != 2 * rho or not equal_functions(alone, found):
        return Verdict.REFUTED
    if instance.act.even == "kink" and not _halves_are(found, to_fractions(linear) / instance.odd, rng=rng):
        return Verdict.REFUTED
    return Verdict.of(refused(nothing, 2 * rho - 1, skip=linear))


def _halves_are(mlp: Mlp, wanted: ExactArray, *, rng: np.random.Generator) -> bool:
    """Whether the dyads c_j v_jᵀ of the units active at some x, and those of the others, sum to L/2c each.

    For a kink they do so wherever the network is the map L around x and around −x. Each sum has at most the
    rank of its number of units, so there are ρ units on either side.
    """
    while True:
        hidden = exact_matmul(mlp.w_up, rationals((mlp.d_in, 1), rng=rng))[:, 0]
        if all(hidden):
            break
    sides = [np.flatnonzero(hidden > 0), np.flatnonzero(hidden < 0)]
    return all(is_zero(exact_matmul(mlp.w_down[:, side], mlp.w_up[side]) - wanted) for side in sides)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    relu = activation("relu")
    w_up, w_down = gaussian((5, 3), rng=rng), gaussian((3, 5), rng=rng)
    generic, mlp = Instance(w_up, w_down, relu), Mlp(w_up, w_down, relu)
    linear = rationals((3, 3), rng=rng) + 10 * identity(3)
    plane = Mlp([[1, 0, 0], [0, 1, 0], [1, 1, 0]], identity(3), relu)
    squares = replace(generic, act=activation("relu_squared"))
    x = np.array([Fraction(1), Fraction(2)], dtype=object)
    paired = Mlp([[1, 0], [-1, 0]], [[1, -1], [0, 0]], squares.act)
    return (
        Control(
            "d units with dependent rows: e₁, e₂, e₁ + e₂ at d = 3, L = I",
            refused(plane, 6, skip=identity(3)),
        ),
        Control(
            "d − 1 more units for an invertible L",
            refused(mlp, 7, skip=linear) and not refused(mlp, 8, skip=linear),
        ),
        Control(
            "the new units with the wrong sign",
            not equal_functions(Residual(mlp, linear), split(generic, linear, sign=-1)),
        ),
        Control(
            "one unit a direction, for L of rank 2",
            refused(Mlp([[1, 0]], [[0], [0]], relu), 2, skip=identity(2)),
        ),
        Control(
            "ReLU²: an opposed pair is no linear map",
            not is_zero(2 * paired.rational(x) - paired.rational(2 * x)),
        ),
    )
