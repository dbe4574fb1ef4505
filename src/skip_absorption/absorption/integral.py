"""The flipped skips ``R_F = M + odd * A_F B_F`` of one network, over the integers and modulo primes.

Rows and columns of R_F are scaled by nonzero numbers so that every entry is an integer. That changes no rank,
no vanishing determinant and no rank of R_F together with rows of W_up, which is all that the width depends
on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import (
    ExactArray,
    exact_array,
    exact_matmul,
    from_fmpq_mat,
    identity,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.exact.residues import random_prime, reduce_mod

Flips = tuple[int, ...]


@dataclass(frozen=True)
class IntegralNetwork:
    """A network with a skip, scaled to integers: ``R_F = skip + down[:, F] up[F]``.

    Attributes
    ----------
    skip, down, up
        Object arrays of ``int`` of shapes (m, d), (m, N), (N, d); the factor `odd` is inside `down`.
    """

    skip: NDArray[Any]
    down: NDArray[Any]
    up: NDArray[Any]

    @classmethod
    def of(
        cls, w_up: ExactArray, w_down: ExactArray, skip: ExactArray | None, odd: Fraction | int
    ) -> IntegralNetwork:
        """Scale exact weights to integers.

        Parameters
        ----------
        w_up, w_down
            Rows w_i, shape (N, d), and columns a_i, shape (m, N).
        skip
            M, shape (m, d); None stands for the identity and needs m = d.
        odd
            The nonzero number 2c with sigma(z) - sigma(-z) = 2c*z.
        """
        up, down, m = network_fractions(w_up, w_down, skip)
        return cls._scaled(up, down * Fraction(odd), m)

    @classmethod
    def _scaled(cls, up: NDArray[Any], down: NDArray[Any], m: NDArray[Any]) -> IntegralNetwork:
        columns = [_common_denominator(column) for column in up.T]
        rows = [_common_denominator(row) for row in down]
        m = m * _column(rows) * _column(columns).T
        last = [_common_denominator(row) for row in m]
        m, down = m * _column(last), down * _column(rows) * _column(last)
        return cls(_integers(m), _integers(down), _integers(up * _column(columns).T))

    def essential(self) -> tuple[int, IntegralNetwork]:
        """Split off what no F and no G changes.

        Returns
        -------
        e, network
            e = rank[M ; W_up] - rank W_up, and a network whose W_up has full column rank: rank[R_F ; w_G]
            here is e plus the same rank there, for all F and G.

        Notes
        -----
        Pivot columns J of W_up give W_up = W_J T. Subtracting R_J T from the other columns of R_F leaves M' =
        M - M_J T there, without F. It has rank e, and the rows of R_F in the span of W_up are the
        combinations L R_J with L M' = 0.
        """
        echelon, r = to_fmpq_mat(self.up).rref()
        pivots = [next(j for j in range(self.up.shape[1]) if echelon[i, j] != 0) for i in range(r)]
        others = [j for j in range(self.up.shape[1]) if j not in set(pivots)]
        if not others:
            return 0, self
        kept = self.skip[:, pivots]
        outside = to_fractions(self.skip[:, others]) - exact_matmul(kept, from_fmpq_mat(echelon)[:r, others])
        reduced, _ = to_fmpq_mat(np.hstack([outside, to_fractions(identity(len(kept)))])).rref()
        split = from_fmpq_mat(reduced)
        left = split[~split[:, : len(others)].any(axis=1), len(others) :]
        down, skip = exact_matmul(left, self.down), exact_matmul(left, kept)
        return len(kept) - len(left), self._scaled(to_fractions(self.up[:, pivots]), down, skip)

    @property
    def n(self) -> int:
        """The number of units N."""
        return int(self.up.shape[0])

    def flipped(self, flips: Sequence[int]) -> NDArray[Any]:
        """Return R_F as an object array of ``int``, shape (m, d)."""
        chosen = list(flips)
        return self.skip + self.down[:, chosen].dot(self.up[chosen]) if chosen else self.skip.copy()

    def residues(self, p: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return skip, down and up modulo p as int64 residues."""
        return residues(self.skip, p), residues(self.down, p), residues(self.up, p)

    def determinant_bound(self) -> int:
        """Return a number above every |det R_F| of a square skip: Hadamard's bound, rows in the 1-norm."""
        reach = abs(self.skip) + abs(self.down).dot(abs(self.up))
        return 1 + math.prod(int(sum(row)) for row in reach)


def network_fractions(
    w_up: ExactArray, w_down: ExactArray, skip: ExactArray | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return w_up, w_down and the skip as arrays of ``Fraction``, checking their shapes.

    Raises
    ------
    InvalidInput
        If the shapes are not (N, d), (m, N) and (m, d), or `skip` is None and m differs from d.
    """
    up = to_fractions(exact_array(w_up, name="w_up", ndim=2))
    down = to_fractions(exact_array(w_down, name="w_down", ndim=2))
    if down.shape[1] != up.shape[0]:
        raise InvalidInput(
            "w_down", f"have shape (m, {up.shape[0]}), a column for each row of w_up", down.shape
        )
    shape = (down.shape[0], up.shape[1])
    if skip is None:
        if shape[0] != shape[1]:
            raise InvalidInput("skip", f"be given, of shape {shape}, where input and output differ", None)
        return up, down, to_fractions(identity(shape[0]))
    m = to_fractions(exact_array(skip, name="skip", ndim=2))
    if m.shape != shape:
        raise InvalidInput("skip", f"have shape {shape}", m.shape)
    return up, down, m


def residues(integers: NDArray[Any], p: int) -> NDArray[np.int64]:
    """Return an array of integers modulo an odd prime p < 2^31."""
    return reduce_mod(integers, p).astype(np.int64)


def word_prime(*, rng: np.random.Generator) -> int:
    """Return a random proved prime between 2^30 and 2^31: its residues and their sums fit in 32 bits."""
    return random_prime(rng=rng, bits=31)


def flips_of(mask: int) -> Flips:
    """Return the units of a bit mask, in ascending order."""
    return tuple(i for i in range(int(mask).bit_length()) if int(mask) >> i & 1)


def _common_denominator(values: NDArray[Any]) -> int:
    return math.lcm(*(Fraction(x).denominator for x in values))


def _column(values: list[int]) -> NDArray[Any]:
    return np.array(values, dtype=object)[:, None]


def _integers(array: NDArray[Any]) -> NDArray[Any]:
    out = np.empty(array.shape, dtype=object)
    for where, entry in np.ndenumerate(array):
        out[where] = int(entry)
    return out
