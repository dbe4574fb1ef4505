"""The checker's own verification of the generic hypotheses: (G), X1c, and X1b for biases."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from fractions import Fraction
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
    pending: NDArray[np.intp] = np.arange(len(rows))
    for columns in sorted({min(_FEW, rows.shape[1]), rows.shape[1]}):
        pending = pending[_alike(rows[pending, :columns])]
        if not pending.size:
            return None
    seen: dict[bytes, int] = {}
    for i in pending.tolist():
        first = seen.setdefault(_line(rows[i].tolist()), i)
        if first != i:
            return first, i
    return None


def _alike(rows: NDArray[Any]) -> list[int]:
    """Return the rows that residues modulo the prime do not prove non-collinear to every other row."""
    everything = list(range(len(rows)))
    try:
        reduced = residues(rows, PRIME)
    except NotInvertible:
        return everything
    first = np.argmax(reduced != 0, axis=1)
    groups: dict[bytes, list[int]] = defaultdict(list)
    for i, row in enumerate(reduced):
        lead = int(row[first[i]])
        if lead == 0:  # it may be a multiple of any other row
            return everything
        normal = row * pow(lead, -1, PRIME) % PRIME  # both factors below 2^31
        groups[hashlib.sha256(normal.tobytes()).digest()].append(i)
    return sorted(i for group in groups.values() if len(group) > 1 for i in group)


def _line(row: list[Any]) -> bytes:
    """Return a digest of a nonzero row over its first nonzero entry: the same for collinear rows, over Q."""
    values = [Fraction(x) for x in row]
    lead = next(x for x in values if x)
    sha = hashlib.sha256()
    for x in values:
        sha.update(f"{(x / lead).numerator:x}/{(x / lead).denominator:x} ".encode())
    return sha.digest()


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
