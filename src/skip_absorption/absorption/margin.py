"""How far a layer is from condition (3): least-squares bounds at the size of real layers.

The distance is the least Frobenius norm of odd * W_down[:, S] W_up[S, :] + I over all sets S, divided by that
of I. Weights s in [0, 1] in place of a set make it convex. Everything is computed in floats: the lower bound
allows for their rounding, and a bound of 0 proves nothing. Whether the distance is 0 is for `decide` to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import exact_array

Floats: TypeAlias = NDArray[Any]

_BLOCK = 1024  # units whose products are formed at a time
_UNIT = 2.0**-53


@dataclass(frozen=True)
class Margin:
    """Bounds of the distance to condition (3), relative to the norm of the identity.

    Attributes
    ----------
    lower
        No set S, and no weights in [0, 1], come nearer: a dual bound, less an allowance for rounding.
    relaxed
        The norm that the weights found reach; `lower` and `relaxed` enclose the distance for weights.
    upper
        The norm for the best set found; at most 1, which is that of the empty set.
    units
        The size of that set.
    """

    lower: float
    relaxed: float
    upper: float
    units: int


def margin(w_up: Any, w_down: Any, *, odd: Any = 1) -> Margin | None:
    """Bound the least norm of odd * sum_{i in S} a_i w_i^T + I over all sets S, divided by sqrt(d).

    Parameters
    ----------
    w_up, w_down
        Exact arrays (N, d) and (d, N); they are rounded to floats.
    odd
        The number 2c with sigma(z) - sigma(-z) = 2c*z.

    Returns
    -------
    Margin or None
        None where the squares overflow.

    Raises
    ------
    InvalidInput
        If the shapes do not fit the identity.

    Notes
    -----
    With G_ij = (a_i . a_j)(w_i . w_j) and c_i = a_i . w_i the squared norm is s G s + 2 c s + d. For any
    matrix Y the norm is at least (tr Y + sum_i min(0, a_i^T Y w_i)) / |Y|; Y is what is left at the weights
    found. A product a^T Y w in floats is off by at most about 2d units of rounding of |a| |Y| |w|, in any
    order of summation. G takes N^2 numbers in the precision of the weights, no more than an elimination does.

    Examples
    --------
    >>> found = margin(np.eye(2), np.diag([-1.0, -0.5]))
    >>> round(found.lower, 6), round(found.upper, 6), found.units
    (0.353553, 0.353553, 2)
    """
    from skip_absorption.absorption._margin_kernels import descend, flip

    rows, columns = exact_array(w_up, name="w_up", ndim=2), exact_array(w_down, name="w_down", ndim=2)
    n, d = rows.shape
    if columns.shape != (d, n):
        raise InvalidInput("w_down", f"have shape {(d, n)}", columns.shape)
    up: Floats
    down: Floats
    narrow = odd == 1 and all(x.dtype.kind == "f" and x.dtype.itemsize <= 4 for x in (rows, columns))
    kind = np.float32 if narrow else np.float64
    try:
        up, down = rows.astype(kind), columns.astype(kind)
    except OverflowError:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        if odd != 1:
            down = down * float(odd)
        gram, linear = _quadratic(up, down)
        if not (np.isfinite(gram).all() and np.isfinite(linear).all()):
            return None
    weights, slope = np.zeros(n), linear.copy()
    descend(gram, slope, np.full(n, -1, dtype=np.int8), weights)
    rounded = (weights > 0.5).astype(np.int8)
    sets = [np.zeros(n, dtype=np.int8), rounded]
    for bits in sets:
        chosen = gram[:, bits > 0].sum(axis=1, dtype=np.float64)
        flip(gram, linear + chosen, bits)
    del gram
    rest = _rest(up, down, weights)
    norms = [float(np.linalg.norm(_rest(up, down, bits.astype(np.float64)))) for bits in sets]
    best = int(np.argmin(norms))
    root = float(d) ** 0.5
    return Margin(
        lower=_dual(up, down, rest) / root,
        relaxed=float(np.linalg.norm(rest)) / root,
        upper=min(1.0, norms[best] / root),
        units=int(sets[best].sum()) if norms[best] < root else 0,
    )


def _blocks(n: int) -> list[slice]:
    return [slice(begin, min(n, begin + _BLOCK)) for begin in range(0, n, _BLOCK)]


def _quadratic(up: Floats, down: Floats) -> tuple[Floats, Floats]:
    """Return G, in the precision of the weights, and c."""
    gram = np.empty((len(up), len(up)), dtype=up.dtype)
    for part in _blocks(len(up)):
        np.multiply(down[:, part].T @ down, up[part] @ up.T, out=gram[part])
    return gram, np.einsum("ri,ir->i", down, up, dtype=np.float64)


def _rest(up: Floats, down: Floats, weights: Floats) -> Floats:
    """Return I + sum_i s_i a_i w_i^T in double precision."""
    total = np.eye(up.shape[1])
    for part in _blocks(len(up)):
        total += (down[:, part].astype(np.float64) * weights[part]) @ up[part].astype(np.float64)
    return total


def _dual(up: Floats, down: Floats, direction: Floats) -> float:
    """Return a lower bound of the norm over all weights in [0, 1], from one direction Y."""
    n, d = up.shape
    size = float(np.linalg.norm(np.linalg.norm(direction, axis=1)))  # sums of d terms, not of d^2
    if size == 0:
        return 0.0
    value, reach = float(np.trace(direction)), float(d) ** 0.5
    for part in _blocks(n):
        rows, columns = up[part].astype(np.float64), down[:, part].astype(np.float64)
        value += float(np.minimum(0.0, ((columns.T @ direction) * rows).sum(axis=1)).sum())
        reach += float((np.linalg.norm(rows, axis=1) * np.linalg.norm(columns, axis=0)).sum())
    error = 4.0 * (n + 2 * d) * _UNIT
    return float(max(0.0, (value / size - error * reach) / (1.0 + error)))
