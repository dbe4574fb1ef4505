"""The least width in plain terms: networks right for any F and G, and the library's minimum."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.absorption.condition import Absorption, decide
from skip_absorption.absorption.width import minimal_width
from skip_absorption.claims.widths import build, is_distinct, least_extra, remainder
from skip_absorption.claims.x1 import subset_sum
from skip_absorption.exact.rational import identity, rank, stack_rows
from skip_absorption.measures import generator, generic_integers, integers
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions, hypotheses


def draw(seed, act, *, biases=False):
    rng = generator("test widths", act, seed)
    w_up, w_down = generic_integers(2, 4, rng=rng, bound=2)
    hidden, output = (integers((4,), rng=rng), integers((2,), rng=rng)) if biases else (None, None)
    return Residual(Mlp(w_up, w_down, act, hidden, output), integers((2, 2), rng=rng, bound=1)), rng


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(["relu", "gelu", "leaky_relu:1/3"]), st.booleans())
def test_any_sets_give_an_equal_network_of_the_stated_width(seed, act, biases):
    block, rng = draw(seed, act, biases=biases)
    flipped = [i for i in range(4) if rng.integers(2)]
    doubled = [i for i in range(4) if i not in flipped][: int(rng.integers(3))]
    rows = block.block.w_up[doubled]
    twin = build(block, flipped, doubled)
    together = rank(stack_rows([remainder(block, flipped), rows]))
    assert twin.width == 4 + len(doubled) + 2 * (together - len(doubled))
    assert equal_functions(block, twin)
    if act != "gelu":
        points = integers((5, 2), rng=rng, bound=9)
        assert block.rational(points).tolist() == twin.rational(points).tolist()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(["relu", "gelu", "leaky_relu:1/3"]))
def test_the_minimum_is_the_library_s(seed, act):
    block, _ = draw(seed, act)
    least = least_extra(block)
    mlp = block.block
    assert minimal_width(mlp.w_up, mlp.w_down, activation=act, skip=block.skip).extra == least.extra
    assert least.lower <= least.extra <= least.upper
    assert least_extra(block, flips=False).extra >= least.extra
    assert least_extra(block, doublings=False).extra >= least.extra
    assert least_extra(block, pair=1).extra <= least.extra


@pytest.mark.parametrize(
    ("numbers", "target", "solvable"),
    [([3, 5, 7], 12, True), ([3, 5, 7], 11, False), ([2, 4], 5, False), ([1], 1, True), ([6, 6], 6, True)],
)
def test_subset_sum_becomes_absorption(numbers, target, solvable):
    mlp = subset_sum(numbers, target)
    assert mlp.width == 2 * len(numbers) + 1
    found = decide(mlp.w_up, mlp.w_down)
    assert found.verdict is (Absorption.ABSORBABLE if solvable else Absorption.NOT_ABSORBABLE)
    assert found.hypotheses == ()


def test_a_planted_example_by_hand():
    block = Residual(Mlp(identity(3), np.diag([-1, 1, 1]), "relu"))
    least = least_extra(block)
    assert (least.extra, least.flipped, least.doubled) == (2, (0,), (1, 2))
    assert remainder(block, (0,)).tolist() == np.diag([0, 1, 1]).tolist()
    assert isinstance(remainder(block, (0,))[0, 0], Fraction)


@pytest.mark.parametrize(
    ("rows", "columns", "biases", "kinks", "analytic"),
    [
        ([[1, 2], [2, 1]], [[1, 1]], None, True, True),
        ([[1, 2], [2, 4]], [[1, 1]], None, False, True),
        ([[1, 2], [-1, -2]], [[1, 1]], None, False, False),
        ([[1, 2], [1, 2]], [[1, 1]], [0, 1], True, True),
        ([[1, 2], [-1, -2]], [[1, 1]], [1, -1], False, False),
        ([[1, 2], [-2, -4]], [[1, 1]], [1, -2], False, True),
        ([[0, 0], [1, 2]], [[1, 1]], [1, 1], False, False),
        ([[1, 2], [2, 1]], [[1, 0]], None, False, False),
    ],
)
def test_distinct_units_are_the_library_s(rows, columns, biases, kinks, analytic):
    for name, wanted in (("relu", kinks), ("leaky_relu:1/3", kinks), ("gelu", analytic), ("silu", analytic)):
        assert is_distinct(Mlp(rows, columns, name, biases)) == wanted
        assert hypotheses(rows, columns, name, biases).generic == wanted
