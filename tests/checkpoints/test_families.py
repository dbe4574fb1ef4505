import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from skip_absorption.checkpoints.families import FAMILIES, configured_activation, find_blocks
from skip_absorption.checkpoints.generated import MODELS, write_checkpoint
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.blocks import GatedMlp, Mlp

D, N = 4, 6


def written(directory, tensors, config=None):
    save_file({name: np.ascontiguousarray(a) for name, a in tensors.items()}, directory / "x.safetensors")
    if config is not None:
        (directory / "config.json").write_text(json.dumps(config))
    return directory


def named(rng, up, down, *, gate=None, biases=True, d=D, n=N, conv1d=False):
    """Weights of one block under the given names, as (out, in) or transposed."""
    tensors = {}
    for name, shape in ((up, (n, d)), (down, (d, n)), (gate, (n, d))):
        if name is not None:
            weight = rng.standard_normal(shape).astype(np.float32)
            tensors[f"{name}.weight"] = weight.T if conv1d else weight
            if biases:
                tensors[f"{name}.bias"] = rng.standard_normal(shape[0]).astype(np.float32)
    return tensors


def blocks_of(path, **options):
    with open_tensors(path) as tensors:
        found = find_blocks(tensors, **options)
        return [(block, block.load(tensors)) for block in found]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("form", ["safetensors", "sharded", "npz"])
@pytest.mark.parametrize("model", MODELS)
def test_generated_models_are_read_exactly(tmp_path, model, form, dtype):
    if (form, dtype) == ("npz", "bfloat16"):
        with pytest.raises(InvalidInput, match="dtype"):
            write_checkpoint(tmp_path, model, rng=np.random.default_rng(0), form=form, dtype=dtype)
        return
    written_down = write_checkpoint(tmp_path, model, rng=np.random.default_rng(0), form=form, dtype=dtype)
    read = blocks_of(written_down.path)
    assert len(read) == len(written_down.blocks) == 2
    for (block, mlp), known in zip(read, written_down.blocks, strict=True):
        assert (block.family, block.activation, block.norm) == (known.family, known.activation, known.norm)
        assert (block.d, block.n) == (8, 32)
        assert block.activation_from
        assert block.norm_from
        same(mlp, known)


def same(mlp, known):
    if known.w_gate is None:
        assert isinstance(mlp, Mlp)
        pairs = [(mlp.w_up, known.w_up), (mlp.b_up, known.b_up), (mlp.b_down, known.b_down)]
    else:
        assert isinstance(mlp, GatedMlp)
        pairs = [(mlp.w_val, known.w_up), (mlp.w_gate, known.w_gate)]
    for found, expected in [*pairs, (mlp.w_down, known.w_down)]:
        if expected is None:
            assert found is None
        else:
            assert found.shape == expected.shape
            assert np.array_equal(found.astype(np.float64), expected.astype(np.float64))


def test_every_family_of_the_table_is_generated_or_tested_here():
    tested_here = {
        "convnext-original",
        "dinov2",
        "distilbert",
        "phi3",
        "transformer-decoder",
        "transformer-torch",
    }
    assert {model.family for model in MODELS.values()} | tested_here == set(FAMILIES)


PREFIXED = [
    ("roberta.encoder.layer.11.intermediate.dense", "roberta.encoder.layer.11.output.dense", "bert"),
    ("h.3.mlp.c_fc", "h.3.mlp.c_proj", "gpt2"),
    ("module.transformer.h.3.mlp.c_fc", "module.transformer.h.3.mlp.c_proj", "gpt2"),
    ("distilbert.transformer.layer.0.ffn.lin1", "distilbert.transformer.layer.0.ffn.lin2", "distilbert"),
    ("model.decoder.layers.2.fc1", "model.decoder.layers.2.fc2", "transformer-decoder"),
    ("transformer.encoder.layers.0.linear1", "transformer.encoder.layers.0.linear2", "transformer-torch"),
    ("trunk.blocks.5.mlp.fc1", "trunk.blocks.5.mlp.fc2", "vit-timm"),
]


@pytest.mark.parametrize(("up", "down", "family"), PREFIXED)
def test_prefixes_do_not_matter_and_an_unseen_norm_is_not_guessed(tmp_path, up, down, family):
    rng = np.random.default_rng(1)
    tensors = named(rng, up, down, conv1d=family == "gpt2")
    ((block, mlp),) = blocks_of(written(tmp_path, tensors))
    assert (block.family, block.norm, block.d, block.n) == (family, "unknown", D, N)
    assert block.activation_from == f"the default of the family {family}"
    assert "it is not known" in block.map_in_words
    assert np.array_equal(mlp.b_up, tensors[f"{up}.bias"])
    assert mlp.w_up.shape == (N, D)


