"""The audit of checkpoints: known answers, controls that must fail, and what each row says."""

import json
import shutil
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from skip_absorption.absorption import certificate_json
from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.decision import Absorption
from skip_absorption.absorption.margin import margin
from skip_absorption.absorption.width import minimal_width
from skip_absorption.checkpoints.audit import as_record, audit, certificate_files
from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.generated import MODELS, write_checkpoint
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.measures import generator

COVERED = {"relu_squared": "Proposition 1"}


def written(folder, model="bert", **options):
    return write_checkpoint(folder / model, model, rng=generator("test", f"audit/{model}"), **options)


def loaded(path, number):
    with open_tensors(path) as tensors:
        return find_blocks(tensors)[number].load(tensors)


def changed(path, change):
    """Change the tensors of a checkpoint of one file."""
    file = path / "model.safetensors"
    tensors = {name: np.array(array) for name, array in load_file(file).items()}
    change(tensors)
    save_file(tensors, file)
    return path


@pytest.mark.parametrize("model", sorted(MODELS))
def test_every_family_has_its_statement_and_its_known_answer(model, tmp_path):
    example = written(tmp_path, model)
    rows = list(audit(example.path, certificates=tmp_path / "certificates"))
    for number, (row, known) in enumerate(zip(rows, example.blocks, strict=True)):
        gated, ungated = known.w_gate is not None, "Theorem 4" if known.b_up is None else "X1b"
        covered = "Proposition 2" if gated else COVERED.get(known.activation, ungated)
        assert (row.number, row.statement) == (number, covered)
        assert row.verdict.value == ("NOT_ABSORBABLE" if known.flip_set is None else "ABSORBABLE")
        assert row.flip_set == known.flip_set
        if covered.startswith("Proposition"):
            assert row.certificate_entries is row.checked is row.distance is row.lower is None
            assert row.hypotheses is None
        else:
            assert row.checked
            assert row.hypotheses == ()
            assert 0 <= row.lower <= row.upper <= 8
            assert (row.lower == 0) == (row.flip_set is not None)
            assert row.distance.upper == 0 or row.distance.lower > 0.5
        assert row.seconds > 0
        assert row.peak_mebibytes > 10


def test_one_ulp_off_a_planted_block_is_not_absorbable(tmp_path):
    example = written(tmp_path)
    unit = example.blocks[1].flip_set[0]

    def nudge(tensors):
        up = tensors["bert.encoder.layer.1.intermediate.dense.weight"]
        column = int(np.flatnonzero(up[unit])[0])
        up[unit, column] = np.nextafter(up[unit, column], np.float32(np.inf))

    (before,) = audit(example.path, blocks=["1"])
    (after,) = audit(changed(example.path, nudge), blocks=["1"])
    assert before.verdict is Absorption.ABSORBABLE
    assert after.verdict is Absorption.NOT_ABSORBABLE
    assert after.checked
    assert after.distance.relaxed < 1e-3  # near, and yet not


def test_the_certificate_of_another_block_is_rejected(tmp_path):
    example = written(tmp_path, planted=())
    rows = list(audit(example.path, certificates=tmp_path / "c"))
    files = sorted((tmp_path / "c").iterdir())
    assert [file.name for file in files] == ["bert.encoder.layer.0.json", "bert.encoder.layer.1.json"]
    for number, file in enumerate(files):
        certificate = certificate_json.read(file)
        assert certificate.size == rows[number].certificate_entries
        for other in range(2):
            mlp = loaded(example.path, other)
            checked = check_certificate(certificate, mlp.w_up, mlp.w_down, b_up=mlp.b_up, b_down=mlp.b_down)
            assert checked.valid == (other == number)


def test_a_checker_that_refuses_is_reported(tmp_path, monkeypatch):
    from skip_absorption.absorption.checker import CheckResult
    from skip_absorption.checkpoints import audit as module

    monkeypatch.setattr(module, "check_certificate", lambda *_, **__: CheckResult(False, "no"))
    assert [row.checked for row in audit(written(tmp_path).path)] == [False, False]


