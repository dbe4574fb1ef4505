"""Checks certificates of a rank by its own means: integers alone, another precision, another method.

Nothing of the prover's code is used. The minor is computed in fixed-point intervals; an approximate inverse
R, found in floats and then taken as exact, must satisfy ‖I − R J‖ < 1 in the row-sum norm for every matrix
J within the intervals. Then R J is invertible, and so is J.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.depth import intervals
from skip_absorption.depth.certificate import Certificate, Matrix, from_json
from skip_absorption.depth.intervals import PLACES, Interval, exact
from skip_absorption.errors import InvalidInput

ONE, ZERO = exact(1), exact(0)
INVERSE_PLACES = 64
SLACK = 1e-6  # between the prover's decimals and this program's floats

Row = list[Interval]


@dataclass(frozen=True)
class Outcome:
    """What the checker says: whether it accepts, and why not; what was proved, and how clearly.

    Attributes
    ----------
    rank, parameters
        The rank that is proved (0 if none), and the number of weights.
    distance
        The bound of ‖I − R J‖, below 1 if accepted.
    """

    accepted: bool
    reason: str
    rank: int = 0
    parameters: int = 0
    distance: float = float("inf")

    @property
    def is_full(self) -> bool:
        """Whether the rank proved is the number of all weights."""
        return self.accepted and self.rank == self.parameters


def check(data: Any) -> Outcome:
    """Check the JSON form of a certificate; a flawed one is an outcome, not an error."""
    try:
        certificate = from_json(data)
        minor = _minor(certificate)
    except InvalidInput as error:
        return Outcome(False, f"malformed: {error}")
    distance, log10 = _distance_and_size(minor)
    low, high = map(float, certificate.log10_determinant)
    if not distance < 1:
        return Outcome(False, "the minor is not proved invertible", distance=distance)
    if not low - SLACK <= log10 <= high + SLACK:
        return Outcome(False, "the determinant is not the one that is stated", distance=distance)
    return Outcome(True, "", certificate.rank, certificate.parameters, distance)


def _activation(name: str, z: Interval) -> tuple[Interval, Interval]:
    """Return enclosures of σ(z) and σ'(z)."""
    if name == "gelu":
        below = intervals.normal(z)
        return z * below, below + z * intervals.density(z)
    if name == "silu":
        p = intervals.logistic(z)
        return z * p, p + z * p * (ONE - p)
    if name == "gelu_tanh":
        cubic, twice = exact(Fraction(44715, 10**6)), exact(2) * intervals.root_two_over_pi()
        squared = intervals.square(z)
        p = intervals.logistic(twice * z * (ONE + cubic * squared))
        slope = twice * (ONE + exact(3) * cubic * squared)
        return z * p, p + z * slope * p * (ONE - p)
    raise InvalidInput("activation", "be one of gelu, gelu_tanh, silu", name)


def _enclosed(matrix: Matrix) -> list[Row]:
    return [[exact(value) for value in row] for row in matrix]


def _times(matrix: list[Row], vector: Row) -> Row:
    return [_dot(row, vector) for row in matrix]


def _dot(left: Sequence[Interval], right: Sequence[Interval]) -> Interval:
    return reduce(lambda total, pair: total + pair[0] * pair[1], zip(left, right, strict=True), ZERO)


def _minor(certificate: Certificate) -> list[Row]:
    """Return the minor in intervals, one row a pair (point, coordinate)."""
    tables = {p: _derivatives(certificate, p) for p in sorted({p for p, _ in certificate.rows})}
    return [[tables[p][c][index] for index in certificate.columns] for p, c in certificate.rows]


def _derivatives(certificate: Certificate, point: int) -> list[Row]:
    """Return the derivatives of every output coordinate at one point, in the order of the columns.

    Block by block, from the last to the first, `outer` is the d × d derivative of all blocks after it.
    """
    x = [exact(value) for value in certificate.points[point]]
    d, steps = len(x), []
    for block in certificate.blocks:
        up, down = _enclosed(block.w_up), _enclosed(block.w_down)
        pairs = [_activation(certificate.activation, z) for z in _times(up, x)]
        steps.append((block, up, down, x, pairs))
        y = _times(down, [value for value, _ in pairs])
        if block.skip is not None:
            y = [a + b for a, b in zip(y, _times(_enclosed(block.skip), x), strict=True)]
        x = y
    outer = [[ONE if i == j else ZERO for j in range(d)] for i in range(d)]
    results: list[list[Row]] = []
    for block, up, down, x, pairs in reversed(steps):
        columns = list(zip(*down, strict=True))
        found = []
        for row in outer:
            slopes = [_dot(row, column) * slope for column, (_, slope) in zip(columns, pairs, strict=True)]
            first = [slope * coordinate for slope in slopes for coordinate in x]
            found.append(first + [entry * value for entry in row for value, _ in pairs])
        results.append(found)
        # The derivative of the block: its skip and Σ_i (column i of W_down) σ'(z_i) (row i of W_up).
        skip = [[ZERO] * d for _ in range(d)] if block.skip is None else _enclosed(block.skip)
        inner = [
            [
                skip[r][k] + _dot([down[r][i] * pairs[i][1] for i in range(len(up))], [row[k] for row in up])
                for k in range(d)
            ]
            for r in range(d)
        ]
        outer = [[_dot(row, column) for column in zip(*inner, strict=True)] for row in outer]
    return [[entry for found in reversed(results) for entry in found[c]] for c in range(d)]


