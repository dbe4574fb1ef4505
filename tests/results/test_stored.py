"""Results are found from any folder of the checkout, the full run's first unless a tier is named."""

from pathlib import Path

import pandas as pd
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.results.store import write_json, write_table
from skip_absorption.results.stored import (
    TIERS,
    VARIABLE,
    describe_run,
    downloaded,
    results_of_run,
    stored_file,
    stored_table,
)
from skip_absorption.site.page import REPOSITORIES

ROW = {"activation": "relu_squared", "L": 1, "t": 0.5, "ratio": 0.25, "slope": 1.0}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(VARIABLE, raising=False)
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    return tmp_path


def put(folder: Path, t: float) -> None:
    write_table("depth_scaling", pd.DataFrame([{**ROW, "t": t}]), folder / "results/tables/depth_scaling.csv")


def shown() -> float:
    table = stored_table("depth_scaling")
    assert table is not None
    return float(table["t"].iloc[0])


def test_nothing_has_been_run(checkout: Path) -> None:
    assert results_of_run() is None
    assert stored_table("depth_scaling") is None
    assert stored_file("certificates/depth.json") is None
    assert downloaded("checkpoint") is None
    assert describe_run().startswith("No results here yet: run ./reproduce")


def test_the_full_run_is_preferred_and_a_named_tier_is_taken(checkout: Path, monkeypatch) -> None:
    put(checkout / "smoke", 0.25)
    assert shown() == 0.25
    assert describe_run() == "Tables of the smoke run."
    put(checkout, 0.5)
    assert shown() == 0.5
    monkeypatch.setenv(VARIABLE, "smoke")
    assert shown() == 0.25
    assert describe_run() == "Tables of the smoke run."
    assert stored_table("fold") is None
    put(checkout / "large", 0.75)
    monkeypatch.setenv(VARIABLE, "large")
    assert shown() == 0.75


def test_every_tier_of_a_run_has_its_folder() -> None:
    assert set(TIERS) == set(REPOSITORIES)


def test_an_unknown_tier_is_one_line(checkout: Path, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, "tiny")
    with pytest.raises(
        InvalidInput, match="SKIP_ABSORPTION_TIER must be one of full, smoke, large; got tiny"
    ):
        results_of_run()


def test_a_download_is_found_if_it_is_there(checkout: Path) -> None:
    status = checkout / "resources" / "downloads" / "checkpoint.json"
    write_json(status, {"available": False, "reason": "offline"})
    assert downloaded("checkpoint") is None
    write_json(status, {"available": True, "wheel": "resources/downloads/a.whl"})
    assert downloaded("checkpoint") is None
    wheel = checkout / "resources" / "downloads" / "a.whl"
    wheel.write_bytes(b"")
    assert downloaded("checkpoint") == wheel
