"""An open set of ReLU compositions on the plane that absorb their skips (X7c): the plane is folded once.

The first residual block folds the plane along a line onto a pointed cone K, on which all later blocks are the
identity. So F = f_1 = Φ ∘ h, where Φ is a quadrant map, one residual-free block of width 4, and h is a
piecewise linear homeomorphism near the identity, which moves 2(N − 2) rays. Each ray is moved by four more
quadrant maps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import cos, pi, sin

import numpy as np

from skip_absorption.depth.relu_fan import Vector, combine, coordinates, cross, in_order
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray, to_fractions
from skip_absorption.networks.blocks import Mlp, Residual

Map = Callable[[Vector], Vector]

WIDTH = 4
"""The width of every block of the residual-free composition."""

_GRID = 1 << 10
_ONE, _ZERO = Fraction(1), Fraction(0)


def fold_depth(n: int) -> int:
    """Return 8N − 15, the number of blocks that suffice at width N ≥ 4.

    Examples
    --------
    >>> [fold_depth(n) for n in (4, 5, 6, 8)]
    [17, 25, 33, 49]
    """
    if n < WIDTH:
        raise InvalidInput("N", f"be at least {WIDTH}", n)
    return 8 * n - 15


@dataclass(frozen=True, eq=False)
class Box:
    """A box of weights around a folding composition: all entries within a radius of the centre's.

    Attributes
    ----------
    up, down
        The centre, ``Fraction`` arrays of shapes (L, N, 2) and (L, 2, N).
    radius
        Half the edge of the box.
    """

    up: ExactArray
    down: ExactArray
    radius: Fraction

    def vertex(self, *, rng: np.random.Generator) -> tuple[Residual, ...]:
        """Return the blocks f_1, …, f_L at a random vertex of the box."""
        return self._moved(lambda shape: 16 * (2 * rng.integers(0, 2, shape) - 1))

    def inside(self, *, rng: np.random.Generator) -> tuple[Residual, ...]:
        """Return the blocks f_1, …, f_L at a random point of the box, on a grid."""
        return self._moved(lambda shape: rng.integers(-16, 17, shape))

    def _moved(self, steps: Callable[[tuple[int, ...]], ExactArray]) -> tuple[Residual, ...]:
        up, down = (
            array + steps(array.shape).astype(object) * (self.radius / 16) for array in (self.up, self.down)
        )
        return tuple(Residual(Mlp(u, d, "relu")) for u, d in zip(up, down, strict=True))


def fold_box(n: int, *, rng: np.random.Generator, lift: Fraction | None = None) -> Box:
    """Draw a box of residual compositions of 8N − 15 blocks of width N that fold the plane once.

    The first block has w_1 = (0, −1) and b_1 = (0, 2), kernels spread evenly, rows of alternating sign and
    b_j = (0, c) for j ≥ 2. The rows of the later blocks are negative on the image, their columns are
    arbitrary.

    Parameters
    ----------
    n
        The width N, at least 4.
    lift
        The number c > 0, by default 1/(8N).
    """
    depth = fold_depth(n)
    c = Fraction(1, 8 * n) if lift is None else lift
    first_up = [[0.0, -1.0]]
    for j in range(1, n):
        angle = (j + rng.uniform(-0.2, 0.2)) * pi / n
        sign = (-1) ** j
        first_up.append([sign * sin(angle), -sign * cos(angle)])
    across = rng.uniform(-1, 1, (depth - 1, n)) / (32 * n)
    later_up = np.stack([across, -rng.uniform(0.5, 1.5, (depth - 1, n))], axis=2)
    up = np.concatenate([[first_up], later_up])
    down = rng.uniform(-1, 1, (depth, 2, n))
    exact_up, exact_down = (_gridded(array) for array in (up, down))
    exact_down[0] = _ZERO
    exact_down[0, 1] = c
    exact_down[0, 1, 0] = Fraction(2)
    return Box(exact_up, exact_down, Fraction(1, 1 << 11))


def _gridded(array: ExactArray) -> ExactArray:
    return to_fractions(np.rint(array * _GRID).astype(np.int64)) / _GRID


@dataclass(frozen=True)
class Bend:
    """The map that is the identity beyond a line, fixes the line, and takes ``start`` to ``end``."""

    line: Vector
    start: Vector
    end: Vector

    def __call__(self, x: Vector) -> Vector:
        """Return the image of a point."""
        along, towards = coordinates(x, self.line, self.start)
        return combine(along, self.line, towards, self.end) if towards > 0 else x

    @property
    def inverse(self) -> Bend:
        """The bend that undoes this one, if both vectors lie on one side of the line."""
        return Bend(self.line, self.end, self.start)


def quadrant_map(p: Vector, q: Vector, image: Map) -> Mlp:
    """Return the residual-free block of width 4, linear on the sectors of ±p, ±q, with these images.

    With the coordinates (s, t) of x by p and q it is σ(s)·image(p) + σ(−s)·image(−p) + σ(t)·image(q) +
    σ(−t)·image(−q).
    """
    area = cross(p, q)
    s, t = (q[1] / area, -q[0] / area), (-p[1] / area, p[0] / area)
    rows = [s, negative(s), t, negative(t)]
    columns = [image(x) for x in (p, negative(p), q, negative(q))]
    return Mlp(rows, [list(row) for row in zip(*columns, strict=True)], "relu")


def negative(x: Vector) -> Vector:
    """Return −x."""
    return -x[0], -x[1]


def vertex_move(left: Vector, ray: Vector, right: Vector, target: Vector) -> list[Mlp]:
    """Return four blocks that take ``ray`` to ``target`` and fix all outside the sector (left, right).

    With ray = α·left + β·right and target = α'·left + β'·right, a bend along the line of ``left`` first moves
    the ray to α·left + β'·right and stretches ``right``, which a radial move undoes; then the same from the
    other side. A radial move of q in the sector (p, r) is γ β γ⁻¹, β stretching q beyond the line of p and γ
    taking −p to r beyond the line of q.

    Raises
    ------
    InvalidInput
        Unless left and right are a basis, and both rays lie strictly between them.
    """
    if cross(left, right) == 0:
        raise InvalidInput("(left, right)", "be linearly independent", (left, right))
    (a, b), (a1, b1) = coordinates(ray, left, right), coordinates(target, left, right)
    if min(a, b, a1, b1) <= 0:
        raise InvalidInput("(ray, target)", "lie strictly between left and right", (ray, target))
    middle = combine(a, left, b1, right)
    long_right, long_left = (
        combine(b1 / b, right, _ZERO, left),
        combine(a1 / a, left, _ZERO, right),
    )
    bend, back = Bend(left, right, long_right), Bend(middle, long_right, right)
    turn = Bend(right, negative(middle), negative(left))
    other_bend, other_back = Bend(right, left, long_left), Bend(target, long_left, left)
    other_turn = Bend(left, negative(target), negative(right))
    return [
        quadrant_map(left, right, _chain(bend, turn.inverse)),
        quadrant_map(middle, right, _chain(back, turn, other_bend)),
        quadrant_map(left, right, other_turn.inverse),
        quadrant_map(target, left, _chain(other_back, other_turn)),
    ]


def _chain(*maps: Map) -> Map:
    def composed(x: Vector) -> Vector:
        for step in maps:
            x = step(x)
        return x

    return composed


def unfolded(first: Residual) -> list[Mlp]:
    """Return 8N − 15 residual-free blocks of width 4 whose composition is a folding block f_1.

    Raises
    ------
    InvalidInput
        If a ray would have to pass another, or the image of one lies outside the cone. That the result equals
        f_1 is for the caller to prove (`relu_fan.differing_sectors`).
    """
    kernels = [(-w[1], w[0]) for w in _rows(first)]
    one, two = kernels[0], kernels[1]
    if cross(one, two) < 0:
        two = negative(two)
    rays = in_order([*kernels, *map(negative, kernels)])
    image: dict[Vector, Vector] = {}
    for ray in [*rays, one, two, negative(one), negative(two)]:
        value = first.rational(list(ray)).tolist()
        image[ray] = (value[0], value[1])

    def target(ray: Vector) -> Vector:
        """Return Φ⁻¹(f_1(ray)) on the ray's side of the fold; Φ is linear on the sectors of ±one, ±two."""
        side = two if cross(one, ray) > 0 else negative(two)
        for end in (one, negative(one)):
            s, t = coordinates(image[ray], image[end], image[side])
            if s >= 0 and t >= 0:
                return combine(s, end, t, side)
        raise InvalidInput("first", "fold the plane onto a pointed cone", "a ray outside it")

    fixed = [one, two, negative(one), negative(two)]
    current = list(rays)
    blocks: list[Mlp] = []
    for k, ray in enumerate(rays):
        if all(cross(ray, line) != 0 for line in (one, two)):
            left, right = current[k - 1], current[(k + 1) % len(rays)]
            current[k] = target(ray)
            blocks += vertex_move(left, ray, right, current[k])
    images = {x: image[x] for x in fixed}
    return [*blocks, quadrant_map(one, two, images.__getitem__)]


