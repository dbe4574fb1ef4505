from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest

from skip_absorption.claims.homogeneous import (
    KINDS,
    RELU_CUBED,
    RELU_ROOT,
    RELU_SQUARED,
    constants_are_consistent,
    relu_power,
    segment_bound,
    squared_gap,
    two_point_bound,
)
from skip_absorption.exact.balls import ball
from skip_absorption.exact.rational import identity
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, rationals
from skip_absorption.networks.blocks import Residual


@pytest.mark.parametrize(
    ("kind", "value"), [(RELU_SQUARED, 0.20710678), (RELU_CUBED, 0.33333333), (RELU_ROOT, 0.17157288)]
)
def test_constants_have_the_values_of_the_minimax_problem(kind, value):
    """c_k = min over λ of max over [0, 1] of |t − λ t^k|, found here on a grid."""
    t = np.linspace(0, 1, 20001)
    best = min(np.abs(t - scale * t ** float(kind.k)).max() for scale in np.linspace(0.5, 2, 3001))
    assert float(kind.constant()) == pytest.approx(value, abs=1e-8)
    assert best == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_closed_forms_are_checked(kind):
    assert constants_are_consistent(kind)
    assert not constants_are_consistent(replace(kind, constant=lambda: ball(Fraction(1, 4))))
    assert not constants_are_consistent(replace(kind, inner=lambda: ball(Fraction(1, 4))))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_blocks_are_homogeneous(kind):
    rng = generator("test homogeneous", kind.name)
    block = kind.build(rationals((3, 2), rng=rng), rationals((3, 2), rng=rng), rationals((2, 3), rng=rng))
    x = rng.standard_normal(2)
    assert block.float(4 * x) == pytest.approx(4.0 ** float(kind.k) * block.float(x))
    with flint.ctx.workprec(100):
        point = np.array([ball(float(value)) for value in x], dtype=object)
        values = block.ball(point)
        assert [float(v) for v in values] == pytest.approx(block.float(x))


def test_powers_over_q_and_in_balls():
    cubed, root = relu_power(Fraction(3)), relu_power(Fraction(1, 2))
    assert cubed.rational(Fraction(-2)) == 0
    assert cubed.rational(Fraction(3, 2)) == Fraction(27, 8)
    assert not root.is_rational
    assert float(root.ball(flint.arb(9))) == 3
    assert root.ball(flint.arb(-9)).contains(0)
    assert cubed.ball(flint.arb(0, 1)).is_finite()


@pytest.mark.parametrize("kind", [RELU_SQUARED, RELU_CUBED, RELU_ROOT], ids=lambda kind: kind.name)
def test_bounds_are_attained_along_a_ray_and_a_larger_constant_fails(kind):
    """One unit with λ = 1 ± c_k attains c_k; with λ = 3/(1 + 2^k) the two-point bound."""
    x = np.array([Fraction(1), Fraction(2)], dtype=object)
    zero, rows = 0 * identity(2), np.array([x / 5])
    left = Residual(kind.build(zero, zero, zero))
    for bound, scale in ((segment_bound, _extremal(kind)), (two_point_bound, 3 / (1 + 2 ** float(kind.k)))):
        right = kind.build(rows, rows, float(scale) * x.reshape(2, 1).astype(np.float64))
        assert bound(left, right, x, kind) is Verdict.PROVED
    right = kind.build(rows, rows, _extremal(kind) * x.reshape(2, 1).astype(np.float64))
    too_large = replace(kind, constant=lambda: kind.constant() * ball(Fraction(101, 100)))
    assert segment_bound(left, right, x, too_large) is Verdict.REFUTED


def _extremal(kind):
    constant = float(kind.constant())
    return 1 + constant if kind.k > 1 else 1 - constant


def test_the_gap_encloses_whole_intervals():
    x = np.array([Fraction(1)], dtype=object)
    left = RELU_SQUARED.build(identity(1), identity(1), identity(1))
    right = RELU_SQUARED.build(identity(1), identity(1), 2 * identity(1))
    gap = squared_gap(left, right, x, flint.arb(0.5, 0.25))
    assert gap.contains(0.5**4)
    assert gap.contains(0.75**4)
    assert gap.contains(0.25**4)
