"""Whatever a file holds, reading it ends soon, in little memory, in a value or in one line that says why."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from damage import bytes_near, fuzz, guarded, json_near
from hypothesis import given
from safetensors.numpy import save

from skip_absorption.absorption import certificate_json
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.weights import read_weights
from skip_absorption.results.reference_files import read_reference
from skip_absorption.results.schema import TABLES
from skip_absorption.results.store import read_claim, read_table
from support.config import BadConfig, check

pytestmark = pytest.mark.case("damaged input to every reader: no crash, no hang")

ROOT = Path(__file__).resolve().parents[2]
UP, DOWN = np.array([[1.0, 0.5], [0.0, 1.0], [2.0, -1.0]]), np.array([[1.0, 2.0, -1.0], [0.0, 1.0, 3.0]])
CLAIM = {
    "id": "x1", "label": "ext:minimal-width", "title": "X1", "statement": "s", "hypotheses": ["h"],
    "method": "m",
    "evidence": "exact", "cases": 3, "controls": [{"name": "c", "rejected": True}],
    "verdict": "PROVED-ON-CASES",
    "found": "f", "expected": "f", "seconds": 0.5, "seed": [0], "versions": {"python": "3"},
}  # fmt: skip
TABLE = (
    "activation,d,N,target,width,greatest,least,bound,seconds\n"
    "relu,2,4,0,4,0.25,0.2,0.1,1.5\nrelu,2,4,1,4,0.5,0.3,0.1,2\n"
)


def npz() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, w_up=UP, w_down=DOWN, activation=np.array("relu"))
    return stream.getvalue()


FILES = {
    ".npz": npz(),
    ".safetensors": save({"w_up": UP, "w_down": DOWN}, metadata={"activation": "gelu"}),
    ".json": json.dumps(
        {"w_up": UP.tolist(), "w_down": [["1/2", 1, "3"], [0.5, 2, 1]], "activation": "relu"}
    ).encode(),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def refused_or_read(read: Any, *arguments: Any) -> Any:
    """Read; a refusal must be one line."""
    with guarded():
        try:
            return read(*arguments)
        except (InvalidInput, BadConfig) as error:
            assert "\n" not in str(error)
            assert len(str(error)) < 5000
    return None


@pytest.mark.parametrize("suffix", FILES)
def test_weights(suffix: str, folder: Path) -> None:
    path = folder / f"weights{suffix}"

    @fuzz
    @given(bytes_near(FILES[suffix]))
    def run(data: bytes) -> None:
        path.write_bytes(data)
        refused_or_read(read_weights, path)

    run()


def test_weights_of_other_values(folder: Path) -> None:
    path = folder / "values.json"

    @fuzz
    @given(json_near(json.loads(FILES[".json"])))
    def run(value: Any) -> None:
        path.write_text(json.dumps(value), encoding="utf-8")
        refused_or_read(read_weights, path)

    run()


def test_claims(folder: Path) -> None:
    path = folder / "claim.json"

    @fuzz
    @given(
        json_near(CLAIM).map(lambda value: json.dumps(value).encode())
        | bytes_near(json.dumps(CLAIM).encode())
    )
    def run(data: bytes) -> None:
        path.write_bytes(data)
        claim = refused_or_read(read_claim, path)
        assert claim is None or claim["verdict"] in ("PROVED-ON-CASES", "REFUTED", "UNKNOWN")

    run()


def test_tables(folder: Path) -> None:
    path = folder / "homogeneous.csv"

    @fuzz
    @given(bytes_near(TABLE.encode()))
    def run(data: bytes) -> None:
        path.write_bytes(data)
        table = refused_or_read(read_table, "homogeneous", path)
        columns = [column.name for column in TABLES["homogeneous"].columns]
        assert table is None or list(table.columns) == columns

    run()


def test_reference_values(folder: Path) -> None:
    place = folder / "reference"
    place.mkdir()

    @fuzz
    @given(bytes_near(b'{"tables": {}, "claims": {}}'), bytes_near(TABLE.encode()))
    def run(summary: bytes, table: bytes) -> None:
        (place / "summary.json").write_bytes(summary)
        (place / "homogeneous.csv").write_bytes(table)
        refused_or_read(read_reference, place)

    run()


CONFIG = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))


@fuzz
@given(json_near(CONFIG))
def test_configurations(value: Any) -> None:
    refused_or_read(check, value)


@fuzz
@given(bytes_near((ROOT / "config" / "smoke.yaml").read_bytes()[:600]))
def test_configurations_as_text(data: bytes) -> None:
    value = None
    with guarded(), contextlib.suppress(yaml.YAMLError, ValueError):
        value = yaml.safe_load(data)
    refused_or_read(check, value)


@fuzz
@given(bytes_near(b'{"format": "skip-absorption certificate", "version": 1, "kind": "flip_set"}'))
def test_certificates_of_any_bytes(data: bytes) -> None:
    refused_or_read(certificate_json.load, data)
