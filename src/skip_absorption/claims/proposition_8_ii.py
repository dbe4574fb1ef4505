"""Proposition 8(ii): for almost every W no MLP of width N + d − 1 or less equals x + W_down σ(W_up x).

If every det(I + 2c·A_F B_F) is nonzero, min_F rank(I + 2c·A_F B_F) = d, which bounds the number k* of further
units from below (X1). All 2^N determinants are decided. W is drawn from distributions for which a zero is an
event of probability 0, or as good as.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from skip_absorption.claims.flips import Instance
from skip_absorption.claims.full_rank import ACTIVATIONS, draw
from skip_absorption.claims.patient import minimal_width, zero_minors
from skip_absorption.claims.refusals import refused
from skip_absorption.claims.running import Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.rational import identity, to_fmpq_mat, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Mlp

CLAIM = "proposition_8_ii"
EVIDENCE = "exact"
HYPOTHESES = (
    "d ≥ 2, N ≥ d; ReLU, leaky ReLU, GELU (erf and tanh forms) or SiLU",
    "almost every W: (G), and no principal minor of I + 2c·W_up W_down vanishes",
)
METHOD = (
    "On Gaussian dyadics and large integers all 2^N principal minors are decided, and again one determinant "
    "at a time for N ≤ 6; the least width is N + d, and one unit less is refused with proof. On weights with "
    "k* = 0 … d planted, the minors that vanish are the ones found so, and the least width is N + k*."
)
WEIGHTS = ("gaussian", "integers", "planted")
ONE_BY_ONE = 6  # the width up to which every determinant is also computed by itself
SOME = 16  # how many random ones beyond it


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally = Tally()
    kinds = len(ACTIVATIONS) * len(WEIGHTS)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        weights = WEIGHTS[case.number // len(ACTIVATIONS) % len(WEIGHTS)]
        description = f"case {case.number}, {act.name}, {weights}, (d, N) = {(case.d, case.n)}"
        extra = int(case.rng.integers(case.d + 1)) if weights == "planted" else case.d
        instance = draw(case, act, weights, extra)
        if weights == "planted":
            counted = zeros_are_counted(instance, rng=case.rng)
            tally.add(all_of([counted, least_width_is(instance, extra, rng=case.rng)]), description)
        else:
            tally.add(no_smaller_width(instance, rng=case.rng), description)
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{tally.proved} of {tally.total} least widths as predicted{tally.note}",
        expected=f"all {tally.total}",
    )


def no_smaller_width(instance: Instance, *, rng: np.random.Generator) -> Verdict:
    """Decide that no minor vanishes, the least width is N + d, and N + d − 1 is refused."""
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
    return Verdict.of(refused(Mlp(instance.w_up, instance.w_down, instance.act), n + extra - 1))


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    relu = activation("relu")
    flip = Instance(identity(2), -identity(2), relu)
    # I + a₁w₁ᵀ = [0 0; 1 1] is singular, and no row is a multiple of (1, 1)
    singular = Instance(identity(2), np.array([[-1, 3], [1, 5]]), relu)
    random = Mlp(gaussian((5, 3), rng=rng), gaussian((3, 5), rng=rng), "relu")
    still = minimal_width(random.w_up, random.w_down, skip=0 * identity(3), rng=rng)
    return (
        Control(
            "every W: for W_up = I, W_down = −I width N absorbs",
            _least(flip) == 2 and not _is_regular(flip, (0,)) and _minors(flip, rng=rng) is Verdict.REFUTED,
        ),
        Control("M = 0 for the identity", still.width == 5),
        Control("width N + d", refused(random, 7) and not refused(random, 8)),
        Control(
            "a vanishing minor makes the least width smaller",
            _minors(singular, rng=rng) is Verdict.REFUTED and _least(singular) == 4,
        ),
    )


def _minors(instance: Instance, *, rng: np.random.Generator) -> Verdict:
    return zero_minors(instance.w_up, instance.w_down, rng=rng).verdict


def _least(instance: Instance) -> int | None:
    return minimal_width(instance.w_up, instance.w_down, activation=instance.act).width