NORMS = [
    (PREFIXED[0][:2], "roberta.encoder.layer.11.output.LayerNorm.weight", "post"),
    (PREFIXED[0][:2], "roberta.encoder.layer.11.output.LayerNorm.gamma", "post"),
    (PREFIXED[0][:2], "roberta.encoder.layer.11.layernorm_after.weight", "pre"),
    (PREFIXED[0][:2], "roberta.encoder.layer.11.intermediate.LayerNorm.weight", "pre"),
    (PREFIXED[1][:2], "ln_f.weight", "pre"),
    (PREFIXED[1][:2], "h.3.ln_2.weight", "unknown"),
    (PREFIXED[3][:2], "distilbert.transformer.layer.0.output_layer_norm.weight", "post"),
    (PREFIXED[4][:2], "model.decoder.final_layer_norm.weight", "pre"),
    (PREFIXED[4][:2], "model.decoder.layer_norm.weight", "pre"),
    (PREFIXED[5][:2], "transformer.encoder.layers.0.norm2.weight", "unknown"),
    (PREFIXED[6][:2], "trunk.blocks.5.norm2.weight", "unknown"),
]


@pytest.mark.parametrize(("names", "norm", "where"), NORMS)
def test_the_norm_is_known_from_its_tensor(tmp_path, names, norm, where):
    rng = np.random.default_rng(1)
    tensors = named(rng, *names, conv1d="c_fc" in names[0]) | {norm: np.ones(D, np.float32)}
    ((block, _),) = blocks_of(written(tmp_path, tensors))
    assert block.norm == where
    assert where == "unknown" or norm in block.norm_from


def test_the_first_gpt_normalises_after_the_sum(tmp_path):
    tensors = named(np.random.default_rng(1), *PREFIXED[1][:2], conv1d=True)
    ((block, _),) = blocks_of(written(tmp_path, tensors, {"model_type": "openai-gpt", "afn": "gelu"}))
    assert block.norm == "post"


def test_wav2vec_is_not_taken_for_a_translation_model(tmp_path):
    tensors = named(np.random.default_rng(1), "w2v.encoder.layers.0.fc1", "w2v.encoder.layers.0.fc2")
    tensors["w2v.encoder.layer_norm.weight"] = np.ones(D, np.float32)
    assert blocks_of(written(tmp_path, tensors))[0][0].norm == "pre"
    with pytest.raises(InvalidInput, match="known family"):
        blocks_of(written(tmp_path, tensors | {"w2v.encoder.pos_conv.0.bias": np.ones(D, np.float32)}))


@pytest.mark.parametrize(
    ("config", "where"),
    [
        ({"model_type": "bart"}, "post"),
        ({"model_type": "marian"}, "post"),
        ({"model_type": "whisper"}, "unknown"),
        ({"model_type": "opt", "do_layer_norm_before": False}, "post"),
        ({"model_type": "opt", "do_layer_norm_before": True}, "pre"),
        ({"model_type": "opt"}, "unknown"),
    ],
)
def test_the_norm_is_known_from_the_configuration(tmp_path, config, where):
    tensors = named(np.random.default_rng(1), *PREFIXED[4][:2])
    ((block, _),) = blocks_of(written(tmp_path, tensors, config))
    assert block.norm == where


def test_what_is_said_about_each_norm_claims_no_more_than_is_so(tmp_path):
    words = {}
    for model in ("bert", "gpt2", "convnext", "opt"):
        path = write_checkpoint(tmp_path / model, model, rng=np.random.default_rng(0)).path
        words[model] = blocks_of(path)[0][0].map_in_words
    assert words["bert"].startswith("r(x) = x + MLP(x), the map whose value the block normalises")
    assert "leave the norm where it is" in words["bert"]
    assert words["gpt2"].startswith(
        "r(z) = z + MLP(z) on the norm's output z, a map that the model does not compute"
    )
    assert "x -> x + MLP(Norm(x))," in words["gpt2"]
    assert "says nothing about that skip" in words["gpt2"]
    assert "x -> x + MLP(Norm(DepthwiseConv(x)))," in words["convnext"]


def test_sandwich_norms_and_the_norm_after_the_mlp(tmp_path):
    rng = np.random.default_rng(2)
    layer = "model.layers.0."
    names = [f"{layer}mlp.{part}_proj" for part in ("up", "down", "gate")]
    tensors = named(rng, names[0], names[1], gate=names[2], biases=False)
    after = {f"{layer}post_feedforward_layernorm.weight": np.ones(D, np.float32)}
    before = {f"{layer}pre_feedforward_layernorm.weight": np.ones(D, np.float32)}
    ((block, _),) = blocks_of(written(tmp_path, tensors | after | before))
    assert (block.family, block.norm) == ("gemma", "pre")
    assert "x -> x + Norm(MLP(Norm(x)))," in block.map_in_words
    with pytest.raises(InvalidInput, match="known family"):  # x + Norm(MLP(x)) is another map
        blocks_of(written(tmp_path, tensors | after))


