"""Values of networks at random rational points: over Q where they are rational, else to 200 bits in balls.

Agreement in balls proves nothing, but a wrong parity split or a wrong construction does not survive it.
"""

from __future__ import annotations

import numpy as np

from skip_absorption.exact.rational import is_zero
from skip_absorption.measures import rationals
from skip_absorption.networks.blocks import Block, GatedMlp, Mlp, Residual

BITS = 512
TIGHT = 2.0**-200


def agree_at_points(left: Block, right: Block, *, rng: np.random.Generator, count: int = 2) -> bool:
    """Whether two networks have the same values at random rational points."""
    import flint

    points = rationals((count, left.d_in), rng=rng)
    if _is_rational(left) and _is_rational(right):
        return is_zero(left.rational(points) - right.rational(points))
    with flint.ctx.workprec(BITS):
        gaps = (left.ball(points) - right.ball(points)).ravel()
        return all(gap.contains(0) and abs(gap) < TIGHT for gap in gaps)


def _is_rational(block: Block) -> bool:
    inner = block.block if isinstance(block, Residual) else block
    if isinstance(inner, Mlp):
        return inner.activation.is_rational
    return isinstance(inner, GatedMlp) and inner.gate.is_rational
