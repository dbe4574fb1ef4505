"""Bounds of the minimal width that need no search over subsets (X1, B1-B8): what a large layer can be told.

All bounds are of k*, the number of units beyond N, for a network whose rows and columns meet the generic hypotheses:
``k* = min over F, G of |G| + 2 (rank[R_F ; w_G] - rank w_G)`` with ``R_F = M + odd * A_F B_F``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.positive import symmetric_part_is_positive
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    from_fmpq_mat,
    identity,
    rank,
    stack_rows,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.exact.residues import random_prime, reduce_mod

_EXACT_ENTRIES = 20_000  # matrices up to this size have their rank taken over Q where it falls short modulo p
_INVERTED = 64  # a skip other than the identity is inverted exactly up to this size


@dataclass(frozen=True)
class Rank:
    """What is proved of a rank over Q, and rows that are independent over Q."""

    lower: int
    upper: int
    rows: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the rank is known."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Bounds:
    """Proved bounds ``lower <= k* <= upper``, each with a line that says why.

    Attributes
    ----------
    doubled
        With no unit flipped, doubling these units and adding two units for each further direction of
        the skip reaches `upper`.
    excess
        A proved lower bound of rank[M ; W_up] - rank W_up: every k* is at least that much above the least rank R_F.
    """

    lower: int
    upper: int
    lower_how: str
    upper_how: str
    doubled: tuple[int, ...]
    excess: int


def proved_rank(*blocks: ExactArray, rng: np.random.Generator) -> Rank:
    """Return proved bounds of the rank over Q of the blocks stacked on one another.

    The rank is exact when it is full modulo a prime, or when the matrix is small.
    """
    from skip_absorption.exact.prime_field import eliminate

    rows, columns = sum(len(block) for block in blocks), blocks[0].shape[1]
    full = min(rows, columns)
    found = eliminate(*_residues(blocks, rng))
    pivots = tuple(sorted(int(i) for i in found.pivot_rows))
    if found.rank == full:
        return Rank(full, full, pivots)
    if rows * columns > _EXACT_ENTRIES:
        return Rank(found.rank, full, pivots)
    matrix = stack_rows(blocks)
    exact = rank(matrix)
    return Rank(exact, exact, pivots if exact == found.rank else _independent_rows(matrix))


def first_independent_rows(*blocks: ExactArray, rng: np.random.Generator) -> list[int]:
    """Return the rows of the stacked blocks, in order, that are independent of those before them modulo a prime.

    They are independent over Q. A row missing from the list may be independent all the same, if the
    prime is unlucky.
    """
    from skip_absorption.exact.prime_field import eliminate

    filled = tuple(block for block in blocks if block.size)
    if not filled:
        return []
    residues, p = _residues(filled, rng)
    return [int(i) for i in eliminate(np.ascontiguousarray(residues.T), p).pivot_columns]


def _residues(blocks: tuple[ExactArray, ...], rng: np.random.Generator) -> tuple[NDArray[np.float64], int]:
    """Return the stacked blocks modulo a random prime that divides no denominator, and the prime."""
    while True:
        p = random_prime(rng=rng)
        try:
            return np.vstack([reduce_mod(block, p) for block in blocks]), p
        except InvalidInput:  # p divides a denominator, as few primes do
            continue


def _independent_rows(matrix: ExactArray) -> tuple[int, ...]:
    echelon, size = to_fmpq_mat(matrix.T).rref()
    return tuple(next(j for j in range(len(matrix)) if echelon[i, j] != 0) for i in range(size))


def width_bounds(
    w_up: ExactArray,
    w_down: ExactArray,
    skip: ExactArray,
    odd: Fraction,
    *,
    rng: np.random.Generator,
    clock: Clock,
) -> Bounds:
    """Return bounds of k* from ranks and from positive definiteness.

    Parameters
    ----------
    w_up, w_down, skip
        Exact, (N, d), (m, N) and (m, d), N >= 1; the generic hypotheses are assumed.
    odd
        The number 2c with sigma(z) - sigma(-z) = 2c*z.
    rng
        Draws primes; the bounds do not depend on it, bad luck apart.
    clock
        Proofs that take long are not tried once it has expired.

    Notes
    -----
    *Upper.* F = G = {} costs 2 rank M; F = {} and G independent costs 2 rank[M ; w_G] - |G|, tried for a basis of
    all rows and for a basis of the rows that lie in row(M) (for M = I: 2d - rank W_up).

    *Lower.* The second summand of the cost, as 2 rank[R ; w_G] - rank w_G = rank[R ; w_G] + (rank[R ; w_G] - rank w_G), is at
    least rank R_F + e with e = rank[M ; W_up] - rank W_up. And rank R_F >= e + e' - e'' with e' = rank[M W_down] - rank W_down,
    e'' = rank[[M, W_down], [W_up, 0]] - rank W_up - rank W_down (Frobenius: the parts of R_F that do not see W). If the
    symmetric part of I_N + odd W_up M^-1 W_down is positive definite, rank R_F = d for every F.
    """
    m_is_identity = skip.shape[0] == skip.shape[1] and bool(np.all(skip == identity(len(skip))))
    up, down = proved_rank(w_up, rng=rng), proved_rank(w_down, rng=rng)
    rank_m = Rank(len(skip), len(skip), ()) if m_is_identity else proved_rank(skip, rng=rng)
    together = rank_m if m_is_identity else proved_rank(skip, w_up, rng=rng)
    excess = max(0, together.lower - up.upper)
    upper, doubled, upper_how = (
        2 * rank_m.upper,
        (),
        f"two units for each of rank M = {rank_m.upper} directions",
    )
    basis_cost = 2 * min(together.upper, rank_m.upper + len(up.rows)) - len(up.rows)
    if basis_cost < upper:
        upper, doubled = basis_cost, up.rows
        upper_how = f"doubling {len(doubled)} independent rows: 2 rank[M ; W_up] - rank W_up"
    if not m_is_identity and rank_m.exact and w_up.size <= _EXACT_ENTRIES:
        inside = _rows_inside(w_up, skip, rng)
        if 2 * rank_m.upper - len(inside) < upper:
            upper, doubled = 2 * rank_m.upper - len(inside), inside
            upper_how = f"doubling {len(doubled)} independent rows inside row(M): 2 rank M - {len(doubled)}"
    base = max(excess, _blind_rank(w_down, skip, w_up, up, down, excess, m_is_identity, rng))
    lower, lower_how = base + excess, "a width below N never works"
    if lower:
        lower_how = "ranks: part of M lies outside what W_up and W_down span"
    if lower < upper and not clock.expired() and _is_regular(w_up, w_down, skip, odd, m_is_identity):
        lower = len(skip) + excess
        lower_how = "the symmetric part of I_N + odd W_up M^-1 W_down is positive definite, so every M + odd A_F B_F is regular"
    return Bounds(lower, upper, lower_how, upper_how, doubled, excess)


def _blind_rank(
    w_down: ExactArray,
    skip: ExactArray,
    w_up: ExactArray,
    up: Rank,
    down: Rank,
    excess: int,
    m_is_identity: bool,
    rng: np.random.Generator,
) -> int:
    """Return a proved lower bound of min_F rank R_F from the parts of M that W_up or W_down does not reach."""
    beside = len(skip) if m_is_identity else proved_rank(skip.T, w_down.T, rng=rng).lower
    left = beside - down.upper
    if excess == 0 or left <= 0:
        return max(left, 0)
    n = len(w_up)
    zeros = np.full((n, n), Fraction(0), dtype=object)
    bordered = np.vstack(
        [
            np.hstack([to_fractions(skip), to_fractions(w_down)]),
            np.hstack([to_fractions(w_up), zeros]),
        ]
    )
    if bordered.size > _EXACT_ENTRIES:
        return left
    unseen = rank(bordered) - up.lower - down.lower
    return max(left, excess + left - unseen)


def _rows_inside(w_up: ExactArray, skip: ExactArray, rng: np.random.Generator) -> tuple[int, ...]:
    """Return independent rows of W_up that lie in row(M), as many as there are."""
    size = rank(skip)
    inside = [i for i in range(len(w_up)) if rank(stack_rows([skip, w_up[i : i + 1]])) == size]
    if not inside:
        return ()
    return tuple(inside[i] for i in proved_rank(w_up[inside], rng=rng).rows)


def _is_regular(
    w_up: ExactArray, w_down: ExactArray, skip: ExactArray, odd: Fraction, m_is_identity: bool
) -> bool:
    """Whether M is regular and the symmetric part of I_N + odd W_up M^-1 W_down is proved positive definite."""
    if m_is_identity:
        scaled = w_down if odd == 1 else to_fractions(w_down) * odd
        return symmetric_part_is_positive(w_up, scaled)
    if skip.shape[0] != skip.shape[1] or len(skip) > _INVERTED:
        return False
    m = to_fmpq_mat(skip)
    if m.rank() < len(skip):
        return False
    return symmetric_part_is_positive(w_up, exact_matmul(from_fmpq_mat(m.inv()), to_fractions(w_down) * odd))
