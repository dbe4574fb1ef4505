"""Depth-first enumeration of the free units of the solution set mod p.

A pivot row is checked as soon as its free units are all chosen, and the units are ordered so that rows
with few of them come early: sparse systems are pruned at once, dense ones cost 2^delta nodes of a few
nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.search.affine import AffineSet
from skip_absorption.absorption.search.outcome import PartReached

_BATCH = 1 << 20  # nodes between two looks at the clock


def enumerate_kernel(
    part: AffineSet, accept: Callable[[list[int]], bool], *, clock: Clock, node_limit: int
) -> PartReached:
    """Try every 0/1 choice of the free units of a part that its pivots allow.

    Parameters
    ----------
    part
        The solution set mod p, or a component of it, with at least one free unit.
    accept
        Says whether a 0/1 point of the part, given as the list of its units, is a solution; the search
        goes on past those that are not.
    clock, node_limit
        Where to stop.
    """
    delta = part.dimension
    from skip_absorption.absorption.search._enumeration_kernel import EXHAUSTED, FOUND, walk

    order = _order(part.matrix != 0)
    tables = _tables(part.matrix[:, order], part.offset)
    bits = np.full(delta, -1, dtype=np.int8)
    depth = nodes = 0
    while nodes < node_limit and not clock.expired():
        status, depth, count = walk(bits, depth, min(_BATCH, node_limit - nodes), tables, part.p)
        nodes += count
        if status == EXHAUSTED:
            return PartReached(nodes, exhausted=True)
        if status == FOUND:
            chosen = np.zeros(delta, dtype=np.int8)
            chosen[order] = bits
            ones = part.ones(chosen)
            if ones is not None and accept(ones):
                return PartReached(nodes, ones=ones)
    return PartReached(nodes)


def _order(support: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Order the free units so that the row with the fewest units still open is completed next."""
    support = support.copy()
    order: list[int] = []
    while len(order) < support.shape[1]:
        open_units = support.sum(axis=1)
        if not open_units.any():
            return np.array(order + sorted(set(range(support.shape[1])) - set(order)), dtype=np.int64)
        row = int(np.argmin(np.where(open_units == 0, support.shape[1] + 1, open_units)))
        units = np.flatnonzero(support[row])
        order += [int(f) for f in units]
        support[:, units] = False
    return np.array(order, dtype=np.int64)


def _tables(
    matrix: NDArray[np.uint64], offset: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows grouped by the depth that completes them, each with its nonzero entries."""
    r, delta = matrix.shape
    last = np.array([np.flatnonzero(row).max(initial=0) for row in matrix], dtype=np.int64)
    sequence = np.argsort(last, kind="stable")
    level_start = np.searchsorted(last[sequence], np.arange(delta + 1))
    where = [np.flatnonzero(matrix[k]) for k in sequence]
    row_start = np.concatenate([[0], np.cumsum([len(w) for w in where])]).astype(np.int64)
    index = np.concatenate(where).astype(np.int64) if r else np.zeros(0, dtype=np.int64)
    value = [matrix[k, w].astype(np.int64) for k, w in zip(sequence, where, strict=True)]
    return (
        level_start.astype(np.int64),
        row_start,
        index,
        np.concatenate(value) if r else np.zeros(0, dtype=np.int64),
        offset[sequence].astype(np.int64),
    )
