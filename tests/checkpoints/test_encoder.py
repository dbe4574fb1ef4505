"""The BERT encoder against one written with loops, and read back from a directory."""

import json
import math

import numpy as np
import pytest
from safetensors.numpy import save_file

from skip_absorption.checkpoints.absorb_model import absorb_model
from skip_absorption.checkpoints.encoder import Encoder, read_encoder
from skip_absorption.errors import InvalidInput

from .small_bert import CONFIG, HEADS, LAYERS, VOCABULARY, small_bert, write_bert

PIECES = [1, 4, 3, 5, 2]


def dense(x, tensors, name):
    weight, bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
    return [
        sum(float(w) * v for w, v in zip(row, x, strict=True)) + float(b)
        for row, b in zip(weight, bias, strict=True)
    ]


def normalised(x, tensors, name):
    mean = sum(x) / len(x)
    variance = sum((v - mean) ** 2 for v in x) / len(x)
    return [
        (v - mean) / math.sqrt(variance + CONFIG["layer_norm_eps"]) * float(g) + float(b)
        for v, g, b in zip(x, tensors[f"{name}.weight"], tensors[f"{name}.bias"], strict=True)
    ]


def gelu(z):
    return z * (1 + math.erf(z / math.sqrt(2))) / 2


def slow_layer(h, tensors, layer, *, skip=True):
    """Return a layer's output, each position and head by itself."""
    name = f"encoder.layer.{layer}."
    q, k, v = (
        [dense(x, tensors, f"{name}attention.self.{part}") for x in h] for part in ("query", "key", "value")
    )
    size = len(h[0]) // HEADS
    out = []
    for i, x in enumerate(h):
        mixed = []
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            scores = [
                sum(a * b for a, b in zip(q[i][part], key[part], strict=True)) / math.sqrt(size) for key in k
            ]
            weights = [math.exp(score) for score in scores]
            mixed += [
                sum(w * value[part][c] for w, value in zip(weights, v, strict=True)) / sum(weights)
                for c in range(size)
            ]
        added = dense(mixed, tensors, f"{name}attention.output.dense")
        y = normalised(
            [a + b for a, b in zip(added, x, strict=True)], tensors, f"{name}attention.output.LayerNorm"
        )
        inner = [gelu(z) for z in dense(y, tensors, f"{name}intermediate.dense")]
        after = dense(inner, tensors, f"{name}output.dense")
        if skip:
            after = [a + b for a, b in zip(after, y, strict=True)]
        out.append(normalised(after, tensors, f"{name}output.LayerNorm"))
    return out


def slow_embedding(pieces, tensors, without_skip=()):
    h = []
    for position, piece in enumerate(pieces):
        parts = [
            tensors["embeddings.word_embeddings.weight"][piece],
            tensors["embeddings.position_embeddings.weight"][position],
            tensors["embeddings.token_type_embeddings.weight"][0],
        ]
        h.append(
            normalised(
                [sum(map(float, column)) for column in zip(*parts, strict=True)],
                tensors,
                "embeddings.LayerNorm",
            )
        )
    for layer in range(LAYERS):
        h = slow_layer(h, tensors, layer, skip=layer not in without_skip)
    mean = [sum(column) / len(h) for column in zip(*h, strict=True)]
    length = math.sqrt(sum(m * m for m in mean))
    return [m / length for m in mean]


@pytest.mark.parametrize("without_skip", [(), (0,), (0, 1)])
def test_the_encoder_agrees_with_loops(without_skip):
    tensors = {name: array.astype(np.float64) for name, array in small_bert().items()}
    encoder = Encoder(tensors, HEADS, "gelu", CONFIG["layer_norm_eps"], without_skip)
    (found,) = encoder.embed([PIECES])
    np.testing.assert_allclose(found, slow_embedding(PIECES, tensors, without_skip), rtol=0, atol=1e-12)


def test_single_precision_stays_single():
    encoder = Encoder(small_bert(), HEADS)
    double = Encoder({name: array.astype(np.float64) for name, array in small_bert().items()}, HEADS)
    assert encoder.embed([PIECES]).dtype == np.float32
    np.testing.assert_allclose(encoder.embed([PIECES]), double.embed([PIECES]), rtol=0, atol=1e-5)


@pytest.mark.parametrize("prefix", ["", "bert."])
def test_it_is_read_from_a_directory_and_knows_absorbed_skips(tmp_path, prefix):
    source = write_bert(tmp_path / "model", prefix=prefix)
    encoder, tokenizer = read_encoder(source, dtype=np.float64)
    assert (encoder.layers, encoder.heads, tuple(encoder.without_skip)) == (LAYERS, HEADS, ())
    pieces = tokenizer.encode("hello world")
    assert pieces == [1, 3, 4, 2]
    absorb_model(source, tmp_path / "out", width="exact", blocks=[1])
    after, _ = read_encoder(tmp_path / "out", dtype=np.float64)
    assert tuple(after.without_skip) == (1,)
    np.testing.assert_allclose(after.embed([pieces]), encoder.embed([pieces]), rtol=0, atol=1e-13)
    kept = Encoder(after.tensors, HEADS, "gelu", CONFIG["layer_norm_eps"])  # the skip added by mistake
    assert np.abs(kept.embed([pieces]) - encoder.embed([pieces])).max() > 0.01


def test_misuse_is_explained(tmp_path):
    tensors = small_bert()
    with pytest.raises(InvalidInput, match="heads must divide d = 8"):
        Encoder(tensors, 3)
    with pytest.raises(InvalidInput, match="without_skip"):
        Encoder(tensors, HEADS, without_skip=[LAYERS])
    with pytest.raises(InvalidInput, match="pieces"):
        Encoder(tensors, HEADS).hidden([len(VOCABULARY)])
    del tensors["encoder.layer.1.output.dense.bias"]
    with pytest.raises(InvalidInput, match=r"encoder\.layer\.1\.output\.dense\.bias"):
        Encoder(tensors, HEADS).hidden(PIECES)
    (tmp_path / "other").mkdir()
    save_file({"x": np.ones(1, np.float32)}, tmp_path / "other" / "model.safetensors")
    with pytest.raises(InvalidInput, match="word_embeddings"):
        read_encoder(tmp_path / "other")
    source = write_bert(tmp_path / "bare")
    (source / "vocab.txt").unlink()
    with pytest.raises(InvalidInput, match=r"vocab\.txt"):
        read_encoder(source)
    (source / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(InvalidInput, match="num_attention_heads"):
        read_encoder(source)
