"""The commands about whole checkpoints: tables, notes, exit statuses, one line for every mistake."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file, save_file

from skip_absorption.checkpoints.generated import write_checkpoint
from skip_absorption.cli import main
from skip_absorption.measures import generator
from skip_absorption.results.schema import validate_table


@pytest.fixture
def model(tmp_path):
    def write(name):
        return str(write_checkpoint(tmp_path / name, name, rng=generator("test", name)).path)

    return write


def test_a_table_with_notes(model, tmp_path, capsys):
    assert main(["audit", model("bert"), "--certificates", str(tmp_path / "c")]) == 0
    header, first, second, _, *notes = capsys.readouterr().out.splitlines()
    assert header.split()[:4] == ["block", "d", "N", "activation"]
    assert first.split()[:7] == ["bert.encoder.layer.0", "8", "32", "gelu", "up+down", "post", "X1b"]
    assert "NOT_ABSORBABLE" in first
    assert "entries, valid" in first
    assert "N+1 .. N+8" in first
    assert " ABSORBABLE" in second
    assert "N+0" in second
    assert any(note.startswith("[1] r(x) = x + MLP(x)") for note in notes)
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == [
        "bert.encoder.layer.0.json",
        "bert.encoder.layer.1.json",
    ]


def test_a_gated_model_needs_no_certificate(model, capsys):
    assert main(["audit", model("llama"), "--blocks", "1"]) == 0
    _, row, *notes = capsys.readouterr().out.splitlines()
    assert "Proposition 2  NOT_ABSORBABLE" in row
    assert "none" in row
    assert any("does not compute" in note for note in notes)  # pre-norm
    assert any("continuous and 0 at 0" in note for note in notes)


def test_the_forms_agree(model, capsys):
    path = model("t5")
    assert main(["audit", path, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [block["verdict"] for block in data["blocks"]] == ["NOT_ABSORBABLE", "ABSORBABLE"]
    assert len(data["blocks"][1]["flip_set"]) == 8
    assert {"map", "width_proof", "norm_from"} <= data["blocks"][0].keys()
    assert main(["audit", path, "--csv", "--blocks", "0-1"]) == 0
    table = pd.DataFrame(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(validate_table("checkpoint_audit", table)["verdict"]) == ["NOT_ABSORBABLE", "ABSORBABLE"]
    assert main(["audit", path, "--latex"]) == 0
    latex = capsys.readouterr().out
    assert latex.count("Theorem 4") == 2
    assert r"\bottomrule" in latex


def test_what_no_statement_covers_is_status_3(tmp_path, capsys):
    rng = np.random.default_rng(0)
    path = tmp_path / "w.npz"
    np.savez(path, allow_pickle=False, u=rng.standard_normal((4, 2)), v=rng.standard_normal((2, 4)))
    words = ["audit", str(path), "--up", "u", "--down", "v", "--activation"]
    assert main([*words, "sigmoid"]) == 3
    assert "UNKNOWN" in capsys.readouterr().out
    assert main([*words, "relu"]) == 0


def test_a_rejected_certificate_is_status_1(model, capsys, monkeypatch):
    from skip_absorption.absorption.checker import CheckResult
    from skip_absorption.checkpoints import audit

    monkeypatch.setattr(audit, "check_certificate", lambda *_, **__: CheckResult(False, "no"))
    assert main(["audit", model("bert")]) == 1
    assert "INVALID" in capsys.readouterr().out


def test_what_ends_an_audit_early_leaves_the_rows_before_it(model, capsys, monkeypatch):
    path = Path(model("bert"))
    file, name = path / "model.safetensors", "bert.encoder.layer.1.output.dense.weight"
    tensors = {key: np.array(array) for key, array in load_file(file).items()}
    tensors[name][0, 0] = np.nan
    save_file(tensors, file)
    assert main(["audit", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1].startswith("bert.encoder.layer.0 ")
    assert "note: the audit ended early: no block after bert.encoder.layer.0 was decided" in captured.out
    (line,) = captured.err.splitlines()
    assert f"{name} must hold finite numbers; got nan at [0, 0]" in line
    assert main(["audit", str(path), "--json"]) == 2
    assert [block["number"] for block in json.loads(capsys.readouterr().out)["blocks"]] == [0]
    assert main(["audit", str(path), "--blocks", "1"]) == 2
    assert capsys.readouterr().out == ""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    from skip_absorption.checkpoints import audit

    monkeypatch.setattr(audit.CheckpointBlock, "load", interrupted)
    assert main(["audit", str(path)]) == 130
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--blocks", "7"], "blocks must be the number (0 to 1) or the name of a block"),
        (["--blocks", "1-0"], "blocks must name at least one block; got none"),
        (["--csv", "--json"], "--json, --csv and --latex must be given one at a time; got several"),
        (["--activation", "tan"], "activation must be one of "),
    ],
)
def test_a_mistake_is_one_line(model, capsys, words, complaint):
    assert main(["audit", model("bert"), *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith(f"skip-absorption: {complaint}")


def test_a_missing_model_is_one_line(tmp_path, capsys):
    assert main(["audit", str(tmp_path / "none.safetensors")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def with_experts(folder, rng):
    """Write a model whose first layer is dense and whose second is a mixture of two experts."""
    shapes = {"gate_proj": (6, 4), "up_proj": (6, 4), "down_proj": (4, 6)}
    tensors = {
        f"model.layers.{layer}.mlp.{name}.weight": rng.standard_normal(shape).astype(np.float32)
        for layer in ("0", "1.mlp.experts.0", "1.mlp.experts.1")
        for name, shape in shapes.items()
    }
    tensors = {
        name.replace(".mlp.gate", ".gate") if "experts" in name else name: t for name, t in tensors.items()
    }
    save_file(tensors, folder / "moe.safetensors")
    return str(folder / "moe.safetensors")


def test_experts_beside_dense_layers_are_mentioned(tmp_path, capsys):
    path = with_experts(tmp_path, generator("test", "experts"))
    said = "6 further matrices look like parts of MLPs"
    assert main(["audit", path]) == 0
    assert said in capsys.readouterr().out.splitlines()[-1]
    assert main(["audit", path, "--json"]) == 0
    assert said in json.loads(capsys.readouterr().out)["remarks"][-1]
    assert main(["audit", path, "--csv"]) == 0
    captured = capsys.readouterr()
    assert len(list(csv.DictReader(io.StringIO(captured.out)))) == 1
    assert said in captured.err


def test_an_absorbed_block_is_not_said_to_have_a_skip(model, tmp_path, capsys):
    out = str(tmp_path / "out")
    assert main(["absorb", model("bert"), "-o", out, "--blocks", "1"]) == 0
    assert "note: the skips" not in capsys.readouterr().out
    assert main(["audit", out]) == 0
    assert "note: the skips of these blocks were absorbed before: 1;" in capsys.readouterr().out
    (tmp_path / "out" / "config.json").write_text('{"mlp_without_skip": [Infinity]}')
    assert main(["audit", out]) == 2
    assert "mlp_without_skip must list blocks" in capsys.readouterr().err


def bert(folder, *, prefix="", scale=1.0, config=None):
    rng, folder = generator("test", "small"), Path(folder)
    layer = f"{prefix}encoder.layer.0."
    shapes = {
        "intermediate.dense.weight": (6, 4),
        "output.dense.weight": (4, 6),
        "output.LayerNorm.weight": (4,),
    }
    tensors = {layer + name: scale * rng.standard_normal(s).astype(np.float32) for name, s in shapes.items()}
    folder.mkdir()
    save_file({name: t.astype(np.float32) for name, t in tensors.items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config or {}))
    return str(folder)


def test_names_reach_the_terminal_without_control_characters(tmp_path, capsys):
    path = bert(tmp_path / "m", prefix="a\x1b[31m\r.")
    assert main(["audit", path]) == 0
    assert main(["absorb", path, "-o", str(tmp_path / "out")]) == 0
    assert all(line.isprintable() for line in capsys.readouterr().out.split("\n"))
    moved = Path(path).rename(tmp_path / "two\nlines")
    assert main(["audit", str(moved), "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_width_that_is_a_list_stays_as_it_is(tmp_path, capsys):
    path = bert(tmp_path / "m", config={"intermediate_size": [6], "ffn_dim": 6})
    assert main(["absorb", path, "-o", str(tmp_path / "out")]) == 0
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config["intermediate_size"] == [6]
    assert config["ffn_dim"] == 10


def test_corrections_beyond_the_type_are_one_line(tmp_path, capsys):
    assert main(["absorb", bert(tmp_path / "m", scale=2.0**-140), "-o", str(tmp_path / "out")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "encoder.layer.0 must have a twin without skip whose weights are numbers of type float32" in line
    assert not (tmp_path / "out").exists()


def test_huge_weights_leave_a_manifest_that_is_json(tmp_path, capsys):
    path = bert(tmp_path / "m", scale=2.0**125)
    assert main(["absorb", path, "-o", str(tmp_path / "out"), "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    (block,) = json.loads(captured.out, parse_constant=pytest.fail)["blocks"]
    assert block["outputs"]["float32"]["greatest_difference"] is None


def test_what_a_checkpoint_cannot_use_is_refused(tmp_path, capsys, monkeypatch):
    path = bert(tmp_path / "m")
    assert main(["absorb", path, "-o", str(tmp_path / "out"), "--transpose"]) == 2
    assert "--transpose must be left out" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert main(["absorb", path, "-o", "."]) == 2
    assert "the output must have a name of its own; got ." in capsys.readouterr().err


def test_a_place_that_holds_no_certificate_is_named(tmp_path, capsys):
    place = tmp_path / "c" / "encoder.layer.0.json"
    place.mkdir(parents=True)
    assert main(["audit", bert(tmp_path / "m"), "--certificates", str(tmp_path / "c")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"certificate file must be replaceable; got {place}" in line
