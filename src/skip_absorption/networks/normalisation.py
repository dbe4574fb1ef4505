"""LayerNorm and RMSNorm, in floats and in balls; their values are not rational."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray, exact_array
from skip_absorption.networks._evaluation import ball_points, entrywise
from skip_absorption.networks.blocks import Block


@dataclass(frozen=True, eq=False, init=False)
class Norm(Block):
    """A normalisation of the residual stream: LayerNorm if it has a bias, RMSNorm if it has none.

    With a bias, x -> gain * (x - m)/sqrt(|x - m|^2/d + epsilon) + bias, m the mean of the entries of x;
    without, x -> gain * x/sqrt(|x|^2/d + epsilon). Products are taken entry by entry.

    Parameters
    ----------
    gain, bias
        (d,), exact; None for RMSNorm. A LayerNorm without a bias has the bias 0.
    epsilon
        A positive rational.
    """

    gain: ExactArray
    bias: ExactArray | None
    epsilon: Fraction

    def __init__(self, gain: Any, bias: Any = None, epsilon: Fraction = Fraction(1, 10**5)) -> None:
        gains = exact_array(gain, name="gain", ndim=1)
        shift = None if bias is None else exact_array(bias, name="bias", ndim=1)
        if shift is not None and shift.shape != gains.shape:
            raise InvalidInput("bias", f"have shape {gains.shape}", shift.shape)
        if not epsilon > 0:
            raise InvalidInput("epsilon", "be positive", epsilon)
        object.__setattr__(self, "gain", gains)
        object.__setattr__(self, "bias", shift)
        object.__setattr__(self, "epsilon", Fraction(epsilon))

    @property
    def d_in(self) -> int:
        """The dimension of the stream."""
        return len(self.gain)

    @property
    def d_out(self) -> int:
        """The dimension of the stream."""
        return len(self.gain)

    def _float(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        gain, bias = self.gain.astype(np.float64), None if self.bias is None else self.bias.astype(np.float64)
        centred = points if bias is None else points - points.mean(axis=1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + float(self.epsilon))
        values: NDArray[np.float64] = gain * centred / scale
        return values if bias is None else values + bias

    def _rational(self, points: NDArray[Any]) -> NDArray[Any]:
        raise InvalidInput("block", "take rational values at rationals", "a normalisation")

    def _ball(self, points: NDArray[Any]) -> NDArray[Any]:
        d = self.d_in
        centred = points if self.bias is None else points - points.sum(axis=1, keepdims=True) / d
        square = (centred * centred).sum(axis=1, keepdims=True) / d + ball_points([self.epsilon])
        values = ball_points(self.gain) * centred / entrywise(lambda z: z.sqrt(), square)
        return np.asarray(values if self.bias is None else values + ball_points(self.bias))
