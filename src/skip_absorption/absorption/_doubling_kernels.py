"""Compiled loops behind `exact_width`, modulo p: cheap doublings for many flipped skips, and dependent rows.

Vectors are rows of int64 residues below a prime p < 2^31. A basis is kept with entry 1 at the pivot of each
row and 0 at the pivots of the rows before it, so that it grows and shrinks by one row without further work.
"""

from __future__ import annotations

import numpy as np

from skip_absorption.absorption._minor_kernels import I64, U32, Word, compiled, inverse_mod


@compiled
def grow(basis: I64, pivots: I64, size: int, vector: I64, p: Word) -> int:
    """Append the vector to a basis of `size` rows if it is independent of them; return the new size.

    The row ``basis[size]`` is overwritten in either case.
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


@compiled
def cheaper_doubling(
    masks: U32, first: int, network: tuple[I64, I64, I64], p: int, limits: tuple[int, int]
) -> tuple[int, int, Word]:
    """Look, from ``masks[first]`` on, for a flipped skip with a cheap doubling, all modulo p.

    Parameters
    ----------
    masks, first
        The sets F, and where to start.
    network
        skip, down and up modulo p, shapes (m, d), (m, N), (N, d).
    p
        The prime.
    limits
        Only costs below the first number count; the search stops before another F once it has seen as many
        spaces as the second number says.

    Returns
    -------
    position, cost, doubled
        The first F with a cheaper doubling, its cost and the mask of G. Otherwise cost -1, and the position
        to go on from: len(masks) when all are done.

    Notes
    -----
    With G independent the cost is 2 dim X - |G|, X the span of row(R_F) and w_G, and the best G for an X is a
    basis of the rows in X outside F. So the spaces X are listed that row(R_F) and ascending further rows
    span. Any space that contains X costs at least dim X.
    """
    skip, down, up = network
    best, nodes = limits
    m, d = skip.shape
    units = up.shape[0]
    basis, pivots = np.zeros((d + 2, d), dtype=np.int64), np.zeros(d + 2, dtype=np.int64)
    inner, inner_pivots = np.zeros((d + 2, d), dtype=np.int64), np.zeros(d + 2, dtype=np.int64)
    cursor = np.zeros(d + 2, dtype=np.int64)
    row = np.zeros(d, dtype=np.int64)
    for position in range(first, masks.shape[0]):
        if nodes <= 0:
            return position, -1, np.int64(0)
        flips = np.int64(masks[position])
        bottom = 0
        for a in range(m):
            row[:] = skip[a]
            for i in range(units):
                if flips >> i & 1:
                    for c in range(d):
                        row[c] = (row[c] + down[a, i] * up[i, c]) % p
            bottom = grow(basis, pivots, bottom, row, p)
        nodes -= 1
        if bottom >= best:
            continue
        size, fresh = bottom, True
        cursor[size] = 0
        while size >= bottom:
            if fresh:
                nodes -= 1
                rank, doubled = 0, np.int64(0)
                for i in range(units):
                    if not flips >> i & 1 and grow(basis, pivots, size, up[i], p) == size:
                        before = rank
                        rank = grow(inner, inner_pivots, rank, up[i], p)
                        if rank > before:
                            doubled |= np.int64(1) << i
                if 2 * size - rank < best:
                    return position, 2 * size - rank, doubled
            # a larger space costs at least size + 1; the last `grow` leaves its new row in place
            i = cursor[size] if size + 1 < best else units
            while i < units and (flips >> i & 1 or grow(basis, pivots, size, up[i], p) == size):
                i += 1
            fresh = i < units
            if fresh:
                cursor[size] = i + 1
                size += 1
                cursor[size] = i + 1
            else:
                size -= 1
    return masks.shape[0], -1, np.int64(0)


@compiled
def dependent_sets(
    rows: tuple[I64, int], out: U32, bases: tuple[I64, I64], walk: tuple[I64, I64, I64], nodes: int
) -> None:
    """List sets of at most `size` rows that are dependent modulo p but independent without their last row.

    Parameters
    ----------
    rows
        The rows modulo p, and the prime.
    out
        Where the masks of the sets go.
    bases, walk
        Zero at first, and kept from call to call: arrays of `size` + 1 rows of length d and of `size` + 1
        pivots; two arrays of `size` + 1 numbers, and one that holds the depth and how many sets were found.
        The depth is -1 when all are; if more than ``len(out)`` are found the search ends, and the list is
        incomplete.
    nodes
        How many sets to look at before the search pauses.

    Notes
    -----
    Every set that is dependent modulo p contains a listed one: its shortest dependent initial part.
    """
    up, p = rows
    units = up.shape[0]
    basis, pivots = bases
    cursor, sets, place = walk
    size = len(cursor) - 1
    k, found = place
    while k >= 0 and nodes > 0:
        nodes -= 1
        i = cursor[k]
        if k == size or i == units:
            k -= 1
            continue
        cursor[k] = i + 1
        chosen = sets[k] | np.int64(1) << i
        if grow(basis, pivots, k, up[i], p) == k:
            if found < out.shape[0]:
                out[found] = np.uint32(chosen)
            else:
                k = -1
            found += 1
        else:
            k += 1
            sets[k] = chosen
            cursor[k] = i + 1
    place[0], place[1] = k, found
