from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.errors import InvalidInput
from skip_absorption.networks.activations import ANALYTIC, absorbing, activation, leaky_relu
from skip_absorption.networks.blocks import Mlp
from skip_absorption.networks.canonical import canonical_form

NAMES = ["relu", "leaky_relu:1/10", "gelu", "gelu_tanh", "silu", "relu_squared", "sigmoid", "identity"]
ABSORBING = ["relu", "leaky_relu:1/10", "leaky_relu:-3", "gelu", "gelu_tanh", "silu"]
RATIONAL = ["relu", "leaky_relu:1/10", "relu_squared", "identity"]

points = st.fractions(min_value=-30, max_value=30, max_denominator=1000)


@pytest.fixture(autouse=True)
def _precision():
    before = flint.ctx.prec
    flint.ctx.prec = 100
    yield
    flint.ctx.prec = before


def arb(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=60)
@given(z=points)
def test_ball_float_and_rational_agree(name: str, z: Fraction):
    act = activation(name)
    ball = act.ball(arb(z))
    value = float(act.float(float(z)))
    assert abs(float(ball.mid()) - value) <= 1e-14 * max(1.0, abs(value))
    if act.is_rational:
        assert ball.overlaps(arb(act.rational(z)))


@pytest.mark.parametrize("name", ["gelu", "gelu_tanh", "silu"])
def test_smooth_values_against_their_definitions(name: str):
    act = activation(name)
    definitions = {
        "gelu": lambda z: z / 2 * (1 + (z / flint.arb(2).sqrt()).erf()),
        "gelu_tanh": lambda z: (
            z / 2 * (1 + ((2 / flint.arb.pi()).sqrt() * (z + arb(Fraction(44715, 10**6)) * z**3)).tanh())
        ),
        "silu": lambda z: z / 2 * (1 + (z / 2).tanh()),
    }
    for k in range(-20, 21):
        z = arb(Fraction(k, 3))
        assert act.ball(z).overlaps(definitions[name](z))
        assert not act.ball(z).overlaps(definitions[name](z) + arb(Fraction(1, 10**15)))


@pytest.mark.parametrize("name", [*ABSORBING, "identity", "leaky_relu:1", "leaky_relu:-1"])
@settings(deadline=None, max_examples=40)
@given(z=points)
def test_odd_part_is_linear(name: str, z: Fraction):
    act = activation(name)
    assert act.odd is not None
    difference = act.ball(arb(z)) - act.ball(arb(-z)) - arb(act.odd * z)
    assert difference.contains(0)
    assert z == 0 or not (difference + arb(z) / 1000).contains(0)


@pytest.mark.parametrize("name", ["relu", "leaky_relu:1/10", "leaky_relu:-1", "leaky_relu:-3"])
@given(z=points)
def test_kink_size(name: str, z: Fraction):
    act = activation(name)
    assert act.kink_size is not None
    assert act.rational(z) + act.rational(-z) == act.kink_size * abs(z)


@pytest.mark.parametrize("name", NAMES)
def test_declared_degree(name: str):
    act = activation(name)
    z, t = Fraction(7, 5), 3
    for sign in (1, -1):
        scaled, value = act.ball(arb(sign * t * z)), act.ball(arb(sign * z))
        if act.degree is not None:
            assert (scaled - value * t ** int(act.degree)).contains(0)
        elif sign == 1:
            assert not any((scaled - value * t**k).contains(0) for k in range(4))


