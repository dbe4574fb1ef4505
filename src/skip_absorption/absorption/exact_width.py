"""The exact search behind `minimal_width`: the minimum of X1 over all flipped sets F and doubled sets G.

The part of M outside row(W_up) is split off first. Then only an F with rank R_F below the best known cost can
improve on it. These F are among the zeros of one determinant (`minors`). For each of them the doublings are
searched modulo the same prime p: all that are cheap over Q are as cheap or cheaper modulo p, provided that
rows of W_up that are independent over Q stay so, which is checked. What is found is costed over Q. So the
minimum and its witness are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.integral import Flips, IntegralNetwork, flips_of, residues, word_prime
from skip_absorption.absorption.minors import MAX_SIZE, compressed, zero_masks
from skip_absorption.absorption.ranks import SMALL
from skip_absorption.exact.rational import ExactArray, rank, stack_rows

MAX_UNITS = 28
_ATTEMPTS = 4
_DEPENDENT = 1 << 16
_NODES = 20_000
_CHUNK = 1 << 16
_SECONDS = 1e-6  # an estimate of the time of one set of rows


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


def searchable(units: int, entries: int) -> bool:
    """Whether so many units and a skip of so many entries are within reach of the search."""
    return units <= MAX_UNITS and entries <= SMALL


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


def cheapest(
    network: IntegralNetwork, start: Witness, *, lower: int, rng: np.random.Generator, clock: Clock
) -> Searched:
    """Search all F and G for a cost below that of `start`.

    Parameters
    ----------
    network
        A scaled network that is `searchable`.
    start
        A witness whose cost is known.
    lower
        A proved lower bound; the search ends when it is reached.
    rng
        Draws the primes and the compression; the answer does not depend on it.
    clock
        When it expires the best witness so far is returned, marked incomplete.
    """
    excess, essential = network.essential()
    lower = max(lower, 2 * excess)  # such directions cost two units each, whatever is flipped or doubled
    if start.cost == lower:
        return Searched(start, True, "search over all F and G: the lower bound is reached at its start")
    size = min(essential.up.shape[1], start.cost - 2 * excess - 1)  # larger G are too expensive
    subsets = sum(math.comb(network.n, k) for k in range(size + 1))
    if subsets * _SECONDS > clock.remaining():
        return Searched(start, False, f"no time to check the independence of {subsets} sets of rows")
    for _ in range(_ATTEMPTS):
        p = word_prime(rng=rng)
        if not keeps_independence(essential.up, size, p, clock=clock):
            continue
        found = _search_modulo(
            essential,
            p,
            replace(start, cost=start.cost - 2 * excess),
            lower - 2 * excess,
            rng=rng,
            clock=clock,
        )
        if found is not None:
            return replace(found, best=replace(found.best, cost=found.best.cost + 2 * excess))
    return Searched(
        start, False, "the search over F and G met no prime in time that keeps independent rows independent"
    )


def _search_modulo(
    network: IntegralNetwork,
    p: int,
    best: Witness,
    lower: int,
    *,
    rng: np.random.Generator,
    clock: Clock,
) -> Searched | None:
    """Search modulo p; None when a rank dropped modulo p and another prime has to be taken."""
    from skip_absorption.absorption._doubling_kernels import cheaper_doubling

    residues = network.residues(p)
    done, listed, subsets = 0, 0, 2**network.n
    for reached, masks in _candidates(network, best.cost, p, rng, clock):
        position = 0
        while position < len(masks) and best.cost > lower and not clock.expired():
            position, cost, doubled = cheaper_doubling(masks, position, residues, p, (best.cost, _NODES))
            if cost >= 0:
                better = witness(network, flips_of(masks[position]), flips_of(doubled))
                if better.cost != cost:
                    return None
                best = better
        if position < len(masks):
            break
        done, listed = reached, listed + len(masks)
    if best.cost == lower:
        how = "the lower bound is reached"
    elif done == subsets:
        how = f"none of the {subsets} sets F ({listed} looked at closely) and no G is cheaper"
    else:
        how = f"stopped after {done} of {subsets} sets F"
    return Searched(best, done == subsets or best.cost == lower, f"search over all F and G: {how}")


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


def keeps_independence(rows: NDArray[Any], size: int, p: int, *, clock: Clock) -> bool:
    """Whether any `size` or fewer rows of integers that are independent over Q stay so modulo p.

    False also when the clock expires or too many subsets are dependent.
    """
    from skip_absorption.absorption._doubling_kernels import dependent_sets

    out = np.empty(_DEPENDENT, dtype=np.uint32)
    bases = np.zeros((size + 1, rows.shape[1]), dtype=np.int64), np.zeros(size + 1, dtype=np.int64)
    cursor, sets, place = (np.zeros(length, dtype=np.int64) for length in (size + 1, size + 1, 2))
    reduced = residues(rows, p), p
    while place[0] >= 0:
        if clock.expired():
            return False
        dependent_sets(reduced, out, bases, (cursor, sets, place), _NODES)
    found = int(place[1])
    if found > len(out):
        return False
    for mask in out[:found]:
        chosen = rows[list(flips_of(mask))]
        if clock.expired() or rank(chosen) == len(chosen):
            return False
    return True
