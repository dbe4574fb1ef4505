"""Named distributions over weights; every draw is an exact number.

Gaussian draws are the dyadic rationals that float64 stores; the others are integers or fractions. The
planted instances satisfy the absorption condition, or have a prescribed minimal width, by construction.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import (
    ExactArray,
    from_fmpq_mat,
    identity,
    rank,
    to_fmpq_mat,
    to_fractions,
)


def generator(experiment: str, cell: str, seed: int = 0) -> np.random.Generator:
    """Return the random generator of one cell of one experiment.

    The stream depends on the two names and the seed alone: not on the order of cells, the number of
    cores, or the interpreter's hash seed.

    Examples
    --------
    >>> a, b = generator("theorem_4", "planted"), generator("theorem_4", "planted")
    >>> bool((a.integers(9, size=5) == b.integers(9, size=5)).all())
    True
    """
    digest = hashlib.sha256(f"{experiment}\0{cell}".encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "big") for i in range(0, 16, 4)]
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))


def gaussian(shape: tuple[int, ...], *, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return standard normal float64 entries, each standing for the dyadic rational that it stores."""
    return rng.standard_normal(shape)


def integers(shape: tuple[int, ...], *, rng: np.random.Generator, bound: int = 3) -> NDArray[np.int64]:
    """Return integers uniform on −bound..bound; small bounds make coincidences common."""
    return rng.integers(-bound, bound + 1, size=shape, dtype=np.int64)


def rationals(
    shape: tuple[int, ...], *, rng: np.random.Generator, bound: int = 9, denominator: int = 7
) -> ExactArray:
    """Return fractions p/q with p uniform on −bound..bound and q uniform on 1..denominator."""
    numerators = rng.integers(-bound, bound + 1, size=shape)
    denominators = rng.integers(1, denominator + 1, size=shape)
    out = np.empty(shape, dtype=object)
    for where in np.ndindex(*shape):
        out[where] = Fraction(int(numerators[where]), int(denominators[where]))
    return out


def is_generic(w_up: ExactArray, w_down: ExactArray) -> bool:
    """Whether (G) holds: rows nonzero and pairwise non-collinear, columns nonzero, d >= 2, N >= d.

    A slow, direct reading of the definition for small weights: every pair of rows is compared by its
    2 × 2 minors over Q.
    """
    n, d = w_up.shape
    if d < 2 or n < d or not all(np.any(w_down[:, i] != 0) for i in range(n)):
        return False
    rows = to_fractions(w_up)
    return all(np.any(row != 0) for row in rows) and not any(
        all(x[k] * y[j] == x[j] * y[k] for k in range(d) for j in range(k))
        for i, x in enumerate(rows)
        for y in rows[:i]
    )


def generic_integers(
    d: int, n: int, *, rng: np.random.Generator, bound: int = 3
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return integer weights (W_up of shape (N, d), W_down of shape (d, N)), conditioned on (G).

    Rows are redrawn until each is nonzero and collinear with none before it, columns until nonzero.

    Raises
    ------
    InvalidInput
        Unless 2 <= d <= N, bound >= 1 and the box −bound..bound holds enough directions.
    """
    _require_shape(d, n)
    w_up = np.zeros((n, d), dtype=np.int64)
    w_down = np.zeros((d, n), dtype=np.int64)
    lines: set[tuple[int, ...]] = set()
    for i in range(n):
        for _ in range(1000):
            row = integers((d,), rng=rng, bound=bound)
            if np.any(row) and _line(row) not in lines:
                break
        else:
            raise InvalidInput(
                "bound", f"leave room for {n} pairwise non-collinear rows in dimension {d}", bound
            )
        lines.add(_line(row))
        w_up[i] = row
        while not np.any(w_down[:, i]):
            w_down[:, i] = integers((d,), rng=rng, bound=bound)
    return w_up, w_down


def _line(row: NDArray[np.int64]) -> tuple[int, ...]:
    primitive = row // np.gcd.reduce(row)
    return tuple(int(x) for x in primitive * np.sign(primitive[np.nonzero(primitive)[0][0]]))


def _require_shape(d: int, n: int) -> None:
    if not 2 <= d <= n:
        raise InvalidInput("(d, N)", "satisfy 2 <= d <= N", (d, n))


@dataclass(frozen=True)
class Planted:
    """Integer weights with ``W_down[:, S] W_up[S, :] = −M`` for the planted set S (0-based, sorted)."""

    w_up: NDArray[np.int64]
    w_down: NDArray[np.int64]
    flip_set: tuple[int, ...]
    skip: NDArray[np.int64]


def planted(
    d: int,
    n: int,
    *,
    rng: np.random.Generator,
    size: int | None = None,
    skip: NDArray[np.int64] | None = None,
    bound: int = 3,
) -> Planted:
    """Draw generic integer weights conditioned on the absorption condition (3) for a planted set.

    S holds d rows that form an integer matrix of determinant ±1, so their columns come out of the
    condition as integers; the remaining units of S and those outside it are free.

    Parameters
    ----------
    d, n
        Input dimension and width, 2 <= d <= N.
    size
        The size of S, d..N; uniform on that range when None.
    skip
        The matrix M, of shape (d, d); the identity when None.
    bound
        Bound on the entries of the free rows and columns.
    """
    _require_shape(d, n)
    size = int(rng.integers(d, n + 1)) if size is None else size
    if not d <= size <= n:
        raise InvalidInput("size", f"lie in {d}..{n}", size)
    target = identity(d) if skip is None else np.asarray(skip, dtype=np.int64)
    for _ in range(1000):
        w_up, w_down = generic_integers(d, n, rng=rng, bound=bound)
        members = rng.permutation(n)[:size]
        basis, free = members[:d], members[d:]
        square, inverse = _unimodular(d, rng=rng)
        w_up[basis] = square
        w_down[:, basis] = (-target - w_down[:, free] @ w_up[free]) @ inverse
        if is_generic(w_up, w_down):
            return Planted(w_up, w_down, tuple(sorted(int(i) for i in members)), target)
    raise InvalidInput("bound", f"leave room for generic weights of shape {(n, d)}", bound)


def _unimodular(d: int, *, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an integer matrix of determinant ±1 and its integer inverse: a product of row operations."""
    order = rng.permutation(d)
    square, inverse = np.eye(d, dtype=np.int64)[order], np.eye(d, dtype=np.int64)[:, order]
    for _ in range(2 * d):
        i, j = rng.permutation(d)[:2]
        factor = int(rng.integers(-1, 2))
        square[i] += factor * square[j]
        inverse[:, j] -= factor * inverse[:, i]
    return square, inverse


def planted_width(
    d: int, n: int, extra: int, *, rng: np.random.Generator, bound: int = 1000
) -> tuple[ExactArray, ExactArray]:
    """Draw weights whose minimal residual-free width is N + extra for almost every draw, extra in 0..d.

    The first d rows are a basis with dual basis w*_i; column i is −w*_i for i < d − extra, and the other
    columns are uniform integers (X1).

    Returns
    -------
    w_up, w_down
        Exact arrays of shapes (N, d) and (d, N).
    """
    _require_shape(d, n)
    if not 0 <= extra <= d:
        raise InvalidInput("extra", f"lie in 0..{d}", extra)
    while True:
        w_up, w_down = generic_integers(d, n, rng=rng, bound=bound)
        if rank(w_up[:d]) == d:
            break
    dual = from_fmpq_mat(to_fmpq_mat(w_up[:d]).inv())
    columns = to_fractions(w_down)
    columns[:, : d - extra] = -dual[:, : d - extra]
    return w_up, columns