@pytest.mark.parametrize("model", ["gemma", "gemma2", "gemma3_text"])
def test_gemma_ignores_the_old_key_of_its_activation(tmp_path, model):
    rng = np.random.default_rng(2)
    names = [f"model.layers.0.mlp.{part}_proj" for part in ("up", "down", "gate")]
    tensors = named(rng, names[0], names[1], gate=names[2], biases=False)
    ((block, _),) = blocks_of(written(tmp_path, tensors, {"model_type": model, "hidden_act": "gelu"}))
    assert (block.family, block.activation) == ("gemma", "gelu_tanh")
    ((block, _),) = blocks_of(written(tmp_path, tensors, {"model_type": model, "hidden_activation": "gelu"}))
    assert block.activation == "gelu"
    ((block, _),) = blocks_of(written(tmp_path, tensors, {"model_type": "qwen2", "hidden_act": "silu"}))
    assert (block.family, block.activation) == ("llama", "silu")


def test_gate_and_values_in_one_matrix(tmp_path):
    rng = np.random.default_rng(3)
    both = rng.standard_normal((2 * N, D)).astype(np.float32)
    down = rng.standard_normal((D, N)).astype(np.float32)
    tensors = {"model.layers.0.mlp.gate_up_proj.weight": both, "model.layers.0.mlp.down_proj.weight": down}
    ((block, mlp),) = blocks_of(written(tmp_path, tensors))
    assert (block.family, block.kind, block.n) == ("phi3", "gated", N)
    assert np.array_equal(mlp.w_gate, both[:N])
    assert np.array_equal(mlp.w_val, both[N:])
    assert block.up.rows == (N, 2 * N)


@pytest.mark.parametrize("n", [D, D - 1])
def test_narrow_and_square_blocks_keep_their_layout(tmp_path, n):
    rng = np.random.default_rng(4)
    linear = named(rng, "blocks.0.mlp.fc1", "blocks.0.mlp.fc2", n=n)
    ((block, mlp),) = blocks_of(written(tmp_path, linear))
    assert np.array_equal(mlp.w_up, linear["blocks.0.mlp.fc1.weight"])
    assert block.n == n
    conv1d = named(rng, "h.0.mlp.c_fc", "h.0.mlp.c_proj", n=n, conv1d=True)
    ((block, mlp),) = blocks_of(written(tmp_path, conv1d, {"model_type": "gpt2"}))
    assert np.array_equal(mlp.w_up, conv1d["h.0.mlp.c_fc.weight"].T)
    assert block.n == n


def test_gpt2_names_with_linear_layers(tmp_path):
    tensors = named(np.random.default_rng(5), "transformer.h.0.mlp.c_fc", "transformer.h.0.mlp.c_proj")
    ((block, mlp),) = blocks_of(written(tmp_path, tensors))
    assert np.array_equal(mlp.w_up, tensors["transformer.h.0.mlp.c_fc.weight"])
    assert (block.d, block.n) == (D, N)
    without = {name: a for name, a in tensors.items() if name.endswith("weight")}
    without["transformer.h.0.ln_2.weight"] = np.ones(D, np.float32)  # the norm tells d
    ((block, mlp),) = blocks_of(written(tmp_path, without))
    assert (block.d, block.n, mlp.w_up.shape) == (D, N, (N, D))


def test_layer_scale_is_multiplied_in_exactly(tmp_path):
    rng = np.random.default_rng(6)
    tensors = named(rng, "blocks.0.mlp.fc1", "blocks.0.mlp.fc2")
    gamma = rng.standard_normal(D).astype(np.float32)
    ((block, mlp),) = blocks_of(written(tmp_path, tensors | {"blocks.0.ls2.gamma": gamma}))
    assert block.scale is not None
    for i in range(D):
        for j in range(N):
            exact = (
                float(gamma[i]).as_integer_ratio(),
                float(tensors["blocks.0.mlp.fc2.weight"][i, j]).as_integer_ratio(),
            )
            (a, b), (c, e) = exact
            p, q = float(mlp.w_down[i, j]).as_integer_ratio()
            assert p * b * e == a * c * q
    assert [float(x) for x in mlp.b_down] == [
        float(g) * float(b) for g, b in zip(gamma, tensors["blocks.0.mlp.fc2.bias"], strict=True)
    ]
    double = {name: array.astype(np.float64) for name, array in tensors.items()}
    exact = blocks_of(written(tmp_path, double | {"blocks.0.ls2.gamma": gamma.astype(np.float64) / 3}))[0][1]
    assert exact.w_down.dtype == object  # 106 bits do not fit into a double


