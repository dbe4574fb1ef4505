from fractions import Fraction

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, external_data_helper, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.generated import MODELS, write_checkpoint
from skip_absorption.checkpoints.generated_onnx import Builder
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.blocks import GatedMlp

D, N = 4, 6


def read(path):
    with open_tensors(path) as tensors:
        return [(block, block.load(tensors)) for block in find_blocks(tensors)]


def layer_norm(x):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


def composed(blocks, x):
    """Evaluate blocks one after another, each with its norm where it is said to stand."""
    for block, mlp in blocks:
        if block.norm == "pre":
            x = x + mlp.float(layer_norm(x))
        elif block.norm == "post":
            x = layer_norm(x + mlp.float(x))
        else:
            assert block.norm == "none"
            x = x + mlp.float(x)
    return x


@pytest.mark.parametrize("model", MODELS)
def test_the_blocks_compute_what_the_model_computes(tmp_path, model):
    written = write_checkpoint(tmp_path, model, rng=np.random.default_rng(0), form="onnx", layers=3)
    blocks = read(written.path)
    assert [(b.activation, b.norm) for b, _ in blocks] == [(k.activation, k.norm) for k in written.blocks]
    for (_, mlp), known in zip(blocks, written.blocks, strict=True):
        assert np.array_equal(mlp.w_down, known.w_down.astype(np.float64))
        assert np.array_equal(mlp.w_val if isinstance(mlp, GatedMlp) else mlp.w_up, known.w_up)
    x = np.random.default_rng(1).standard_normal((5, 8))
    (expected,) = ReferenceEvaluator(str(written.path)).run(None, {"x": x.astype(np.float32)})
    np.testing.assert_allclose(composed(blocks, x), expected, rtol=1e-3, atol=1e-3)


class Net(Builder):
    """A builder with the weights of one block, and shortcuts for its parts."""

    def __init__(self, seed=0):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.up, self.down = (rng.standard_normal(s).astype(np.float32) for s in ((N, D), (D, N)))
        self.b_up, self.b_down = (rng.standard_normal(k).astype(np.float32) for k in (N, D))

    def hidden(self, x="x"):
        return self.affine(x, self.up, self.b_up, "up")

    def out(self, h):
        return self.affine(h, self.down, self.b_down, "down")

    def mlp(self, x="x"):
        return self.out(self.add("Relu", self.hidden(x)))

    def read(self, tmp_path, output):
        self.save(tmp_path / "m.onnx", D, output, D)
        onnx.checker.check_model(str(tmp_path / "m.onnx"), full_check=True)
        return read(tmp_path / "m.onnx")

    def one(self, tmp_path, output):
        """Return the only block, after a comparison of its weights and, for no norm, of the whole model."""
        ((block, mlp),) = self.read(tmp_path, output)
        if block.norm == "none":
            x = np.random.default_rng(2).standard_normal((3, D))
            (expected,) = ReferenceEvaluator(str(tmp_path / "m.onnx")).run(None, {"x": x.astype(np.float32)})
            np.testing.assert_allclose(x + mlp.float(x), expected, rtol=1e-4, atol=1e-4)
        return block, mlp


def erf_gelu(net, z, order):
    half, one = net.number(0.5), net.number(1)
    erf = net.add("Erf", net.add("Mul", z, net.number(0.5**0.5)))
    plus = net.add("Add", one, erf)
    if order == 0:
        return net.add("Mul", half, net.add("Mul", z, plus))
    if order == 1:
        return net.add("Mul", net.add("Mul", plus, half), z)
    if order == 2:
        return net.add("Div", net.add("Mul", plus, z), net.number(2))
    return net.add("Mul", z, net.add("Add", net.add("Mul", half, erf), half))


@pytest.mark.parametrize("order", range(4))
def test_gelu_in_every_order_of_its_factors(tmp_path, order):
    net = Net()
    block, _ = net.one(tmp_path, net.add("Add", "x", net.out(erf_gelu(net, net.hidden(), order))))
    assert (block.activation, block.norm, block.d, block.n) == ("gelu", "none", D, N)


def test_gelu_tanh_in_its_fast_form(tmp_path):
    net = Net()
    z = net.hidden()
    square = net.add("Mul", net.add("Mul", net.number(0.044715), z), z)
    inner = net.add("Mul", net.add("Mul", z, net.number(0.7978845608)), net.add("Add", net.number(1), square))
    curve = net.add("Add", net.number(1), net.add("Tanh", inner))
    output = net.add("Add", net.out(net.add("Mul", net.add("Mul", net.number(0.5), z), curve)), "x")
    assert net.one(tmp_path, output)[0].activation == "gelu_tanh"


def test_leaky_relu_has_the_slope_that_is_stored(tmp_path):
    net = Net()
    block, _ = net.one(tmp_path, net.add("Add", "x", net.out(net.add("LeakyRelu", net.hidden(), alpha=0.01))))
    assert block.activation == f"leaky_relu:{Fraction(float(np.float32(0.01)))}"
    net = Net()  # the standard's default is a float32, too
    plain, _ = net.one(tmp_path, net.add("Add", "x", net.out(net.add("LeakyRelu", net.hidden()))))
    assert plain.activation == block.activation


