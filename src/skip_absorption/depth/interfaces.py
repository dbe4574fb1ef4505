"""What a residual-free composition depends on, and how many dimensions that is, exactly (X6).

H = h_L'∘…∘h_1 depends on its weights only through V_up^1, the interfaces V_up^{i+1} V_down^i and V_down^{L'}.
The derivative of these products with respect to the weights has rational entries, so its rank is exact, and
no Jacobian of H at these weights has a larger one, whatever the activations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skip_absorption.depth.jacobian import Array, Layer
from skip_absorption.exact.rational import identity, rank, to_fractions


def interface_rank(layers: Sequence[Layer]) -> int:
    """Return the rank over Q of the derivative of (V_up^1, V_up^{i+1} V_down^i, V_down^{L'}).

    Parameters
    ----------
    layers
        Exact weights without skips.

    Examples
    --------
    >>> row, column = np.array([[1, 2]]), np.array([[3], [4]])
    >>> interface_rank([Layer(row, column), Layer(row, column)])  # 2 + 1 + 2 for 8 weights
    5
    """
    return rank(_derivative(layers))


def _derivative(layers: Sequence[Layer]) -> Array:
    """Return the derivative, its columns in the order of `jacobian`."""
    ups = [to_fractions(layer.w_up) for layer in layers]
    downs = [to_fractions(layer.w_down) for layer in layers]
    places, total = [], 0
    for up, down in zip(ups, downs, strict=True):
        places.append((total, total + up.size))
        total += up.size + down.size
    blocks = [_unit(ups[0], places[0][0], total)]
    for down, up, (_, inner), (outer, _) in zip(downs[:-1], ups[1:], places[:-1], places[1:], strict=True):
        block = np.zeros((len(up) * down.shape[1], total), dtype=object)
        # Row by row, vec(V_up V_down) is (V_up ⊗ I) vec V_down and (I ⊗ V_downᵀ) vec V_up.
        block[:, inner : inner + down.size] = np.kron(up, identity(down.shape[1]))
        block[:, outer : outer + up.size] = np.kron(identity(len(up)), down.T)
        blocks.append(block)
    blocks.append(_unit(downs[-1], places[-1][1], total))
    return np.concatenate(blocks)


def _unit(matrix: Array, start: int, total: int) -> Array:
    block = np.zeros((matrix.size, total), dtype=object)
    block[:, start : start + matrix.size] = identity(matrix.size)
    return block
