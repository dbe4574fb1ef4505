"""Inputs and affine maps in double precision, over Q, and in balls; the blocks are built on these."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray, exact_array, exact_matmul, to_fractions

if TYPE_CHECKING:
    import flint


def float_points(x: Any) -> NDArray[np.float64]:
    """Return an input or a batch of inputs as a double-precision array."""
    return np.asarray(x, dtype=np.float64)


def rational_points(x: Any) -> NDArray[Any]:
    """Return an exact input or batch as an object array of ``Fraction``."""
    single = np.asarray(x, dtype=object).ndim == 1
    return to_fractions(exact_array(x, name="x", ndim=1 if single else 2))


def ball_points(x: Any) -> NDArray[Any]:
    """Return an input or batch of numbers and balls as an object array of ``arb``."""
    return entrywise(_to_ball, np.array(x, dtype=object))


def _to_ball(value: Any) -> flint.arb:
    import flint

    if isinstance(value, Fraction):
        return flint.arb(flint.fmpq(value.numerator, value.denominator))
    return flint.arb(value if isinstance(value, int | flint.arb | flint.fmpq) else float(value))


def entrywise(function: Callable[[Any], Any], values: NDArray[Any]) -> NDArray[Any]:
    """Apply a scalar function to every entry; the result is an object array of the same shape."""
    out = np.empty(values.shape, dtype=object)
    for where, value in np.ndenumerate(values):
        out[where] = function(value)
    return out


def float_affine(
    points: NDArray[np.float64], weights: ExactArray, bias: ExactArray | None = None
) -> NDArray[np.float64]:
    """Return points @ weights.T + bias in double precision."""
    values: NDArray[np.float64] = points @ _doubles(weights).T
    return values if bias is None else values + _doubles(bias)


def _doubles(weights: ExactArray) -> NDArray[np.float64]:
    try:
        return np.asarray(weights, dtype=np.float64)
    except OverflowError:
        raise InvalidInput("weights", "fit in double precision to be evaluated in floats", "larger") from None


def rational_affine(
    points: NDArray[Any], weights: ExactArray, bias: ExactArray | None = None
) -> NDArray[Any]:
    """Return points @ weights.T + bias over Q."""
    values = exact_matmul(points, weights.T)
    return values if bias is None else values + to_fractions(bias)


def ball_affine(points: NDArray[Any], weights: ExactArray, bias: ExactArray | None = None) -> NDArray[Any]:
    """Return points @ weights.T + bias in balls."""
    import flint

    left = flint.arb_mat(points.tolist())
    right = flint.arb_mat(entrywise(_to_ball, to_fractions(weights.T)).tolist())
    values = np.array((left * right).tolist(), dtype=object).reshape(len(points), len(weights))
    return values if bias is None else values + entrywise(_to_ball, to_fractions(bias))