def test_layers_are_in_the_order_of_their_numbers(tmp_path):
    rng = np.random.default_rng(7)
    tensors = {}
    for layer in (10, 2, 0, 9):
        tensors |= named(rng, f"h.{layer}.mlp.c_fc", f"h.{layer}.mlp.c_proj", conv1d=True)
    assert [block.name for block, _ in blocks_of(written(tmp_path, tensors))] == [
        f"h.{k}.mlp" for k in (0, 2, 9, 10)
    ]


@pytest.mark.parametrize(
    "extra", ["mlp.grn.weight", "mlp.norm.weight", "mlp.dwconv.dwconv.weight", "mlp.fc1.lora_A"]
)
def test_an_mlp_with_further_parts_is_refused(tmp_path, extra):
    tensors = named(np.random.default_rng(8), "blocks.0.mlp.fc1", "blocks.0.mlp.fc2")
    tensors[f"blocks.0.{extra}"] = np.ones(N, np.float32)
    with pytest.raises(InvalidInput, match="nothing but the tensors of a plain MLP") as caught:
        blocks_of(written(tmp_path, tensors))
    assert extra in str(caught.value)


@pytest.mark.parametrize("mark", ["grn.weight", "grn.gamma"])
def test_convnext_with_response_normalisation_is_not_taken_for_one_without(tmp_path, mark):
    stage = "stages.0.0."
    tensors = named(np.random.default_rng(8), f"{stage}pwconv1", f"{stage}pwconv2")
    tensors |= {
        f"{stage}dwconv.weight": np.ones((D, 1, 7, 7), np.float32),
        f"{stage}gamma": np.ones(D, np.float32),
    }
    assert blocks_of(written(tmp_path, tensors))[0][0].family == "convnext-original"
    with pytest.raises(InvalidInput, match="known family"):
        blocks_of(written(tmp_path, tensors | {stage + mark: np.ones(N, np.float32)}))


def test_dinov2(tmp_path):
    tensors = named(np.random.default_rng(8), "encoder.layer.0.mlp.fc1", "encoder.layer.0.mlp.fc2")
    tensors |= {
        f"encoder.layer.0.{part}": np.full(D, 0.5, np.float32)
        for part in ("norm2.weight", "layer_scale2.lambda1")
    }
    ((block, mlp),) = blocks_of(written(tmp_path, tensors))
    assert (block.family, block.norm) == ("dinov2", "pre")
    assert np.array_equal(mlp.w_down, 0.5 * tensors["encoder.layer.0.mlp.fc2.weight"])


def test_quantised_weights_are_refused_by_name(tmp_path):
    up, down = "h.0.mlp.c_fc", "h.0.mlp.c_proj"
    tensors = named(np.random.default_rng(9), up, down, conv1d=True)
    integers = tensors | {f"{down}.weight": np.ones((N, D), np.int8)}
    with pytest.raises(InvalidInput, match=f"{down}.weight must hold floats .*I8"):
        blocks_of(written(tmp_path, integers))
    for scale in ("weight_scale", "weight_scale_inv", "SCB"):
        with pytest.raises(InvalidInput, match=scale):
            blocks_of(written(tmp_path, tensors | {f"{up}.{scale}": np.ones(1, np.float32)}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"h.0.mlp.c_proj.weight": None}, "h.0.mlp.c_proj.weight must be present"),
        ({"h.0.mlp.c_proj.weight": (D, N)}, "have the shape of h.0.mlp.c_fc.weight, reversed"),
        ({"h.0.mlp.c_fc.weight": (D, N, 2)}, "have the shape of"),
        ({"h.0.mlp.c_fc.bias": (N + 1,)}, r"c_fc.bias must have shape"),
        ({"h.0.mlp.c_proj.bias": (1, D)}, r"c_proj.bias must have shape"),
        ({"h.0.mlp.c_fc.weight": (D, 0), "h.0.mlp.c_proj.weight": (0, D)}, "have the shape of"),
    ],
)
def test_tensors_that_do_not_fit_are_named(tmp_path, change, message):
    tensors = named(np.random.default_rng(9), "h.0.mlp.c_fc", "h.0.mlp.c_proj", conv1d=True)
    for name, shape in change.items():
        if shape is None:
            del tensors[name]
        else:
            tensors[name] = np.ones(shape, np.float32)
    with pytest.raises(InvalidInput, match=message):
        blocks_of(written(tmp_path, tensors))


def test_an_unknown_architecture_lists_what_was_looked_for(tmp_path):
    with pytest.raises(InvalidInput, match="known family") as caught:
        blocks_of(written(tmp_path, {"some.weight": np.ones((2, 2), np.float32)}))
    text = str(caught.value)
    assert "\n" not in text
    assert "some.weight" in text
    assert all(family.name in text for family in FAMILIES.values())


