"""Exact proofs that a large symmetric matrix is positive definite, from a floating-point guess.

If ``Z K Z^T`` is strictly diagonally dominant with a positive diagonal, then it is positive definite, and so is K. Floats
propose Z, the inverse of a Cholesky factor; the product and the comparison are made in integers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.exact.rational import ExactArray, to_fractions

if TYPE_CHECKING:
    import flint

_SMALL = 24  # up to here the leading minors are computed
_LARGE = 1600
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
    shifts = [entries[i][i].bit_length() // 2 for i in range(len(entries))]
    scaled = np.array(
        [
            [_shifted(x, a + b) for x, b in zip(row, shifts, strict=True)]
            for row, a in zip(entries, shifts, strict=True)
        ]
    )
    try:
        factor = cholesky(scaled, lower=True)
    except LinAlgError:
        return None
    guess = solve_triangular(factor, np.eye(len(scaled)), lower=True)
    top = max(shifts)
    return flint.fmpz_mat(
        [
            [round(float(x) * 2.0**_BITS) << (top - s) for x, s in zip(row, shifts, strict=True)]
            for row in guess
        ]
    )


def _shifted(x: int, bits: int) -> float:
    drop = max(0, abs(x).bit_length() - 64)
    return float(np.ldexp(float(x >> drop), drop - bits))


def symmetric_part_is_positive(left: ExactArray, right: ExactArray) -> bool:
    """Whether the symmetric part of I_N + left @ right is *proved* positive definite.

    Then every principal minor of I_N + left @ right is positive: a principal submatrix keeps the property, and the
    determinant of ``I + t X`` cannot vanish on the way from t = 0 to t = 1.

    Parameters
    ----------
    left, right
        (N, d) and (d, N), exact.

    Returns
    -------
    bool
        False may mean that the proof failed or was not tried, min(N, 2d) being over 1600.

    Notes
    -----
    With U = [left, right^T] the symmetric part S is the identity off the range of U and maps that range to itself, so
    S is positive definite iff z -> (U z)^T S (U z) is, on z off the kernel of U. For Gamma = U^T U the matrix of
    that form is Gamma + (Gamma_1 Gamma_2 + (Gamma_1 Gamma_2)^T) / 2, Gamma_1 the first d columns and Gamma_2 the last d
    rows of Gamma: a problem of size 2d whatever N is.
    """
    import flint

    n, d = left.shape
    if min(n, 2 * d) > _LARGE or (min(n, 2 * d) > _SMALL and not _looks_positive(left, right)):
        return False
    b, beta = _integer_matrix(left)
    a, alpha = _integer_matrix(right)
    if n <= 2 * d:
        product = b * a
        identity = flint.fmpz_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
        return positive_definite(identity * (2 * alpha * beta) + product + product.transpose())
    u = flint.fmpz_mat([[*x, *y] for x, y in zip(b.tolist(), a.transpose().tolist(), strict=True)])
    gamma = u.transpose() * u
    rows = gamma.tolist()
    cross = flint.fmpz_mat([row[:d] for row in rows]) * flint.fmpz_mat(rows[d:])
    return positive_definite(gamma * (2 * alpha * beta) + cross + cross.transpose())


def _looks_positive(left: ExactArray, right: ExactArray) -> bool:
    """Whether floats, which only decide whether a proof is worth trying, see a positive symmetric part."""
    from scipy.linalg import LinAlgError, cholesky

    b, a = left.astype(np.float64), right.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        u = np.concatenate([b, a.T], axis=1)
        gamma = u.T @ u
        cross = gamma[:, : b.shape[1]] @ gamma[b.shape[1] :]
        form = (
            np.eye(len(b)) + (b @ a + (b @ a).T) / 2
            if len(b) <= len(gamma)
            else gamma + (cross + cross.T) / 2
        )
    try:
        cholesky(form, lower=True)
    except (LinAlgError, ValueError):  # not positive, or not finite
        return False
    return True


def _integer_matrix(array: NDArray[Any]) -> tuple[flint.fmpz_mat, int]:
    """Return integers and a positive integer with array = integers / it."""
    import flint

    fractions = to_fractions(array)
    scale = math.lcm(*(x.denominator for x in fractions.flat))
    entries = [x.numerator * (scale // x.denominator) for x in fractions.flat]
    return flint.fmpz_mat(*array.shape, entries), scale
