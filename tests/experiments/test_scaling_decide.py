"""The benchmark of whole decisions: what it runs and writes; no assertion depends on a clock."""

import csv

import numpy as np
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.scaling_decide import draw_weights, main, scaling_decide


def test_the_command_decides_and_checks_both_instances(tmp_path):
    path = tmp_path / "table.csv"
    assert main(["--sizes", "32", "16", "--turns", "2", "--threads", "1", "--output", str(path)]) == 0
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["N"], row["instance"], row["verdict"], row["certificate"]) for row in rows] == [
        ("16", "random", "NOT_ABSORBABLE", "not_binary"),  # N = d²: one solution modulo p
        ("16", "planted", "ABSORBABLE", "flip_set"),
        ("32", "random", "NOT_ABSORBABLE", "inconsistent"),
        ("32", "planted", "ABSORBABLE", "flip_set"),
    ]
    assert {row["valid"] for row in rows} == {"True"}
    assert all(float(row["decide_seconds"]) > 0 and float(row["peak_mebibytes"]) > 1 for row in rows)


def test_the_planted_set_is_exact_and_lost_in_a_random_layer():
    w_up, w_down = draw_weights("planted", 64, rng=np.random.default_rng(0))
    units = np.flatnonzero((w_up == np.round(w_up)).all(axis=1))
    assert len(units) == 16
    total = w_down[:, units].astype(int) @ w_up[units].astype(int)
    assert (total == -np.eye(16)).all()


@pytest.mark.parametrize(
    ("change", "name"), [({"sizes": [12]}, "N"), ({"turns": 0}, "turns"), ({"threads": 0}, "threads")]
)
def test_numbers_out_of_range_are_refused(change, name):
    with pytest.raises(InvalidInput, match=f"^{name} must be"):
        list(scaling_decide(**{"sizes": [16], "turns": 1, "threads": 1} | change))
    with pytest.raises(InvalidInput, match="instance must be one of"):
        draw_weights("other", 16, rng=np.random.default_rng(0))
