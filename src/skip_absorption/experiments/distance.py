"""How near to absorbable is a random network? The least ‖W_down[:,S] W_up[S,:] + I‖_F over sets S of units.

Small networks have all 2^N sets listed. For larger ones a set is found by local search, and boxes of
weights s in [0, 1]^N are bounded by least-squares duality and halved, the lowest first, until none is below
the best set or the allowance of boxes is used up. Both bounds allow for all rounding. Weights are rounded to
multiples of 2⁻²⁰, so that their products, and sums of those, are exact in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.distributions import distribution
from skip_absorption.errors import InvalidInput
from skip_absorption.measures import generator

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Bits = NDArray[np.int8]

EXPERIMENT = "distance"
GRID = 2.0**20
LARGEST = 2.0**13  # sums of products, multiples of 1/GRID², are exact in 53 bits below it
ROUNDING = 1e-12  # more than the relative error of a norm that was summed in float64
_MOST_LISTED = 26


@dataclass(frozen=True)
class Distance:
    """Proved bounds of the distance, and a set that reaches the upper one.

    Attributes
    ----------
    lower, upper
        The least norm lies between them.
    relaxed
        A proved bound of the least norm for real weights in [0, 1].
    units
        The set S behind `upper`, sorted 0-based units.
    method
        "enumeration", "branch and bound" (the bounds meet up to rounding), or "bounds".
    nodes
        Sets listed, or boxes bounded.
    """

    lower: float
    upper: float
    relaxed: float
    units: tuple[int, ...]
    method: str
    nodes: int


def run_sizes(
    measure: str,
    d: int,
    widths: Sequence[int],
    *,
    draws: int,
    listed: int,
    nodes: int,
    seed: int = 0,
) -> pd.DataFrame:
    """Return rows of ``distance`` for random networks of input dimension d.

    Parameters
    ----------
    measure
        A distribution of the weights, which are rounded to multiples of 2⁻²⁰.
    widths
        The hidden widths N; each draw has a stream of its own.
    listed
        All sets are listed up to so many units.
    nodes
        Boxes that may be bounded for one larger network.
    """
    import pandas as pd

    rows = []
    for n in widths:
        for draw in range(draws):
            started = perf_counter()
            rng = generator(EXPERIMENT, f"{measure}/{d}/{n}/{draw}", seed)
            up, down = (
                np.rint(weights[0] * GRID) / GRID for weights in distribution(measure).draw((1, d, n), rng)
            )
            found = nearest_set(up, down, listed=listed, nodes=nodes, rng=rng)
            rows.append(_row({"measure": measure, "d": d, "N": n, "draw": draw}, found, started))
        print(f"{measure}, d = {d}, N = {n}: {rows[-1]['lower']:.3g} to {rows[-1]['upper']:.3g}", flush=True)
    return pd.DataFrame(rows)


def _row(cell: dict[str, Any], found: Distance, started: float) -> dict[str, Any]:
    return {
        **cell,
        "lower": found.lower,
        "upper": found.upper,
        "relaxed": found.relaxed,
        "units": len(found.units),
        "method": found.method,
        "nodes": found.nodes,
        "seconds": perf_counter() - started,
    }


def nearest_set(
    w_up: Floats, w_down: Floats, *, listed: int = 20, nodes: int = 1000, rng: np.random.Generator
) -> Distance:
    """Bound the least Frobenius norm of ``W_down[:, S] W_up[S, :] + I`` over all sets S from both sides.

    Parameters
    ----------
    w_up, w_down
        Arrays (N, d) and (d, N) of multiples of 2⁻²⁰; the sums of |a_ri w_ic| stay below 2¹².
    listed
        All sets are listed if N is at most this.
    nodes
        Boxes that may be bounded otherwise.
    rng
        Draws the starts of the local search.

    Raises
    ------
    InvalidInput
        For other shapes or weights, more than 64 units, or more than 26 to list.

    Examples
    --------
    >>> found = nearest_set(np.eye(2), np.diag([-1.0, -0.5]), rng=np.random.default_rng(0))
    >>> round(found.lower, 9), round(found.upper, 9), found.units
    (0.5, 0.5, (0, 1))
    """
    from skip_absorption.experiments import _distance_kernels as kernels

    n, d = w_up.shape
    if w_down.shape != (d, n) or n > 64:
        raise InvalidInput("w_down", f"have shape {(d, n)} and at most 64 columns", w_down.shape)
    if listed > _MOST_LISTED:
        raise InvalidInput("listed", f"be at most {_MOST_LISTED}", listed)
    for name, weights in (("w_up", w_up), ("w_down", w_down)):
        if (weights * GRID != np.rint(weights * GRID)).any():
            raise InvalidInput(name, "hold multiples of 2^-20", "others")
    reach = 1 + float((np.abs(w_down) @ np.abs(w_up)).max())
    if reach >= LARGEST / 2:
        raise InvalidInput("the weights", "keep sums of products below 2^12", reach)
    start = np.eye(d).ravel()
    terms = np.einsum("ri,ic->irc", w_down, w_up).reshape(n, d * d)
    free = np.full(n, -1, dtype=np.int8)
    search = _Search(start, terms)
    weights = kernels.relaxed(search.gram, search.linear, free, np.full(n, 0.5))
    root = float(kernels.dual_bound(start, terms, free, weights))
    if n <= listed:
        square, mask = kernels.nearest_of_all(start, terms)
        units = tuple(i for i in range(n) if int(mask) >> i & 1)
        low, high = (float(square) ** 0.5 * (1 + sign * ROUNDING) for sign in (-1, 1))
        return Distance(low, high, min(root, low), units, "enumeration", 1 << n)
    search.start_from(weights, rng=rng)
    lower, bounded = search.bounded(free, weights, root, nodes)
    units = tuple(int(i) for i in np.flatnonzero(search.best))
    closed = lower >= search.upper * (1 - 4 * ROUNDING)
    return Distance(lower, search.upper, root, units, "branch and bound" if closed else "bounds", bounded)


class _Search:
    """The best set so far, and the boxes that may hold a better one."""

    starts = 200

    def __init__(self, start: Floats, terms: Floats) -> None:
        self.start, self.terms = start, terms
        self.gram, self.linear = terms @ terms.T, terms @ start
        self.best: Bits = np.zeros(len(terms), dtype=np.int8)
        self.upper = self._norm(self.best)

    def _norm(self, bits: Bits) -> float:
        rest = self.start + bits @ self.terms
        return float(np.sqrt((rest**2).sum())) * (1 + ROUNDING)

    def _offer(self, bits: Bits) -> None:
        norm = self._norm(bits)
        if norm < self.upper:
            self.best, self.upper = bits, norm

    def start_from(self, weights: Floats, *, rng: np.random.Generator) -> None:
        """Search locally from the rounded weights, and from sets drawn by them or at random."""
        from skip_absorption.experiments._distance_kernels import improved

        for number in range(self.starts):
            chances = 0.5 if number % 2 else weights
            bits = (weights > 0.5) if number == 0 else (rng.random(len(weights)) < chances)
            self._offer(improved(self.gram, self.linear, bits.astype(np.int8)))

    def bounded(self, free: Bits, weights: Floats, root: float, nodes: int) -> tuple[float, int]:
        """Halve boxes, the one of the lowest bound first; return a lower bound and how many were bounded."""
        from skip_absorption.experiments._distance_kernels import dual_bound, improved, relaxed

        order = count()
        heap = [(root, next(order), free, weights)]
        done, settled = 1, self.upper * (1 - 2 * ROUNDING)  # the true norm of the best set is above this
        while heap and heap[0][0] < settled and done < nodes:
            bound, _, fixed, weights = heappop(heap)
            unit = int(np.argmin(np.where(fixed < 0, np.abs(weights - 0.5), 2.0)))
            for value in (0, 1):
                child = fixed.copy()
                child[unit] = value
                moved = relaxed(self.gram, self.linear, child, weights)
                self._offer(improved(self.gram, self.linear, (moved > 0.5).astype(np.int8)))
                below = max(bound, float(dual_bound(self.start, self.terms, child, moved)))
                done += 1
                if (child >= 0).all():
                    self._offer(child)
                else:
                    heappush(heap, (below, next(order), child, moved))
            settled = self.upper * (1 - 2 * ROUNDING)
        return min([settled, *(entry[0] for entry in heap[:1])]), done
