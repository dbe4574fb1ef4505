"""The constants c_k of X3 for any degree k, and their minimax property over all of [0, 1], in balls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.claims.homogeneous import Kind, relu_power
from skip_absorption.exact.balls import ball, decide_positive
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks.activations import Activation
from skip_absorption.networks.blocks import Mlp

if TYPE_CHECKING:
    import flint

BITS = 60
LOOSE = Fraction(1, 100)  # the slack with which maxima over all of [0, 1] are bounded
SLACK = Fraction(1, 10**6)  # the slack at single points


@dataclass(frozen=True)
class Constant:
    """Rational bounds of c_k, and what belongs to the degree."""

    k: Fraction
    low: Fraction
    high: Fraction

    def c(self) -> flint.arb:
        """Enclose c_k, to 60 bits at best."""
        return ball(self.low).union(ball(self.high))

    def scale(self) -> flint.arb:
        """Enclose the optimal λ."""
        return 1 + self.c() if self.k > 1 else 1 - self.c()

    def inner(self) -> flint.arb:
        """Enclose t* = c_k k/|k − 1|, where |t − λt^k| is largest beside t = 1."""
        return self.c() * ball(self.k / abs(self.k - 1))

    @property
    def kind(self) -> Kind:
        """ReLU^k blocks with these constants."""
        act = power(self.k)
        return Kind(act.name, self.k, lambda up, _, down: Mlp(up, down, act), self.c, self.inner)


@cache
def constant(k: Fraction) -> Constant:
    """Bisect the equation of X3 for c_k, whose left side increases from 0."""

    def above(c: Fraction) -> bool:
        def excess() -> flint.arb:
            x, e = ball(c), ball(k)
            if k > 1:
                return x ** (e - 1) * (1 + x) - (e - 1) ** (e - 1) / e**e
            return x ** (1 - e) - (1 - x) * e**e * (1 - e) ** (1 - e)

        return decide_positive(excess) is Verdict.PROVED

    low, high = Fraction(0), Fraction(1)
    while not above(high):
        high *= 2
    for _ in range(BITS):
        middle = (low + high) / 2
        low, high = (low, middle) if above(middle) else (middle, high)
    return Constant(k, low, high)


def power(k: Fraction) -> Activation:
    """Return z → max(z, 0)^k for any degree k > 0, in floats and balls."""

    def enclosed(z: flint.arb) -> flint.arb:
        import flint

        if z > 0:
            return z ** ball(k)
        top = z.abs_upper()
        return flint.arb(0) if z <= 0 else top ** ball(k) / 2 * (1 + flint.arb(0, 1))

    return replace(
        relu_power(Fraction(1, 2)),
        name=f"relu_power:{k}",
        degree=k,
        _float=lambda z: np.maximum(z, 0.0) ** float(k),
        _derivative=lambda z: float(k) * np.maximum(z, 0.0) ** float(k - 1),
        _ball=enclosed,
    )


def stays_below(function: Callable[[flint.arb], flint.arb], limit: flint.arb, *, depth: int = 14) -> bool:
    """Whether a function of t is below the limit on all of [0, 1]; wide balls are halved."""
    import flint

    def below(left: Fraction, right: Fraction, rest: int) -> bool:
        middle = (left + right) / 2
        if function(ball(middle) + ball((right - left) / 2) * flint.arb(0, 1)) < limit:
            return True
        return rest > 0 and below(left, middle, rest - 1) and below(middle, right, rest - 1)

    return below(Fraction(0), Fraction(1), depth)


@cache
def is_minimax(k: Fraction) -> bool:
    """Whether c_k is the minimax value and the dual maximum, over all of [0, 1], and other λ do worse."""
    import flint

    with flint.ctx.workprec(128):
        const, raise_ = constant(k), power(k).ball
        scale, inner = const.scale(), const.inner()
        below, above = ball(const.high * (1 + LOOSE)), ball(const.low * (1 - SLACK))
        primal = stays_below(lambda t: abs(t - scale * raise_(t)), below)
        dual = stays_below(lambda t: abs(t - raise_(t)) / (1 + raise_(t)), below)
        attained = abs(inner - raise_(inner)) / (1 + raise_(inner)) > above
        others = (scale * ball(1 + LOOSE), scale * ball(1 - LOOSE))
        worse = all(
            abs(1 - other) > ball(const.high) or abs(inner - other * raise_(inner)) > ball(const.high)
            for other in others
        )
        return bool(0 < inner < 1) and primal and dual and bool(attained) and worse
