"""Compiled loops behind `exact_width`: cheap doublings for many flipped skips, and dependent rows, modulo p.

Vectors are rows of int64 residues below a prime p < 2^31. A basis is kept with entry 1 at the pivot of each row and 0 at the
pivots of the rows before it, so that it grows and shrinks by one row without further work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption._minor_kernels import U32, I64, inverse_mod

_Function = TypeVar("_Function", bound=Callable[..., object])


def _compiled(function: _Function) -> _Function:
    return cast(_Function, numba.njit(cache=True, nogil=True)(function))


@_compiled
def grow(basis: I64, pivots: I64, size: int, vector: I64, p: int) -> int:
    """Append the vector to a basis of `size` rows if it is independent of them; return the new size.

    The residual is written to ``basis[size]`` in either case.
    """
    row = basis[size]
    row[:] = vector
    for k in range(size):
        factor = row[pivots[k]]
        if factor:
            known = basis[k]
            for c in range(row.shape[0]):
                row[c] = (row[c] + (p - factor) * known[c]) % p
    for c in range(row.shape[0]):
        if row[c]:
            reciprocal = inverse_mod(row[c], p)
            for j in range(row.shape[0]):
                row[j] = row[j] * reciprocal % p
            pivots[size] = c
            return size + 1
    return size


@_compiled
def cheaper_doubling(
    masks: U32,
    first: int,
    skip: I64,
    down: I64,
    up: I64,
    p: int,
    best: int,
    excess: int,
    nodes: int,
) -> tuple[int, int, int]:
    """Look for a flipped skip with a doubling that costs less than `best`, all modulo p.

    Parameters
    ----------
    masks, first
        The sets F; the search starts at ``masks[first]``.
    excess
        A proved lower bound of dim X - rank(rows of W_up in X) for every X that contains a row(R_F).
    nodes
        Give up after this many spaces X.

    Returns
    -------
    position, cost, doubled
        The first F that has one, its cost, and the mask of G; position len(masks) if none has; position -1 when
        `nodes` ran out.
    """
    m, d = skip.shape
    units = up.shape[0]
    basis, pivots = np.zeros((d + 2, d), dtype=np.int64), np.zeros(d + 2, dtype=np.int64)
    inner, inner_pivots = np.zeros((d + 2, d), dtype=np.int64), np.zeros(d + 2, dtype=np.int64)
    cursor = np.zeros(d + 2, dtype=np.int64)
    row = np.zeros(d, dtype=np.int64)
    for position in range(first, masks.shape[0]):
        flips = np.int64(masks[position])
        bottom = 0
        for a in range(m):
            row[:] = skip[a]
            for i in range(units):
                if flips >> i & 1:
                    for c in range(d):
                        row[c] = (row[c] + down[a, i] * up[i, c]) % p
            bottom = grow(basis, pivots, bottom, row, p)
        if bottom + excess >= best:
            continue
        size, fresh = bottom, True
        cursor[size] = 0
        while size >= bottom:
            if fresh:
                nodes -= 1
                if nodes < 0:
                    return -1, 0, 0
                rank, doubled = 0, np.int64(0)
                for i in range(units):
                    if not flips >> i & 1 and grow(basis, pivots, size, up[i], p) == size:
                        before = rank
                        rank = grow(inner, inner_pivots, rank, up[i], p)
                        if rank > before:
                            doubled |= np.int64(1) << i
                if 2 * size - rank < best:
                    return position, 2 * size - rank, doubled
            # a larger space costs at least size + 1 + excess; the last call of `grow` leaves its new row in place
            i = cursor[size] if size + 1 + excess < best else units
            while i < units and (flips >> i & 1 or grow(basis, pivots, size, up[i], p) == size):
                i += 1
            fresh = i < units
            if fresh:
                cursor[size] = i + 1
                size += 1
                cursor[size] = i + 1
            else:
                size -= 1
    return masks.shape[0], best, 0


@_compiled
def dependent_sets(up: I64, p: int, size: int, out: U32) -> int:
    """List sets of at most `size` rows that are dependent modulo p but independent without their last row.

    Returns
    -------
    int
        How many were written to `out`; more than ``len(out)`` means that the list is incomplete.

    Notes
    -----
    Every set that is dependent modulo p contains a listed one: its shortest dependent initial part.
    """
    units, d = up.shape
    basis, pivots = np.zeros((size + 1, d), dtype=np.int64), np.zeros(size + 1, dtype=np.int64)
    cursor, sets = np.zeros(size + 1, dtype=np.int64), np.zeros(size + 1, dtype=np.int64)
    found, k = 0, 0
    while k >= 0:
        i = cursor[k]
        if k == size or i == units:
            k -= 1
            continue
        cursor[k] = i + 1
        sets[k + 1] = sets[k] | np.int64(1) << i
        if grow(basis, pivots, k, up[i], p) == k:
            if found < out.shape[0]:
                out[found] = np.uint32(sets[k + 1])
            found += 1
        else:
            k += 1
            cursor[k] = i + 1
    return found
