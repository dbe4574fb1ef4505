from fractions import Fraction

import numpy as np
import pytest

from skip_absorption.distributions import CONTINUOUS, DISCRETE, DISTRIBUTIONS, MIXED, distribution
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import rank
from skip_absorption.measures import generator

NAMES = [*DISTRIBUTIONS, "integers_3"]


def draw(name: str, count: int = 400, d: int = 3, n: int = 5):
    return distribution(name).draw((count, d, n), generator("test", name))


@pytest.mark.parametrize("name", NAMES)
def test_draws_have_their_shapes_and_repeat(name):
    up, down = draw(name)
    assert up.shape == (400, 5, 3)
    assert down.shape == (400, 3, 5)
    assert up.dtype == down.dtype == np.float64
    assert np.isfinite(up).all()
    assert np.isfinite(down).all()
    assert all((a == b).all() for a, b in zip(draw(name), (up, down), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_kinds_say_whether_values_repeat(name):
    kind = distribution(name).kind
    assert kind in {CONTINUOUS, MIXED, DISCRETE}
    values = np.concatenate([x.ravel() for x in draw(name)])
    repeated = 1 - len(np.unique(values)) / len(values)
    assert (repeated == 0) if kind == CONTINUOUS else (repeated > 0.3)


@pytest.mark.parametrize(
    ("name", "up", "down"),
    [
        ("gaussian", 1, 1),
        ("kaiming", 2 / 3, 2 / 5),
        ("lecun", 1 / 3, 1 / 5),
        ("xavier", 2 / 8, 2 / 8),
        ("orthogonal", 1 / 5, 1 / 5),
        ("correlated", 1, 1),
        ("sparse", 1 / 2, 1 / 2),
        ("ternary", 2 / 3, 2 / 3),
    ],
)
def test_entries_have_the_variance_of_their_name(name, up, down):
    for weights, variance in zip(draw(name, 4000), (up, down), strict=True):
        assert np.var(weights) == pytest.approx(variance, rel=0.1)
        assert abs(weights.mean()) < 0.05


def test_low_rank_is_exact():
    for up, down in zip(*draw("low_rank", 20), strict=True):
        assert rank(up) == rank(down) == 2


def test_frames_are_orthonormal_to_rounding():
    up, down = draw("orthogonal", 50)
    assert np.allclose(up.transpose(0, 2, 1) @ up, np.eye(3), atol=1e-14)
    assert np.allclose(down @ down.transpose(0, 2, 1), np.eye(3), atol=1e-14)


def test_rows_are_correlated_by_one_half():
    up, down = draw("correlated", 4000)
    assert np.mean(up[:, 0] * up[:, 1]) == pytest.approx(0.5, abs=0.05)
    assert np.mean(down[:, :, 0] * down[:, :, 3]) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("name", "step", "reach"), [("int8", 32, 128), ("int4", 4, 8), ("ternary", 1, 1), ("integers_3", 1, 3)]
)
def test_grids_are_kept(name, step, reach):
    for weights in draw(name, 4000):
        scaled = {Fraction(x) * step for x in np.unique(weights).tolist()}
        assert {x.denominator for x in scaled} == {1}
        assert min(scaled) == -reach
        assert max(scaled) >= reach - 1
        assert max(scaled) <= reach


@pytest.mark.parametrize(("name", "bits"), [("bfloat16", 8), ("float8", 4)])
def test_formats_keep_so_many_bits(name, bits):
    for weights in draw(name):
        mantissas = np.frexp(weights)[0] * 2**bits
        assert (mantissas == np.rint(mantissas)).all()


@pytest.mark.parametrize("name", ["gauss", "integers_0", "integers_-1", "integers_", "ternary_2"])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(InvalidInput, match=r"distribution must be one of gaussian, .*integers_B; got"):
        distribution(name)
