"""The minimal examples of Section 3: where each hypothesis of Theorem 4 bites, as exact identities."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from skip_absorption.networks.activations import Activation
from skip_absorption.networks.blocks import GatedMlp, Mlp, Residual
from skip_absorption.networks.canonical import canonical_form, difference, equal_functions

HALF = Fraction(1, 2)
EXAMPLES = {
    "opposed rows": (
        [[1, 0], [-1, 0]],
        [[-1, 1], [0, 0]],
        [[0, 1], [0, -1]],
        [[0, 0], [1, -1]],
    ),
    "same-direction rows": (
        [[1, 0], [1, 0], [0, 1]],
        [[1, 1, 0], [0, 0, -1]],
        [[1, 0], [-1, 0], [0, -1]],
        [[3, -1, 0], [0, 0, -1]],
    ),
    "zero column": (
        [[1, 0], [0, 1], [1, 1]],
        [[2, 0, 0], [0, -1, 0]],
        [[1, 0], [-1, 0], [0, -1]],
        [[3, -1, 0], [0, 0, -1]],
    ),
    "zero row": (
        [[1, 0], [0, 1], [0, 0]],
        [[2, 0, 5], [0, -1, 7]],
        [[1, 0], [-1, 0], [0, -1]],
        [[3, -1, 0], [0, 0, -1]],
    ),
    "one dimension": ([[1], [1]], [[1, 1]], [[1], [-1]], [[3, -1]]),
    "a set with sum -2I that contains an absorbing one": (
        [[1, 0], [0, 1], [1, 1], [1, -1]],
        [[-1, 0, -HALF, -HALF], [0, -1, -HALF, HALF]],
        [[-1, 0], [0, -1], [1, 1], [1, -1]],
        [[-1, 0, -HALF, -HALF], [0, -1, -HALF, HALF]],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh", "silu"])
def test_example_is_absorbed_and_a_perturbed_copy_is_not(name: str, activation: str):
    w_up, w_down, v_up, v_down = EXAMPLES[name]
    r = Residual(Mlp(w_up, w_down, activation))
    assert equal_functions(r, Mlp(v_up, v_down, activation))
    assert difference(r, Mlp(v_up, v_down, activation)) is None
    for array in (v_up, v_down):
        changed = np.array(array, dtype=object)
        changed[0, 0] += Fraction(1, 10**30)
        v = Mlp(*((changed, v_down) if array is v_up else (v_up, changed)), activation)
        assert not equal_functions(r, v)
        assert difference(r, v) is not None


@pytest.mark.parametrize("activation", ["leaky_relu:1/100", "leaky_relu:-3"])
def test_leaky_relu_counts_each_dyad_two_c_times(activation: str):
    # One flip changes the linear part by (1 + slope) a w^T.
    slope = Fraction(activation.split(":")[1])
    w_down = [[-1 / (1 + slope), 0], [0, -1 / (1 + slope)]]
    r = Residual(Mlp([[1, 0], [0, 1]], w_down, activation))
    assert equal_functions(r, Mlp([[-1, 0], [0, -1]], w_down, activation))
    assert not equal_functions(r, Mlp([[-1, 0], [0, 1]], w_down, activation))


def test_identity_times_minus_two_is_not_absorbed_by_any_signs():
    w_down = [[-2, 0], [0, -2]]
    r = Residual(Mlp([[1, 0], [0, 1]], w_down, "relu"))
    for s in (1, -1):
        for t in (1, -1):
            assert not equal_functions(r, Mlp([[s, 0], [0, t]], w_down, "relu"))


def test_one_ulp_destroys_the_condition_for_that_set_only():
    ulp = float(np.nextafter(1.0, 2.0))
    w_up, w_down = np.array([[1.0, 0], [0, 1], [1, 1]]), np.array([[-1.0, 0, 5], [0, -1, 5]])
    flipped = w_up * [[-1], [-1], [1]]
    assert equal_functions(Residual(Mlp(w_up, w_down, "gelu")), Mlp(flipped, w_down, "gelu"))
    inside, outside = w_down.copy(), w_down.copy()
    inside[0, 0] *= ulp
    outside[0, 2] *= ulp
    assert not equal_functions(Residual(Mlp(w_up, inside, "gelu")), Mlp(flipped, inside, "gelu"))
    assert equal_functions(Residual(Mlp(w_up, outside, "gelu")), Mlp(flipped, outside, "gelu"))


def test_plus_identity_is_the_residual_free_side():
    # V is residual-free and equals a block with a skip iff some set of V sums to +I.
    v = Mlp([[1, 0], [0, 1]], [[1, 0], [0, 1]], "silu")
    assert equal_functions(v, Residual(Mlp([[-1, 0], [0, -1]], [[1, 0], [0, 1]], "silu")))


def test_biases_enter_the_output_bias_only():
    w_up, w_down, b = (
        [[1, 2], [3, 1]],
        [[Fraction(1, 5), Fraction(-2, 5)], [Fraction(-3, 5), Fraction(1, 5)]],
        [7, -2],
    )
    shift = [sum(a * t for a, t in zip(row, b, strict=True)) for row in w_down]
    for activation in ("relu", "gelu", "gelu_tanh", "silu"):
        r = Residual(Mlp(w_up, w_down, activation, b, [1, 1]))
        v_up, v_b = [[-x for x in row] for row in w_up], [-x for x in b]
        assert equal_functions(r, Mlp(v_up, w_down, activation, v_b, [1 + t for t in shift]))
        assert not equal_functions(r, Mlp(v_up, w_down, activation, v_b, [1, 1]))
        assert not equal_functions(r, Mlp(v_up, w_down, activation, b, [1 + t for t in shift]))


def test_sigmoid_gates_absorb():
    w_gate = [[1, 2], [-3, 1]]
    r = Residual(GatedMlp(w_gate, [[1, 0], [0, 1]], [[-1, 0], [0, -1]], "sigmoid"))
    v = GatedMlp([[-x for x in row] for row in w_gate], [[1, 0], [0, 1]], [[1, 0], [0, 1]], "sigmoid")
    silu = GatedMlp([[-x for x in row] for row in w_gate], [[1, 0], [0, 1]], [[1, 0], [0, 1]], "silu")
    for x in ([Fraction(1, 3), -2], [5, 1], [-1, Fraction(-7, 2)]):
        assert all(a.overlaps(b) for a, b in zip(r.ball(x), v.ball(x), strict=True))
        assert not all(a.overlaps(b) for a, b in zip(r.ball(x), silu.ball(x), strict=True))


def test_a_heaviside_gate_is_relu_and_absorbs():
    heaviside = Activation(
        name="heaviside",
        odd=None,
        even=None,
        kink_size=None,
        degree=Fraction(0),
        _float=lambda z: np.where(z > 0, 1.0, 0.0),
        _derivative=np.zeros_like,
        _ball=lambda z: z,
        _rational=lambda z: Fraction(int(z > 0)),
    )
    gated = GatedMlp([[1]], [[1]], [[-1]], heaviside)
    opposite = GatedMlp([[-1]], [[-1]], [[-1]], heaviside)
    relu = Mlp([[1]], [[-1]], "relu")
    for x in ([3], [-3], [0], [Fraction(1, 7)]):
        assert gated.rational(x).tolist() == relu.rational(x).tolist()
        assert Residual(gated).rational(x).tolist() == opposite.rational(x).tolist()
    assert gated.rational([3]).tolist() != Residual(gated).rational([3]).tolist()


def test_a_linear_activation_always_absorbs_what_fits_its_width():
    assert equal_functions(Residual(Mlp([[1]], [[2]], "identity")), Mlp([[1]], [[3]], "identity"))
    assert equal_functions(Mlp([[1]], [[3]], "leaky_relu:1"), Mlp([[1]], [[3]], "identity"))
    assert not equal_functions(Mlp([[1]], [[3]], "leaky_relu:2"), Mlp([[1]], [[3]], "identity"))


def test_an_even_activation_keeps_its_skip():
    r = Residual(Mlp([[1]], [[1]], "leaky_relu:-1"))
    assert canonical_form(r).linear.tolist() == [[2]]
    assert not equal_functions(r, Mlp([[1]], [[1]], "leaky_relu:-1"))
    assert equal_functions(r, Residual(Mlp([[-1]], [[1]], "leaky_relu:-1")))
