"""The exact search behind `minimal_width`: the minimum of X1 over all flipped sets F and doubled sets G.

With excess = rank[M ; W_up] - rank W_up, only an F with rank R_F + excess below the best known cost can
improve on it. These F are among the zeros of one determinant (`minors`). For each of them the doublings are
searched modulo the same prime p: all that are cheap over Q are as cheap or cheaper modulo p, provided that
rows of W_up that are independent over Q stay so, which is checked. What is found is costed over Q. So the
minimum and its witness are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.integral import Flips, IntegralNetwork, flips_of, residues, word_prime
from skip_absorption.absorption.minors import MAX_SIZE, compressed, zero_masks
from skip_absorption.exact.rational import ExactArray, rank, stack_rows

MAX_UNITS = 28
_ATTEMPTS = 4
_DEPENDENT = 1 << 16
_NODES = 200_000
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Witness:
    """Sets that reach a cost: flip F, double G, and add two units for each further direction (X1).

    Attributes
    ----------
    cost
        ``|G| + 2 (rank[M + odd A_F B_F ; w_G] - rank w_G)`` over Q: the units beyond N.
    flipped, doubled
        F and G, sorted 0-based units, disjoint.
    """

    cost: int
    flipped: Flips
    doubled: Flips


def witness(network: IntegralNetwork, flipped: Sequence[int], doubled: Sequence[int]) -> Witness:
    """Return the sets with their cost over Q, straight from the formula of X1."""
    cost = doubling_cost(network.flipped(flipped), network.up[list(doubled)])
    return Witness(cost, tuple(sorted(flipped)), tuple(sorted(doubled)))


def doubling_cost(skip: ExactArray, doubled_rows: ExactArray) -> int:
    """Return ``|G| + 2 (rank[R ; w_G] - rank w_G)`` over Q for a flipped skip R and the rows w_G."""
    together = rank(stack_rows([skip, doubled_rows]))
    return len(doubled_rows) + 2 * (together - rank(doubled_rows))


@dataclass(frozen=True)
class Searched:
    """The best witness, and whether it was proved that nothing is cheaper."""

    best: Witness
    complete: bool
    how: str


@dataclass(frozen=True)
class Known:
    """What is known of k* beforehand: a proved lower bound, and a proved lower bound of the excess."""

    lower: int
    excess: int


def cheapest(
    network: IntegralNetwork, start: Witness, known: Known, *, rng: np.random.Generator, clock: Clock
) -> Searched:
    """Search all F and G for a cost below that of `start`.

    Parameters
    ----------
    network
        The scaled network; more than 28 units are not searched.
    start
        A witness whose cost is known.
    known
        The search ends when the lower bound is reached.
    rng
        Draws the primes and the compression; the answer does not depend on it.
    clock
        When it expires the best witness so far is returned, marked incomplete.
    """
    if network.n > MAX_UNITS:
        return Searched(start, False, f"the search over F and G runs to N = {MAX_UNITS} units")
    for _ in range(_ATTEMPTS):
        p = word_prime(rng=rng)
        if not keeps_independence(network.up, p, clock=clock):
            continue
        candidates = _candidates(network, start.cost - known.excess, p, rng, clock)
        outcome = _search_modulo(network, p, candidates, start, known, clock=clock)
        if outcome is not None:
            return outcome
    return Searched(
        start, False, "the search over F and G met no prime that keeps independent rows independent"
    )


def _search_modulo(
    network: IntegralNetwork,
    p: int,
    candidates: Iterator[tuple[int, NDArray[np.uint32]]],
    best: Witness,
    known: Known,
    *,
    clock: Clock,
) -> Searched | None:
    """Search modulo p; None when a rank dropped modulo p and another prime has to be taken."""
    from skip_absorption.absorption._doubling_kernels import cheaper_doubling

    residues = network.residues(p)
    done, listed, subsets = 0, 0, 2**network.n
    for reached, masks in candidates:
        position = 0
        while position < len(masks) and best.cost > known.lower and not clock.expired():
            limits = (best.cost, known.excess, _NODES)
            position, cost, doubled = cheaper_doubling(masks, position, residues, p, limits)
            if cost >= 0:
                better = witness(network, flips_of(masks[position]), flips_of(doubled))
                if better.cost != cost:
                    return None
                best = better
        if position < len(masks):
            break
        done, listed = reached, listed + len(masks)
    if best.cost == known.lower:
        how = "the lower bound is reached"
    elif done == subsets:
        how = f"none of the {subsets} sets F ({listed} of small rank) and no G is cheaper"
    else:
        how = f"stopped after {done} of {subsets} sets F"
    return Searched(best, done == subsets or best.cost == known.lower, f"search over all F and G: {how}")


def _candidates(
    network: IntegralNetwork, size: int, p: int, rng: np.random.Generator, clock: Clock
) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Yield, chunk by chunk, how many F are done and those with rank R_F < size, perhaps among others."""
    if size <= min(*network.skip.shape, MAX_SIZE):
        yield from zero_masks(*compressed(network, size, p, rng=rng), p, clock=clock)
        return
    for first in range(0, 2**network.n, _CHUNK):
        if clock.expired():
            return
        last = min(first + _CHUNK, 2**network.n)
        yield last, np.arange(first, last, dtype=np.uint32)


def keeps_independence(rows: NDArray[Any], p: int, *, clock: Clock) -> bool:
    """Whether rows of integers that are independent over Q stay so modulo p, for every subset of the rows.

    False also when the clock expires or there are too many dependent subsets to check.
    """
    from skip_absorption.absorption._doubling_kernels import dependent_sets

    out = np.empty(_DEPENDENT, dtype=np.uint32)
    found = dependent_sets(residues(rows, p), p, rank(rows), out)
    if found > len(out):
        return False
    for mask in out[:found]:
        chosen = rows[list(flips_of(mask))]
        if clock.expired() or rank(chosen) == len(chosen):
            return False
    return True
