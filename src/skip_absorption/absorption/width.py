"""The least width at which a residual-free MLP computes a given MLP with its skip connection (X1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skip_absorption.absorption.budget import Budget, Clock
from skip_absorption.absorption.exact_width import MAX_UNITS, Witness, cheapest
from skip_absorption.absorption.integral import Flips, IntegralNetwork
from skip_absorption.absorption.width_bounds import Bounds, width_bounds
from skip_absorption.exact.rational import identity, rank
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks.activations import Activation, absorbing
from skip_absorption.networks.canonical import Hypotheses, Reduced, hypotheses, reduced


@dataclass(frozen=True)
class MinimalWidth:
    """The least width of a residual-free MLP that computes the given network, exactly or between proved bounds.

    Attributes
    ----------
    width
        The least width; None if only bounds are known.
    extra
        ``width - N`` for the N units given; negative where units are redundant; None like `width`.
    lower, upper
        Proved bounds of the least width; both equal `width` when it is known.
    flipped, doubled
        Sets F and G that reach `upper`: 0-based units whose sign is flipped, and units that are split in two.
    fresh
        How many further directions are added, by two opposed units each: `upper` is the number of classes plus
        ``len(doubled) + 2 * fresh``.
    classes
        The units of each class of the canonical form; None where the generic hypotheses hold and every unit is
        a class. F and G then name the first unit of a class.
    verdict
        PROVED if the least width is known, else UNKNOWN.
    how
        A line for each bound, and for each generic hypothesis that fails: how it was proved.
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
    """The reduced network, a witness for the best width found, and what was proved about better ones.

    `best` and `lower` count units beyond the classes of `network`.
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
    budget: Budget = Budget(),
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
        Biases (N,) and (m,); where any is given, the residual-free MLP may have hidden and output biases too.
    rng
        Draws primes; the answer does not depend on it. None for a fixed stream.
    budget
        For the search over F and G (N <= 28) and the proof that one is missing; what runs out leaves bounds.

    Raises
    ------
    InvalidInput
        For wrong shapes, entries or activations.

    Notes
    -----
    With n classes in the canonical form (n = N under the generic hypotheses) the least width is n + k*,
    k* the minimum over disjoint F, G of |G| + 2 (rank[M + odd A_F B_F ; w_G] - rank w_G) (X1; X1b with biases; X1c).
    Deciding k* = 0 is NP-complete, so large networks may only get bounds.

    Examples
    --------
    >>> import numpy as np
    >>> minimal_width(np.eye(2), -np.eye(2)).width, minimal_width(np.eye(2), np.eye(2)).extra
    (2, 2)
    """
    found = analyse(
        w_up, w_down, activation=activation, skip=skip, b_up=b_up, b_down=b_down, rng=rng, budget=budget
    )
    units, n = found.network.units, found.network.width
    upper, lower = n + found.best.cost, n + found.lower
    exact = upper == lower
    given = len(np.asarray(w_up))
    return MinimalWidth(
        width=upper if exact else None,
        extra=upper - given if exact else None,
        lower=lower,
        upper=upper,
        flipped=tuple(sorted(units[i][0] for i in found.best.flipped)),
        doubled=tuple(sorted(units[i][0] for i in found.best.doubled)),
        fresh=(found.best.cost - len(found.best.doubled)) // 2,
        classes=None if found.hypotheses.generic else units,
        verdict=Verdict.PROVED if exact else Verdict.UNKNOWN,
        how=found.how,
    )


def analyse(
    w_up: Any,
    w_down: Any,
    *,
    activation: str | Activation,
    skip: Any,
    b_up: Any,
    b_down: Any,
    rng: np.random.Generator | None,
    budget: Budget,
) -> Analysis:
    """Reduce the network and bound k* from both sides; the arguments are those of `minimal_width`."""
    clock = budget.start()
    rng = np.random.default_rng(0) if rng is None else rng
    act = absorbing(activation)
    assert act.odd is not None
    checked = hypotheses(w_up, w_down, act, b_up)
    network = reduced(w_up, w_down, act, skip=skip, b_up=b_up, b_down=b_down)
    how = [f"canonical form, {network.width} classes: {line}" for line in checked.violations]
    if network.constants:
        how.append("the output bias takes the constant of the units with a zero row and a bias")
    if network.width == 0:
        cost = 2 * rank(network.M0)
        how.append(f"no class is left: a linear map of rank {cost // 2} takes two units for each direction")
        return Analysis(network, act, checked, Witness(cost, (), ()), cost, tuple(how))
    bounds = width_bounds(network.u, network.P, network.M0, act.odd, rng=rng, clock=clock)
    best, lower, lines = _improved(network, act, bounds, rng, clock)
    return Analysis(network, act, checked, best, lower, (*how, *lines))


def _improved(
    network: Reduced, act: Activation, bounds: Bounds, rng: np.random.Generator, clock: Clock
) -> tuple[Witness, int, list[str]]:
    """Improve the polynomial bounds by search (few units) or by deciding condition (3) (many)."""
    n = network.width
    best = Witness(bounds.upper, (), bounds.doubled)
    upper_line, lower_line = (
        f"<= {n + bounds.upper}: {bounds.upper_how}",
        f">= {n + bounds.lower}: {bounds.lower_how}",
    )
    if bounds.lower == bounds.upper:
        return best, bounds.lower, [lower_line, upper_line]
    if n <= MAX_UNITS:
        integral = IntegralNetwork.of(network.u, network.P, network.M0, act.odd)
        searched = cheapest(integral, best, lower=bounds.lower, excess=bounds.excess, rng=rng, clock=clock)
        if searched.best.cost < best.cost:
            best = searched.best
            upper_line = f"<= {n + best.cost}: sets F and G found by search, their cost computed over Q"
        if searched.complete:
            return best, best.cost, [f">= {n + best.cost}: {searched.how}", upper_line]
        lower_line += f"; {searched.how}"
    if bounds.lower > bounds.excess:  # then no R_F is zero
        return best, bounds.lower, [lower_line, upper_line]
    condition, flips = _condition(network, act, rng, clock)
    if condition is Verdict.PROVED:
        line = "condition (3) holds: the units F are flipped, verified over Q"
        return (
            Witness(0, flips, ()),
            0,
            [f">= {n}: a width below the number of classes never works", f"<= {n}: {line}"],
        )
    lower = bounds.lower
    if condition is Verdict.REFUTED:
        lower = max(lower, 1 + bounds.excess)
        lower_line = f">= {n + lower}: condition (3) is refuted by certificate or exhausted search, so no M + odd A_F B_F is 0"
    return best, lower, [lower_line, upper_line]


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