def not_gelu(net, z, what):
    """Return something that is nearly an activation, but is none."""
    if what == "quick gelu":
        return net.add("Mul", z, net.add("Sigmoid", net.add("Mul", z, net.number(1.702))))
    if what == "twice":
        return net.add(
            "Mul", z, net.add("Add", net.add("Erf", net.add("Mul", z, net.number(0.5**0.5))), net.number(1))
        )
    if what == "erf of z":
        return net.add(
            "Mul", net.number(0.5), net.add("Mul", z, net.add("Add", net.add("Erf", z), net.number(1)))
        )
    if what == "erf minus one":
        erf = net.add("Erf", net.add("Mul", z, net.number(0.5**0.5)))
        return net.add("Mul", net.number(0.5), net.add("Mul", z, net.add("Add", erf, net.number(-1))))
    if what == "erf for tanh":
        return net.add(
            "Mul", net.number(0.5), net.add("Mul", z, net.add("Add", net.add("Tanh", z), net.number(1)))
        )
    if what == "a little more than gelu":
        erf = net.add("Erf", net.add("Mul", z, net.number(0.5**0.5)))
        return net.add("Mul", net.number(0.501), net.add("Mul", z, net.add("Add", erf, net.number(1))))
    if what == "sigmoid of a little less":
        return net.add("Mul", z, net.add("Sigmoid", net.add("Mul", z, net.number(0.999))))
    if what == "cube of relu":
        relu = net.add("Relu", z)
        return net.add("Mul", relu, net.add("Mul", relu, relu))
    if what == "scaled relu":
        return net.add("Mul", net.number(0.5), net.add("Relu", z))
    if what == "relu of a sum":
        return net.add("Relu", net.add("Add", z, net.affine("x", net.up, None, "other")))
    return net.add("Tanh", z)


@pytest.mark.parametrize(
    "what",
    [
        "quick gelu",
        "twice",
        "erf of z",
        "erf minus one",
        "erf for tanh",
        "a little more than gelu",
        "sigmoid of a little less",
        "cube of relu",
        "scaled relu",
        "relu of a sum",
        "tanh",
    ],
)
def test_what_is_nearly_an_activation_is_not_taken_for_one(tmp_path, what):
    net = Net()
    output = net.add("Add", "x", net.out(not_gelu(net, net.hidden(), what)))
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        net.read(tmp_path, output)


@pytest.mark.parametrize("gate", ["sigmoid", "relu", "gelu", "gelu_tanh", "silu", "relu_squared", "identity"])
@pytest.mark.parametrize("written_out", [False, True])
def test_every_gate(tmp_path, gate, written_out):
    net = Net()
    z, other = net.affine("x", net.up, None, "up"), net.affine("x", 2 * net.up[::-1], None, "gate")
    gated = net.add("Mul", net.activate(gate, other, written_out=written_out), z)
    y = net.affine(gated, net.down, None, "down")
    block, mlp = net.one(tmp_path, net.add("Add", "x", y))
    assert (block.kind, block.activation) == ("gated", gate)
    assert isinstance(mlp, GatedMlp)


def test_a_gate_on_another_input_is_none(tmp_path):
    net = Net()
    z, other = net.affine("x", net.up, None, "up"), net.affine(net.add("Tanh", "x"), net.up, None, "gate")
    y = net.affine(net.add("Mul", net.add("Sigmoid", other), z), net.down, None, "down")
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        net.read(tmp_path, net.add("Add", "x", y))


def not_a_skip(net, what):
    """Return the output of a model with an MLP and a sum that is no skip around it."""
    y = net.mlp()
    if what == "no sum":
        return y
    if what == "scaled skip":
        return net.add("Add", net.add("Mul", "x", net.number(2)), y)
    if what == "scaled mlp":
        return net.add("Add", "x", net.add("Mul", y, net.number(2)))
    if what == "itself":
        return net.add("Add", y, y)
    if what == "another value":
        return net.add("Add", y, net.affine("x", np.eye(D, dtype=np.float32), None, "other"))
    if what == "a constant":
        return net.add("Add", y, net.tensor(np.ones((3, D), np.float32)))
    return net.add("Add", "x", net.add("Transpose", y, perm=[1, 0]))


@pytest.mark.parametrize(
    "what", ["no sum", "scaled skip", "scaled mlp", "itself", "another value", "a constant", "transposed"]
)
def test_an_mlp_without_its_skip_is_no_block(tmp_path, what):
    net = Net()
    with pytest.raises(InvalidInput, match="1 MLPs without a skip"):
        net.save(tmp_path / "m.onnx", D, not_a_skip(net, what), D)
        read(tmp_path / "m.onnx")


@pytest.mark.parametrize("written_out", [False, True])
def test_where_the_norm_stands(tmp_path, written_out):
    net = Net()
    assert (
        net.one(tmp_path, net.norm(net.add("Add", net.mlp(), "x"), D, written_out=written_out))[0].norm
        == "post"
    )
    net = Net()
    output = net.add("Add", net.mlp(net.norm("x", D, written_out=written_out)), "x")
    assert net.one(tmp_path, output)[0].norm == "pre"
    net = Net()  # the sum is read by a norm, and carried on past it: this block has no norm of its own
    total = net.add("Add", net.mlp(), "x")
    ((block, _),) = net.read(tmp_path, net.add("Add", net.norm(total, D, written_out=written_out), total))
    assert block.norm == "none"
    net = Net()  # the skip begins after the norm: again no norm inside
    normed = net.norm("x", D, written_out=written_out)
    ((block, _),) = net.read(tmp_path, net.add("Add", net.mlp(normed), normed))
    assert block.norm == "none"


def test_a_root_mean_square_norm_written_out(tmp_path):
    net = Net()
    square = net.add("ReduceMean", net.add("Mul", "x", "x"), net.tensor(np.array([-1])))
    inverse = net.add("Reciprocal", net.add("Sqrt", net.add("Add", square, net.number(1e-6))))
    normed = net.add("Mul", net.tensor(np.ones(D, np.float32)), net.add("Mul", "x", inverse))
    assert net.one(tmp_path, net.add("Add", net.mlp(normed), "x"))[0].norm == "pre"


