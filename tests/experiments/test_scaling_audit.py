"""The benchmark of audits: what it runs and writes; no assertion depends on a clock."""

import csv

import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.scaling_audit import main, scaling_audit


def test_the_command_audits_every_size(tmp_path):
    path = tmp_path / "table.csv"
    assert main(["--sizes", "8,32", "4,8", "--threads", "1", "--output", str(path)]) == 0
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["d"], row["N"], row["verdict"], row["checked"]) for row in rows] == [
        ("4", "8", "NOT_ABSORBABLE", "True"),
        ("8", "32", "NOT_ABSORBABLE", "True"),
    ]
    assert all(float(row["seconds"]) > 0 and float(row["peak_mebibytes"]) > 1 for row in rows)
    assert all(0 < float(row["margin_lower"]) <= float(row["margin_upper"]) <= 1 for row in rows)


@pytest.mark.parametrize(
    ("change", "message"), [({"sizes": [(4, 3)]}, r"\(d, N\) must"), ({"threads": 0}, "threads must be")]
)
def test_numbers_out_of_range_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        list(scaling_audit(**{"sizes": [(2, 4)], "seconds": 1, "threads": 1} | change))