def test_names_that_the_user_gives(tmp_path):
    rng = np.random.default_rng(10)
    tensors = {}
    for layer in (0, 1):
        tensors |= named(rng, f"net.{layer}.a", f"net.{layer}.b")
    path = written(tmp_path, tensors)
    patterns = {"up": "net.{}.a.weight", "down": "net.{}.b.weight"}
    read = blocks_of(path, **patterns, activation="relu")
    assert [(b.name, b.family, b.norm, b.activation_from) for b, _ in read] == [
        (f"net.{k}", "explicit", "unknown", "given") for k in (0, 1)
    ]
    assert np.array_equal(read[1][1].w_down, tensors["net.1.b.weight"])
    assert len(blocks_of(path, up="net.1.a.weight", down="net.1.b.weight", activation="relu")) == 1
    gated = {name: array for name, array in tensors.items() if name.endswith("weight")}
    gated["net.0.c.weight"] = gated["net.0.a.weight"] + 1
    options = {
        "up": "net.0.a.weight",
        "down": "net.0.b.weight",
        "gate": "net.0.c.weight",
        "activation": "silu",
    }
    ((block, mlp),) = blocks_of(written(tmp_path, gated), **options)
    assert block.kind == "gated"
    assert np.array_equal(mlp.w_gate, gated["net.0.c.weight"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"up": "net.{}.a.weight"}, "up and down must be given together"),
        ({"gate": "net.{}.a.weight"}, "up and down must be given together"),
        ({"up": "net.{}.a.weight", "down": "net.0.b.weight", "activation": "relu"}, "equally many"),
        ({"up": "net.{0}.a.weight", "down": "net.{0}.b.weight", "activation": "relu"}, "equally many"),
        ({"up": "net.{}.a.weight", "down": "net.{}.b.weight"}, "activation must be given"),
        (
            {"up": "net.{}.a.weight", "down": "net.{}.b.weight", "activation": "tanh"},
            "activation must be one of",
        ),
        (
            {"up": "net.{}.x.weight", "down": "net.{}.b.weight", "activation": "relu"},
            "x.weight must be present",
        ),
        (
            {"up": "net.{}.a.weight", "down": "net.{}.x.weight", "activation": "relu"},
            "x.weight must be present",
        ),
    ],
)
def test_names_that_do_not_fit(tmp_path, options, message):
    path = written(tmp_path, named(np.random.default_rng(10), "net.0.a", "net.0.b"))
    with pytest.raises(InvalidInput, match=message):
        blocks_of(path, **options)


def test_without_a_bias_the_layout_must_be_told_where_it_is_not_plain(tmp_path):
    tensors = named(np.random.default_rng(11), "a", "b", biases=False, conv1d=True)
    path = written(tmp_path, tensors)
    options = {"up": "a.weight", "down": "b.weight", "activation": "relu"}
    with pytest.raises(InvalidInput, match="transposed"):
        blocks_of(path, **options)
    ((block, mlp),) = blocks_of(path, **options, transposed=True)
    assert (block.d, block.n) == (D, N)
    assert np.array_equal(mlp.w_up, tensors["a.weight"].T)
    ((block, _),) = blocks_of(path, **options, transposed=False)
    assert (block.d, block.n) == (N, D)


def test_activations_of_configurations():
    assert configured_activation({}) is None
    assert configured_activation({"hidden_act": "gelu_new"}) == (
        "gelu_tanh",
        "config.json: hidden_act = gelu_new",
    )
    assert configured_activation({"feed_forward_proj": "gated-gelu"})[0] == "gelu_tanh"
    assert configured_activation({"feed_forward_proj": "gated-silu"})[0] == "silu"
    assert configured_activation({"dense_act_fn": "relu", "feed_forward_proj": "relu"})[0] == "relu"
    for unknown in ("quick_gelu", "mish", 3, ["gelu"]):
        with pytest.raises(InvalidInput, match="key hidden_act must be one of"):
            configured_activation({"hidden_act": unknown})


def test_a_given_activation_overrides_an_unknown_one(tmp_path):
    tensors = named(np.random.default_rng(12), *PREFIXED[0][:2])
    path = written(tmp_path, tensors, {"hidden_act": "quick_gelu"})
    with pytest.raises(InvalidInput, match="quick_gelu"):
        blocks_of(path)
    assert blocks_of(path, activation="silu")[0][0].activation == "silu"


def test_vision_and_text_parts_have_their_own_configuration(tmp_path):
    rng = np.random.default_rng(13)
    tensors = named(
        rng, "vision_model.encoder.layer.0.intermediate.dense", "vision_model.encoder.layer.0.output.dense"
    )
    tensors |= named(
        rng, "text_model.encoder.layer.0.intermediate.dense", "text_model.encoder.layer.0.output.dense"
    )
    config = {"vision_config": {"hidden_act": "gelu_new"}, "text_config": {"hidden_act": "relu"}}
    read = {block.name: block.activation for block, _ in blocks_of(written(tmp_path, tensors, config))}
    assert read == {"text_model.encoder.layer.0": "relu", "vision_model.encoder.layer.0": "gelu_tanh"}


