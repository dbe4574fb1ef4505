from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.errors import InvalidInput
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import canonical_form, equal_functions
from skip_absorption.networks.hypotheses import hypotheses
from skip_absorption.networks.reduction import Reduced, reduced

ACTIVATIONS = ["relu", "leaky_relu:1/10", "leaky_relu:-3", "gelu", "gelu_tanh", "silu"]
small = st.integers(-2, 2)


def as_block(small: Reduced, activation: str) -> Residual:
    return Residual(Mlp(small.u, small.P, activation, small.b_up, small.b_down), small.M0)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_the_reduction_is_the_same_function_and_generic(activation: str, data):
    n, d = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 2))

    def draw(*shape: int) -> list:
        values = data.draw(st.lists(small, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
        kind = data.draw(st.sampled_from([np.float32, np.float64, np.int64, object]))
        return np.array(values, dtype=kind).reshape(shape)

    w_up, w_down, skip, b_up, b_down = draw(n, d), draw(d, n), draw(d, d), draw(n), draw(d)
    if activation in ("gelu", "gelu_tanh", "silu"):
        b_up = np.where(np.any(w_up != 0, axis=1), b_up, 0)  # their constants are not rational
    b_up = data.draw(st.sampled_from([b_up, None]))
    found = reduced(w_up, w_down, activation, skip=skip, b_up=b_up, b_down=b_down)
    f = Residual(Mlp(w_up, w_down, activation, b_up, b_down), skip)
    form = canonical_form(f)
    assert found.width == len(form.classes) == len(found.units)
    assert found.constants == ()
    assert sorted(i for members in found.units for i in members) == sorted(
        {i for members in found.units for i in members}
    )
    if found.width:
        assert hypotheses(found.u, found.P, activation, found.b_up).generic
        assert equal_functions(f, as_block(found, activation))
    else:
        affine = Residual(Mlp(np.ones((1, d)), np.zeros((d, 1)), activation, None, found.b_down), found.M0)
        assert equal_functions(f, affine)


def test_a_generic_network_is_left_as_it_is():
    rng = np.random.default_rng(3)
    w_up, w_down = (
        rng.standard_normal((5, 3), dtype=np.float32),
        rng.standard_normal((3, 5), dtype=np.float32),
    )
    found = reduced(w_up, w_down, "relu", b_up=np.ones(5), b_down=np.ones(3))
    assert found.u.dtype == found.P.dtype == np.float32
    np.testing.assert_array_equal(found.u, w_up)
    np.testing.assert_array_equal(found.P, w_down)
    np.testing.assert_array_equal(found.M0, np.eye(3))
    np.testing.assert_array_equal(found.b_up, np.ones(5))
    np.testing.assert_array_equal(found.b_down, np.ones(3))
    assert found.units == ((0,), (1,), (2,), (3,), (4,))


def test_dtypes_widen_only_when_they_must():
    third = reduced(np.array([[3.0], [1.0]]), np.array([[1.0, 1.0]]), "relu", skip=[[0]])
    assert third.P.tolist() == [[Fraction(4, 3)]]
    half = reduced(np.array([[2.0], [1.0]]), np.array([[1.0, 1.0]], dtype=np.float32), "relu", skip=[[0]])
    assert half.P.dtype == np.float32
    assert half.P.tolist() == [[1.5]]
    wide = reduced(
        np.array([[1.0], [1.0]]), np.array([[1.0, 2.0**-40]], dtype=np.float32), "relu", skip=[[0]]
    )
    assert wide.P.dtype == np.float64
    whole = reduced([[1], [1]], np.array([[2, 3]]), "gelu", skip=[[0]])
    assert whole.P.dtype == np.int64
    over = reduced([[1], [1]], np.array([[2**62, 2**62]]), "gelu", skip=[[0]])
    assert over.P.tolist() == [[2**63]]
    huge = reduced([[1], [10**400]], np.array([[1.0, 1.0]]), "relu", skip=[[0]])
    assert huge.P.tolist() == [[10**400 + 1]]


def test_constants():
    relu = reduced([[0, 0], [1, 0]], [[1, 0], [2, 1]], "relu", b_up=[3, 0], b_down=[1, 1])
    assert relu.b_down.tolist() == [4, 7]
    assert relu.units == ((1,),)
    gelu = reduced([[0, 0], [1, 0], [0, 0]], [[1, 0, 5], [2, 1, 5]], "gelu", b_up=[3, 0, 0], b_down=[1, 1])
    assert gelu.constants == (0,)
    assert gelu.b_down.tolist() == [1, 1]
    opposed = reduced([[1], [-1]], [[1, 5]], "gelu", b_up=[2, -2])
    assert opposed.b_down.tolist() == [-10]
    assert opposed.M0.tolist() == [[1 - 5]]


def test_everything_may_cancel():
    found = reduced([[1, 0], [-1, 0]], [[1, -1], [0, 0]], "gelu")
    assert found.width == 0
    assert found.u.shape == (0, 2)
    assert found.P.shape == (2, 0)
    assert found.M0.tolist() == [[2, 0], [0, 1]]


def test_misuse():
    with pytest.raises(InvalidInput, match="skip must be given"):
        reduced([[1, 2]], [[1]], "relu")
    with pytest.raises(InvalidInput, match="w_down must have shape"):
        reduced([[1, 2]], [[1, 2]], "relu")
    with pytest.raises(InvalidInput, match="activation"):
        reduced([[1, 2]], [[1]], "sigmoid")
