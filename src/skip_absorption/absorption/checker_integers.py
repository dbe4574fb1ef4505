"""The checker's own arithmetic: exact values, residues and common denominators, in integers alone.

Nothing here is shared with the prover. NumPy ``int64`` arrays are used only where a stated bound keeps every
value below 2^63; everything else is Python integers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput

_EXACT = re.compile(r"[+-]?[0-9]+(/[0-9]+)?", re.ASCII)
_CHUNK = 1 << 14  # floats converted at a time, so that they stay in the cache
INT64_MODULUS = 1 << 31  # below it a product of two residues is below 2^62


class NotInvertible(Exception):
    """A denominator has no inverse modulo p."""


def exact_values(value: Any, *, name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Return weights as a float32, float64, int64 or object array (of Fraction) of the same exact values.

    Raises
    ------
    InvalidInput
        For a wrong shape, NaN, infinities, or entries that are not real numbers.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise InvalidInput(name, "be an array without a mask", "a masked array")
    array = np.asarray(value) if isinstance(value, np.ndarray) else np.array(value, dtype=object)
    wrong = array.ndim != len(shape) or any(
        s is not None and s != t for s, t in zip(shape, array.shape, strict=True)
    )
    if wrong or array.size == 0:
        raise InvalidInput(name, f"have shape {tuple('any' if s is None else s for s in shape)}", array.shape)
    if array.dtype.name in ("float16", "bfloat16"):
        array = array.astype(np.float32)
    if array.dtype in (np.float32, np.float64):
        if not np.isfinite(array).all():
            raise InvalidInput(name, "hold finite numbers", "a NaN or an infinity")
        return array
    if array.dtype.kind in "iu" and array.dtype != np.uint64:
        return array.astype(np.int64)
    if array.dtype.kind not in "Ou":
        raise InvalidInput(name, "hold real numbers", f"dtype {array.dtype}")
    out = np.empty(array.shape, dtype=object)
    for where, entry in np.ndenumerate(array):
        out[where] = _fraction(entry, name)
    return out


def _fraction(entry: Any, name: str) -> Fraction:
    if isinstance(entry, np.generic):
        entry = entry.item()
    if isinstance(entry, bool) or not isinstance(entry, int | float | Fraction | str):
        raise InvalidInput(name, "hold real numbers", entry)
    try:
        if isinstance(entry, str) and (len(entry) > 4000 or not _EXACT.fullmatch(entry)):
            raise ValueError  # "1e999999" would be a number of a million digits
        return Fraction(entry)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise InvalidInput(name, "hold finite exact numbers, strings as p/q", entry) from None


def residues(array: NDArray[Any], p: int) -> NDArray[Any]:
    """Return an exact array modulo an odd p: int64 for p < 2^31, Python integers in an object array beyond.

    Raises
    ------
    NotInvertible
        If a denominator shares a factor with p.
    """
    small = p < INT64_MODULUS
    if array.dtype.kind == "f" and small:
        return _float_residues(array, p)
    if array.dtype.kind == "i" and small:
        return array % p
    entries = array.tolist() if array.dtype.kind == "i" else array.astype(object)
    flat = [residue(_fraction(x, "weights"), p) for x in np.asarray(entries, dtype=object).reshape(-1)]
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    return (out.astype(np.int64) if small else out).reshape(array.shape)


def residue(value: Fraction, p: int) -> int:
    """Return one rational modulo p; NotInvertible if its denominator shares a factor with p."""
    if math.gcd(value.denominator, p) != 1:
        raise NotInvertible
    return value.numerator * pow(value.denominator, -1, p) % p


def _float_residues(array: NDArray[Any], p: int) -> NDArray[np.int64]:
    out = np.empty(array.size, dtype=np.int64)
    flat = np.ascontiguousarray(array).reshape(-1)
    for begin in range(0, flat.size, _CHUNK):
        out[begin : begin + _CHUNK] = _chunk_residues(flat[begin : begin + _CHUNK], p)
    return out.reshape(array.shape)


def _chunk_residues(flat: NDArray[Any], p: int) -> NDArray[np.uint64]:
    """Residues of IEEE floats from their bits, mantissa * 2^e; for p < 2^31 both factors are below 2^32."""
    single = flat.dtype == np.float32
    digits, exponents = (23, 0xFF) if single else (52, 0x7FF)
    bits = flat.view(np.uint32 if single else np.uint64).astype(np.uint64)
    exponent = bits >> np.uint64(digits) & np.uint64(exponents)
    mantissa = bits & np.uint64((1 << digits) - 1)
    mantissa |= (exponent != 0).astype(np.uint64) << np.uint64(digits)  # the hidden digit of normal numbers
    small = mantissa if single else _modulo(mantissa, p)
    value = _modulo(small * _powers(p, single=single)[exponent], p)
    negative = bits >> np.uint64(31 if single else 63) != 0
    return np.where(negative & (value != 0), np.uint64(p) - value, value)


@lru_cache(maxsize=8)
def _powers(p: int, *, single: bool) -> NDArray[np.uint64]:
    """Return the power of two modulo p that goes with each biased exponent and an integer mantissa."""
    last, bias = (0xFF, 150) if single else (0x7FF, 1075)
    return np.array([pow(2, max(e, 1) - bias, p) for e in range(last)], dtype=np.uint64)


def _modulo(values: NDArray[np.uint64], p: int) -> NDArray[np.uint64]:
    return values - values // np.uint64(p) * np.uint64(p)  # several times faster than %


def _split(array: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return integers with array = mantissa * 2^exponent exactly; |mantissa| < 2^24 or 2^53."""
    bits = 24 if array.dtype == np.float32 else 53
    fraction, exponent = np.frexp(array)
    mantissa = np.ldexp(fraction, bits).astype(np.int64)
    return mantissa, np.where(mantissa == 0, 0, exponent.astype(np.int64) - bits)


