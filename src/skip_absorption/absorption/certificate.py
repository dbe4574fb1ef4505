"""Certificates: what a decision leaves behind for anyone to check again.

Write T = -M/odd, so that condition (3) reads: some s in {0,1}^N has sum_i s_i a_i w_i^T = T. The kinds are

``flip_set``
    a set S with sum_{i in S} a_i w_i^T = T, exactly;
``inconsistent``
    a sparse Y with a_i^T Y w_i = 0 modulo p for every unit i, and <Y, T> != 0 modulo p (X4);
``not_binary``
    a sparse Y with a_i^T Y w_i = [i = j] modulo p, and <Y, T> neither 0 nor 1 modulo p (X4);
``support``
    a sparse Y with a_i^T Y w_i nonzero modulo p for few units, no subset of those values summing to <Y, T>;
``quadratic``
    the polynomial identity sum_i mu_i (s_i^2 - s_i) + sum_k l_k(s) (sum_i (a_i^T Y_k w_i) s_i - <Y_k, T>) = 1
    modulo p, l_k affine (X4);
``farkas``
    a rational Y with <Y, T> > sum_i max(0, a_i^T Y w_i) (X4).

All but the first refute condition (3); together with the generic hypotheses they refute absorption at the
same width. This module holds data and its validation; ``checker.py`` decides what a certificate proves.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from skip_absorption.errors import InvalidInput

MAX_SIZE = 1 << 26  # of N, d and m
MODULUS_LIMIT = 1 << 64
KINDS = {
    "flip_set": "the units of flip_set satisfy sum a_i w_i^T = T exactly",
    "inconsistent": "a_i^T Y w_i = 0 mod p for every unit i, and <Y, T> != 0 mod p",
    "not_binary": "a_i^T Y w_i = [i = coordinate] mod p, and <Y, T> is neither 0 nor 1 mod p",
    "support": "no subset of the nonzero a_i^T Y w_i sums to <Y, T> mod p",
    "quadratic": "sum mu_i (s_i^2 - s_i) + sum l_k(s) (sum (a_i^T Y_k w_i) s_i - <Y_k, T>) = 1 mod p",
    "farkas": "<Y, T> > sum max(0, a_i^T Y w_i)",
}
POSITIVE_CLAIMS = ("condition_holds", "absorbable")
NEGATIVE_CLAIMS = ("condition_fails", "not_absorbable")

Entries: TypeAlias = tuple[tuple[int, int, int | Fraction], ...]
Terms: TypeAlias = tuple[tuple[int, int], ...]

_SLOPE = re.compile(
    r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400}|[0-9]{1,400}/[0-9]{1,400})", re.ASCII
)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
FIELDS = {
    "flip_set": ("flip_set",),
    "inconsistent": ("modulus", "entries"),
    "not_binary": ("modulus", "coordinate", "entries"),
    "support": ("modulus", "entries"),
    "quadratic": ("modulus", "binary", "products"),
    "farkas": ("entries",),
}


def read_activation(text: str) -> tuple[str, Fraction, bool]:
    """Return canonical name, odd and whether the even part is a kink, of a certifiable activation.

    Raises
    ------
    InvalidInput
        For any name but relu, leaky_relu:SLOPE (slope not 1 or -1), gelu, gelu_tanh and silu.

    Examples
    --------
    >>> read_activation("leaky_relu:0.25")
    ('leaky_relu:1/4', Fraction(5, 4), True)
    """
    if text in ("relu", "gelu", "gelu_tanh", "silu"):
        return text, Fraction(1), text == "relu"
    name, _, slope_text = text.partition(":") if isinstance(text, str) else ("", "", "")
    if name == "leaky_relu" and _SLOPE.fullmatch(slope_text):
        top, _, bottom = slope_text.partition("/")
        if not bottom or int(bottom) != 0:
            slope = Fraction(top) / Fraction(bottom or 1)
            if abs(slope) != 1:
                return f"leaky_relu:{slope}", 1 + slope, True
    allowed = "be relu, leaky_relu:SLOPE (not 1 or -1), gelu, gelu_tanh or silu"
    raise InvalidInput("activation", allowed, ascii(text))


def require(condition: bool, argument: str, requirement: str, value: object) -> None:
    """Raise InvalidInput about a part of a certificate unless the condition holds."""
    if not condition:
        shown = value.encode("ascii", "backslashreplace").decode() if isinstance(value, str) else value
        raise InvalidInput(f"certificate {argument}", requirement, shown)


def _is_int(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value < high


@dataclass(frozen=True)
class Product:
    """One term l(s) (sum_i (a_i^T Y w_i) s_i - <Y, T>) of a quadratic certificate; l = constant + linear."""

    constant: int
    linear: Terms
    entries: Entries


@dataclass(frozen=True)
class Certificate:
    """A proof of one claim about one question, validated in form; see the module for the kinds.

    Parameters
    ----------
    kind
        One of `KINDS`.
    claim
        ``condition_holds`` or ``absorbable`` for ``flip_set``; ``condition_fails`` (condition (3) has no
        solution) or ``not_absorbable`` (no residual-free MLP of width N) for the other kinds.
    activation
        Canonical name.
    skip
        ``"identity"`` or ``"given"``; a given matrix is tied in by the digest.
    width, d_in, d_out
        N, d and m.
    digest
        `skip_absorption.absorption.digest.question_digest` of the question.
    modulus
        Odd p with 3 <= p < 2^64. No kind needs it to be prime.
    entries
        Y as (row < m, column < d, value), rows and columns increasing; values in [1, p), or nonzero
        fractions for ``farkas``.
    coordinate
        j of ``not_binary``.
    flip_set
        S, increasing.
    binary, products
        mu as (unit, value) and the `Product` terms, of ``quadratic``.

    Raises
    ------
    InvalidInput
        If a field is missing, superfluous, out of range or out of order.
    """

    kind: str
    claim: str
    activation: str
    skip: str
    width: int
    d_in: int
    d_out: int
    digest: str
    modulus: int | None = None
    entries: Entries = ()
    coordinate: int | None = None
    flip_set: tuple[int, ...] | None = None
    binary: Terms = ()
    products: tuple[Product, ...] = ()

    def __post_init__(self) -> None:
        require(
            isinstance(self.kind, str) and self.kind in KINDS,
            "kind",
            f"be one of {', '.join(KINDS)}",
            self.kind,
        )
        claims = POSITIVE_CLAIMS if self.kind == "flip_set" else NEGATIVE_CLAIMS
        require(self.claim in claims, "claim", f"be one of {', '.join(claims)}", self.claim)
        name = read_activation(self.activation)[0]
        require(self.activation == name, "activation", f"be written {name}", self.activation)
        require(self.skip in ("identity", "given"), "skip", "be identity or given", self.skip)
        for field, size in (("N", self.width), ("d", self.d_in), ("m", self.d_out)):
            require(_is_int(size, 1, MAX_SIZE), field, f"be an integer from 1 to {MAX_SIZE - 1}", size)
        require(
            isinstance(self.digest, str) and bool(_DIGEST.fullmatch(self.digest)),
            "digest",
            "be 64 hexadecimal digits",
            self.digest,
        )
        self._check_fields()

    def _check_fields(self) -> None:
        fields = FIELDS[self.kind]
        values = {
            "modulus": self.modulus is not None,
            "coordinate": self.coordinate is not None,
            "flip_set": self.flip_set is not None,
            "entries": bool(self.entries),
            "binary": bool(self.binary),
            "products": bool(self.products),
        }
        for name, present in values.items():
            optional = name in ("binary", "products") and name in fields
            require(
                optional or present == (name in fields),
                name,
                f"be {'given' if name in fields else 'absent'} for kind {self.kind}",
                getattr(self, name),
            )
        if self.modulus is not None:
            require(
                _is_int(self.modulus, 3, MODULUS_LIMIT) and self.modulus % 2 == 1,
                "modulus",
                "be an odd integer from 3 to 2^64 - 1",
                self.modulus,
            )
        if self.coordinate is not None:
            require(_is_int(self.coordinate, 0, self.width), "coordinate", "name a unit", self.coordinate)
        if self.flip_set is not None:
            units = self.flip_set
            require(all(_is_int(i, 0, self.width) for i in units), "flip_set", "hold units", units)
            require(all(a < b for a, b in pairwise(units)), "flip_set", "increase", units)
        self._check_entries(self.entries)
        self._check_terms(self.binary, "binary")
        for product in self.products:
            require(
                _is_int(product.constant, 0, self.modulus or 0), "constant", "be in [0, p)", product.constant
            )
            self._check_terms(product.linear, "linear")
            self._check_entries(product.entries)

    def _check_entries(self, entries: Entries) -> None:
        before = (-1, -1)
        for row, column, y in entries:
            require(
                _is_int(row, 0, self.d_out) and _is_int(column, 0, self.d_in) and before < (row, column),
                "entries",
                "name places of an (m, d) matrix in increasing order",
                [row, column],
            )
            before = (row, column)
            if self.modulus is None:
                require(type(y) in (int, Fraction) and y != 0, "entries", "hold nonzero rationals", y)
            else:
                require(_is_int(y, 1, self.modulus), "entries", "hold integers in [1, p)", y)

    def _check_terms(self, terms: Terms, name: str) -> None:
        before = -1
        for unit, value in terms:
            require(
                _is_int(unit, 0, self.width) and unit > before and _is_int(value, 1, self.modulus or 0),
                name,
                "hold increasing units with integers in [1, p)",
                [unit, value],
            )
            before = unit

    @property
    def odd(self) -> Fraction:
        """The number 2c with sigma(z) - sigma(-z) = 2c z."""
        return read_activation(self.activation)[1]

    @property
    def size(self) -> int:
        """How many entries of Y, or units of S, the certificate lists."""
        return len(self.flip_set or ()) + len(self.entries) + sum(len(p.entries) for p in self.products)

    def to_json(self) -> str:
        """Return the JSON form: one key a line, exact numbers as integers or strings ``"p/q"``."""
        from skip_absorption.absorption.certificate_json import dump

        return dump(self)

    @staticmethod
    def from_json(text: str | bytes) -> Certificate:
        """Read the JSON form, whatever its source.

        Raises
        ------
        InvalidInput
            One line, if it is too large, not JSON, too deep, or anything but a certificate in its exact form.
        """
        from skip_absorption.absorption.certificate_json import load

        return load(text)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON form to a file, whole or not at all."""
        from skip_absorption.absorption.certificate_json import write

        write(self, path)

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Certificate:
        """Read a certificate from a file; InvalidInput if it is missing, too large or malformed."""
        from skip_absorption.absorption.certificate_json import read

        return read(path)
