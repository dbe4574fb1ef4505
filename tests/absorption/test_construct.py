"""Absorbing weights: equal as functions, at the least width and at no smaller one."""

import math
from fractions import Fraction

import numpy as np
import pytest

from skip_absorption.absorption import construct
from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.construct import absorb, flip
from skip_absorption.absorption.width import minimal_width
from skip_absorption.errors import InvalidInput, NotAbsorbable, Undecided
from skip_absorption.exact.rational import identity, to_fractions
from skip_absorption.exact.residues import random_prime
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

LONG = Budget(seconds=600)
ACTIVATIONS = ["relu", "gelu", "gelu_tanh", "silu", "leaky_relu:1/10", "leaky_relu:-2"]


def random_mlp(rng, activation):
    d, n, m = (int(x) for x in rng.integers(1, 4, 3))
    n += 1
    up, down = rng.integers(-2, 3, (n, d)), rng.integers(-2, 3, (m, n))
    b_up = rng.integers(-2, 3, n) if rng.random() < 0.5 else None
    if b_up is not None and activation in {"gelu", "gelu_tanh", "silu"}:
        b_up[~up.any(axis=1)] = 0
    b_down = rng.integers(-2, 3, m) if rng.random() < 0.3 else None
    skip = rng.integers(-1, 2, (m, d)) if m != d or rng.random() < 0.5 else None
    return Mlp(up, down, activation, b_up, b_down), skip


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("seed", range(12))
def test_a_twin_at_the_least_width_and_none_below(activation, seed):
    rng = np.random.default_rng([seed, len(activation)])
    mlp, skip = random_mlp(rng, activation)
    least = minimal_width(
        mlp.w_up, mlp.w_down, activation=activation, skip=skip, b_up=mlp.b_up, b_down=mlp.b_down
    ).width
    twin = absorb(mlp, skip=skip)
    assert twin.width == max(1, least)
    assert equal_functions(Residual(mlp, skip), twin)
    assert absorb(mlp, skip=skip, width=least + 3).width == least + 3
    if least > 1:
        with pytest.raises(NotAbsorbable, match=f"the least width is {least}$"):
            absorb(mlp, skip=skip, width=least - 1)


@pytest.mark.parametrize("seed", range(10))
def test_values_agree_point_by_point(seed):
    """Without the canonical form: ReLU networks evaluated over Q at random points."""
    rng = np.random.default_rng(seed)
    mlp, skip = random_mlp(rng, "relu")
    twin = absorb(mlp, skip=skip)
    points = rng.integers(-9, 10, (40, mlp.d_in))
    assert np.array_equal(Residual(mlp, skip).rational(points), twin.rational(points))


@pytest.mark.parametrize("extra", range(4))
def test_every_number_of_extra_units(extra):
    rng = np.random.default_rng(extra)
    d, n = 3, 7
    up, down = rng.standard_normal((n, d)), rng.standard_normal((d, n))
    up[:d], down[:, : d - extra] = np.eye(d), -np.eye(d)[:, : d - extra]
    mlp = Mlp(up, down, "gelu", rng.standard_normal(n), rng.standard_normal(d))
    twin = absorb(mlp)
    assert twin.width == n + extra
    assert equal_functions(Residual(mlp), twin)
    if extra:
        with pytest.raises(
            NotAbsorbable, match=rf"width {n + extra - 1} exists: the least width is {n + extra}$"
        ):
            absorb(mlp, width=n + extra - 1)
    else:
        assert np.array_equal(np.abs(twin.w_up), np.abs(up))
        assert twin.w_up.dtype == np.float64


def test_a_flip_moves_the_bias_into_the_output():
    """x + sum a_i sigma(w_i x + b_i): flipping S = {0} adds a_0 b_0 = -3 to the output bias (X1b)."""
    mlp = Mlp([[1], [2]], [[-1, 1]], "gelu", [3, 5], [7])
    twin = absorb(mlp)
    assert twin.w_up.tolist() == [[-1], [2]]
    assert twin.b_up.tolist() == [-3, 5]
    assert twin.b_down.tolist() == [4]
    bare = absorb(Mlp([[1], [2]], [[-1, 1]], "gelu", [3, 5]))
    assert bare.b_down.tolist() == [-3]
    assert absorb(Mlp([[1], [2]], [[-1, 1]], "gelu", None, [7])).b_down.tolist() == [7]


def test_leaky_relu_scales_by_its_odd_part():
    # odd = 3/2: sigma(z) - sigma(-z) = 3z/2, so columns -2/3 absorb the identity
    mlp = Mlp(np.eye(2, dtype=int), np.array([["-2/3", 0], [0, "-2/3"]], dtype=object), "leaky_relu:1/2")
    assert absorb(mlp).width == 2
    point = [Fraction(5), Fraction(-7)]
    assert absorb(mlp).rational(point).tolist() == Residual(mlp).rational(point).tolist()


def test_dtypes_are_kept_where_they_hold_every_entry():
    rng = np.random.default_rng(0)
    up, down = rng.standard_normal((5, 2)).astype(np.float32), rng.standard_normal((2, 5)).astype(np.float32)
    wide = absorb(Mlp(up, down, "relu"), width=9)
    assert (wide.w_up.dtype, wide.w_down.dtype) == (np.float32, np.float32)
    assert np.array_equal(wide.w_up[:5], up)
    solved = absorb(Mlp(up, down, "relu"))
    assert solved.width == 7
    assert solved.w_up.dtype == np.float32
    assert solved.w_down.dtype == object  # doubled columns are fractions
    whole = absorb(Mlp(np.eye(2, dtype=int), np.eye(2, dtype=int), "relu"))
    assert whole.w_down.dtype == np.int64
    least = np.iinfo(np.int64).min
    edge = absorb(Mlp(np.array([[least]]), np.array([["1/9223372036854775808"]], dtype=object), "relu"))
    assert edge.w_up.tolist() == [[-least]]  # does not fit int64
    assert edge.width == 1


