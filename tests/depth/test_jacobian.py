"""Jacobians against a slow oracle: dual numbers, one weight after the other."""

from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.depth.analytic import draw_layers, draw_points
from skip_absorption.depth.jacobian import Layer, ball_jacobian, float_jacobian, forward, jacobian
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import to_fractions
from skip_absorption.measures import integers
from skip_absorption.networks.activations import GELU, GELU_TANH, RELU, SILU

SMOOTH = (GELU, GELU_TANH, SILU)


@dataclass(frozen=True)
class Dual:
    """a + b·e with e² = 0: a value and its derivative."""

    value: Fraction
    slope: Fraction = Fraction(0)

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)


def duals(array):
    out = np.empty(array.shape, dtype=object)
    for where, value in np.ndenumerate(array):
        out[where] = Dual(Fraction(value))
    return out


def oracle(layers, points):
    """Differentiate with respect to one weight at a time, for σ(z) = z² + z."""
    columns = []
    plain = [layer.map(duals) for layer in layers]
    for number, layer in enumerate(plain):
        for name in ("w_up", "w_down"):
            for where, weight in np.ndenumerate(getattr(layer, name)):
                moved = getattr(layer, name).copy()
                moved[where] = Dual(weight.value, Fraction(1))
                parts = {"w_up": layer.w_up, "w_down": layer.w_down, name: moved}
                changed = [*plain[:number], Layer(**parts, skip=layer.skip), *plain[number + 1 :]]
                values = forward(changed, duals(points), lambda z: z * z + z)
                columns.append([value.slope for value in values.ravel()])
    return np.array(columns, dtype=object).T


@settings(deadline=None, max_examples=25)
@given(
    st.integers(1, 3),
    st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=3),
    st.data(),
)
def test_derivatives_are_those_of_dual_numbers(d, blocks, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))

    def draw(*shape):
        return to_fractions(integers(shape, rng=rng))

    layers = [Layer(draw(n, d), draw(d, n), draw(d, d) if skip else None) for n, skip in blocks]
    points = draw(2, d)
    found = jacobian(layers, points, lambda z: z * z + z, lambda z: 2 * z + 1)
    expected = oracle(layers, points)
    assert found.shape == expected.shape
    assert (found == expected).all()
    rows = [(1, d - 1), (0, 0)]
    chosen = jacobian(layers, points, lambda z: z * z + z, lambda z: 2 * z + 1, rows)
    assert (chosen == expected[[2 * d - 1, 0]]).all()


@pytest.mark.parametrize("act", SMOOTH, ids=lambda act: act.name)
def test_balls_enclose_what_floats_find(act):
    rng = np.random.default_rng(1)
    layers, points = draw_layers(2, [3, 1], rng=rng), draw_points(4, 2, rng=rng)
    floats = float_jacobian(layers, points, act)
    with flint.ctx.workprec(100):
        balls = ball_jacobian(layers, points, act)
        for where, ball in np.ndenumerate(balls):
            assert ball.rad() < 1e-20
            assert float(ball.mid()) == pytest.approx(floats[where], rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("act", SMOOTH, ids=lambda act: act.name)
@pytest.mark.parametrize("z", ["-7", "-0.3", "0", "1e-9", "0.7", "2", "11"])
def test_ball_derivatives_are_limits_of_differences(act, z):
    with flint.ctx.workprec(500):
        point, h = flint.arb(z), flint.arb(2) ** -100
        quotient = (act.ball(point + h) - act.ball(point - h)) / (2 * h)
        assert abs(quotient - act.derivative_ball(point)) < flint.arb(2) ** -190
        assert float(act.derivative_ball(point).mid()) == pytest.approx(
            float(act.derivative_float(float(z))), rel=1e-12, abs=1e-13
        )


def test_a_kink_has_no_derivative_in_balls():
    with pytest.raises(InvalidInput, match="activation must have a derivative in balls"):
        RELU.derivative_ball(flint.arb(1))
