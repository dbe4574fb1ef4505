from __future__ import annotations

from fractions import Fraction
from itertools import product

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.errors import InvalidInput
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Composition, GatedMlp, Mlp, Residual
from skip_absorption.networks.canonical import canonical_form, difference, equal_functions

ALL = ["relu", "leaky_relu:1/10", "leaky_relu:-3", "gelu", "gelu_tanh", "silu"]
small = st.integers(-2, 2)


def arrays(*shape: int) -> st.SearchStrategy[np.ndarray]:
    count = int(np.prod(shape))
    return st.lists(small, min_size=count, max_size=count).map(
        lambda values: np.array([Fraction(v) for v in values], dtype=object).reshape(shape)
    )


@st.composite
def networks(draw, name: str, d: int = 2, m: int = 2, most: int = 4):
    """Return a network as a dictionary of exact arrays; no analytic unit has w = 0, b != 0."""
    width = draw(st.integers(1, most))
    w_up, b_up = draw(arrays(width, d)), draw(arrays(width))
    if activation(name).even == "analytic":
        b_up = np.where(np.any(w_up != 0, axis=1), b_up, Fraction(0))
    return {
        "w_up": w_up,
        "b_up": b_up,
        "w_down": draw(arrays(m, width)),
        "b_down": draw(arrays(m)),
        "skip": draw(arrays(m, d)),
    }


def block(net: dict[str, np.ndarray], name: str) -> Residual:
    return Residual(Mlp(net["w_up"], net["w_down"], name, net["b_up"], net["b_down"]), net["skip"])


def with_units(net, rows, biases, columns):
    return net | {
        "w_up": np.concatenate([net["w_up"], rows]),
        "b_up": np.concatenate([net["b_up"], biases]),
        "w_down": np.concatenate([net["w_down"], columns], axis=1),
    }


def flipped(net, i: int, odd: Fraction):
    """Negate unit i and put back odd * a_i (w_i.x + b_i)."""
    w_up, b_up = net["w_up"].copy(), net["b_up"].copy()
    column = net["w_down"][:, i]
    skip, b_down = net["skip"] + odd * np.outer(column, w_up[i]), net["b_down"] + odd * column * b_up[i]
    w_up[i], b_up[i] = -w_up[i], -b_up[i]
    return net | {"w_up": w_up, "b_up": b_up, "skip": skip, "b_down": b_down}


@st.composite
def same_function(draw, net, name: str):
    """Apply a few moves that keep the function."""
    act = activation(name)
    assert act.odd is not None
    for _ in range(draw(st.integers(1, 5))):
        width = len(net["w_up"])
        i = draw(st.integers(0, width - 1))
        move = draw(st.sampled_from(["permute", "flip", "split", "cancel", "idle", "scale", "constant"]))
        if move == "permute":
            order = draw(st.permutations(range(width)))
            net = net | {
                "w_up": net["w_up"][order],
                "b_up": net["b_up"][order],
                "w_down": net["w_down"][:, order],
            }
        elif move == "flip":
            net = flipped(net, i, act.odd)
        elif move == "split":
            part = draw(arrays(len(net["w_down"]), 1))
            net = with_units(net, net["w_up"][[i]], net["b_up"][[i]], part)
            net["w_down"][:, [i]] -= part
        elif move == "cancel":
            row, bias, column = draw(arrays(1, net["w_up"].shape[1])), draw(arrays(1)), draw(arrays(2, 1))
            net = with_units(with_units(net, row, bias, column), row, bias, -column)
        elif move == "idle":
            row, zero = draw(arrays(1, net["w_up"].shape[1])), np.full((2, 1), Fraction(0))
            net = with_units(net, row, draw(arrays(1)), zero)
        elif move == "scale" and act.even == "kink":
            t = draw(st.sampled_from([Fraction(1, 3), Fraction(2), Fraction(7, 5)]))
            scale = np.array([t if j == i else Fraction(1) for j in range(width)], dtype=object)
            net = net | {
                "w_up": net["w_up"] * scale[:, None],
                "b_up": net["b_up"] * scale,
                "w_down": net["w_down"] / scale,
            }
        elif move == "constant" and act.even == "kink":
            bias, column = draw(arrays(1)), draw(arrays(2, 1))
            net = with_units(net, np.full((1, 2), Fraction(0)), bias, column)
            net = net | {"b_down": net["b_down"] - act.rational(bias[0]) * column[:, 0]}
    return net


@pytest.mark.parametrize("name", ALL)
@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_moves_that_keep_the_function_keep_the_form(name: str, data):
    net = data.draw(networks(name))
    moved = data.draw(same_function(net, name))
    f, g = block(net, name), block(moved, name)
    assert canonical_form(f) == canonical_form(g)
    assert equal_functions(f, g)
    assert difference(f, g) is None