def test_something_else_before_the_mlp_is_said_to_be_unknown(tmp_path):
    net = Net()
    block, _ = net.one(tmp_path, net.add("Add", net.mlp(net.add("Tanh", "x")), "x"))
    assert block.norm == "unknown"
    net = Net()
    convolved = net.norm(net.affine("x", np.eye(D, dtype=np.float32), None, "mixed"), D, written_out=False)
    block, _ = net.one(tmp_path, net.add("Add", net.mlp(convolved), "x"))
    assert block.norm == "pre"
    assert "MLP(Norm(f(x)))" in block.map_in_words


def test_layer_scale_and_a_bias_after_the_sum(tmp_path):
    net = Net()
    scaled = net.add("Mul", net.mlp(), net.tensor(np.array([0.5, 3, -1, 0.1], np.float32)))
    block, mlp = net.one(tmp_path, net.add("Add", scaled, "x"))
    assert block.scale is not None
    assert mlp.w_down[1, 0] == 3 * float(net.down[1, 0])
    net = Net()
    bare = net.affine(net.add("Relu", net.hidden()), net.down, None, "down")
    block, mlp = net.one(tmp_path, net.add("Add", net.add("Add", bare, "x"), net.tensor(net.b_down)))
    assert np.array_equal(mlp.b_down, net.b_down)
    net = Net()
    late = net.add(
        "Add",
        net.add("Add", net.affine(net.add("Relu", net.hidden()), net.down, None, "down"), "x"),
        net.tensor(net.b_down),
    )
    assert net.one(tmp_path, net.norm(late, D, written_out=True))[0].norm == "post"


def test_weights_behind_other_nodes(tmp_path):
    net = Net()
    stored = net.tensor(net.up)
    turned = net.add("Transpose", net.add("Identity", stored), perm=[1, 0])
    z = net.add("Add", net.add("MatMul", "x", turned), net.tensor(net.b_up))
    net.nodes.append(
        helper.make_node("Constant", [], ["constant"], value=numpy_helper.from_array(net.down.T.copy()))
    )
    y = net.add("MatMul", net.add("Relu", net.add("Identity", z)), "constant")
    block, mlp = net.one(tmp_path, net.add("Add", net.add("Dropout", y), "x"))
    assert (block.up.name, block.up.transposed) == (stored, False)
    assert (block.down.name, block.down.transposed) == ("constant", True)
    assert np.array_equal(mlp.w_up, net.up)
    assert np.array_equal(mlp.w_down, net.down)


def test_casts_of_weights_that_widen_keep_their_values_and_others_do_not(tmp_path):
    for stored, to in ((np.float16, TensorProto.FLOAT), (np.float32, TensorProto.FLOAT)):
        net = Net()
        half = net.up.astype(stored)
        z = net.add(
            "Add", net.add("MatMul", "x", net.add("Cast", net.tensor(half.T), to=to)), net.tensor(net.b_up)
        )
        _, mlp = net.one(tmp_path, net.add("Add", net.out(net.add("Relu", z)), "x"))
        assert np.array_equal(mlp.w_up, half.astype(np.float32))
    net = Net()
    narrow = net.add("Cast", net.tensor(net.up.T.astype(np.float64)), to=TensorProto.FLOAT)
    net.save(
        tmp_path / "m.onnx",
        D,
        net.add("Add", net.out(net.add("Relu", net.add("MatMul", "x", narrow))), "x"),
        D,
    )
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        read(tmp_path / "m.onnx")


def test_gate_and_values_out_of_one_split(tmp_path):
    net = Net()
    both = np.concatenate([net.up, 2 * net.up[::-1]])
    z = net.affine("x", both, None, "both")
    net.nodes.append(helper.make_node("Split", [z], ["first", "second"], axis=-1, num_outputs=2))
    gated = net.add("Mul", "first", net.add("Mul", "second", net.add("Sigmoid", "second")))
    y = net.affine(gated, net.down, None, "down")
    block, mlp = net.one(tmp_path, net.add("Add", y, "x"))
    assert (block.kind, block.activation, block.n) == ("gated", "silu", N)
    assert np.array_equal(mlp.w_val, both[:N])
    assert np.array_equal(mlp.w_gate, both[N:])


def test_a_convnext_block_with_its_features_last(tmp_path):
    net = Net()
    kernel = net.tensor(np.ones((D, 1, 7, 7), np.float32))
    last = net.add("Transpose", net.add("Conv", "x", kernel, group=D, pads=[3] * 4), perm=[0, 2, 3, 1])
    scaled = net.add(
        "Mul", net.mlp(net.norm(last, D, written_out=False)), net.tensor(np.full(D, 0.5, np.float32))
    )
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", net.add("Transpose", scaled, perm=[0, 3, 1, 2])), D)
    ((block, mlp),) = read(tmp_path / "m.onnx")
    assert (block.norm, block.d, block.n) == ("pre", D, N)
    assert np.array_equal(mlp.w_down, 0.5 * net.down)
    assert "x -> x + MLP(Norm(f(x))), where f is" in block.map_in_words


def test_one_by_one_convolutions(tmp_path):
    net = Net()
    kernels = [net.tensor(w[:, :, None, None]) for w in (net.up, net.down)]
    z = net.add("Conv", "x", kernels[0], net.tensor(net.b_up), kernel_shape=[1, 1])
    y = net.add("Conv", net.add("Relu", z), kernels[1], net.tensor(net.b_down))
    scaled = net.add("Mul", net.tensor(np.full((D, 1, 1), 0.5, np.float32)), y)
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", scaled), D)
    ((block, mlp),) = read(tmp_path / "m.onnx")
    assert (block.d, block.n, block.norm) == (D, N, "none")
    assert np.array_equal(mlp.w_up, net.up)
    assert np.array_equal(mlp.w_down, 0.5 * net.down)
    for attributes in ({"group": 2}, {"strides": [2, 2]}, {"pads": [1, 1, 1, 1]}):
        net = Net()
        z = net.add("Conv", "x", net.tensor(net.up[:, :, None, None]), **attributes)
        y = net.add("Conv", net.add("Relu", z), net.tensor(net.down[:, :, None, None]))
        net.save(tmp_path / "m.onnx", D, net.add("Add", "x", y), D)
        with pytest.raises(InvalidInput, match="hold MLP blocks"):
            read(tmp_path / "m.onnx")


