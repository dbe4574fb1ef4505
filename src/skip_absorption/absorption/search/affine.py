"""The solution set of the linear equations modulo a prime, and what it alone decides.

A solution over Q is a solution mod p for every prime p that divides no denominator, so the whole solution
set ``s_pivot = offset - matrix s_free`` in F_p^N contains it. Whatever is read off that set refutes soundly;
an unlucky prime or a bad choice of equations only makes the set larger. Source: X4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.search.outcome import Refutation
from skip_absorption.absorption.search.problem import SubsetProblem

if TYPE_CHECKING:
    import flint

_BITS = 61  # sums of two residues stay below 2^62, in signed and unsigned 64-bit arithmetic alike
_SMALL_SUPPORT = 12  # rows with at most so many units are checked against all their subset sums


@dataclass(frozen=True)
class Equations:
    """Independent entries of the matrix equation mod p, and the combinations that row-reduce them.

    Attributes
    ----------
    p
        A proved prime that does not divide the problem's scale.
    entries
        The chosen entries (row, column), one for each row of the reduced system.
    combine
        Row k of the reduced system is ``sum_l combine[k, l] * (integer equation at entries[l])``.
    consistent
        Whether the equations have a solution mod p; if not, the last reduced row is 0 = 1.
    """

    p: int
    entries: list[tuple[int, int]]
    combine: flint.nmod_mat
    consistent: bool
    scale: int
    shape: tuple[int, int]

    def matrix_of_row(self, k: int) -> list[list[int]]:
        """Return Y (m, d) with ``E_Y(s)`` equal to reduced row k, for the unscaled equations."""
        m, d = self.shape
        y = [[0] * d for _ in range(m)]
        for col, (r, c) in enumerate(self.entries):
            y[r][c] = (y[r][c] + int(self.combine[k, col]) * self.scale) % self.p
        return y


@dataclass(frozen=True)
class AffineSet:
    """All ``s in F_p^N`` with ``s[pivots] + matrix s[free] = offset``, or an independent part of them.

    Attributes
    ----------
    pivots, free
        Disjoint unit indices; a component has only some of the N units.
    matrix, offset
        Residues, uint64, of shapes (pivots, free) and (pivots,).
    rows
        The rows of `equations` that the pivots belong to.
    """

    equations: Equations
    pivots: NDArray[np.int64]
    free: NDArray[np.int64]
    matrix: NDArray[np.uint64]
    offset: NDArray[np.uint64]
    rows: NDArray[np.int64]

    @property
    def p(self) -> int:
        """The prime."""
        return self.equations.p

    @property
    def dimension(self) -> int:
        """The number of free units."""
        return len(self.free)

    def ones(self, bits: NDArray[Any]) -> list[int] | None:
        """Return the units set to 1 by a 0/1 choice of the free ones, or None if a pivot is not 0/1."""
        chosen = np.flatnonzero(bits)
        ones = [int(i) for i in self.free[chosen]]
        for pivot, row, constant in zip(self.pivots, self.matrix, self.offset, strict=True):
            value = (int(constant) - sum(int(x) for x in row[chosen])) % self.p
            if value > 1:
                return None
            if value:
                ones.append(int(pivot))
        return ones

    def components(self) -> list[AffineSet]:
        """Split into parts that share no row and no free unit; each must be solved on its own.

        A free unit in no row at all is in no part: its value is arbitrary mod p, and 0 is chosen.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        r, f = self.matrix.shape
        row, column = np.nonzero(self.matrix)
        edges = csr_array((np.ones(len(row), dtype=np.int8), (row, r + column)), shape=(r + f, r + f))
        count, label = connected_components(edges, directed=False)
        order_rows, order_free = np.argsort(label[:r], kind="stable"), np.argsort(label[r:], kind="stable")
        row_ends = np.searchsorted(label[:r][order_rows], np.arange(count + 1))
        free_ends = np.searchsorted(label[r:][order_free], np.arange(count + 1))
        parts = []
        for k in range(count):
            rows = order_rows[row_ends[k] : row_ends[k + 1]]
            free = order_free[free_ends[k] : free_ends[k + 1]]
            if len(rows):
                parts.append(self._part(rows, free))
        return parts

    def _part(self, rows: NDArray[np.int64], free: NDArray[np.int64]) -> AffineSet:
        return AffineSet(
            self.equations,
            self.pivots[rows],
            self.free[free],
            np.ascontiguousarray(self.matrix[np.ix_(rows, free)]),
            self.offset[rows],
            self.rows[rows],
        )

    def refuted_row(self) -> Refutation | None:
        """Return a refutation if one row with few units has no 0/1 solution mod p."""
        sizes = np.count_nonzero(self.matrix, axis=1)
        for k in np.flatnonzero(sizes < _SMALL_SUPPORT):
            values = {0, 1}
            for x in self.matrix[k][self.matrix[k] != 0]:
                values |= {(v + int(x)) % self.p for v in values}
            if int(self.offset[k]) not in values:
                y = self.equations.matrix_of_row(int(self.rows[k]))
                return {"kind": "support", "p": self.p, "Y": y}
        return None