@pytest.mark.parametrize("name", ALL)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_the_least_change_of_one_weight_changes_the_function(name: str, data):
    net = data.draw(networks(name))
    moved = data.draw(same_function(net, name))
    key = data.draw(st.sampled_from(["w_down", "b_down", "skip"]))
    where = tuple(data.draw(st.integers(0, n - 1)) for n in moved[key].shape)
    if key == "w_down" and not any(moved["w_up"][where[1]]):
        return  # a unit with w = 0 only adds a constant, which may be 0
    changed = moved[key].copy()
    changed[where] += Fraction(1, 2**1000)
    f, g = block(net, name), block(moved | {key: changed}, name)
    assert canonical_form(f) != canonical_form(g)
    assert not equal_functions(f, g)
    line = difference(f, g)
    assert line
    assert "\n" not in line


def corners(values: range, step: Fraction) -> list[list[Fraction]]:
    return [[step * i, step * j] for i, j in product(values, values)]


# Kinks have |w|, |b| <= 4, so each crosses this grid in many places; the last points see the outer pieces.
GRID = [*corners(range(-9, 10), Fraction(1, 2)), *corners(range(-3, 4), Fraction(101, 3))]


@pytest.mark.parametrize("name", ["relu", "leaky_relu:-3", "leaky_relu:-1", "identity"])
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_kinks_against_values_on_a_grid(name: str, data):
    f = data.draw(networks(name, most=3))
    g = data.draw(st.one_of(networks(name, most=3), same_function(f, name)))
    if data.draw(st.booleans()):
        g = g | {"skip": f["skip"], "b_down": f["b_down"]}
    same = bool(np.all(block(f, name).rational(GRID) == block(g, name).rational(GRID)))
    assert equal_functions(block(f, name), block(g, name)) == same


def test_every_small_relu_network_in_one_dimension():
    # All pairs of two units with one bias each; equality on a complete set of points is equality.
    points = [[Fraction(i, 4)] for i in range(-16, 17)]
    units = [(w, b, a) for w in (-1, 0, 1, 2) for b in (0, 1) for a in (-1, 1, 2)]
    nets = [Mlp([[u[0]], [v[0]]], [[u[2], v[2]]], "relu", [u[1], v[1]]) for u, v in product(units, units)]
    values: dict[tuple[Fraction, ...], list[Mlp]] = {}
    for net in nets[::3]:
        values.setdefault(tuple(net.rational(points)[:, 0]), []).append(net)
    groups = list(values.values())
    assert len(groups) < len(nets[::3])
    for group in groups:
        assert all(canonical_form(net) == canonical_form(group[0]) for net in group)
    first = [canonical_form(group[0]) for group in groups]
    assert not any(first[i] == first[j] for i in range(len(first)) for j in range(i))


@pytest.fixture
def _precise():
    before = flint.ctx.prec
    flint.ctx.prec = 200
    yield
    flint.ctx.prec = before


POINTS = [[Fraction(i, 3), Fraction(j, 7)] for i in range(-3, 4) for j in range(-3, 4)]


@pytest.mark.usefixtures("_precise")
@pytest.mark.parametrize("name", ["gelu", "gelu_tanh", "silu"])
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_analytic_against_balls(name: str, data):
    f = data.draw(networks(name, most=3))
    g = data.draw(st.one_of(networks(name, most=3), same_function(f, name)))
    pairs = zip(block(f, name).ball(POINTS).flat, block(g, name).ball(POINTS).flat, strict=True)
    overlapping = all(one.overlaps(two) for one, two in pairs)
    assert equal_functions(block(f, name), block(g, name)) == overlapping


def test_families_are_told_apart_exactly():
    one = {name: Mlp([[1, 2]], [[1], [1]], name) for name in ALL}
    for first, second in product(ALL, ALL):
        assert equal_functions(one[first], one[second]) == (first == second)
    cancelled = {name: Mlp([[1, 2], [-1, -2]], [[1, -1], [0, 0]], name) for name in ALL[3:]}
    for first, second in product(cancelled, cancelled):
        assert equal_functions(cancelled[first], cancelled[second])
    line = difference(
        Residual(one["gelu"], [[-1, -2], [-1, -2]]), Residual(one["silu"], [[-1, -2], [-1, -2]])
    )
    assert line == "the even parts differ: 1 gelu terms in the first, 1 silu terms in the second"


def test_leaky_slopes_are_compared_through_their_kinks():
    # leaky_s = (1-s) ReLU + s z; so two of them differ by a linear map after rescaling.
    f = Residual(Mlp([[1, 0]], [[2], [0]], "leaky_relu:1/2"), [[0, 0], [0, 0]])
    g = Residual(Mlp([[1, 0]], [[1], [0]], "relu"), [[1, 0], [0, 0]])
    assert equal_functions(f, g)
    assert not equal_functions(f, Residual(Mlp([[1, 0]], [[1], [0]], "relu")))


def test_float_and_rational_weights_compare_exactly():
    f = Mlp(np.array([[0.1, -0.0]]), np.array([[3.0]], dtype=np.float32), "gelu", np.array([-0.5]))
    g = Mlp([[Fraction(0.1), 0]], [[3]], "gelu", [Fraction(-1, 2)])
    assert equal_functions(f, g)
    assert not equal_functions(f, Mlp([["1/10", 0]], [[3]], "gelu", ["-1/2"]))
    assert not equal_functions(f, Mlp(np.array([[np.nextafter(0.1, 1), 0]]), [[3.0]], "gelu", [-0.5]))


