"""Compiled loops of the elimination modulo p: reduction, and the factors of one narrow block.

Residues are float64 integers. A *balanced* residue is at most h = p // 2 + 2 in absolute value; the 2 covers
the rounding of the quotient below. Every float in these loops is an integer below 2^53 in absolute value, so
every sum, product and difference is exact, in any order and with or without fused multiply-add.
The loops are serial: threads of their own beside those of BLAS would fight for the cores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from skip_absorption.exact._blas import Matrix

Span: TypeAlias = tuple[int, int]  # [start, stop)

_Function = TypeVar("_Function", bound=Callable[..., object])


def _compiled(function: _Function) -> _Function:
    return cast(_Function, numba.njit(cache=True, nogil=True)(function))


def _inlined(function: _Function) -> _Function:
    return cast(_Function, numba.njit(cache=True, nogil=True, inline="always")(function))


@_inlined
def _balance(x: float, p: float, inverse: float) -> float:
    # With |x| <= 2^53 - p the rounded x / p errs by at most 2/p, and far less where p < 2^19, since at most
    # 2^16 products are summed. So |result| <= p/2 + 2, exactly 0 for multiples of p, and the product of
    # the quotient with p is at most 2^53 in absolute value.
    quotient: float = np.rint(x * inverse)
    return x - quotient * p


@_compiled
def balance(a: Matrix, rows: Span, columns: Span, p: float) -> None:
    """Replace the entries of `a` in the spans [start, stop) of rows and columns by balanced residues."""
    inverse = 1.0 / p
    for i in range(rows[0], rows[1]):
        row = a[i]
        for j in range(columns[0], columns[1]):
            row[j] = _balance(row[j], p, inverse)


@_compiled
def normalize(a: Matrix, p: float) -> None:
    """Replace every entry of `a` by its residue in [0, p)."""
    inverse = 1.0 / p
    for i in range(a.shape[0]):
        row = a[i]
        for j in range(a.shape[1]):
            x = _balance(row[j], p, inverse)
            row[j] = x + p if x < 0.0 else x


@_compiled
def balanced_copy(out: Matrix, a: Matrix, rows: Span, columns: Span, p: float) -> None:
    """Write the balanced residues of the spans of rows and columns of `a` to the corner of `out`."""
    inverse = 1.0 / p
    left = columns[0]
    for i in range(rows[1] - rows[0]):
        source, target = a[rows[0] + i], out[i]
        for j in range(columns[1] - left):
            target[j] = _balance(source[left + j], p, inverse)


@_compiled
def reduce_floats(out: Matrix, bits: NDArray[np.int64], powers: NDArray[np.int64], p: int) -> bool:
    """Write the residues modulo an odd p < 2^31 of the dyadic rationals that float64 bit patterns stand for.

    ``powers[e]`` is 2^(e - 1075) modulo p, the weight of the last mantissa bit at the biased exponent e.

    Returns
    -------
    bool
        False when a NaN or an infinity was met.
    """
    for i in range(bits.size):
        exponent = (bits[i] >> 52) & 0x7FF
        mantissa = bits[i] & 0xFFFFFFFFFFFFF
        if exponent == 0x7FF:
            return False
        if exponent == 0:
            exponent = 1  # subnormal: no leading one
        else:
            mantissa |= 1 << 52
        residue = (mantissa % p) * powers[exponent] % p
        out[i] = p - residue if bits[i] < 0 and residue else residue
    return True


@_compiled
def row_products(
    out: Matrix,
    left: tuple[NDArray[np.floating], NDArray[np.int64]],
    right: tuple[NDArray[np.floating], NDArray[np.int64]],
    p: float,
) -> None:
    """Write products of rows of two matrices modulo p < 2^24 to `out`; each side says which rows to take.

    Notes
    -----
    A product is below p^2, so its quotient by p errs by less than 2^-27, and is no nearer to an integer than
    1/p unless the product is 0, for a prime p: rounding down is exact.
    """
    inverse = 1.0 / p
    for e in range(out.shape[0]):
        a, b, target = left[0][left[1][e]], right[0][right[1][e]], out[e]
        for i in range(out.shape[1]):
            product = np.float64(a[i]) * np.float64(b[i])  # below 2^48
            target[i] = product - np.floor(product * inverse) * p


@_compiled
def are_residues(a: Matrix, p: float) -> bool:
    """Whether every entry is an integer in [0, p)."""
    bad = 0
    for i in range(a.shape[0]):
        row = a[i]
        for j in range(a.shape[1]):
            x = row[j]
            bad += not (x >= 0.0 and x < p and np.floor(x) == x)
    return bad == 0


@_compiled
def _inverse(x: float, p: float) -> float:
    """Return the balanced inverse of x modulo the prime p, by the extended Euclidean algorithm."""
    modulus = np.int64(p)
    a, b = modulus, np.int64(x) % modulus
    u, v = np.int64(0), np.int64(1)
    while b:
        q = a // b
        a, b = b, a - q * b
        u, v = v, u - q * v
    return _balance(float(u), p, 1.0 / p)


@_compiled
def factor_block(t: Matrix, p: float) -> bool:
    """Factor a small square block of balanced residues in place as L U without exchanges.

    Returns
    -------
    bool
        False, with `t` spoilt, when a pivot vanishes. The unit diagonal of L is not stored.
    """
    inverse = 1.0 / p
    size = t.shape[0]
    for k in range(size):
        for j in range(k, size):
            t[k, j] = _balance(t[k, j], p, inverse)
        if t[k, k] == 0.0:
            return False
        reciprocal = _inverse(t[k, k], p)
        for i in range(k + 1, size):
            t[i, k] = _balance(_balance(t[i, k], p, inverse) * reciprocal, p, inverse)
        for i in range(k + 1, size):  # at most `size` products pile up on an entry before its row is reduced
            multiplier = t[i, k]
            for j in range(k + 1, size):
                t[i, j] -= multiplier * t[k, j]
    return True


@_compiled
def triangular_inverses(t: Matrix, p: float) -> tuple[Matrix, Matrix]:
    """Return the inverses of the unit lower and the upper triangle of a factored block."""
    inverse = 1.0 / p
    size = t.shape[0]
    lower, upper = np.zeros((size, size)), np.zeros((size, size))
    for i in range(size):
        lower[i, i] = 1.0
        for k in range(i):
            multiplier = t[i, k]
            for j in range(k + 1):
                lower[i, j] -= multiplier * lower[k, j]
        for j in range(i):
            lower[i, j] = _balance(lower[i, j], p, inverse)
    for i in range(size - 1, -1, -1):
        reciprocal = _inverse(t[i, i], p)
        upper[i, i] = 1.0
        for k in range(i + 1, size):
            multiplier = t[i, k]
            for j in range(k, size):
                upper[i, j] -= multiplier * upper[k, j]
        for j in range(i, size):
            upper[i, j] = _balance(_balance(upper[i, j], p, inverse) * reciprocal, p, inverse)
    return lower, upper


@_compiled
def factor_panel(
    a: Matrix, first: int, columns: Span, p: float, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Eliminate a span of balanced columns in the rows from `first` on, whatever the rank.

    Whole rows of `a` and `order` are exchanged. The multipliers of the t-th pivot overwrite column
    ``first + t`` below the diagonal: it is free, because a pivot never lies left of the diagonal.

    Returns
    -------
    NDArray[np.int64]
        The pivot columns found.
    """
    inverse = 1.0 / p
    left, right = columns
    pivots = np.empty(right - left, dtype=np.int64)
    rows, row = a.shape[0], first
    for c in range(left, right):
        if row == rows:
            break
        found = row
        while found < rows and a[found, c] == 0.0:
            found += 1
        if found == rows:
            continue
        if found != row:
            order[row], order[found] = order[found], order[row]
            for j in range(a.shape[1]):
                a[row, j], a[found, j] = a[found, j], a[row, j]
        reciprocal = _inverse(a[row, c], p)
        pivot_row = a[row]
        for i in range(row + 1, rows):
            line = a[i]
            multiplier = _balance(line[c] * reciprocal, p, inverse)
            if multiplier != 0.0:
                for j in range(c + 1, right):
                    line[j] = _balance(line[j] - multiplier * pivot_row[j], p, inverse)
            line[row] = multiplier
        pivots[row - first] = c
        row += 1
    return pivots[: row - first]
