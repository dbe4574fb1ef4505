"""Meet in the middle over the free units mod p: 2^(n/2) steps in 2^(n/4) memory.

The free units and a few pivots are split into four quarters. A random combination of the pivots' rows gives
each subset of a quarter a value mod p; a solution needs ``A + B = C + D``. The values are walked through
interval by interval (after Schroeppel and Shamir), so that only short lists and one interval's pairs are in
memory. Equal residues give equal values, so no solution is lost; a match is checked against all rows, then
exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.search.affine import AffineSet
from skip_absorption.absorption.search.outcome import PartReached

_SECONDS_PER_PAIR = 2e-8  # of left and right sums, measured; only used to predict
_HOPELESS = 400  # units; keeps the predictions finite
_CHECKED_ROWS = 16
_WORK = 1 << 24  # pairs between two looks at the clock
_FALSE_MATCHES = 1_000_000  # beyond twice the pairs of one side, more rows are needed
_ROOM_BITS = 15  # one interval's pairs stay in the cache
_FOUND = 64


@dataclass(frozen=True)
class _Quarter:
    """The subsets of a quarter: values and row vectors mod p, and the bits of the units."""

    values: NDArray[np.int64]
    vectors: NDArray[np.int64]
    masks: NDArray[np.int64]
    thinned: bool


def predicted_seconds(part: AffineSet) -> float:
    """Return the predicted time of a search with one pivot among the quarters."""
    return float(2.0 ** (min(part.dimension + 1, _HOPELESS) / 2) * _SECONDS_PER_PAIR)


def fits(part: AffineSet, memory_bytes: int) -> bool:
    """Whether the lists of a search with one pivot among the quarters fit into memory."""
    longest = 2.0 ** (min(part.dimension + 1, _HOPELESS) // 4 + 2)
    return longest * (4 * min(_CHECKED_ROWS, len(part.pivots)) + 40 + 128) * 8 <= memory_bytes


def meet_in_the_middle(
    part: AffineSet,
    accept: Callable[[list[int]], bool],
    *,
    rng: np.random.Generator,
    clock: Clock,
    memory_bytes: int,
) -> PartReached:
    """Search all 0/1 choices of the free units; with many coincidences, with more pivots among the quarters.

    Parameters
    ----------
    part
        The solution set mod p, or a component of it, with at least one pivot.
    accept
        Says whether a 0/1 point of the part, given as the list of its units, is a solution.
    rng
        Draws the combination of rows.
    clock, memory_bytes
        Where to stop.
    """
    most = min(_CHECKED_ROWS, len(part.pivots))
    pairs = 0
    if not fits(part, memory_bytes):
        return PartReached(0, note="lists do not fit into memory")
    for level in [k for k in (1, 2, 4, 8) if k < most] + [most]:
        reached = _search(part, level, most, accept, rng=rng, clock=clock, memory_bytes=memory_bytes)
        pairs += reached.nodes
        if reached.note != "coincidences":
            return PartReached(pairs, reached.exhausted, reached.ones, reached.note)
    return PartReached(pairs, note="too many equal sums")


def _search(
    part: AffineSet,
    level: int,
    checked: int,
    accept: Callable[[list[int]], bool],
    *,
    rng: np.random.Generator,
    clock: Clock,
    memory_bytes: int,
) -> PartReached:
    """Search with `level` pivots among the quarters; the note is "coincidences" if more are needed."""
    from skip_absorption.absorption.search._middle_kernel import (
        DONE,
        FULL,
        TOO_MANY_EQUAL,
        TOO_MANY_FALSE,
        join,
    )

    p, delta = part.p, part.dimension
    rows = np.argsort(-np.count_nonzero(part.matrix, axis=1), kind="stable")[:checked]
    weights = [int(x) for x in rng.integers(1, p, size=level)]
    items, values = _items(part, rows, weights)
    order = rng.permutation(len(values))
    split = _split(order)
    whole = checked == len(part.pivots)
    target = sum(x * int(part.offset[k]) for x, k in zip(weights, rows, strict=False)) % p
    quarters = [
        _quarter(items[split[k]], values[split[k]], p, sign=1 if k < 2 else -1, merge=whole) for k in range(4)
    ]
    quarters[2] = _shifted(quarters[2], target, p)
    quarters[1], quarters[3] = _sorted(quarters[1]), _sorted(quarters[3])
    lists = [q.values for q in quarters]
    sides = (_side(lists[0], lists[1], p), _side(lists[2], lists[3], p))
    room = 1 << max(_ROOM_BITS, min(8 * len(lists[0]), memory_bytes // 64).bit_length() - 1)
    largest = np.array([0] * level + [1] * (checked - level), dtype=np.int64)
    total = len(lists[0]) * len(lists[1])
    state = np.array([0, max(1, p // max(1, 2 * total // room)), 0, 0, 0], dtype=np.int64)
    buffers = (
        np.empty(room, dtype=np.int64),
        np.empty((room, 2), dtype=np.int32),
        np.empty(2 * room, dtype=np.int32),
        np.empty(room, dtype=np.int32),
        np.empty(len(lists[0]), dtype=np.int64),
        np.empty((_FOUND, 4), dtype=np.int64),
    )
    checks = (*(q.vectors for q in quarters), part.offset[rows].astype(np.int64), largest)
    limits = (p, _WORK, _FALSE_MATCHES + 2 * total)
    thinned = any(q.thinned for q in quarters)
    found = buffers[-1]
    while not clock.expired():
        status = join(sides, checks, limits, state, buffers)
        for match in found[: state[2]]:
            bits = np.zeros(len(values), dtype=np.int8)
            for quarter, units, position in zip(quarters, split, match, strict=True):
                mask = int(quarter.masks[position])
                bits[units] = [mask >> b & 1 for b in range(len(units))]
            ones = part.ones(bits[:delta])
            if ones is not None and accept(ones):
                return PartReached(int(state[4]), ones=ones)
            if thinned:
                return PartReached(
                    int(state[4]), note="a point mod p that merged sums stood for is no solution"
                )
        state[2] = 0
        if status == DONE:
            return PartReached(int(state[4]), exhausted=True)
        if status in (TOO_MANY_EQUAL, TOO_MANY_FALSE):
            return PartReached(int(state[4]), note="coincidences")
        if status == FULL:
            return PartReached(int(state[4]), note="too many points mod p that are no solutions")
    return PartReached(int(state[4]), note="out of time")


def _items(
    part: AffineSet, rows: NDArray[np.int64], weights: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row vectors (n, checked) and values (n,) of the free units and of the first pivots."""
    p, level = part.p, len(weights)
    pivots = np.zeros((level, len(rows)), dtype=np.int64)
    pivots[np.arange(level), np.arange(level)] = 1
    vectors = np.concatenate([part.matrix[rows].T.astype(np.int64), pivots])
    values = [sum(x * int(v) for x, v in zip(weights, vector, strict=False)) % p for vector in vectors]
    return vectors, np.array(values, dtype=np.int64)


