"""The least width at which a residual-free MLP computes a given MLP with its skip connection (X1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skip_absorption.absorption.budget import Budget, Clock
from skip_absorption.absorption.digest import question_digest
from skip_absorption.absorption.exact_width import MAX_UNITS, Witness, cheapest, searchable
from skip_absorption.absorption.integral import Flips, IntegralNetwork
from skip_absorption.absorption.ranks import SMALL
from skip_absorption.absorption.width_bounds import Bounds, width_bounds
from skip_absorption.exact.rational import rank
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks.activations import Activation
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import Hypotheses, Reduced, hypotheses, reduced


@dataclass(frozen=True)
class MinimalWidth:
    """The least width of a residual-free MLP that computes the given network, or proved bounds of it.

    Attributes
    ----------
    width
        The least width; None if only bounds are known.
    extra
        ``width - N`` for the N units given, negative where units are redundant; None like `width`.
    lower, upper
        Proved bounds of the least width; both equal `width` when it is known.
    flipped, doubled
        Sets F and G that reach `upper`: 0-based units whose sign is flipped, and units that are split in two.
        Where units share a class of the canonical form, its first unit stands for the class.
    fresh
        How many further directions are added, with two opposed units each: `upper` is the number of
        classes plus ``len(doubled) + 2 * fresh``.
    classes
        The units of each class of the canonical form; None where the generic hypotheses hold, so that every
        unit is a class of its own.
    verdict
        PROVED if the least width is known, else UNKNOWN.
    how
        A line for each hypothesis that fails, then one for each bound: how it was proved; last, where bounds
        are left, why.
    """

    width: int | None
    extra: int | None
    lower: int
    upper: int
    flipped: Flips
    doubled: Flips
    fresh: int
    classes: tuple[Flips, ...] | None
    verdict: Verdict
    how: tuple[str, ...]


@dataclass(frozen=True)
class Analysis:
    """The canonical form of a network as a network, the best witness found, and what was proved.

    Attributes
    ----------
    network
        The reduced network; it meets the generic hypotheses.
    best, lower
        A witness of an upper bound, and a lower bound: both count units beyond the classes of `network`.
    """

    network: Reduced
    activation: Activation
    hypotheses: Hypotheses
    best: Witness
    lower: int
    how: tuple[str, ...]


def minimal_width(
    w_up: Any,
    w_down: Any,
    *,
    activation: str | Activation = "relu",
    skip: Any = None,
    b_up: Any = None,
    b_down: Any = None,
    rng: np.random.Generator | None = None,
    budget: Budget | None = None,
) -> MinimalWidth:
    """Return the least width of a residual-free MLP equal to x -> M x + W_down sigma(W_up x + b_up) + b_down.

    Parameters
    ----------
    w_up, w_down
        Rows w_i, shape (N, d), and columns a_i, shape (m, N); exact arrays.
    activation
        ReLU, leaky ReLU, GELU (both forms) or SiLU.
    skip
        M, shape (m, d); None is the identity and needs m = d.
    b_up, b_down
        Biases (N,) and (m,). Where any is given, the residual-free MLP may have both as well.
    rng
        Draws primes, on which the answer does not depend; None for a stream seeded from the network.
    budget
        For the search over F and G (up to 28 classes) and for deciding condition (3); None for the default.

    Raises
    ------
    InvalidInput
        For wrong shapes, entries or activations.

    Notes
    -----
    With n classes in the canonical form (n = N under the generic hypotheses) the least width is n + k*, where
    k* is the minimum over disjoint F, G of |G| + 2 (rank[M + odd A_F B_F ; w_G] - rank w_G): X1, X1b with
    biases, X1c. Deciding k* = 0 is NP-complete, so a large network may get bounds only.

    Examples
    --------
    >>> import numpy as np
    >>> minimal_width(np.eye(2), -np.eye(2)).width, minimal_width(np.eye(2), np.eye(2)).extra
    (2, 2)
    """
    mlp = Mlp(w_up, w_down, activation, b_up, b_down)
    found = analyse(Residual(mlp, skip), mlp, rng=rng, budget=budget)
    units, n = found.network.units, found.network.width
    upper, lower = n + found.best.cost, n + found.lower
    exact = upper == lower
    return MinimalWidth(
        width=upper if exact else None,
        extra=upper - mlp.width if exact else None,
        lower=lower,
        upper=upper,
        flipped=tuple(sorted(units[i][0] for i in found.best.flipped)),
        doubled=tuple(sorted(units[i][0] for i in found.best.doubled)),
        fresh=(found.best.cost - len(found.best.doubled)) // 2,
        classes=None if found.hypotheses.generic else units,
        verdict=Verdict.PROVED if exact else Verdict.UNKNOWN,
        how=found.how,
    )


def analyse(block: Residual, mlp: Mlp, *, rng: np.random.Generator | None, budget: Budget | None) -> Analysis:
    """Reduce a residual block around `mlp` to its canonical form and bound k* from both sides."""
    clock = (budget or Budget()).start()
    act = mlp.activation
    rng = seeded(block, mlp) if rng is None else rng
    checked = hypotheses(mlp.w_up, mlp.w_down, act, mlp.b_up)
    network = reduced(mlp.w_up, mlp.w_down, act, skip=block.skip, b_up=mlp.b_up, b_down=mlp.b_down)
    how = [*checked.violations]
    if how:
        how.append(
            f"so the canonical form, with {network.width} classes for {mlp.width} units, takes their place"
        )
    if network.constants:
        how.append("the output bias takes up the constant of the units with a zero row and a bias")
    if network.width == 0:
        cost = 2 * rank(network.M0)
        how.append(f"no class is left: a linear map of rank {cost // 2} takes two units for each direction")
        return Analysis(network, act, checked, Witness(cost, (), ()), cost, tuple(how))
    assert act.odd is not None
    bounds = width_bounds(network.u, network.P, network.M0, act.odd, rng=rng, clock=clock)
    best, lower, lines = _improved(network, act, bounds, rng, clock)
    return Analysis(network, act, checked, best, lower, (*how, *lines))


def seeded(block: Residual, mlp: Mlp) -> np.random.Generator:
    """Return a stream of primes that repeats itself but that no weights can be made to fit."""
    digest = question_digest(
        mlp.w_up,
        mlp.w_down,
        activation=mlp.activation.name,
        skip=block.skip,
        b_up=mlp.b_up,
        b_down=mlp.b_down,
    )
    return np.random.default_rng(int(digest, 16))


def _improved(
    network: Reduced, act: Activation, bounds: Bounds, rng: np.random.Generator, clock: Clock
) -> tuple[Witness, int, list[str]]:
    """Improve bounds by the search over F and G where it can be made, and by deciding condition (3)."""
    n, lower = network.width, bounds.lower
    best = Witness(bounds.upper, (), bounds.doubled)
    upper_how, lower_how, notes = bounds.upper_how, bounds.lower_how, []
    if lower < best.cost and not searchable(n, network.M0.size):
        notes.append(f"no search over F and G beyond {MAX_UNITS} units or a skip of {SMALL} entries")
    elif lower < best.cost:
        assert act.odd is not None
        integral = IntegralNetwork.of(network.u, network.P, network.M0, act.odd)
        searched = cheapest(integral, best, lower=lower, rng=rng, clock=clock)
        if searched.best.cost < best.cost:
            best, upper_how = searched.best, "sets F and G found by search, their cost computed over Q"
        if not searched.complete:
            notes.append(searched.how)
        elif lower < best.cost:
            lower, lower_how = best.cost, searched.how
    if lower == 0 < best.cost:
        condition, flips = _condition(network, act, rng, clock)
        if condition is Verdict.PROVED:
            best, upper_how = (
                Witness(0, flips, ()),
                "condition (3) holds: flipping F is enough, verified over Q",
            )
        elif condition is Verdict.REFUTED:
            lower, lower_how = 1, "condition (3) fails, so no M + odd A_F B_F is zero"
    if lower > best.cost:
        raise AssertionError(f"a lower bound {lower} above a construction of cost {best.cost}, please report")
    if lower == best.cost:
        notes = []
    return best, lower, [f">= {n + lower}: {lower_how}", f"<= {n + best.cost}: {upper_how}", *notes]


def _condition(
    network: Reduced, act: Activation, rng: np.random.Generator, clock: Clock
) -> tuple[Verdict, Flips]:
    """Decide condition (3) for the reduced network: whether some M + odd A_F B_F is zero."""
    from skip_absorption.absorption.condition import Absorption, decide

    decision = decide(
        network.u,
        network.P,
        activation=act,
        skip=network.M0,
        condition_only=True,
        rng=rng,
        budget=clock.rest(),
    )
    if decision.verdict is Absorption.ABSORBABLE:
        assert decision.flip_set is not None
        return Verdict.PROVED, decision.flip_set
    return (Verdict.REFUTED if decision.verdict is Absorption.NOT_ABSORBABLE else Verdict.UNKNOWN), ()
