"""Whole models without skips: what is written, what it says of itself, and what is refused."""

import json
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from skip_absorption.checkpoints import skipless
from skip_absorption.checkpoints.absorb_model import MANIFEST, _require_absorbable, absorb_model
from skip_absorption.checkpoints.audit import audit
from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.manifest import ulps
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.cli import main
from skip_absorption.errors import InvalidInput
from skip_absorption.measures import generator, planted
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

from .small_bert import LAYERS, D, N, small_bert, write_bert


@pytest.fixture
def model(tmp_path):
    return write_bert(tmp_path / "model")


def blocks_of(path):
    """Return the MLPs of a model, by the names of a BERT."""
    tensors = load_file(path / "model.safetensors" if path.is_dir() else path)
    return [
        Mlp(
            tensors[f"encoder.layer.{layer}.intermediate.dense.weight"],
            tensors[f"encoder.layer.{layer}.output.dense.weight"],
            "gelu",
            tensors[f"encoder.layer.{layer}.intermediate.dense.bias"],
            tensors[f"encoder.layer.{layer}.output.dense.bias"],
        )
        for layer in range(LAYERS)
    ]


def test_exact_blocks_are_equal_as_functions_and_nothing_else_changes(model, tmp_path):
    out = tmp_path / "out"
    manifest = absorb_model(model, out, width="exact")
    assert json.loads((out / MANIFEST).read_text()) == manifest
    assert manifest["exact"]
    for before, after in zip(blocks_of(model), blocks_of(out), strict=True):
        assert after.width == N + 2 * D
        assert equal_functions(Residual(before), after)
        rows = after.w_up.copy()
        rows[N + 3, 3] = np.nextafter(rows[N + 3, 3], np.float32(np.inf))
        assert not equal_functions(
            Residual(before), Mlp(rows, after.w_down, "gelu", after.b_up, after.b_down)
        )
    old, new = load_file(model / "model.safetensors"), load_file(out / "model.safetensors")
    assert old.keys() == new.keys()
    for name in old:
        if ("intermediate" not in name and "output.dense" not in name) or "attention" in name:
            assert old[name].tobytes() == new[name].tobytes()
    config = json.loads((out / "config.json").read_text())
    assert config["intermediate_size"] == N + 2 * D
    assert config["mlp_without_skip"] == [0, 1]
    assert config["model_type"] == "bert-without-mlp-skip"  # no loader that adds the skip takes it for a BERT
    assert (out / "vocab.txt").read_bytes() == (model / "vocab.txt").read_bytes()


def test_minimal_blocks_are_what_the_manifest_says(model, tmp_path):
    manifest = absorb_model(model, tmp_path / "out")
    assert not manifest["exact"]
    for entry, before, after in zip(
        manifest["blocks"], blocks_of(model), blocks_of(tmp_path / "out"), strict=True
    ):
        found = skipless.without_skip(before)
        assert (entry["width"], entry["N"], entry["d"], entry["pairs"]) == (N + D, N, D, 0)
        assert entry["doubled"] == list(found.doubled)
        assert entry["residual"]["skip"] == str(found.skip_error)
        assert entry["equality_proved"]
        assert equal_functions(found.realised, after)
        assert not equal_functions(Residual(before), after)
        assert entry["outputs"]["float64"]["greatest_difference"] < 1e-5
        assert entry["parameters_after"] - entry["parameters_before"] == D * (2 * D + 1)
        assert entry["operations_after"] - entry["operations_before"] == 4 * D * D - D
    size = sum(array.size for array in small_bert().values())
    assert manifest["parameters_before"] == size
    assert manifest["parameters_after"] == sum(
        a.size for a in load_file(tmp_path / "out/model.safetensors").values()
    )


def test_one_block_leaves_the_other_and_the_width_of_the_configuration_alone(model, tmp_path):
    manifest = absorb_model(model, tmp_path / "out", blocks=[1], width="exact")
    first, second = blocks_of(tmp_path / "out")
    assert (first.width, second.width) == (N, N + 2 * D)
    assert any("widths [20, 36]" in note for note in manifest["notes"])
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert (config["intermediate_size"], config["mlp_without_skip"]) == (N, [1])


