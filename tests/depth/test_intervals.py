"""Fixed-point intervals, against balls at a much higher precision."""

from fractions import Fraction

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.depth import intervals
from skip_absorption.depth.intervals import PLACES, Interval, exact

fractions = st.fractions(-30, 30, max_denominator=10**6)
ULP = Fraction(1, 1 << PLACES)


def contains(interval: Interval, value: Fraction) -> bool:
    return interval.lo * ULP <= value <= interval.hi * ULP


@settings(deadline=None)
@given(fractions, fractions, fractions, fractions)
def test_arithmetic_encloses(a, b, c, d):
    x, y = (Interval(exact(min(pair)).lo, exact(max(pair)).hi) for pair in ((a, b), (c, d)))
    for p in (a, b, (a + b) / 2):
        for q in (c, d, (c + d) / 2):
            assert contains(x + y, p + q)
            assert contains(x - y, p - q)
            assert contains(x * y, p * q)
        assert contains(-x, -p)
        assert contains(intervals.square(x), p * p)


def test_a_square_is_not_negative():
    assert intervals.square(Interval(-3 << PLACES, 2 << PLACES)).lo == 0


def enclosed(interval: Interval, value: flint.arb, slack: int) -> None:
    """Assert that an interval holds a ball's number and is at most so many units wide."""
    scale = flint.arb(2) ** PLACES
    assert interval.lo <= (value * scale).upper()
    assert interval.hi >= (value * scale).lower()
    assert flint.arb(interval.lo) <= value * scale
    assert flint.arb(interval.hi) >= value * scale
    assert interval.hi - interval.lo <= slack


def held(z: Fraction) -> Interval:
    """Return a point that fixed point holds exactly, next to z."""
    return Interval(exact(z).lo, exact(z).lo)


def functions(z: Fraction) -> dict[str, flint.arb]:
    """Return the values at that point, in balls."""
    point = flint.arb(flint.fmpq(exact(z).lo, 1 << PLACES))
    return {
        "logistic": 1 / (1 + (-point).exp()),
        "normal": (-point / flint.arb(2).sqrt()).erfc() / 2,
        "density": (-point * point / 2).exp() / (2 * flint.arb.pi()).sqrt(),
    }


@settings(deadline=None, max_examples=60)
@given(fractions)
@pytest.mark.parametrize("name", ["logistic", "normal", "density"])
def test_functions_enclose_and_are_tight(name, z):
    with flint.ctx.workprec(1200):
        enclosed(getattr(intervals, name)(held(z)), functions(z)[name], 16)


def forget():
    for function in (intervals._logistic, intervals._normal, intervals._pi, intervals.root_two_over_pi):
        function.cache_clear()


@pytest.fixture
def uncached():
    forget()
    yield
    forget()


@pytest.mark.parametrize("guard", [0, 3, 16])
@pytest.mark.parametrize("z", ["0", "1/3", "-2/7", "5/4", "-17/3", "31/3", "23", "-47/2"])
@pytest.mark.usefixtures("uncached")
def test_with_too_few_places_results_are_wide_and_not_wrong(monkeypatch, guard, z):
    """The places inside the functions hide their errors; without them the bounds of the errors show."""
    monkeypatch.setattr(intervals, "GUARD", guard)
    monkeypatch.setattr(intervals, "_FINE", PLACES + guard)
    with flint.ctx.workprec(1200):
        for name, value in functions(Fraction(z)).items():
            enclosed(getattr(intervals, name)(held(Fraction(z))), value, 1 << 700)


@pytest.mark.parametrize("name", ["logistic", "normal"])
def test_functions_of_an_interval_reach_from_end_to_end(name):
    function = getattr(intervals, name)
    low, high = exact(Fraction(-3, 7)), exact(Fraction(5, 3))
    wide = function(Interval(low.lo, high.hi))
    assert wide.lo == function(low).lo
    assert wide.hi == function(high).hi


@pytest.mark.parametrize("z", [23, 24, 25, 60, 10**9])
def test_far_out_the_normal_distribution_is_one_or_zero(z):
    one = 1 << PLACES
    assert one - 3 <= intervals.normal(exact(z)).lo <= one <= intervals.normal(exact(z)).hi <= one + 2
    assert -2 <= intervals.normal(exact(-z)).lo <= 0 <= intervals.normal(exact(-z)).hi <= 3


def test_the_density_of_an_interval_around_zero_has_its_top_inside():
    wide = intervals.density(Interval(exact(-1).lo, exact(2).hi))
    assert wide.hi >= intervals.density(exact(0)).lo
    assert wide.lo <= intervals.density(exact(2)).hi


def test_constants():
    with flint.ctx.workprec(1200):
        enclosed(intervals.root_two_over_pi(), (2 / flint.arb.pi()).sqrt(), 3)
        low, high = intervals._pi()
        assert low < flint.arb.pi() * flint.arb(2) ** intervals._FINE < high
