"""Values and derivatives of the activations, in double precision without overflow and as Arb enclosures."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import flint

Floats: TypeAlias = NDArray[np.float64]

GPT2_CUBIC = Fraction(44715, 10**6)
"""The coefficient of z^3 in the tanh form of GELU."""

_SATURATED = 40.0  # beyond it every smooth activation here equals its limit to double precision


def arb(value: Fraction) -> flint.arb:
    import flint

    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def expit(z: Floats) -> Floats:
    from scipy import special

    return np.asarray(special.expit(z))


def expit_derivative(z: Floats) -> Floats:
    return expit(z) * expit(-z)


def expit_ball(z: flint.arb) -> flint.arb:
    return 1 / (1 + (-z).exp())


def ndtr(z: Floats) -> Floats:
    from scipy import special

    return np.asarray(special.ndtr(z))


def gelu_derivative(z: Floats) -> Floats:
    near = np.clip(z, -_SATURATED, _SATURATED)
    return ndtr(z) + near * np.exp(-(near**2) / 2) / math.sqrt(2 * math.pi)


def gelu_ball(z: flint.arb) -> flint.arb:
    import flint

    return z / 2 * (-z / flint.arb(2).sqrt()).erfc()


def gelu_derivative_ball(z: flint.arb) -> flint.arb:
    import flint

    density = (-z * z / 2).exp() / (2 * flint.arb.pi()).sqrt()
    return (-z / flint.arb(2).sqrt()).erfc() / 2 + z * density


def _gelu_tanh_argument(z: Floats) -> tuple[Floats, Floats]:
    """Return 2*sqrt(2/pi)*(z + 0.044715*z^3), with z clipped to where the result matters, and its slope."""
    near = np.clip(z, -_SATURATED, _SATURATED)
    scale, cubic = 2 * math.sqrt(2 / math.pi), float(GPT2_CUBIC)
    return scale * near * (1 + cubic * near**2), scale * (1 + 3 * cubic * near**2)


def gelu_tanh(z: Floats) -> Floats:
    return z * expit(_gelu_tanh_argument(z)[0])


def gelu_tanh_derivative(z: Floats) -> Floats:
    argument, slope = _gelu_tanh_argument(z)
    near = np.clip(z, -_SATURATED, _SATURATED)
    return expit(argument) + near * slope * expit_derivative(argument)


def gelu_tanh_ball(z: flint.arb) -> flint.arb:
    import flint

    # (1 + tanh u)/2 = 1/(1 + exp(-2u)), which loses no digits where tanh u is near -1.
    return z * expit_ball(2 * (2 / flint.arb.pi()).sqrt() * z * (1 + arb(GPT2_CUBIC) * z * z))


def gelu_tanh_derivative_ball(z: flint.arb) -> flint.arb:
    import flint

    scale, cubic = 2 * (2 / flint.arb.pi()).sqrt(), arb(GPT2_CUBIC)
    argument, slope = scale * z * (1 + cubic * z * z), scale * (1 + 3 * cubic * z * z)
    return expit_ball(argument) + z * slope * expit_ball(argument) * expit_ball(-argument)


def silu_derivative(z: Floats) -> Floats:
    return expit(z) + z * expit_derivative(z)


def silu_derivative_ball(z: flint.arb) -> flint.arb:
    return expit_ball(z) + z * expit_ball(z) * expit_ball(-z)


def relu_ball(z: flint.arb) -> flint.arb:
    return (z + abs(z)) / 2


def relu_squared_ball(z: flint.arb) -> flint.arb:
    # Arb's power is NaN on a ball around 0; its product is not.
    return relu_ball(z) * relu_ball(z)


def relu_rational(z: Fraction) -> Fraction:
    return max(z, Fraction(0))
