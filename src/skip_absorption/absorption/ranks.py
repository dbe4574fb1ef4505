"""Ranks over Q of matrices of any size, from elimination modulo a prime, with what exactly is proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray, rank, stack_rows, to_fmpq_mat
from skip_absorption.exact.residues import random_prime, reduce_mod

SMALL = 20_000
"""Matrices of up to so many entries have their rank taken over Q where it falls short modulo p."""


@dataclass(frozen=True)
class Rank:
    """Proved bounds of a rank over Q, and `lower` rows that are independent over Q."""

    lower: int
    upper: int
    rows: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the rank is known."""
        return self.lower == self.upper


def proved_rank(*blocks: ExactArray, rng: np.random.Generator) -> Rank:
    """Return proved bounds of the rank over Q of the blocks stacked on one another.

    The rank is exact when it is full modulo a prime, or when the matrix has at most `SMALL` entries.
    """
    from skip_absorption.exact.prime_field import eliminate

    rows, columns = sum(len(block) for block in blocks), blocks[0].shape[1]
    full = min(rows, columns)
    found = eliminate(*_residues(blocks, rng))
    pivots = tuple(sorted(int(i) for i in found.pivot_rows))
    if found.rank == full:
        return Rank(full, full, pivots)
    if rows * columns > SMALL:
        return Rank(found.rank, full, pivots)
    matrix = stack_rows(blocks)
    exact = rank(matrix)
    return Rank(exact, exact, pivots if exact == found.rank else _independent_rows(matrix))


def first_independent_rows(*blocks: ExactArray, rng: np.random.Generator) -> list[int]:
    """Return the rows of the stacked blocks that are independent of the rows before them modulo a prime.

    They are independent over Q. A row that is left out may be so too, if the prime is unlucky.
    """
    from skip_absorption.exact.prime_field import eliminate

    filled = [block for block in blocks if block.size]
    if not filled:
        return []
    residues, p = _residues(filled, rng)
    return [int(i) for i in eliminate(np.ascontiguousarray(residues.T), p).pivot_columns]


def _independent_rows(matrix: ExactArray) -> tuple[int, ...]:
    echelon, size = to_fmpq_mat(matrix.T).rref()
    return tuple(next(j for j in range(len(matrix)) if echelon[i, j] != 0) for i in range(size))


def _residues(blocks: Sequence[ExactArray], rng: np.random.Generator) -> tuple[NDArray[np.float64], int]:
    """Return the stacked blocks modulo a random prime that divides no denominator, and the prime."""
    while True:
        p = random_prime(rng=rng)
        try:
            return np.vstack([reduce_mod(block, p) for block in blocks]), p
        except InvalidInput:  # p divides a denominator; few primes do
            continue