def test_blocks_of_different_least_widths_are_padded_to_one(tmp_path):
    tensors = small_bert()
    plant = planted(D, N, rng=generator("test", "padding"))
    tensors["encoder.layer.0.intermediate.dense.weight"] = plant.w_up.astype(np.float32)
    tensors["encoder.layer.0.output.dense.weight"] = plant.w_down.astype(np.float32)
    source = write_bert(tmp_path / "model", tensors=tensors)
    manifest = absorb_model(source, tmp_path / "out")
    first, second = manifest["blocks"]
    assert first["flipped"]
    assert (first["padding"], second["padding"], first["width"]) == (D, 0, N + D)
    after = blocks_of(tmp_path / "out")[0]
    assert not after.w_up[N:].any()
    assert not after.w_down[:, N:].any()
    assert equal_functions(skipless.without_skip(blocks_of(source)[0]).realised, after)


def test_small_floats_are_stored_as_they_were(tmp_path):
    tensors = {name: array.astype(ml_dtypes.bfloat16) for name, array in small_bert().items()}
    source = write_bert(tmp_path / "model", tensors=tensors)
    assert absorb_model(source, tmp_path / "out", width="exact")["exact"]
    with open_tensors(tmp_path / "out") as written, open_tensors(source) as before:
        assert {written.dtype(name) for name in written.names()} == {"BF16"}
        (old, _), (new, _) = find_blocks(before), find_blocks(written)
        assert equal_functions(Residual(old.load(before)), new.load(written))


def test_a_single_file_and_its_manifest(model, tmp_path):
    out = tmp_path / "out.safetensors"
    absorb_model(model / "model.safetensors", out, width="exact")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "model",
        "out.absorption.json",
        "out.safetensors",
    ]
    assert all(equal_functions(Residual(a), b) for a, b in zip(blocks_of(model), blocks_of(out), strict=True))
    with pytest.raises(InvalidInput, match="be a new file"):
        absorb_model(model / "model.safetensors", out)
    with pytest.raises(InvalidInput, match="absorbed before"):
        absorb_model(out, tmp_path / "again.safetensors")
    with pytest.raises(InvalidInput, match=r"be a directory or end in \.safetensors"):
        absorb_model(model, tmp_path / "out.npz")
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(("names", "said"), [({}, 1), ({"activation": "relu"}, 0)])
def test_an_assumed_activation_is_mentioned(model, tmp_path, names, said):
    (model / "config.json").unlink()
    default = "gelu is the default of the family bert"
    line = f"no configuration names the activation: {default} (another: --activation)"
    notes = absorb_model(model, tmp_path / "out", width="exact", names=names)["notes"]
    assert notes.count(line) == said
    assert absorb_model(model, tmp_path / "again", blocks=[0], names=names)["notes"].count(line) == said
    remarks = []
    list(audit(model, remark=remarks.append, **names))
    assert remarks.count(line) == said


