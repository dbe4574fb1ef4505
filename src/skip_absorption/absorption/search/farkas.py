"""Refutation over the reals: a matrix Y that separates the target from every s in [0, 1]^N.

If ``tr(Y^T T) > sum_i max(0, a_i^T Y w_i)`` then no s in the cube gives T. A linear program in floats
proposes Y, the inequality is decided in integers. Source: X4.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.search.outcome import Reached, farkas_refutation
from skip_absorption.absorption.search.problem import SubsetProblem

_LARGEST_PROGRAM = 100_000  # entries of the dense matrix
_GRIDS = (
    2**10,
    2**30,
    2**50,
)  # denominators to which the float Y is rounded, coarse first: short certificates


def separates(problem: SubsetProblem, y: list[list[Fraction]]) -> bool:
    """Whether ``tr(Y^T T) > sum_i max(0, a_i^T Y w_i)``, exactly."""
    m, d = problem.shape
    common = math.lcm(*(entry.denominator for row in y for entry in row))
    values = [0] * problem.n
    right = 0
    for r in range(m):
        for c in range(d):
            if y[r][c]:
                factor = y[r][c].numerator * (common // y[r][c].denominator)
                right += factor * problem.goal[r, c]
                dyads = zip(problem.down[r], problem.up[:, c], strict=True)
                values = [v + factor * (a * w) for v, (a, w) in zip(values, dyads, strict=True)]
    return bool(right > sum(value for value in values if value > 0))


def farkas(problem: SubsetProblem, equations: list[tuple[int, int]], *, clock: Clock) -> Reached:
    """Look for a separating Y: first the target itself, then the optimum of a linear program.

    Parameters
    ----------
    problem
        The exact problem.
    equations
        The entries (row, column) on which Y may be nonzero.
    clock
        Limits the time of the linear program.
    """
    common = math.gcd(*problem.goal.flat) or 1
    cheap = [[Fraction(x, common) for x in row] for row in problem.goal]
    if np.count_nonzero(problem.goal) * problem.n <= _LARGEST_PROGRAM and separates(problem, cheap):
        return Reached("Farkas: the target itself separates", refutation=farkas_refutation(cheap))
    k, n = len(equations), problem.n
    if n * (k + n) > _LARGEST_PROGRAM:
        return Reached(f"Farkas: linear program of {k} + {n} variables not tried")
    floats, right, scales = _scaled(problem, equations)
    proposal = _proposal(floats, right, clock.remaining())
    if proposal is None:
        return Reached(f"Farkas: linear program of {k} + {n} variables finds no separation")
    m, d = problem.shape
    for grid in _GRIDS:
        y = [[Fraction(0)] * d for _ in range(m)]
        for (r, c), value, scale in zip(equations, proposal, scales, strict=True):
            y[r][c] += Fraction(round(value * grid), grid) * scale
        if separates(problem, y):
            return Reached("Farkas: a rational Y separates", refutation=farkas_refutation(y))
    return Reached("Farkas: the float Y does not separate exactly")


def _scaled(
    problem: SubsetProblem, equations: list[tuple[int, int]]
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Fraction]]:
    """Return float equations with entries of modulus at most 1, and the factors that gave them."""
    rows, right, scales = [], [], []
    for r, c in equations:
        coefficients, constant, factor = problem.primitive_equation(r, c)
        largest = max(abs(x) for x in [*coefficients, constant]) or 1
        rows.append([x / largest for x in coefficients])
        right.append(constant / largest)
        scales.append(Fraction(1, largest * factor))
    return np.array(rows).reshape(len(equations), problem.n), np.array(right), scales


def _proposal(
    rows: NDArray[np.float64], right: NDArray[np.float64], seconds: float
) -> NDArray[np.float64] | None:
    """Maximise ``right . y - sum_i u_i`` for ``|y_k| <= 1``, ``u_i >= max(0, (rows^T y)_i)`` in floats."""
    from scipy.optimize import linprog

    k, n = rows.shape
    if k == 0 or seconds <= 0:
        return None
    result = linprog(
        np.concatenate([-right, np.ones(n)]),
        A_ub=np.hstack([rows.T, -np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * k + [(0, None)] * n,
        method="highs",
        options={"time_limit": seconds},
    )
    if result.x is None or result.fun is None or result.fun > -1e-12:
        return None
    return np.asarray(result.x[:k])
