"""How many dimensions the functions near a ReLU network's function have, counted exactly.

The functional dimension of θ is the greatest rank of the derivative of θ ↦ (F_θ(x_1), …, F_θ(x_m)) over
ordinary points, those at which no kink is met. On a region F is a linear map A = M_L ⋯ M_1, whose entries are
the values at d independent points. So all regions together give the functional dimension.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.depth.relu_regions import Regions, ReluNetwork, patterns
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.prime_field import eliminate
from skip_absorption.exact.residues import check_prime

_BITS = 24
_STRIDE = 4


def total_dimension(network: ReluNetwork, found: Regions, *, p: int) -> int:
    """Return the rank over all regions modulo p, or over Q if it is below (2d − 1)·#visible modulo p.

    Some regions are tried first: no rank exceeds (2d − 1)·LN, since each unit can be rescaled.
    """
    for points in (found.points[::_STRIDE], found.points):
        dimension = functional_dimension(network, points, p=p)
        if dimension == (2 * network.d - 1) * network.depth * network.width:
            return dimension
    if dimension < (2 * network.d - 1) * int(found.visible.sum()):
        dimension = functional_dimension(network, found.points)
    return dimension


def functional_dimension(network: ReluNetwork, points: NDArray[Any], *, p: int | None = None) -> int:
    """Return the rank of the derivative of the network's linear maps on regions, by the weights.

    Parameters
    ----------
    points
        Integers, (count, d): ordinary points, one a region (`regions`) for the functional dimension itself,
        fewer for a lower bound.
    p
        An odd prime below 2^24: the rank is computed modulo p, a lower bound that is rarely smaller. None:
        over Q.

    Raises
    ------
    InvalidInput
        If a preactivation vanishes at a point, or p is no such prime.

    Notes
    -----
    On the region of an active set, A depends on unit j of block l through b_j w_jᵀ: with G = M_L ⋯ M_{l+1}
    and P = M_{l−1} ⋯ M_1, ∂A/∂b_{jc} = G e_c w_jᵀP and ∂A/∂w_{jc} = G b_j e_cᵀP.

    Examples
    --------
    >>> up, down = np.array([[[1, 0], [0, 1]]]), np.array([[[2, 1], [1, 3]]])
    >>> functional_dimension(ReluNetwork(up, down, 1), np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]]))
    6
    """
    active, ordinary = patterns(network, points)
    if not ordinary.all():
        place = int(np.flatnonzero(~ordinary)[0])
        raise InvalidInput("points", "meet no kink", points[place].tolist())
    matrix = derivative(network, active, p=p)
    if p is not None:
        return eliminate(matrix, p).rank
    import flint

    return int(flint.fmpz_mat(matrix.shape[0], matrix.shape[1], matrix.ravel().tolist()).rank())


def derivative(network: ReluNetwork, active: NDArray[np.bool_], *, p: int | None = None) -> NDArray[Any]:
    """Return the derivatives of the linear maps A of some regions by all weights.

    Parameters
    ----------
    active
        (count, L, N): which units are active on each region.
    p
        Residues modulo a prime below 2^24 are computed, in int64; None: integers, in an object array.

    Returns
    -------
    ndarray
        (count·d², 2dLN). A row is an entry of an A; a column is a weight, block by block: W_down^l by rows,
        then W_up^l by rows.
    """
    if p is not None:
        check_prime(p, _BITS)  # then a sum of 2^15 products of residues fits into 63 bits
    depth, n, d = network.depth, network.width, network.d
    up, down = _reduced(network.up, p), _reduced(network.down, p)
    unit = _reduced(np.eye(d, dtype=np.int64), p)
    count = len(active)
    on = active.astype(up.dtype)
    maps = [_mod(network.skip * unit + _mod(down[k] * on[:, k, None, :], p) @ up[k], p) for k in range(depth)]
    before = [np.broadcast_to(unit, (count, d, d))]
    for k in range(depth - 1):
        before.append(_mod(maps[k] @ before[-1], p))
    after = [np.broadcast_to(unit, (count, d, d))]
    for k in range(depth - 1, 0, -1):
        after.insert(0, _mod(after[0] @ maps[k], p))
    out = np.zeros((count, d, d, 2 * depth, d * n), dtype=up.dtype)
    for k in range(depth):
        rows = _mod(up[k] @ before[k], p) * on[:, k, :, None]  # w_jᵀP, (count, N, d)
        columns = _mod(after[k] @ down[k], p) * on[:, k, None, :]  # G b_j, (count, d, N)
        by_down = after[k][:, :, None, :, None] * rows.transpose(0, 2, 1)[:, None, :, None, :]
        by_up = columns[:, :, None, :, None] * before[k].transpose(0, 2, 1)[:, None, :, None, :]
        out[:, :, :, 2 * k] = _mod(by_down, p).reshape(count, d, d, d * n)
        out[:, :, :, 2 * k + 1] = _mod(by_up, p).reshape(count, d, d, d * n)
    return out.reshape(count * d * d, 2 * depth * d * n)


def _reduced(array: NDArray[np.int64], p: int | None) -> NDArray[Any]:
    return array.astype(object) if p is None else array % p


def _mod(array: NDArray[Any], p: int | None) -> NDArray[Any]:
    return array if p is None else array % p
