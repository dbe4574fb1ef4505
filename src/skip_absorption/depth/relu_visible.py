"""Visible units of a ReLU composition, and what their number excludes (X7b).

A unit is visible if its preactivation takes both strict signs on R^d; only then does its kink show in the
function. For almost every θ each visible unit accounts for 2d − 1 dimensions of functions near F_θ.
"""

from __future__ import annotations

from collections.abc import Sequence

from skip_absorption.depth.counts import plain_dimension
from skip_absorption.depth.relu_regions import ReluNetwork


def visible_bound(d: int, visible: int) -> int:
    """Return (2d − 1)·#visible, which the functional dimension reaches for almost every θ, d ≥ 2 (X7b)."""
    return (2 * d - 1) * visible


def relu_plain_dimension(d: int, widths: Sequence[int]) -> int:
    """Return k_H − ΣN'_i, which no family of residual-free ReLU compositions of these widths exceeds (X7b).

    A unit can be rescaled by a positive factor, so that each of the ΣN'_i rows is a unit vector.

    Examples
    --------
    >>> relu_plain_dimension(2, [4]), relu_plain_dimension(2, [4, 4])
    (12, 20)
    """
    return plain_dimension(d, widths) - sum(widths)


def is_contractive(network: ReluNetwork) -> bool:
    """Whether ‖W_up^l‖_F ‖W_down^l‖_F < 1 for all l < L: then all units with nonzero rows are visible.

    Each such f_l is a homeomorphism of R^d, being the identity plus a map with Lipschitz constant below 1.
    """
    up, down = ((array[:-1].astype(object) ** 2).sum(axis=(1, 2)) for array in (network.up, network.down))
    return bool((up * down < network.skip**2).all())
