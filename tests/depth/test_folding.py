"""Folds of the plane and their unfolding, exactly; maps of the plane against the networks' own values."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.depth.folding import (
    Bend,
    fold_box,
    fold_depth,
    is_idle,
    padded,
    quadrant_map,
    unfolded,
    vertex_move,
)
from skip_absorption.depth.relu_fan import (
    coordinates,
    cross,
    differing_sectors,
    fan,
    in_order,
    primitive,
)
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import is_zero
from skip_absorption.measures import generator, integers, rationals
from skip_absorption.networks.blocks import Composition, Mlp, Residual


def vector(x, y):
    return Fraction(x), Fraction(y)


def blocks(seed, depth=3):
    rng = generator("test fan", "blocks", seed)
    out = []
    for _ in range(depth):
        mlp = Mlp(integers((3, 2), rng=rng), rationals((2, 3), rng=rng, bound=3), "relu")
        out.append(Residual(mlp) if rng.integers(2) else mlp)
    return out, rng


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.booleans())
def test_a_fan_is_the_map(seed, merge):
    chain, rng = blocks(seed)
    found = fan(chain, merge=merge)
    network = Composition(chain)
    for a, b, (p, q, r, s) in found.sectors:
        assert cross(a, b) > 0
        for weights in ((1, 0), (0, 1), *rng.integers(1, 99, (3, 2)).tolist()):
            x = [weights[0] * u + weights[1] * v for u, v in zip(a, b, strict=True)]
            assert network.rational(x).tolist() == [p * x[0] + q * x[1], r * x[0] + s * x[1]]
    assert [primitive(ray) for ray in found.rays] == list(found.rays)
    assert sorted(in_order(found.rays)) == sorted(found.rays)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_merging_changes_nothing_and_small_changes_are_seen(seed):
    chain, rng = blocks(seed)
    whole, merged = fan(chain, merge=False), fan(chain)
    assert differing_sectors(whole, merged)[0] == []
    assert len(merged.rays) <= len(whole.rays)
    twin = [*chain, Mlp([[1, 0], [-1, 0], [0, 1], [0, -1]], [[1, -1, 0, 0], [0, 0, 1, -1]], "relu")]
    assert differing_sectors(merged, fan(twin))[0] == []
    nudged = [*chain, Mlp([[1, 0], [-1, 0], [0, 1], [0, -1]], [[1, -1, 0, 0], [0, 0, 1, -2]], "relu")]
    points = rationals((200, 2), rng=rng)
    same = is_zero(Composition(chain).rational(points) - Composition(nudged).rational(points))
    assert same or differing_sectors(merged, fan(nudged))[0]


def test_the_fan_takes_relu_blocks_of_the_plane_only():
    eye = np.eye(2, dtype=np.int64)
    for bad in (
        Mlp(eye, eye, "gelu"),
        Mlp(eye, eye, "relu", b_up=[1, 0]),
        Mlp(eye, eye, "relu", b_down=[1, 0]),
        Mlp([[1, 0, 0]], [[1], [0]], "relu"),
        Residual(Mlp(eye, eye, "relu"), 2 * eye),
    ):
        with pytest.raises(InvalidInput, match="blocks must"):
            fan([bad])


def test_vectors():
    a, b = vector(2, 1), vector(-1, 3)
    s, t = coordinates(vector(5, 6), a, b)
    assert (2 * s - t, s + 3 * t) == (5, 6)
    assert primitive(vector(Fraction(-4, 3), Fraction(2, 3))) == (-2, 1)
    around = [vector(1, 0), vector(3, 2), vector(0, 1), vector(-1, 0), vector(-1, -1), vector(1, -5)]
    assert in_order([*around[::-1], vector(6, 4)]) == around


def test_a_bend_and_its_inverse():
    bend = Bend(vector(1, 0), vector(0, 1), vector(2, 3))
    assert bend(vector(5, -7)) == (5, -7)
    assert bend(vector(5, 2)) == (9, 6)
    assert bend.inverse(vector(9, 6)) == (5, 2)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_a_vertex_move_moves_one_ray_and_nothing_outside(seed):
    rng = generator("test vertex", "move", seed)
    while True:
        left, right = (vector(*integers((2,), rng=rng, bound=5).tolist()) for _ in range(2))
        if cross(left, right) != 0:
            break
    (a, b), (c, e) = rng.integers(1, 9, (2, 2)).tolist()
    ray, target = (
        tuple(s * u + t * v for u, v in zip(left, right, strict=True)) for s, t in ((a, b), (c, e))
    )
    chain = vertex_move(left, ray, right, target)
    assert [block.width for block in chain] == [4] * 4
    network = Composition(chain)
    assert network.rational(list(ray)).tolist() == list(target)
    for s, t in ((2, 3), (5, 1)):  # between left and the ray, and between the ray and right
        for end in (left, right):
            x = [s * u + t * v for u, v in zip(end, ray, strict=True)]
            y = [s * u + t * v for u, v in zip(end, target, strict=True)]
            assert network.rational(x).tolist() == y
    for s, t in ((1, 0), (0, 1), (1, -2), (-1, 3), (-2, -5), (-1, 0), (0, -1)):
        x = [s * u + t * v for u, v in zip(left, right, strict=True)]
        assert network.rational(x).tolist() == x


@pytest.mark.parametrize("n", [4, 5, 7])
def test_folds_are_absorbed_anywhere_in_the_box(n):
    rng = generator("test folds", str(n))
    box = fold_box(n, rng=rng)
    for residual in (box.vertex(rng=rng), box.inside(rng=rng)):
        plain = unfolded(residual[0])
        assert len(plain) == len(residual) == fold_depth(n) == 8 * n - 15
        same = padded(plain, len(residual) + 2, n)
        assert {block.width for block in same} == {n}
        differing, count = differing_sectors(fan(residual), fan(same))
        assert differing == []
        assert count == 2 * n
        points = rationals((5, 2), rng=rng)
        assert is_zero(Composition(residual).rational(points) - Composition(same).rational(points))
        images = fan(residual[:1]).images
        assert all(is_idle(block, images) for block in residual[1:])
        assert not is_idle(residual[0], images)
    edge = Residual(Mlp([[0, -1]], [[1], [1]], "relu"))
    assert is_idle(edge, [vector(1, 1)])
    assert not is_idle(edge, [vector(1, 1), vector(1, 0)])


def test_vertices_and_points_of_a_box():
    rng = generator("test folds", "box")
    box = fold_box(4, rng=rng)
    assert box.down[0, :, 0].tolist() == [0, 2]
    assert {tuple(column) for column in box.down[0].T[1:]} == {(0, Fraction(1, 32))}
    vertex, inside = (
        [abs(block.block.w_up - up) / box.radius for block, up in zip(blocks, box.up, strict=True)]
        for blocks in (box.vertex(rng=rng), box.inside(rng=rng))
    )
    assert all((moved == 1).all() for moved in vertex)
    assert all((moved <= 1).all() for moved in inside)
    assert len({x for moved in inside for x in moved.flat}) > 4


def test_without_merging_the_two_maps_are_the_same_as_well():
    rng = generator("test folds", "whole")
    residual = fold_box(4, rng=rng).inside(rng=rng)
    left, right = fan(residual, merge=False), fan(unfolded(residual[0]), merge=False)
    differing, count = differing_sectors(left, right)
    assert differing == []
    assert count > 8


def test_what_is_no_fold_is_refused():
    eye = np.eye(2, dtype=np.int64)
    rows = [[0, -1], [1, 0], [1, 1]]
    with pytest.raises(InvalidInput, match="lie strictly between left and right"):
        unfolded(Residual(Mlp(rows, [[0, -3, 0], [2, 0, 0]], "relu")))
    with pytest.raises(InvalidInput, match="first must fold the plane onto a pointed cone"):
        unfolded(Residual(Mlp(rows, [[0, 0, -3], [2, 0, 0]], "relu")))
    with pytest.raises(InvalidInput, match="first must fold the plane onto a pointed cone"):
        unfolded(Residual(Mlp(rows, [[0, 0, 0], [2, 0, 3]], "relu")))  # the image of (1, -1) is below (1, 3)
    with pytest.raises(InvalidInput, match="N must be at least 4; got 3"):
        fold_box(3, rng=generator("test", "small"))
    with pytest.raises(InvalidInput, match=r"\(left, right\) must be linearly independent"):
        vertex_move(vector(1, 0), vector(0, 1), vector(-2, 0), vector(1, 1))
    with pytest.raises(InvalidInput, match="lie strictly between left and right"):
        vertex_move(vector(1, 0), vector(1, 1), vector(0, 1), vector(1, -1))
    block = quadrant_map(vector(1, 0), vector(0, 1), lambda x: x)
    with pytest.raises(InvalidInput, match=r"\(depth, width\) must be at least \(2, 4\); got \(1, 4\)"):
        padded([block, block], 1, 4)
    assert is_zero(block.rational(eye) - eye)
