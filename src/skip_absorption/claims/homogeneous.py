"""Homogeneous blocks of four kinds, and how far two of them differ (X3).

For δ = r − V with r = M + W and V, W homogeneous of degree k ≠ 1, along any ray with Mx ≠ 0:

    max(|δ(x)|, |δ(2x)|) ≥ |2^k − 2|/(1 + 2^k)·|Mx|   and   max(|δ(t*x)|, |δ(x)|) ≥ c_k|Mx|,

where t* ≤ 1 and c_k depend on k alone and cannot be improved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from skip_absorption.claims.running import any_of
from skip_absorption.exact.balls import ball, decide_positive
from skip_absorption.exact.rational import ExactArray, exact_matmul, identity, is_zero
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Block, GatedMlp, Mlp, Residual

if TYPE_CHECKING:
    import flint

SLACK = Fraction(1, 10**9)
"""Bounds are tried at 1 − SLACK of their value: strictly, so that balls decide them at extremal pairs too."""

CONSISTENT_BITS = 200


@dataclass(frozen=True)
class Kind:
    """A kind of homogeneous block: its degree k, how it is built, and the closed forms of c_k and t*.

    Attributes
    ----------
    build
        Takes two matrices (N, d) and one (q, N); ungated kinds ignore the second.
    constant, inner
        Enclose c_k and t* at the current precision.
    """

    name: str
    k: Fraction
    build: Callable[[ExactArray, ExactArray, ExactArray], Block]
    constant: Callable[[], flint.arb]
    inner: Callable[[], flint.arb]


def relu_power(k: Fraction) -> Activation:
    """Return z → max(z, 0)^k for k a positive integer, with rational values, or k = 1/2."""
    whole, power = k.denominator == 1, k.numerator

    def enclosed(z: flint.arb) -> flint.arb:
        positive = z.nonnegative_part()
        # Arb's power is NaN on a ball around 0; the product is not.
        return prod([positive] * (power - 1), start=positive) if whole else positive.sqrt()

    return replace(
        activation("relu_squared"),
        name=f"relu_power:{k}",
        degree=k,
        _float=lambda z: np.maximum(z, 0.0) ** float(k),
        _derivative=lambda z: float(k) * np.maximum(z, 0.0) ** float(k - 1),
        _ball=enclosed,
        _rational=(lambda z: max(z, Fraction(0)) ** power) if whole else None,
    )


def _sqrt_two() -> flint.arb:
    return ball(2).sqrt()


RELU_SQUARED = Kind(
    "ReLU²",
    Fraction(2),
    lambda up, _, down: Mlp(up, down, "relu_squared"),
    lambda: (_sqrt_two() - 1) / 2,
    lambda: _sqrt_two() - 1,
)
REGLU = replace(
    RELU_SQUARED, name="ReGLU", build=lambda gate, value, down: GatedMlp(gate, value, down, "relu")
)
RELU_CUBED = Kind(
    "ReLU³",
    Fraction(3),
    lambda up, _, down: Mlp(up, down, relu_power(Fraction(3))),
    lambda: ball(Fraction(1, 3)),
    lambda: ball(Fraction(1, 2)),
)
RELU_ROOT = Kind(
    "√ReLU",
    Fraction(1, 2),
    lambda up, _, down: Mlp(up, down, relu_power(Fraction(1, 2))),
    lambda: 3 - 2 * _sqrt_two(),
    lambda: 3 - 2 * _sqrt_two(),
)
KINDS = (RELU_SQUARED, REGLU, RELU_CUBED, RELU_ROOT)


def constants_are_consistent(kind: Kind) -> bool:
    """Whether the closed forms of c_k and t* satisfy the equations of X3 that define them, to 200 bits."""
    import flint

    with flint.ctx.workprec(CONSISTENT_BITS + 56):
        k, c, t = ball(kind.k), kind.constant(), kind.inner()
        if kind.k > 1:
            extremal, defining = 1 + c, c ** (k - 1) * (1 + c) - (k - 1) ** (k - 1) / k**k
        else:
            extremal, defining = 1 - c, c ** (1 - k) - (1 - c) * k**k * (1 - k) ** (1 - k)
        stationary = t - (extremal * k) ** (-1 / (k - 1))
        return all(x.contains(0) and x.rad() < 2.0**-CONSISTENT_BITS for x in (defining, stationary))


def squared(values: Any) -> Any:
    """Return the squared length of a vector of rationals or balls."""
    return sum(value * value for value in values)


def carried(block: Residual, x: ExactArray) -> ExactArray:
    """Return Mx over Q, of shape (q,)."""
    skip = identity(block.d_in) if block.skip is None else block.skip
    return exact_matmul(skip, x.reshape(-1, 1))[:, 0]


def squared_gap(left: Block, right: Block, x: ExactArray, scale: flint.arb) -> flint.arb:
    """Enclose |left(tx) − right(tx)|² at the current precision, for t in the ball ``scale``."""
    point = np.array([scale * ball(value) for value in x], dtype=object)
    gap: flint.arb = squared(left.ball(point) - right.ball(point))
    return gap


def witness(left: Block, right: Block, x: ExactArray, *, exact: bool) -> Verdict:
    """Decide that two functions differ at x or at 2x, over Q or in balls; PROVED exhibits the point."""
    if exact:
        return any_of(Verdict.of(not is_zero(left.rational(t * x) - right.rational(t * x))) for t in (1, 2))
    return any_of(decide_positive(partial(_gap_at, left, right, x, t)) for t in (1, 2))


def _gap_at(left: Block, right: Block, x: ExactArray, t: int) -> flint.arb:
    return squared_gap(left, right, x, ball(t))


def two_point_bound(left: Residual, right: Block, x: ExactArray, kind: Kind) -> Verdict:
    """Decide that max(|δ(x)|, |δ(2x)|) > (1 − SLACK)·|2^k − 2|/(1 + 2^k)·|Mx|."""

    def factor() -> flint.arb:
        power = ball(2) ** ball(kind.k)
        return abs(power - 2) / (1 + power)

    return _exceeds(left, right, x, (lambda: ball(1), lambda: ball(2)), factor)


def segment_bound(left: Residual, right: Block, x: ExactArray, kind: Kind) -> Verdict:
    """Decide that max(|δ(t*x)|, |δ(x)|) > (1 − SLACK)·c_k·|Mx|."""
    return _exceeds(left, right, x, (kind.inner, lambda: ball(1)), kind.constant)


def _exceeds(
    left: Residual,
    right: Block,
    x: ExactArray,
    scales: tuple[Callable[[], flint.arb], ...],
    factor: Callable[[], flint.arb],
) -> Verdict:
    reach = (1 - SLACK) ** 2 * squared(carried(left, x))

    def margin_at(scale: Callable[[], flint.arb]) -> Callable[[], flint.arb]:
        return lambda: squared_gap(left, right, x, scale()) - factor() ** 2 * ball(reach)

    return any_of(decide_positive(margin_at(scale)) for scale in scales)
