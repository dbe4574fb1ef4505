"""Proposition 8(i): if rank W_up = d, some MLP of width N + d equals x + W_down σ(W_up x).

The twin is built by the library and again here from the proof, and compared with r as a function.
"""

from __future__ import annotations

import numpy as np

from skip_absorption.claims.agreement import agree_at_points
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.full_rank import ACTIVATIONS, draw
from skip_absorption.claims.patient import absorb, minimal_width
from skip_absorption.claims.refusals import refused
from skip_absorption.claims.running import Control, Dims, Report, Tally, each_case
from skip_absorption.exact.rational import (
    from_fmpq_mat,
    identity,
    rank,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Mlp
from skip_absorption.networks.canonical import equal_functions

CLAIM = "proposition_8_i"
EVIDENCE = "exact"
HYPOTHESES = (
    "d ≥ 2, N ≥ d; ReLU, leaky ReLU, GELU (erf and tanh forms) or SiLU",
    "rank W_up = d; rows may be collinear or zero",
)
METHOD = (
    "Gaussian dyadics, large integers, weights with k* = 0 … d planted, and rows of which many are collinear "
    "or zero. The twin of width N + d is built by the library and again from the proof; both are compared "
    "with r as functions over Q, and at random points."
)
WEIGHTS = ("gaussian", "integers", "planted", "collinear")


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally = Tally()
    kinds = len(ACTIVATIONS) * len(WEIGHTS)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        weights = WEIGHTS[case.number // len(ACTIVATIONS) % len(WEIGHTS)]
        instance = draw(case, act, weights, int(case.rng.integers(case.d + 1)))
        description = f"case {case.number}, {act.name}, {weights}, (d, N) = {(case.d, case.n)}"
        tally.add(twin_exists(instance, rng=case.rng), description)
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{tally.proved} of {tally.total} absorbed at width N + d{tally.note}",
        expected=f"all {tally.total}",
    )


def twin_exists(instance: Instance, *, rng: np.random.Generator) -> Verdict:
    """Decide that both constructions have width N + d and equal r as functions."""
    n, d = instance.w_up.shape
    residual = instance.residual
    mlp = Mlp(instance.w_up, instance.w_down, instance.act)
    twins = [absorb(mlp, width=n + d, rng=rng), widened(instance)]
    for twin in twins:
        same = equal_functions(residual, twin) and agree_at_points(residual, twin, rng=rng)
        if twin.width != n + d or not same:
            return Verdict.REFUTED
    return Verdict.PROVED


def widened(instance: Instance, *, sign: int = 1) -> Mlp:
    """Build the twin from d independent rows w_G and vectors δ_i with Σ δ_i w_iᵀ = I.

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


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    rows = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0]])
    plane, random = (
        Mlp(rows, identity(3), "relu"),
        Mlp(gaussian((5, 3), rng=rng), gaussian((3, 5), rng=rng), "relu"),
    )
    instance = Instance(random.w_up, random.w_down, random.activation)
    n, d = random.w_up.shape
    return (
        Control(
            "without rank W_up = d: rows e₁, e₂, e₁ + e₂ at d = 3 need width 7",
            minimal_width(plane.w_up, plane.w_down).width == 7 and refused(plane, 6),
        ),
        Control("width N + d − 1", refused(random, n + d - 1) and not refused(random, n + d)),
        Control(
            "the added units' sign wrong",
            not equal_functions(instance.residual, widened(instance, sign=-1)),
        ),
        Control(
            "the columns unchanged beside the added units",
            not equal_functions(instance.residual, _columns_restored(instance)),
        ),
    )


def _columns_restored(instance: Instance) -> Mlp:
    """Return the twin without its shares δ_i in the columns of G."""
    twin = widened(instance)
    columns = to_fractions(twin.w_down)
    columns[:, : len(instance.w_up)] = to_fractions(instance.w_down)
    return Mlp(twin.w_up, columns, instance.act)
