"""X6: its decisions on known cases, and copies of its parts that are wrong must turn it red."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from skip_absorption.claims import series, x6
from skip_absorption.claims.running import Case
from skip_absorption.depth import checker
from skip_absorption.depth.counts import plain_dimension
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator

HALF, ONE, TWO = Fraction(1, 2), Fraction(1), Fraction(2)


def case(d: int = 2, n: int = 2) -> Case:
    return Case(0, d, n, generator("test x6", f"{d}/{n}", 0))


def run(cases: int = 6) -> Verdict:
    return x6.check(cases=cases, dims=[(2, 2)], seed=0).verdict


@pytest.mark.parametrize("widths", [[1], [3], [1, 1], [2, 1], [1, 3], [2, 3, 2]])
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_the_dimension_is_decided_both_ways(widths, off):
    verdict = x6.has_dimension(case(), "gelu", widths, plain_dimension(2, widths) + off)
    assert verdict is Verdict.of(off == 0)


def test_confluent_columns_are_independent_iff_squares_differ():
    exponents = series.SILU.exponents(-1, 6)
    assert exponents == [2, 4, 6, 8, 10, 12]
    assert x6.confluent([HALF, -ONE, TWO], exponents) is Verdict.PROVED
    assert x6.confluent([HALF, -HALF, TWO], exponents) is Verdict.REFUTED
    assert x6.confluent([HALF, Fraction(0), TWO], exponents) is Verdict.REFUTED
    assert x6.confluent([HALF, ONE, TWO], exponents[:5]) is Verdict.UNKNOWN


def test_the_limit_is_decided_in_a_direction_that_tells_all_neurons_apart():
    assert x6.limit_is_injective(case(1), series.SILU, 25) is Verdict.PROVED  # some drawn scales coincide


def test_the_claim_holds():
    assert run() is Verdict.PROVED


def test_a_derivative_that_is_wrong_is_noticed(monkeypatch):
    wrong = replace(x6.activation("gelu"), _derivative_ball=x6.activation("silu")._derivative_ball)
    monkeypatch.setattr("skip_absorption.depth.analytic.activation", lambda _: wrong)
    assert run(1) is not Verdict.PROVED


def test_a_count_that_is_wrong_is_noticed(monkeypatch):
    monkeypatch.setattr(x6, "plain_dimension", lambda d, widths: plain_dimension(d, widths) + 1)
    assert run(1) is Verdict.REFUTED


def test_a_checker_that_rejects_everything_is_noticed(monkeypatch):
    monkeypatch.setattr(x6, "recheck", lambda _: checker.Outcome(False, "no"))
    assert x6.has_full_rank(case(), "gelu", [2, 2]) is Verdict.UNKNOWN  # what is not accepted is not refuted
    assert run(1) is not Verdict.PROVED


def test_a_checker_that_accepts_everything_is_noticed(monkeypatch):
    monkeypatch.setattr(x6, "recheck", lambda data: checker.Outcome(True, "", data["rank"], data["rank"]))
    control = x6.check(cases=1, dims=[(2, 2)], seed=0).controls[-1]
    assert (control.name, control.rejected) == ("certificates with one change", False)


def test_equal_rows_are_refused_and_different_ones_are_not():
    rng = np.random.default_rng(0)
    layers = x6.draw_layers(2, [2, 1], rng=rng)
    assert not x6._is_refused(layers, rng=rng)
    assert x6._is_refused(x6._with_row(layers, 1, layers[0].w_up[0]), rng=rng)
