"""Linear equations for the units of a flip set: entries of sum_i s_i a_i w_i^T = -M/odd, modulo a prime.

An equation pairs the matrix identity with u v^T for probes u and v of a few nonzero entries each:
sum_i (u . a_i)(w_i . v) s_i = u^T T v. With one nonzero entry it is a single entry of the matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from skip_absorption.exact.prime_field import reduce_mod
from skip_absorption.exact.rational import ExactArray

_BLOCK = 1 << 16  # numbers of the system built at a time, so that they stay in the cache
_REDUCED = 1 << 20  # weights reduced at a time
_SPARE = 8  # equations beyond the number of unknowns


@dataclass(frozen=True)
class Question:
    """Condition (3) as data: find s in {0,1}^N with odd * sum_i s_i a_i w_i^T = -skip.

    `w_up` (N, d), `w_down` (m, N), `skip` (m, d) are exact arrays; `skip` None is the identity.
    """

    w_up: ExactArray
    w_down: ExactArray
    skip: ExactArray | None
    odd: Fraction

    @property
    def shape(self) -> tuple[int, int, int]:
        """N, m and d."""
        return (*self.w_up.shape[:1], *self.w_down.shape[:1], *self.w_up.shape[1:])

    def skip_entries(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> ExactArray:
        """Return the entries M[rows, columns]."""
        if self.skip is None:
            return np.asarray(rows == columns, dtype=np.int64)
        entries: ExactArray = self.skip[rows, columns]
        return entries

    def skip_support(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows and columns at which M is nonzero."""
        if self.skip is None:
            return np.arange(self.shape[1]), np.arange(self.shape[1])
        rows, columns = np.nonzero(self.skip != 0)
        return rows, columns


@dataclass(frozen=True)
class Probes:
    """Equations as sparse probes: equation e has u = sum_t u_values[e, t] e_{rows[e, t]}, and v likewise."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    u_values: NDArray[np.int64]
    v_values: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def entries(cls, places: NDArray[np.int64], d: int) -> Probes:
        """Return the equations of single entries, given as sorted flat places row * d + column."""
        rows, columns = np.divmod(places[:, None], d)
        ones = np.ones_like(rows)
        return cls(rows, columns, ones, ones)

    def system(self, question: Question, p: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the (len, N) matrix and the right side modulo p < 2^24.

        Raises
        ------
        InvalidInput
            If p divides a denominator.
        """
        from skip_absorption.exact._kernels import row_products

        width, _, d = question.shape
        up = np.empty((d, width), dtype=np.float32)  # holds integers below 2^24
        step = max(1, _REDUCED // d)
        for begin in range(0, width, step):
            part = slice(begin, begin + step)
            up[:, part] = reduce_mod(question.w_up[part], p).T
        matrix = np.empty((len(self), width))
        step = max(1, _BLOCK // width)
        for begin in range(0, len(self), step):
            part = slice(begin, begin + step)
            needed, place = np.unique(self.rows[part], return_inverse=True)
            down = reduce_mod(question.w_down[needed], p)
            left = _combined(down, place.reshape(-1, self.rows.shape[1]), self.u_values[part], p)
            right = _combined(up, self.columns[part], self.v_values[part], p)
            row_products(matrix[part], left, right, float(p))
        return matrix, self.right_side(question, p)

    def right_side(self, question: Question, p: int) -> NDArray[np.int64]:
        """Return the right sides u^T T v modulo p."""
        terms = self.rows.shape[1]
        skip = question.skip_entries(
            np.repeat(self.rows, terms, axis=1).reshape(-1), np.tile(self.columns, (1, terms)).reshape(-1)
        )
        factor = reduce_mod(np.array([-1 / question.odd], dtype=object), p).astype(np.int64)
        target = reduce_mod(skip, p).astype(np.int64) * factor % p
        weights = (self.u_values[:, :, None] * self.v_values[:, None, :]).reshape(len(self), -1) % p
        right: NDArray[np.int64] = (target.reshape(len(self), -1) * weights % p).sum(axis=1) % p
        return right

    def matrix_of(self, y: NDArray[np.int64], p: int) -> tuple[tuple[int, int, int], ...]:
        """Return Y = sum_e y_e u_e v_e^T modulo p as sorted nonzero entries (row, column, value)."""
        total: dict[tuple[int, int], int] = {}
        for e in np.flatnonzero(y).tolist():
            for row, u in zip(self.rows[e].tolist(), self.u_values[e].tolist(), strict=True):
                for column, v in zip(self.columns[e].tolist(), self.v_values[e].tolist(), strict=True):
                    total[row, column] = (total.get((row, column), 0) + int(y[e]) * u * v) % p
        return tuple((row, column, value) for (row, column), value in sorted(total.items()) if value)


def _combined(
    residues: NDArray[np.floating], places: NDArray[np.int64], values: NDArray[np.int64], p: int
) -> tuple[NDArray[np.floating], NDArray[np.int64]]:
    """Return vectors modulo p and, for each equation, which of them is u . a_i (or w_i . v) over all i."""
    if values.shape[1] == 1:  # single entries have value 1
        return residues, np.ascontiguousarray(places[:, 0])
    total = np.zeros((len(places), residues.shape[1]), dtype=np.uint64)
    for place, value in zip(places.T, values.astype(np.uint64).T, strict=True):
        total += residues[place].astype(np.uint64) * value[:, None] % np.uint64(p)
    return (total % np.uint64(p)).astype(np.float64), np.arange(len(places))


def sampled_entries(question: Question, *, rng: np.random.Generator) -> Probes:
    """Return min(N + 8, m d) entries of the matrix identity, those where M is nonzero before any others."""
    width, m, d = question.shape
    count = width + _SPARE
    if count >= m * d:
        return all_entries(question)
    rows, columns = question.skip_support()
    places = rows * d + columns
    if len(places) > width:  # leave some entries to chance
        places = rng.choice(places, width, replace=False)
    chosen = set(places.tolist())
    while len(chosen) < count:
        chosen.update(rng.integers(0, m * d, count - len(chosen)).tolist())
    return Probes.entries(np.array(sorted(chosen)), d)


def all_entries(question: Question) -> Probes:
    """Return all m d entries."""
    _, m, d = question.shape
    return Probes.entries(np.arange(m * d), d)


def with_entry(probes: Probes, row: int, column: int) -> Probes:
    """Return the probes with the equation of one entry more."""
    terms = probes.rows.shape[1]
    first = (np.arange(terms) == 0).astype(np.int64)[None, :]
    return Probes(
        np.concatenate([probes.rows, np.full((1, terms), row)]),
        np.concatenate([probes.columns, np.full((1, terms), column)]),
        np.concatenate([probes.u_values, first]),
        np.concatenate([probes.v_values, first]),
    )


def mixed_probes(question: Question, terms: int, p: int, *, rng: np.random.Generator) -> Probes:
    """Return N + 8 random probe pairs of so many random entries each, for structured weights."""
    width, m, d = question.shape
    count = width + _SPARE

    def probe(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        chosen = rng.integers(0, size, (count, terms))
        return chosen, rng.integers(1, p, (count, terms))

    (rows, u_values), (columns, v_values) = probe(m), probe(d)
    return Probes(rows, columns, u_values, v_values)
