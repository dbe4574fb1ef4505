"""Parameter counts of compositions: how many dimensions they can have at most (X6).

A composition of residual-free blocks V_down^i σ(V_up^i ·), i = 1, …, L', of widths N'_i depends only on
V_up^1, on the products V_up^{i+1} V_down^i, whose ranks are at most p_i = min(d, N'_i, N'_{i+1}), and on
V_down^{L'}. A residual composition F of the same shape has no such redundancy.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from skip_absorption.errors import InvalidInput


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


def skip_dimension(d: int, widths: Sequence[int], ranks: Sequence[int]) -> int:
    """Return 2d·ΣN_l − Σ (d − r_i)(d − r_{i+1}), an upper bound for skips of ranks r_1, …, r_L.

    The maps I + X with X M_i = 0 and M_{i+1} X = 0 can be moved from block i to block i + 1 without a
    change of the function; they form a space of dimension (d − r_i)(d − r_{i+1}), and act freely if W_up
    of block i + 1 or W_down of block i has rank d, for which all widths must be at least d.

    Raises
    ------
    InvalidInput
        If a width is below d, or the ranks are not one a block from 0 to d.

    Examples
    --------
    >>> [skip_dimension(2, [4, 4], ranks) for ranks in ([2, 2], [1, 1], [0, 0])]
    [32, 31, 28]
    """
    _require(d, widths)
    if min(widths) < d:
        raise InvalidInput("widths", f"be at least d = {d}", list(widths))
    if len(ranks) != len(widths) or not all(0 <= r <= d for r in ranks):
        raise InvalidInput("ranks", f"be {len(widths)} integers in 0..{d}", list(ranks))
    return residual_dimension(d, widths) - sum((d - r) * (d - s) for r, s in pairwise(ranks))


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
