"""Exact proofs that a large symmetric matrix is positive definite, from a floating-point guess.

A strictly diagonally dominant ``Z K Z^T`` with a positive diagonal is positive definite, and then so is K.
Floats propose Z, the inverse of a Cholesky factor; the product and the comparisons are made in integers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.exact.rational import ExactArray, to_fractions

if TYPE_CHECKING:
    import flint

_SMALL = 24  # up to here the leading minors are computed
_LARGE = 1600  # the largest matrix that is tried
_BITS = 40  # of the entries of Z


def positive_definite(matrix: flint.fmpz_mat) -> bool:
    """Whether a symmetric integer matrix is *proved* positive definite; False may mean that the proof failed.

    Up to 24 rows the answer is exact in both directions (Sylvester's criterion).
    """
    import flint

    n = matrix.nrows()
    if n <= _SMALL:
        entries = matrix.tolist()
        return all(flint.fmpz_mat([row[:k] for row in entries[:k]]).det() > 0 for k in range(1, n + 1))
    proposed = _inverse_factor(matrix)
    if proposed is None:
        return False
    image = (proposed * matrix * proposed.transpose()).tolist()
    return all(2 * row[i] > sum(abs(x) for x in row) for i, row in enumerate(image))


def _inverse_factor(matrix: flint.fmpz_mat) -> flint.fmpz_mat | None:
    """Return integers Z with Z K Z^T close to a multiple of the identity, or None where floats see none."""
    import flint
    from scipy.linalg import LinAlgError, cholesky, solve_triangular

    entries = [[int(x) for x in row] for row in matrix.tolist()]
    if any(row[i] <= 0 for i, row in enumerate(entries)):
        return None
    shifts = [row[i].bit_length() // 2 for i, row in enumerate(entries)]
    scaled = [
        [_shifted(x, a + b) for x, b in zip(row, shifts, strict=True)]
        for row, a in zip(entries, shifts, strict=True)
    ]
    try:
        factor = cholesky(np.array(scaled), lower=True)
    except LinAlgError:
        return None
    guess = solve_triangular(factor, np.eye(len(scaled)), lower=True) * 2.0**_BITS
    top = max(shifts)
    return flint.fmpz_mat(
        [[round(x) << (top - s) for x, s in zip(row, shifts, strict=True)] for row in guess.tolist()]
    )


def _shifted(x: int, bits: int) -> float:
    """Return x / 2^bits to about double precision, for an x of any size."""
    drop = max(0, abs(x).bit_length() - 64)
    return math.ldexp(float(x >> drop), drop - bits)


def symmetric_part_is_positive(left: ExactArray, right: ExactArray) -> bool:
    """Whether the symmetric part of I_N + left @ right is *proved* positive definite.

    Then every principal minor of I_N + left @ right is positive: principal submatrices keep the property, and
    det(I + t X) cannot vanish on the way from t = 0 to t = 1.

    Parameters
    ----------
    left, right
        (N, d) and (d, N), exact.

    Returns
    -------
    bool
        False may mean that the proof failed, or was not tried because min(N, 2d) > 1600.

    Notes
    -----
    For U = [left, right^T] the symmetric part S is the identity on the complement of the range of U and maps
    the range to itself. So S is positive definite iff (U z)^T S (U z) > 0 wherever U z != 0. With Gamma = U^T
    U, Gamma_1 its first d columns and Gamma_2 its last d rows, the matrix of that form is the symmetric part
    of Gamma + Gamma_1 Gamma_2: a problem of size 2d, whatever N is. If it is positive definite, U has full
    rank.

    Examples
    --------
    >>> import numpy as np
    >>> [symmetric_part_is_positive(np.eye(2), t * np.eye(2)) for t in (-0.5, -1.0)]
    [True, False]
    """
    import flint

    n, d = left.shape
    size = min(n, 2 * d)
    if size > _LARGE or (size > _SMALL and not _looks_positive(left, right)):
        return False
    b, beta = _integer_matrix(left)
    a, alpha = _integer_matrix(right)
    if n <= 2 * d:
        product = b * a
        unit = flint.fmpz_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
        return positive_definite(unit * (2 * alpha * beta) + product + product.transpose())
    u = flint.fmpz_mat([[*x, *y] for x, y in zip(b.tolist(), a.transpose().tolist(), strict=True)])
    gamma = u.transpose() * u
    rows = gamma.tolist()
    cross = flint.fmpz_mat([row[:d] for row in rows]) * flint.fmpz_mat(rows[d:])
    return positive_definite(gamma * (2 * alpha * beta) + cross + cross.transpose())


def _looks_positive(left: ExactArray, right: ExactArray) -> bool:
    """Whether floats, which only decide whether a proof is worth trying, see a positive symmetric part."""
    from scipy.linalg import LinAlgError, cholesky

    b, a = left.astype(np.float64), right.astype(np.float64)
    d = b.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        if len(b) <= 2 * d:
            form = np.eye(len(b)) + (b @ a + (b @ a).T) / 2
        else:
            u = np.concatenate([b, a.T], axis=1)
            gamma = u.T @ u
            cross = gamma[:, :d] @ gamma[d:]
            form = gamma + (cross + cross.T) / 2
    try:
        cholesky(form, lower=True)
    except (LinAlgError, ValueError):  # not positive definite, or not finite
        return False
    return True


def _integer_matrix(array: ExactArray) -> tuple[flint.fmpz_mat, int]:
    """Return integers and a positive integer with array = integers / it."""
    import flint

    fractions = to_fractions(array)
    scale = math.lcm(*(x.denominator for x in fractions.flat))
    entries = [x.numerator * (scale // x.denominator) for x in fractions.flat]
    return flint.fmpz_mat(len(array), array.shape[1], entries), scale