def _split(order: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return four quarters; the first of each half is the shorter, so that inner loops are longer."""
    half = len(order) // 2
    short = max(0, half // 2 - 1)
    return [order[:short], order[short:half], order[half : half + short], order[half + short :]]


def _quarter(
    vectors: NDArray[np.int64], values: NDArray[np.int64], p: int, *, sign: int, merge: bool
) -> _Quarter:
    """Return all subset sums of a quarter; equal vectors are kept once if `merge`."""
    sums = np.zeros(1, dtype=np.int64)
    table = np.zeros((1, vectors.shape[1]), dtype=np.int64)
    for vector, value in zip(vectors, values, strict=True):
        sums = np.concatenate([sums, (sums + sign * value) % p])
        table = np.concatenate([table, (table + vector) % p])
    masks = np.arange(len(sums), dtype=np.int64)
    if merge and len(np.unique(sums)) < len(sums):
        masks = np.unique(table, axis=0, return_index=True)[1].astype(np.int64)
    return _Quarter(sums[masks], np.ascontiguousarray(table[masks]), masks, len(masks) < len(sums))


def _shifted(quarter: _Quarter, target: int, p: int) -> _Quarter:
    return _Quarter((quarter.values + target) % p, quarter.vectors, quarter.masks, quarter.thinned)


def _sorted(quarter: _Quarter) -> _Quarter:
    order = np.argsort(quarter.values, kind="stable")
    vectors = np.ascontiguousarray(quarter.vectors[order])
    return _Quarter(quarter.values[order], vectors, quarter.masks[order], quarter.thinned)


def _side(first: NDArray[np.int64], second: NDArray[np.int64], p: int) -> tuple[NDArray[np.int64], ...]:
    """Return the two lists, where the sums with each first value start to ascend, and how many are done."""
    start = (np.searchsorted(second, p - first) % len(second)).astype(np.int64)
    return first, second, start, np.zeros(len(first), dtype=np.int64)
