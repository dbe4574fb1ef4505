"""Regions of ReLU networks on R² and R³, against values at random points and a walk round a circle."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.depth.relu_regions import ReluNetwork, patterns, regions
from skip_absorption.depth.relu_visible import is_contractive
from skip_absorption.errors import InvalidInput
from skip_absorption.measures import generator
from skip_absorption.networks.blocks import Composition, Mlp, Residual


def draw(d: int, n: int, depth: int, seed: int, *, bound: int = 9, skip: int = 10) -> ReluNetwork:
    rng = generator("test regions", f"{d}/{n}/{depth}", seed)
    up = rng.integers(-bound, bound + 1, (depth, n, d))
    return ReluNetwork(up, rng.integers(-bound, bound + 1, (depth, d, n)), skip)


def preactivations(network: ReluNetwork, x: list[int]) -> list[list[int]]:
    """Evaluate unit by unit, in Python's integers."""
    y, out = list(x), []
    for up, down in zip(network.up.tolist(), network.down.tolist(), strict=True):
        out.append([sum(w * v for w, v in zip(row, y, strict=True)) for row in up])
        active = [max(z, 0) for z in out[-1]]
        y = [
            network.skip * v + sum(a * z for a, z in zip(row, active, strict=True))
            for v, row in zip(y, down, strict=True)
        ]
    return out


@settings(deadline=None, max_examples=25)
@given(st.sampled_from([(2, 2, 2), (2, 4, 3), (3, 3, 2), (3, 4, 2)]), st.integers(0, 10**6))
def test_points_have_every_pattern_that_random_points_have(size, seed):
    network = draw(*size, seed)
    found = regions(network)
    active, _ = patterns(network, found.points)
    known = {tuple(row.ravel().tolist()) for row in active}
    rng = generator("test regions", "points", seed)
    for x in rng.integers(-(10**6), 10**6, (60, size[0])).tolist():
        values = preactivations(network, x)
        if all(z for level in values for z in level):
            assert tuple(z > 0 for level in values for z in level) in known


@settings(deadline=None, max_examples=25)
@given(st.sampled_from([(2, 3, 3), (3, 3, 2)]), st.integers(0, 10**6))
def test_visible_units_take_both_signs_and_others_do_not(size, seed):
    network = draw(*size, seed, skip=3)
    found = regions(network)
    active, ordinary = patterns(network, found.points)
    rng = generator("test visible", "points", seed)
    sampled, _ = patterns(network, rng.integers(-(10**6), 10**6, (300, size[0])))
    assert (found.visible >= sampled.any(axis=0) & ~sampled.all(axis=0) & ordinary.all()).all()
    assert (found.visible <= active.any(axis=0) & ~active.all(axis=0)).all()


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_sectors_of_the_plane_are_counted_by_brute_force(seed, depth):
    """Walk round a fine circle: where the pattern changes there is a ray; none is missed or added."""
    network = draw(2, 3, depth, seed, bound=5, skip=10)
    found = regions(network)
    order = np.argsort(np.arctan2(*found.points.astype(float).T[::-1]))
    active, ordinary = patterns(network, found.points[order])
    turns = sum((a != b).any() for a, b in pairwise([*active, active[0]]))
    angles = np.linspace(0, 2 * np.pi, 20000, endpoint=False) + 1e-4
    circle = np.rint(np.stack([np.cos(angles), np.sin(angles)], axis=1) * 2**40).astype(np.int64)
    seen, _ = patterns(network, circle)
    changes = sum((a != b).any() for a, b in zip(seen, np.roll(seen, 1, axis=0), strict=True))
    assert changes <= turns
    if (
        ordinary.all()
    ):  # two rays nearer than the step are missed by the walk, and hide an even number of changes
        assert turns - changes <= 2


def test_patterns_agree_with_plain_evaluation_and_name_kinks():
    network = draw(3, 4, 3, 1)
    points = generator("test", "patterns").integers(-99, 100, (20, 3))
    active, ordinary = patterns(network, points)
    for k, x in enumerate(points.tolist()):
        values = preactivations(network, x)
        assert active[k].tolist() == [[z > 0 for z in level] for level in values]
        assert ordinary[k] == all(z for level in values for z in level)
    network.up[1, 2] = 0  # a form that is 0 has no kink
    assert patterns(network, points)[1].any()
    on_kink = np.array([[0, 0, 0]])
    assert not patterns(network, on_kink)[1][0]


def test_rounded_weights_are_a_multiple_of_the_network():
    rng = generator("test", "rounded")
    up, down = rng.integers(-9, 10, (2, 3, 2)) / 4, rng.integers(-9, 10, (2, 2, 3)) / 4
    network = ReluNetwork.rounded(up, down, bits=2)
    blocks = Composition([Residual(Mlp(u, d, "relu")) for u, d in zip(up, down, strict=True)])
    x = [3, -5]
    values = preactivations(network, x)
    scaled = [int(v * network.skip**2) for v in blocks.rational(x)]
    y = x
    for level, (pre, down_) in enumerate(zip(values, network.down.tolist(), strict=True)):
        y = [
            network.skip * v + sum(a * max(z, 0) for a, z in zip(row, pre, strict=True))
            for v, row in zip(y, down_, strict=True)
        ]
        assert level < 2
    assert y == scaled


def test_small_columns_leave_everything_visible():
    network = draw(2, 4, 3, 5, skip=10**6)
    assert is_contractive(network)
    assert regions(network).visible.all()
    assert not is_contractive(draw(2, 4, 3, 5, bound=9, skip=1))


def test_the_last_block_need_not_be_contractive_and_the_bound_is_strict():
    one, large = np.array([[[3, 4]]]), np.array([[[1000], [1000]]])
    assert is_contractive(ReluNetwork(one, large, 1))
    for skip in (25, 26):  # ‖(3, 4)‖ ‖(3, 4)ᵀ‖ = 25
        network = ReluNetwork(
            np.repeat(one, 2, axis=0), np.concatenate([one.transpose(0, 2, 1), large]), skip
        )
        assert is_contractive(network) == (skip == 26)


def test_a_fold_hides_what_comes_after():
    up = np.array([[[0, -1], [1, 0]], [[0, -1], [1, -3]]])
    down = np.array([[[0, 0], [2, 0]], [[1, 5], [1, -7]]])
    assert regions(ReluNetwork(up, down, 1)).visible.tolist() == [[True, True], [False, True]]
    for sign in (1, -1):  # on the image of the fold the second coordinate is 0 or positive
        up[1, 0] = (0, sign)
        assert not regions(ReluNetwork(up, down, 1)).visible[1, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((1, 3, 2), dtype=np.int64), np.zeros((1, 3, 2), dtype=np.int64), 1), "have shapes"),
        ((np.zeros((1, 3, 2)), np.zeros((1, 2, 3)), 1), "hold 64-bit integers"),
        ((np.zeros((1, 3, 2), dtype=np.int64), np.zeros((1, 2, 3), dtype=np.int64), -1), "be at least 0"),
    ],
)
def test_misuse_is_named(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        ReluNetwork(*arguments)


def test_other_dimensions_are_refused():
    with pytest.raises(InvalidInput, match="d must be 2 or 3"):
        regions(draw(4, 4, 1, 0))
