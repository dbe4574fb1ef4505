"""The regions of a ReLU network without biases on R² or R³: cones on which it is linear, exactly over Z.

A composition of blocks x ↦ c x + D σ(U x) is positively homogeneous, so it is linear on the cones of a finite
fan. The fan is refined layer by layer: a cone is cut along the kernel of each preactivation that takes both
signs on it. All numbers are integers: a positive multiple of a weight matrix cuts the same cones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput

Row = list[int]
Cone = list[Row]
"""The extreme rays of a cone, at d = 3 in cyclic order: x, then its image, then the preactivations."""


@dataclass(frozen=True, eq=False)
class ReluNetwork:
    """The map f_L ∘ … ∘ f_1 with f_l(x) = skip·x + W_down^l σ(W_up^l x) in integers.

    Attributes
    ----------
    up, down
        ``int64`` arrays of shapes (L, N, d) and (L, d, N).
    skip
        0, or the positive integer that stands for the identity. Weights up/u and down/v with skip u·v are a
        residual network times the constant (u·v)^L.
    """

    up: NDArray[np.int64]
    down: NDArray[np.int64]
    skip: int

    def __post_init__(self) -> None:
        if self.up.ndim != 3 or self.down.shape != (len(self.up), *self.up.shape[:0:-1]):
            raise InvalidInput(
                "(up, down)", "have shapes (L, N, d) and (L, d, N)", (self.up.shape, self.down.shape)
            )
        if self.up.dtype != np.int64 or self.down.dtype != np.int64:
            raise InvalidInput("(up, down)", "hold 64-bit integers", (self.up.dtype, self.down.dtype))
        if self.skip < 0:
            raise InvalidInput("skip", "be at least 0", self.skip)

    @classmethod
    def rounded(
        cls, w_up: NDArray[np.float64], w_down: NDArray[np.float64], *, bits: int = 20
    ) -> ReluNetwork:
        """Return the residual network whose weights are the given ones rounded to multiples of 2^−bits."""
        up, down = (np.rint(array * 2.0**bits).astype(np.int64) for array in (w_up, w_down))
        return cls(up, down, 1 << (2 * bits))

    @property
    def depth(self) -> int:
        """The number of blocks, L."""
        return len(self.up)

    @property
    def width(self) -> int:
        """The number of units of a block, N."""
        return int(self.up.shape[1])

    @property
    def d(self) -> int:
        """The dimension of input and output."""
        return int(self.up.shape[2])


@dataclass(frozen=True, eq=False)
class Regions:
    """What the fan says of a network.

    Attributes
    ----------
    points
        One point inside each cone, (count, d), objects ``int``: no preactivation with a nonzero form on the
        cone vanishes there.
    visible
        (L, N): whether the unit's preactivation takes both strict signs on R^d.
    """

    points: NDArray[Any]
    visible: NDArray[np.bool_]


def regions(network: ReluNetwork) -> Regions:
    """Enumerate the cones of linearity of a network on R² or R³, exactly.

    Raises
    ------
    InvalidInput
        Unless d is 2 or 3.

    Notes
    -----
    On a cone a preactivation is linear, so it takes the signs that it takes on the extreme rays. The fan
    starts with the d + 1 cones spanned by all but one of e_1, …, e_d, −(e_1 + … + e_d), which cover R^d.

    Examples
    --------
    >>> up, down = np.array([[[0, -1]], [[0, -1]]]), np.array([[[0], [2]], [[1], [1]]])
    >>> found = regions(ReluNetwork(up, down, 1))  # a fold, after which no second coordinate is negative
    >>> found.visible.tolist()
    [[True], [False]]
    """
    d, n = network.d, network.width
    if d not in (2, 3):
        raise InvalidInput("d", "be 2 or 3, for the regions to be enumerated", d)
    cones = _first_cones(d)
    visible = np.zeros((network.depth, n), dtype=bool)
    for level, (up, down) in enumerate(
        zip(network.up.astype(object), network.down.astype(object), strict=True)
    ):
        sizes = [len(cone) for cone in cones]
        values = np.array([row[d:] for cone in cones for row in cone], dtype=object)
        pre = values @ up.T
        visible[level] = (pre > 0).any(axis=0) & (pre < 0).any(axis=0)
        rows = [[*row[: 2 * d], *more] for row, more in zip(_rows(cones), pre.tolist(), strict=True)]
        cut: list[Cone] = []
        position = 0
        for size in sizes:
            cut += _cut(rows[position : position + size], 2 * d, 2 * d + n)
            position += size
        if level + 1 < network.depth:
            table = np.array(_rows(cut), dtype=object)
            active = np.where(table[:, 2 * d :] > 0, table[:, 2 * d :], 0)
            images = (network.skip * table[:, d : 2 * d] + active @ down.T).tolist()
            moved = iter([*row[:d], *image] for row, image in zip(_rows(cut), images, strict=True))
            cut = [[next(moved) for _ in cone] for cone in cut]
        cones = cut
    points = [[sum(row[k] for row in cone) for k in range(d)] for cone in cones]
    return Regions(np.array(points, dtype=object), visible)


def _rows(cones: Sequence[Cone]) -> list[Row]:
    return [row for cone in cones for row in cone]


def _first_cones(d: int) -> list[Cone]:
    rays = [[int(i == k) for k in range(d)] for i in range(d)] + [[-1] * d]
    return [[ray * 2 for k, ray in enumerate(rays) if k != left_out] for left_out in range(d + 1)]


def _cut(cone: Cone, first: int, last: int) -> list[Cone]:
    """Cut a cone along the kernels of the preactivations in the columns first, …, last − 1."""
    pieces = [cone]
    for column in range(first, last):
        halves: list[Cone] = []
        for piece in pieces:
            signs = [row[column] for row in piece]
            if min(signs) < 0 < max(signs):
                halves += _halves(piece, column)
            else:
                halves.append(piece)
        pieces = halves
    return pieces


def _halves(cone: Cone, column: int) -> list[Cone]:
    """Return the parts of a cone on which a preactivation is at least 0, and at most 0."""
    above: Cone = []
    below: Cone = []
    following = cone[1:] + cone[:1] if len(cone) > 2 else cone[1:]
    for k, row in enumerate(cone):
        value = row[column]
        if value >= 0:
            above.append(row)
        if value <= 0:
            below.append(row)
        if k < len(following) and value * following[k][column] < 0:
            between = _between(row, following[k], column)
            above.append(between)
            below.append(between)
    return [above, below]


def _between(row: Row, other: Row, column: int) -> Row:
    """Return the ray between two at which a preactivation vanishes; all entries are linear on the cone."""
    left, right = abs(other[column]), abs(row[column])
    common = gcd(left, right)
    left, right = left // common, right // common
    return [left * x + right * y for x, y in zip(row, other, strict=True)]


def patterns(network: ReluNetwork, points: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which units are active at integer points, (count, L, N), and at which points no kink is met.

    Parameters
    ----------
    points
        (count, d), integers or objects ``int``; values are computed in integers of any size.

    Returns
    -------
    active, ordinary
        Preactivation > 0; and, (count,), whether no preactivation is 0 there, but for zero rows of ``up``.
    """
    y = np.asarray(points).astype(object)
    active = np.zeros((len(y), network.depth, network.width), dtype=bool)
    ordinary = np.ones(len(y), dtype=bool)
    for level, (up, down) in enumerate(
        zip(network.up.astype(object), network.down.astype(object), strict=True)
    ):
        pre = y @ up.T
        active[:, level] = pre > 0
        ordinary &= ~((pre == 0) & network.up[level].any(axis=1)).any(axis=1)
        y = network.skip * y + np.where(pre > 0, pre, 0) @ down.T
    return active, ordinary
