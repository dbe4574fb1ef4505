"""The tour is run cell by cell as plain Python, once with tables and once without."""

from pathlib import Path
from typing import Any

import jupytext
import pandas as pd
import pytest

from skip_absorption.results.store import write_table

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "tour.py"


def cells(kind: str) -> list[str]:
    return [cell.source for cell in jupytext.read(NOTEBOOK).cells if cell.cell_type == kind]


def run(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("SKIP_ABSORPTION_ROOT", str(root))
    names: dict[str, Any] = {}
    for source in cells("code"):
        exec(compile(source, str(NOTEBOOK), "exec"), names)
    return names


def store_tables(root: Path) -> None:
    fits = pd.DataFrame(
        [
            {
                "activation": "relu",
                "d": 2,
                "N": 4,
                "target": 0,
                "extra": 2,
                "linear_terms": 0,
                "width": 4 + extra,
                "width_minus_N": extra,
                "best_train": 10.0 ** (-15 * extra),
                "best_heldout": 10.0 ** (-15 * extra),
                "max_weight": 2.0,
                "success": extra == 2,
                "start": "random",
                "restarts": 1,
                "long_steps": 0,
                "halfway_train": None,
                "halfway_weight": None,
                "seconds": 0.1,
            }
            for extra in range(3)
        ]
    )
    verdicts = pd.DataFrame(
        [
            {
                "claim": "theorem_4",
                "label": "thm:ungated",
                "title": "Theorem 4",
                "evidence": "exact",
                "cases": 3,
                "controls": 2,
                "rejected": 2,
                "verdict": "PROVED-ON-CASES",
                "passed": True,
                "found": "3",
                "expected": "3",
                "seconds": 0.1,
            }
        ]
    )
    columns = ("d", "N", "proof", "certificate_entries", "checked", "hypotheses", "seconds")
    decisions = pd.DataFrame(
        [{"model": "m", "layer": 0, "activation": "gelu", "verdict": "not run", **dict.fromkeys(columns)}]
    )
    for name, table in (
        ("width_threshold", fits),
        ("verdicts", verdicts),
        ("checkpoint_decisions", decisions),
    ):
        write_table(name, table, root / "results" / "tables" / f"{name}.csv")


def test_what_the_tour_shows_is_true(tmp_path: Path, monkeypatch, capsys) -> None:
    store_tables(tmp_path)
    names = run(tmp_path, monkeypatch)
    assert names["decision"].verdict.value == "ABSORBABLE"
    assert names["decision"].flip_set == (0, 1)
    assert names["check"].valid
    assert names["twin"].w_up.tolist()[:2] == [[-2, -1], [-1, -1]]
    assert names["no"].verdict.value == "NOT_ABSORBABLE"
    assert 1 <= names["width"].extra <= 2
    shown = capsys.readouterr().out
    assert "equal as functions: False" not in shown
    assert shown.count("equal as functions: True") == 4
    assert "certificate valid: True" in shown
    assert "No results here yet" not in shown


def test_without_results_the_tour_runs_and_says_so(tmp_path: Path, monkeypatch, capsys) -> None:
    run(tmp_path, monkeypatch)
    assert "No results here yet: run ./reproduce" in capsys.readouterr().out


def test_cells_are_short_and_introduced_by_prose() -> None:
    notebook = jupytext.read(NOTEBOOK)
    kinds = [cell.cell_type for cell in notebook.cells]
    assert kinds[0] == "markdown"
    assert kinds.count("markdown") >= kinds.count("code") // 2
    assert max(source.count("\n") for source in cells("code")) <= 20
    assert notebook.metadata["kernelspec"]["name"] == "python3"
