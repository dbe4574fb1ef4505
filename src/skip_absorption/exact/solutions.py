"""What one elimination modulo p tells: solutions, refutations, row combinations, kernels."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray
from skip_absorption.exact.residues import reduce_mod

if TYPE_CHECKING:
    from skip_absorption.exact._elimination import Blocks, Factors

Residues: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


class Elimination:
    """An eliminated (r, n) matrix A over F_p, made by `skip_absorption.exact.prime_field.eliminate`.

    With its rows reordered, A = L E for a unit lower trapezoidal L and an echelon form E. The methods answer
    from these factors in O(r n) operations per vector; all results are int64 residues in [0, p).

    Attributes
    ----------
    p
        The prime.
    shape
        (r, n).
    rank
        The rank over F_p. It never exceeds the rank over Q, so full rank here proves full rank there.
    pivot_rows, pivot_columns
        Indices of `rank` rows and columns whose square submatrix is invertible modulo p; the columns are the
        first, in order, that are independent.
    """

    def __init__(self, factors: Factors) -> None:
        self._factors = factors
        self.p, self.rank = factors.p, factors.rank
        self.shape: tuple[int, int] = (factors.packed.shape[0], factors.packed.shape[1])
        self.pivot_columns: Integers = factors.pivots
        self.pivot_rows: Integers = factors.order[: self.rank]

    def __repr__(self) -> str:
        return f"Elimination(p={self.p}, shape={self.shape}, rank={self.rank})"

    def solve(self, b: ExactArray) -> Integers | None:
        """Return the x of shape (n,) with A x = b whose free coordinates are 0, or None if there is none.

        Parameters
        ----------
        b
            (r,): integers or other exact values whose residues are meant.
        """
        top, rest = self._eliminated(b)
        if rest.any():
            return None
        self._substitute(self._pivot_part, self._factors.upper, top, lower=False)
        x = np.zeros(self.shape[1], dtype=np.int64)
        x[self.pivot_columns] = self._residues(top[:, 0])
        return x

    def inconsistency(self, b: ExactArray) -> Integers | None:
        """Return a y of shape (r,) with yᵀA = 0 and yᵀb != 0, or None if A x = b has a solution.

        It has at most rank + 1 nonzero entries, all but one of them on pivot rows.
        """
        _, rest = self._eliminated(b)
        failing = np.flatnonzero(rest)
        if not failing.size:
            return None
        row = self.rank + int(failing[0])
        y = self._on_pivot_rows(-self._factors.packed[row, : self.rank, None])[:, 0]
        y[self._factors.order[row]] = 1
        return y

    def row_combination(self, j: int) -> Integers | None:
        """Return a y of shape (r,), zero off the pivot rows, with yᵀA = e_j, or None if there is none."""
        if not 0 <= j < self.shape[1]:
            raise InvalidInput("j", f"be a column index from 0 to {self.shape[1] - 1}", j)
        k = int(np.searchsorted(self.pivot_columns, j))
        if k == self.rank or self.pivot_columns[k] != j:
            return None
        unit = np.zeros((self.rank, 1))
        unit[k] = 1.0
        transposed = [(start, stop, inverse.T) for start, stop, inverse in self._factors.upper]
        self._substitute(self._pivot_part.T, transposed, unit, lower=True)
        if self._minus_product(self._free_part.T, unit).any():
            return None
        return self._on_pivot_rows(unit)[:, 0]

    def determined(self) -> NDArray[np.bool_]:
        """Return the mask of shape (n,) of the j for which e_j is in the row span.

        Those are the coordinates that A x = b determines, and those at which every kernel vector vanishes.
        """
        mask = np.zeros(self.shape[1], dtype=bool)
        mask[self.pivot_columns] = ~self._dependence.any(axis=1)
        return mask

    def kernel(self) -> Integers:
        """Return a basis of the right kernel as the columns of an (n, n - rank) matrix."""
        free = self._free_columns
        basis = np.zeros((self.shape[1], len(free)), dtype=np.int64)
        basis[self.pivot_columns] = self._residues(-self._dependence)
        basis[free, np.arange(len(free))] = 1
        return basis

    def left_kernel(self) -> Integers:
        """Return a basis of the left kernel as the rows of an (r - rank, r) matrix."""
        lower = self._factors.packed[self.rank :, : self.rank]
        basis = self._on_pivot_rows(-lower.T)
        basis[self._factors.order[self.rank :], np.arange(len(lower))] = 1
        return np.ascontiguousarray(basis.T)

    def determinant(self) -> int:
        """Return the determinant of A in [0, p); A must be square."""
        if self.shape[0] != self.shape[1]:
            raise InvalidInput("matrix", "be square", f"shape {self.shape}")
        if self.rank < self.shape[0]:
            return 0
        value = _sign(self._factors.order)
        for entry in self._factors.packed.diagonal():
            value = value * int(entry) % self.p
        return value % self.p

    def _eliminated(self, b: ExactArray) -> tuple[Residues, Residues]:
        """Return L⁻¹ b on the pivot rows, (rank, 1), and what b leaves on the others, (r - rank, 1)."""
        b = np.asarray(b)
        if b.shape != self.shape[:1]:
            raise InvalidInput("b", f"have shape ({self.shape[0]},)", f"shape {b.shape}")
        column = np.ascontiguousarray(reduce_mod(b, self.p)[self._factors.order, None])
        top = column[: self.rank]
        self._substitute(self._factors.packed, self._factors.lower, top, lower=True)
        return top, self._minus_product(
            self._factors.packed[self.rank :, : self.rank], top, column[self.rank :]
        )

    def _on_pivot_rows(self, right: Residues) -> Integers:
        """Solve Lᵀ z = right on the pivot rows; return z spread over all r rows, zero elsewhere."""
        z = np.ascontiguousarray(right)
        transposed = [(start, stop, inverse.T) for start, stop, inverse in self._factors.lower]
        self._substitute(self._factors.packed.T, transposed, z, lower=False)
        y = np.zeros((self.shape[0], z.shape[1]), dtype=np.int64)
        y[self.pivot_rows] = self._residues(z)
        return y

    def _substitute(self, t: Residues, blocks: Blocks, b: Residues, *, lower: bool) -> None:
        from skip_absorption.exact._elimination import LEAF, substitute

        work = np.empty(LEAF * b.shape[1])
        substitute(t, blocks, b, (0, b.shape[1]), self.p, lower=lower, load=1, work=work)

    def _minus_product(self, left: Residues, right: Residues, start: Residues | None = None) -> Residues:
        """Return the balanced residues of start - left right, where start holds residues in [0, p)."""
        from skip_absorption.exact._elimination import subtract_product
        from skip_absorption.exact._kernels import balance

        shape = (left.shape[0], right.shape[1])
        out = np.zeros(shape) if start is None else start.copy()
        subtract_product(out, (0, shape[0]), (0, shape[1]), left, right, p=self.p, load=1)
        balance(out, (0, shape[0]), (0, shape[1]), float(self.p))
        return out

    def _residues(self, balanced: Residues) -> Integers:
        return np.mod(balanced.astype(np.int64), self.p)

    @cached_property
    def _free_columns(self) -> Integers:
        return np.setdiff1d(np.arange(self.shape[1]), self.pivot_columns, assume_unique=True)

    @cached_property
    def _pivot_part(self) -> Residues:
        """The upper triangular pivot columns of E; below their diagonal stand other numbers."""
        packed = self._factors.packed[: self.rank]
        if np.array_equal(self.pivot_columns, np.arange(self.rank)):
            return packed[:, : self.rank]
        return np.ascontiguousarray(packed[:, self.pivot_columns])

    @cached_property
    def _free_part(self) -> Residues:
        """The other columns of E."""
        free = self._free_columns
        return np.where(free > self.pivot_columns[:, None], self._factors.packed[: self.rank][:, free], 0.0)

    @cached_property
    def _dependence(self) -> Residues:
        """The (rank, n - rank) coefficients of the free columns of A in its pivot columns, balanced."""
        dependence = self._free_part.copy()
        self._substitute(self._pivot_part, self._factors.upper, dependence, lower=False)
        return dependence


def _sign(order: Integers) -> int:
    """Return the sign of a permutation, by its cycles."""
    seen, sign = np.zeros(len(order), dtype=bool), 1
    for start in range(len(order)):
        current, length = start, 0
        while not seen[current]:
            seen[current] = True
            current, length = int(order[current]), length + 1
        if length and length % 2 == 0:
            sign = -sign
    return sign
