"""The parts of the checks D1 to D8, each against a plainer computation."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from skip_absorption.claims import d1, d2, d3, d4, d5, d6, d7, d8
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.running import Case
from skip_absorption.exact.rational import identity, rank, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, planted, rationals
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Composition, Mlp, Residual
from skip_absorption.networks.normalisation import Norm
from skip_absorption.networks.transformer import Linear

P, R, U = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN


def case(name, d=3, n=4, number=0):
    return Case(number, d, n, generator("test discussion", name))


def floats(matrix):
    return to_fractions(np.asarray(matrix)).astype(np.float64)


@pytest.mark.parametrize("name", ["relu", "gelu", "leaky_relu:1/5"])
def test_d1_split_units_add_the_map(name):
    c = case("split")
    instance = Instance(
        np.array([[1, 2], [0, 1], [3, 1]]), np.array([[1, 0, 2], [0, 1, 1]]), activation(name)
    )
    linear = rationals((2, 2), rng=c.rng)
    x = c.rng.standard_normal((20, 2))
    wanted = Mlp(instance.w_up, instance.w_down, name).float(x) + x @ floats(linear).T
    assert d1.split(instance, linear).float(x) == pytest.approx(wanted)
    assert d1.split(instance, linear, sign=-1).float(x) != pytest.approx(wanted)
    assert d1.pairs(linear, instance).float(x) == pytest.approx(x @ floats(linear).T)


def test_d1_halves():
    instance = Instance(identity(2), identity(2), activation("relu"))
    linear, rng = np.array([[1, 2], [2, 4]]), case("halves").rng
    pair = d1.pairs(linear, instance)
    assert pair.width == 2
    assert d1._halves_are(pair, to_fractions(linear), rng=rng)
    assert not d1._halves_are(pair, 2 * to_fractions(linear), rng=rng)
    assert d1.pairs_are_needed(instance, linear, rng=rng) is P


@pytest.mark.parametrize("units", [(), (0,), (0, 1), (0, 1, 2), (1, 3)])
def test_d2_codimension_is_the_rank_of_the_jacobian(units):
    rng = case("codimension").rng
    w_up, w_down = rng.integers(-3, 4, (4, 3)), rng.integers(-3, 4, (3, 4))
    step, columns = 1e-6, []
    for i in units:
        for which, k in product((0, 1), range(3)):
            up, down = w_up.astype(float), w_down.astype(float)
            (up[i] if which else down[:, i])[k] += step
            moved = down[:, list(units)] @ up[list(units)] - w_down[:, list(units)] @ w_up[list(units)]
            columns.append(moved.ravel() / step)
    wanted = np.linalg.matrix_rank(np.array(columns), tol=1e-3) if columns else 0
    assert d2.codimension(w_up, w_down, units) == wanted


def test_d3_arbitrary_functions_are_functions_and_differ():
    one, two = d3.arbitrary("one"), d3.arbitrary("two")
    points = [Fraction(k, 7) for k in range(30)]
    assert [one.rational(z) for z in points] == [one.rational(z) for z in points]
    assert [one.rational(z) for z in points] != [two.rational(z) for z in points]
    assert all(one.rational(z) > 0 for z in points)
    assert len({one.rational(z) for z in points}) > 10


@pytest.mark.parametrize("kind", d3.KINDS)
def test_d3_streams_and_logits(kind):
    c = case(kind)
    network, tokens = d3.transformer(c, kind, exact=True), d3.one_hot(c)
    assert network.rational(tokens).tolist() == d3.streams(network, tokens)[-1].tolist()
    assert d3.turned(network, d3.random_basis(3, rng=c.rng), tokens) is P
    real = d3.transformer(case(kind), kind, exact=False)
    assert d3.overlap(real, d3.random_basis(3, rng=c.rng), tokens) is P


def test_d3_a_block_that_is_not_turned_is_noticed(monkeypatch):
    c = case("not turned")
    network, q, tokens = d3.transformer(c, "gelu", exact=True), d3.random_basis(3, rng=c.rng), d3.one_hot(c)
    in_new_basis = d3.in_new_basis

    def careless(net, basis):
        blocks = list(in_new_basis(net, basis).blocks)
        blocks[2] = net.blocks[2]
        return Composition(blocks)

    monkeypatch.setattr(d3, "in_new_basis", careless)
    assert d3.turned(network, q, tokens) is R
    assert d3.overlap(d3.transformer(c, "gelu", exact=False), q, tokens) is R


def nullity(norm):
    """The dimension of {K : SK = KS, K·bias = 0}, by singular values of the map on a basis of matrices."""
    d, s = norm.d_in, floats(d4.slope(norm))
    rows = []
    for i, j in product(range(d), repeat=2):
        k = np.zeros((d, d))
        k[i, j] = 1
        shift = [] if norm.bias is None else k @ norm.bias.astype(float)
        rows.append([*(s @ k - k @ s).ravel(), *shift])
    return d * d - np.linalg.matrix_rank(np.array(rows), tol=1e-9)


@pytest.mark.parametrize("gain", [[2, 3, 5], [1, 1, 4], [1, 1, 1], [0, 1, 2], [-1, 1, 3]])
@pytest.mark.parametrize("bias", [None, [0, 0, 0], [1, 1, 1], [1, 2, 4], [1, -1, 0]])
def test_d4_freedom_is_the_dimension_of_the_solutions(gain, bias):
    norm = Norm(gain, bias)
    assert d4.freedom(norm) == nullity(norm)
    if bias is not None and d4.is_generic(norm):
        assert d4.freedom(norm) == 0


def test_d4_pieces():
    rng = case("pieces").rng
    m = d4._orthogonal([2, 1], rng=rng)
    assert (m.T @ m).tolist() == identity(3).tolist()
    assert m[0, 2] == m[2, 0] == 0
    norm = Norm([2, 3, 5], [1, 2, 4], d4.EPSILON)
    pi = d4._kernel_projection(norm)
    assert rank(pi) == 1
    assert (pi @ pi).tolist() == pi.tolist()
    assert not (d4.slope(norm) @ pi).any()
    assert not (pi @ d4.slope(norm)).any()
    fixing = d4._fixing(norm.bias, rng=rng)
    assert (fixing @ to_fractions(norm.bias)).tolist() == norm.bias.tolist()
    assert d4.slope_is_right(norm, rng=rng) is P
    assert d4.fails(norm, fixing, rng=rng) is P
    assert d4.fails(norm, to_fractions(identity(3)), rng=rng) is U
    assert d4.keeps(norm, to_fractions(identity(3)), rng=rng) is P
    assert d4.keeps(norm, fixing, rng=rng) is R


def test_d5_sets_with_sum_zero_occur_and_are_found():
    kinds = [d5.KINDS.index("sum zero") * len(d5.ACTIVATIONS) + k for k in range(5)]
    for number in kinds:
        c = case("sum zero", 2, 4, number)
        instance = d5._draw(c, "sum zero")
        assert not instance.sum_over((0, 1, 2)).any()
        assert d5.flip_changes(instance, (0, 1, 2), vanishes=True, rng=c.rng) is P
        assert d5.flip_changes(instance, (0, 1, 2), vanishes=False, rng=c.rng) is R
        assert d5.flip_changes(instance, (0,), vanishes=True, rng=c.rng) is R
        assert d5.symmetric(instance, rng=c.rng) is P


@pytest.mark.parametrize("name", d6.ACTIVATIONS)
def test_d6_slopes_are_derivatives(name):
    c = case(name, 3, 5)
    wanted = rationals((3, 3), rng=c.rng)
    mlp = d6.with_slope(c, activation(name), wanted)
    assert d6.slope(mlp).tolist() == wanted.tolist()
    step = 1e-5
    jacobian = (mlp.float(step * np.eye(3)) - mlp.float(-step * np.eye(3))).T / (2 * step)
    assert jacobian == pytest.approx(floats(wanted), abs=1e-6)
    chain = Composition([mlp, mlp])
    assert d6.has_linear_part(chain, d6.product([wanted, wanted]), rng=c.rng) is P
    assert d6.has_linear_part(chain, wanted, rng=c.rng) is R


def test_d6_products_take_the_first_block_first():
    one, two = np.array([[0, 1], [0, 0]]), np.array([[1, 0], [0, 0]])
    assert d6.product([one, two]).tolist() == (two @ one).tolist()
    x = np.array([1, 2])
    assert Composition([Linear(one), Linear(two)]).rational(x).tolist() == (two @ one @ x).tolist()


@pytest.mark.parametrize("width", [1, 3, 9, 16])
def test_d7_blocks_have_the_width_that_is_stated(width):
    c = case("width", 2, 4)
    for kind in d7._KINDS:
        build = d7._gated(kind) if isinstance(kind, str) else kind.build
        left, right, x = d7._draw(c, width, build)
        assert (left.block.width, right.width) == (4, width)
        assert len(x) == 2
        assert isinstance(left, Residual)


def test_d8_the_bound_is_an_upper_bound():
    c = case("close", 2, 4)
    plant = planted(2, 4, rng=c.rng)
    instance = Instance(plant.w_up, plant.w_down, activation("gelu"))
    tolerance = Fraction(1, 1000)
    close = d8._moved(instance, plant.flip_set, plant.flip_set[0], tolerance, rng=c.rng)
    points = c.rng.standard_normal((500, 2))
    points *= d8.RADIUS / np.linalg.norm(points, axis=1, keepdims=True)
    gaps = np.linalg.norm(close.residual.float(points) - close.twin.float(points), axis=1)
    assert close.within(tolerance)
    assert 0 < gaps.max() < tolerance
    assert not close.within(tolerance / 10**6)
    assert close.further_than(tolerance, rng=c.rng) is U
    assert d8.distinct(close, rng=c.rng) is P
    assert d8.absorbed_by_none(instance, rng=c.rng) is R
