"""The digest that ties a certificate to a question: weights, biases, skip and activation, by value.

The digest depends on the real numbers alone, not on how they are stored: float32, float64, integer and
``Fraction`` arrays of the same values agree, and so do 0.0 and -0.0.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DOMAIN = b"skip-absorption question 1\n"
_CHUNK = 1 << 20  # numbers converted at a time
_DECIMAL = 10**4000
_EXACT_INT = 1 << 53  # every integer up to this size is a float64


def question_digest(
    w_up: NDArray[Any],
    w_down: NDArray[Any],
    *,
    activation: str,
    skip: NDArray[Any] | None = None,
    b_up: NDArray[Any] | None = None,
    b_down: NDArray[Any] | None = None,
) -> str:
    """Return the SHA-256 digest of a question about exact weights, as 64 hexadecimal digits.

    Parameters
    ----------
    w_up, w_down
        Exact arrays of shapes (N, d) and (m, N).
    activation
        The canonical name, ``"relu"`` or ``"leaky_relu:1/4"``.
    skip
        (m, d), or None for the identity; a matrix that equals the identity digests like None.
    b_up, b_down
        (N,) and (m,), or None; None and a vector of zeros digest differently.

    Notes
    -----
    Each array is hashed under its name and shape, as little-endian float64 where every entry is one and as
    lines ``p`` or ``p/q`` in lowest terms otherwise, in hexadecimal beyond 4000 digits; so equal values give
    equal bytes.
    """
    sha = hashlib.sha256(_DOMAIN)
    sha.update(f"activation {activation}\n".encode())
    sha.update(b"skip identity\n" if is_identity(skip) else b"skip given\n")
    arrays = {"w_up": w_up, "w_down": w_down, "b_up": b_up, "b_down": b_down}
    if not is_identity(skip):
        arrays["skip"] = skip
    for name, array in arrays.items():
        if array is None:
            sha.update(f"{name} none\n".encode())
        else:
            _update(sha, name, array)
    return sha.hexdigest()


def is_identity(skip: NDArray[Any] | None) -> bool:
    """Whether a skip is the identity: None, or a square matrix with the identity's values."""
    if skip is None:
        return True
    rows, columns = skip.shape
    return rows == columns and bool(np.array_equal(skip, np.eye(rows, dtype=np.int64)))


def _update(sha: Any, name: str, array: NDArray[Any]) -> None:
    flat = array.reshape(-1)
    encoding = "float64" if _holds_floats(flat) else "rational"
    sha.update(f"{name} {'x'.join(map(str, array.shape))} {encoding}\n".encode())
    for start in range(0, flat.size, _CHUNK):
        part = flat[start : start + _CHUNK]
        if encoding == "float64":
            sha.update((part.astype("<f8") + 0.0).tobytes())  # -0.0 + 0.0 is 0.0
        else:
            sha.update("".join(f"{_text(Fraction(_number(x)))}\n" for x in part).encode())


def _text(value: Fraction) -> str:
    if max(abs(value.numerator), value.denominator) < _DECIMAL:
        return str(value)
    return f"{value.numerator:#x}/{value.denominator:#x}"  # Python writes no longer decimals


def _holds_floats(flat: NDArray[Any]) -> bool:
    """Whether every value is exactly a float64."""
    if flat.dtype.kind == "f":
        return True
    if flat.dtype.kind in "iu" and flat.min() >= -_EXACT_INT and flat.max() <= _EXACT_INT:
        return True
    return all(_is_float(Fraction(_number(x))) for x in flat)


def _is_float(value: Fraction) -> bool:
    try:
        return Fraction(float(value)) == value
    except OverflowError:
        return False


def _number(entry: Any) -> int | Fraction:
    return entry if isinstance(entry, Fraction) else int(entry)