@pytest.mark.parametrize("attributes", [{"alpha": 2.0}, {"beta": 0.5}, {"transA": 1}])
def test_a_gemm_that_scales_is_no_affine_map(tmp_path, attributes):
    net = Net()
    z = net.add("Gemm", "x", net.tensor(net.up), net.tensor(net.b_up), transB=1, **attributes)
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", net.out(net.add("Relu", z))), D)
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        read(tmp_path / "m.onnx")


def quantised(net, codes, scale, zero, **attributes):
    inputs = [net.tensor(codes), net.tensor(scale), *([net.tensor(zero)] if zero is not None else [])]
    return net.add("DequantizeLinear", *inputs, **attributes)


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_integers_with_scales_are_read_exactly(tmp_path, kind, per_channel):
    net, rng = Net(), np.random.default_rng(3)
    codes = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, (D, N)).astype(kind)
    scale = rng.standard_normal(N if per_channel else ()).astype(np.float32) ** 2
    zero = np.full(scale.shape, 3, kind)
    weight = quantised(net, codes, scale, zero, axis=1)
    z = net.add("Add", net.add("MatMul", "x", weight), net.tensor(net.b_up))
    block, mlp = net.one(tmp_path, net.add("Add", net.out(net.add("Relu", z)), "x"))
    for i in range(D):
        for j in range(N):
            exact = (int(codes[i, j]) - 3) * Fraction(float(scale[j] if per_channel else scale))
            assert Fraction(float(mlp.w_up[j, i])) == exact
    with open_tensors(tmp_path / "m.onnx") as tensors:
        assert tensors.dtype(block.up.name) == f"{'I8' if kind is np.int8 else 'U8'}*F32"


def test_integers_that_float64_cannot_hold_are_refused(tmp_path):
    net = Net()
    bias = quantised(net, np.full(N, 2**31 - 1, np.int32), np.array(0.1, np.float32), None)
    z = net.add("Add", net.add("MatMul", "x", net.tensor(net.up.T)), bias)
    net.save(tmp_path / "m.onnx", D, net.add("Add", net.out(net.add("Relu", z)), "x"), D)
    with pytest.raises(InvalidInput, match="steps below"):
        read(tmp_path / "m.onnx")


def test_rounded_activations_are_refused_by_name(tmp_path):
    net = Net()
    scale, zero = net.number(0.1), net.tensor(np.array(0, np.uint8))
    rounded = net.add("DequantizeLinear", net.add("QuantizeLinear", net.hidden(), scale, zero), scale, zero)
    net.save(tmp_path / "m.onnx", D, net.add("Add", net.out(net.add("Relu", rounded)), "x"), D)
    with pytest.raises(InvalidInput, match="round to them: QuantizeLinear"):
        read(tmp_path / "m.onnx")


def fused(net, operator, *inputs, outputs=None, domain="com.microsoft"):
    outputs = outputs or [f"{operator}_{len(net.nodes)}"]
    net.nodes.append(helper.make_node(operator, list(inputs), outputs, domain=domain))
    return outputs[0]


@pytest.mark.parametrize(("operator", "activation"), [("BiasGelu", "gelu"), ("FastGelu", "gelu_tanh")])
@pytest.mark.parametrize("biased", [False, True])
def test_fused_operators_of_optimised_models(tmp_path, operator, activation, biased):
    net = Net()
    z = net.affine("x", net.up, None, "up")
    y = net.affine(fused(net, operator, z, net.tensor(net.b_up)), net.down, None, "down")
    gain, shift = net.tensor(np.ones(D, np.float32)), net.tensor(np.zeros(D, np.float32))
    late = [net.tensor(net.b_down)] if biased else []
    output = fused(net, "SkipLayerNormalization", y, "x", gain, shift, *late)
    net.save(tmp_path / "m.onnx", D, output, D)
    ((block, mlp),) = read(tmp_path / "m.onnx")
    assert (block.activation, block.norm) == (activation, "post")
    assert np.array_equal(mlp.b_up, net.b_up)
    assert (mlp.b_down is None) == (not biased)
    assert mlp.b_down is None or np.array_equal(mlp.b_down, net.b_down)


def test_the_fused_norm_that_also_returns_its_sum(tmp_path):
    net = Net()
    gain, other = (
        net.tensor(np.ones(D, np.float32)),
        net.affine("x", np.eye(D, dtype=np.float32), None, "attention"),
    )
    normed = fused(net, "SkipSimplifiedLayerNormalization", other, "x", gain, outputs=["n1", "", "", "sum1"])
    net.save(tmp_path / "m.onnx", D, net.add("Add", net.mlp(normed), "sum1"), D)
    ((block, _),) = read(tmp_path / "m.onnx")
    assert block.norm == "pre"
    assert "x -> x + MLP(Norm(x))," in block.map_in_words
    net = Net()  # the sum goes on past the norm
    gain = net.tensor(np.ones(D, np.float32))
    fused(net, "SkipSimplifiedLayerNormalization", net.mlp(), "x", gain, outputs=["n1", "", "", "sum1"])
    net.save(tmp_path / "m.onnx", D, net.add("Mul", "n1", "sum1"), D)
    assert read(tmp_path / "m.onnx")[0][0].norm == "none"


