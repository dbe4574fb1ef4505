"""The parts of X7a, X7b and X7c that their controls do not reach."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.claims import x7a, x7b, x7c
from skip_absorption.claims.ledger import run_claim
from skip_absorption.claims.running import Case
from skip_absorption.depth.folding import fold_box, unfolded
from skip_absorption.depth.functional_dimension import functional_dimension
from skip_absorption.depth.relu_regions import regions
from skip_absorption.exact.rational import is_zero, rank, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, integers
from skip_absorption.networks.blocks import Composition, Mlp, Residual


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(0, 3))
def test_derivatives_are_difference_quotients(seed, number):
    case = Case(number, 2, 3, generator("test x7a", "derivative", seed))
    residual, plain = x7a._draw(case)
    x = x7a._generic_point(case, residual, plain)
    slope = x7a.derivative(residual, x)
    u = to_fractions(integers((2,), rng=case.rng))
    step = to_fractions(np.array([1]))[0] / 2**80
    moved = Composition(residual).rational(x + step * u) - Composition(residual).rational(x)
    assert is_zero(moved / step - slope @ u)
    assert plain[0].width < 4
    assert x7a.told_apart(residual, plain, x)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(0, 3))
def test_kernel_vectors(seed, count):
    rng = generator("test x7a", "kernel", seed)
    rows = to_fractions(integers((count, 4), rng=rng, bound=2))
    u = x7a.kernel_vector(rows, 4)
    assert not is_zero(u)
    assert count == 0 or is_zero(rows @ u)
    assert rank(rows) < 4


def test_the_same_composition_is_not_told_apart():
    case = Case(1, 2, 3, generator("test x7a", "same", 0))
    residual, plain = x7a._draw(case)
    x = x7a._generic_point(case, residual, plain)
    assert not x7a.told_apart(residual, residual, x)
    assert not x7a.told_apart(plain, plain, x)


def test_the_argument_needs_a_derivative_of_full_rank():
    eye = np.eye(2, dtype=np.int64)
    kink, plain = Residual(Mlp(eye, -eye, "relu")), Mlp([[1, 1]], [[1], [0]], "relu")
    x = to_fractions(np.array([0.5, 1.0]))
    assert x7a.narrow_side([plain], x) is not None
    assert is_zero(x7a.derivative([kink], x))
    assert not x7a.told_apart([kink], [plain], x)  # although kink moves on the way from x to x + u


def test_a_dimension_below_or_above_the_bounds_is_refuted(monkeypatch):
    case = Case(0, 2, 3, generator("test x7b", "short", 0))
    network = x7b.draw(case, "gaussian", 1.0, 2)
    assert x7b.is_bounded(network, rng=case.rng)[0] is Verdict.PROVED
    for wrong in (functional_dimension(network, regions(network).points) - 7, 3 * 6 + 1):
        monkeypatch.setattr(x7b, "total_dimension", lambda *_, p, wrong=wrong: wrong)
        assert x7b.is_bounded(network, rng=case.rng)[0] is Verdict.REFUTED


def test_the_comparison_sees_one_wrong_sector():
    rng = generator("test x7c", "sector")
    residual = fold_box(5, rng=rng).inside(rng=rng)
    plain = unfolded(residual[0])
    assert x7c.compare(residual, plain) == (0, 10)
    assert x7c.compare(residual, plain[4:])[0] > 0
    assert x7c.stays_put(residual)


@pytest.mark.parametrize("pair", [(3, 4), (2, 3)])
def test_sizes_without_a_fold_are_no_pass(pair):
    result = run_claim("x7c", cases=1, dims=[pair])
    assert result["verdict"] == "UNKNOWN"
    assert "(2, N) with N >= 4" in result["found"]
