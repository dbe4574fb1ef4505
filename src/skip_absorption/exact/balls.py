"""Arb enclosures with precision escalation; every comparison returns a verdict.

A ball proves an inequality only by excluding the contrary. Where it does not, the precision doubles up to
a limit, and at the limit the answer is UNKNOWN: a quantity that is exactly zero stays undecided unless its
enclosure has radius 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.verdict import Verdict

if TYPE_CHECKING:
    import flint

START, LIMIT = 64, 4096


@dataclass(frozen=True)
class Enclosure:
    """What the last evaluation gave.

    Attributes
    ----------
    value
        The enclosure of the number.
    bits
        The working precision at which it was computed.
    reached
        Whether it satisfied the stopping rule.
    """

    value: flint.arb
    bits: int
    reached: bool


def ball(value: Fraction | float) -> flint.arb:
    """Return an enclosure of a rational at the current precision; dyadic values that fit are exact.

    Examples
    --------
    >>> ball(Fraction(1, 3)).contains(ball(Fraction(1, 3)).mid()), ball(0.5).is_exact()
    (True, True)
    """
    import flint

    exact = Fraction(value)
    return flint.arb(flint.fmpq(int(exact.numerator), int(exact.denominator)))


def enclose(
    function: Callable[[], flint.arb],
    until: Callable[[flint.arb], bool],
    *,
    start: int = START,
    limit: int = LIMIT,
) -> Enclosure:
    """Evaluate a number in balls of doubling precision until an enclosure is good enough.

    Parameters
    ----------
    function
        Computes the number from exact data at the precision that is set when it is called. It is called
        anew at each precision and must not reuse balls of an earlier one.
    until
        The stopping rule; only finite enclosures are shown to it.
    start, limit
        The first and the greatest working precision in bits.

    Raises
    ------
    InvalidInput
        Unless ``2 <= start <= limit``.
    """
    import flint

    if not 2 <= start <= limit:
        raise InvalidInput("start", "satisfy 2 <= start <= limit", f"start {start}, limit {limit}")
    bits = start
    while True:
        with flint.ctx.workprec(bits):
            value = function()
            reached = bool(value.is_finite()) and until(value)
        if reached or bits == limit:
            return Enclosure(value, bits, reached)
        bits = min(2 * bits, limit)


def decide_nonzero(function: Callable[[], flint.arb], *, start: int = START, limit: int = LIMIT) -> Verdict:
    """Decide whether a number differs from 0.

    PROVED when an enclosure excludes 0, REFUTED only when the enclosure is 0 itself with radius 0,
    UNKNOWN when neither happens up to ``limit`` bits.

    Examples
    --------
    >>> import flint
    >>> decide_nonzero(lambda: flint.arb(2).sqrt() - ball(Fraction(141421356, 10**8))).value
    'PROVED'
    >>> decide_nonzero(lambda: flint.arb(2).sqrt() ** 2 - 2, limit=256).value
    'UNKNOWN'
    """
    last = enclose(function, lambda x: x != 0 or x.is_zero(), start=start, limit=limit)
    return Verdict.of(not last.value.is_zero()) if last.reached else Verdict.UNKNOWN


def decide_positive(function: Callable[[], flint.arb], *, start: int = START, limit: int = LIMIT) -> Verdict:
    """Decide whether a number is greater than 0, with the same reading of balls as `decide_nonzero`.

    Examples
    --------
    >>> import flint
    >>> decide_positive(lambda: flint.arb.pi() - ball(Fraction(22, 7))).value
    'REFUTED'
    """
    last = enclose(function, lambda x: x > 0 or x <= 0, start=start, limit=limit)
    return Verdict.of(last.value > 0) if last.reached else Verdict.UNKNOWN