def test_operators_of_another_domain_are_not_trusted_for_their_names(tmp_path):
    net = Net()
    output = net.add("Add", "x", net.out(fused(net, "Relu", net.hidden(), domain="mine")))
    net.save(tmp_path / "m.onnx", D, output, D)
    with pytest.raises(InvalidInput, match="mine::Relu"):
        read(tmp_path / "m.onnx")
    net = Net()
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", net.mlp()), D)
    model = onnx.load(tmp_path / "m.onnx")
    body = [helper.make_node("Neg", ["a"], ["b"])]
    model.functions.append(
        helper.make_function("", "Relu", ["a"], ["b"], body, [helper.make_opsetid("", 20)])
    )
    onnx.save(model, tmp_path / "m.onnx")
    with pytest.raises(InvalidInput, match="functions under their names"):
        read(tmp_path / "m.onnx")


def test_a_sum_that_an_inner_graph_uses_is_not_only_normalised(tmp_path):
    net = Net()
    total = net.add("Add", net.mlp(), "x")
    value = helper.make_tensor_value_info("inner", TensorProto.FLOAT, None)
    branch = helper.make_graph([helper.make_node("Neg", [total], ["inner"])], "branch", [], [value])
    inside = net.add("If", net.tensor(np.array(True)), then_branch=branch, else_branch=branch)
    ((block, _),) = net.read(tmp_path, net.add("Add", net.norm(total, D, written_out=True), inside))
    assert block.norm == "none"


def external(tmp_path, location=None, **told):
    """Write a block with its weights outside the model, then change what the model says of the first."""
    net = Net()
    net.save(tmp_path / "m.onnx", D, net.add("Add", net.mlp(), "x"), D)
    model = onnx.load(tmp_path / "m.onnx")
    external_data_helper.convert_model_to_external_data(model, location="w.data", size_threshold=0)
    onnx.save(model, tmp_path / "m.onnx")
    model = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    (first,) = [t for t in model.graph.initializer if t.name == "up.weight"]
    for item in first.external_data:
        item.value = {"location": location, **told}.get(item.key) or item.value
    onnx.save(model, tmp_path / "m.onnx")
    return net


def test_external_data(tmp_path):
    net = external(tmp_path)
    ((_, mlp),) = read(tmp_path / "m.onnx")
    assert np.array_equal(mlp.w_up, net.up)
    assert len(read(tmp_path)) == 1


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"location": "../w.data"}, "in the model's directory"),
        ({"location": "/etc/passwd"}, "in the model's directory"),
        ({"location": "a/../../w.data"}, "in the model's directory"),
        ({"location": "gone.data"}, "no such file"),
        ({"offset": "100000"}, "have 96 bytes in w.data"),
        ({"offset": "-4"}, "have 96 bytes in w.data"),
        ({"length": "12"}, "have 96 bytes in w.data"),
        ({"offset": "four"}, "say where its data is"),
    ],
)
def test_external_data_that_lies(tmp_path, told, message):
    external(tmp_path, **told)
    with pytest.raises(InvalidInput, match=message):
        read(tmp_path / "m.onnx")


