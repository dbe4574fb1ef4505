"""Which of the 2^N flipped skips are singular: all values of one polynomial, zero or not, decided exactly.

For a square skip M let ``f(F) = det(M + odd * A_F B_F)``; at M = I it is principal minor F of ``I_N + odd *
W_up W_down`` (Sylvester). As a polynomial in the indicators s of F it has degree at most 1 in each and d in
all, with products of minors as coefficients. So all 2^N values modulo a prime are one sum over subsets,
without a pivot. Nonzero modulo p proves nonzero over Q. A zero is decided over Z: it is zero if it is zero
modulo primes whose product exceeds every possible value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Budget, Clock
from skip_absorption.absorption.integral import Flips, IntegralNetwork, flips_of, residues, word_prime
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray
from skip_absorption.exact.verdict import Verdict

MAX_UNITS = 30
"""Masks are 32-bit words; 2^30 subsets take seconds, more would take minutes and are UNKNOWN."""

MAX_SIZE = 10
"""The largest determinant whose coefficients are listed: they come from tables with 2^n entries."""

_BLOCK_UNITS = 14
_BYTES = 40  # memory for each coefficient, all tables and temporaries included
_CHUNK_UNITS = 20
_PIECE = 1 << 14  # masks handled between two looks at the clock


@dataclass(frozen=True)
class ZeroMinors:
    """What is known about the subsets F with det(M + odd * A_F B_F) = 0.

    Attributes
    ----------
    subsets
        2^N.
    verdict
        Of "every determinant is nonzero": PROVED, REFUTED (a zero was proved), or UNKNOWN.
    count
        The number of zeros, exact; None if the budget ended first.
    flips
        The first zeros found, each proved, as sorted 0-based units; at most the limit asked for.
    tried
        One line: what was computed, modulo what, and how zeros were decided.
    """

    subsets: int
    verdict: Verdict
    count: int | None
    flips: tuple[Flips, ...]
    tried: str


def zero_minors(
    w_up: ExactArray,
    w_down: ExactArray,
    *,
    skip: ExactArray | None = None,
    odd: Fraction | int = 1,
    rng: np.random.Generator,
    budget: Budget | None = None,
    limit: int = 1024,
) -> ZeroMinors:
    """Decide for all F whether det(M + odd * A_F B_F) vanishes over Q (X1, Sylvester's certificate).

    Parameters
    ----------
    w_up, w_down
        Rows w_i, shape (N, d), and columns a_i, shape (d, N); exact arrays.
    skip
        M, shape (d, d); None is the identity.
    odd
        The number 2c with sigma(z) - sigma(-z) = 2c*z; 1 for ReLU and GELU.
    rng
        Draws the primes; the answer does not depend on it.
    budget
        When it runs out, or N > 30 or d > 10, the answer is UNKNOWN unless a zero was proved.
    limit
        How many zeros to list.

    Raises
    ------
    InvalidInput
        For wrong shapes or entries, or a skip that is not square.

    Examples
    --------
    >>> import numpy as np
    >>> rows, columns = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[-1, 2, 3], [0, 1, 5]])
    >>> found = zero_minors(rows, columns, rng=np.random.default_rng(0))
    >>> found.count, found.flips, found.verdict.value
    (2, ((0,), (0, 1)), 'REFUTED')
    """
    network = IntegralNetwork.of(w_up, w_down, skip, odd)
    if network.skip.shape[0] != network.skip.shape[1]:
        raise InvalidInput("skip", "be square, for its determinant", network.skip.shape)
    budget = budget or Budget()
    clock, subsets = budget.start(), 2**network.n
    n, d = network.n, len(network.skip)
    if n > MAX_UNITS or d > MAX_SIZE:
        reason = f"not tried: N <= {MAX_UNITS} and d <= {MAX_SIZE} are searched"
        return ZeroMinors(subsets, Verdict.UNKNOWN, None, (), reason)
    memory = _BYTES * sum(math.comb(n, k) for k in range(d + 1))
    if memory > budget.memory_bytes:
        reason = f"not tried: it takes {memory} bytes and the budget has {budget.memory_bytes}"
        return ZeroMinors(subsets, Verdict.UNKNOWN, None, (), reason)
    prime = word_prime(rng=rng)
    confirm = Confirmation.of(network, prime, rng=rng)
    count, done = 0, 0
    flips: list[Flips] = []
    for reached, masks in zero_masks(*network.residues(prime), prime, clock=clock):
        for first in range(0, len(masks), _PIECE):
            if clock.expired():
                break
            confirmed = confirm.zeros(masks[first : first + _PIECE])
            count += len(confirmed)
            flips += [flips_of(mask) for mask in confirmed[: limit - len(flips)]]
        else:
            done = reached
    complete = done == subsets
    verdict = Verdict.REFUTED if count else Verdict.PROVED if complete else Verdict.UNKNOWN
    tried = (
        f"{done} of {subsets} determinants modulo {prime}; zeros decided over Z by {confirm.total} primes"
        f" whose product exceeds Hadamard's bound of {confirm.bits} bits"
    )
    return ZeroMinors(subsets, verdict, count if complete else None, tuple(flips), tried)


@dataclass(frozen=True)
class Confirmation:
    """Decides over Z which determinants that vanish modulo one prime are 0, by enough further primes."""

    bits: int
    primes: tuple[tuple[int, tuple[NDArray[np.int64], ...]], ...]

    @classmethod
    def of(cls, network: IntegralNetwork, prime: int, *, rng: np.random.Generator) -> Confirmation:
        """Draw distinct primes whose product with `prime` exceeds every |determinant|."""
        bound, product, drawn = network.determinant_bound(), prime, {prime}
        primes = []
        while product < bound:
            q = word_prime(rng=rng)
            if q not in drawn:
                drawn.add(q)
                product *= q
                primes.append((q, network.residues(q)))
        return cls(bound.bit_length(), tuple(primes))

    @property
    def total(self) -> int:
        """The number of primes, the first one included."""
        return 1 + len(self.primes)

    def zeros(self, masks: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the masks, out of those that vanish modulo the first prime, whose determinant is 0."""
        from skip_absorption.absorption._minor_kernels import determinants

        for q, (skip, down, up) in self.primes:
            if len(masks) == 0:
                break
            masks = masks[determinants(masks, skip, down, up, q) == 0]
        return masks


