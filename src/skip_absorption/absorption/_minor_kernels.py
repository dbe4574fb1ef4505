"""Compiled loops behind `minors`: the coefficients of one polynomial modulo p, and its zeros on {0, 1}^N.

``f(s) = det(D + sum_i s_i a_i w_i^T)`` for D = diag(1, ..., 1, 0, ..., 0) of size n has degree at most 1 in
each s_i and degree at most n. A subset of units is a bit mask; all arithmetic is on residues below a prime p
< 2^31, in 32 bits. Coefficients are in Montgomery form, x standing for x / 2^32: zero stays zero, and sums
stay sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

_Function = TypeVar("_Function", bound=Callable[..., object])

LANES = 3
"""Units decided side by side: 2^3 neighbouring residues make one vector instruction."""

U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]
I64: TypeAlias = NDArray[np.int64]
Word: TypeAlias = Any
"""A machine integer: compiled code tells widths and signs apart where Python's types do not."""


def compiled(function: _Function) -> _Function:
    """Compile a function on first use and keep the machine code on disk."""
    return cast(_Function, numba.njit(cache=True, nogil=True)(function))


@compiled
def _reduce(x: Word, p: Word, negative_inverse: Word) -> Word:
    """Return x / 2^32 mod p for x < 2^32 p; negative_inverse is -1/p mod 2^32 (Montgomery)."""
    low = np.uint64(0xFFFFFFFF)
    t = (x + ((x & low) * negative_inverse & low) * p) >> np.uint64(32)
    return t - p if t >= p else t


@compiled
def popcount(x: Word) -> Word:
    """Return the number of bits of a nonnegative integer."""
    count = 0
    while x:
        x &= x - 1
        count += 1
    return count


@compiled
def _subsets_by_size(n: int) -> tuple[I64, I64]:
    """Return the masks below 2^n sorted by size, and where each size starts."""
    counts = np.zeros(n + 2, dtype=np.int64)
    for mask in range(1 << n):
        counts[popcount(mask) + 1] += 1
    starts = np.cumsum(counts)
    place = starts.copy()
    masks = np.empty(1 << n, dtype=np.int64)
    for mask in range(1 << n):
        size = popcount(mask)
        masks[place[size]] = mask
        place[size] += 1
    return masks, starts


@compiled
def _extend(before: U64, row: U64, after: U64, columns: I64, field: tuple[Word, Word]) -> None:
    """From minors of some rows compute those with `row` put below them, for the given masks of columns."""
    p, negative_inverse = field
    for chosen in columns:
        total = np.uint64(0)
        negative = False  # the sign of the last column's term in the expansion along the last row is +
        rest = chosen
        column = row.shape[0] - 1
        while rest:
            if rest >> column & 1:
                bit = np.int64(1) << column
                rest ^= bit
                term = _reduce(row[column] * before[chosen ^ bit], p, negative_inverse)
                total += p - term if negative else term
                negative = not negative
            column -= 1
        after[chosen] = total % p


@compiled
def coefficients(
    masks: U32, factors: tuple[U64, U64], rank: int, field: tuple[Word, Word], stacks: tuple[U64, U64]
) -> U32:
    """Return the coefficient in f of the product of the s_i, i in T, for each mask T of at most n units.

    Parameters
    ----------
    masks
        Masks with at most n bits. All of them, ascending, may come in several calls.
    factors
        Residues, (N, n) both: rows a_i and w_i, in Montgomery form.
    rank
        The number of ones in D.
    field
        p and -1/p mod 2^32.
    stacks
        Two arrays (n + 1, 2^n) that go from call to call; at first zero but for 2^32 mod p at (0, 0).

    Notes
    -----
    The coefficient is the sum of det(A[I, T]) det(W[T, I]) over the I of size |T| that contain the zeros of D
    (Laplace, then Cauchy-Binet). In ascending order a mask comes after itself minus its lowest unit, so the
    minors of A[:, T] and of W[T, :] are kept on a stack and grow by one row: no division, no pivot.
    """
    p, negative_inverse = field
    down, up = factors
    n = down.shape[1]
    by_size, starts = _subsets_by_size(n)
    needed = (1 << n) - (1 << rank)
    minors_down, minors_up = stacks
    out = np.empty(masks.shape[0], dtype=np.uint32)
    for t in range(masks.shape[0]):
        mask = np.int64(masks[t])
        k = popcount(mask)
        sets = by_size[starts[k] : starts[k + 1]]
        if k:
            unit = popcount((mask & -mask) - 1)
            _extend(minors_down[k - 1], down[unit], minors_down[k], sets, field)
            _extend(minors_up[k - 1], up[unit], minors_up[k], sets, field)
        value = np.uint64(0)
        for chosen in sets:
            if chosen & needed == needed:
                value += _reduce(minors_down[k, chosen] * minors_up[k, chosen], p, negative_inverse)
        out[t] = np.uint32(value % p)
    return out


