import json
import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.errors import InvalidInput
from skip_absorption.results.store import (
    atomic_path,
    claim_schema,
    merge_tables,
    read_claim,
    read_json,
    read_table,
    validate_claim,
    write_claim,
    write_json,
    write_parquet,
    write_table,
)

GOOD = {
    "id": "theorem_4",
    "label": "thm:ungated",
    "title": "Theorem 4",
    "statement": "Absorption happens exactly when some subset of dyads sums to −I.",
    "hypotheses": ["d ≥ 2"],
    "method": "brute force",
    "evidence": "exact",
    "cases": 20,
    "controls": [{"name": "+I for −I", "rejected": True}],
    "verdict": "PROVED-ON-CASES",
    "found": "20 of 20",
    "expected": "20 of 20",
    "seconds": 0.5,
    "seed": [0],
    "versions": {"python": "3.11"},
}
FIT = {
    "activation": "gelu",
    "d": 2,
    "N": 4,
    "target": 0,
    "extra": 2,
    "width": 6,
    "linear_terms": 0,
    "width_minus_N": 2,
    "best_train": 1e-30,
    "best_heldout": 1e-30,
    "max_weight": 3.25,
    "success": False,
    "start": "random",
    "restarts": 2,
    "long_steps": 100,
    "halfway_train": 1e-30,
    "halfway_weight": 3.25,
    "seconds": 0.1,
}


def test_a_claim_survives_the_disk(tmp_path):
    path = tmp_path / "with space" / "theorem_4.json"
    write_claim(path, GOOD)
    assert read_claim(path) == GOOD
    assert path.read_bytes().endswith(b"\n")
    assert list(json.loads(path.read_text(encoding="utf-8"))) == sorted(GOOD)
    assert "−I" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"verdict": "TRUE"}, r"claim\.verdict"),
        ({"evidence": "guess"}, r"claim\.evidence"),
        ({"cases": -1}, r"claim\.cases"),
        ({"cases": 1.5}, r"claim\.cases"),
        ({"label": "Theorem 4"}, r"claim\.label"),
        ({"controls": [{"name": "x"}]}, r"claim\.controls\[0\]"),
        ({"controls": [{"name": "x", "rejected": "yes"}]}, r"claim\.controls\[0\]\.rejected"),
        ({"seed": []}, r"claim\.seed"),
        ({"extra": 1}, "claim"),
    ],
)
def test_a_bad_claim_is_refused_with_its_key(change, key, tmp_path):
    with pytest.raises(InvalidInput, match=rf"^{key} must [^\n]+; got [^\n]+$"):
        validate_claim(GOOD | change)
    with pytest.raises(InvalidInput):
        write_claim(tmp_path / "bad.json", GOOD | change)
    write_json(tmp_path / "bad.json", GOOD | change)
    with pytest.raises(InvalidInput):
        read_claim(tmp_path / "bad.json")


@pytest.mark.parametrize("key", sorted(GOOD))
def test_every_key_of_a_claim_is_required(key):
    with pytest.raises(InvalidInput, match=key):
        validate_claim({name: value for name, value in GOOD.items() if name != key})


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_a_claim_is_an_object(value):
    with pytest.raises(InvalidInput, match=r"claim must be object"):
        validate_claim(value)


