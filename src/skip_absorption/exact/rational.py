"""Exact numbers in arrays: floats as the dyadic rationals they are, integers, and fractions.

An *exact array* is a NumPy array of dtype float32 or float64 (finite; every entry stands for the dyadic
rational that it stores), of a 64-bit integer dtype, or of dtype object holding ``int`` and ``Fraction``.
Every routine of the library that decides something takes exact arrays and rounds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput

if TYPE_CHECKING:
    import flint

ExactArray: TypeAlias = NDArray[Any]

MOST_DIGITS = 4000
"""The digits of a numerator or denominator up to which numbers are read from text."""

_RATIONAL = re.compile(rf"[+-]?[0-9]{{1,{MOST_DIGITS}}}(/[0-9]{{1,{MOST_DIGITS}}})?", re.ASCII)
_READABLE = 10**MOST_DIGITS


def parse_rational(text: str, *, name: str = "number") -> Fraction:
    """Read ``"p"`` or ``"p/q"`` exactly.

    Raises
    ------
    InvalidInput
        If the text is not of that form, is longer than 4000 digits, or q is 0.

    Examples
    --------
    >>> parse_rational("-3/6")
    Fraction(-1, 2)
    """
    if not _RATIONAL.fullmatch(text):
        raise InvalidInput(name, 'be an exact number "p" or "p/q"', text)
    numerator, _, denominator = text.partition("/")
    if denominator and int(denominator) == 0:
        raise InvalidInput(name, "have a nonzero denominator", text)
    return Fraction(int(numerator), int(denominator or 1))


def format_rational(value: Fraction | int) -> str:
    """Write a rational of any size as ``"p"`` or ``"p/q"``, in lowest terms."""
    exact = Fraction(value)
    if is_readable(exact):
        return str(exact)
    import flint

    return str(flint.fmpq(exact.numerator, exact.denominator))  # Python refuses beyond 4300 digits


def is_readable(value: Fraction | int) -> bool:
    """Whether `parse_rational` reads the text of the number: it has at most `MOST_DIGITS` digits."""
    return bool(max(abs(value.numerator), value.denominator) < _READABLE)


def exact_array(value: Any, *, name: str, ndim: int) -> ExactArray:
    """Validate weights and return them as an exact array, changing no value.

    Parameters
    ----------
    value
        A float16, bfloat16, float32, float64 or integer array, or nested sequences of ``int``, ``float``,
        ``Fraction`` and exact strings ``"p/q"``.
    name
        The argument's name for error messages.
    ndim
        The number of dimensions it must have.

    Raises
    ------
    InvalidInput
        For complex, boolean, extended-precision or non-numeric entries, NaN, infinities,
        ragged or empty input.

    Examples
    --------
    >>> exact_array([["1/3", 2]], name="w_up", ndim=2).tolist()
    [[Fraction(1, 3), 2]]
    """
    array = _as_array(value, name)
    if array.ndim != ndim:
        raise InvalidInput(name, f"have {ndim} dimension{'s' if ndim > 1 else ''}", f"shape {array.shape}")
    if array.size == 0:
        raise InvalidInput(name, "not be empty", f"shape {array.shape}")
    kind = array.dtype.kind
    if array.dtype.name == "bfloat16" or array.dtype == np.float16:
        array = array.astype(np.float32)
    elif kind in "iu":
        array = array.astype(object) if array.dtype == np.uint64 else array.astype(np.int64)
    elif kind == "O":
        return _exact_objects(array, name)
    elif array.dtype not in (np.float32, np.float64):
        raise InvalidInput(
            name, "hold real numbers (float16/32/64, bfloat16, integers, p/q)", f"dtype {array.dtype}"
        )
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array)
        if bad.any():
            where = tuple(int(i) for i in np.argwhere(bad)[0])
            raise InvalidInput(name, "hold finite numbers", f"{array[where]} at {list(where)}")
    return array


def _as_array(value: Any, name: str) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise InvalidInput(name, "be an array without a mask", "a masked array")
    if isinstance(value, np.ndarray):
        return np.asarray(value)  # not a subclass, whose * may mean something else
    try:
        array = np.array(value, dtype=object)
    except ValueError:
        raise InvalidInput(name, "be a full rectangular array", "rows of different lengths") from None
    if array.size and array.ndim <= 2 and all(type(entry) is float for entry in array.flat):
        return array.astype(np.float64)
    return array


def _exact_objects(array: NDArray[Any], name: str) -> ExactArray:
    out = np.empty(array.shape, dtype=object)
    for where, entry in np.ndenumerate(array):
        out[where] = _exact_scalar(entry, f"{name}{list(where)}")
    return out


def _exact_scalar(entry: Any, name: str) -> int | Fraction:
    if isinstance(entry, bool | np.bool_):
        raise InvalidInput(name, "be a number", entry)
    if isinstance(entry, str):
        return parse_rational(entry, name=name)
    if isinstance(entry, int | np.integer):
        return int(entry)
    if isinstance(entry, Fraction):
        return entry
    if isinstance(entry, float | np.floating):
        if not np.isfinite(entry):
            raise InvalidInput(name, "be finite", entry)
        return Fraction(*entry.as_integer_ratio())
    if hasattr(entry, "p") and hasattr(entry, "q"):  # flint.fmpq, sympy.Rational
        return Fraction(int(entry.p), int(entry.q))
    raise InvalidInput(name, 'be an integer, a float, a Fraction or "p/q"', entry)


def to_fractions(array: ExactArray) -> NDArray[Any]:
    """Return the same values as an object array of ``Fraction``, same shape."""
    if array.dtype.kind == "f":
        values = [Fraction(*entry.as_integer_ratio()) for entry in array.astype(np.float64).flat]
    else:
        values = [Fraction(entry if isinstance(entry, Fraction) else int(entry)) for entry in array.flat]
    return _object_array(values, array.shape)


def _object_array(values: list[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out.reshape(shape)


def to_fmpq_mat(array: ExactArray) -> flint.fmpq_mat:
    """Return a two-dimensional exact array as a FLINT matrix over Q: rank, det, solve, inv are exact."""
    import flint

    if array.dtype.kind == "f":
        entries = [flint.fmpq(*x.as_integer_ratio()) for x in array.astype(np.float64).ravel().tolist()]
    else:
        entries = [flint.fmpq(x.numerator, x.denominator) for x in to_fractions(array).flat]
    return flint.fmpq_mat(array.shape[0], array.shape[1], entries)


def from_fmpq_mat(matrix: flint.fmpq_mat) -> NDArray[Any]:
    """Return a FLINT matrix over Q as an object array of ``Fraction``."""
    values = [Fraction(int(x.p), int(x.q)) for x in matrix.entries()]
    return _object_array(values, (matrix.nrows(), matrix.ncols()))


def rank(array: ExactArray) -> int:
    """Return the rank over Q of a two-dimensional exact array; 0 for one with no rows or no columns."""
    return 0 if 0 in array.shape else int(to_fmpq_mat(array).rank())


def identity(d: int) -> NDArray[Any]:
    """Return the d x d identity as an exact integer array."""
    return np.eye(d, dtype=np.int64)


def is_zero(array: ExactArray) -> bool:
    """Whether every entry is exactly zero."""
    return not np.any(array != 0)


def exact_matmul(left: ExactArray, right: ExactArray) -> NDArray[Any]:
    """Return the product over Q as an object array of ``Fraction``."""
    if 0 in (left.shape[0], left.shape[1], right.shape[1]):
        return np.full((left.shape[0], right.shape[1]), Fraction(0), dtype=object)
    return from_fmpq_mat(to_fmpq_mat(left) * to_fmpq_mat(right))


def stack_rows(rows: Sequence[ExactArray]) -> NDArray[Any]:
    """Stack exact matrices with equal numbers of columns into one object array of ``Fraction``."""
    return np.concatenate([to_fractions(r) for r in rows], axis=0)
