"""The Jacobian of a composition of MLP blocks with respect to all its weights, over any field.

One forward pass stores what each block saw, one backward pass carries the rows that were asked for. The same
few matrix products serve floats, fractions and balls: arrays of the field go in, an array of it comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.exact.balls import ball
from skip_absorption.networks._evaluation import entrywise
from skip_absorption.networks.activations import Activation

Array = NDArray[Any]
Map = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Layer:
    """One block x ↦ M x + W_down σ(W_up x).

    Attributes
    ----------
    w_up, w_down
        Shapes (N, d) and (d, N), entries of the field.
    skip
        M, shape (d, d); None for a block without a skip.
    """

    w_up: Array
    w_down: Array
    skip: Array | None = None

    def map(self, function: Map) -> Layer:
        """Return the layer with the function applied to each of its arrays."""
        skip = None if self.skip is None else function(self.skip)
        return Layer(function(self.w_up), function(self.w_down), skip)


def forward(layers: Sequence[Layer], points: Array, value: Map) -> Array:
    """Return the values of the composition, shape (P, d), at points of shape (P, d)."""
    for layer in layers:
        hidden = value(points @ layer.w_up.T) @ layer.w_down.T
        points = hidden if layer.skip is None else hidden + points @ layer.skip.T
    return points


def jacobian(
    layers: Sequence[Layer],
    points: Array,
    value: Map,
    slope: Map,
    rows: Sequence[tuple[int, int]] | None = None,
) -> Array:
    """Return derivatives of output coordinates at sample points with respect to all weights.

    Parameters
    ----------
    layers
        The blocks, the first one applied first.
    points
        Shape (P, d), entries of the layers' field.
    value, slope
        σ and σ', entry by entry.
    rows
        The pairs (point, coordinate) wanted; None for all, the coordinates of one point after another.

    Returns
    -------
    Array
        One row a pair, one column a weight: for each block W_up row by row, then W_down row by row.

    Examples
    --------
    >>> square = Layer(np.array([[3]]), np.array([[5]]), np.array([[1]]))
    >>> jacobian([square], np.array([[2]]), lambda z: z**2, lambda z: 2 * z).tolist()  # x + 5(3x)²
    [[120, 36]]
    """
    seen = []
    d = points.shape[1]
    pairs = np.array([(p, c) for p in range(len(points)) for c in range(d)] if rows is None else rows)
    for layer in layers:
        z = points @ layer.w_up.T
        seen.append((points, value(z), slope(z)))
        hidden = seen[-1][1] @ layer.w_down.T
        points = hidden if layer.skip is None else hidden + points @ layer.skip.T
    at, g = pairs[:, 0], np.eye(d, dtype=np.int64).astype(points.dtype)[pairs[:, 1]]
    blocks: list[Array] = []
    for layer, (x, values, slopes) in zip(reversed(layers), reversed(seen), strict=True):
        back = (g @ layer.w_down) * slopes[at]
        up = back[:, :, None] * x[at][:, None, :]
        down = g[:, :, None] * values[at][:, None, :]
        blocks += [down.reshape(len(pairs), -1), up.reshape(len(pairs), -1)]
        carried = back @ layer.w_up
        g = carried if layer.skip is None else carried + g @ layer.skip
    return np.concatenate(blocks[::-1], axis=1)


def float_jacobian(
    layers: Sequence[Layer],
    points: Array,
    act: Activation,
    rows: Sequence[tuple[int, int]] | None = None,
) -> NDArray[np.float64]:
    """Return `jacobian` in double precision for exact or float layers and points."""
    doubles = [layer.map(_doubles) for layer in layers]
    return jacobian(doubles, _doubles(points), act.float, act.derivative_float, rows)


def ball_jacobian(
    layers: Sequence[Layer],
    points: Array,
    act: Activation,
    rows: Sequence[tuple[int, int]] | None = None,
) -> Array:
    """Return enclosures of `jacobian` for exact layers and points, at the current ``flint.ctx.prec``.

    Raises
    ------
    InvalidInput
        If the library has no ball derivative of the activation.
    """
    enclosed = [layer.map(_balls) for layer in layers]
    return jacobian(
        enclosed,
        _balls(points),
        lambda z: entrywise(act.ball, z),
        lambda z: entrywise(act.derivative_ball, z),
        rows,
    )


def _doubles(array: Array) -> NDArray[np.float64]:
    return np.asarray(array, dtype=np.float64)


def _balls(array: Array) -> Array:
    return entrywise(ball, array)
