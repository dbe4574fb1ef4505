"""The prover: what it certifies, what it leaves UNKNOWN, and the size of the determinant."""

from dataclasses import replace

import flint
import numpy as np
import pytest

from skip_absorption.depth.analytic import (
    _log10,
    choose_minor,
    draw_layers,
    draw_points,
    numerical_rank,
    prove_minor,
    prove_rank,
)
from skip_absorption.depth.jacobian import Layer, float_jacobian
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.activations import GELU, SILU


@pytest.mark.parametrize("act", ["gelu", "gelu_tanh", "silu"])
@pytest.mark.parametrize(("d", "widths"), [(1, [1, 1]), (2, [2, 2]), (3, [1, 2]), (2, [1, 3, 2])])
def test_full_rank_is_certified(act, d, widths):
    rng = np.random.default_rng(2)
    layers = draw_layers(d, widths, rng=rng)
    found = prove_rank(layers, act, 2 * d * sum(widths), rng=rng)
    assert found is not None
    assert found.rank == found.parameters == 2 * d * sum(widths)
    assert found.activation == act


def test_the_determinant_is_that_of_floats():
    rng = np.random.default_rng(3)
    layers = draw_layers(2, [3, 2], rng=rng)
    found = prove_rank(layers, "silu", 20, rng=rng)
    points = np.array(found.points, dtype=object)
    minor = float_jacobian(layers, points, SILU, found.rows)[:, list(found.columns)]
    low, high = map(float, found.log10_determinant)
    assert low <= np.linalg.slogdet(minor)[1] / np.log(10) + 1e-6
    assert np.linalg.slogdet(minor)[1] / np.log(10) - 1e-6 <= high
    assert high - low < 1e-5


def test_the_minor_is_the_one_asked_for():
    rng = np.random.default_rng(8)
    layers = draw_layers(2, [2], rng=rng)
    found = prove_minor(layers, SILU, draw_points(5, 2, rng=rng), [9, 1, 2], [7, 0, 4])
    assert found is not None
    assert (found.rows, found.columns) == (((0, 1), (1, 0), (2, 1)), (0, 4, 7))  # of points 0, 1 and 4


def test_bounds_of_the_determinant_are_rounded_outwards():
    with flint.ctx.workprec(64):
        assert _log10(-flint.arb(10), 64) == ("0.999999", "1.000001")
        assert _log10(flint.arb("0.1 +/- 1e-9"), 64) == ("-1.000001", "-0.999999")


def test_a_smaller_minor_is_certified_where_the_rank_is_deficient():
    rng = np.random.default_rng(4)
    layers = draw_layers(2, [2, 2], rng=rng, skips=[None, None], small=1.0)
    assert prove_rank(layers, "gelu", 12, rng=rng).rank == 12
    assert prove_rank(layers, "gelu", 13, rng=rng, limit=128) is None


def test_equal_rows_stay_unknown():
    rng = np.random.default_rng(5)
    first, second = draw_layers(2, [2, 2], rng=rng)
    up = first.w_up.copy()
    up[1] = up[0]
    layers = [replace(first, w_up=up), second]
    assert prove_rank(layers, "gelu", 16, rng=rng) is None
    points = draw_points(16, 2, rng=rng)
    assert prove_minor(layers, GELU, points, range(16), range(16), limit=256) is None


def test_a_minor_that_floats_cannot_see_is_decided_at_a_higher_precision():
    layers = [Layer(np.array([[1], [2]], dtype=object), np.array([[1, 1]], dtype=object))]
    rng = np.random.default_rng(6)
    points = draw_points(4, 1, rng=rng) / 10**8  # four nearly equal points
    found = prove_minor(layers, SILU, points, range(4), range(4))
    assert found is not None
    assert found.bits > 64


def test_rows_are_chosen_independent():
    matrix = np.array([[1.0, 0], [2, 0], [0, 1e-3], [3, 1e-3]])
    assert choose_minor(matrix, 2) == ([2, 3], [0, 1])  # first the largest row, columns being of equal norm
    assert choose_minor(matrix[:2], 2) is None
    assert numerical_rank(matrix) == 2
    assert numerical_rank(matrix[:2]) == 1


@pytest.mark.parametrize("rank", [0, 17])
def test_the_rank_must_be_possible(rank):
    rng = np.random.default_rng(7)
    with pytest.raises(InvalidInput, match=r"rank must lie in 1..16"):
        prove_rank(draw_layers(2, [2, 2], rng=rng), "gelu", rank, rng=rng)
