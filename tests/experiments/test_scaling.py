"""The benchmark of exact elimination: what it runs and writes; no assertion depends on a clock."""

import csv

import numpy as np
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.experiments import scaling
from skip_absorption.experiments.benchmarking import child_environment
from skip_absorption.experiments.scaling import Row


@pytest.fixture
def child_tasks(monkeypatch):
    """Replace the child process by fixed answers; return the tasks that it was given."""
    tasks = []

    def answered(module, task, *, threads):
        assert module == scaling.EXPERIMENT
        tasks.append((task, threads))
        seconds = {name: [1.0 + i, 4.0 + i, 2.0 + i] for i, name in enumerate(task["methods"])}
        return {"seconds": seconds, "peak_mebibytes": 64.0, "threads": threads, "kernel": "Test"}

    monkeypatch.setattr(scaling, "in_child", answered)
    return tasks


def test_rows_summarise_times_and_ratios_within_turns(child_tasks):
    baseline, ours, flint = scaling.measure(100, pairs=3, threads=2, seed=9)
    assert baseline == Row(scaling.BASELINE, 100, 2, "Test", 3, 2.0, 1.0, 4.0, 1.0, 1.0, 1.0, 64.0)
    assert (ours.method, ours.median_seconds, ours.min_seconds, ours.max_seconds) == (
        "eliminate",
        3.0,
        2.0,
        5.0,
    )
    assert (ours.median_ratio, ours.min_ratio, ours.max_ratio) == (1.5, 1.25, 2.0)
    assert flint.median_ratio == 2.0
    together, *alone = [task for task, _ in child_tasks]
    assert together == {"methods": scaling.methods(100), "size": 100, "pairs": 3, "seed": 9}
    assert [(task["methods"], task["pairs"]) for task in alone] == [
        ([name], 1) for name in scaling.methods(100)
    ]


def test_flint_is_left_out_where_it_takes_too_long():
    assert "flint_nmod_mat" in scaling.methods(scaling.FLINT_LIMIT)
    assert scaling.methods(scaling.FLINT_LIMIT + 1) == [scaling.BASELINE, "eliminate"]


@pytest.mark.parametrize("method", scaling.methods(0))
@pytest.mark.parametrize("size", [1, 70])
def test_every_method_runs_and_uses_up_its_matrix(method, size):
    matrix = np.full((size, size), np.nan)
    assert scaling.run_once(method, matrix, np.random.default_rng(0)) > 0
    assert np.isfinite(matrix).all()


def test_unknown_methods_are_refused():
    with pytest.raises(InvalidInput, match="method must be one of lapack_dgetrf, eliminate, flint_nmod_mat"):
        scaling.run_once("cramer", np.ones((2, 2)), np.random.default_rng(0))


@pytest.mark.parametrize("numbers", [{"size": 0}, {"pairs": 0}, {"threads": -1}])
def test_numbers_must_be_positive(numbers):
    with pytest.raises(InvalidInput, match=f"{next(iter(numbers))} must be positive"):
        scaling.measure(**{"size": 8, "pairs": 1, "threads": 1} | numbers)


def test_children_choose_their_own_kernel_and_threads(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "512")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    environment = child_environment(3)
    assert not {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"} & set(environment)
    assert environment["OMP_NUM_THREADS"] == environment["OPENBLAS_NUM_THREADS"] == "3"


def test_command_line_measures_in_real_children(tmp_path):
    path = tmp_path / "new folder" / "scaling.csv"
    assert scaling.main(["--sizes", "40", "20", "--pairs", "2", "--threads", "1", "--output", str(path)]) == 0
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert [(row["size"], row["method"]) for row in rows] == [
        (size, method) for size in ("20", "40") for method in scaling.methods(40)
    ]
    for row in rows:
        assert row["threads"] == "1"
        assert row["kernel"]
        assert 0 < float(row["min_seconds"]) <= float(row["median_seconds"]) <= float(row["max_seconds"])
        assert float(row["peak_mebibytes"]) > 10
    assert {float(row["median_ratio"]) for row in rows if row["method"] == scaling.BASELINE} == {1.0}


def test_command_line_refuses_in_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as caught:
        scaling.main(["--sizes", "-4", "--output", str(tmp_path / "x.csv")])
    assert caught.value.code == 2
    assert "size must be positive; got -4" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