def test_a_failure_leaves_nothing_behind(model, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("skip_absorption.checkpoints.absorb_model.write_model", broken)
    with pytest.raises(InvalidInput, match="No space left"):
        absorb_model(model, tmp_path / "out", width="exact")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(InvalidInput, match="new or empty directory"):
        absorb_model(model, tmp_path / "full", width="exact")


def test_a_wrong_construction_is_not_written(model, tmp_path, monkeypatch):
    right = skipless._Parts.twin

    def off_by_one_ulp(self, mlp, b_down):
        twin = right(self, mlp, b_down)
        rows = twin.w_up.copy()
        rows[-1, -1] = np.nextafter(rows[-1, -1], np.float32(np.inf))
        return Mlp(rows, twin.w_down, twin.activation, twin.b_up, twin.b_down)

    monkeypatch.setattr(skipless._Parts, "twin", off_by_one_ulp)
    with pytest.raises(AssertionError, match="differ"):
        absorb_model(model, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_blocks_that_absorb_nothing_are_refused_by_name(model, tmp_path):
    d = np.ones(4, np.float32)
    gpt2 = {
        "h.0.mlp.c_fc.weight": np.ones((4, 8), np.float32),
        "h.0.mlp.c_proj.weight": np.ones((8, 4), np.float32),
        "h.0.mlp.c_fc.bias": np.ones(8, np.float32),
        "h.0.mlp.c_proj.bias": d,
        "h.0.ln_2.weight": d,
        "ln_f.weight": d,
    }
    llama = {
        "model.layers.0.mlp.up_proj.weight": np.ones((8, 4), np.float32),
        "model.layers.0.mlp.gate_proj.weight": np.ones((8, 4), np.float32),
        "model.layers.0.mlp.down_proj.weight": np.ones((4, 8), np.float32),
    }
    unknown = {
        "layers.0.linear1.weight": np.ones((8, 4), np.float32),
        "layers.0.linear2.weight": np.ones((4, 8), np.float32),
    }
    cases = [(gpt2, "past the norm"), (llama, "Proposition 2"), (unknown, "known to have no norm")]
    for number, (tensors, reason) in enumerate(cases):
        path = tmp_path / f"{number}.safetensors"
        save_file(tensors, path)
        with pytest.raises(InvalidInput, match=rf"block 0 \(.*{reason}"):
            absorb_model(path, tmp_path / "no.safetensors")
    with pytest.raises(InvalidInput, match="Proposition 1"):
        absorb_model(model, tmp_path / "no", names={"activation": "relu_squared"})
    with pytest.raises(InvalidInput, match="blocks must be distinct numbers from 0 to 1"):
        absorb_model(model, tmp_path / "no", blocks=[0, 2])
    np.savez(tmp_path / "w.npz", **small_bert())
    with pytest.raises(InvalidInput, match="kind safetensors"):
        absorb_model(tmp_path / "w.npz", tmp_path / "no")
    assert not (tmp_path / "no").exists()


def test_what_cannot_be_written_back_is_refused(model):
    with open_tensors(model) as tensors:
        (block, *_) = find_blocks(tensors)
        _require_absorbable(tensors, block, 0)
        for changed, message in (
            ({"scale": block.b_down}, "have no layer scale"),  # it would multiply the new columns
            ({"b_down": None}, "have an output bias if it has hidden ones"),
        ):
            with pytest.raises(InvalidInput, match=message):
                _require_absorbable(tensors, replace(block, **changed), 0)


def test_ulps_are_of_the_greatest_entry():
    before = np.float32([[2.0, 1e-3], [0.5, 0.25]])
    after = before.copy()
    after[0, 1] += 2.0**-22
    assert ulps(before, after) == 1.0
    assert ulps(before.astype(np.float64), before) == 0.0


def test_the_command(model, tmp_path, capsys):
    out = tmp_path / "out"
    arguments = ["absorb", str(model), "-o", str(out), "--blocks", "all", "--width", "exact"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "2 blocks without skip, the same function\n" in text
    assert f"encoder.layer.1: width {N} -> {N + 2 * D}, exact, proved" in text
    assert "leave out the residual addition" in text
    assert (
        main(["absorb", str(model / "model.safetensors"), "-o", str(tmp_path / "o.safetensors"), "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["asked"] == "minimal"
    for wrong, reason in [
        (["--blocks", "7"], "blocks must be distinct"),
        (["--width", "30"], "minimal or exact"),
        (["--layer", "0", "--blocks", "0"], "whole checkpoint"),
    ]:
        assert main(["absorb", str(model), "-o", str(tmp_path / "no"), *wrong]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert reason in line
    with pytest.raises(SystemExit):
        main(["absorb", str(model), "-o", str(tmp_path / "no"), "--blocks", "a"])
