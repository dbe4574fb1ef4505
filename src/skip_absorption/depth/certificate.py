"""Certificates of a rank: weights, sample points, and a minor of the Jacobian that does not vanish (X6).

The statement of a certificate is that, at these weights, the derivatives of the sampled outputs with respect
to the weights have at least the rank claimed. If the rank is the number of all weights, then the map from
weights to functions is an immersion at these weights, and since the minor is real-analytic in them it is
nonzero, with the same conclusion, at almost all weights.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from skip_absorption.errors import InvalidInput

FORMAT = "skip-absorption jacobian minor 1"

Matrix = tuple[tuple[Fraction, ...], ...]

_RATIONAL = re.compile(r"-?[0-9]{1,60}(/[0-9]{1,60})?", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,8}\.[0-9]{1,20}", re.ASCII)
_FIELDS = {
    "format", "activation", "layers", "points", "rows", "columns", "rank", "bits", "log10_determinant",
    "sha256",
}  # fmt: skip
_MOST_WEIGHTS = 1024


@dataclass(frozen=True)
class Block:
    """The exact weights of one block: W_up (N, d), W_down (d, N), and the skip M (d, d) or None for none."""

    w_up: Matrix
    w_down: Matrix
    skip: Matrix | None


@dataclass(frozen=True)
class Certificate:
    """A nonzero minor of a Jacobian.

    Attributes
    ----------
    activation
        The name of σ.
    blocks, points
        Exact weights θ and sample points.
    rows
        The pairs (point, coordinate) of the minor.
    columns
        The weights of the minor: for each block W_up row by row, then W_down row by row.
    rank
        The size of the minor.
    bits
        The precision of the enclosure that decided it.
    log10_determinant
        Decimal bounds of log₁₀ |det| for the minor; information, which the proof does not rest on.
    """

    activation: str
    blocks: tuple[Block, ...]
    points: Matrix
    rows: tuple[tuple[int, int], ...]
    columns: tuple[int, ...]
    rank: int
    bits: int
    log10_determinant: tuple[str, str]

    @property
    def parameters(self) -> int:
        """The number of all weights."""
        return sum(2 * len(block.w_up) * len(block.w_down) for block in self.blocks)


def to_json(certificate: Certificate) -> dict[str, Any]:
    """Return the JSON form: exact numbers as text, and a digest of everything else."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "activation": certificate.activation,
        "layers": [
            {
                "w_up": _written(block.w_up),
                "w_down": _written(block.w_down),
                "skip": None if block.skip is None else _written(block.skip),
            }
            for block in certificate.blocks
        ],
        "points": _written(certificate.points),
        "rows": [list(pair) for pair in certificate.rows],
        "columns": list(certificate.columns),
        "rank": certificate.rank,
        "bits": certificate.bits,
        "log10_determinant": list(certificate.log10_determinant),
    }
    return {**data, "sha256": digest(data)}


def digest(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the JSON form without its own digest, in canonical text.

    Raises
    ------
    ValueError, RecursionError
        For what has no such text: NaN, infinities, integers of thousands of digits, lists nested too deeply.
    """
    rest = {key: value for key, value in data.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def from_json(data: Any) -> Certificate:
    """Read the JSON form; every flaw of form is an error, whether the minor vanishes is not looked at.

    Raises
    ------
    InvalidInput
        For missing or unknown keys, shapes that do not fit, numbers that are not exact text, repeated rows
        or columns, a rank that is not the size of the minor, or a digest of something else.
    """
    _need(isinstance(data, dict) and set(data) == _FIELDS, "certificate", f"have the keys {sorted(_FIELDS)}")
    _need(data["format"] == FORMAT, "format", f"be {FORMAT!r}")
    try:
        fresh = digest(data)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("certificate", "have a canonical text", type(error).__name__) from None
    _need(data["sha256"] == fresh, "sha256", "be the digest of the certificate")
    _need(isinstance(data["layers"], list) and bool(data["layers"]), "layers", "be a list of blocks")
    points = _matrix(data["points"], "points")
    d = len(points[0])
    blocks = tuple(_block(entry, d) for entry in data["layers"])
    total = sum(2 * d * len(block.w_up) for block in blocks)
    _need(total <= _MOST_WEIGHTS, "layers", f"hold at most {_MOST_WEIGHTS} weights")
    rows = data["rows"]
    _need(
        isinstance(rows, list)
        and all(
            isinstance(pair, list)
            and len(pair) == 2
            and _is_index(pair[0], len(points))
            and _is_index(pair[1], d)
            for pair in rows
        ),
        "rows",
        "be pairs (point, coordinate)",
    )
    columns = data["columns"]
    _need(
        isinstance(columns, list) and all(_is_index(i, total) for i in columns),
        "columns",
        "be indices of weights",
    )
    rank = data["rank"]
    _need(_is_index(rank, total + 1) and rank > 0, "rank", f"be an integer in 1..{total}")
    _need(len({(p, c) for p, c in rows}) == len(rows) == rank, "rows", f"be {rank} different pairs")
    _need(len(set(columns)) == len(columns) == rank, "columns", f"be {rank} different indices")
    _need(_is_index(data["bits"], 1 << 20), "bits", "be a number of bits")
    bounds = data["log10_determinant"]
    _need(
        isinstance(bounds, list)
        and len(bounds) == 2
        and all(isinstance(x, str) and _DECIMAL.fullmatch(x) for x in bounds),
        "log10_determinant",
        "be two decimals",
    )
    _need(isinstance(data["activation"], str), "activation", "be a name")
    return Certificate(
        data["activation"],
        blocks,
        points,
        tuple((p, c) for p, c in rows),
        tuple(columns),
        rank,
        data["bits"],
        (bounds[0], bounds[1]),
    )


def matrix(rows: Sequence[Sequence[Any]]) -> Matrix:
    """Return numbers as a matrix of fractions; floats stand for the dyadic rationals that they store."""
    return tuple(tuple(Fraction(value) for value in row) for row in rows)


def _block(entry: Any, d: int) -> Block:
    _need(
        isinstance(entry, dict) and set(entry) == {"w_up", "w_down", "skip"},
        "layers",
        "hold w_up, w_down, skip",
    )
    up, down = _matrix(entry["w_up"], "w_up"), _matrix(entry["w_down"], "w_down")
    skip = None if entry["skip"] is None else _matrix(entry["skip"], "skip")
    _need(len(up[0]) == d, "w_up", f"have {d} columns")
    _need(len(down) == d and len(down[0]) == len(up), "w_down", f"have shape {(d, len(up))}")
    _need(skip is None or (len(skip) == d and len(skip[0]) == d), "skip", f"have shape {(d, d)}")
    return Block(up, down, skip)


def _matrix(value: Any, name: str) -> Matrix:
    _need(
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, list) and len(row) == len(value[0]) > 0 for row in value)
        and all(isinstance(x, str) and _RATIONAL.fullmatch(x) for row in value for x in row),
        name,
        'be a full matrix of exact numbers "p" or "p/q"',
    )
    _need(all(int(x.partition("/")[2] or 1) for row in value for x in row), name, "have nonzero denominators")
    return matrix(value)


def _written(rows: Matrix) -> list[list[str]]:
    return [[str(value) for value in row] for row in rows]


def _is_index(value: Any, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


def _need(holds: bool, name: str, requirement: str) -> None:
    if not holds:
        raise InvalidInput(name, requirement, "something else")
