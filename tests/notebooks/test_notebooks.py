"""The notebooks are well-formed, run as plain Python where there are no results, and fail when they lie."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jupytext
import pandas as pd
import pytest

from skip_absorption.claims.ledger import CLAIMS
from skip_absorption.results.schema import TABLES
from skip_absorption.results.store import write_table
from skip_absorption.results.stored import VARIABLE

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (ROOT / "notebooks").glob("*.py"))


def read(name: str) -> Any:
    return jupytext.read(ROOT / "notebooks" / f"{name}.py")


def text(name: str) -> str:
    return (ROOT / "notebooks" / f"{name}.py").read_text(encoding="utf-8")


def cells(name: str, kind: str = "code") -> list[str]:
    return [cell.source for cell in read(name).cells if cell.cell_type == kind]


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run the code cells in a folder, as Jupyter would in that of the notebooks."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv(VARIABLE, raising=False)
    names: dict[str, Any] = {}
    for source in cells(name):
        exec(compile(source, name, "exec"), names)
    return names


def test_there_are_seven_in_this_order() -> None:
    titles = sorted(cells(name, "markdown")[0].splitlines()[0] for name in NAMES)
    assert [title[:5] for title in titles] == [f"# {number}. " for number in range(1, 8)]


@pytest.mark.parametrize("name", NAMES)
def test_cells_are_short_and_introduced_by_prose(name: str) -> None:
    notebook = read(name)
    kinds = [cell.cell_type for cell in notebook.cells]
    assert kinds[0] == "markdown"
    assert kinds.count("markdown") >= kinds.count("code") // 2
    assert max(source.count("\n") for source in cells(name)) <= 20
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    assert sum("assert " in source for source in cells(name)) >= (1 if name == "your_own_weights" else 4)


@pytest.mark.parametrize("name", NAMES)
def test_headings_are_in_order_and_figures_are_described(name: str) -> None:
    levels = [
        len(mark) for source in cells(name, "markdown") for mark in re.findall(r"^#+(?= )", source, re.M)
    ]
    assert levels[0] == 1
    assert set(levels[1:]) == {2}
    shown = re.findall(r"\bshow\(\n.*?\n?\)$", text(name), re.M | re.S)
    assert all(len(re.findall(r'"[^"]{20,}', call)) >= 1 for call in shown)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_named_exists(name: str) -> None:
    found = re.search(r"Statements: ([^.]+)\.", cells(name, "markdown")[0])
    assert found is not None
    assert set(re.split(r",\s+", found[1])) <= {claim.title for claim in CLAIMS.values()}
    assert set(re.findall(r'stored_table\("(\w+)"\)', text(name))) <= set(TABLES)
    assert not re.search(r"/home/|/tmp/|/Users/|[A-Z]:\\", text(name))


def test_the_sources_pass_the_linter() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "notebooks"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_without_results_a_notebook_runs_and_says_so(name: str, tmp_path: Path, monkeypatch, capsys) -> None:
    run(name, tmp_path, monkeypatch)
    shown = capsys.readouterr().out
    assert ("No results here yet: run ./reproduce" in shown) == ("describe_run" in text(name))
    if name == "checkpoint_audit":
        assert "this is a small generated checkpoint" in shown
    assert not list(tmp_path.iterdir())


def test_what_the_tour_shows_is_true(tmp_path: Path, monkeypatch) -> None:
    names = run("tour", tmp_path, monkeypatch)
    assert names["decision"].verdict.value == "ABSORBABLE"
    assert names["twin"].w_up.tolist()[:2] == [[-2, -1], [-1, -1]]
    assert names["no"].verdict.value == "NOT_ABSORBABLE"
    assert names["width"].extra == 1


def test_your_own_weights_reads_a_file(tmp_path: Path, monkeypatch, capsys) -> None:
    (tmp_path / "mine.json").write_text(
        '{"w_up": [[1, 0], [0, 1], [1, 1]], "w_down": [[-1, 0, 5], [0, -1, 7]]}', encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for source in cells("your_own_weights"):
        changed = source.replace("path = None", 'path = "mine.json"').replace('"gelu"', '"relu"')
        exec(compile(changed, "your_own_weights", "exec"), names)
    shown = capsys.readouterr().out
    assert "d = 2, N = 3, relu" in shown
    assert "units to flip, where that is enough: (0, 1)" in shown
    assert names["twin"].width == 3


def fits(**changed: Any) -> pd.DataFrame:
    """Return a small table of fits that succeed at N + 2 alone, as they must."""
    row = {
        "activation": "relu",
        "d": 2,
        "N": 4,
        "target": 0,
        "extra": 2,
        "linear_terms": 0,
        "max_weight": 2.0,
        "start": "random",
        "restarts": 1,
        "long_steps": 0,
        "halfway_train": None,
        "halfway_weight": None,
        "seconds": 0.1,
    }
    rows = [
        {
            **row,
            "width": 4 + extra,
            "width_minus_N": extra,
            "best_train": 10.0 ** (-15 * extra),
            "best_heldout": 10.0 ** (-15 * extra),
            "success": extra == 2,
            **changed,
        }
        for extra in range(3)
    ]
    return pd.DataFrame(rows)


def test_a_table_that_contradicts_the_prose_fails_the_notebook(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "smoke" / "results" / "tables" / "width_threshold.csv"
    write_table("width_threshold", fits(), path)
    names = run("width_threshold", tmp_path, monkeypatch)
    assert len(names["at_threshold"]) == 1
    write_table("width_threshold", fits(success=True), path)
    with pytest.raises(AssertionError):
        run("width_threshold", tmp_path, monkeypatch)
