"""How singular the principal submatrices of I + XY can be: a bound found in floats and proved in integers.

Let the symmetric part S of K = I_N + X Y have at most q eigenvalues <= 0. Then no principal submatrix of K
has nullity above q: on its kernel the form of S vanishes, and by interlacing it is positive on a space of
codimension q. With q = 0 all 2^N principal minors are nonzero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Clock
from skip_absorption.exact.rational import ExactArray

if TYPE_CHECKING:
    import flint

Floats: TypeAlias = NDArray[np.float64]

_BITS = 40  # of the smallest vector of the proposed basis
_TINY = 1e-9  # relative size below which floats are taken for 0 in the proposal
_SECONDS = 3e-8  # an estimate of the time of the exact products, times the cube of their size


def nullity_bound(left: ExactArray, right: ExactArray, *, clock: Clock, ranks: int | None = None) -> int:
    """Return a proved upper bound of the nullity of every principal submatrix of I_N + left @ right.

    Parameters
    ----------
    left, right
        (N, d) and (d, N), exact.
    clock
        The proof is not begun when it would take longer than what is left.
    ranks
        A proved upper bound of rank left + rank right, if one below 2d is known.

    Returns
    -------
    int
        At most min(N, d), which always holds: the nullity of I_F + left_F right_F is that of I_d + right_F
        left_F.

    Notes
    -----
    Units are first rescaled, row i by 2^k and column i by 2^-k, so that both have about the same size; that
    changes no principal minor. For U = [left, right^T] the symmetric part S is the identity on the complement
    of the range of U and maps the range to itself. So S is positive on a space of codimension at most rank U
    - r where the form z -> (U z)^T S (U z) is positive on one of dimension r: a problem of size 2d, whatever
    N is. Its matrix is the symmetric part of Gamma + Gamma_1 Gamma_2 for Gamma = U^T U, Gamma_1 its first d
    columns and Gamma_2 its last d rows. Floats propose vectors Z; the rows of Z K Z^T that dominate the
    others prove that K is positive on their span.

    Examples
    --------
    >>> from skip_absorption.absorption.budget import Budget
    >>> [nullity_bound(np.eye(2), np.diag([t, 5.0]), clock=Budget().start()) for t in (-0.5, -1.5)]
    [0, 1]
    """
    n, d = left.shape
    trivial, size = int(min(n, d)), int(min(n, 2 * d))
    # of the space on which S is examined: all of R^N, or beyond N = 2d the range of U, at most
    dimension = size if ranks is None or n <= 2 * d else min(size, ranks)
    if _SECONDS * size**3 > clock.remaining():
        return trivial
    try:
        floats = left.astype(np.float64), right.astype(np.float64)
    except OverflowError:
        return trivial
    shifts = _balance(*floats)
    proposed = _positive_vectors(*floats, shifts)
    if proposed is None or dimension - len(proposed) >= trivial:
        return trivial
    low, high = min(shifts), max(shifts)
    b, beta = _integer_matrix(left, [s - low for s in shifts])
    a, alpha = _integer_matrix(right.T, [high - s for s in shifts])
    scale = alpha * beta << (high - low)  # left @ right = b a^T / scale
    if n <= 2 * d:
        product = _matrix(b) * _matrix(a).transpose()
        identity = _matrix([[int(i == j) for j in range(n)] for i in range(n)])
        form = identity * (2 * scale) + product + product.transpose()
        weights = [1] * n
    else:
        u = _matrix([[*x, *y] for x, y in zip(b, a, strict=True)])
        gamma = u.transpose() * u
        rows = gamma.tolist()
        cross = _matrix([row[:d] for row in rows]) * _matrix(rows[d:])
        form = gamma * (2 * scale) + cross + cross.transpose()
        # b = left * (beta / 2^low) and a = right^T * (alpha * 2^high): coordinates change inversely
        weights = [alpha << max(0, high + low)] * d + [beta << max(0, -high - low)] * d
    return min(trivial, dimension - _dominating_rows(form, proposed, weights))


def _balance(left: Floats, right: Floats) -> list[int]:
    """Return for each unit the power k of 2 that brings its row and its column to about one size."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        rows = np.log2(np.abs(left).max(axis=1))
        columns = np.log2(np.abs(right).max(axis=0))
        shifts = (columns - rows) / 2
    if not np.isfinite(shifts).all():
        return [0] * len(rows)
    # only differences matter: a common shift changes nothing, and the median keeps most units as they are
    return [round(k) for k in (shifts - np.median(shifts)).tolist()]


