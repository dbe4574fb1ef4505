"""Interval arithmetic in plain integers: fixed point with outward rounding, exp and the normal distribution.

An interval is a pair of integers lo ≤ hi in units of 2^(−PLACES). The depth checker is built on this module
and on nothing else, so that it shares no arithmetic with the prover.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isqrt

PLACES = 200
"""Binary places; no power of two, so that no precision of the prover's is repeated."""

GUARD = 480
"""Further places inside the functions, for what their loops lose."""

LARGEST = 24
"""Beyond it Φ is 0 or 1 up to 2^−400; below, its series' terms reach exp(288) < 2^416, as GUARD allows."""

_ONE = 1 << PLACES
_FINE = PLACES + GUARD


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from lo·2^(−PLACES) to hi·2^(−PLACES); arithmetic encloses every result."""

    lo: int
    hi: int

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.lo + other.lo, self.hi + other.hi)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.lo - other.hi, self.hi - other.lo)

    def __neg__(self) -> Interval:
        return Interval(-self.hi, -self.lo)

    def __mul__(self, other: Interval) -> Interval:
        products = (self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi)
        return Interval(min(products) >> PLACES, -(-max(products) >> PLACES))


def exact(value: Fraction | int) -> Interval:
    """Return the narrowest interval around a rational.

    Examples
    --------
    >>> exact(Fraction(1, 2)).lo == exact(Fraction(1, 2)).hi == 1 << (PLACES - 1)
    True
    """
    value = Fraction(value)
    scaled = value.numerator << PLACES
    return Interval(scaled // value.denominator, -(-scaled // value.denominator))


def square(x: Interval) -> Interval:
    """Return an enclosure of x², never below 0."""
    ends = (x.lo * x.lo, x.hi * x.hi)
    low = 0 if x.lo <= 0 <= x.hi else min(ends)
    return Interval(low >> PLACES, -(-max(ends) >> PLACES))


def logistic(x: Interval) -> Interval:
    """Return an enclosure of 1/(1 + exp(−x)), which increases."""
    return Interval(_logistic(x.lo)[0], _logistic(x.hi)[1])


def normal(x: Interval) -> Interval:
    """Return an enclosure of the normal distribution function Φ, which increases."""
    return Interval(_normal(x.lo)[0], _normal(x.hi)[1])


def density(x: Interval) -> Interval:
    """Return an enclosure of exp(−x²/2)/√(2π)."""
    half = square(x)
    most, least = _decay(half.lo >> 1), _decay((half.hi + 1) >> 1)
    return Interval(least.lo, most.hi) * root_two_over_pi() * exact(Fraction(1, 2))


@cache
def root_two_over_pi() -> Interval:
    """Return an enclosure of √(2/π)."""
    low, high = _pi()
    least, most = (2 << (3 * _FINE)) // high, (2 << (3 * _FINE)) // low + 1  # at 2·_FINE places
    return Interval(isqrt(least) >> GUARD, (isqrt(most) >> GUARD) + 1)


def _decay(a: int) -> Interval:
    """Return an enclosure of exp(−a) for a ≥ 0.

    With a = 2^s y and y < 1/2, the Taylor terms of exp(−y) are cut at _FINE places. Each is off by at most 4
    units, and so is the tail after one of 0; squaring s times at most doubles an error and adds 2 each time.
    """
    if a > (_FINE << PLACES):
        return Interval(0, 1)
    s = max(0, a.bit_length() - PLACES + 1)
    y = (a << GUARD) >> s
    total, term, n = 0, 1 << _FINE, 0
    while term:
        total += term if n % 2 == 0 else -term
        n += 1
        term = (term * y >> _FINE) // n
    error = 4 * (n + 1) + 1  # one unit for y itself
    for _ in range(s):
        total = total * total >> _FINE
        error = 2 * error + 2
    return Interval(max(0, (total - error) >> GUARD), -(-(total + error) >> GUARD))


@cache
def _logistic(x: int) -> tuple[int, int]:
    decay = _decay(abs(x))
    low, high = (_ONE << PLACES) // (_ONE + decay.hi), (_ONE << PLACES) // (_ONE + decay.lo) + 1
    return (low, high) if x >= 0 else (_ONE - high, _ONE - low)


@cache
def _normal(x: int) -> tuple[int, int]:
    """Bound Φ(x) = 1/2 + (1/√(2π)) Σ (−1)ⁿ u_n/(2n + 1) with u_n = x^(2n+1)/(2ⁿ n!).

    A step loses at most 1 + x/2 ≤ 13 units, which grow by at most exp(x²/2) < 2^(3x²/4) up to any later term
    and so does the sum of all; u_n falls below one unit only where each term is less than half of the last.
    """
    if abs(x) > LARGEST << PLACES:
        return (_ONE - 1, _ONE) if x > 0 else (0, 1)
    a = abs(x) << GUARD
    total, u, n = 0, a, 0
    while u:
        total += (-1) ** n * (u // (2 * n + 1))
        n += 1
        u = (u * a >> _FINE) * a // ((2 * n) << _FINE)
    error = 64 * (n + 1) << (3 * ((a * a >> (2 * _FINE)) + 1) // 4 + 1)
    series = Interval((total - error) >> GUARD, -(-(total + error) >> GUARD))
    half = series * root_two_over_pi() * exact(Fraction(1, 2))
    low, high = (_ONE >> 1) + half.lo, (_ONE >> 1) + half.hi
    return (low, high) if x >= 0 else (_ONE - high, _ONE - low)


@cache
def _pi() -> tuple[int, int]:
    """Bound π at _FINE places by Machin's formula 16·arctan(1/5) − 4·arctan(1/239)."""
    value, terms = 0, 0
    for factor, n in ((16, 5), (-4, 239)):
        power, k = (1 << _FINE) // n, 0
        while power:
            value += factor * (-1) ** k * (power // (2 * k + 1))
            power //= n * n
            k += 1
        terms += abs(factor) * 3 * (k + 1)
    return value - terms, value + terms
