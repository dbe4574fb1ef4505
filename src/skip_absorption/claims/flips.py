"""Sign flips and dyad sums of small weights, in the plainest terms: the check on the decision procedure.

Nothing here calls the prover. Sums over a set of units are multiplied out over Q, and all sets are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.exact.rational import ExactArray, exact_matmul, to_fractions
from skip_absorption.networks.activations import Activation
from skip_absorption.networks.blocks import Mlp, Residual


@dataclass(frozen=True)
class Instance:
    """Weights of a block: W_up (N, d), W_down (m, N), σ = cz + E(z), c ≠ 0; the skip M (m, d), None for I."""

    w_up: ExactArray
    w_down: ExactArray
    act: Activation
    skip: ExactArray | None = None

    @property
    def odd(self) -> Fraction:
        """The number 2c with σ(z) − σ(−z) = 2cz."""
        assert self.act.odd is not None
        return self.act.odd

    @property
    def residual(self) -> Residual:
        """The function r(x) = Mx + W_down σ(W_up x)."""
        return Residual(Mlp(self.w_up, self.w_down, self.act), self.skip)

    def flipped(self, units: Sequence[int]) -> Mlp:
        """Return V = (C W_up, W_down), C = diag(±1) with −1 exactly on the units."""
        rows = to_fractions(self.w_up)
        rows[list(units)] = -rows[list(units)]
        return Mlp(rows, self.w_down, self.act)

    def sum_over(self, units: Sequence[int]) -> NDArray[Any]:
        """Return 2c·W_down[:, S] W_up[S, :] over Q."""
        chosen = list(units)
        total: NDArray[Any] = self.odd * exact_matmul(self.w_down[:, chosen], self.w_up[chosen])
        return total

    def first_set(self, target: ExactArray) -> tuple[int, ...] | None:
        """Return a set S with `sum_over` (S) = target, or None if there is none.

        Every S is tried: the sums over the sets of one half of the units are listed, and looked up from the
        sets of the other half. All is scaled to integers first.
        """
        wanted = to_fractions(target).ravel()
        rows, columns = to_fractions(self.w_up), to_fractions(self.w_down)
        dyads = [self.odd * np.outer(columns[:, i], rows[i]).ravel() for i in range(len(rows))]
        scale = lcm(*(x.denominator for vector in (wanted, *dyads) for x in vector))
        goal, *integers = (tuple(int(x * scale) for x in vector) for vector in (wanted, *dyads))
        half = len(integers) // 2
        listed = {total: units for units, total in _subsets(integers, range(half))}
        for units, total in _subsets(integers, range(half, len(integers))):
            rest = listed.get(tuple(g - t for g, t in zip(goal, total, strict=True)))
            if rest is not None:
                return rest + units
        return None


def _subsets(
    dyads: Sequence[tuple[int, ...]], units: range
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield every subset of the units with the sum of its dyads."""
    if not units:
        yield (), (0,) * len(dyads[0])
        return
    last = units[-1]
    for chosen, total in _subsets(dyads, units[:-1]):
        yield chosen, total
        yield (*chosen, last), tuple(t + x for t, x in zip(total, dyads[last], strict=True))