def _positive_vectors(left: Floats, right: Floats, shifts: Sequence[int]) -> Floats | None:
    """Return coordinates, as rows, of an S-orthonormal basis of where S is positive; None on overflow."""
    from scipy.linalg import eigh, qr, svd

    with np.errstate(all="ignore"):  # what overflows or is not a number proposes nothing
        scales = np.ldexp(1.0, np.array(shifts))
        b, a = left * scales[:, None], right / scales
        n, d = b.shape
        if n <= 2 * d:
            form, spread = np.eye(n) + (b @ a + (b @ a).T) / 2, None
        else:
            triangle = qr(np.concatenate([b, a.T], axis=1), mode="r", check_finite=False)[0][: 2 * d]
            swapped = np.concatenate([triangle[:, d:], triangle[:, :d]], axis=1)
            form = np.eye(2 * d) + triangle @ swapped.T / 2
        if not np.isfinite(form).all() or (n > 2 * d and not triangle.any()):
            return None
        if n > 2 * d:  # keep to the range of U: coordinates z = spread v give U z = (orthonormal columns) v
            frame, sizes, coframe = svd(triangle)
            kept = sizes > _TINY * sizes[0]
            form, spread = frame[:, kept].T @ form @ frame[:, kept], coframe[kept].T / sizes[kept]
        values, vectors = eigh(form)
        kept = values > _TINY * max(1.0, values[-1])
        basis = vectors[:, kept] / np.sqrt(values[kept])
        coordinates = (basis if spread is None else spread @ basis).T
        coordinates = coordinates[coordinates.any(axis=1)]  # some may be too small for floats
    return coordinates if len(coordinates) and np.isfinite(coordinates).all() else None


def _dominating_rows(form: flint.fmpz_mat, proposed: Floats, weights: Sequence[int]) -> int:
    """Count the rows of Z K Z^T whose diagonal entry exceeds the sum of the other absolute values.

    The principal submatrix of those rows is positive definite, so K is positive on a space of that dimension.
    """
    bits = _BITS - int(np.floor(np.log2(np.abs(proposed).max(axis=1).min())))
    z = _matrix(
        [[_scaled(x, bits) * w for x, w in zip(row, weights, strict=True)] for row in proposed.tolist()]
    )
    image = (z * form * z.transpose()).tolist()
    return sum(2 * row[i] > sum(abs(x) for x in row) for i, row in enumerate(image))


def _scaled(x: float, bits: int) -> int:
    """Return x * 2^bits rounded to an integer."""
    numerator, denominator = x.as_integer_ratio()
    return (numerator << max(0, bits)) // (denominator << max(0, -bits))


def _integer_matrix(array: ExactArray, shifts: Sequence[int]) -> tuple[list[list[int]], int]:
    """Return the integers q * 2^shift * row of each row, and q, the least positive common denominator."""
    rows = [[x.as_integer_ratio() for x in row] for row in array.tolist()]
    q = math.lcm(*{denominator for row in rows for _, denominator in row})
    return [[p * (q // r) << s for p, r in row] for row, s in zip(rows, shifts, strict=True)], q


def _matrix(rows: list[list[Any]]) -> flint.fmpz_mat:
    import flint

    return flint.fmpz_mat(rows)