def _distance_and_size(minor: list[Row]) -> tuple[float, float]:
    """Return a bound of ‖I − R J‖ for all J in the intervals, and log₁₀ |det J| in floats.

    Rows and columns are scaled by powers of two, which changes nothing but the quality of R.
    """
    try:
        middle = np.array([[(x.lo + x.hi) / (2 << PLACES) for x in row] for row in minor], dtype=np.float64)
    except OverflowError:  # beyond 10^308
        return float("inf"), float("inf")
    row_shifts = _shifts(middle)
    column_shifts = _shifts(np.ldexp(middle, row_shifts[:, None]).T)
    shifts = row_shifts[:, None] + column_shifts[None, :]
    try:
        inverse = np.linalg.inv(np.ldexp(middle, shifts))
    except np.linalg.LinAlgError:
        return float("inf"), float("-inf")
    log10 = float(np.linalg.slogdet(np.ldexp(middle, shifts))[1]) / float(np.log(10))
    log10 -= float(shifts.trace()) * float(np.log10(2))
    if not np.isfinite(inverse).all() or np.abs(inverse).max() > 2.0**40:
        return float("inf"), log10
    n = len(minor)
    low, high = np.empty((n, n), dtype=object), np.empty((n, n), dtype=object)
    for i, row in enumerate(minor):
        for j, x in enumerate(row):
            low[i, j], high[i, j] = _shifted(x.lo, int(shifts[i, j])), -_shifted(-x.hi, int(shifts[i, j]))
    approximate = _integers(np.ldexp(inverse, INVERSE_PLACES))
    scale = 1 << (PLACES + INVERSE_PLACES + 1)
    rest = -(approximate @ (low + high))  # at one place more, since low + high is twice the middle
    for i in range(n):
        rest[i, i] += scale
    bound = abs(rest) + abs(approximate) @ (high - low)
    largest = max(int(total) for total in bound.sum(axis=1))
    if largest >= scale:  # such a bound may be too large for a float
        return float("inf"), log10
    return (largest // (1 << PLACES) + 1) / (1 << (INVERSE_PLACES + 1)), log10


def _shifts(matrix: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the powers of two that bring the largest entry of each row near 1."""
    exponents: NDArray[np.int64] = np.frexp(np.abs(matrix).max(axis=1))[1].astype(np.int64)
    return -exponents


def _shifted(value: int, shift: int) -> int:
    """Return value·2^shift, rounded down."""
    return value << shift if shift >= 0 else value >> -shift


def _integers(matrix: NDArray[np.float64]) -> NDArray[Any]:
    return np.array([[int(value) for value in row] for row in np.rint(matrix)], dtype=object)


def _entries(data: Any) -> list[Any]:
    if isinstance(data, dict) and "cases" in data:
        found = [case["certificate"] for case in data["cases"]]
        return [entry for entry in found if entry is not None]
    return data if isinstance(data, list) else [data]


def main(paths: Sequence[str]) -> int:
    """Check files of certificates and print a line for each one; return 1 if one was rejected.

    A file holds one certificate, a list of them, or ``{"cases": [{"certificate": …}, …]}``, null for none.
    """
    rejected = 0
    for path in paths:
        for number, entry in enumerate(_entries(json.loads(Path(path).read_text(encoding="utf-8")))):
            outcome = check(entry)
            rejected += not outcome.accepted
            found = (
                f"rank {outcome.rank} of {outcome.parameters} weights" if outcome.accepted else outcome.reason
            )
            print(f"{path}, {number}: {'accepted' if outcome.accepted else 'REJECTED'}, {found}")
    return int(rejected > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
