"""A job notes the checksums of what it wrote; an output that was edited since is named."""

import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT

from support.outputs import changed, checksum, record, recorded

JOB = """
import sys
from types import SimpleNamespace
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from support.job import begin
begin(SimpleNamespace(rule="demo", log=[], output=["results/a.csv", "results/never.csv"]))
Path("results").mkdir(exist_ok=True)
Path("results/a.csv").write_text("1")
"""


def job(folder: Path, more: str = "") -> int:
    words = [sys.executable, "-c", JOB + more, str(ROOT / "workflow")]
    return subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode


@pytest.mark.case("an output edited by hand is found by its checksum")
def test_an_edited_output_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert job(tmp_path) == 0
    assert list(recorded("")) == ["results/a.csv"]
    assert list(changed(recorded(""))) == []
    Path("results/a.csv").write_text("2", encoding="utf-8")
    assert list(changed(recorded(""))) == ["results/a.csv was changed after its job had written it"]
    assert job(tmp_path) == 0
    assert list(changed(recorded(""))) == []


def test_a_job_that_fails_notes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert job(tmp_path, "raise ValueError('no')\n") == 1
    assert recorded("") == {}


def test_tiers_are_apart_and_folders_count_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = {tier: f"{tier and f'{tier}/'}results/all" for tier in ("", "smoke", "large")}
    for name in outputs.values():
        Path(name).mkdir(parents=True)
        Path(name, "b").write_text(name, encoding="utf-8")
    record(outputs.values())
    for tier, name in outputs.items():
        assert list(recorded(tier and f"{tier}/")) == [name]
    folder = Path(outputs[""])
    before = checksum(folder)
    (folder / ".snakemake_timestamp").touch()
    assert checksum(folder) == before
    (folder / "b").rename(folder / "c")
    assert checksum(folder) != before
    assert len(list(changed(recorded("")))) == 1