def test_a_gated_mlp_with_biases_is_refused_unless_they_are_zero(tmp_path):
    rng = np.random.default_rng(14)
    names = [f"layers.0.mlp.{part}_proj" for part in ("up", "down", "gate")]
    tensors = named(rng, names[0], names[1], gate=names[2])
    with open_tensors(written(tmp_path, tensors)) as opened:
        (block,) = find_blocks(opened)
        assert block.b_gate is not None
        with pytest.raises(InvalidInput, match="have no biases"):
            block.load(opened)
    zero = {name: 0 * array if name.endswith("bias") else array for name, array in tensors.items()}
    assert isinstance(blocks_of(written(tmp_path, zero))[0][1], GatedMlp)


def test_numbers_of_any_length_are_in_order(tmp_path):
    rng, tensors = np.random.default_rng(11), {}
    numbers = ["9" * 5000, "1" + "0" * 5000, "07", "8"]
    for number in numbers:
        tensors |= named(rng, f"h.{number}.mlp.c_fc", f"h.{number}.mlp.c_proj", conv1d=True)
    expected = [f"h.{number}.mlp" for number in ("07", "8", *numbers[:2])]
    path = written(tmp_path, tensors)
    assert [block.name for block, _ in blocks_of(path)] == expected
    names = {"up": "h.{}.mlp.c_fc.weight", "down": "h.{}.mlp.c_proj.weight", "activation": "gelu"}
    assert [block.name for block, _ in blocks_of(path, **names)] == expected


@pytest.mark.parametrize("extra", ["intermediate.dense.lora_A.weight", "output.dense.scale_weight"])
def test_a_layer_with_further_weights_of_its_own_is_refused(tmp_path, extra):
    layer = "encoder.layer.0."
    tensors = named(np.random.default_rng(12), f"{layer}intermediate.dense", f"{layer}output.dense")
    assert blocks_of(written(tmp_path, tensors))
    with pytest.raises(InvalidInput) as caught:
        blocks_of(written(tmp_path, tensors | {layer + extra: np.ones((1, 1), np.float32)}))
    assert extra in str(caught.value)


def test_timm_may_normalise_after_the_mlp_under_the_plain_names(tmp_path):
    tensors = named(np.random.default_rng(13), "blocks.0.mlp.fc1", "blocks.0.mlp.fc2")
    tensors["blocks.0.norm2.weight"] = np.ones(D, np.float32)
    for architecture, norm in (
        ("vit_base_patch16_224", "pre"),
        ("deit3_small_patch16_224", "pre"),
        ("vit_base_patch16_rpn_224", "unknown"),
        ("eva02_enormous_patch14_clip_224", "unknown"),
        ("davit_tiny", "unknown"),
        (3, "unknown"),
        (None, "unknown"),
    ):
        ((block, _),) = blocks_of(written(tmp_path, tensors, {"architecture": architecture}))
        assert block.norm == norm


def test_a_gate_or_a_layer_scale_of_another_shape_is_refused(tmp_path):
    llama = {"up": "layers.0.mlp.up_proj", "down": "layers.0.mlp.down_proj"}
    tensors = named(np.random.default_rng(14), **llama, biases=False)
    tensors["layers.0.mlp.gate_proj.weight"] = np.ones((N, D + 1), np.float32)
    with pytest.raises(InvalidInput, match=r"gate_proj\.weight must have shape"):
        blocks_of(written(tmp_path, tensors))
    tensors = named(np.random.default_rng(15), "blocks.0.mlp.fc1", "blocks.0.mlp.fc2")
    tensors["blocks.0.ls2.gamma"] = np.ones(1, np.float32)  # would broadcast
    with pytest.raises(InvalidInput, match="gamma must have shape"):
        blocks_of(written(tmp_path, tensors))


def test_the_configuration_tells_how_weights_under_given_names_are_stored(tmp_path):
    tensors = named(np.random.default_rng(16), "a", "c", biases=False, conv1d=True)
    path = written(tmp_path, tensors, {"hidden_size": D})
    ((block, _),) = blocks_of(path, up="a.weight", down="c.weight", activation="gelu")
    assert (block.d, block.n) == (D, N)


def test_a_scale_beside_a_weight_under_any_name_is_refused(tmp_path):
    weights = {"u": np.ones((N, D), np.float32), "v": np.ones((D, N), np.float32)}
    options = {"up": "u", "down": "v", "activation": "gelu"}
    assert blocks_of(written(tmp_path, weights), **options)
    with pytest.raises(InvalidInput, match="with v_scale_inv"):
        blocks_of(written(tmp_path, weights | {"v_scale_inv": np.ones(1, np.float32)}), **options)


