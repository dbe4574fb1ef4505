"""One block without its skip: what its rounded weights realise, proved, measured, and seen to fail."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.checkpoints.skipless import without_skip
from skip_absorption.errors import InvalidInput, NotAbsorbable
from skip_absorption.exact.rational import to_fractions
from skip_absorption.measures import generator, planted
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu")


def random_mlp(d, n, *, act="gelu", biases=True, dtype=np.float32, rng=None, rank=None):
    rng = rng or generator("test", "skipless")
    rows = rng.standard_normal((n, d)) if rank is None else rng.integers(-9, 9, (n, rank)) @ np.eye(rank, d)
    arrays = [rows, rng.standard_normal((d, n))]
    arrays += [rng.standard_normal(n), rng.standard_normal(d)] if biases else [None, None]
    up, down, b_up, b_down = (None if a is None else a.astype(dtype) for a in arrays)
    return Mlp(up, down, act, b_up, b_down)


def changed(mlp, name, index):
    """Return an MLP with one weight moved by one unit in its last place."""
    arrays = {key: getattr(mlp, key) for key in ("w_up", "w_down", "b_up", "b_down")}
    array = arrays[name].copy()
    array[index] = np.nextafter(array[index], array.dtype.type(np.inf))
    return Mlp(activation=mlp.activation, **{**arrays, name: array})


@pytest.mark.parametrize("act", ACTIVATIONS)
@pytest.mark.parametrize("biases", [False, True])
def test_exact_weights_compute_the_same_function(act, biases):
    mlp = random_mlp(4, 9, act=act, biases=biases)
    found = without_skip(mlp, width="exact")
    assert (found.exact, found.twin.width, found.pairs) == (True, 9 + 2 * 4, 4)
    assert found.twin.w_up.dtype == found.twin.w_down.dtype == np.float32
    assert equal_functions(Residual(mlp), found.twin)


@pytest.mark.parametrize("act", ACTIVATIONS)
@pytest.mark.parametrize("biases", [False, True])
def test_rounded_weights_realise_what_is_said_and_nothing_else(act, biases):
    mlp = random_mlp(4, 9, act=act, biases=biases)
    found = without_skip(mlp)
    assert (found.exact, found.twin.width, len(found.doubled)) == (False, 9 + 4, 4)
    assert equal_functions(found.realised, found.twin)
    assert not equal_functions(Residual(mlp), found.twin)
    assert 0 < found.skip_error < Fraction(1, 10**5)
    assert found.column_error < Fraction(1, 10**5)
    for name, index in [("w_up", (2, 1)), ("w_down", (0, 3)), ("w_up", (12, 0)), ("w_down", (3, 12))]:
        assert not equal_functions(found.realised, changed(found.twin, name, index))
    if biases:
        assert not equal_functions(found.realised, changed(found.twin, "b_down", 0))
        assert not equal_functions(found.realised, changed(found.twin, "b_up", 10))


def test_the_residuals_are_those_of_the_realised_function():
    mlp = random_mlp(3, 7)
    found = without_skip(mlp)
    inner = found.realised.block
    skip = to_fractions(found.realised.skip) - np.eye(3, dtype=int)
    assert found.skip_error == max(abs(entry) for entry in skip.flat)
    assert found.skip_norm == pytest.approx(np.linalg.norm(skip.astype(float)))
    assert found.column_error == np.abs(to_fractions(inner.w_down) - to_fractions(mlp.w_down)).max()
    assert found.bias_error == np.abs(to_fractions(inner.b_down) - to_fractions(mlp.b_down)).max() > 0
    assert (inner.w_up == mlp.w_up).all()


def test_without_the_correction_of_the_bias_it_is_another_function():
    mlp = random_mlp(3, 7)
    twin = without_skip(mlp).twin
    uncorrected = Mlp(twin.w_up, twin.w_down, "gelu", twin.b_up, mlp.b_down)
    assert not equal_functions(without_skip(mlp).realised, uncorrected)
    x = generator("test", "points").standard_normal((20, 3))
    expected = Residual(mlp).float(x)
    assert np.abs(twin.float(x) - expected).max() < 1e-5
    assert np.abs(uncorrected.float(x) - expected).max() > 1e-2


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
def test_weights_are_values_of_the_type(dtype):
    mlp = random_mlp(4, 8, dtype=dtype)
    for width in ("minimal", "exact"):
        twin = without_skip(mlp, width=width, dtype=dtype).twin
        for array in (twin.w_up, twin.w_down, twin.b_up, twin.b_down):
            assert (array.astype(dtype).astype(array.dtype) == array).all()
    errors = [without_skip(mlp, dtype=kind).skip_error for kind in (np.float64, dtype)]
    assert errors[0] <= errors[1]


def test_planted_flips_are_found_and_cost_no_width():
    plant = planted(3, 6, rng=generator("test", "planted"))
    mlp = Mlp(plant.w_up.astype(np.float64), plant.w_down.astype(np.float64), "gelu")
    for width in ("minimal", "exact"):
        found = without_skip(mlp, width=width, dtype=np.float64)
        assert (found.twin.width, found.exact, found.pairs, found.doubled) == (6, True, 0, ())
        assert found.flipped
        assert equal_functions(Residual(mlp), found.twin)


@pytest.mark.parametrize("rank", [1, 2])
def test_rows_that_do_not_span_need_pairs(rank):
    mlp = random_mlp(3, 5, rank=rank)
    found = without_skip(mlp)
    assert (len(found.doubled), found.pairs) == (rank, 3 - rank)
    assert found.twin.width == mlp.width + rank + 2 * (3 - rank)
    assert equal_functions(found.realised, found.twin)


def test_a_basis_of_powers_of_two_is_exact_at_the_least_width():
    mlp = Mlp(np.diag([0.5, 2.0, 8.0]).astype(np.float32), 3 * np.eye(3, dtype=np.float32), "gelu")
    found = without_skip(mlp, width="exact")
    assert (found.twin.width, found.exact, found.pairs) == (6, True, 0)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(ACTIVATIONS), st.booleans())
def test_small_integer_weights(seed, act, biases):
    rng = np.random.default_rng(seed)
    up, down = rng.integers(-2, 3, (4, 2)).astype(np.float32), rng.integers(-2, 3, (2, 4)).astype(np.float32)
    b_up, b_down = (rng.integers(-2, 3, n).astype(np.float32) * biases for n in (4, 2))
    if act != "relu":
        b_up = np.where((up == 0).all(axis=1), np.float32(0), b_up)  # sigma(b) would be irrational
    mlp = Mlp(up, down, act, b_up, b_down)
    for width in ("minimal", "exact"):
        found = without_skip(mlp, width=width)
        assert equal_functions(found.realised, found.twin)
        assert found.exact == equal_functions(Residual(mlp), found.twin)
        assert found.exact or width == "minimal"
        assert found.twin.width >= found.lower


def test_what_no_floats_can_do_is_refused():
    mlp = random_mlp(2, 4, act="leaky_relu:1/4")
    with pytest.raises(NotAbsorbable, match="no weights in floating point"):
        without_skip(mlp, width="exact")
    assert not without_skip(mlp).exact
    half = without_skip(random_mlp(2, 4, act="leaky_relu:-1/2"), width="exact")  # 1 + s is a power of two
    assert half.exact
    with pytest.raises(InvalidInput, match="Proposition 1"):
        without_skip(random_mlp(2, 4, act="relu_squared"))
    with pytest.raises(InvalidInput, match="w_up must hold floats"):
        without_skip(Mlp([[1, 0], [0, 1]], np.eye(2), "relu"))
    with pytest.raises(InvalidInput, match="width must be one of minimal, exact"):
        without_skip(mlp, width="least")
