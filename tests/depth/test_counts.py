"""Counts of dimensions, against the exact rank of what they count."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.depth.analytic import draw_layers, draw_points, numerical_rank
from skip_absorption.depth.counts import (
    is_excluded,
    naive_dimension,
    plain_dimension,
    residual_dimension,
    skip_dimension,
)
from skip_absorption.depth.interfaces import interface_rank
from skip_absorption.depth.jacobian import Layer, float_jacobian
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import rank
from skip_absorption.networks.activations import GELU

sizes = st.tuples(st.integers(1, 4), st.lists(st.integers(1, 6), min_size=1, max_size=4))


@settings(deadline=None, max_examples=40)
@given(sizes, st.integers(0, 10**6))
def test_the_count_is_the_exact_rank_of_the_interfaces(size, seed):
    d, widths = size
    rng = np.random.default_rng(seed)
    layers = [
        Layer(rng.integers(-999, 1000, size=(n, d)), rng.integers(-999, 1000, size=(d, n))) for n in widths
    ]
    assert interface_rank(layers) == plain_dimension(d, widths)


@given(sizes)
def test_the_naive_count_is_right_for_wide_blocks(size):
    d, widths = size
    assert plain_dimension(d, widths) <= residual_dimension(d, widths)
    if min(widths) >= d:
        assert naive_dimension(d, widths) == plain_dimension(d, widths)


@pytest.mark.parametrize(("d", "n", "count", "naive"), [(2, 1, 5, 4), (3, 2, 16, 15)])
def test_where_the_naive_count_is_wrong(d, n, count, naive):
    assert plain_dimension(d, [n, n]) == count
    assert naive_dimension(d, [n, n]) == naive


@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 6))
def test_equal_widths_are_excluded_from_two_blocks_on(d, n, depth):
    assert is_excluded(d, [n] * depth, [n] * depth) == (depth >= 2)


LINE, NILPOTENT = np.diag([1, 0]), np.array([[0, 1], [0, 0]])


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 10**6))
def test_two_skips_lose_the_product_of_their_coranks(d, r, s, seed):
    rng = np.random.default_rng(seed)
    r, s = min(r, d), min(s, d)
    skips = [rng.integers(-99, 100, (d, k)) @ rng.integers(-99, 100, (k, d)) for k in (r, s)]
    assert skip_dimension(d, [d, d + 1], skips) == 2 * d * (2 * d + 1) - (d - rank(skips[0])) * (
        d - rank(skips[1])
    )


@pytest.mark.parametrize(
    ("skips", "lost"),
    [
        ((np.eye(2), np.eye(2), np.eye(2)), 0),
        ((LINE, LINE, np.eye(2)), 1),
        ((LINE, LINE, LINE), 2),
        ((NILPOTENT, NILPOTENT, NILPOTENT), 3),  # coranks alone would say 2
        ((None, LINE, None), 5),  # and here 4
        ((NILPOTENT, LINE, NILPOTENT), 2),  # with M_l and M_lᵀ mixed up it would be 3
        ((NILPOTENT, np.eye(2) - LINE, NILPOTENT.T), 3),  # and here 2
        ((None, None, None), 8),
    ],
)
def test_the_bound_for_singular_skips_is_the_numerical_rank(skips, lost):
    rng = np.random.default_rng(5)
    assert skip_dimension(2, [3, 3, 2], skips) == 32 - lost
    layers = draw_layers(2, [3, 3, 2], rng=rng, skips=skips)
    found = float_jacobian(layers, draw_points(80, 2, rng=rng), GELU)
    assert numerical_rank(found) == 32 - lost


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plain_dimension(0, [1]), "d must be at least 1; got 0"),
        (lambda: plain_dimension(2, []), "widths must hold one width of at least 1 or more"),
        (lambda: residual_dimension(2, [3, 0]), "widths must hold one width of at least 1 or more"),
        (lambda: skip_dimension(3, [2, 3], [None, None]), "widths must be at least d = 3"),
        (lambda: skip_dimension(2, [2, 3], [None]), "skips must be 2 matrices; got 1"),
    ],
)
def test_misuse_is_one_clear_error(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
