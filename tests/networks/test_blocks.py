from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.errors import InvalidInput
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Composition, GatedMlp, Mlp, Residual

small = st.integers(-3, 3)


def matrix(rows: int, columns: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(small, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


def by_hand(f: Mlp, x: list[Fraction]) -> list[Fraction]:
    hidden = []
    for i in range(f.width):
        z = sum((Fraction(int(w)) * t for w, t in zip(f.w_up[i], x, strict=True)), Fraction(0))
        hidden.append(f.activation.rational(z + (int(f.b_up[i]) if f.b_up is not None else 0)))
    return [
        sum((Fraction(int(a)) * h for a, h in zip(row, hidden, strict=True)), Fraction(0))
        + (int(f.b_down[k]) if f.b_down is not None else 0)
        for k, row in enumerate(f.w_down)
    ]


@settings(deadline=None, max_examples=40)
@given(up=matrix(3, 2), down=matrix(4, 3), b_up=matrix(1, 3), b_down=matrix(1, 4), x=matrix(1, 2))
def test_mlp_evaluators_agree_with_the_sum_by_hand(up, down, b_up, b_down, x):
    f = Mlp(up, down, "leaky_relu:1/4", b_up[0], b_down[0])
    point = [Fraction(t, 3) for t in x[0]]
    expected = by_hand(f, point)
    assert f.rational(point).tolist() == expected
    np.testing.assert_allclose(f.float(point), [float(v) for v in expected], atol=1e-12)
    for ball, value in zip(f.ball(point), expected, strict=True):
        assert ball.overlaps(flint.arb(flint.fmpq(value.numerator, value.denominator)))


def test_batches_and_single_points():
    f = Mlp([[1, 2], [0, -1], [1, 1]], [[1, 0, -2]], "relu", [0, 1, 0], [5])
    batch = [[1, 2], [-1, 0], [0, 0]]
    assert (f.d_in, f.width, f.d_out) == (2, 3, 1)
    for evaluate in (f.float, f.rational, f.ball):
        together = evaluate(batch)
        assert together.shape == (3, 1)
        for row, x in zip(together, batch, strict=True):
            assert evaluate(x).shape == (1,)
            assert row[0] == evaluate(x)[0]


def test_float_weights_are_their_dyadic_values():
    f = Mlp(np.array([[0.1]]), np.array([[3.0]], dtype=np.float32), "relu")
    assert f.rational([1])[0] == 3 * Fraction(0.1) != Fraction(3, 10)


def test_gated_mlp():
    f = GatedMlp([[1, 0], [0, 1]], [[0, 1], [1, 1]], [[1, 2], [0, -1], [1, 0]], "relu")
    assert f.rational([2, -3]).tolist() == [-6, 0, -6]
    np.testing.assert_allclose(f.float([2, -3]), [-6, 0, -6])
    assert [float(v.mid()) for v in f.ball([2, -3])] == [-6, 0, -6]
    swiglu = GatedMlp([[1.0]], [[1.0]], [[1.0]], "silu")
    assert swiglu.ball([1])[0].overlaps(activation("silu").ball(flint.arb(1)))


def test_residual_identity_and_general_skip():
    f = Mlp([[1, 0], [0, 1]], [[-1, 0], [0, -1]], "relu")
    assert Residual(f).rational([2, -3]).tolist() == [0, -3]
    assert Residual(f, [[0, 1], [1, 0]]).rational([2, -3]).tolist() == [-5, 2]
    assert Residual(f).float([2, -3]).tolist() == [0, -3]
    assert [float(v.mid()) for v in Residual(f, [[0, 1], [1, 0]]).ball([2, -3])] == [-5, 2]


def test_composition_applies_the_first_block_first():
    first = Mlp([[1, 1]], [[1], [2], [3]], "relu")
    second = Mlp([[1, 0, 1]], [[-1]], "relu", None, [1])
    chain = Composition([first, second])
    assert (chain.d_in, chain.d_out) == (2, 1)
    assert chain.rational([1, 1]).tolist() == [-7]
    assert chain.float([[1, 1], [-1, 0]]).tolist() == [[-7], [1]]
    assert float(chain.ball([1, 1])[0].mid()) == -7
    with pytest.raises(
        InvalidInput, match=r"blocks\[1\] must have input dimension 1, .* of blocks\[0\]; got 2"
    ):
        Composition([second, first])
    with pytest.raises(InvalidInput, match="blocks must be one or more networks"):
        Composition([])


def test_arrays_are_read_only_and_private():
    w_up, w_down = np.ones((2, 2)), np.ones((2, 2))
    f = Mlp(w_up, w_down, "relu")
    w_up[0, 0] = 7
    assert f.w_up[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        f.w_up[0, 0] = 2
    with pytest.raises(AttributeError):
        f.w_up = w_up  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2]], [[1, 2]], "relu"), r"w_down must have shape \(m, 1\); got \(1, 2\)"),
        (([1, 2], [[1, 2]], "relu"), "w_up must have 2 dimensions"),
        (([[1, 2]], [[1]], "relu", [1, 2]), r"b_up must have shape \(1,\); got \(2,\)"),
        (([[1, 2]], [[1]], "relu", None, [1, 2]), r"b_down must have shape \(1,\); got \(2,\)"),
        (([[float("nan"), 2]], [[1]], "relu"), r"w_up\[0, 0\] must be finite"),
        (([[1j, 2]], [[1]], "relu"), "w_up"),
        (([[1, 2], [1]], [[1]], "relu"), "w_up must have 2 dimensions"),
        (([], [[1]], "relu"), "w_up must"),
        (([[1, 2]], [[1]], "tanh"), "activation must be one of"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        Mlp(*arguments)


def test_bad_gated_and_residual_arguments():
    with pytest.raises(InvalidInput, match=r"w_val must have shape \(1, 2\)"):
        GatedMlp([[1, 2]], [[1]], [[1]], "silu")
    f = Mlp([[1, 2]], [[1]], "relu")
    with pytest.raises(InvalidInput, match="skip must be given"):
        Residual(f)
    with pytest.raises(InvalidInput, match=r"skip must have shape \(1, 2\)"):
        Residual(f, [[1], [2]])
    with pytest.raises(InvalidInput, match="block must be a network block"):
        Residual("block")  # type: ignore[arg-type]


@pytest.mark.parametrize("x", [[1, 2, 3], [[1], [2]], 1, [[[1, 2]]], []])
def test_bad_inputs(x):
    f = Mlp([[1, 2]], [[1]], "relu")
    for evaluate in (f.float, f.rational, f.ball):
        with pytest.raises(InvalidInput, match="x must"):
            evaluate(x)


def test_irrational_activation_and_oversized_weights():
    with pytest.raises(InvalidInput, match="activation must take rational values"):
        Mlp([[1]], [[1]], "gelu").rational([1])
    huge = Mlp([[10**400]], [[Fraction(1, 10**400)]], "relu")
    assert huge.rational([3]).tolist() == [3]
    with pytest.raises(InvalidInput, match="fit in double precision"):
        huge.float([1.0])
