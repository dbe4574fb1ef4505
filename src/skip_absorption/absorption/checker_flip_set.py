"""The checker's comparison of odd * sum_{i in S} a_i w_i^T with -M over Q, in integers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.checker_integers import common_denominator, pack, scaled_integers

INT64_LIMIT = 1 << 62  # numbers up to it are compared in int64 arrays, others as Python integers
_ROWS = 64  # rows of the product at a time


def mismatched_row(up: NDArray[Any], down: NDArray[Any], skip: NDArray[Any], odd: Fraction) -> int | None:
    """Return the first row at which odd * down @ up and -skip differ, or None.

    Parameters
    ----------
    up, down, skip
        The rows (|S|, d) and columns (m, |S|) of the flip set, and M (m, d); exact arrays.

    Notes
    -----
    With the common denominators E, D, L of `down`, `up` and `skip`, and odd = p/q, both sides are multiplied
    by q E D L and compared as integers: p L sum_i (E a_i)(D w_i)^T and -q E D (L M).
    """
    scale_up, scale_down = (common_denominator(x) if x.size else 1 for x in (up, down))
    scale_skip = common_denominator(skip)
    left, right = odd.numerator * scale_skip, odd.denominator * scale_up * scale_down
    largest_up = [_largest(row, scale_up) for row in up]
    largest_down = [_largest(column, scale_down) for column in down.T]
    largest_skip = max(_largest(row, scale_skip) for row in skip)
    bound = right * largest_skip
    bound += abs(left) * sum(x * y for x, y in zip(largest_up, largest_down, strict=True))
    scaled = _Scaled(up, down, skip, scale_up, scale_down, scale_skip)
    if max(bound, abs(left), right, *largest_up, *largest_down) < INT64_LIMIT:
        return scaled.first_difference_in_int64(left, right)
    return scaled.first_difference(left, right, bound)


def _largest(values: NDArray[Any], scale: int) -> int:
    return int(abs(scaled_integers(values, scale)).max())


class _Scaled:
    def __init__(self, up: NDArray[Any], down: NDArray[Any], skip: NDArray[Any], *scales: int) -> None:
        self.up, self.down, self.skip = up, down, skip
        self.scale_up, self.scale_down, self.scale_skip = scales

    def first_difference_in_int64(self, left: int, right: int) -> int | None:
        """Every number, product and partial sum stays below 2^62 by the caller's bound."""
        up = np.empty(self.up.shape, dtype=np.int64)
        for k, row in enumerate(self.up):
            up[k] = scaled_integers(row, self.scale_up)
        for begin in range(0, len(self.skip), _ROWS):
            rows = slice(begin, begin + _ROWS)
            down = scaled_integers(self.down[rows], self.scale_down).astype(np.int64)
            skip = scaled_integers(self.skip[rows], self.scale_skip).astype(np.int64)
            wrong = (left * np.einsum("rk,kc->rc", down, up) + right * skip).any(axis=1)
            if wrong.any():
                return begin + int(np.argmax(wrong))
        return None

    def first_difference(self, left: int, right: int, bound: int) -> int | None:
        """Pack a row of the result into one integer, with slots so wide that equal integers mean equal slots.

        So each unit costs one product for each row of `down`.
        """
        slot = bound.bit_length() // 8 + 1  # bytes: |value| <= bound < 2^(8 slot - 1)
        sums = [0] * len(self.skip)
        for k, row in enumerate(self.up):
            packed = pack(scaled_integers(row, self.scale_up), slot)
            for r, a in enumerate(scaled_integers(self.down[:, k], self.scale_down)):
                if a:
                    sums[r] += a * packed
        for r, total in enumerate(sums):
            if left * total + right * pack(scaled_integers(self.skip[r], self.scale_skip), slot) != 0:
                return r
        return None