def test_the_claim_schema_is_itself_valid():
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(claim_schema())
    assert set(claim_schema()["required"]) == set(claim_schema()["properties"]) == set(GOOD)


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "result.json"
    write_json(path, {"a": 1})

    def crash():
        with atomic_path(path) as partial:
            partial.write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crash()
    assert read_json(path) == {"a": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


@pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, 1j])
def test_what_json_cannot_hold_is_refused(value, tmp_path):
    with pytest.raises(InvalidInput, match="must hold JSON values"):
        write_json(tmp_path / "x.json", {"a": value})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": NaN}', b"\xff\xfe", b"[" * 100000])
def test_what_is_not_json_is_refused(content, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="must be a JSON file") as caught:
        read_json(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_error(tmp_path):
    for read in (read_json, lambda p: read_table("width_threshold", p)):
        with pytest.raises(InvalidInput, match=r"must be a readable file; got No such file"):
            read(tmp_path / "absent")


@settings(deadline=None, max_examples=50)
@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.text("abc ,;\"'éσ", min_size=1).filter(lambda s: s == s.strip()),
)
def test_tables_round_trip_every_bit(tmp_path_factory, number, success, text):
    path = tmp_path_factory.mktemp("t") / "width_threshold.csv"
    row = FIT | {"best_train": number, "success": success, "activation": text}
    write_table("width_threshold", pd.DataFrame([row]), path)
    back = read_table("width_threshold", path).loc[0].to_dict()
    assert back == row
    assert math.copysign(1, back["best_train"]) == math.copysign(1, number)


def test_tables_are_written_sorted_with_plain_newlines(tmp_path):
    path = tmp_path / "width_threshold.csv"
    write_table("width_threshold", pd.DataFrame([FIT | {"width": w} for w in (10, 9, 6)]), path)
    assert read_table("width_threshold", path)["width"].tolist() == [6, 9, 10]
    assert b"\r" not in path.read_bytes()
    assert b"false" in path.read_bytes()


def test_empty_cells_survive(tmp_path):
    row = dict.fromkeys(("d", "N", "proof", "certificate_entries", "checked", "hypotheses", "seconds")) | {
        "model": "m",
        "layer": 0,
        "activation": "gelu",
        "verdict": "not run",
    }
    full = row | {
        "layer": 1, "d": 2, "N": 4, "proof": "p", "certificate_entries": 3, "checked": True,
        "hypotheses": "generic", "seconds": 1.0, "verdict": "NOT_ABSORBABLE",
    }  # fmt: skip
    path = tmp_path / "checkpoint_decisions.csv"
    write_table("checkpoint_decisions", pd.DataFrame([full, row]), path)
    back = read_table("checkpoint_decisions", path)
    assert back.loc[0].isna().sum() == 7
    assert back.loc[1].to_dict() == full


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda text: text.replace("gelu,", "gelu,1,"), "row 1 must have 18 cells; got 19"),
        (lambda text: text.replace("false", ""), "success in row 1 must not be empty"),
        (lambda text: text.replace("N,", "M,", 1), "must have the columns"),
        (lambda text: "", "must have the columns"),
        (lambda text: text.replace("gelu", '"gelu'), "must be a CSV file"),
    ],
)
def test_a_damaged_table_is_refused(edit, message, tmp_path):
    path = tmp_path / "width_threshold.csv"
    write_table("width_threshold", pd.DataFrame([FIT]), path)
    path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(InvalidInput, match=message):
        read_table("width_threshold", path)


def test_cells_merge_into_one_table():
    parts = [pd.DataFrame([FIT | {"width": w}]) for w in (5, 6)]
    assert merge_tables("width_threshold", parts)["width"].tolist() == [5, 6]
    with pytest.raises(InvalidInput, match="have one row per"):
        merge_tables("width_threshold", parts + parts[:1])


def test_parquet_holds_the_same_table_with_units_and_is_reproducible(tmp_path) -> None:
    import pyarrow.parquet as pq

    frame = pd.DataFrame([FIT, FIT | {"target": 1, "success": True}])
    for name in ("one", "two"):
        write_parquet("width_threshold", frame, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    write_table("width_threshold", frame, tmp_path / "table.csv")
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "one"),
        read_table("width_threshold", tmp_path / "table.csv"),
        check_dtype=False,
    )
    schema = pq.read_schema(tmp_path / "one")
    assert schema.metadata[b"table"] == b"width_threshold"
    assert schema.field("seconds").metadata[b"unit"] == b"s"
    assert str(schema.field("success").type) == "bool"


def test_parquet_of_a_table_that_breaks_its_schema_is_refused(tmp_path) -> None:
    with pytest.raises(InvalidInput, match="width_minus_N"):
        write_parquet("width_threshold", pd.DataFrame([FIT | {"width_minus_N": "x"}]), tmp_path / "bad")
    assert not list(tmp_path.iterdir())


def test_untimed_results_hold_no_time_and_all_else(tmp_path, monkeypatch):
    monkeypatch.setenv("SKIP_ABSORPTION_UNTIMED", "1")
    write_claim(tmp_path / "claim.json", GOOD)
    assert read_claim(tmp_path / "claim.json") == GOOD | {"seconds": 0.0}
    write_json(tmp_path / "made.json", {"blocks": [{"seconds": 1.5, "name": "seconds"}]})
    assert read_json(tmp_path / "made.json") == {"blocks": [{"seconds": 0.0, "name": "seconds"}]}
    write_table("width_threshold", pd.DataFrame([FIT]), tmp_path / "table.csv")
    (row,) = read_table("width_threshold", tmp_path / "table.csv").to_dict("records")
    assert row == FIT | {"seconds": 0.0}
