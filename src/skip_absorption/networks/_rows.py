"""Exact classes of rows: which rows span one line, and which are equal or opposed.

A line is named by its primitive integer vector: entries coprime, the first nonzero one positive. Every
finite float is an integer over a power of two, so rows of floats have one too, and nothing here is rounded.
Large arrays are compared by growing prefixes: rows on one line have prefixes on one line (or zero prefixes),
so a row whose prefix shares its class with no other row is settled after a few entries.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.exact.rational import ExactArray, to_fractions

Number: TypeAlias = int | float | Fraction
"""An exact number; a float is the dyadic rational that it stores. Equal numbers have equal hashes."""

_PREFIXES = (4, 64)
_BLOCK = 1 << 20  # entries handled at once
_SAFE = 1 << 62  # int64 arithmetic stays below


def integer_vector(values: Iterable[Number]) -> tuple[list[int], int]:
    """Return integers n and the least positive integer q with values = n/q.

    Examples
    --------
    >>> integer_vector([0.5, Fraction(1, 3), 2])
    ([3, 2, 12], 6)
    """
    ratios = [value.as_integer_ratio() for value in values]
    q = math.lcm(*[denominator for _, denominator in ratios])
    return [numerator * (q // denominator) for numerator, denominator in ratios], q


def primitive_vector(values: Sequence[Number]) -> tuple[tuple[int, ...], Fraction]:
    """Return the primitive integer vector u of a nonzero vector and the nonzero rational s with values = s*u.

    Examples
    --------
    >>> primitive_vector([0, -0.5, Fraction(3, 4)])
    ((0, 2, -3), Fraction(-1, 4))
    """
    integers, q = integer_vector(values)
    content = math.gcd(*integers)
    if next(n for n in integers if n) < 0:
        content = -content
    return tuple([n // content for n in integers]), Fraction(content, q)


def opposed(values: Iterable[Number]) -> bool:
    """Whether the first nonzero entry is negative."""
    return next((value < 0 for value in values if value), False)


def with_bias(w_up: ExactArray, b_up: ExactArray | None) -> ExactArray:
    """Return the rows (w_i, b_i), (N, d+1), as one exact array; w_up itself when there are no biases."""
    if b_up is None:
        return w_up
    if w_up.dtype.kind == "f" and b_up.dtype.kind == "f":
        return np.column_stack([w_up, b_up])
    return np.column_stack([to_fractions(w_up), to_fractions(b_up)])


def nonzero_rows(rows: ExactArray) -> NDArray[np.intp]:
    """Return the indices of the rows that are not zero."""
    return np.flatnonzero((rows != 0).any(axis=1))


def row_classes(rows: ExactArray, *, lines: bool) -> list[list[int]]:
    """Return the classes of the rows: those on one line, or with ``lines=False`` those equal up to sign.

    Parameters
    ----------
    rows
        (n, k), exact, no row zero.
    lines
        Whether multiples count as equal (kinks), or only plus and minus the same row (analytic).

    Returns
    -------
    list of list of int
        Each class in increasing order, the classes ordered by their first row.

    Examples
    --------
    >>> row_classes(np.array([[1.0, 2.0], [0.0, 1.0], [-0.5, -1.0]]), lines=True)
    [[0, 2], [1]]
    """
    pending = np.arange(len(rows))
    classes: list[list[int]] = []
    for stop in (*(p for p in _PREFIXES if p < rows.shape[1]), rows.shape[1]):
        groups = _group(rows, pending, stop, lines)
        if stop < rows.shape[1]:
            classes += [group for group in groups if len(group) == 1]
            groups = [group for group in groups if len(group) > 1]
            pending = np.array(sorted(i for group in groups for i in group), dtype=np.intp)
        else:
            classes += groups
    return sorted(classes)


def _group(rows: ExactArray, indices: NDArray[np.intp], stop: int, lines: bool) -> list[list[int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    step = max(1, _BLOCK // stop)
    for start in range(0, len(indices), step):
        block = indices[start : start + step]
        keys = (_line_keys if lines else _sign_keys)(rows[block, :stop])
        for i, key in zip(block.tolist(), keys, strict=True):
            groups[key].append(i)
    return list(groups.values())


def _sign_keys(block: ExactArray) -> Sequence[Hashable]:
    """Return one key a row, the same for two rows of one array iff they are equal or opposed."""
    first = np.argmax(block != 0, axis=1)
    flip = block[np.arange(len(block)), first] < 0
    if block.dtype.kind == "f":
        oriented = np.where(flip[:, None], -block, block) + 0.0  # -0.0 becomes 0.0
        return [row.tobytes() for row in oriented]
    return [
        tuple([-n for n in row] if negative else row)
        for row, negative in zip(block.tolist(), flip.tolist(), strict=True)
    ]


def _line_keys(block: ExactArray) -> Sequence[Hashable]:
    """Return one key a row, the same for two rows iff both are zero or both span one line."""
    if block.dtype.kind == "f":
        integers, fits = _scaled_integers(block.astype(np.float64))
    elif block.dtype.kind == "i":
        fits = np.asarray(np.all((block > -_SAFE) & (block < _SAFE), axis=1))
        integers = np.where(fits[:, None], block, 0)
    else:
        integers, fits = np.zeros(block.shape, dtype=np.int64), np.zeros(len(block), dtype=bool)
    content = np.maximum(np.gcd.reduce(integers, axis=1), 1)
    first = np.take_along_axis(integers, np.argmax(integers != 0, axis=1)[:, None], axis=1)
    primitive = integers // np.where(first < 0, -content[:, None], content[:, None])
    keys: list[Hashable] = [row.tobytes() for row in primitive]
    for i in np.flatnonzero(~fits).tolist():
        keys[i] = _big_key(block[i].tolist())
    return keys


def _big_key(row: list[Number]) -> Hashable:
    """Return the key of a row through Python integers; the same bytes as the fast path where that applies."""
    vector = primitive_vector(row)[0] if any(row) else (0,) * len(row)
    return np.array(vector, dtype=np.int64).tobytes() if max(map(abs, vector)) < _SAFE else vector


def _scaled_integers(block: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return integers proportional to each row, and which rows stay below 2^62; the other rows are zeroed."""
    fraction, exponent = np.frexp(block)
    mantissa = np.ldexp(fraction, 53).astype(np.int64)
    trailing = np.frexp((mantissa & -mantissa).astype(np.float64))[1] - 1
    zero = mantissa == 0
    odd = mantissa >> np.where(zero, 0, trailing)
    valuation = exponent - 53 + trailing  # block = odd * 2^valuation
    least = np.min(np.where(zero, 1 << 20, valuation), axis=1, keepdims=True)
    shift = np.where(zero, 0, valuation - least)
    fits = np.asarray(np.all(np.where(zero, 0, 53 - trailing) + shift <= 62, axis=1))
    return np.where(fits[:, None], odd << np.where(fits[:, None], shift, 0), 0), fits