def test_external_data_behind_a_link_out_of_the_directory(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    external(inside)
    (inside / "w.data").rename(tmp_path / "w.data")
    (inside / "w.data").symlink_to(tmp_path / "w.data")
    with pytest.raises(InvalidInput, match="in the model's directory"):
        read(inside / "m.onnx")


def changed(tmp_path, change):
    net = Net()
    net.save(tmp_path / "m.onnx", D, net.add("Add", net.mlp(), "x"), D)
    model = onnx.load(tmp_path / "m.onnx")
    change(model.graph)
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def test_graphs_that_are_none(tmp_path):
    def cycle(graph):
        graph.node[0].input[0] = graph.node[2].output[0]

    def twice(graph):
        graph.node[2].output[0] = graph.node[0].output[0]

    def repeated(graph):
        graph.initializer.append(graph.initializer[0])

    def short(graph):
        graph.initializer[0].raw_data = b"\0\0\0\0"

    def negative(graph):
        graph.initializer[0].dims[0] = -1

    def complex_numbers(graph):
        graph.initializer[0].data_type = TensorProto.COMPLEX64

    def empty(graph):
        del graph.node[:]

    for change, message in (
        (cycle, "before it is used"),
        (twice, "make each value once"),
        (repeated, "name each tensor once"),
        (short, "undamaged"),
        (negative, "have a shape"),
        (complex_numbers, "undamaged|floats or integers"),
        (empty, "no graph"),
    ):
        with pytest.raises(InvalidInput, match=message):
            read(changed(tmp_path, change))


def test_nan_in_a_weight_names_the_tensor(tmp_path):
    def spoil(graph):
        (weight,) = [t for t in graph.initializer if t.name == "down.weight"]
        array = numpy_helper.to_array(weight).copy()
        array[1, 2] = np.nan
        weight.CopyFrom(numpy_helper.from_array(array, weight.name))

    with pytest.raises(
        InvalidInput, match=r"tensor down.weight must hold finite numbers; got nan at \[1, 2\]"
    ):
        read(changed(tmp_path, spoil))


@given(seed=st.integers(0, 10**9), cut=st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_a_model_that_is_cut_or_changed_gives_blocks_or_one_error(tmp_path_factory, seed, cut):
    rng, path = np.random.default_rng(seed), tmp_path_factory.mktemp("cut")
    write_checkpoint(path, rng.choice(list(MODELS)), rng=rng, form="onnx", d=3, n=4)
    data = bytearray((path / "model.onnx").read_bytes())
    for where in rng.integers(len(data), size=3):
        data[where] ^= 1 << int(rng.integers(8))
    (path / "model.onnx").write_bytes(data[: len(data) - cut * 10])
    try:
        read(path / "model.onnx")
    except InvalidInput as error:
        assert "\n" not in str(error)


def test_products_inside_products_take_no_time(tmp_path):
    net = Net()
    z = net.hidden()
    for _ in range(200):
        z = net.add("Mul", z, z)
    for _ in range(200):
        z = net.add("Add", z, z)
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", net.out(z)), D)
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        read(tmp_path / "m.onnx")


def test_layers_that_share_their_weights_are_blocks_of_their_own(tmp_path):
    net = Net()
    first = net.add("Add", net.mlp(), "x")
    second = net.add("Relu", net.add("Add", net.add("MatMul", first, "up.weight"), "up.bias"))
    second = net.add("Add", "down.bias", net.add("MatMul", second, "down.weight"))
    blocks = read_saved(net, tmp_path, net.add("Add", second, first))
    assert len({block.name for block, _ in blocks}) == 2
    assert blocks[0][0].up == blocks[1][0].up


def read_saved(net, tmp_path, output):
    net.save(tmp_path / "m.onnx", D, output, D)
    return read(tmp_path / "m.onnx")


@pytest.mark.parametrize("location", ["loop", "x" * 300])
def test_external_data_under_a_name_that_leads_nowhere(tmp_path, location):
    path = write_checkpoint(tmp_path / "m", "bert", rng=np.random.default_rng(0), form="onnx").path
    model = onnx.load(path)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    path.write_bytes(model.SerializeToString())
    path.with_name("loop").symlink_to("loop")
    with pytest.raises(InvalidInput, match="have its data in a readable file"):
        open_tensors(path)


@pytest.mark.parametrize("inside", [False, True])
def test_a_sum_that_is_seen_besides_its_norm_has_none(tmp_path, inside):
    net = Net()
    total = net.add("Add", "x", net.mlp())
    net.norm(total, D, written_out=inside)
    centred = [node.output[0] for node in net.nodes if node.op_type == "Sub"]
    net.save(tmp_path / "m.onnx", D, centred[0] if inside else total, D)
    ((block, _),) = read(tmp_path / "m.onnx")
    assert block.norm == "none"


def test_a_product_with_a_factor_is_no_plain_product(tmp_path):
    net = Net()
    gate = net.affine("x", net.up, net.b_up, "gate")
    twice = net.add("Mul", net.add("Mul", net.hidden(), gate), net.number(2))
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", net.out(twice)), D)
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        read(tmp_path / "m.onnx")
    net = Net()
    negative = net.add("Mul", net.add("Relu", net.hidden()), net.number(-1))
    square = net.add("Pow", negative, net.number(2))
    block, _ = net.one(tmp_path, net.add("Add", "x", net.out(square)))
    assert block.activation == "relu_squared"


def test_a_cast_to_integers_is_not_passed_over(tmp_path):
    net = Net()
    whole = net.add("Cast", net.add("Cast", net.add("Relu", net.hidden()), to=6), to=1)  # INT32, FLOAT
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", net.out(whole)), D)
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        read(tmp_path / "m.onnx")


def test_a_norm_centred_by_another_mean_is_not_of_x(tmp_path):
    net, last = Net(), np.array([-1])
    mean = net.add(
        "ReduceMean", net.affine("x", np.eye(D, dtype=np.float32), None, "other"), net.tensor(last)
    )
    centred = net.add("Sub", "x", mean)
    square = net.add("ReduceMean", net.add("Pow", centred, net.number(2)), net.tensor(last))
    normed = net.add("Div", centred, net.add("Sqrt", net.add("Add", square, net.number(1e-5))))
    ((block, _),) = net.read(tmp_path, net.add("Add", "x", net.mlp(normed)))
    assert block.norm == "pre"
    assert "f(x)" in block.map_in_words


def test_a_constant_turned_otherwise_than_a_matrix_is_none(tmp_path):
    net = Net()
    turned = net.add("Transpose", net.tensor(np.ones((D, D, 1, 1), np.float32)), perm=[1, 0, 2, 3])
    same = net.add("Transpose", net.tensor(np.ones((D, D, 1, 1), np.float32)), perm=[0, 1, 2, 3])
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", net.mlp()), D)
    with open_tensors(tmp_path / "m.onnx") as tensors:
        assert tensors.graph.constant(turned) is None
        assert not tensors.graph.constant(same).transposed


def square(what):
    """Return a model with square matrices that apply to different axes of x, (D, D, 1, D)."""
    net = Net()
    a, b = net.up[:D], net.down[:, :D]
    kernel = [net.tensor(w[:, :, None, None]) for w in (a, b)]
    matrix = [net.tensor(w.T) for w in (a, b)]
    if what == "MatMul, Conv":
        return net, net.add("Conv", net.add("Relu", net.add("MatMul", "x", matrix[0])), kernel[1])
    if what == "Conv, MatMul":
        return net, net.add("MatMul", net.add("Relu", net.add("Conv", "x", kernel[0])), matrix[1])
    gate, value = net.add("Conv", "x", kernel[0]), net.add("MatMul", "x", matrix[0])
    if what == "Conv for the gate":
        return net, net.add("MatMul", net.add("Mul", net.add("Relu", gate), value), matrix[1])
    both = net.add("MatMul", "x", net.tensor(np.concatenate([a, a]).T))
    net.nodes.append(helper.make_node("Split", [both], ["one", "two"], axis=-1, num_outputs=2))
    return net, net.add("Conv", net.add("Mul", net.add("Relu", "one"), "two"), kernel[1])


@pytest.mark.parametrize("what", ["MatMul, Conv", "Conv, MatMul", "Conv for the gate", "Split, Conv"])
def test_maps_along_different_axes_make_no_mlp(tmp_path, what):
    net, y = square(what)
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", y), D)
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        read(tmp_path / "m.onnx")
    x = np.random.default_rng(0).standard_normal((1, D, 1, D)).astype(np.float32)
    model = onnx.load(tmp_path / "m.onnx")
    model.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape))
    model.graph.output[0].ClearField("type")
    assert ReferenceEvaluator(model).run(None, {"x": x})[0].shape == x.shape  # it is a model all the same


