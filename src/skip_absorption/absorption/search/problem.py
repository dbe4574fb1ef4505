"""The subset problem over the integers: one common scale, exact equations, exact verification."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.search.outcome import Subset
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray, exact_array, to_fractions


def validated(
    w_up: ExactArray, w_down: ExactArray, target: ExactArray
) -> tuple[ExactArray, ExactArray, ExactArray]:
    """Return the three as exact arrays of shapes (N, d), (m, N) and (m, d).

    Raises
    ------
    InvalidInput
        If the shapes do not fit, or an entry is not an exact finite number.
    """
    w_up, w_down = exact_array(w_up, name="w_up", ndim=2), exact_array(w_down, name="w_down", ndim=2)
    target = exact_array(target, name="target", ndim=2)
    n, d = w_up.shape
    if w_down.shape[1] != n:
        raise InvalidInput("w_down", f"have shape (m, {n}), a column for each row of w_up", w_down.shape)
    if target.shape != (w_down.shape[0], d):
        raise InvalidInput("target", f"have shape {(w_down.shape[0], d)}", target.shape)
    return w_up, w_down, target


@dataclass(frozen=True)
class SubsetProblem:
    """Find s in {0, 1}^N with ``sum_i s_i down[:, i] up[i, :] = goal``, all entries Python integers.

    Attributes
    ----------
    up, down, goal
        Object arrays of ``int`` of shapes (N, d), (m, N), (m, d).
    scale
        Every integer equation is `scale` times the equation between the given rationals.
    """

    up: NDArray[Any]
    down: NDArray[Any]
    goal: NDArray[Any]
    scale: int

    @classmethod
    def of(cls, w_up: ExactArray, w_down: ExactArray, target: ExactArray) -> SubsetProblem:
        """Scale exact weights and target to integers.

        Raises
        ------
        InvalidInput
            As `validated` does.
        """
        w_up, w_down, target = validated(w_up, w_down, target)
        up, up_scale = _integers(to_fractions(w_up))
        down, down_scale = _integers(to_fractions(w_down))
        goal, goal_scale = _integers(to_fractions(target) * (up_scale * down_scale))
        return cls(up, down * goal_scale, goal, up_scale * down_scale * goal_scale)

    @property
    def n(self) -> int:
        """The number of units N."""
        return int(self.up.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (m, d) of the target."""
        return int(self.goal.shape[0]), int(self.goal.shape[1])

    def equation(self, row: int, column: int) -> tuple[list[int], int]:
        """Return the coefficients and right side of one entry's equation, divided by their common factor."""
        coefficients, right, _ = self.primitive_equation(row, column)
        return coefficients, right

    def primitive_equation(self, row: int, column: int) -> tuple[list[int], int, int]:
        """Return `equation` and the factor that was divided out of the scaled equation."""
        coefficients = [x * y for x, y in zip(self.down[row], self.up[:, column], strict=True)]
        right = self.goal[row, column]
        factor = math.gcd(right, *coefficients) or 1
        return [c // factor for c in coefficients], right // factor, factor

    def solves(self, subset: Iterable[int]) -> bool:
        """Whether the subset solves, over Q."""
        import flint

        chosen = list(subset)
        m, d = self.shape
        if not chosen:
            return not any(self.goal.flat)
        down = flint.fmpz_mat(m, len(chosen), list(self.down[:, chosen].flat))
        up = flint.fmpz_mat(len(chosen), d, list(self.up[chosen].flat))
        return bool(down * up == flint.fmpz_mat(m, d, list(self.goal.flat)))

    def verified(self, ones: Iterable[int]) -> Subset | None:
        """Return the sorted subset if it solves over Q, else None."""
        subset = tuple(sorted(int(i) for i in ones))
        return subset if self.solves(subset) else None


def _integers(fractions: NDArray[Any]) -> tuple[NDArray[Any], int]:
    scale = math.lcm(*(x.denominator for x in fractions.flat))
    out = np.empty(fractions.shape, dtype=object)
    out.ravel()[:] = [x.numerator * (scale // x.denominator) for x in fractions.flat]
    return out, scale
