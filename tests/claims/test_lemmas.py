"""The functionals behind Lemmas 6 and 7, against slow or classical values."""

from dataclasses import replace
from fractions import Fraction
from math import comb, factorial

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.claims import lemma_7, series
from skip_absorption.claims.lemma_6 import Kinks, full_rank, independent, probe, read_off
from skip_absorption.exact.rational import identity, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, generic_integers, rationals


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(0, 4))
def test_a_probe_isolates_one_kink(seed, d, more):
    rng = generator("test lemma 6", f"{d}", seed)
    rows, columns = generic_integers(d, d + more, rng=rng)
    kinks = Kinks(rows, columns, rationals((d, d), rng=rng))
    exact = to_fractions(rows)
    for r, row in enumerate(exact):
        found = probe(exact, r, rng=rng)
        assert row @ found.point == 0
        assert row @ found.direction != 0
        signs = [np.sign(np.delete(exact, r, axis=0) @ x) for x in found.points]
        assert all((s == signs[0]).all() and (s != 0).all() for s in signs)
    probes = [probe(exact, r, rng=rng) for r in range(len(rows))]
    assert read_off(kinks, probes).tolist() == columns.tolist()


def test_a_probe_is_refused_where_kernels_coincide():
    rng = generator("test lemma 6", "none")
    for rows in ([[1, 2], [2, 4]], [[1, 2], [0, 0]], [[0, 0], [1, 2]]):
        assert probe(to_fractions(np.array(rows)), 0, rng=rng) is None


def test_values_at_few_points_prove_nothing():
    rows = to_fractions(identity(2))
    rng = generator("test lemma 6", "rank")
    assert full_rank(rows, to_fractions(identity(2)), rng=rng) is Verdict.UNKNOWN
    four = to_fractions(np.array([[1, 0], [0, 1], [-1, 0], [0, -1]]))
    assert full_rank(rows, four, rng=rng) is Verdict.PROVED


def test_values_that_are_not_the_sum_are_refuted():
    rng = generator("test lemma 6", "told")
    kinks = Kinks(*generic_integers(2, 4, rng=rng), identity(2))
    assert independent(kinks, rng=rng) is Verdict.PROVED
    assert independent(kinks, rng=rng, told=2 * kinks.columns) is Verdict.REFUTED


@pytest.mark.parametrize("psi", series.FUNCTIONS, ids=lambda psi: psi.name)
def test_series_and_values_describe_the_same_function(psi):
    assert series.is_described(psi)
    assert not series.is_described(replace(psi, value=lambda t: psi.value(t) + t**5 / 1000))
    with flint.ctx.workprec(128):
        assert not series.is_described(replace(psi, series=lambda: [x * 2 for x in psi.series()]))
    if psi.exact is not None:
        assert not series.is_described(replace(psi, exact=lambda n: psi.exact(n) * (n + 1)))


def test_exact_coefficients_are_the_classical_ones():
    assert [series.GELU.exact(n) for n in (0, 1, 2, 3, 4, 6)] == [
        0,
        0,
        1,
        0,
        Fraction(-1, 6),
        Fraction(1, 40),
    ]
    assert [series.SILU.exact(n) for n in (0, 2, 4, 6)] == [
        0,
        Fraction(1, 4),
        Fraction(-1, 48),
        Fraction(1, 480),
    ]
    assert series.EXP.exact(5) == Fraction(1, factorial(5))


def test_ordinary_vandermonde_determinants():
    scales = [Fraction(n) for n in range(1, 5)]
    determinant = round(np.linalg.det(lemma_7.vandermonde(scales, [0, 1, 2, 3]).astype(float)))
    assert determinant == 1 * 1 * 1 * 2 * 2 * 3 == comb(4, 2) * 2


@pytest.mark.parametrize("degree", [0, 3])
def test_both_routes_agree_on_dependent_scales(degree):
    rng = generator("test lemma 7", f"{degree}")
    for scales, expected in (([1, 2], Verdict.PROVED), ([2, 2], Verdict.UNKNOWN)):
        exact = [Fraction(s) for s in scales]
        found = lemma_7.independent_values(series.GELU, exact, degree, rng=rng, limit=512)
        assert found is expected
        assert (lemma_7.independent(series.GELU, exact, degree) is Verdict.PROVED) == (
            found is Verdict.PROVED
        )


def test_a_series_that_ends_is_undecided():
    assert lemma_7.independent(series.LACUNARY, [Fraction(n) for n in range(1, 9)], 0) is Verdict.UNKNOWN
