"""Compiled loops behind `batch`: linear images of many small networks modulo p = 2^61 − 1.

Residues are uint64 below p, so sums of two fit; products are put together from halves of 31 bits.
"""

from __future__ import annotations

import numpy as np

from skip_absorption.absorption._minor_kernels import I64, U64, Word, compiled

P = np.uint64((1 << 61) - 1)
_MID, _LOW = np.uint64((1 << 30) - 1), np.uint64((1 << 31) - 1)
_30, _31 = np.uint64(30), np.uint64(31)


@compiled
def _add(x: Word, y: Word) -> Word:
    total = x + y
    return total - P if total >= P else total


@compiled
def _multiply(x: Word, y: Word) -> Word:
    """Return x y mod p: 2^62 = 2 and 2^61 = 1 modulo p, and every partial result stays below 2^63."""
    x1, x0, y1, y0 = x >> _31, x & _LOW, y >> _31, y & _LOW
    middle = x1 * y0 + x0 * y1
    high = np.uint64(2) * x1 * y1 + (middle >> _30)
    total = high % P + ((middle & _MID) << _31) % P
    return _add(total % P, (x0 * y0) % P)


@compiled
def _dot(x: U64, y: U64) -> Word:
    total = np.uint64(0)
    for k in range(len(x)):
        total = _add(total, _multiply(x[k], y[k]))
    return total


@compiled
def images(up: U64, down: U64, left: U64, right: U64) -> U64:
    """Return (left . a_i) (w_i . right) mod p for each network and unit, shape (count, N)."""
    count, n, _ = up.shape
    out = np.zeros((count, n), dtype=np.uint64)
    for b in range(count):
        for i in range(n):
            out[b, i] = _multiply(_dot(down[b, :, i], left), _dot(up[b, i], right))
    return out


@compiled
def _sums(terms: U64) -> U64:
    """Return the sums over all subsets of the terms; bit i of a place says whether term i is in."""
    out = np.zeros(1 << len(terms), dtype=np.uint64)
    for i in range(len(terms)):
        for s in range(1 << i):
            out[(1 << i) + s] = _add(out[s], terms[i])
    return out


@compiled
def subsets(terms: U64, goal: Word) -> I64:
    """Return for each network a mask of units whose terms sum to the goal modulo p, or −1 if there is none.

    Meet in the middle: the sorted sums of half the units are searched for what the other half leaves.
    """
    count, n = terms.shape
    half = n // 2
    out = np.full(count, -1, dtype=np.int64)
    for b in range(count):
        first, second = _sums(terms[b, :half]), _sums(terms[b, half:])
        ordered = np.sort(first)
        for s in range(len(second)):
            wanted = _add(goal, P - second[s])
            place = np.searchsorted(ordered, wanted)
            if place < len(ordered) and ordered[place] == wanted:
                low = 0
                while first[low] != wanted:
                    low += 1
                out[b] = (s << half) | low
                break
    return out


@compiled
def collinear_pairs(up: U64, left: U64, right: U64) -> I64:
    """Return for each network a pair i > j (as i N + j) whose rows look collinear modulo p, or −1.

    The test is the minor of (w_i . left, w_i . right) and (w_j . left, w_j . right); zero rows fail it too.
    """
    count, n, _ = up.shape
    out = np.full(count, -1, dtype=np.int64)
    xs, ys = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
    for b in range(count):
        for i in range(n):
            xs[i], ys[i] = _dot(up[b, i], left), _dot(up[b, i], right)
            for j in range(i):
                if out[b] < 0 and _multiply(xs[i], ys[j]) == _multiply(xs[j], ys[i]):
                    out[b] = i * n + j
    return out