@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize("n", [D - 1, D, N])
def test_how_a_matrix_is_stored_is_not_guessed(tmp_path, n, biases):
    tensors = named(
        np.random.default_rng(0), "h.0.mlp.c_fc", "h.0.mlp.c_proj", n=n, biases=biases, conv1d=True
    )
    told = n == N or (biases and n < D)
    if told:
        assert blocks_of(written(tmp_path, tensors))[0][0].n == n
    else:
        for config in ({}, {"model_type": "gpt_neo"}):
            with pytest.raises(InvalidInput, match="tells how it is stored"):
                blocks_of(written(tmp_path, tensors, config))
    ((block, mlp),) = blocks_of(written(tmp_path, tensors, {"model_type": "gpt2"}))
    assert np.array_equal(mlp.w_up, tensors["h.0.mlp.c_fc.weight"].T)
    wide = named(np.random.default_rng(0), "h.0.mlp.c_fc", "h.0.mlp.c_proj", biases=False)  # as Linear has it
    with pytest.raises(InvalidInput, match="tells how it is stored"):
        blocks_of(written(tmp_path, wide, {"model_type": "other"}))
    ((block, _),) = blocks_of(written(tmp_path, wide, {"n_embd": D}))
    assert (block.d, block.n) == (D, N)


LAYERS = [
    (PREFIXED[0][:2], "roberta.encoder.layer.11."),
    (PREFIXED[4][:2], "model.decoder.layers.2."),
    (PREFIXED[5][:2], "transformer.encoder.layers.0."),
]


@pytest.mark.parametrize(("names", "layer"), LAYERS)
@pytest.mark.parametrize(
    "part",
    [
        "ffn_layernorm.weight",
        "w_resid",
        "resweight",
        "gamma",
        "layer_scale",
        "res_scale2.scale",
        "adapter.down.weight",
        "fc3.weight",
        "linear3.weight",
        "gate.weight",
    ],
)
def test_a_layer_with_a_part_that_acts_on_the_mlp_is_refused(tmp_path, names, layer, part):
    tensors = named(np.random.default_rng(1), *names) | {layer + part: np.ones(D, np.float32)}
    with pytest.raises(InvalidInput, match="nothing but the tensors of a plain MLP"):
        blocks_of(written(tmp_path, tensors))
    for other in ("self_attn.scale", "encoder_attn.gate.weight", "attention.output.LayerNorm.gamma"):
        tensors = named(np.random.default_rng(1), *names) | {layer + other: np.ones(D, np.float32)}
        assert blocks_of(written(tmp_path, tensors))


@pytest.mark.parametrize("part", ["output.adapter_modules.en.dense1.weight", "intermediate.norm.weight"])
def test_a_module_of_the_mlp_holds_nothing_else(tmp_path, part):
    layer = "roberta.encoder.layer.11."
    tensors = named(np.random.default_rng(1), *PREFIXED[0][:2]) | {layer + part: np.ones(D, np.float32)}
    with pytest.raises(InvalidInput, match="nothing but the tensors of a plain MLP"):
        blocks_of(written(tmp_path, tensors))
    for norm in ("output.LayerNorm", "intermediate.LayerNorm"):
        parts = {f"{layer}{norm}.{name}": np.ones(D, np.float32) for name in ("weight", "bias", "beta")}
        tensors = named(np.random.default_rng(1), *PREFIXED[0][:2]) | parts
        assert blocks_of(written(tmp_path, tensors))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"decoder": {"activation_function": "gelu"}}, "gelu"),
        ({"decoder_config": {"activation_function": "silu"}, "activation_function": "relu"}, "silu"),
        ({"text_config": {"hidden_act": "gelu"}}, "gelu"),
        ({"activation_function": "gelu_new"}, "gelu_tanh"),
        ({"encoder": {"hidden_act": "gelu"}}, "hidden_act = gelu, perhaps not of this MLP"),
        (
            {"decoder": {}, "activation_function": "gelu"},
            "activation_function = gelu, perhaps not of this MLP",
        ),
        ({"model_args": {"act_layer": "relu"}}, "act_layer = relu, perhaps not of this MLP"),
        ({"hidden_act": "gelu", "activation_function": "relu"}, "agree with config.json: hidden_act = gelu"),
        ({"hidden_act": "silu", "activation": "swish"}, "silu"),
        ({"hidden_size": D}, "relu"),
        ({"decoder": {"hidden_act": "gelu"}, "model": {"hidden_act": "silu"}}, "gelu"),  # the outer part
    ],
)
def test_an_activation_is_taken_from_the_part_of_the_configuration_that_is_about_it(
    tmp_path, config, expected
):
    names = ("decoder.model.decoder.layers.0.fc1", "decoder.model.decoder.layers.0.fc2")
    path = written(tmp_path, named(np.random.default_rng(1), *names), config)
    if " " in expected:
        with pytest.raises(InvalidInput, match=expected):
            blocks_of(path)
        assert blocks_of(path, activation="silu")[0][0].activation == "silu"
    else:
        assert blocks_of(path)[0][0].activation == expected