def solve_affine(problem: SubsetProblem, *, rng: np.random.Generator) -> tuple[Equations, AffineSet | None]:
    """Solve the equations mod a random prime of 61 bits; the set is None if there is no solution.

    All entries are taken when they are few. Otherwise a random sample is, and entries that a random element
    of its solution set violates are added until there are none: the set then solves all entries with
    probability at least ``1 - 2^-60``, and contains every solution in any case.
    """
    p = _prime(problem.scale, rng)
    n, (m, d) = problem.n, problem.shape
    up, down = _residues(problem.up, p), _residues(problem.down, p)
    goal = _residues(problem.goal, p)
    entries = _first_entries(problem, rng)
    few = len(entries) == m * d
    while True:
        entries, reduced, pivots, combine = _reduce(up, down, goal, entries, p)
        consistent = n not in pivots
        equations = Equations(p, entries, combine, consistent, problem.scale, (m, d))
        if not consistent:
            return equations, None
        solved = _affine_set(equations, reduced, pivots, n)
        missing = [] if few else _violated(solved, up, down, goal, rng=rng)
        if not missing:
            return equations, solved
        entries += missing


def inconsistent_refutation(equations: Equations, n: int) -> Refutation:
    """Return the one-matrix refutation of equations without a solution mod p (last row: 0 = 1)."""
    k = len(equations.entries) - 1
    # E_Y(s) = -1 for the row 0 = 1, so the constant multiplier is -1.
    return {
        "kind": "quadratic",
        "p": equations.p,
        "mu": [0] * n,
        "ell": [[equations.p - 1] + [0] * n],
        "Y": [equations.matrix_of_row(k)],
    }


def _prime(scale: int, rng: np.random.Generator) -> int:
    import flint

    while True:
        p = int(rng.integers(1 << (_BITS - 1), 1 << _BITS)) | 1
        if flint.fmpz(p).is_prime() and scale % p:  # proved, not probable, below 2^64
            return p


def _residues(integers: NDArray[Any], p: int) -> NDArray[Any]:
    return np.asarray(integers % p, dtype=object)


def _first_entries(problem: SubsetProblem, rng: np.random.Generator) -> list[tuple[int, int]]:
    m, d = problem.shape
    if m * d <= 2 * problem.n + 64:
        return [(r, c) for r in range(m) for c in range(d)]
    wanted = problem.n + 8
    nonzero = [(int(r), int(c)) for r, c in np.argwhere(problem.goal != 0)]
    first = [nonzero[k] for k in rng.permutation(len(nonzero))[: wanted // 2]]
    others = rng.choice(m * d, size=wanted, replace=False)
    return list(dict.fromkeys([*first, *((int(k) // d, int(k) % d) for k in others)]))[:wanted]


def _reduce(
    up: NDArray[Any], down: NDArray[Any], goal: NDArray[Any], entries: list[tuple[int, int]], p: int
) -> tuple[list[tuple[int, int]], flint.nmod_mat, list[int], flint.nmod_mat]:
    """Keep a basis of the equations; return it, its reduced form, the pivot columns and the combinations."""
    import flint

    n = up.shape[0]
    rows = [[*(down[r] * up[:, c] % p), goal[r, c]] for r, c in entries]
    flat = [int(x) for row in rows for x in row]
    system = flint.nmod_mat(len(entries), n + 1, flat, p)
    kept = _pivots(system.transpose().rref()[0])
    entries = [entries[k] for k in kept]
    if not entries:
        return [], flint.nmod_mat(0, n + 1, p), [], flint.nmod_mat(0, 0, p)
    system = flint.nmod_mat(len(kept), n + 1, [int(x) for k in kept for x in rows[k]], p)
    reduced = system.rref()[0]
    pivots = _pivots(reduced)
    square = flint.nmod_mat(len(kept), len(kept), [int(rows[k][c]) for k in kept for c in pivots], p)
    return entries, reduced, pivots, square.inv()


def _pivots(reduced: flint.nmod_mat) -> list[int]:
    """Return the pivot columns of a matrix in reduced row echelon form."""
    pivots: list[int] = []
    column = 0
    for row in range(reduced.nrows()):
        while column < reduced.ncols() and int(reduced[row, column]) == 0:
            column += 1
        if column == reduced.ncols():
            break
        pivots.append(column)
    return pivots


def _affine_set(equations: Equations, reduced: flint.nmod_mat, pivots: list[int], n: int) -> AffineSet:
    free = np.setdiff1d(np.arange(n), pivots)
    values = np.array([int(x) for x in reduced.entries()], dtype=np.uint64).reshape(len(pivots), n + 1)
    return AffineSet(
        equations,
        np.array(pivots, dtype=np.int64),
        free.astype(np.int64),
        np.ascontiguousarray(values[:, free]),
        np.ascontiguousarray(values[:, n]),
        np.arange(len(pivots)),
    )


def _violated(
    solved: AffineSet, up: NDArray[Any], down: NDArray[Any], goal: NDArray[Any], *, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Return entries that a random element of the solution set violates, at most N + 8 of them."""
    import flint

    p = solved.p
    n, (m, d) = len(up), goal.shape
    s = [0] * n
    for i in solved.free:
        s[i] = int(rng.integers(p))
    for pivot, row, offset in zip(solved.pivots, solved.matrix, solved.offset, strict=True):
        s[pivot] = (int(offset) - sum(int(x) * s[f] for f, x in zip(solved.free, row, strict=True))) % p
    weighted = flint.nmod_mat(m, n, [int(x) * s[i] % p for row in down for i, x in enumerate(row)], p)
    product = weighted * flint.nmod_mat(n, d, [int(x) for x in up.flat], p)
    wrong = [k for k, (x, y) in enumerate(zip(product.entries(), goal.flat, strict=True)) if int(x) != y]
    return [divmod(wrong[k], d) for k in rng.permutation(len(wrong))[: n + 8]]
