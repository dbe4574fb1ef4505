"""The checker's own verification of the generic hypotheses: (G), X1c, and X1b for biases."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.checker_integers import NotInvertible, residues

PRIME = (1 << 31) - 1  # a Mersenne prime; residues need a field here, because rows are divided by an entry
_FEW = 8  # columns that nearly always tell all rows apart


def violation(
    w_up: NDArray[Any], w_down: NDArray[Any], b_up: NDArray[Any] | None, *, kink: bool
) -> str | None:
    """Return one way in which the hypotheses fail, or None if all hold.

    Every row w_i and every column a_i must be nonzero. For a kink (ReLU, leaky ReLU) the rows (w_i, b_i) must
    be pairwise non-collinear; for an analytic even part no two may be equal up to sign.

    Notes
    -----
    Two rows whose residues modulo a prime, divided by their first nonzero one, differ are not collinear over
    Q: a factor between them would be a unit modulo the prime, or one of the rows would vanish. Rows that this
    does not tell apart are compared in exact arithmetic.
    """
    for name, nonzero in (("row", (w_up != 0).any(axis=1)), ("column", (w_down != 0).any(axis=0))):
        if not nonzero.all():
            return f"{name} {int(np.argmin(nonzero))} of {'w_up' if name == 'row' else 'w_down'} is zero"
    rows = _exact_rows(w_up, b_up)
    pair = _collinear_pair(rows) if kink else _equal_pair(rows)
    if pair is None:
        return None
    what = "w_up" if b_up is None else "[w_up | b_up]"
    return f"rows {pair[0]} and {pair[1]} of {what} are {'collinear' if kink else 'equal up to sign'}"


def _exact_rows(w_up: NDArray[Any], b_up: NDArray[Any] | None) -> NDArray[Any]:
    """Join weights and biases in a type that holds both exactly."""
    parts = [w_up] if b_up is None else [w_up, b_up[:, None]]
    if all(part.dtype.kind == "f" for part in parts):
        return np.concatenate(parts, axis=1)
    as_objects = []
    for part in parts:
        fractions = np.empty(part.size, dtype=object)
        fractions[:] = [Fraction(x) for x in part.reshape(-1).tolist()]
        as_objects.append(fractions.reshape(part.shape))
    return np.concatenate(as_objects, axis=1)


def _collinear_pair(rows: NDArray[Any]) -> tuple[int, int] | None:
    for columns in {min(_FEW, rows.shape[1]), rows.shape[1]}:
        try:
            suspects = _alike(rows[:, :columns])
        except NotInvertible:
            suspects = list(combinations(range(len(rows)), 2))
        if not suspects:
            return None
    return next(((i, j) for i, j in suspects if _collinear(rows[i], rows[j])), None)


def _alike(rows: NDArray[Any]) -> list[tuple[int, int]]:
    """Return the pairs of rows that residues modulo the prime do not prove non-collinear."""
    reduced = residues(rows, PRIME)
    first = np.argmax(reduced != 0, axis=1)
    groups: dict[bytes, list[int]] = defaultdict(list)
    vanishing = []
    for i, row in enumerate(reduced):
        lead = int(row[first[i]])
        if lead == 0:
            vanishing.append(i)
        else:
            normal = row * pow(lead, -1, PRIME) % PRIME  # both factors below 2^31
            groups[hashlib.sha256(normal.tobytes()).digest()].append(i)
    pairs = [pair for group in groups.values() for pair in combinations(group, 2)]
    others = set(range(len(rows)))
    for i in vanishing:
        others.discard(i)
        pairs += [(i, j) for j in others]
    return pairs


def _collinear(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Whether two rows with nonzero parts w are multiples of each other, over Q."""
    if not np.array_equal(left != 0, right != 0):
        return False
    k = int(np.argmax(left != 0))
    x, y = (
        Fraction(left[k].item() if left.dtype.kind == "f" else left[k]),
        Fraction(right[k].item() if right.dtype.kind == "f" else right[k]),
    )
    return all(x * Fraction(b) == y * Fraction(a) for a, b in zip(left.tolist(), right.tolist(), strict=True))


def _equal_pair(rows: NDArray[Any]) -> tuple[int, int] | None:
    seen: dict[Any, int] = {}
    first = np.argmax(rows != 0, axis=1)
    for i, row in enumerate(rows):
        signed = -row if row[first[i]] < 0 else row
        if rows.dtype.kind == "f":
            key: Any = hashlib.sha256((signed + 0).tobytes()).digest()  # -0.0 + 0 is 0.0
        else:
            key = tuple(signed.tolist())
        if key in seen:
            return seen[key], i
        seen[key] = i
    return None
