"""The parts of X2 to X5 that know nothing of the library's answer."""

from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.claims import distance, x2, x4, x5
from skip_absorption.claims.agreement import agree_at_points
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.running import Case
from skip_absorption.exact.balls import ball
from skip_absorption.exact.rational import identity
from skip_absorption.measures import generator, integers
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Mlp, Residual


@pytest.mark.parametrize(
    "k", [Fraction(1, 8), Fraction(1, 2), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(5)]
)
def test_constants_solve_the_minimax_problem(k):
    const = distance.constant(k)
    assert 0 < const.high - const.low <= Fraction(1, 2**50)
    t = np.linspace(0, 1, 2001)
    scales = np.linspace(0.3, 2.2, 3801)
    best = np.abs(t[None] - scales[:, None] * t[None] ** float(k)).max(axis=1).min()
    assert best == pytest.approx(float(const.low), abs=2e-3)
    assert distance.is_minimax(k)


def test_a_function_that_touches_the_limit_is_not_below_it():
    with flint.ctx.workprec(64):
        assert distance.stays_below(lambda t: t * (1 - t), ball(Fraction(26, 100)))
        assert not distance.stays_below(lambda t: t * (1 - t), ball(Fraction(1, 4)))


@pytest.mark.parametrize("gate", x2.CONTINUOUS, ids=lambda gate: gate.name)
def test_gates_enclose_their_values_and_vanish_at_zero(gate):
    with flint.ctx.workprec(64):
        assert gate.ball(flint.arb(0)).contains(0)
        whole = gate.ball(flint.arb(0, 0.5))
        assert whole.is_finite()
        for z in (0.5, 0.125, -0.125, -0.5):
            assert whole.overlaps(gate.ball(flint.arb(z)))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_added_units_carry_exactly_the_skip(seed):
    case = Case(0, 3, 4, generator("test x2", "skip", seed))
    for gate, value in x2.OPEN:
        assert x2.absorbs(case, gate, value)
        assert not x2.absorbs(case, gate, 2 * value)


def test_forms_are_the_sums_term_by_term():
    rng = generator("test x4", "forms")
    instance = Instance(integers((4, 2), rng=rng), integers((2, 4), rng=rng), activation("relu"))
    matrices = x4._all_matrices(3)
    values, targets = x4.forms(instance, matrices, 3)
    for y, row, target in zip(matrices, values, targets, strict=True):
        plain = [int(instance.w_down[:, i] @ y @ instance.w_up[i]) % 3 for i in range(4)]
        assert row.tolist() == plain
        assert target == -np.trace(y) % 3
    by_zero, by_one = x4.refuting(
        np.array([[0, 0], [0, 0], [0, 1], [0, 1], [0, 2]]), np.array([0, 2, 2, 1, 2])
    )
    assert by_zero.tolist() == [False, True, False, False, False]
    assert by_one.tolist() == [-1, -1, 1, -1, -1]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(x5.ACTIVATIONS))
def test_moves_keep_the_function_and_the_routes_see_changes(seed, name):
    rng = generator("test x5", name, seed)
    f = x5._draw(Case(0, 2, 4, rng), activation(name))
    if f.act.even == "analytic":  # power sums are for networks without biases
        f = replace(f, hidden=0 * f.hidden, output=0 * f.output)
    g = x5.moved(f, rng=rng)
    assert agree_at_points(f.block, g.block, rng=rng)
    further = replace(g, skip=g.skip + 1)
    if f.act.even == "kink":
        assert x5.same_on_lines(f, g, rng=rng)
        assert not x5.same_on_lines(f, further, rng=rng)
    else:
        assert x5.same_power_sums(f, g, rng=rng)
        assert not x5.same_power_sums(f, further, rng=rng)
        doubled = replace(g, columns=2 * g.columns, skip=g.skip - g.odd * g.columns @ g.rows / 2)
        even = bool(x5.canonical_form(f.block).classes)
        assert x5.same_power_sums(f, doubled, rng=rng) != even


def test_values_that_differ_are_seen_in_balls_and_over_q():
    rng = generator("test agreement", "values")
    for name in ("relu", "gelu"):
        left = Mlp(identity(2), identity(2), name)
        right = Mlp(identity(2), [[1, 0], [0, Fraction(10**60 + 1, 10**60)]], name)
        assert agree_at_points(Residual(left), Residual(left), rng=rng)
        assert not agree_at_points(left, right, rng=rng, count=8)
