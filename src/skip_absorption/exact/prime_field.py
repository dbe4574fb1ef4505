"""Linear algebra modulo a random prime p, exact: reduction, products, elimination and its certificates.

Full rank modulo p proves full rank over Q, and a combination of rows that refutes a system modulo p refutes
it for all rational solutions whose denominators p does not divide. A rank deficit modulo p proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.residues import check_prime, random_prime, reduce_mod
from skip_absorption.exact.solutions import Elimination

__all__ = ["Elimination", "det_mod", "eliminate", "matmul_mod", "random_prime", "reduce_mod"]

_FIELD_BITS = 24  # enough products of two residues must fit into the 53 bits of a float


def _residue_matrix(
    matrix: NDArray[np.generic], p: int, name: str, *, copy: bool = False
) -> NDArray[np.float64]:
    """Check that `matrix` is two-dimensional with entries in [0, p); return it as float64 by rows."""
    from skip_absorption.exact._kernels import are_residues

    matrix = np.asarray(matrix)
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        raise InvalidInput(name, "be a matrix of residues", f"shape {matrix.shape}, dtype {matrix.dtype}")
    out: NDArray[np.float64] = np.array(matrix, dtype=np.float64, order="C", copy=True if copy else None)
    if not are_residues(out, float(p)):
        raise InvalidInput(name, f"hold residues in [0, {p})", f"another entry, shape {matrix.shape}")
    return out


def matmul_mod(a: NDArray[np.generic], b: NDArray[np.generic], p: int) -> NDArray[np.float64]:
    """Return the product of an (m, k) and a (k, n) matrix of residues, exact, with entries in [0, p).

    Raises
    ------
    InvalidInput
        If p is not an odd prime below 2^24, an entry is not in [0, p), or the shapes do not fit.

    Examples
    --------
    >>> matmul_mod(np.array([[6, 6]]), np.array([[6], [5]]), 7).tolist()
    [[3.0]]
    """
    from skip_absorption.exact._blas import gemm
    from skip_absorption.exact._kernels import normalize

    check_prime(p, _FIELD_BITS)
    left, right = (_residue_matrix(x, p, name) for x, name in ((a, "a"), (b, "b")))
    if left.shape[1] != right.shape[0]:
        raise InvalidInput("b", f"have {left.shape[1]} rows", f"shape {right.shape}")
    # So many products of residues and one residue more sum to at most 2^53 - p, in every order of summation
    terms = min(((1 << 53) - 2 * p) // (p - 1) ** 2, 1 << 16)
    assert terms * (p - 1) ** 2 + p <= (1 << 53) - p
    out = np.zeros((left.shape[0], right.shape[1]))
    for first in range(0, left.shape[1], terms):
        part = slice(first, first + terms)
        gemm(out, left[:, part], right[part], alpha=1.0, beta=1.0)
        normalize(out, float(p))
    return out


def det_mod(matrix: NDArray[np.generic], p: int) -> int:
    """Return the determinant in [0, p) of a square matrix of residues.

    Raises
    ------
    InvalidInput
        If p is not an odd prime below 2^24, an entry is not in [0, p), or the matrix is not square.

    Examples
    --------
    >>> det_mod(np.array([[1, 2], [3, 4]]), 7)
    5
    """
    return eliminate(matrix, p).determinant()


def eliminate(
    matrix: NDArray[np.generic],
    p: int,
    *,
    overwrite: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Elimination:
    """Eliminate modulo p in a matrix of residues of any shape and rank.

    Parameters
    ----------
    matrix
        (r, n) with integer entries in [0, p).
    p
        An odd prime below 2^24; at most 22 bits is fastest.
    overwrite
        Work in the memory of `matrix`, if it is a float64 array stored by rows; its content is lost.
    progress
        Called now and then with the fraction of the work that is done.

    Raises
    ------
    InvalidInput
        If p is no such prime or an entry is not in [0, p).

    Examples
    --------
    >>> found = eliminate(np.array([[1, 2], [2, 4]]), 7)
    >>> found.rank, found.solve(np.array([3, 6])).tolist(), found.solve(np.array([3, 5]))
    (1, [3, 0], None)
    """
    from skip_absorption.exact._elimination import Factors

    check_prime(p, _FIELD_BITS)
    packed = _residue_matrix(matrix, p, "matrix", copy=not (overwrite and matrix.flags.writeable))
    return Elimination(Factors(packed, p, progress))
