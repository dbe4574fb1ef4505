import csv

import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.scaling_search import METHODS, draw_problem, main, scaling_search


def test_methods_agree_wherever_they_decide():
    rows = list(scaling_search([8, 12], [2], seconds=20, seed=1))
    assert len(rows) == 4 * len(METHODS)
    for instance, expected in (("random", "REFUTED"), ("planted", "PROVED")):
        verdicts = {row.method: row.verdict for row in rows if row.instance == instance and row.N == 12}
        assert verdicts["search_subset"] == verdicts["brute_force"] == verdicts["cp_sat"] == expected
        assert set(verdicts.values()) <= {expected, "UNKNOWN"}
    assert not any(row.proof for row in rows if row.method == "highs" and row.verdict == "REFUTED")
    assert {row.verdict for row in rows if row.method == "lll"} <= {"PROVED", "UNKNOWN"}


def test_a_problem_repeats_itself():
    first, second = (draw_problem("planted", 2, 9, seed=3) for _ in range(2))
    assert (first.up == second.up).all() and (first.goal == second.goal).all()


def test_bad_sizes_are_refused():
    with pytest.raises(InvalidInput, match="N must be at least d = 3"):
        draw_problem("random", 3, 2, seed=0)
    with pytest.raises(InvalidInput, match="instance must be one of random, planted"):
        draw_problem("hard", 2, 4, seed=0)


def test_the_command_writes_a_row_for_each_method_and_instance(tmp_path):
    path = tmp_path / "out.csv"
    assert main(["--sizes", "6", "--dims", "2", "--seconds", "5", "--output", str(path)]) == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows] == [*METHODS, *METHODS]


def test_the_command_refuses_bad_sizes_in_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--sizes", "1", "--dims", "2", "--output", str(tmp_path / "out.csv")])
    assert stopped.value.code == 2
    assert "N must be at least d = 2" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