def test_huge_and_tiny_weights():
    up = np.array([[2.0**1000, 2.0**-1000], [5e-324, 0]])
    f = Mlp(up, [[1.0, 1.0]], "relu")
    assert equal_functions(f, Mlp(up[::-1], [[1, 1]], "relu"))
    assert not equal_functions(f, Mlp(up[:1], [[1]], "relu"))


def test_bias_none_equals_bias_zero():
    f, g = Mlp([[1, 2]], [[1]], "relu"), Mlp([[1, 2]], [[1]], "relu", [0], [0])
    assert equal_functions(f, g)
    assert canonical_form(f) == canonical_form(g)


def test_constants_of_analytic_units_are_refused_unless_they_cancel():
    f = Mlp([[0, 0], [1, 0]], [[1, 1]], "gelu", [2, 0])
    with pytest.raises(InvalidInput, match="w_up must have no unit with w = 0, b != 0 for gelu"):
        canonical_form(f)
    cancelling = Mlp([[0, 0], [0, 0], [1, 0]], [[1, -1, 1]], "gelu", [2, -2, 0], [-2])
    assert equal_functions(cancelling, Mlp([[1, 0]], [[1]], "gelu"))
    assert equal_functions(f, Mlp([[1, 0], [0, 0]], [[1, 1]], "gelu", [0, 2]))


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (Mlp([[1, 2]], [[1]], "sigmoid"), "activation must be a leaky ReLU, gelu"),
        (Mlp([[1, 2]], [[1]], "relu_squared"), "activation must be a leaky ReLU, gelu"),
        (GatedMlp([[1]], [[1]], [[1]], "silu"), "f must be an Mlp or a Residual around one; got GatedMlp"),
        (Composition([Mlp([[1]], [[1]], "relu")]), "f must be an Mlp"),
        (Residual(Residual(Mlp([[1]], [[1]], "relu"))), "f must be an Mlp"),
    ],
)
def test_other_networks_are_refused(f, message: str):
    for decide in (canonical_form, lambda f: equal_functions(f, f), lambda f: difference(f, f)):
        with pytest.raises(InvalidInput, match=message):
            decide(f)


def test_an_unknown_analytic_activation_is_refused():
    gelu = activation("gelu")
    other = Activation("mish", Fraction(1), "analytic", None, None, gelu._float, gelu._derivative, gelu._ball)
    with pytest.raises(InvalidInput, match="got mish"):
        canonical_form(Mlp([[1]], [[1]], other))


def test_different_dimensions_are_refused():
    with pytest.raises(InvalidInput, match=r"g must map R\^2 to R\^1 as f does; got R\^1 to R\^1"):
        equal_functions(Mlp([[1, 2]], [[1]], "relu"), Mlp([[1]], [[1]], "relu"))


def test_difference_names_the_place():
    f = Mlp([[1, 0], [0, 2]], [[1, 0], [0, 1]], "relu", [0, 1], [0, 3])
    other = [
        (Residual(f), "twice the coefficient of input 0 in output 0 is 1 in the first, 3 in the second"),
        (
            Mlp(f.w_up, f.w_down, "relu", f.b_up, [0, 4]),
            "twice the constant of output 1 is 7 in the first, 9 in",
        ),
        (
            Residual(
                Mlp(f.w_up, 2 * f.w_down, "relu", f.b_up, [0, Fraction(5, 2)]),
                [[-Fraction(1, 2), 0], [0, -1]],
            ),
            "the weight in output 0 of the kink at (w, b) = (1, 0, 0) is 1 in the first, 2 in the second",
        ),
    ]
    for g, words in other:
        line = difference(f, g)
        assert line is not None
        assert words in line


def test_a_form_is_not_something_else():
    form = canonical_form(Mlp([[1]], [[1]], "relu"))
    assert form != "form"
    assert form.family == "kink"
    assert canonical_form(Mlp([[1]], [[0]], "relu")).family is None


def test_the_difference_of_blocks_that_share_an_irrational_constant():
    f = Mlp([[1], [0]], [[1, 1]], "gelu", [0, 3])
    g = Mlp([[1], [0]], [[2, 1]], "gelu", [0, 3])
    assert equal_functions(f, f) and not equal_functions(f, g)
    assert difference(f, f) is None
    assert difference(f, g).startswith("beside the units that both have, the linear parts differ: ")
    with pytest.raises(InvalidInput, match="no unit with w = 0"):
        difference(f, Mlp([[1], [0]], [[1, 2]], "gelu", [0, 3]))


def test_a_difference_in_numbers_beyond_what_python_writes():
    line = difference(Mlp([[10**5000]], [[1]], "relu"), Mlp([[10**5000]], [[2]], "relu"))
    assert "(5001 characters)" in line and len(line) < 400
