"""Activations: one frozen object each, with its value in floats, rationals and balls, and its parity split.

An activation of the ungated theory splits as sigma(z) = c*z + E(z) with E even; ``odd`` is 2c, so that
sigma(z) - sigma(-z) = odd*z. The even part is a kink, E(z) = kink_size*|z|/2 (ReLU, leaky ReLU), or
real-analytic and not a polynomial (both GELUs, SiLU). The gates of the paper need no such split.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from skip_absorption.errors import InvalidInput
from skip_absorption.networks import _values as values
from skip_absorption.networks._values import Floats

if TYPE_CHECKING:
    import flint

_SLOPE = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40}|[0-9]{1,40}/[0-9]{1,40})", re.ASCII)
_LONGEST = 10**400
_ALLOWED = "relu, leaky_relu:SLOPE, gelu, gelu_tanh, silu, relu_squared, sigmoid, identity"
_ABSORBING = "relu, leaky_relu:SLOPE (SLOPE not 1 or -1), gelu, gelu_tanh, silu"


@dataclass(frozen=True)
class Activation:
    """A scalar function applied to each preactivation.

    Attributes
    ----------
    name
        The specification that `activation` parses back to this object.
    odd
        The number 2c with sigma(z) - sigma(-z) = 2c*z for every z; None where there is none.
    even
        What the even part E is: ``"kink"``, ``"analytic"`` (and not a polynomial), or None where there is no
        parity split or E = 0.
    kink_size
        For a kink, the positive or negative number k with E(z) = k*|z|/2; otherwise None.
    degree
        The degree k with sigma(t*z) = t^k*sigma(z) for t > 0; None if not homogeneous.

    Notes
    -----
    The parity split is display (2) of the paper; kinks other than ReLU's carry their size so that two leaky
    ReLU networks of different slopes can be compared (X5).
    """

    name: str
    odd: Fraction | None
    even: Literal["kink", "analytic"] | None
    kink_size: Fraction | None
    degree: Fraction | None
    _float: Callable[[Floats], Floats] = field(repr=False, compare=False)
    _derivative: Callable[[Floats], Floats] = field(repr=False, compare=False)
    _ball: Callable[[flint.arb], flint.arb] = field(repr=False, compare=False)
    _rational: Callable[[Fraction], Fraction] | None = field(default=None, repr=False, compare=False)
    _derivative_ball: Callable[[flint.arb], flint.arb] | None = field(default=None, repr=False, compare=False)

    def float(self, z: Any) -> Floats:
        """Return the values at ``z`` in double precision, elementwise; no warning for large arguments."""
        with np.errstate(over="ignore", under="ignore"):
            return self._float(np.asarray(z, dtype=np.float64))

    def derivative_float(self, z: Any) -> Floats:
        """Return the derivative at ``z`` in double precision, elementwise (at a kink, from the left)."""
        with np.errstate(over="ignore", under="ignore"):
            return self._derivative(np.asarray(z, dtype=np.float64))

    @property
    def is_rational(self) -> bool:
        """Whether rational arguments have rational values that `rational` computes."""
        return self._rational is not None

    def rational(self, z: Fraction | int) -> Fraction:
        """Return the exact value at a rational.

        Raises
        ------
        InvalidInput
            If the activation has irrational values (GELU, SiLU, sigmoid).
        """
        if self._rational is None:
            raise InvalidInput("activation", "take rational values at rationals", self.name)
        return self._rational(Fraction(z))

    def ball(self, z: flint.arb) -> flint.arb:
        """Return an enclosure of the values on the ball ``z``, at the current ``flint.ctx.prec``."""
        return self._ball(z)

    def derivative_ball(self, z: flint.arb) -> flint.arb:
        """Return an enclosure of the derivative on the ball ``z``, at the current ``flint.ctx.prec``.

        Raises
        ------
        InvalidInput
            If the activation has a kink or its derivative is not implemented in balls.
        """
        if self._derivative_ball is None:
            raise InvalidInput("activation", "have a derivative in balls (gelu, gelu_tanh, silu)", self.name)
        return self._derivative_ball(z)


def leaky_relu(slope: Fraction | int | float | str) -> Activation:
    """Return z -> max(z, 0) + slope*min(z, 0).

    Parameters
    ----------
    slope
        Exact: a string such as ``"0.01"`` means 1/100, a float means the dyadic rational that it stores.

    Examples
    --------
    >>> leaky_relu("0.01").name, leaky_relu("0.01").odd
    ('leaky_relu:1/100', Fraction(101, 100))
    """
    s = _slope(slope)
    size = 1 - s
    return Activation(
        name=f"leaky_relu:{s}",
        odd=1 + s,
        even="kink" if size else None,
        kink_size=size if size else None,
        degree=Fraction(1),
        _float=lambda z: np.where(z > 0, z, float(s) * z),
        _derivative=lambda z: np.where(z > 0, 1.0, float(s)),
        _ball=lambda z: (values.arb(1 + s) * z + values.arb(size) * abs(z)) / 2,
        _rational=lambda z: z if z > 0 else s * z,
    )


def _slope(slope: Fraction | int | float | str) -> Fraction:
    if isinstance(slope, str):
        denominator = slope.partition("/")[2]
        if not _SLOPE.fullmatch(slope) or (denominator and int(denominator) == 0):
            raise InvalidInput("leaky_relu slope", 'be an exact number "p", "p/q" or a decimal', slope)
        return Fraction(slope)
    if isinstance(slope, bool) or not math.isfinite(slope):
        raise InvalidInput("leaky_relu slope", "be a finite number", slope)
    exact = Fraction(slope)
    if max(abs(exact.numerator), exact.denominator) >= _LONGEST:
        raise InvalidInput(
            "leaky_relu slope", "have at most 400 digits, since its name goes into files", "more"
        )
    return exact


_ONE, _TWO = Fraction(1), Fraction(2)

RELU = Activation(
    name="relu",
    odd=_ONE,
    even="kink",
    kink_size=_ONE,
    degree=_ONE,
    _float=lambda z: np.maximum(z, 0.0),
    _derivative=lambda z: np.where(z > 0, 1.0, 0.0),
    _ball=values.relu_ball,
    _rational=values.relu_rational,
)
GELU = Activation(
    name="gelu",
    odd=_ONE,
    even="analytic",
    kink_size=None,
    degree=None,
    _float=lambda z: z * values.ndtr(z),
    _derivative=values.gelu_derivative,
    _ball=values.gelu_ball,
    _derivative_ball=values.gelu_derivative_ball,
)
GELU_TANH = Activation(
    name="gelu_tanh",
    odd=_ONE,
    even="analytic",
    kink_size=None,
    degree=None,
    _float=values.gelu_tanh,
    _derivative=values.gelu_tanh_derivative,
    _ball=values.gelu_tanh_ball,
    _derivative_ball=values.gelu_tanh_derivative_ball,
)
SILU = Activation(
    name="silu",
    odd=_ONE,
    even="analytic",
    kink_size=None,
    degree=None,
    _float=lambda z: z * values.expit(z),
    _derivative=values.silu_derivative,
    _ball=lambda z: z * values.expit_ball(z),
    _derivative_ball=values.silu_derivative_ball,
)
RELU_SQUARED = Activation(
    name="relu_squared",
    odd=None,
    even=None,
    kink_size=None,
    degree=_TWO,
    _float=lambda z: np.maximum(z, 0.0) ** 2,
    _derivative=lambda z: 2 * np.maximum(z, 0.0),
    _ball=values.relu_squared_ball,
    _rational=lambda z: values.relu_rational(z) ** 2,
)
SIGMOID = Activation(
    name="sigmoid",
    odd=None,
    even=None,
    kink_size=None,
    degree=None,
    _float=values.expit,
    _derivative=values.expit_derivative,
    _ball=values.expit_ball,
)
IDENTITY = Activation(
    name="identity",
    odd=_TWO,
    even=None,
    kink_size=None,
    degree=_ONE,
    _float=lambda z: z.copy(),
    _derivative=np.ones_like,
    _ball=lambda z: z,
    _rational=lambda z: z,
)

ANALYTIC = (GELU, GELU_TANH, SILU)
"""Those with an analytic even part that the theory covers. All are 0 at 0, so that units with zero rows add
nothing: the canonical form and the least width leave them out."""

_NAMED = {a.name: a for a in (RELU, GELU, GELU_TANH, SILU, RELU_SQUARED, SIGMOID, IDENTITY)}


def activation(spec: str | Activation) -> Activation:
    """Return the activation that ``spec`` names.

    Parameters
    ----------
    spec
        ``relu``, ``leaky_relu:SLOPE`` (SLOPE is ``p``, ``p/q`` or a decimal, read exactly), ``gelu`` (erf
        form), ``gelu_tanh`` (GPT-2's form), ``silu``, ``relu_squared``, ``sigmoid``, ``identity``; or an
        `Activation`, which is returned as it is.

    Raises
    ------
    InvalidInput
        If the name is none of these.

    Examples
    --------
    >>> activation("leaky_relu:-1/2").rational(-4)
    Fraction(2, 1)
    """
    if isinstance(spec, Activation):
        return spec
    if isinstance(spec, str):
        if spec in _NAMED:
            return _NAMED[spec]
        name, colon, slope = spec.partition(":")
        if name == "leaky_relu" and colon:
            return leaky_relu(slope)
    raise InvalidInput("activation", f"be one of {_ALLOWED}", spec)


def absorbing(spec: str | Activation) -> Activation:
    """Return the activation if the ungated theory covers it: odd part not 0, even part a kink or analytic.

    Raises
    ------
    InvalidInput
        For an unknown name, and for an activation that another statement settles; the message says which.

    Notes
    -----
    Theorem 4, Proposition 8(i), X1 and X5 use sigma(z) - sigma(-z) = 2c*z with c != 0 and the linear
    independence of the even parts. At leaky slope 1 the map is linear; at slope -1 it is |z|, and an even
    map never absorbs a nonzero skip.
    """
    act = activation(spec)
    covered = act.even == "kink" or act in ANALYTIC
    if act.odd and covered:
        return act
    if act.odd and act.even is not None:
        reason = "it is not listed in ANALYTIC, which asks for the value 0 at 0"
    elif act.even is not None:
        reason = "an even activation absorbs no skip but 0"
    elif act.odd is not None:
        reason = (
            "with a linear activation the network is linear and absorbs iff its width is at least the rank"
        )
    elif act.degree is not None:
        reason = f"Proposition 1 covers degree {act.degree}: no nonzero skip is ever absorbed"
    else:
        reason = (
            "it has no such split; as a gate g it is covered by Proposition 2 and its converse, g(0) != 0"
        )
    raise InvalidInput("activation", f"be one of {_ABSORBING}", f"{act.name}: {reason}")
