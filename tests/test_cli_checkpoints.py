"""The commands about whole checkpoints: tables, notes, exit statuses, one line for every mistake."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

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