def common_denominator(array: NDArray[Any]) -> int:
    """Return the least L > 0 that makes L times the array integral."""
    if array.dtype.kind == "i":
        return 1
    if array.dtype.kind == "f":
        mantissa, exponent = _split(array)
        lowest = np.where(mantissa == 0, 0, exponent + _trailing_zeros(mantissa))
        return 1 << max(0, -int(lowest.min()))
    return math.lcm(*{x.denominator for x in array.reshape(-1)})


def _trailing_zeros(mantissa: NDArray[np.int64]) -> NDArray[np.int64]:
    low_bit = mantissa & -mantissa  # a power of two below 2^54, so exact as a float
    return np.frexp(low_bit.astype(np.float64))[1].astype(np.int64) - 1


def scaled_integers(array: NDArray[Any], scale: int) -> NDArray[Any]:
    """Return ``scale * array`` as Python integers in an object array; scale a multiple of the denominator."""
    flat = array.reshape(-1)
    if array.dtype.kind == "f":
        mantissa, exponent = _split(flat)
        values = (_shifted(m * scale, e) for m, e in zip(mantissa.tolist(), exponent.tolist(), strict=True))
    elif array.dtype.kind == "i":
        values = (x * scale for x in flat.tolist())
    else:
        values = (x.numerator * (scale // x.denominator) for x in flat)
    out = np.empty(flat.size, dtype=object)
    out[:] = list(values)
    return out.reshape(array.shape)


def _shifted(value: int, exponent: int) -> int:
    return value << exponent if exponent >= 0 else value >> -exponent  # exact: the scale clears 2^-exponent


def pack(values: Iterable[int], width: int) -> int:
    """Return sum_c values[c] * 2^(8 * width * c), for |values| < 2^(8 * width - 1)."""
    items = list(values)
    plus = b"".join((x if x > 0 else 0).to_bytes(width, "little") for x in items)
    minus = b"".join((-x if x < 0 else 0).to_bytes(width, "little") for x in items)
    return int.from_bytes(plus, "little") - int.from_bytes(minus, "little")