@pytest.mark.parametrize("name", NAMES)
def test_derivative_against_differences(name: str):
    act = activation(name)
    z = np.array([-5.0, -1.3, -0.2, 0.1, 0.7, 2.0, 6.0])
    h = 1e-6
    numeric = (act.float(z + h) - act.float(z - h)) / (2 * h)
    np.testing.assert_allclose(act.derivative_float(z), numeric, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_floats_raise_no_warning_however_large(name: str):
    act = activation(name)
    z = np.array([-1e308, -1e200, -1e3, -0.0, 0.0, 1e-310, 1e3, 1e200, 1e308])
    value, slope = act.float(z), act.derivative_float(z)
    assert not np.isnan(value).any()
    assert not np.isnan(slope).any()
    if act.even == "analytic":
        np.testing.assert_array_equal(value[[0, 1, -2, -1]], [0.0, 0.0, 1e200, 1e308])
        np.testing.assert_array_equal(slope[[0, 1, -2, -1]], [0.0, 0.0, 1.0, 1.0])


def test_relative_accuracy_in_the_left_tail():
    for name in ("gelu", "gelu_tanh", "silu"):
        act = activation(name)
        exact = act.ball(flint.arb(-8))
        assert abs(float(act.float(-8.0)) / float(exact.mid()) - 1) < 1e-12


def test_slopes_are_exact():
    assert activation("leaky_relu:0.01").odd == Fraction(101, 100)
    assert activation("leaky_relu:1/100") == activation("leaky_relu:0.01")
    assert leaky_relu(0.1).odd == 1 + Fraction(0.1) != Fraction(11, 10)
    assert activation("leaky_relu:0.1").rational(Fraction(-5)) == Fraction(-1, 2)
    assert activation(leaky_relu("-.5").name) == leaky_relu(Fraction(-1, 2))


@pytest.mark.parametrize("name", NAMES)
def test_name_parses_back(name: str):
    act = activation(name)
    assert activation(act.name) == act
    assert activation(act) is act


@pytest.mark.parametrize("spec", ["ReLU", "", "tanh", "leaky_relu", "relu:2", 3, None])
def test_unknown_names_list_the_allowed(spec: object):
    with pytest.raises(
        InvalidInput, match=r"activation must be one of relu, leaky_relu:SLOPE, gelu, .*; got"
    ):
        activation(spec)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "slope", ["", "1/0", "x", "1e5", "1/2/3", "0x1", "٣", " 1", float("nan"), float("inf"), True]
)
def test_bad_slopes(slope: object):
    with pytest.raises(InvalidInput, match="leaky_relu slope must be"):
        leaky_relu(slope)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ABSORBING)
def test_absorbing_accepts(name: str):
    assert absorbing(name) == activation(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("leaky_relu:-1", "an even activation absorbs no skip but 0"),
        ("leaky_relu:1", "linear"),
        ("identity", "linear"),
        ("relu_squared", "Proposition 1 covers degree 2"),
        ("sigmoid", r"Proposition 2 and its converse, g\(0\) != 0"),
    ],
)
def test_absorbing_refuses_with_the_reason(name: str, reason: str):
    with pytest.raises(InvalidInput, match=reason) as error:
        absorbing(name)
    assert "\n" not in str(error.value)


def test_what_is_not_0_at_0_is_refused_although_its_parts_fit():
    # For softplus a unit with a zero row adds a constant, which the least width would leave out.
    softplus = replace(
        activation("silu"),
        name="softplus",
        _float=lambda z: np.logaddexp(0, z),
        _ball=lambda z: (1 + z.exp()).log(),
    )
    for decides in (absorbing, lambda act: canonical_form(Mlp([[1]], [[1]], act))):
        with pytest.raises(InvalidInput, match="got softplus"):
            decides(softplus)
    assert all(act.ball(flint.arb(0)).contains(0) and act.float(0.0) == 0 for act in ANALYTIC)


def test_irrational_activations_have_no_rational_value():
    with pytest.raises(InvalidInput, match="activation must take rational values at rationals; got gelu"):
        activation("gelu").rational(1)


@pytest.mark.parametrize("name", NAMES)
def test_wide_balls_are_enclosed_and_finite(name: str):
    act = activation(name)
    for middle in (-1, 0, 2):
        ball = act.ball(flint.arb(middle, 1))
        assert ball.is_finite()
        for k in range(-4, 5):
            assert ball.overlaps(act.ball(flint.arb(middle) + flint.arb(k) / 4))
