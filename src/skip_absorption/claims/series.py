"""Analytic functions with their Taylor coefficients, in balls and over Q: the material of Lemma 7 and X6."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import factorial
from typing import TYPE_CHECKING

from skip_absorption.exact.balls import ball
from skip_absorption.networks.activations import activation

if TYPE_CHECKING:
    import flint

LONGEST = 120  # terms of a power series
BITS = 512  # the precision at which a coefficient's vanishing is read off


@dataclass(frozen=True)
class Series:
    """An analytic function: its Taylor coefficients, and its values where the library has them.

    Attributes
    ----------
    series
        Encloses the first ``LONGEST`` Taylor coefficients at the current precision.
    exact
        The coefficient of t^n over Q, up to one common factor; None where they are irrational.
    value
        Encloses ψ(t).
    """

    name: str
    series: Callable[[], list[flint.arb]]
    exact: Callable[[int], Fraction] | None
    value: Callable[[flint.arb], flint.arb]

    def exponents(self, beyond: int, count: int) -> list[int]:
        """Return the first exponents > ``beyond`` with a nonzero coefficient, fewer if the series ends."""
        return [n for n in _nonzero(self) if n > beyond][:count]


@cache
def _nonzero(psi: Series) -> list[int]:
    if psi.exact is not None:
        return [n for n in range(LONGEST) if psi.exact(n)]
    import flint

    with flint.ctx.workprec(BITS):
        return [n for n, x in enumerate(psi.series()) if x != 0]


def _even_part(name: str) -> Callable[[flint.arb], flint.arb]:
    """Return E(z) = σ(z) − cz from the library's activation."""
    act = activation(name)
    assert act.odd is not None
    odd = act.odd
    return lambda z: act.ball(z) - ball(odd / 2) * z


def _power_series(build: Callable[[flint.arb_series], flint.arb_series]) -> Callable[[], list[flint.arb]]:
    def coefficients() -> list[flint.arb]:
        import flint

        cap, flint.ctx.cap = flint.ctx.cap, LONGEST
        try:
            terms = list(build(flint.arb_series([0, 1])).coeffs())
        finally:
            flint.ctx.cap = cap
        return terms + [flint.arb(0)] * (LONGEST - len(terms))

    return coefficients


def _gelu_series(z: flint.arb_series) -> flint.arb_series:
    return z / 2 * (z / ball(2).sqrt()).erf()


def _tanh(z: flint.arb_series) -> flint.arb_series:
    grown = (2 * z).exp()
    return (grown - 1) / (grown + 1)


def _gelu_tanh_series(z: flint.arb_series) -> flint.arb_series:
    import flint

    cubic = ball(Fraction(44715, 10**6))
    return z / 2 * _tanh((2 / flint.arb.pi()).sqrt() * (z + cubic * z * z * z))


def _silu_series(z: flint.arb_series) -> flint.arb_series:
    return z / 2 * _tanh(z / 2)


def _gelu_exact(n: int) -> Fraction:
    """Return √(2π) times the coefficient of z^n in (z/2)·erf(z/√2), display (2)."""
    half = n // 2 - 1
    if n % 2 or half < 0:
        return Fraction(0)
    return Fraction((-1) ** half, 2**half * factorial(half) * (2 * half + 1))


def _silu_exact(n: int) -> Fraction:
    """Return the coefficient of z^n in (z/2)·tanh(z/2), (2^n − 1)B_n/n! for even n ≥ 2."""
    import flint

    if n % 2 or n < 2:
        return Fraction(0)
    b = flint.fmpq.bernoulli(n)
    return Fraction((2**n - 1) * int(b.p), int(b.q) * factorial(n))


def _is_power_of_three(n: int) -> bool:
    return n in (1, 3, 9, 27, 81)


def _lacunary_value(t: flint.arb) -> flint.arb:
    """Enclose Σ t^(3^j)/3^j! for |t| ≤ 1: the first terms, and a bound of the others."""
    import flint

    total = sum((t**n / factorial(n) for n in (1, 3, 9, 27, 81)), flint.arb(0))
    return total + flint.arb(0, 1) * ball(Fraction(2, factorial(243)))


GELU = Series("GELU", _power_series(_gelu_series), _gelu_exact, _even_part("gelu"))
SILU = Series("SiLU", _power_series(_silu_series), _silu_exact, _even_part("silu"))
GELU_TANH = Series("tanh-GELU", _power_series(_gelu_tanh_series), None, _even_part("gelu_tanh"))
EXP = Series("exp", _power_series(lambda z: z.exp()), lambda n: Fraction(1, factorial(n)), lambda z: z.exp())
LACUNARY = Series(
    "Σ t^(3^j)/3^j!",
    lambda: [ball(Fraction(_is_power_of_three(n), factorial(n))) for n in range(LONGEST)],
    lambda n: Fraction(_is_power_of_three(n), factorial(n)),
    _lacunary_value,
)
FUNCTIONS = (GELU, SILU, GELU_TANH, EXP, LACUNARY)


def is_described(psi: Series) -> bool:
    """Whether series, exact coefficients and the library's values agree to 200 bits (at t = 1/32)."""
    import flint

    with flint.ctx.workprec(BITS):
        terms, t = psi.series(), Fraction(1, 32)
        total = sum((x * ball(t**n) for n, x in enumerate(terms)), flint.arb(0))
        agree = abs(psi.value(ball(t)) - total) < 2.0**-200
        if psi.exact is None:
            return bool(agree)
        first = psi.exponents(-1, 1)[0]
        return bool(agree) and all(
            (x * ball(psi.exact(first)) - terms[first] * ball(psi.exact(n))).contains(0)
            for n, x in enumerate(terms)
        )
