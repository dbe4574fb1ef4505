"""A finder: a solution as a short vector of a lattice, after LLL reduction. It never refutes.

With C s = t the integer equations, the lattice spanned by the rows ``(2 e_i | 0 | K C_i)`` and
``(1 ... 1 | 1 | K t)`` holds ``(2s - 1 | -1 | 0)``, a shortest vector when the coefficients are long (low
density). LLL finds it in practice where all equations together have a few bits for each unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.search.outcome import Reached
from skip_absorption.absorption.search.problem import SubsetProblem

if TYPE_CHECKING:
    import flint

_SECONDS_PER_UNIT_CUBED_AND_BIT = 2e-9  # measured; only used to predict
_TRIALS = 8


def lattice(
    problem: SubsetProblem, entries: list[tuple[int, int]], *, rng: np.random.Generator, clock: Clock
) -> Reached:
    """Reduce the lattice of the equations at `entries` in random orders of the units.

    It is left out where one reduction, which cannot be interrupted, might take a tenth of the time left.
    """
    equations = [problem.equation(r, c) for r, c in entries]
    bits = sum(max(abs(x) for x in coefficients).bit_length() for coefficients, _ in equations)
    predicted = _SECONDS_PER_UNIT_CUBED_AND_BIT * problem.n**3 * (bits + problem.n)
    trials = 0
    while trials < _TRIALS and predicted <= clock.remaining() / 10:
        order = [int(i) for i in rng.permutation(problem.n)]
        subset = _short_vector(problem, _basis(equations, order).lll(), order)
        trials += 1
        if subset is not None:
            return Reached(f"lattice: found in LLL reduction {trials}", subset=subset)
    return Reached(f"lattice: {trials} LLL reductions of {problem.n + 1} rows found nothing")


def _basis(equations: list[tuple[list[int], int]], order: list[int]) -> flint.fmpz_mat:
    import flint

    n = len(order)
    weight = 1 << (n // 2 + 10)  # so large that a vector of the reduced basis is short only if it solves
    rows = [
        [2 * (i == j) for j in range(n)] + [0] + [weight * c[unit] for c, _ in equations]
        for i, unit in enumerate(order)
    ]
    rows.append([1] * (n + 1) + [weight * t for _, t in equations])
    return flint.fmpz_mat(rows)


def _short_vector(
    problem: SubsetProblem, reduced: flint.fmpz_mat, order: list[int]
) -> tuple[int, ...] | None:
    n = len(order)
    for k in range(reduced.nrows()):
        row = [int(reduced[k, j]) for j in range(n + 1)]
        if all(abs(x) == 1 for x in row):
            subset = problem.verified(unit for unit, x in zip(order, row, strict=False) if x == -row[n])
            if subset is not None:
                return subset
    return None
