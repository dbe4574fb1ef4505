"""The JSON form of certificates: exact, one key a line, and safe to read whatever its source."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from skip_absorption.absorption.certificate import (
    FIELDS,
    KINDS,
    Certificate,
    Entries,
    Product,
    Terms,
    require,
)
from skip_absorption.errors import InvalidInput

FORMAT, VERSION = "skip-absorption certificate", 1
MAX_BYTES = 32 << 20

_RATIONAL = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?", re.ASCII)
_COMMON = (
    "format",
    "version",
    "kind",
    "meaning",
    "claim",
    "activation",
    "odd",
    "skip",
    "N",
    "d",
    "m",
    "digest",
)


def dump(certificate: Certificate) -> str:
    """Return the JSON text of a certificate."""
    values: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "kind": certificate.kind,
        "meaning": KINDS[certificate.kind],
        "claim": certificate.claim,
        "activation": certificate.activation,
        "odd": str(certificate.odd),
        "skip": certificate.skip,
        "N": certificate.width,
        "d": certificate.d_in,
        "m": certificate.d_out,
        "digest": certificate.digest,
        "modulus": certificate.modulus,
        "coordinate": certificate.coordinate,
        "flip_set": certificate.flip_set,
        "entries": [[r, c, y if certificate.modulus else str(y)] for r, c, y in certificate.entries],
        "binary": certificate.binary,
        "products": [
            {"constant": p.constant, "linear": p.linear, "entries": p.entries} for p in certificate.products
        ],
    }
    keys = (*_COMMON, *FIELDS[certificate.kind])
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(values[key])}" for key in keys) + "\n}\n"


def write(certificate: Certificate, path: str | os.PathLike[str]) -> None:
    """Write the JSON text to a file, whole or not at all."""
    from skip_absorption.files import whole_file  # which a checker has no use for

    try:
        with whole_file(path) as partial:
            partial.write_text(dump(certificate), encoding="ascii")
    except OSError as error:
        raise InvalidInput("certificate file", "be writable", f"{path}: {error.strerror}") from None


def read(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate from a file; InvalidInput names the file if it is no certificate or unreadable."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput("certificate file", "be readable", f"{path}: {error.strerror}") from None
    try:
        return load(text)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.argument}", error.requirement, error.value) from None


def load(text: str | bytes) -> Certificate:
    """Read JSON text; InvalidInput, one line, for anything but a certificate in its exact form."""
    if not isinstance(text, str | bytes):
        raise InvalidInput("certificate", "be JSON text", type(text).__name__)
    require(len(text) <= MAX_BYTES, "file", f"have at most {MAX_BYTES} bytes", "more")
    try:
        data = json.loads(
            text,
            parse_int=_integer,
            parse_float=_refuse("whole numbers"),
            parse_constant=_refuse("finite numbers"),
            object_pairs_hook=_unique_keys,
        )
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("certificate", "be JSON of small depth", type(error).__name__) from None
    require(isinstance(data, dict), "JSON", "be an object", type(data).__name__)
    require(data.get("format") == FORMAT, "format", f"be {FORMAT}", data.get("format"))
    version, kind = data.get("version"), data.get("kind")
    require(type(version) is int and version == VERSION, "version", f"be {VERSION}", version)
    require(isinstance(kind, str) and kind in KINDS, "kind", f"be one of {', '.join(KINDS)}", kind)
    keys = (*_COMMON, *FIELDS[kind])
    require(set(data) == set(keys), "JSON", f"have exactly the keys {', '.join(keys)}", sorted(data))
    require(data["meaning"] == KINDS[kind], "meaning", f"be {KINDS[kind]!r}", data["meaning"])
    certificate = Certificate(
        kind=kind,
        claim=data["claim"],
        activation=data["activation"],
        skip=data["skip"],
        width=data["N"],
        d_in=data["d"],
        d_out=data["m"],
        digest=data["digest"],
        modulus=data.get("modulus"),
        coordinate=data.get("coordinate"),
        flip_set=_tuple(data["flip_set"], "flip_set") if "flip_set" in data else None,
        entries=_entries(data.get("entries", []), rational=kind == "farkas"),
        binary=_terms(data.get("binary", []), "binary"),
        products=tuple(_product(value) for value in _tuple(data.get("products", []), "products")),
    )
    require(data["odd"] == str(certificate.odd), "odd", f"be {certificate.odd}", data["odd"])
    return certificate


def _tuple(value: Any, name: str, length: int | None = None) -> tuple[Any, ...]:
    require(isinstance(value, list), name, "be a list", type(value).__name__)
    require(length is None or len(value) == length, name, f"hold lists of length {length}", value)
    return tuple(value)


def _entries(value: Any, *, rational: bool) -> Entries:
    rows = [_tuple(entry, "entries", 3) for entry in _tuple(value, "entries")]
    return tuple((row, column, _fraction(y) if rational else y) for row, column, y in rows)


def _fraction(text: Any) -> Fraction:
    exact = isinstance(text, str) and bool(_RATIONAL.fullmatch(text))
    require(exact, "entries", 'hold exact strings "p" or "p/q"', text)
    top, _, bottom = text.partition("/")
    require(not bottom or int(bottom) != 0, "entries", "have nonzero denominators", text)
    return Fraction(int(top), int(bottom or 1))


def _terms(value: Any, name: str) -> Terms:
    return tuple((unit, y) for unit, y in (_tuple(term, name, 2) for term in _tuple(value, name)))


def _product(value: Any) -> Product:
    keys = {"constant", "linear", "entries"}
    complete = isinstance(value, dict) and set(value) == keys
    require(complete, "products", "hold constant, linear and entries", value)
    entries = _entries(value["entries"], rational=False)
    return Product(value["constant"], _terms(value["linear"], "linear"), entries)


def _integer(digits: str) -> int:
    require(len(digits) <= 20, "JSON", "hold integers below 2^64", digits)
    return int(digits)


def _refuse(wanted: str) -> Callable[[str], Any]:
    def refuse(token: str) -> Any:
        raise InvalidInput("certificate JSON", f"hold {wanted}", token)

    return refuse


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    require(len(values) == len(pairs), "JSON", "not repeat a key", [key for key, _ in pairs])
    return values
