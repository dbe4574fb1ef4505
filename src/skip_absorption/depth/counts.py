"""Parameter counts of compositions: how many dimensions they can have at most (X6).

A composition of residual-free blocks V_down^i σ(V_up^i ·), i = 1, …, L', of widths N'_i depends only on
V_up^1, on the products V_up^{i+1} V_down^i, whose ranks are at most p_i = min(d, N'_i, N'_{i+1}), and on
V_down^{L'}. A residual composition F of the same shape has no such redundancy.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray, identity, rank, to_fractions


def plain_dimension(d: int, widths: Sequence[int]) -> int:
    """Return k_H = d(N'_1 + N'_L') + Σ p_i(N'_i + N'_{i+1} − p_i), for residual-free blocks (X6).

    Parameters
    ----------
    d
        The dimension of the stream, at least 1.
    widths
        The hidden widths N'_1, …, N'_L', each at least 1.

    Raises
    ------
    InvalidInput
        For other sizes.

    Notes
    -----
    A matrix of rank at most p with m rows and n columns is X U, with X of shape (m, p) and p columns of U
    equal to the identity: p(m + n − p) parameters.

    Examples
    --------
    >>> plain_dimension(2, [4]), plain_dimension(2, [4, 4]), plain_dimension(2, [1, 1])
    (16, 28, 5)
    """
    _require(d, widths)
    inner = 0
    for left, right in pairwise(widths):
        p = min(d, left, right)
        inner += p * (left + right - p)
    return d * (widths[0] + widths[-1]) + inner


def residual_dimension(d: int, widths: Sequence[int]) -> int:
    """Return 2d·ΣN_l, the number of weights of a composition with skips, all of which count (X6).

    Examples
    --------
    >>> residual_dimension(2, [4, 4])
    32
    """
    _require(d, widths)
    return 2 * d * sum(widths)


def naive_dimension(d: int, widths: Sequence[int]) -> int:
    """Return the number of weights less d² for each interface, which is k_H if all widths are at least d.

    Examples
    --------
    >>> naive_dimension(2, [4, 4]), naive_dimension(2, [1, 1]), plain_dimension(2, [1, 1])
    (28, 4, 5)
    """
    return residual_dimension(d, widths) - (len(widths) - 1) * d * d


def skip_dimension(d: int, widths: Sequence[int], skips: Sequence[ExactArray | None]) -> int:
    """Return 2d·ΣN_l less the dimensions of a symmetry: the rank that skips M_l allow at most.

    Matrices X_1, …, X_{L−1} with M_{l+1} X_l = X_{l+1} M_{l+1} for l = 0, …, L − 1, where X_0 = X_L = 0, can
    be moved across the interfaces: W_down^l changes by X_l W_down^l and W_up^{l+1} by −W_up^{l+1} X_l, and
    the function stays. For L = 2 they form a space of dimension (d − rank M_1)(d − rank M_2).

    Parameters
    ----------
    skips
        One exact matrix (d, d) a block; None for 0.

    Raises
    ------
    InvalidInput
        If a width is below d, where the directions may coincide, or the skips are not one a block.

    Examples
    --------
    >>> line = np.diag([1, 0])
    >>> [skip_dimension(2, [4, 4], skips) for skips in ([line, line], [None, line], [None, None])]
    [31, 30, 28]
    """
    _require(d, widths)
    if min(widths) < d:
        raise InvalidInput("widths", f"be at least d = {d}", list(widths))
    if len(skips) != len(widths):
        raise InvalidInput("skips", f"be {len(widths)} matrices", len(skips))
    count, zero, eye = len(widths) - 1, np.zeros((d, d), dtype=object), to_fractions(identity(d))
    if not count:
        return residual_dimension(d, widths)
    system = np.zeros(((count + 1) * d * d, count * d * d), dtype=object)
    for i, skip in enumerate(skips):  # vec(M X) = (M ⊗ I) vec X and vec(X M) = (I ⊗ Mᵀ) vec X, row by row
        rows = slice(i * d * d, (i + 1) * d * d)
        m = zero if skip is None else to_fractions(skip)
        if i > 0:
            system[rows, (i - 1) * d * d : i * d * d] = np.kron(m, eye)
        if i < count:
            system[rows, i * d * d : (i + 1) * d * d] = -np.kron(eye, m.T)
    return residual_dimension(d, widths) - (count * d * d - rank(system))


def is_excluded(d: int, widths: Sequence[int], others: Sequence[int]) -> bool:
    """Whether almost no residual composition of ``widths`` is a residual-free one of widths ``others`` (X6).

    True proves it, for real-analytic activations that are no polynomials; False says nothing.

    Examples
    --------
    >>> is_excluded(2, [4, 4], [4, 4]), is_excluded(2, [4, 4], [5, 5]), is_excluded(2, [4], [4])
    (True, False, False)
    """
    return plain_dimension(d, others) < residual_dimension(d, widths)


def _require(d: int, widths: Sequence[int]) -> None:
    if d < 1:
        raise InvalidInput("d", "be at least 1", d)
    if not widths or min(widths) < 1:
        raise InvalidInput("widths", "hold one width of at least 1 or more", list(widths))
