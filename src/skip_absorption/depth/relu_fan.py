"""Compositions of ReLU blocks without biases as exact piecewise linear maps of the plane, and their equality.

Such a map is positively homogeneous and linear on the sectors of a fan of rational rays. It is given by the
rays, in counter-clockwise order and less than a half-turn apart, and their images. Two maps are equal if and
only if their linear maps agree on every sector of a common refinement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from math import gcd, lcm

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import to_fractions
from skip_absorption.networks.blocks import Block, Mlp, Residual

Vector = tuple[Fraction, Fraction]
Matrix = tuple[Fraction, Fraction, Fraction, Fraction]
"""By rows."""

_AXES: tuple[Vector, ...] = tuple((Fraction(x), Fraction(y)) for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1)))


@dataclass(frozen=True)
class Fan:
    """A piecewise linear map of the plane: primitive integer rays, counter-clockwise, and their images."""

    rays: tuple[Vector, ...]
    images: tuple[Vector, ...]

    @property
    def sectors(self) -> list[tuple[Vector, Vector, Matrix]]:
        """The sectors as pairs of rays, each with the linear map on it."""
        following = zip(self.rays[1:] + self.rays[:1], self.images[1:] + self.images[:1], strict=True)
        return [
            (a, b, _linear(a, b, fa, fb))
            for (a, fa), (b, fb) in zip(zip(self.rays, self.images, strict=True), following, strict=True)
        ]


def cross(a: Vector, b: Vector) -> Fraction:
    """Return det(a, b), positive if b is to the left of a."""
    return a[0] * b[1] - a[1] * b[0]


def coordinates(x: Vector, a: Vector, b: Vector) -> Vector:
    """Return the (s, t) with x = s·a + t·b, for a basis a, b."""
    area = cross(a, b)
    return cross(x, b) / area, cross(a, x) / area


def combine(s: Fraction, a: Vector, t: Fraction, b: Vector) -> Vector:
    """Return s·a + t·b."""
    return s * a[0] + t * b[0], s * a[1] + t * b[1]


def primitive(x: Vector) -> Vector:
    """Return the positive multiple with coprime integer entries."""
    scale = Fraction(lcm(x[0].denominator, x[1].denominator))
    scale /= gcd(int(x[0] * scale), int(x[1] * scale))
    return x[0] * scale, x[1] * scale


def fan(blocks: Sequence[Block], *, merge: bool = True) -> Fan:
    """Return the map f_L ∘ … ∘ f_1 of ReLU blocks on the plane, exactly.

    Parameters
    ----------
    blocks
        `Mlp` and `Residual` of one (without a skip matrix), of input and output dimension 2, without biases;
        the first is applied first.
    merge
        Drop the rays across which the map is linear, after each block; the map stays the same.

    Raises
    ------
    InvalidInput
        For any other block.

    Examples
    --------
    >>> fold = Residual(Mlp([[0, -1]], [[0], [2]], "relu"))
    >>> [[int(x) for x in matrix] for _, _, matrix in fan([fold]).sectors]
    [[1, 0, 0, 1], [1, 0, 0, 1], [1, 0, 0, -1], [1, 0, 0, -1]]
    """
    pairs = [(ray, ray) for ray in _AXES]
    for block in blocks:
        up, down, skip = _weights(block)
        pairs = [(x, _apply(up, down, skip, y)) for x, y in _cut(pairs, up)]
        if merge:
            pairs = _merged(pairs)
    rays, images = zip(*pairs, strict=True)
    return Fan(rays, images)


def _weights(block: Block) -> tuple[list[Vector], list[Vector], bool]:
    """Return the nonzero units' rows and columns, and whether there is a skip."""
    mlp = block.block if isinstance(block, Residual) and block.skip is None else block
    plane = isinstance(mlp, Mlp) and (mlp.d_in, mlp.d_out) == (2, 2)
    if not isinstance(mlp, Mlp) or not plane or mlp.activation.name != "relu":
        raise InvalidInput("blocks", "be ReLU MLPs of the plane, with the identity as skip or none", block)
    if mlp.b_up is not None or mlp.b_down is not None:
        raise InvalidInput("blocks", "have no biases", block)
    up, down = to_fractions(mlp.w_up).tolist(), to_fractions(mlp.w_down).T.tolist()
    units = [(tuple(w), tuple(a)) for w, a in zip(up, down, strict=True) if any(w) and any(a)]
    return [w for w, _ in units], [a for _, a in units], isinstance(block, Residual)