def zero_masks(
    skip: NDArray[np.int64], down: NDArray[np.int64], up: NDArray[np.int64], p: int, *, clock: Clock
) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Yield, chunk by chunk, how many subsets are done and the masks F of the chunk with determinant 0 mod p.

    Parameters
    ----------
    skip, down, up
        Residues modulo p of shapes (n, n), (n, N), (N, n).
    p
        A prime below 2^31.
    clock
        When it expires the iteration ends early: the last count yielded is then below 2^N.
    """
    from skip_absorption.absorption import _minor_kernels as kernels

    units = len(up)
    rank, down, up = _normal_form(skip, down, up, p)
    masks, parents, sizes = _subsets(units, min(len(skip), units))
    radix = 1 << 32
    a, w = (np.ascontiguousarray(x * (radix % p) % p).astype(np.uint64) for x in (down.T, up))
    field = np.uint64(p), np.uint64(-pow(p, -1, radix) % radix)
    low = max(0, min(_BLOCK_UNITS, units) - kernels.LANES)
    lanes = 1 << min(kernels.LANES, units)
    starts = np.zeros(units + 2, dtype=np.int64)
    starts[low + 1 :] = np.cumsum(sizes[low:])
    tables = np.zeros(starts[-1], dtype=np.uint32)
    stack = np.zeros((len(skip) + 1, 1 << len(skip)), dtype=np.uint64)
    stack[0, 0] = radix % p
    stacks = stack, stack.copy()
    for first in range(0, len(masks), _PIECE):
        if clock.expired():
            return
        part = slice(first, first + _PIECE)
        tables[starts[units] :][part] = kernels.coefficients(masks[part], (a, w), rank, field, stacks)
    step = max(lanes, 1 << (min(units, _CHUNK_UNITS) - low))
    work = tables, np.zeros(lanes << low, dtype=np.uint32), np.empty(step << low, dtype=np.uint32)
    for first in range(0, 1 << (units - low), step):
        if clock.expired():
            return
        span = first, first + step
        found = kernels.zeros(span, np.uint32(p), (units, low), (masks, parents, sizes, starts), work)
        yield span[1] << low, work[2][:found].copy()


def _normal_form(
    skip: NDArray[np.int64], down: NDArray[np.int64], up: NDArray[np.int64], p: int
) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Change bases modulo p on both sides so that the skip becomes diag(1, ..., 1, 0, ..., 0).

    Returns
    -------
    rank, down, up
        The number of ones and the other factors; all determinants change by one nonzero factor.
    """
    n = len(skip)
    left, right = np.hstack([skip, down]), up.copy()  # row operations act on both blocks of `left`
    rank = 0
    for column in range(n):
        pivots = rank + np.flatnonzero(left[rank:, column])
        if len(pivots) == 0:
            continue
        left[[rank, pivots[0]]] = left[[pivots[0], rank]]
        left[rank] = left[rank] * pow(int(left[rank, column]), -1, p) % p
        for row in range(n):
            if row != rank:
                left[row] = (left[row] + (p - left[row, column]) * left[rank]) % p
        left[:, [rank, column]] = left[:, [column, rank]]
        right[:, [rank, column]] = right[:, [column, rank]]
        rank += 1
    for k in range(rank):  # the skip is now [I X; 0 0]: subtract its first columns from the last ones
        for column in range(rank, n):
            right[:, column] = (right[:, column] + (p - left[k, column]) * right[:, k]) % p
    return rank, left[:, n:], right


def _subsets(units: int, size: int) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
    """List all masks with at most `size` bits, ascending.

    Returns
    -------
    masks, parents, sizes
        ``masks[:sizes[r]]`` are those below 2^r; ``parents[t]`` is the place of masks[t] minus its highest
        bit.
    """
    masks, bits = np.zeros(1, dtype=np.uint32), np.zeros(1, dtype=np.int64)
    parents, sizes = np.zeros(1, dtype=np.int64), [1]
    for r in range(units):
        grown = np.flatnonzero(bits < size)
        masks = np.concatenate([masks, masks[grown] | np.uint32(1 << r)])
        parents = np.concatenate([parents, grown])
        bits = np.concatenate([bits, bits[grown] + 1])
        sizes.append(len(masks))
    return masks, parents, np.array(sizes, dtype=np.int64)


def compressed(
    network: IntegralNetwork, size: int, p: int, *, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return P M Q, P A and W Q modulo p for random P (size, m) and Q (d, size).

    ``det(P R_F Q)`` nonzero modulo p proves rank R_F >= size over Q; zero proves nothing.
    """
    (m, d) = network.skip.shape
    skip, down, up = (x.astype(object) for x in network.residues(p))
    left = rng.integers(0, p, (size, m)).astype(object)
    right = rng.integers(0, p, (d, size)).astype(object)
    return residues(left.dot(skip).dot(right), p), residues(left.dot(down), p), residues(up.dot(right), p)