def test_where_the_hypotheses_fail_the_canonical_form_answers(tmp_path):
    example = written(tmp_path, "t5", planted=(), d=2, n=4)

    def double(tensors):
        up = tensors["encoder.block.0.layer.1.DenseReluDense.wi.weight"]
        up[1] = 2 * up[0]

    (row,) = audit(changed(example.path, double), blocks=["0"])
    assert row.statement == "X5"
    assert row.hypotheses == ("rows 0 and 1 of w_up are collinear",)
    mlp = loaded(example.path, 0)
    least = minimal_width(mlp.w_up, mlp.w_down, activation="relu")
    assert (row.lower, row.upper) == (least.lower - 4, least.upper - 4)
    assert (row.verdict is Absorption.ABSORBABLE) == (least.width <= 4)


def test_a_small_block_has_its_exact_least_width(tmp_path):
    example = written(tmp_path, "t5", d=2, n=5, planted=())
    for row in audit(example.path):
        mlp = loaded(example.path, row.number)
        extra = minimal_width(mlp.w_up, mlp.w_down, activation="relu").extra
        assert (row.lower, row.upper) == (extra, extra)


def test_beyond_the_search_a_canonical_form_has_its_own_least_width(tmp_path):
    example = written(tmp_path, "t5", planted=(), d=2, n=32)

    def double(tensors):
        up = tensors["encoder.block.0.layer.1.DenseReluDense.wi.weight"]
        up[1:5] = 2 * up[0]

    (row,) = audit(changed(example.path, double), blocks=["0"])
    mlp = loaded(example.path, 0)
    least = minimal_width(mlp.w_up, mlp.w_down, activation="relu")
    assert (row.lower, row.upper) == (least.lower - 32, least.upper - 32)
    assert row.upper < 0


def npz(folder, **tensors):
    path = folder / "w.npz"
    np.savez(path, allow_pickle=False, **tensors)
    return path


def weights(*, gated=False, biased=False):
    rng = np.random.default_rng(0)
    out = {"a.weight": rng.standard_normal((6, 2)), "c.weight": rng.standard_normal((2, 6))}
    out |= {"b.weight": rng.standard_normal((6, 2))} if gated else {}
    out |= {"a.bias": rng.standard_normal(6)} if biased else {}
    return out


@pytest.mark.parametrize(
    ("block", "activation", "statement", "words"),
    [
        ({"gated": True}, "silu", "Proposition 2", "continuous and 0 at 0"),
        ({"gated": True}, "relu", "Proposition 2", "continuous and 0 at 0"),
        ({"gated": True}, "sigmoid", "none", "does not vanish at 0"),
        ({"gated": True, "biased": True}, "silu", "none", "gated MLP with biases"),
        ({}, "relu_squared", "Proposition 1", "t^2 MLP"),
        ({"biased": True}, "relu_squared", "none", "degree 2 with hidden biases"),
        ({}, "sigmoid", "none", "no statement covers it"),
        ({}, "identity", "none", "no statement covers it"),
        ({"biased": True}, "silu", "X1b", "condition (3) fails"),
    ],
)
def test_what_covers_a_block_and_what_does_not(tmp_path, block, activation, statement, words):
    gate = "b.weight" if block.get("gated") else None
    (row,) = audit(
        npz(tmp_path, **weights(**block)), up="a.weight", down="c.weight", gate=gate, activation=activation
    )
    assert row.statement == statement
    assert row.verdict is (Absorption.UNKNOWN if statement == "none" else Absorption.NOT_ABSORBABLE)
    assert words in row.proof


def test_each_hidden_bias_counts_and_the_output_bias_does_not(tmp_path):
    names = {"up": "a.weight", "down": "c.weight", "gate": "b.weight"}
    tensors = weights(gated=True)
    for name, size, statement in (("a", 6, "none"), ("b", 6, "none"), ("c", 2, "Proposition 2")):
        path = npz(tmp_path, **tensors, **{f"{name}.bias": np.ones(size)})
        (row,) = audit(path, **names, activation="silu")
        assert (row.statement, row.biases) == (statement, ({"a": "up", "b": "gate", "c": "down"}[name],))
    path = npz(tmp_path, **weights(), **{"c.bias": np.ones(2)})
    (row,) = audit(path, up="a.weight", down="c.weight", activation="gelu")
    assert row.statement == "X1b"