def _apply(up: list[Vector], down: list[Vector], skip: bool, y: Vector) -> Vector:
    total = y if skip else (Fraction(0), Fraction(0))
    for w, a in zip(up, down, strict=True):
        pre = w[0] * y[0] + w[1] * y[1]
        if pre > 0:
            total = (total[0] + pre * a[0], total[1] + pre * a[1])
    return total


def _cut(pairs: list[tuple[Vector, Vector]], up: list[Vector]) -> list[tuple[Vector, Vector]]:
    """Insert the rays inside sectors at which a preactivation vanishes."""
    out = []
    for (a, fa), (b, fb) in zip(pairs, pairs[1:] + pairs[:1], strict=True):
        out.append((a, fa))
        places = set()
        for w in up:
            left, right = (w[0] * y[0] + w[1] * y[1] for y in (fa, fb))
            if left * right < 0:
                places.add(left / (left - right))
        for t in sorted(places):
            x = combine(1 - t, a, t, b)
            whole = primitive(x)
            ratio = whole[0] / x[0] if x[0] else whole[1] / x[1]
            out.append((whole, combine(ratio * (1 - t), fa, ratio * t, fb)))
    return out


def _merged(pairs: list[tuple[Vector, Vector]]) -> list[tuple[Vector, Vector]]:
    """Drop rays one by one while the sector that arises is convex and the map linear on it."""
    kept = list(pairs)
    place = 0
    while place < len(kept):
        (a, fa), (r, fr), (b, fb) = kept[place - 1], kept[place], kept[(place + 1) % len(kept)]
        if cross(a, b) > 0 and _at(r, a, b, fa, fb) == fr:
            del kept[place]
        else:
            place += 1
    return kept


def _at(x: Vector, a: Vector, b: Vector, fa: Vector, fb: Vector) -> Vector:
    """Return the value at x of the linear map that takes a to fa and b to fb."""
    s, t = coordinates(x, a, b)
    return combine(s, fa, t, fb)


def _linear(a: Vector, b: Vector, fa: Vector, fb: Vector) -> Matrix:
    """Return the matrix that takes a to fa and b to fb."""
    area = cross(a, b)
    return (
        (fa[0] * b[1] - fb[0] * a[1]) / area,
        (fb[0] * a[0] - fa[0] * b[0]) / area,
        (fa[1] * b[1] - fb[1] * a[1]) / area,
        (fb[1] * a[0] - fa[1] * b[0]) / area,
    )


def differing_sectors(left: Fan, right: Fan) -> tuple[list[tuple[Vector, Vector]], int]:
    """Compare the linear maps of two fans on every sector of their common refinement.

    Returns
    -------
    sectors, count
        The sectors on which the maps differ, none if and only if the maps are equal, and the number compared.
    """
    rays = in_order([*left.rays, *right.rays])
    maps = [_on_sectors(side, rays) for side in (left, right)]
    following = rays[1:] + rays[:1]
    differing = [(a, b) for a, b, one, other in zip(rays, following, *maps, strict=True) if one != other]
    return differing, len(rays)


def _on_sectors(side: Fan, rays: Sequence[Vector]) -> list[Matrix]:
    """Return the matrices of a map on the sectors that begin with the given rays, which refine its own."""
    own = dict(zip(side.rays, (matrix for _, _, matrix in side.sectors), strict=True))
    start = next(k for k, ray in enumerate(rays) if ray in own)
    out: list[Matrix] = []
    for ray in [*rays[start:], *rays[:start]]:
        out.append(own.get(ray) or out[-1])
    shift = len(rays) - start
    return out[shift:] + out[:shift]


def in_order(rays: Iterable[Vector]) -> list[Vector]:
    """Return the primitive rays in counter-clockwise order from the positive first axis, each once."""

    def compare(a: Vector, b: Vector) -> int:
        lower_a, lower_b = _is_lower(a), _is_lower(b)
        if lower_a != lower_b:
            return 1 if lower_a else -1
        turn = cross(a, b)
        return (turn < 0) - (turn > 0)

    return sorted({primitive(ray) for ray in rays}, key=cmp_to_key(compare))


def _is_lower(x: Vector) -> bool:
    return x[1] < 0 or (x[1] == 0 and x[0] < 0)
