"""Derivatives at the origin, seen in balls as central difference quotients."""

from __future__ import annotations

from fractions import Fraction

from skip_absorption.exact.balls import ball
from skip_absorption.exact.rational import ExactArray, exact_matmul
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks.blocks import Block

STEP = Fraction(1, 2**60)  # of the difference quotient
BITS = 400  # the precision at which it is taken
CLOSE = Fraction(1, 2**60)  # how close to the derivative it must be


def quotient_is(block: Block, wanted: ExactArray, x: ExactArray) -> Verdict:
    """Decide that the central difference quotient of a block at 0 along x is within `CLOSE` of Jx."""
    import flint

    expected = exact_matmul(wanted, x[:, None])[:, 0]
    with flint.ctx.workprec(BITS):
        difference = (block.ball(STEP * x) - block.ball(-STEP * x)) / ball(2 * STEP)
        gaps = [abs(value - ball(want)) for value, want in zip(difference, expected, strict=True)]
        limit = ball(CLOSE)
        if all(gap < limit for gap in gaps):
            return Verdict.PROVED
        return Verdict.REFUTED if any(gap > limit for gap in gaps) else Verdict.UNKNOWN
