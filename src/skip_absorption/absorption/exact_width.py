"""The exact search behind `minimal_width`: the minimum of X1 over all flipped sets F and doubled sets G.

Only F with rank R_F + excess < best can improve on the best known cost, where excess = rank[M ; W_up] - rank W_up. They
are among the zeros of one determinant (`minors`). For each of them the doublings are searched modulo
the same prime p, which finds every one that is as cheap over Q, provided that p keeps independent rows of W_up independent; that is
checked. What is found is costed over Q, so both the minimum and its witness are exact.
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


def cheapest(
    network: IntegralNetwork,
    start: Witness,
    *,
    lower: int,
    excess: int,
    rng: np.random.Generator,
    clock: Clock,
) -> Searched:
    """Search all F and G for a cost below that of `start`.

    Parameters
    ----------
    network
        At most 28 units.
    start
        A witness whose cost is known.
    lower
        A proved lower bound; the search ends when it is reached.
    excess
        rank[M ; W_up] - rank W_up over Q.
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
        outcome = _search_modulo(network, p, start, lower, excess, rng, clock)
        if outcome is not None:
            return outcome
    return Searched(
        start, False, "the search over F and G met no prime that keeps independent rows independent"
    )


def _search_modulo(
    network: IntegralNetwork,
    p: int,
    best: Witness,
    lower: int,
    excess: int,
    rng: np.random.Generator,
    clock: Clock,
) -> Searched | None:
    """Search modulo p; None when a rank dropped modulo p and another prime has to be taken."""
    from skip_absorption.absorption._doubling_kernels import cheaper_doubling

    skip, down, up = network.residues(p)
    size = best.cost - excess  # R_F of this rank or more is too expensive
    done, listed, subsets = 0, 0, 2**network.n
    how = "the search over all F and G"
    for reached, masks in _candidates(network, size, p, rng, clock):
        listed += len(masks)
        position = 0
        while position < len(masks) and best.cost > lower:
            position, cost, doubled = cheaper_doubling(
                masks, position, skip, down, up, p, best.cost, excess, _NODES
            )
            if position < 0 or clock.expired():
                return Searched(best, False, f"{how} stopped after {done} of {subsets} sets F")
            if position < len(masks):
                better = witness(network, flips_of(masks[position]), flips_of(doubled))
                if better.cost != cost:
                    return None
                best = better
        done = reached
        if best.cost == lower:
            return Searched(best, True, f"{how} reached the lower bound after {done} of {subsets} sets F")
    if done < subsets:
        return Searched(best, False, f"{how} stopped after {done} of {subsets} sets F")
    return Searched(
        best, True, f"{how}: none of the {subsets} sets F ({listed} of small rank) and no G is cheaper"
    )


def _candidates(
    network: IntegralNetwork, size: int, p: int, rng: np.random.Generator, clock: Clock
) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Yield, chunk by chunk, how many F are done and, of these, all with rank R_F < size (and perhaps others)."""
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