def test_an_architecture_named_for_another_activation_has_not_the_default(tmp_path):
    tensors = named(np.random.default_rng(1), "blocks.0.mlp.fc1", "blocks.0.mlp.fc2")
    path = written(tmp_path, tensors, {"architecture": "vit_base_patch16_clip_quickgelu_224"})
    with pytest.raises(InvalidInput, match="activation must be given"):
        blocks_of(path)


@pytest.mark.parametrize(("model", "value"), [("t5", "gated-gelu"), ("t5-v1.1", "relu")])
def test_a_configuration_of_a_gated_mlp_beside_one_that_is_not(tmp_path, model, value):
    path = write_checkpoint(tmp_path, model, rng=np.random.default_rng(0)).path
    (path / "config.json").write_text(json.dumps({"feed_forward_proj": value}))
    with pytest.raises(InvalidInput, match=r"be of the (un)?gated MLP that is stored"):
        blocks_of(path)


@pytest.mark.parametrize(
    ("names", "config", "norm"),
    [
        (PREFIXED[1][:2], {"model_type": "openai-gpt"}, "ln_f.weight"),
        (PREFIXED[4][:2], {"model_type": "marian"}, "model.decoder.layer_norm.weight"),
        (PREFIXED[4][:2], {"do_layer_norm_before": False}, "model.decoder.final_layer_norm.weight"),
    ],
)
def test_a_norm_that_contradicts_the_configuration_is_unknown(tmp_path, names, config, norm):
    tensors = named(np.random.default_rng(1), *names, conv1d="c_fc" in names[0])
    ((block, _),) = blocks_of(written(tmp_path, tensors | {norm: np.ones(D, np.float32)}, config))
    assert block.norm == "unknown"
    assert f"contradicts the tensor {norm}" in block.norm_from
    ((block, _),) = blocks_of(written(tmp_path, tensors, {"model_type": "opt"} | config))
    assert block.norm == "post"


@pytest.mark.parametrize("after", ["post_feedforward_layernorm", "post_mlp_layernorm"])
def test_a_norm_of_the_mlps_output_is_not_passed_over(tmp_path, after):
    layer, rng = "model.layers.0.", np.random.default_rng(2)
    tensors = named(rng, f"{layer}mlp.up_proj", f"{layer}mlp.down_proj", biases=False)
    tensors[f"{layer}post_attention_layernorm.weight"] = np.ones(D, np.float32)
    assert blocks_of(written(tmp_path, tensors))[0][0].norm == "pre"
    norm = {f"{layer}{after}.weight": np.ones(D, np.float32)}
    gate = {f"{layer}mlp.gate_proj.weight": np.ones((N, D), np.float32)}
    for more in (norm, norm | gate):
        with pytest.raises(InvalidInput, match="known family"):
            blocks_of(written(tmp_path, tensors | more))


def test_data2vec_is_not_taken_for_a_translation_model(tmp_path):
    tensors = named(np.random.default_rng(1), "encoder.layers.0.fc1", "encoder.layers.0.fc2")
    tensors |= {"encoder.layer_norm.weight": np.ones(D, np.float32)}
    with pytest.raises(InvalidInput, match="known family"):
        blocks_of(written(tmp_path, tensors | {"encoder.pos_conv.0.0.bias": np.ones(D, np.float32)}))


@pytest.mark.parametrize("conv1d", [False, True])
def test_the_output_bias_and_the_norm_tell_how_a_matrix_is_stored(tmp_path, conv1d):
    up, down = "h.0.mlp.c_fc", "h.0.mlp.c_proj"
    tensors = named(np.random.default_rng(5), up, down, biases=False, conv1d=conv1d)
    expected = tensors[f"{up}.weight"].T if conv1d else tensors[f"{up}.weight"]
    for teller in (f"{down}.bias", "h.0.ln_2.weight"):
        path = written(tmp_path, tensors | {teller: np.ones(D, np.float32)}, {"n_embd": N})  # which is wrong
        ((block, mlp),) = blocks_of(path)
        assert (block.d, block.n) == (D, N)
        assert np.array_equal(mlp.w_up, expected)


def test_a_scale_beside_a_weights_module_is_refused(tmp_path):
    tensors = named(np.random.default_rng(5), "a", "c") | {"a_scale": np.ones(1, np.float32)}
    with pytest.raises(InvalidInput, match="with a_scale"):
        blocks_of(written(tmp_path, tensors), up="a.weight", down="c.weight", activation="gelu")
