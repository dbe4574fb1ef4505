"""Pairs of gated blocks, one with a skip, told apart near the origin: at a point, and on a whole interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from skip_absorption.claims.running import any_of
from skip_absorption.exact.balls import LIMIT, START, ball, decide_positive
from skip_absorption.exact.rational import ExactArray, exact_matmul, is_zero, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks.blocks import GatedMlp, Residual

if TYPE_CHECKING:
    import flint

GATES = ("silu", "gelu", "relu", "gelu_tanh", "identity")
SCALES = tuple(Fraction(1, 2**j) for j in range(0, 60, 3))


@dataclass(frozen=True)
class Pair:
    """A residual gated block r = M + W and a gated block V, to be told apart; M has shape (d, d)."""

    skip: ExactArray
    block: GatedMlp
    other: GatedMlp

    def differ_at(self, x: ExactArray, *, limit: int = LIMIT) -> Verdict:
        """Decide r(x) ≠ V(x): over Q if the gates have rational values, else by |δ(x)|² > 0 in balls."""
        left = Residual(self.block, self.skip)
        if self.block.gate.is_rational and self.other.gate.is_rational:
            return Verdict.of(not is_zero(left.rational(x) - self.other.rational(x)))
        return decide_positive(lambda: _squared(left.ball(x) - self.other.ball(x)), limit=limit)

    def witness(self, x: ExactArray, *, limit: int = LIMIT) -> Verdict:
        """Decide that r and V differ at tx for one of the `SCALES` t; PROVED exhibits it."""
        return any_of(self.differ_at(t * x, limit=limit) for t in SCALES)

    def interval(self, x: ExactArray, *, limit: int = START) -> Verdict:
        """Decide that, for one of the `SCALES` s, r(tx) ≠ V(tx) for *all* t with 0 < t ≤ s.

        One enclosure of |δ(tx)/t|² over the interval does it; more precision helps little.
        """
        skipped = exact_matmul(self.skip, x.reshape(-1, 1))[:, 0]
        slopes = [_slope(block, x) for block in (self.block, self.other)]

        def gap(scale: Fraction) -> flint.arb:
            import flint

            t = (1 + flint.arb(0, 1)) * ball(scale / 2)  # the interval [0, scale]
            carried = np.array([ball(value) for value in skipped], dtype=object)
            return _squared(carried + slopes[0](t) - slopes[1](t))

        return any_of(decide_positive(partial(gap, scale), limit=limit) for scale in SCALES)


def _slope(block: GatedMlp, x: ExactArray) -> Callable[[flint.arb], Any]:
    """Return t ↦ W_down(g(tW_gate x) ⊙ W_val x), which encloses MLP(tx)/t for all t > 0 in a ball."""
    column = x.reshape(-1, 1)
    gates = exact_matmul(block.w_gate, column)[:, 0]
    columns = to_fractions(block.w_down) * exact_matmul(block.w_val, column)[:, 0]

    def slope(t: flint.arb) -> Any:
        opened = np.array([block.gate.ball(t * ball(z)) for z in gates], dtype=object)
        return np.array([[ball(entry) for entry in row] for row in columns], dtype=object) @ opened

    return slope


def _squared(values: Any) -> flint.arb:
    total: flint.arb = sum(value * value for value in values)
    return total