def is_idle(block: Residual, rays: Sequence[Vector]) -> bool:
    """Whether all rows are negative at the given rays, hence on their cone: there the block is x ↦ x."""
    return all(w[0] * y[0] + w[1] * y[1] < 0 for w in _rows(block) for y in rays)


def _rows(block: Residual) -> list[Vector]:
    if not isinstance(block.block, Mlp) or block.d_in != 2:
        raise InvalidInput("block", "be a residual MLP of the plane", block)
    return [(w[0], w[1]) for w in to_fractions(block.block.w_up).tolist()]


def padded(blocks: Sequence[Mlp], depth: int, width: int) -> tuple[Mlp, ...]:
    """Return the same function as `depth` blocks of the given width, with dead units and identities."""
    one = (_ONE, _ZERO)
    idle = quadrant_map(one, (_ZERO, _ONE), lambda x: x)
    if depth < len(blocks) or width < WIDTH:
        raise InvalidInput("(depth, width)", f"be at least ({len(blocks)}, {WIDTH})", (depth, width))
    wide = []
    for block in [*blocks, *[idle] * (depth - len(blocks))]:
        up = np.full((width, 2), _ZERO, dtype=object)
        down = np.full((2, width), _ZERO, dtype=object)
        up[: block.width], down[:, : block.width] = to_fractions(block.w_up), to_fractions(block.w_down)
        wide.append(Mlp(up, down, "relu"))
    return tuple(wide)