@compiled
def zeros(
    span: tuple[int, int],
    p: Word,
    shape: tuple[int, int],
    layout: tuple[U32, I64, I64, I64],
    work: tuple[U32, U32, U32],
) -> int:
    """Write the masks s with f(s) = 0 mod p whose high part lies in the span [first, last); return how many.

    Parameters
    ----------
    span
        A range of the bits from `low` on, both ends multiples of the number of lanes.
    p
        The prime, in 32 bits.
    shape
        N and `low`.
    layout
        The masks of the coefficients, the position of each mask minus its highest bit, the number of masks
        below 2^r for each r, and where the table of each r starts.
    work
        The tables, a block, and the output.

    Notes
    -----
    The units from `low` on are decided one after another: table r holds the coefficients that remain when
    units r, r + 1, ... are fixed. The lowest ``LANES`` of them run side by side in the block, whose other
    axis is then summed over subsets of the units below `low`.
    """
    first, last = span
    units, low = shape
    masks, parents, sizes, starts = layout
    tables, block, out = work
    lanes = block.shape[0] >> low
    found = 0
    for high in range(first, last):
        changed = units - 1 - low if high == first else popcount((high ^ (high - 1)) >> 1)
        for r in range(low + changed, low - 1, -1):
            child, parent = tables[starts[r] :], tables[starts[r + 1] :]
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
        leaf = tables[starts[low] :]
        for t in range(sizes[low]):
            block[np.int64(masks[t]) * lanes + lane] = leaf[t]
        if lane == lanes - 1:
            _sum_over_subsets(block, lanes, low, p)
            found = _collect(block, (lanes, low), (high - lane) << low, out, found)
    return found


@compiled
def _sum_over_subsets(block: U32, lanes: int, low: int, p: Word) -> None:
    """Replace each value by the sum over the subsets of its mask, one unit after another."""
    half = lanes
    for _ in range(low):
        for start in range(0, block.shape[0], 2 * half):
            lower, upper = block[start : start + half], block[start + half : start + 2 * half]
            for j in range(half):
                x = np.uint32(upper[j] + lower[j])
                upper[j] = min(x, np.uint32(x - p))  # x - p wraps to something larger where x < p
        half *= 2


@compiled
def _collect(block: U32, shape: tuple[int, int], base: int, out: U32, found: int) -> int:
    lanes, low = shape
    count = 0
    for j in range(block.shape[0]):
        count += block[j] == 0
    if count:
        for j in range(block.shape[0]):
            if block[j] == 0:
                out[found] = np.uint32(base + ((j % lanes) << low) + j // lanes)
                found += 1
    return found


@compiled
def determinants(masks: U32, skip: I64, down: I64, up: I64, p: int) -> I64:
    """Return det(skip + sum_{i in mask} down[:, i] up[i, :]) mod p for each mask, by elimination."""
    n = skip.shape[0]
    out = np.zeros(masks.shape[0], dtype=np.int64)
    for t in range(masks.shape[0]):
        r = skip.copy()
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
        out[t] = value
    return out


@compiled
def inverse_mod(x: Word, p: Word) -> Word:
    """Return the inverse of x modulo the prime p (extended Euclid)."""
    a, b = np.int64(p), np.int64(x)
    u, v = np.int64(0), np.int64(1)
    while b:
        q = a // b
        a, b = b, a - q * b
        u, v = v, u - q * v
    return u % p
