"""Certificates as data: digests by value, the JSON form, and everything that must not be read as one."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.absorption import certificate_json
from skip_absorption.absorption.certificate import Certificate, Product, read_activation
from skip_absorption.absorption.digest import question_digest
from skip_absorption.errors import InvalidInput

COMMON = {
    "activation": "relu",
    "skip": "identity",
    "width": 4,
    "d_in": 2,
    "d_out": 3,
    "digest": "0123456789abcdef" * 4,
}
NO = {**COMMON, "claim": "not_absorbable"}
SAMPLES = {
    "flip_set": Certificate(kind="flip_set", claim="absorbable", flip_set=(0, 3), **COMMON),
    "empty flip_set": Certificate(kind="flip_set", claim="condition_holds", flip_set=(), **COMMON),
    "inconsistent": Certificate(kind="inconsistent", modulus=7, entries=((0, 1, 3), (2, 0, 6)), **NO),
    "not_binary": Certificate(
        kind="not_binary", modulus=2**64 - 59, coordinate=2, entries=((0, 1, 3),), **NO
    ),
    "support": Certificate(kind="support", modulus=9, entries=((1, 1, 8),), **NO),
    "quadratic": Certificate(
        kind="quadratic",
        modulus=7,
        binary=((0, 1), (3, 6)),
        products=(Product(2, ((1, 3),), ((0, 0, 1),)), Product(0, (), ((2, 1, 5),))),
        **NO,
    ),
    "farkas": Certificate(kind="farkas", entries=((0, 0, Fraction(-2, 3)), (1, 0, 5)), **NO),
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_json_round_trip(sample, tmp_path):
    assert Certificate.from_json(sample.to_json()) == sample
    assert Certificate.from_json(sample.to_json().encode()) == sample
    path = tmp_path / "certificate.json"
    sample.write(path)
    assert Certificate.read(path) == sample
    assert [p.name for p in tmp_path.iterdir()] == ["certificate.json"]


def test_json_is_exact_and_describes_itself():
    data = json.loads(SAMPLES["farkas"].to_json())
    assert data["entries"] == [[0, 0, "-2/3"], [1, 0, "5"]]
    assert data["meaning"] == "<Y, T> > sum max(0, a_i^T Y w_i)"
    assert (data["odd"], data["activation"], data["N"]) == ("1", "relu", 4)
    assert SAMPLES["farkas"].size == 2
    assert "." not in SAMPLES["inconsistent"].to_json()


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "proof"},
        {"kind": []},
        {"claim": "absorbable"},
        {"claim": None},
        {"activation": "relu_squared"},
        {"activation": "leaky_relu:0.5"},
        {"activation": 3},
        {"skip": "some"},
        {"width": 0},
        {"width": True},
        {"width": 1 << 40},
        {"d_in": -1},
        {"digest": "0" * 63},
        {"digest": "g" * 64},
        {"digest": 0},
        {"modulus": None},
        {"modulus": 2},
        {"modulus": 8},
        {"modulus": 1},
        {"modulus": -7},
        {"modulus": 7.0},
        {"modulus": 2**64 + 1},
        {"entries": ()},
        {"entries": ((0, 1, 0),)},
        {"entries": ((0, 1, 7),)},
        {"entries": ((0, 1, True),)},
        {"entries": ((0, 1, Fraction(1)),)},
        {"entries": ((3, 0, 1),)},
        {"entries": ((0, 2, 1),)},
        {"entries": ((2, 0, 1), (0, 1, 1))},
        {"entries": ((0, 1, 1), (0, 1, 1))},
        {"coordinate": 1},
        {"flip_set": ()},
        {"binary": ((0, 1),)},
        {"products": (Product(0, (), ()),)},
    ],
    ids=str,
)
def test_malformed_data_is_refused(changes):
    with pytest.raises(InvalidInput, match=r"certificate|activation") as error:
        replace(SAMPLES["inconsistent"], **changes)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("flip_set", {"flip_set": (1, 1)}),
        ("flip_set", {"flip_set": (4,)}),
        ("flip_set", {"flip_set": (-1,)}),
        ("flip_set", {"modulus": 7}),
        ("not_binary", {"coordinate": 4}),
        ("farkas", {"entries": ((0, 0, 0.5),)}),
        ("quadratic", {"binary": ((1, 1), (0, 1))}),
        ("quadratic", {"binary": ((0, 7),)}),
        ("quadratic", {"products": (Product(7, (), ()),)}),
        ("quadratic", {"products": (Product(0, ((4, 1),), ()),)}),
        ("quadratic", {"products": (Product(0, (), ((0, 0, 9),)),)}),
    ],
    ids=str,
)
def test_malformed_data_of_each_kind_is_refused(kind, changes):
    with pytest.raises(InvalidInput, match="certificate"):
        replace(SAMPLES[kind], **changes)


def altered(**changes):
    data = json.loads(SAMPLES["inconsistent"].to_json())
    for key, value in changes.items():
        if value is ...:
            del data[key]
        else:
            data[key] = value
    return json.dumps(data)


HOSTILE = {
    "nothing": "",
    "not JSON": "{",
    "not UTF-8": b"\xff\xfe\x00\x01x",
    "a list": "[]",
    "null": "null",
    "deep lists": "[" * 200_000,
    "deep objects": '{"a":' * 200_000,
    "a deep value": '{"format": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "a huge integer": '{"format": ' + "9" * 100_000 + "}",
    "a long integer": altered().replace("7", "1" * 21, 1),
    "a huge exponent": '{"format": 1e999999999}',
    "NaN": '{"format": NaN}',
    "Infinity": '{"format": -Infinity}',
    "a repeated key": '{"format": 1, "format": 2}',
    "another format": altered(format="x"),
    "a surrogate": altered(format="\ud800"),
    "another version": altered(version=2),
    "a true version": altered(version=True),
    "an unknown kind": altered(kind="x"),
    "a list kind": altered(kind=["flip_set"]),
    "a missing key": altered(digest=...),
    "a surplus key": altered(extra=1),
    "a foreign key": altered(flip_set=[0]),
    "another meaning": altered(meaning="trust me"),
    "another odd": altered(odd="2"),
    "a number odd": altered(odd=1),
    "text entries": altered(entries="abc"),
    "flat entries": altered(entries=[1, 2, 3]),
    "short entries": altered(entries=[[1, 2]]),
    "string values": altered(entries=[[0, 0, "1"]]),
    "null values": altered(entries=[[0, 0, None]]),
    "list values": altered(entries=[[[0], 0, 1]]),
    "an object": altered(entries={"a": 1}),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_json_is_refused_in_one_line(text):
    with pytest.raises(InvalidInput) as error:
        Certificate.from_json(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500
    str(error.value).encode("ascii")


@pytest.mark.parametrize("value", ["1/0", "", "1.5", "1e5", "--1", "1/2/3", "9" * 4001, "１", 3])
def test_hostile_fractions_are_refused(value):
    data = json.loads(SAMPLES["farkas"].to_json())
    data["entries"] = [[0, 0, value]]
    with pytest.raises(InvalidInput):
        Certificate.from_json(json.dumps(data))


def test_a_product_of_another_form_is_refused():
    data = json.loads(SAMPLES["quadratic"].to_json())
    data["products"] = [{"constant": 1}]
    with pytest.raises(InvalidInput, match="products"):
        Certificate.from_json(json.dumps(data))
    with pytest.raises(InvalidInput, match="JSON text"):
        Certificate.from_json({})


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_damaged_text_is_an_error_or_a_certificate(kind, data):
    text = SAMPLES[kind].to_json()
    where = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:where] + data.draw(st.text(max_size=3)) + text[where + data.draw(st.integers(0, 3)) :]
    try:
        assert isinstance(Certificate.from_json(damaged), Certificate)
    except InvalidInput as error:
        assert "\n" not in str(error)


def test_files_that_cannot_be_read_or_written(tmp_path, monkeypatch):
    with pytest.raises(InvalidInput, match="readable"):
        Certificate.read(tmp_path / "missing.json")
    with pytest.raises(InvalidInput, match="readable"):
        Certificate.read(tmp_path)
    with pytest.raises(InvalidInput, match="writable"):
        SAMPLES["farkas"].write(tmp_path / "missing" / "certificate.json")
    (tmp_path / "long.json").write_text(" " * 101)
    monkeypatch.setattr(certificate_json, "MAX_BYTES", 100)
    with pytest.raises(InvalidInput, match="at most 100 bytes"):
        Certificate.read(tmp_path / "long.json")


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(certificate):
        raise KeyboardInterrupt

    monkeypatch.setattr(certificate_json, "dump", interrupted)
    (tmp_path / "old.json").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        SAMPLES["farkas"].write(tmp_path / "old.json")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("old.json", "old")]


def test_activation_names():
    assert read_activation("leaky_relu:-0.5") == ("leaky_relu:-1/2", Fraction(1, 2), True)
    assert read_activation("leaky_relu:.5") == read_activation("leaky_relu:1/2")
    assert read_activation(f"leaky_relu:{Fraction(5e-324)}")[1] == 1 + Fraction(5e-324)
    assert read_activation("silu") == ("silu", Fraction(1), False)
    for name in (
        "leaky_relu",
        "leaky_relu:1",
        "leaky_relu:-1/1",
        "leaky_relu:1/0",
        "leaky_relu:nan",
        "ReLU",
        "",
    ):
        with pytest.raises(InvalidInput, match="activation"):
            read_activation(name)


def digest(w_up, w_down, **question):
    arrays = {
        name: value if value is None or isinstance(value, str) else np.asarray(value)
        for name, value in {"w_up": w_up, "w_down": w_down, **question}.items()
    }
    return question_digest(arrays.pop("w_up"), arrays.pop("w_down"), **{"activation": "relu", **arrays})


def test_the_digest_sees_values_not_formats():
    w_up, w_down = [[0.5, -0.0], [3.0, 1.0]], [[1.0, 0.0], [0.0, -2.0]]
    expected = digest(w_up, w_down)
    assert digest(np.array(w_up, dtype=np.float32), w_down) == expected
    fractions = np.array([[Fraction(1, 2), 0], [Fraction(3), 1]], dtype=object)
    assert digest(fractions, np.array(w_down, dtype=np.int64)) == expected
    assert digest(w_up, w_down, skip=np.eye(2)) == expected
    assert digest(np.asfortranarray(np.array(w_up)), w_down) == expected
    thirds = np.array([[Fraction(1, 3), 2], [Fraction(3), 1]], dtype=object)
    assert digest(thirds, w_down) == digest(thirds + 0, w_down) != expected
    large = np.array([[2**53 + 1, 0], [0, 1]], dtype=np.int64)
    assert (
        digest(large, w_down) == digest(large.astype(object), w_down) != digest(large.astype(float), w_down)
    )
    assert digest(2 * large - 2, w_down) == digest((2 * large - 2).astype(float), w_down)
    huge = np.array([[Fraction(2) ** 5000, 0], [0, 1]], dtype=object)
    assert digest(huge, w_down) != expected


def test_the_digest_sees_every_part_of_the_question():
    w_up, w_down = [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, -2.0]]
    digests = [
        digest(w_up, w_down),
        digest(w_down, w_up),
        digest(w_up, w_down, activation="gelu"),
        digest(w_up, w_down, skip=[[2, 0], [0, 1]]),
        digest(w_up, w_down, b_up=[1, 2]),
        digest(w_up, w_down, b_down=[1, 2]),
        digest(w_up, w_down, b_up=[0, 0]),
        digest([[1.0, 2.0, 3.0, 4.0]], [[1.0], [0.0], [0.0], [-2.0]], skip=np.zeros((4, 4))),
        digest([[1.0], [2.0], [3.0], [4.0]], [[1.0, 0.0, 0.0, -2.0]]),
        digest(np.nextafter(w_up, 9), w_down),
    ]
    assert len(set(digests)) == len(digests)


def test_the_digest_is_pinned():
    """Another digest of the same values would orphan every certificate that exists."""
    found = digest([[1.0, 0.5]], [[1], [2]], activation="gelu", b_up=[3])
    assert found == "f5fe3ffa612b8a36010435977ab915a62ccddbf2e2d62cb442dde29a287f36a6"
