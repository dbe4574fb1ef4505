from fractions import Fraction

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.balls import ball, decide_nonzero, decide_positive, enclose
from skip_absorption.exact.verdict import Verdict

RATIONALS = st.fractions(min_value=-100, max_value=100, max_denominator=10**6)


@settings(deadline=None, max_examples=60)
@given(RATIONALS, RATIONALS)
def test_verdicts_agree_with_exact_comparison(a, b):
    """sqrt(a² + 1) − b is positive, zero or negative as exact arithmetic says."""

    def number():
        return (ball(a) * ball(a) + 1).sqrt() - ball(b)

    positive = b < 0 or a * a + 1 > b * b
    zero = b >= 0 and a * a + 1 == b * b
    verdict = decide_positive(number, limit=512)
    nonzero = decide_nonzero(number, limit=512)
    if zero:
        assert nonzero is not Verdict.PROVED
        assert verdict is not Verdict.PROVED
    else:
        assert nonzero is Verdict.PROVED
        assert verdict is Verdict.of(positive)


@settings(deadline=None, max_examples=60)
@given(RATIONALS, st.sampled_from([2, 24, 53, 200]))
def test_a_ball_contains_the_rational(x, bits):
    with flint.ctx.workprec(bits):
        enclosure = ball(x)
        assert enclosure.contains(flint.fmpq(x.numerator, x.denominator))


def test_precision_doubles_until_the_difference_shows_and_is_restored():
    before = flint.ctx.prec
    tiny = Fraction(1, 2**1000)

    def number():
        return (flint.arb(1).exp() + ball(tiny)) - flint.arb(1).exp()

    last = enclose(number, lambda x: x > 0)
    assert last.reached
    assert last.bits == 1024
    assert flint.ctx.prec == before
    assert decide_nonzero(number, limit=512) is Verdict.UNKNOWN


def test_precision_is_restored_after_an_error():
    before = flint.ctx.prec

    def broken():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        enclose(broken, lambda _: True, start=300)
    assert flint.ctx.prec == before


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_what_is_not_finite_proves_nothing(value):
    assert decide_nonzero(lambda: flint.arb(value), limit=128) is Verdict.UNKNOWN
    assert decide_positive(lambda: flint.arb(value), limit=128) is Verdict.UNKNOWN


def test_an_exact_zero_is_refuted():
    assert decide_nonzero(lambda: flint.arb(0)) is Verdict.REFUTED
    assert decide_positive(lambda: flint.arb(0)) is Verdict.REFUTED


def test_a_ball_that_touches_zero_proves_nothing():
    assert decide_nonzero(lambda: flint.arb(0, 1), limit=128) is Verdict.UNKNOWN
    assert decide_positive(lambda: flint.arb(1, 1), limit=128) is Verdict.UNKNOWN


def test_limits_are_checked():
    with pytest.raises(InvalidInput, match=r"start must satisfy 2 <= start <= limit; got start 64, limit 32"):
        enclose(lambda: flint.arb(1), lambda _: True, start=64, limit=32)
