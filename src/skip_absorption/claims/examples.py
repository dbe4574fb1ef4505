"""Small weights that break one hypothesis each, in any basis, with any activation, and with idle company.

A change of basis Q turns (W_up, W_down) into (W_up Q⁻¹, Q W_down): the question is the same, its numbers are
not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from skip_absorption.absorption.condition import Absorption
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import decide
from skip_absorption.claims.running import Case
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    from_fmpq_mat,
    identity,
    rank,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.measures import rationals
from skip_absorption.networks.activations import Activation
from skip_absorption.networks.blocks import Mlp
from skip_absorption.networks.canonical import equal_functions, hypotheses

PAIR = ([[0, 1], [0, -1]], [[0, 0], [1, -1]])
TRIPLE = ([[1, 0], [-1, 0], [0, -1]], [[3, -1, 0], [0, 0, -1]])


@dataclass(frozen=True)
class Broken:
    """Weights outside (G) that satisfy (3) for no set, and the V of the same width that absorbs."""

    name: str
    w_up: Sequence[Sequence[int]]
    w_down: Sequence[Sequence[int]]
    twin: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]]


BROKEN = (
    Broken("opposed rows", [[1, 0], [-1, 0]], [[-1, 1], [0, 0]], PAIR),
    Broken("rows of one direction", [[1, 0], [1, 0], [0, 1]], [[1, 1, 0], [0, 0, -1]], TRIPLE),
    Broken("a zero column", [[1, 0], [0, 1], [1, 1]], [[2, 0, 0], [0, -1, 0]], TRIPLE),
    Broken("a zero row", [[1, 0], [0, 1], [0, 0]], [[2, 0, 5], [0, -1, 7]], TRIPLE),
    Broken("d = 1", [[1], [1]], [[1, 1]], ([[1], [-1]], [[3, -1]])),
)


@dataclass(frozen=True)
class Frame:
    """A basis Q of R^d in which, and an activation with which, an example is taken."""

    q: ExactArray
    inverse: ExactArray
    act: Activation

    @classmethod
    def drawn(cls, d: int, act: Activation, *, rng: np.random.Generator) -> Frame:
        """Draw an invertible rational Q."""
        while True:
            q = rationals((d, d), rng=rng)
            if rank(q) == d:
                return cls(q, from_fmpq_mat(to_fmpq_mat(q).inv()), act)

    def weights(self, w_up: Any, w_down: Any) -> tuple[ExactArray, ExactArray]:
        """Return (W_up Q⁻¹, Q W_down/2c): with σ(z) − σ(−z) = 2cz, sums over units are as for c = 1/2."""
        assert self.act.odd is not None
        rows, columns = np.array(w_up, dtype=object), np.array(w_down, dtype=object)
        return exact_matmul(rows, self.inverse), exact_matmul(self.q, columns) / self.act.odd

    def instance(self, w_up: Any, w_down: Any) -> Instance:
        """Return the block with an identity skip."""
        return Instance(*self.weights(w_up, w_down), self.act)

    def mlp(self, w_up: Any, w_down: Any) -> Mlp:
        """Return the block without a skip."""
        return Mlp(*self.weights(w_up, w_down), self.act)


def absorbs_without_a_set(broken: Broken, frame: Frame, case: Case, company: int = 0) -> bool:
    """Whether (G) and (3) fail and the skip is absorbed, by the engine and by brute force.

    So many further units are added to both networks; where they make (3) hold they are drawn again.
    """
    given, twin = frame.instance(broken.w_up, broken.w_down), frame.mlp(*broken.twin)
    d = given.w_up.shape[1]
    if given.first_set(-identity(d)) is not None:
        return False
    while company:
        rows = rationals((company, d), rng=case.rng, bound=50)
        columns = rationals((d, company), rng=case.rng, bound=50)
        wider = Instance(*_with(given.w_up, given.w_down, rows, columns), given.act)
        if wider.first_set(-identity(d)) is None:
            given, twin = wider, Mlp(*_with(twin.w_up, twin.w_down, rows, columns), given.act)
            break
    condition = decide(given.w_up, given.w_down, activation=given.act, condition_only=True, rng=case.rng)
    decision = decide(given.w_up, given.w_down, activation=given.act, rng=case.rng)
    return (
        not hypotheses(given.w_up, given.w_down, given.act).generic
        and condition.verdict is Absorption.NOT_ABSORBABLE
        and decision.verdict is Absorption.ABSORBABLE
        and twin.width == len(given.w_up)
        and equal_functions(given.residual, twin)
    )


def _with(
    w_up: ExactArray, w_down: ExactArray, rows: ExactArray, columns: ExactArray
) -> tuple[ExactArray, ExactArray]:
    return np.concatenate([w_up, rows]), np.concatenate([w_down, columns], axis=1)


def further_units(instance: Instance) -> int:
    """Return k* of an instance with few units from its definition: every F and G is tried (X1)."""
    n, d = instance.w_up.shape
    rows, least = to_fractions(instance.w_up), 2 * d
    for kinds in product("-FG", repeat=n):
        flipped = [i for i, kind in enumerate(kinds) if kind == "F"]
        doubled = [i for i, kind in enumerate(kinds) if kind == "G"]
        rest = identity(d) + instance.sum_over(flipped)
        missing = rank(np.concatenate([to_fractions(rest), rows[doubled]])) - rank(rows[doubled])
        least = min(least, len(doubled) + 2 * missing)
    return int(least)


def spread(values: Sequence[int], *, rng: np.random.Generator) -> list[Fraction]:
    """Return distinct positive rationals, one for each of the values given, in their order."""
    steps = [Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 9))) for _ in values]
    return [sum(steps[: i + 1], Fraction(0)) for i in range(len(values))]
