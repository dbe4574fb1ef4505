"""Functional dimensions against a slow oracle: derivatives by exact differences, rank over Q."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.depth.counts import plain_dimension
from skip_absorption.depth.functional_dimension import derivative, functional_dimension, total_dimension
from skip_absorption.depth.relu_regions import ReluNetwork, patterns, regions
from skip_absorption.depth.relu_visible import relu_plain_dimension, visible_bound
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import rank
from skip_absorption.exact.residues import random_prime
from skip_absorption.measures import generator

P = random_prime(rng=np.random.default_rng(7))


def draw(d, n, depth, seed, *, bound=9, skip=10):
    rng = generator("test dimension", f"{d}/{n}/{depth}", seed)
    up = rng.integers(-bound, bound + 1, (depth, n, d))
    return ReluNetwork(up, rng.integers(-bound, bound + 1, (depth, d, n)), skip)


def linear_map(up, down, skip, active):
    """Return M_L ⋯ M_1 on a region, in fractions."""
    total = np.array([[Fraction(int(i == k)) for k in range(up.shape[2])] for i in range(up.shape[2])])
    for u, d, on in zip(up, down, active, strict=True):
        matrix = d[:, on] @ u[on] + skip * np.eye(len(d), dtype=int).astype(object)
        total = matrix @ total
    return total


def oracle(network, active):
    """Differentiate entry by entry: A is of degree one in each weight, so a unit step is the derivative."""
    columns = []
    for level in range(network.depth):
        for name in ("down", "up"):
            shape = getattr(network, name)[level].shape
            for where in np.ndindex(*shape):
                up, down = network.up.astype(object), network.down.astype(object)
                before = [linear_map(up, down, network.skip, pattern) for pattern in active]
                {"up": up, "down": down}[name][level][where] += 1
                after = [linear_map(up, down, network.skip, pattern) for pattern in active]
                columns.append(np.concatenate([(a - b).ravel() for a, b in zip(after, before, strict=True)]))
    return np.stack(columns, axis=1)


@settings(deadline=None, max_examples=12)
@given(st.sampled_from([(2, 2, 2), (2, 3, 2), (2, 2, 3), (3, 3, 1)]), st.integers(0, 10**6))
def test_the_derivative_is_that_of_the_linear_maps(size, seed):
    network = draw(*size, seed)
    active = generator("test", "patterns", seed).integers(0, 2, (3, size[2], size[1])).astype(bool)
    slow = oracle(network, active)
    assert (derivative(network, active) == slow).all()
    assert (derivative(network, active, p=P) == slow.astype(int) % P).all()


@settings(deadline=None, max_examples=15)
@given(st.sampled_from([(2, 2, 2), (2, 4, 2), (3, 3, 2)]), st.integers(0, 10**6))
def test_ranks_modulo_a_prime_and_over_q_agree(size, seed):
    network = draw(*size, seed)
    found = regions(network)
    _, ordinary = patterns(network, found.points)
    points = found.points[ordinary]
    exact = functional_dimension(network, points)
    assert functional_dimension(network, points, p=P) == exact
    if ordinary.all():
        assert total_dimension(network, found, p=P) == exact
        assert exact == rank(derivative(network, patterns(network, points)[0]))
        assert exact <= (2 * network.d - 1) * network.depth * network.width


def test_a_wrong_prime_is_noticed():
    """Modulo a prime that divides all weights nothing is left; then the rank is taken over Q."""
    network = draw(2, 3, 2, 3)
    scaled = ReluNetwork(P * network.up, network.down, P * network.skip)
    found = regions(scaled)
    assert functional_dimension(scaled, found.points, p=P) < 18
    assert total_dimension(scaled, found, p=P) == total_dimension(network, found, p=P) == 18


def test_a_prime_at_which_one_dimension_is_missing_is_noticed():
    network = draw(2, 2, 2, 3, skip=1)
    found = regions(network)
    assert functional_dimension(network, found.points, p=13) == 11
    assert total_dimension(network, found, p=13) == visible_bound(2, found.visible.sum()) == 12


def test_the_dimension_is_that_of_all_regions_where_units_are_hidden():
    network = draw(2, 3, 2, 2, skip=1)
    found = regions(network)
    assert found.visible.sum() == 3
    assert functional_dimension(network, found.points[::4], p=P) < 13
    assert total_dimension(network, found, p=P) == functional_dimension(network, found.points) == 13


def test_one_block_of_the_plane_has_three_dimensions_a_unit():
    network = draw(2, 5, 1, 0)
    assert functional_dimension(network, regions(network).points) == 15


def test_points_on_kinks_are_refused():
    network = draw(2, 3, 1, 0)
    with pytest.raises(InvalidInput, match=r"points must meet no kink; got \[0, 0\]"):
        functional_dimension(network, np.array([[1, 5], [0, 0]]), p=P)


@pytest.mark.parametrize(("d", "widths"), [(2, [4]), (2, [4, 4, 4]), (3, [2, 5]), (2, [1, 1])])
def test_counts_of_plain_compositions(d, widths):
    assert relu_plain_dimension(d, widths) == plain_dimension(d, widths) - sum(widths)
    if min(widths) >= d:
        assert relu_plain_dimension(d, widths) == (2 * d - 1) * sum(widths) - (len(widths) - 1) * d * d
    assert visible_bound(d, sum(widths)) == (2 * d - 1) * sum(widths)