@pytest.mark.parametrize("trains", [False, True])
def test_a_dropout_that_trains_is_not_passed_over(tmp_path, trains):
    for late in (False, True):
        net = Net()
        drop = [net.number(0.5), net.tensor(np.array(trains))]
        h = net.add("Relu", net.hidden())
        y = net.add("Dropout", net.out(h), *drop) if late else net.out(net.add("Dropout", h, *drop))
        net.save(tmp_path / "m.onnx", D, net.add("Add", "x", y), D)
        if trains:
            with pytest.raises(InvalidInput, match="hold MLP blocks"):
                read(tmp_path / "m.onnx")
        else:
            assert len(read(tmp_path / "m.onnx")) == 1


def test_an_output_rounded_to_integers_meets_no_skip(tmp_path):
    net = Net()
    whole = net.add("Cast", net.add("Cast", net.mlp(), to=6), to=1)  # INT32, FLOAT
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", whole), D)
    with pytest.raises(InvalidInput, match="1 MLPs without a skip"):
        read(tmp_path / "m.onnx")


def test_factors_are_exact(tmp_path):
    for number, other in ((0.1, 5.0), (1 / 3, 3.0)):  # in doubles 0.5/0.1 == 5 and 3*(1/3) == 1
        net = Net()
        z = net.add("MatMul", "x", net.tensor(net.up.T.astype(np.float64)))
        first, second = net.tensor(np.array(number)), net.tensor(np.array(other))
        if other == 5:
            erf = net.add("Erf", net.add("Mul", z, net.tensor(np.array(0.5**0.5))))
            curve = net.add("Add", second, net.add("Mul", second, erf))
            h = net.add("Mul", first, net.add("Mul", z, curve))
        else:
            h = net.add("Mul", net.add("Mul", first, second), net.add("Relu", z))
        y = net.add("MatMul", h, net.tensor(net.down.T.astype(np.float64)))
        net.save(tmp_path / "m.onnx", D, net.add("Add", "x", y), D)
        with pytest.raises(InvalidInput, match="hold MLP blocks"):
            read(tmp_path / "m.onnx")


def test_an_infinite_constant_is_no_number_and_no_error(tmp_path):
    net = Net()
    net.add("Mul", net.add("Pow", "x", net.number(np.nan)), net.number(np.inf))
    assert len(read_saved(net, tmp_path, net.add("Add", "x", net.mlp()))) == 1
    net = Net()
    infinite = net.add("Mul", net.number(np.inf), net.add("Relu", net.hidden()))
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        read_saved(net, tmp_path, net.add("Add", "x", net.out(infinite)))


@pytest.mark.parametrize(("shape", "found"), [((D, 1), 1), ((1, D, 1), 1), ((D, 1, 1), 0), ((1, D, 1, 1), 0)])
def test_the_scale_of_a_convolution_goes_along_its_channels(tmp_path, shape, found):
    net = Net()
    z = net.add("Conv", "x", net.tensor(net.up[:, :, None]))
    y = net.add("Conv", net.add("Relu", z), net.tensor(net.down[:, :, None]))
    scaled = net.add("Mul", y, net.tensor(np.arange(D, dtype=np.float32).reshape(shape)))
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", scaled), D)
    if found:
        ((block, mlp),) = read(tmp_path / "m.onnx")
        assert block.scale is not None
        assert np.array_equal(mlp.w_down, np.arange(D)[:, None] * net.down.astype(np.float64))
    else:
        with pytest.raises(InvalidInput, match="1 MLPs without a skip"):
            read(tmp_path / "m.onnx")


def test_a_constant_that_meets_the_output_is_no_skip(tmp_path):
    net = Net()
    constant = net.tensor(np.ones(D, np.float32))
    y = net.add("Cast", net.mlp(net.add("Add", "x", constant)), to=1)
    with pytest.raises(InvalidInput, match="1 MLPs without a skip"):
        read_saved(net, tmp_path, net.add("Add", y, constant))


def test_axes_exchanged_around_the_mlp_are_said(tmp_path):
    for before, after in ((True, False), (False, True), (True, True)):
        net = Net()
        normed = net.norm("x", D, written_out=False)
        y = net.mlp(net.add("Transpose", normed, perm=[1, 0]) if before else normed)
        y = net.add("Transpose", y, perm=[1, 0]) if after else y
        ((block, _),) = read_saved(net, tmp_path, net.add("Add", "x", y))
        assert block.norm == "pre"
        assert "with axes exchanged" in block.map_in_words


def test_names_that_mean_something_else_are_refused(tmp_path):
    def hidden_function(model):
        body = [helper.make_node("Neg", ["a"], ["b"])]
        model.functions.append(
            helper.make_function("com.microsoft", "Gelu", ["a"], ["b"], body, [helper.make_opsetid("", 20)])
        )

    def early(model):
        model.opset_import[0].version = 6  # its sums broadcast along an axis of their own

    def none(model):
        del model.opset_import[:]

    def weight_made_again(model):
        model.graph.node.insert(0, helper.make_node("Neg", ["up.bias"], ["up.weight"]))

    for change, message in (
        (hidden_function, "functions under their names"),
        (early, r"of version 7 or later; got versions \[6\]"),
        (none, "of version 7 or later"),
        (weight_made_again, "make each value once"),
    ):
        net = Net()
        net.save(tmp_path / "m.onnx", D, net.add("Add", "x", net.mlp()), D)
        model = onnx.load(tmp_path / "m.onnx")
        change(model)
        onnx.save(model, tmp_path / "m.onnx")
        with pytest.raises(InvalidInput, match=message):
            read(tmp_path / "m.onnx")


