"""The distance of a layer to condition (3): against all sets, and against an independent solver."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from skip_absorption.absorption._margin_kernels import flip
from skip_absorption.absorption.margin import _dual, margin
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import to_fractions
from skip_absorption.measures import generator, planted


def nearest(w_up, w_down, odd=1.0):
    """Return the least norm over all sets, one after the other."""
    n, d = w_up.shape
    return min(
        np.linalg.norm(np.eye(d) + odd * w_down[:, bits] @ w_up[bits]) / d**0.5
        for bits in (np.flatnonzero([mask >> i & 1 for i in range(n)]) for mask in range(2**n))
    )


@given(st.integers(0, 10**6), st.sampled_from([np.float64, np.float32]), st.sampled_from([0.3, 1.0, 3.0]))
@settings(max_examples=25, deadline=None)
def test_the_bounds_enclose_the_nearest_set(seed, kind, scale):
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(1, 4)), int(rng.integers(1, 9))
    w_up, w_down = (rng.normal(0, scale, shape).astype(kind) for shape in ((n, d), (d, n)))
    found = margin(w_up, w_down)
    least = nearest(w_up.astype(float), w_down.astype(float))
    assert found.lower <= found.relaxed + 1e-12
    assert found.lower <= least + 1e-12
    assert least <= found.upper + 1e-12 <= 1 + 2e-12
    terms = np.einsum("ri,ic->irc", w_down.astype(float), w_up.astype(float)).reshape(n, d * d)
    independent = lsq_linear(terms.T, -np.eye(d).ravel(), bounds=(0, 1), method="bvls", tol=1e-12)
    optimum = np.sqrt(2 * independent.cost / d)
    assert found.lower - 1e-9 <= optimum <= found.relaxed + 1e-6  # the descent may end before its limit


def test_on_a_layer_of_many_inputs_the_bounds_for_weights_meet():
    rng = np.random.default_rng(0)
    found = margin(rng.standard_normal((48, 12)), rng.standard_normal((12, 48)))
    assert found.relaxed - found.lower < 1e-6
    assert found.lower > 0.5


def test_a_planted_set_has_no_margin_and_the_bound_says_so():
    plant = planted(3, 7, rng=generator("test", "margin"))
    found = margin(plant.w_up, plant.w_down)
    assert found.lower <= found.relaxed < 1e-3
    assert margin(np.eye(3), -np.eye(3)).upper == 0


def test_the_odd_part_of_the_activation_counts():
    found = margin(np.eye(2), -2 * np.eye(2), odd=Fraction(1, 2))
    assert (found.upper, found.units) == (0, 2)
    assert margin(np.eye(2, dtype=np.float32), np.float32(-2) * np.eye(2), odd=Fraction(1, 2)).upper == 0


def test_the_odd_part_is_not_rounded_to_the_type_of_the_weights():
    column = np.float32([[-1 / 1.01]])
    found = margin(np.float32([[1]]), column, odd=Fraction("1.01"))
    assert found.upper == pytest.approx(abs(1 + 1.01 * float(column[0, 0])), rel=1e-6)


@pytest.mark.parametrize("scale", [0.0, 1e-9, 1.0, 1e9])
def test_the_lower_bound_is_one_whatever_the_rounding(scale):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        up, down = rng.standard_normal((4, 3)), scale * rng.standard_normal((3, 4))
        direction = np.diag(rng.uniform(1, 3, 3)) + 1e-3 * rng.standard_normal((3, 3))
        exact = to_fractions(direction)
        products = np.diag(to_fractions(down).T @ exact @ to_fractions(up).T)
        value = sum(np.diag(exact)) + sum(min(Fraction(0), product) for product in products)
        bound = Fraction(_dual(up, down, direction))
        assert bound == 0 or (value > 0 and bound**2 * (exact**2).sum() <= value**2)
        assert float(bound) >= float(value) / np.linalg.norm(direction) - 1e-12 * (1 + scale)


def test_the_set_is_looked_for_from_the_weights_that_were_found():
    plant = planted(3, 7, rng=generator("test", "margin0"))
    assert margin(plant.w_up, plant.w_down).upper == 0  # from the empty set no single flip helps
    rng = np.random.default_rng(9)
    w_up, w_down = rng.standard_normal((10, 2)), rng.standard_normal((2, 10))
    assert margin(w_up, w_down).upper == pytest.approx(nearest(w_up, w_down))


def test_nothing_near_is_the_empty_set():
    found = margin(np.eye(2), np.eye(2))
    assert (found.lower, found.relaxed, found.upper, found.units) == (pytest.approx(1), 1, 1, 0)


def test_numbers_beyond_floats_have_no_margin():
    assert margin(np.eye(2) * 1e200, np.eye(2)) is None
    assert margin([[10**400, 0], [0, 1]], [[1, 0], [0, 1]]) is None


def test_more_units_than_one_block():
    rng = np.random.default_rng(0)
    w_up, w_down = rng.standard_normal((1100, 2)), rng.standard_normal((2, 1100)) / 100
    found = margin(w_up, w_down)
    assert found.lower <= found.relaxed < 1e-6


def test_shapes_that_carry_no_identity_are_refused():
    with pytest.raises(InvalidInput, match=r"w_down must have shape \(2, 3\); got \(3, 3\)"):
        margin(np.ones((3, 2)), np.ones((3, 3)))


def test_flips_that_rounding_sends_in_circles_come_to_an_end():
    gram = np.array([[0.1, -3.0], [3.0, 0.1]])  # not symmetric: the second follows the first, which flees it
    bits = np.zeros(2, dtype=np.int8)
    flip(gram, np.array([-1.5, 1.5]), bits)
    assert set(bits.tolist()) <= {0, 1}
