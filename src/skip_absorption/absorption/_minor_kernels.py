"""Compiled loops behind `minors`: the coefficients of one polynomial modulo p, and its zeros on {0, 1}^N.

``f(s) = det(M + sum_i s_i a_i w_i^T)`` has degree at most 1 in each s_i and degree at most n, the size of M. A
subset of units is a bit mask; all arithmetic is on residues below a prime p < 2^31, held in 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

_Function = TypeVar("_Function", bound=Callable[..., object])

LANES = 3
"""Units decided side by side: 2^3 neighbouring residues make one vector instruction."""

U32, I64 = NDArray[np.uint32], NDArray[np.int64]


def _compiled(function: _Function) -> _Function:
    return cast(_Function, numba.njit(cache=True, nogil=True)(function))


def _inlined(function: _Function) -> _Function:
    return cast(_Function, numba.njit(cache=True, nogil=True, inline="always")(function))


@_inlined
def _reduce(x: np.uint64, p: np.uint64, negative_inverse: np.uint64) -> np.uint64:
    """Return x / 2^32 mod p for x < 2^32 p (Montgomery); negative_inverse is -1/p mod 2^32."""
    low = np.uint64(0xFFFFFFFF)
    t = (x + ((x & low) * negative_inverse & low) * p) >> np.uint64(32)
    return t - p if t >= p else t


@_compiled
def _popcount(x: np.int64) -> np.int64:
    count = 0
    while x:
        x &= x - 1
        count += 1
    return np.int64(count)


@_compiled
def minor_table(matrix: NDArray[np.uint64], p: np.uint64, inverse: np.uint64) -> NDArray[np.uint64]:
    """Return all minors det(matrix[I, J]) of a square matrix in Montgomery form, indexed by masks I, J.

    Entries with |I| != |J| are 0. Laplace expansion along the last row of I: no division, no pivot.
    """
    n = matrix.shape[0]
    size = 1 << n
    table = np.zeros((size, size), dtype=np.uint64)
    table[0, 0] = (np.uint64(1) << np.uint64(32)) % p
    for rows in range(1, size):
        last = n - 1
        while not rows >> last & 1:
            last -= 1
        extend(table[rows ^ (1 << last)], matrix[last], _popcount(np.int64(rows)), table[rows], p, inverse)
    return table


@_compiled
def extend(
    before: NDArray[np.uint64],
    row: NDArray[np.uint64],
    k: int,
    after: NDArray[np.uint64],
    p: np.uint64,
    inverse: np.uint64,
) -> None:
    """From the (k-1)-minors of some rows compute the k-minors with `row` put below them, over all column masks."""
    for columns in range(1, after.shape[0]):
        if _popcount(np.int64(columns)) != k:
            continue
        total = np.uint64(0)
        sign = (k - 1) & 1  # (-1)^(k-1 + position)
        rest = columns
        while rest:
            bit = rest & -rest
            rest ^= bit
            column = _popcount(np.int64(bit - 1))
            term = _reduce(row[column] * before[columns ^ bit], p, inverse)
            total += p - term if sign else term
            sign ^= 1
        after[columns] = total % p


@_compiled
def coefficients(
    masks: U32,
    skip: NDArray[np.uint64],
    down: NDArray[np.uint64],
    up: NDArray[np.uint64],
    p: np.uint64,
    inverse: np.uint64,
) -> U32:
    """Return the coefficient of prod_{i in T} s_i in f for each mask T of at most n units, in ascending order.

    Parameters
    ----------
    masks
        All masks with at most n bits, ascending.
    skip, down, up
        Residues of shapes (n, n), (N, n) (row i is a_i) and (N, n), in Montgomery form.

    Notes
    -----
    The coefficient is sum over I, J of size |T| of (-1)^(sum I + sum J) det(skip[I^c, J^c]) det(A[I, T])
    det(W[T, J]) (Laplace and Cauchy-Binet). Ascending masks visit T after T minus its lowest unit, so the minors of
    A[:, T] and W[T, :] are kept on a stack and grow by one row at a time.
    """
    n = skip.shape[0]
    full = (1 << n) - 1
    complement = minor_table(skip, p, inverse)
    by_size = np.zeros((n + 1, 1 << n), dtype=np.int64)  # the masks of each size
    count = np.zeros(n + 1, dtype=np.int64)
    odd = np.zeros(1 << n, dtype=np.int64)  # parity of the sum of the elements
    for mask in range(1 << n):
        size = _popcount(np.int64(mask))
        by_size[size, count[size]] = mask
        count[size] += 1
        for i in range(1, n, 2):
            odd[mask] ^= mask >> i & 1
    minors_down = np.zeros((n + 1, 1 << n), dtype=np.uint64)
    minors_up = np.zeros((n + 1, 1 << n), dtype=np.uint64)
    one = (np.uint64(1) << np.uint64(32)) % p
    minors_down[0, 0] = minors_up[0, 0] = one
    out = np.empty(masks.shape[0], dtype=np.uint32)
    for t in range(masks.shape[0]):
        mask = np.int64(masks[t])
        k = _popcount(mask)
        if k:
            unit = _popcount((mask & -mask) - 1)
            extend(minors_down[k - 1], down[unit], k, minors_down[k], p, inverse)
            extend(minors_up[k - 1], up[unit], k, minors_up[k], p, inverse)
        value = np.uint64(0)
        for a in range(count[k]):
            rows = by_size[k, a]
            inner = np.uint64(0)
            for b in range(count[k]):
                columns = by_size[k, b]
                cofactor = complement[full ^ rows, full ^ columns]
                if cofactor:
                    term = _reduce(cofactor * minors_up[k, columns], p, inverse)
                    inner += p - term if odd[rows] ^ odd[columns] else term
            value += _reduce((inner % p) * minors_down[k, rows], p, inverse)
        out[t] = np.uint32(value % p)
    return out


@_compiled
def zeros(
    first: int,
    last: int,
    tables: U32,
    offsets: I64,
    sizes: I64,
    masks: U32,
    parents: I64,
    low: int,
    n: int,
    p: np.uint32,
    block: U32,
    out: U32,
) -> int:
    """Write the masks s with f(s) = 0 mod p to `out` for the high parts in [first, last), and return how many.

    The units from `low` on are decided one after another: ``tables[offsets[r]:][:sizes[r]]`` holds the coefficients
    that remain when the units r, r+1, ... have been fixed. Of them the lowest ``LANES`` run side by side
    in a block, whose other axis is summed over subsets of the units below `low`.
    """
    lanes = block.shape[0] >> low
    found = 0
    for high in range(first, last):
        changed = n - 1 - low if high == first else _popcount(np.int64((high ^ (high - 1)) >> 1))
        for r in range(low + changed, low - 1, -1):
            child, parent = tables[offsets[r] :], tables[offsets[r + 1] :]
            keep = sizes[r]
            for t in range(keep):
                child[t] = parent[t]
            if high >> (r - low) & 1:
                for t in range(keep, sizes[r + 1]):
                    x = np.uint32(child[parents[t]] + parent[t])
                    child[parents[t]] = min(x, np.uint32(x - p))
        lane = high & (lanes - 1)
        if lane == 0:
            block[:] = np.uint32(0)
        leaf = tables[offsets[low] :]
        for t in range(sizes[low]):
            block[np.int64(masks[t]) * lanes + lane] = leaf[t]
        if lane == lanes - 1:
            _sum_over_subsets(block, lanes, low, p)
            base = np.int64(high - lane) << low
            found = _collect(block, lanes, low, base, out, found)
    return found


@_compiled
def _sum_over_subsets(block: U32, lanes: int, low: int, p: np.uint32) -> None:
    """Replace each value by the sum over all subsets of its mask; every axis doubles the stride."""
    half = lanes
    for _ in range(low):
        for start in range(0, block.shape[0], 2 * half):
            lower, upper = block[start : start + half], block[start + half : start + 2 * half]
            for j in range(half):
                x = np.uint32(upper[j] + lower[j])
                upper[j] = min(x, np.uint32(x - p))  # below p: x; else x - p (a wrapped difference is larger)
        half *= 2


@_compiled
def _collect(block: U32, lanes: int, low: int, base: int, out: U32, found: int) -> int:
    count = 0
    for j in range(block.shape[0]):
        count += block[j] == 0
    if count:
        for j in range(block.shape[0]):
            if block[j] == 0:
                out[found] = np.uint32(base + (np.int64(j % lanes) << low) + j // lanes)
                found += 1
    return found


@_compiled
def determinants(masks: U32, skip: I64, down: I64, up: I64, p: int) -> I64:
    """Return det(skip + sum_{i in mask} down[:, i] up[i, :]) mod p for each mask, by elimination."""
    n = skip.shape[0]
    out = np.empty(masks.shape[0], dtype=np.int64)
    r = np.empty((n, n), dtype=np.int64)
    for t in range(masks.shape[0]):
        r[:] = skip
        for i in range(up.shape[0]):
            if np.int64(masks[t]) >> i & 1:
                for a in range(n):
                    for b in range(n):
                        r[a, b] = (r[a, b] + down[a, i] * up[i, b]) % p
        value = np.int64(1)
        for c in range(n):
            pivot = c
            while pivot < n and r[pivot, c] == 0:
                pivot += 1
            if pivot == n:
                value = np.int64(0)
                break
            if pivot != c:
                value = p - value
                for b in range(n):
                    r[c, b], r[pivot, b] = r[pivot, b], r[c, b]
            value = value * r[c, c] % p
            reciprocal = inverse_mod(r[c, c], p)
            for a in range(c + 1, n):
                factor = p - r[a, c] * reciprocal % p
                for b in range(c, n):
                    r[a, b] = (r[a, b] + factor * r[c, b]) % p
        out[t] = value % p
    return out


@_compiled
def inverse_mod(x: int, p: int) -> int:
    """Return the inverse of x modulo the prime p (extended Euclid)."""
    a, b = np.int64(p), np.int64(x)
    u, v = np.int64(0), np.int64(1)
    while b:
        q = a // b
        a, b = b, a - q * b
        u, v = v, u - q * v
    return u % p