def test_no_other_activation_is_taken_than_the_graph_has(tmp_path):
    net = Net()
    net.save(tmp_path / "m.onnx", D, net.add("Add", "x", net.mlp()), D)
    with open_tensors(tmp_path / "m.onnx") as tensors:
        assert find_blocks(tensors, activation="relu")
        with pytest.raises(InvalidInput, match="activation must be that of the graph, relu; got gelu"):
            find_blocks(tensors, activation="gelu")


@pytest.mark.parametrize("operator", ["MatMul", "Gemm", "Conv"])
def test_a_sum_with_something_else_than_a_vector_along_the_features_is_no_bias(tmp_path, operator):
    net = Net()
    if operator == "MatMul":  # one row for each x of the batch
        z = net.add(
            "Add", net.add("MatMul", "x", net.tensor(net.up.T)), net.tensor(np.ones((3, N), np.float32))
        )
    elif operator == "Gemm":
        z = net.add("Gemm", "x", net.tensor(net.up), net.tensor(np.ones((3, N), np.float32)), transB=1)
    else:  # along the last axis, which is not that of the channels
        z = net.add("Add", net.add("Conv", "x", net.tensor(net.up[:, :, None])), net.tensor(net.b_up))
    y = net.add("Relu", z)
    last = net.add("Conv", y, net.tensor(net.down[:, :, None])) if operator == "Conv" else net.out(y)
    with pytest.raises(InvalidInput, match="hold MLP blocks"):
        read_saved(net, tmp_path, net.add("Add", "x", last))


def test_scales_that_are_not_one_along_the_features_are_refused(tmp_path):
    for turned in (False, True):
        net = Net()
        scale = net.tensor(np.arange(D, dtype=np.float32))
        y = net.mlp(net.norm("x", D, written_out=False))
        y = net.add("Transpose", y, perm=[1, 0]) if turned else net.add("Mul", y, scale)
        with pytest.raises(InvalidInput, match="1 MLPs without a skip"):
            read_saved(net, tmp_path, net.add("Add", "x", net.add("Mul", y, scale)))


def test_a_vector_after_the_sum_is_the_output_bias_only_where_it_can_be(tmp_path):
    net = Net()  # there is one already: what the norm reads is not x + MLP(x)
    total = net.add("Add", net.add("Add", "x", net.mlp()), net.tensor(np.ones(D, np.float32)))
    ((block, mlp),) = read_saved(net, tmp_path, net.norm(total, D, written_out=False))
    assert block.norm == "none"
    assert np.array_equal(mlp.b_down, net.b_down)
    net = Net()  # a scale would multiply it
    bare = net.affine(net.add("Relu", net.hidden()), net.down, None, "down")
    scaled = net.add("Mul", bare, net.tensor(np.full(D, 2, np.float32)))
    ((block, mlp),) = read_saved(
        net, tmp_path, net.add("Add", net.add("Add", "x", scaled), net.tensor(net.b_down))
    )
    assert block.scale is not None
    assert mlp.b_down is None
    net = Net()  # the axes are others
    normed = net.norm("x", D, written_out=False)
    bare = net.affine(net.add("Relu", net.hidden(normed)), net.down, None, "down")
    total = net.add("Add", "x", net.add("Transpose", bare, perm=[1, 0]))
    ((_, mlp),) = read_saved(net, tmp_path, net.add("Add", total, net.tensor(net.b_down)))
    assert mlp.b_down is None


@pytest.mark.parametrize(
    ("stored", "to", "kept"),
    [
        (TensorProto.FLOAT16, TensorProto.BFLOAT16, False),
        (TensorProto.BFLOAT16, TensorProto.FLOAT16, False),
        (TensorProto.BFLOAT16, TensorProto.FLOAT, True),
        (TensorProto.FLOAT, TensorProto.DOUBLE, True),
        (TensorProto.FLOAT, TensorProto.FLOAT16, False),
    ],
)
def test_casts_between_the_small_types_keep_no_values(tmp_path, stored, to, kept):
    net = Net()
    name = net.tensor(net.up.T)
    net.tensors[-1].CopyFrom(helper.make_tensor(name, stored, (D, N), net.up.T.ravel().tolist()))
    z = net.add("MatMul", "x", net.add("Cast", name, to=to))
    output = net.add("Add", "x", net.out(net.add("Relu", z)))
    if kept:
        assert len(read_saved(net, tmp_path, output)) == 1
    else:
        with pytest.raises(InvalidInput, match="hold MLP blocks"):
            read_saved(net, tmp_path, output)


def test_scales_along_the_first_axis(tmp_path):
    net, rng = Net(), np.random.default_rng(3)
    codes, scale = rng.integers(-9, 9, (D, N)).astype(np.int8), rng.random(D).astype(np.float32)
    z = net.add("MatMul", "x", quantised(net, codes, scale, None, axis=0))
    _, mlp = net.one(tmp_path, net.add("Add", "x", net.out(net.add("Relu", z))))
    assert np.array_equal(mlp.w_up.T, codes * scale.astype(np.float64)[:, None])


@pytest.mark.parametrize("operator", ["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"])
def test_a_fused_norm_adds_its_bias_to_the_sum(tmp_path, operator):
    net = Net()
    bare = net.affine(net.add("Relu", net.hidden()), net.down, None, "down")
    gain = [net.tensor(np.ones(D, np.float32))] * (1 if "Simplified" in operator else 2)
    ((block, mlp),) = read_saved(
        net, tmp_path, fused(net, operator, bare, "x", *gain, net.tensor(net.b_down))
    )
    assert block.norm == "post"
    assert np.array_equal(mlp.b_down, net.b_down)