def test_the_margin_is_that_of_the_activation(tmp_path):
    tensors = weights()
    (row,) = audit(npz(tmp_path, **tensors), up="a.weight", down="c.weight", activation="leaky_relu:1/4")
    assert row.distance == margin(tensors["a.weight"], tensors["c.weight"], odd=Fraction(5, 4))


def test_a_flip_set_where_the_hypotheses_fail(tmp_path):
    up, down = np.eye(2)[[0, 1, 1]], np.array([[-1.0, 0, 0], [0, -1, 3]])
    path = npz(tmp_path, **{"a.weight": up, "c.weight": down})
    (row,) = audit(path, up="a.weight", down="c.weight", activation="relu")
    assert row.hypotheses
    assert (row.flip_set, row.statement) == ((0, 1), "Theorem 4")  # sufficient without hypotheses


def test_what_is_checked_is_what_was_written(tmp_path, monkeypatch):
    write = certificate_json.write
    monkeypatch.setattr(
        certificate_json, "write", lambda found, file: write(replace(found, digest="0" * 64), file)
    )
    assert [row.checked for row in audit(written(tmp_path).path, certificates=tmp_path)] == [False, False]


def test_an_unfinished_search_stays_unknown_and_leaves_no_certificate(tmp_path):
    rng = np.random.default_rng(0)
    path = npz(tmp_path, **{"a.weight": rng.random((60, 2)), "c.weight": rng.random((2, 60)) - 0.5})
    (file,) = certificate_files(["a.weight"], tmp_path / "c")
    file.write_text("of an earlier audit")
    (row,) = audit(
        path,
        up="a.weight",
        down="c.weight",
        activation="gelu",
        certificates=file.parent,
        budget=Budget(seconds=0.0),
    )
    assert row.verdict is Absorption.UNKNOWN
    assert (row.lower, row.upper) == (0, 2)
    assert row.certificate_entries is row.checked is None
    assert not file.exists()


def test_blocks_are_chosen_by_number_or_name(tmp_path):
    example = written(tmp_path, layers=3)
    rows = list(audit(example.path, blocks=["bert.encoder.layer.2", "0", "0"]))
    assert [row.number for row in rows] == [0, 2]
    for words in (["3"], ["layer"], ["-1"], []):
        with pytest.raises(InvalidInput, match="blocks must "):
            list(audit(example.path, blocks=words))


def test_the_answer_depends_on_nothing_but_the_weights(tmp_path):
    example = written(tmp_path, layers=3)
    (alone,) = audit(example.path, blocks=["2"])
    *_, last = audit(example.path)
    same = ("verdict", "proof", "certificate_entries", "margin_lower", "extra_lower", "extra_upper")
    first, second = as_record(alone), as_record(last)
    assert [first[name] for name in same] == [second[name] for name in same]


def test_certificate_files_have_plain_and_distinct_names(tmp_path):
    files = certificate_files(["a/b", "a:b", "../x", ""], tmp_path / "made")
    assert [file.name for file in files] == ["a_b.json", "a_b_.json", "_x.json", "block.json"]
    assert (tmp_path / "made").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="certificates must be a writable directory"):
        certificate_files(["a"], tmp_path / "file")


def test_progress_never_falls_and_ends_at_one(tmp_path):
    seen = []
    list(audit(written(tmp_path).path, progress=seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == 1


def test_formats_agree(tmp_path):
    records = []
    for form in ("safetensors", "sharded", "onnx"):
        example = written(tmp_path / form, form=form)
        records.append([row.verdict for row in audit(example.path)])
        shutil.rmtree(tmp_path / form)
    assert records[0] == records[1] == records[2]


def test_a_record_is_plain(tmp_path):
    for row in audit(written(tmp_path, "llama").path):
        assert json.loads(json.dumps(as_record(row)))["statement"] == "Proposition 2"
