"""Recursive rank-revealing elimination modulo p, almost all of it matrix products in float64 BLAS.

A matrix A of any shape and rank is factored in place as P A = L E: a row order, a unit lower trapezoidal L of
width rank, an echelon form E. The columns are halved recursively: factor the left half, solve for the new
rows of the right half, subtract one product from what is below them, factor that. Columns of L are packed to
the left as they are found, so that the products read them without gaps also when the rank falls short.

Reduction is delayed: an entry stays an unreduced sum until it is used as a factor. The *load* of a part of
the matrix counts the products that may have piled up on its entries, in units of h^2 (see `capacity`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.exact._blas import Matrix, gemm
from skip_absorption.exact._kernels import (
    Span,
    balance,
    balanced_copy,
    factor_block,
    factor_panel,
    triangular_inverses,
)

LEAF = 64  # columns of a block that compiled loops factor

#: A run of pivots [start, stop) and the inverse of its diagonal block of a triangular matrix.
Blocks: TypeAlias = list[tuple[int, int, Matrix]]


def capacity(p: int) -> int:
    """Return how many products of balanced residues may be summed exactly in float64.

    Balanced residues are at most h = p // 2 + 2, so k products and a residue sum to at most k h^2 + h in
    absolute value, in every order of summation; k h^2 + 2 p <= 2^53 leaves room for the reduction too.
    """
    h = p // 2 + 2
    return min(((1 << 53) - 2 * p) // (h * h), 1 << 16)


def subtract_product(
    a: Matrix, rows: Span, columns: Span, left: Matrix, right: Matrix, *, p: int, load: int
) -> int:
    """Subtract a product of balanced factors from a part of `a` with the given load; return its new load."""
    inner, room = left.shape[1], capacity(p)
    if inner == 0:
        return load
    out = a[slice(*rows), slice(*columns)]
    parts = -(-inner // room)
    for part in range(parts):
        start, stop = part * inner // parts, (part + 1) * inner // parts
        if load + stop - start > room:
            balance(a, rows, columns, float(p))
            load = 0
        load += stop - start
        assert load * (p // 2 + 2) ** 2 + 2 * p <= 1 << 53, "the sums of this product would not be exact"
        gemm(out, left[:, start:stop], right[start:stop], alpha=-1.0, beta=1.0)
    return load


def substitute(
    t: Matrix, blocks: Blocks, b: Matrix, columns: Span, p: int, *, lower: bool, load: int, work: Matrix
) -> None:
    """Solve T X = B modulo p in place for the rows of `b` that the blocks span, balanced at the end.

    Parameters
    ----------
    t
        A triangular matrix of balanced residues; only its parts off the diagonal blocks are read.
    blocks
        Its consecutive diagonal blocks, inverted.
    b, columns
        A matrix stored by rows, and the span of its columns that is B.
    lower
        Whether T is lower triangular (substitute forwards) or upper (backwards).
    load
        The load of B on entry.
    work
        At least LEAF * (number of columns) floats of scratch.
    """
    if not blocks:
        return
    if len(blocks) == 1:
        start, stop, inverse = blocks[0]
        width = columns[1] - columns[0]
        copy = work[: (stop - start) * width].reshape(stop - start, width)
        balanced_copy(copy, b, (start, stop), columns, float(p))
        gemm(b[start:stop, slice(*columns)], inverse, copy, alpha=1.0, beta=0.0)
        balance(b, (start, stop), columns, float(p))
        return
    half = len(blocks) // 2
    first, second = (blocks[:half], blocks[half:]) if lower else (blocks[half:], blocks[:half])
    substitute(t, first, b, columns, p, lower=lower, load=load, work=work)
    known, rows = (first[0][0], first[-1][1]), (second[0][0], second[-1][1])
    load = subtract_product(
        b, rows, columns, t[slice(*rows), slice(*known)], b[slice(*known), slice(*columns)], p=p, load=load
    )
    substitute(t, second, b, columns, p, lower=lower, load=load, work=work)


class Factors:
    """A matrix while and after it is factored in place as P A = L E.

    Attributes
    ----------
    packed
        (m, n): row i of E is ``packed[i, pivots[i]:]`` for i < rank, column k of L is ``packed[k + 1:, k]``
        for k < rank below its unit; all of them balanced residues. What lies between is meaningless.
    rank, pivots, order
        The rank, the pivot columns of the rows of E, and the original index of every row.
    lower, upper
        The diagonal blocks of L and of the pivot columns of E, inverted.
    """

    def __init__(self, packed: Matrix, p: int, report: Callable[[float], None] | None = None) -> None:
        rows, columns = packed.shape
        self.packed, self.p, self.rank = packed, p, 0
        self.order = np.arange(rows, dtype=np.int64)
        self.lower: Blocks = []
        self.upper: Blocks = []
        self._pivots = np.zeros(min(rows, columns), dtype=np.int64)
        self._work = np.empty(LEAF * max(rows, columns))
        self._report, self._done = report, 0
        self._total = max(sum((rows - k) * (columns - k) for k in range(min(rows, columns))), 1)
        assert capacity(p) > LEAF, "a block must not overflow before its rows are reduced"
        if packed.size:
            self._factor(0, columns, 1)  # residues in [0, p) are at most h + h^2: a load of 1
        if report is not None:
            report(1.0)
        del self._work

    @property
    def pivots(self) -> NDArray[np.int64]:
        return self._pivots[: self.rank]

    def _factor(self, left: int, right: int, load: int) -> None:
        """Factor columns [left, right) of the rows from `rank` on, which carry the given load."""
        a, first = self.packed, self.rank
        if first == a.shape[0]:
            return
        if right - left <= LEAF:
            self._factor_leaf(left, right)
            return
        middle = left + LEAF * (-(-(right - left) // LEAF) // 2)
        known = len(self.lower)
        self._factor(left, middle, load)
        last = self.rank
        if last > first:
            span = (middle, right)
            substitute(a, self.lower[known:], a, span, self.p, lower=True, load=load, work=self._work)
            load = subtract_product(
                a,
                (last, a.shape[0]),
                span,
                a[last:, first:last],
                a[first:last, middle:right],
                p=self.p,
                load=load,
            )
            self._advance((a.shape[0] - (first + last) // 2) * (last - first) * (right - middle))
        self._factor(middle, right, load)

    def _advance(self, products: int) -> None:
        self._done += products
        if self._report is not None:
            self._report(min(self._done / self._total, 1.0))

    def _factor_leaf(self, left: int, right: int) -> None:
        if not self._factor_regular_leaf(left, right):
            self._factor_any_leaf(left, right)

    def _factor_regular_leaf(self, left: int, right: int) -> bool:
        """Factor a leaf whose topmost square block has a factorisation without exchanges, the usual case."""
        a, p, first, width = self.packed, float(self.p), self.rank, right - left
        last, rows = first + width, a.shape[0]
        if last > rows:
            return False
        block = np.empty((width, width))
        balanced_copy(block, a, (first, last), (left, right), p)
        if not factor_block(block, p):
            return False
        lower, upper = triangular_inverses(block, p)
        below = self._work[: (rows - last) * width].reshape(rows - last, width)
        balanced_copy(below, a, (last, rows), (left, right), p)
        gemm(a[last:, first:last], below, upper, alpha=1.0, beta=0.0)
        balance(a, (last, rows), (first, last), p)
        a[first:last, left:right] = block
        if first < left:
            strictly_lower = np.tril_indices(width, -1)
            a[first:last, first:last][strictly_lower] = block[strictly_lower]
        self._accept(np.arange(left, right), lower, upper)
        return True

    def _factor_any_leaf(self, left: int, right: int) -> None:
        """Factor a leaf column by column, searching every column for a pivot."""
        a, p, first = self.packed, float(self.p), self.rank
        balance(a, (first, a.shape[0]), (left, right), p)
        columns = factor_panel(a, first, (left, right), p, self.order)
        if len(columns):
            last = first + len(columns)
            block = np.tril(a[first:last, first:last], -1) + np.triu(a[first:last, columns])
            self._accept(columns, *triangular_inverses(block, p))

    def _accept(self, columns: NDArray[np.int64], lower: Matrix, upper: Matrix) -> None:
        first, last = self.rank, self.rank + len(columns)
        self._pivots[first:last] = columns
        self.lower.append((first, last, lower))
        self.upper.append((first, last, upper))
        self.rank = last
