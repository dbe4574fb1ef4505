"""Compiled loops behind `distance`: terms g_i = a_i w_iᵀ are rows of an (N, d²) array, `start` is I."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption._margin_kernels import descend
from skip_absorption.absorption._minor_kernels import compiled

Floats: TypeAlias = NDArray[np.float64]
Bits: TypeAlias = NDArray[np.int8]
Number: TypeAlias = Any

_UNIT = 2.0**-53


@compiled
def nearest_of_all(start: Floats, terms: Floats) -> tuple[Number, Number]:
    """Return the least |start + sum_{i in S} g_i|² over all S, and S as a mask, by a Gray code.

    The sums are exact if all partial sums are floats, as they are on a grid.
    """
    n = len(terms)
    rest = start.copy()
    best, best_mask, mask = (rest**2).sum(), 0, 0
    for k in range(1, 1 << n):
        i = 0
        while not (k >> i) & 1:
            i += 1
        mask ^= 1 << i
        sign = 1.0 if (mask >> i) & 1 else -1.0
        total = 0.0
        for c in range(len(rest)):
            rest[c] += sign * terms[i, c]
            total += rest[c] * rest[c]
        if total < best:
            best, best_mask = total, mask
    return best, best_mask


@compiled
def relaxed(gram: Floats, linear: Floats, fixed: Bits, weights: Floats) -> Floats:
    """Return weights s in [0, 1] that nearly minimise ½ s G s + c s; those with `fixed` 0 or 1 are that.

    Coordinate descent from `weights`; `fixed` is −1 for the free units.
    """
    s = weights.copy()
    for i in range(len(linear)):
        if fixed[i] >= 0:
            s[i] = fixed[i]
    descend(gram, gram @ s + linear, fixed, s)
    return s


@compiled
def dual_bound(start: Floats, terms: Floats, fixed: Bits, weights: Floats) -> Number:
    """Return a proved lower bound of |start + sum s_i g_i| over the s in the box that `fixed` leaves.

    For the direction Y = start + sum weights_i g_i, every such norm is at least (Y . (start + fixed part) +
    sum over free i of min(0, Y . g_i)) / |Y|. A bound of all rounding errors is subtracted.
    """
    n, entries = terms.shape
    direction, base = start.copy(), start.copy()
    for i in range(n):
        direction += weights[i] * terms[i]
        if fixed[i] == 1:
            base += terms[i]
    value, size, squares = 0.0, 0.0, 0.0
    for c in range(entries):
        value += direction[c] * base[c]
        largest = abs(start[c])
        for i in range(n):
            if fixed[i] == 1:
                largest += abs(terms[i, c])
        size += abs(direction[c]) * largest
        squares += direction[c] * direction[c]
    for i in range(n):
        if fixed[i] < 0:
            product, absolute = 0.0, 0.0
            for c in range(entries):
                product += direction[c] * terms[i, c]
                absolute += abs(direction[c] * terms[i, c])
            value += min(0.0, product)
            size += absolute
    error = 4.0 * (n + entries) * _UNIT
    value -= error * size
    if value <= 0.0 or squares == 0.0:
        return 0.0
    return value / (np.sqrt(squares) * (1.0 + error))


@compiled
def improved(gram: Floats, linear: Floats, bits: Bits) -> Bits:
    """Flip one unit or two while that lowers the norm, the best move first."""
    n = len(linear)
    s = bits.copy()
    slope = gram @ s.astype(np.float64) + linear
    while True:
        best, first, second = -1e-12, -1, -1
        for i in range(n):
            up = 1.0 - 2.0 * s[i]
            single = 2.0 * up * slope[i] + gram[i, i]
            if single < best:
                best, first, second = single, i, -1
            for j in range(i):
                other = 1.0 - 2.0 * s[j]
                both = single + 2.0 * other * slope[j] + gram[j, j] + 2.0 * up * other * gram[i, j]
                if both < best:
                    best, first, second = both, i, j
        if first < 0:
            return s
        for unit in (first, second):
            if unit >= 0:
                slope += (1.0 - 2.0 * s[unit]) * gram[unit]
                s[unit] = 1 - s[unit]