def test_floats_that_overflow_or_round_become_fractions():
    big = np.array([[1e300]])
    twin = absorb(Mlp(big, np.array([[1e-300]]), "relu"), width=2)
    assert twin.w_down.dtype == object
    assert equal_functions(Residual(Mlp(big, np.array([[1e-300]]), "relu")), twin)
    tiny = np.array([[5e-324]])
    assert absorb(Mlp(tiny, np.array([[1.0]]), "relu"), width=2).w_down.dtype == object


def test_padding_is_zero_and_a_constant_function_has_width_one():
    mlp = Mlp(-np.eye(2), np.eye(2), "relu")
    padded = absorb(mlp, width=5)
    assert padded.width == 5
    assert not padded.w_up[2:].any()
    assert not padded.w_down[:, 2:].any()
    nothing = absorb(Mlp([[1]], [[0]], "relu"), skip=[[0]])
    assert (nothing.width, nothing.w_down.tolist()) == (1, [[0]])


def test_undecided_widths_are_neither_built_nor_denied():
    rng = np.random.default_rng(0)
    n, d = 40, 6
    mlp = Mlp(rng.standard_normal((n, d)), rng.standard_normal((d, n)), "gelu")
    found = minimal_width(mlp.w_up, mlp.w_down, activation="gelu", budget=LONG)
    assert found.width is None
    with pytest.raises(Undecided, match=rf"between {found.lower} and 46, not decided; width=46 can be built"):
        absorb(mlp, budget=LONG)
    with pytest.raises(Undecided, match="width 45 is undecided"):
        absorb(mlp, width=45, budget=LONG)
    with pytest.raises(NotAbsorbable, match=f"the least width is at least {found.lower}"):
        absorb(mlp, width=n, budget=LONG)
    built = absorb(mlp, width=46, budget=LONG)  # Proposition 8(i)
    assert equal_functions(Residual(mlp), built)
    assert absorb(mlp, width=n + 2 * d, budget=LONG).w_down.dtype == np.float64


def test_flip_keeps_even_parts_and_moves_odd_ones():
    mlp = Mlp([[1, 2], [3, 4], [5, 6]], [[1, 2, 3], [4, 5, 6]], "relu", [1, 1, 1], [0, 9])
    turned = flip(mlp, [0, 2])
    assert turned.w_up.tolist() == [[-1, -2], [3, 4], [-5, -6]]
    assert turned.b_up.tolist() == [-1, 1, -1]
    assert turned.b_down.tolist() == [0, 9]
    moved = mlp.w_down[:, [0, 2]] @ mlp.w_up[[0, 2]]
    shift = mlp.w_down[:, [0, 2]] @ mlp.b_up[[0, 2]]
    back = Mlp(turned.w_up, turned.w_down, "relu", turned.b_up, turned.b_down + shift)
    assert equal_functions(mlp, Residual(back, moved))
    assert flip(Mlp(np.eye(1), np.eye(1), "gelu"), []).b_up is None
    for units in ([3], [-1], [1, 1]):
        with pytest.raises(InvalidInput, match="units must be distinct integers in"):
            flip(mlp, units)


def test_condition_3_is_a_flip():
    mlp = Mlp(identity(2), -identity(2), "gelu")
    assert equal_functions(flip(mlp, [0, 1]), Residual(mlp))
    assert not equal_functions(flip(mlp, [0]), Residual(mlp))


@pytest.mark.parametrize("width", [0, -1, 2.0, True, "3", 10**12, 10**4000])
def test_width_must_be_a_positive_integer(width):
    with pytest.raises(InvalidInput, match="width must be an integer from 1 to"):
        absorb(Mlp([[1]], [[1]], "relu"), width=width)


def test_an_irrational_constant_is_refused():
    mlp = Mlp([[1], [0]], [[-1, 1]], "silu", [0, 3])
    with pytest.raises(InvalidInput, match="b_up must be 0 where the row is zero"):
        absorb(mlp)
    assert absorb(Mlp([[1], [0]], [[-1, 1]], "relu", [0, 3])).b_down.tolist() == [3]


def test_a_wrong_construction_would_not_leave_the_function(monkeypatch):
    """The control of the last check: a twin that is not equal is never returned."""
    built = construct._built

    def wrong(found, width, rng):
        twin = built(found, width, rng)
        return Mlp(twin.w_up, 2 * to_fractions(twin.w_down), twin.activation, twin.b_up, twin.b_down)

    monkeypatch.setattr(construct, "_built", wrong)
    with pytest.raises(AssertionError, match="the construction is wrong"):
        absorb(Mlp([[1]], [[-1]], "relu"))


def test_weights_that_many_primes_divide_are_built_from_all_the_same():
    rng = np.random.default_rng(0)
    product = math.prod({random_prime(rng=rng) for _ in range(40)})
    eye = [[1, 0], [0, 1]]
    for rows in (eye, [[product, 0], [0, 1]], [[product, product], [0, product]]):
        for skip in ([[product, 0], [0, 1]], [[1, product], [product, 1]]):
            block = Mlp(rows, eye, "relu")
            for width in (4, 20):
                assert equal_functions(Residual(block, skip), absorb(block, skip=skip, width=width))
