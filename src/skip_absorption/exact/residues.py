"""Primes, and the exact residues of floats, integers and fractions modulo a prime."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray

_PRODUCT_BITS = 31  # a product of two residues must fit into 63 bits
_CHUNK = 1 << 18  # entries converted at a time, to bound memory


def random_prime(*, rng: np.random.Generator, bits: int = 22) -> int:
    """Return a uniformly random prime of exactly `bits` bits, proved prime.

    Parameters
    ----------
    rng
        The source of randomness.
    bits
        From 3 to 62; elimination takes at most 24, and is fastest up to 22.

    Raises
    ------
    InvalidInput
        If `bits` is out of range.

    Examples
    --------
    >>> random_prime(rng=np.random.default_rng(0), bits=3) in (5, 7)
    True
    """
    import flint

    if not 3 <= bits <= 62:
        raise InvalidInput("bits", "be from 3 to 62", bits)
    while True:
        candidate = int(rng.integers(1 << (bits - 1), 1 << bits))
        if flint.fmpz(candidate).is_prime():
            return candidate


@lru_cache(maxsize=256)
def _is_odd_prime(p: int) -> bool:
    import flint

    return p > 2 and bool(flint.fmpz(p).is_prime())


def check_prime(p: int, bits: int) -> None:
    """Refuse p unless it is a proved odd prime of at most so many bits."""
    if not isinstance(p, int) or p >= 1 << bits or not _is_odd_prime(p):
        raise InvalidInput("p", f"be an odd prime below 2^{bits}", p)


def reduce_mod(array: ExactArray, p: int) -> NDArray[np.float64]:
    """Return the residues in [0, p) of the exact values of an array, as float64 of the same shape.

    Parameters
    ----------
    array
        Floats of any exponent (each stands for the dyadic rational that it stores), integers, or objects
        ``int`` and ``Fraction``.
    p
        An odd prime below 2^31.

    Raises
    ------
    InvalidInput
        If p is no such prime or divides a denominator, or an entry is not a finite real number.

    Examples
    --------
    >>> reduce_mod(np.array([0.5, -3.0, 2.0]), 7).tolist()
    [4.0, 4.0, 2.0]
    """
    check_prime(p, _PRODUCT_BITS)
    array = np.asarray(array)
    kind = array.dtype.kind
    if kind not in "fiuO" or array.dtype.itemsize > 8:
        raise InvalidInput("array", "hold real numbers of at most 64 bits", f"dtype {array.dtype}")
    out = np.empty(array.shape)
    if kind == "O":
        inverses: dict[int, int] = {}
        for where, entry in np.ndenumerate(array):
            out[where] = _reduce_number(entry, p, inverses)
        return out
    rows = np.atleast_1d(array)
    flat, position = out.reshape(-1), 0
    step = max(1, _CHUNK * len(rows) // max(rows.size, 1))
    for first in range(0, len(rows), step):
        chunk = rows[first : first + step].reshape(-1)
        _reduce_chunk(flat[position : position + chunk.size], chunk, p)
        position += chunk.size
    return out


def _reduce_chunk(out: NDArray[np.float64], chunk: NDArray[np.generic], p: int) -> None:
    if chunk.dtype.kind != "f":
        out[:] = np.remainder(chunk, np.array(p, dtype=np.promote_types(chunk.dtype, np.uint32)))
        return
    from skip_absorption.exact._kernels import reduce_floats

    bits = np.ascontiguousarray(chunk, dtype=np.float64).view(np.int64)
    if not reduce_floats(out, bits, _powers_of_two(p), p):
        raise InvalidInput("array", "hold finite numbers", "NaN or infinity")


@lru_cache(maxsize=16)
def _powers_of_two(p: int) -> NDArray[np.int64]:
    """Return 2^(e - 1075) modulo p for e = 0, ..., 2046."""
    powers = np.empty(2047, dtype=np.int64)
    value = pow(2, -1075, p)
    for e in range(2047):
        powers[e] = value
        value = 2 * value % p
    return powers


def _reduce_number(entry: object, p: int, inverses: dict[int, int]) -> int:
    if isinstance(entry, int | np.integer) and not isinstance(entry, bool):
        return int(entry) % p
    if not isinstance(entry, Fraction):
        raise InvalidInput("array", "hold integers and fractions", entry)
    denominator = entry.denominator % p
    if denominator == 0:
        raise InvalidInput("array", f"have no denominator that {p} divides", str(entry))
    inverse = inverses.get(denominator)
    if inverse is None:
        inverse = inverses[denominator] = pow(denominator, -1, p)
    return entry.numerator * inverse % p
