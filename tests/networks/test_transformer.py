import flint
import numpy as np
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import identity, to_fractions
from skip_absorption.measures import generator, rationals
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Composition, GatedMlp, Mlp, Residual
from skip_absorption.networks.normalisation import Norm
from skip_absorption.networks.symmetry import conjugated, in_new_basis, permuted, rescaled
from skip_absorption.networks.transformer import EXP, Attention, Head, Linear


def floats(values):
    return np.array([[float(v) for v in row] for row in values])


def head(d, h, rng):
    return Head(*(rationals(shape, rng=rng, bound=3) for shape in [(h, d)] * 3 + [(d, h)]))


def softmax_attention(attention, x):
    """Attention as the textbook writes it, with a mask and a row-wise softmax."""
    total = np.zeros_like(x)
    for part in attention.heads:
        q, k, v, o = (to_fractions(w).astype(float) for w in (part.query, part.key, part.value, part.out))
        scores = (x @ q.T) @ (x @ k.T).T
        scores[np.triu_indices(len(x), 1)] = -np.inf
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        total += weights / weights.sum(axis=1, keepdims=True) @ (x @ v.T) @ o.T
    return total


def test_attention_is_softmax_attention():
    rng = generator("test transformer", "attention")
    attention = Attention([head(3, 2, rng), head(3, 1, rng)])
    x = rng.standard_normal((4, 3)) / 4
    assert attention.float(x) == pytest.approx(softmax_attention(attention, x))
    assert floats(attention.ball(x)) == pytest.approx(attention.float(x))
    assert attention.float(x)[:2] == pytest.approx(attention.float(x[:2]))  # causal
    assert attention.float(x[:1])[0] == pytest.approx(attention.float(x[0]))
    assert EXP.float(1.0) == pytest.approx(np.e)


def test_attention_over_q_agrees_with_floats():
    rng = generator("test transformer", "rational")
    attention = Attention([head(2, 2, rng)], activation("relu_squared"))
    x = np.abs(rationals((3, 2), rng=rng)) + 1
    positive = Attention(
        [Head(identity(2), identity(2), part.value, part.out) for part in attention.heads],
        activation("relu_squared"),
    )
    assert floats(positive.rational(x)) == pytest.approx(positive.float(x))
    assert Linear([[1, 2], [3, 4]]).rational([1, 1]).tolist() == [3, 7]
    assert Linear([[1, 2], [3, 4]]).float([1, 1]).tolist() == [3, 7]


def test_norms_agree_with_their_definition():
    rng = generator("test transformer", "norms")
    gain, bias, x = rng.standard_normal(5), rng.standard_normal(5), rng.standard_normal((3, 5))
    layer, rms = Norm(gain, bias), Norm(gain)
    centred = x - x.mean(axis=1, keepdims=True)
    wanted = gain * centred / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) + bias
    assert layer.float(x) == pytest.approx(wanted)
    assert rms.float(x) == pytest.approx(gain * x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-5))
    for norm in (layer, rms):
        assert floats(norm.ball(x)) == pytest.approx(norm.float(x))
        assert norm.d_in == norm.d_out == 5
        with pytest.raises(InvalidInput, match="take rational values"):
            norm.rational([1, 2, 3, 4, 5])


def blocks(rng):
    d = 3

    def r(*shape):
        return rationals(shape, rng=rng, bound=3)

    return [
        Mlp(r(4, d), r(d, 4), "relu", r(4), r(d)),
        GatedMlp(r(4, d), r(4, d), r(d, 4), "relu"),
        Attention([head(d, 2, rng)]),
        Residual(Mlp(r(4, d), r(d, 4), "relu"), r(d, d)),
        Residual(Mlp(r(4, d), r(d, 4), "relu")),
    ]


@pytest.mark.parametrize("kind", range(5))
def test_a_conjugated_block_is_conjugated_pointwise(kind):
    rng = generator("test transformer", "conjugated")
    block = blocks(rng)[kind]
    q, inverse = np.array([[1, 2, 0], [0, 1, 0], [0, 5, 1]]), np.array([[1, -2, 0], [0, 1, 0], [0, -5, 1]])
    x = rng.standard_normal((2, 3)) / 4
    assert conjugated(block, q, inverse).float(x @ q.T) == pytest.approx(block.float(x) @ q.T)


def test_a_network_in_a_new_basis_is_the_same_function():
    rng = generator("test transformer", "basis")
    middle = blocks(rng)
    network = Composition(
        [Linear(rationals((3, 4), rng=rng)), *middle[3:], Linear(rationals((2, 3), rng=rng))]
    )
    other = in_new_basis(network, [[2, 1, 0], [0, 1, 0], [0, 0, "1/3"]])
    x = identity(4)
    assert other.rational(x).tolist() == network.rational(x).tolist()
    assert other.blocks[0].weights.tolist() != network.blocks[0].weights.tolist()


def test_permutations_and_rescalings_keep_biases():
    mlp = Mlp([[1, 2], [3, 4]], [[5, 6]], "relu", [7, 8], [9])
    x = [[1, -1], [-5, 2], [-3, 0]]
    for twin in (permuted(mlp, [1, 0]), rescaled(mlp, [2, "1/3"])):
        assert twin.rational(x).tolist() == mlp.rational(x).tolist()
    assert rescaled(mlp, [2, 1]).w_up.tolist() == [[2, 4], [3, 4]]
    assert permuted(mlp, [1, 0]).w_down.tolist() == [[6, 5]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Head([[1, 0]], [[1, 0]], [[1, 0]], [[1, 0]]), "head must have matrices of shapes"),
        (lambda: Attention([]), "heads must be one or more heads on one stream"),
        (lambda: Norm([1, 1], [1]), r"bias must have shape \(2,\); got \(1,\)"),
        (lambda: Norm([1, 1], epsilon=0), "epsilon must be positive; got 0"),
        (lambda: permuted(Mlp([[1]], [[1]], "relu"), [1]), r"order must be a permutation of 0\.\.0"),
        (lambda: rescaled(Mlp([[1]], [[1]], "relu"), [0]), "factors must be 1 nonzero numbers"),
        (
            lambda: in_new_basis(Composition([Linear([[1]]), Linear([[1]])]), [[0]]),
            "invertible matrix of size 1",
        ),
        (
            lambda: in_new_basis(Composition([Linear([[1]]), Mlp([[1]], [[1]], "relu")]), [[1]]),
            "begin and end",
        ),
        (
            lambda: conjugated(Norm([1]), identity(1), identity(1)),
            "be an MLP, a gated MLP or attention; got Norm",
        ),
    ],
)
def test_misuse_is_one_clear_error(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_balls_of_a_sequence_have_the_working_precision():
    with flint.ctx.workprec(300):
        attention = Attention([head(2, 1, generator("test transformer", "precision"))])
        values = attention.ball([[1, 2], [0, 1]])
        assert all(float(v.rad()) < 2.0**-280 for row in values for v in row)
