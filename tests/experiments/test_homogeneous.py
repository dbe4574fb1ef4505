import numpy as np
import pytest

from skip_absorption.claims.homogeneous import RELU_SQUARED
from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.homogeneous import KINDS, run_size, segment_errors
from skip_absorption.results.schema import validate_table


def test_no_fit_passes_the_bound_and_wide_ones_come_near():
    table = validate_table("homogeneous", run_size(2, 3, targets=1, factors=[1, 4, 32]))
    assert set(table["activation"]) == set(KINDS)
    assert (table["least"] >= table["bound"] * (1 - 1e-6)).all()
    assert (table["greatest"] >= table["least"]).all()
    wide = table[table["width"] == 96]
    assert (wide["greatest"] < 1.1 * wide["bound"]).all()


def test_the_extremal_difference_reaches_the_bound():
    u = np.array([[0.6, 0.8], [1.0, 0.0]])
    c = float(RELU_SQUARED.constant())
    assert segment_errors(u, -(1 + c) * u, 2.0) == pytest.approx(c, rel=1e-6)
    for factor in (-1.1 * (1 + c), -0.9 * (1 + c), 0.0, 1.0):
        assert (segment_errors(u, factor * u, 2.0) > c * 1.01).all()


def test_segments_agree_with_a_direct_search():
    rng = np.random.default_rng(0)
    u = rng.standard_normal((20, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    f = rng.standard_normal((20, 3))
    t = np.linspace(0, 1, 20001)[:, None, None]
    direct = np.linalg.norm(t * u + t**2 * f, axis=2).max(axis=0)
    assert segment_errors(u, f, 2.0) == pytest.approx(direct, rel=1e-5)


def test_a_factor_below_one_is_refused():
    with pytest.raises(InvalidInput, match="factors must be at least 1; got 0"):
        run_size(2, 3, targets=1, factors=[0, 1])
