"""The benchmark of principal minors: what it runs and writes; no assertion depends on a clock."""

import csv

import numpy as np
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.verdict import Verdict
from skip_absorption.experiments import scaling_minors
from skip_absorption.experiments.scaling_minors import METHODS, draw_weights


@pytest.fixture
def in_process(monkeypatch):
    """Run the child's part in this process."""

    def run(module, task, *, threads):
        assert (module, threads) == (scaling_minors.EXPERIMENT, 1)
        return scaling_minors.perform(task) | {"peak_mebibytes": 64.0}

    monkeypatch.setattr(scaling_minors, "in_child", run)


def test_every_method_is_measured_on_the_same_weights(in_process, monkeypatch):
    monkeypatch.setattr(scaling_minors, "SAMPLE", 16)
    rows = scaling_minors.measure(2, 6, turns=3)
    assert [row.method for row in rows] == list(METHODS)
    assert [row.subsets for row in rows] == [64, 16, 16, 64]
    assert rows[0].median_ratio == 1
    for row in rows:
        assert 0 < row.min_nanoseconds <= row.median_nanoseconds <= row.max_nanoseconds
        assert row.peak_mebibytes > 1


def test_the_command_writes_a_table(tmp_path):
    out = tmp_path / "table.csv"
    assert scaling_minors.main(["--sizes", "1,3", "--turns", "1", "--output", str(out)]) == 0
    with out.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["method"], row["d"], row["N"]) for row in rows] == [(name, "1", "3") for name in METHODS]


@pytest.mark.parametrize(
    ("d", "n", "turns", "name"), [(0, 3, 1, "d"), (3, 2, 1, "N"), (2, 29, 1, "N"), (2, 3, 0, "turns")]
)
def test_sizes_out_of_range_are_refused(d, n, turns, name):
    with pytest.raises(InvalidInput, match=f"^{name} must be"):
        scaling_minors.measure(d, n, turns=turns)


def test_misuse_of_the_command_is_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        scaling_minors.main(["--sizes", "0,3", "--output", str(tmp_path / "x.csv")])
    assert stopped.value.code == 2
    assert "d must be from 1 to 10; got 0" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["zero_minors", "minimal_width"])
def test_an_undecided_run_is_not_timed(monkeypatch, method):
    class Unknown:
        verdict, tried, how = Verdict.UNKNOWN, "stopped", ("stopped",)

    monkeypatch.setattr(scaling_minors, method, lambda *_, **__: Unknown())
    with pytest.raises(AssertionError, match="stopped"):
        METHODS[method](draw_weights(2, 3, np.random.default_rng(0)), np.random.default_rng(0))
