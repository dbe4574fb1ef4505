"""What moved is found and named, nothing else is; a new table needs no code."""

import copy
import math

import pandas as pd
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.results.columns import EXACT, FIT, NOISE, PATH, ROUNDING, SINGLE, TOLERANCES, VOLATILE
from skip_absorption.results.reference import (
    KEPT,
    compare_claim,
    compare_table,
    distance,
    kept_rows,
    make,
    report,
    summary,
)
from skip_absorption.results.reference_files import (
    lines,
    read_reference,
    settings,
    verdict,
    write_reference,
)
from skip_absorption.results.schema import TABLES

MACHINE = {"cpu": "a"}
CLAIM = {
    "id": "x1", "verdict": "PROVED-ON-CASES", "cases": 3, "found": "3 of 3", "expected": "3 of 3",
    "controls": [{"name": "c", "rejected": True}], "seconds": 1.0,
}  # fmt: skip


def distances(rows: int = 5) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "measure": "gaussian", "d": 2, "N": 4, "draw": range(rows), "lower": 0.5,
            "upper": [0.75 + i for i in range(rows)],
            "relaxed": 0.25, "units": 2, "method": "enumeration", "nodes": 16, "seconds": 0.1,
        }
    )  # fmt: skip


def fits(best: float, weight: float = 10.0) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "activation": ["relu"], "d": 2, "N": 4, "target": 0, "extra": 2, "width": 5,
            "linear_terms": 0,
            "width_minus_N": 1, "best_train": best, "best_heldout": best, "max_weight": weight,
            "success": False,
            "start": "random", "restarts": 3, "long_steps": 0, "halfway_train": None, "halfway_weight": None,
            "seconds": 1.0,
        }
    )  # fmt: skip


def moved(name: str, before: pd.DataFrame, after: pd.DataFrame) -> list[tuple[str, bool]]:
    found = compare_table(name, summary(name, before), kept_rows(name, before), after)
    return [(one.where, one.allowed) for one in found]


def outcome(tables, claims=None, reference=None, strict=False):
    tables_then, claims_then = reference or (tables, {"x1": CLAIM})
    made = make(tables_then, claims_then, settings={"seed": "1"}, machine=MACHINE)
    kept = {name: kept_rows(name, frame) for name, frame in tables_then.items()}
    found = report(made, kept, tables, claims or claims_then, settings={"seed": "1"}, machine=MACHINE)
    return found, verdict(found, strict=strict)


def test_every_column_has_a_tolerance_with_a_reason():
    for table in TABLES.values():
        for column in table.columns:
            assert TOLERANCES[column.comparison]
            if column.type != "number" and not column.tolerance:
                assert column.comparison == EXACT
            if column.unit in ("s", "MiB"):
                assert column.comparison == VOLATILE
            if column.key:
                assert column.comparison == EXACT
    kinds = {c.comparison for table in TABLES.values() for c in table.columns}
    assert kinds == {EXACT, ROUNDING, SINGLE, NOISE, FIT, PATH, VOLATILE}


def test_the_same_run_moves_nothing_and_times_do_not_count():
    later = distances().assign(seconds=9.0, nodes=17)
    assert moved("distance", distances(), later) == []
    assert moved("distance", distances(), later.sample(frac=1, random_state=0)) == []


def test_another_integer_is_outside_and_its_row_is_named():
    later = distances().assign(units=[2, 2, 3, 2, 2])
    found = moved("distance", distances(), later)
    assert ("distance.units at measure = gaussian, d = 2, N = 4, draw = 2", False) in found
    assert ("distance.units, all rows (digest)", False) in found


def test_an_exact_cell_outside_the_kept_rows_is_found_by_the_digest():
    before = distances(3 * KEPT)
    assert len(kept_rows("distance", before)) == KEPT
    after = before.copy()
    after.loc[1, "units"] = 3
    assert moved("distance", before, after) == [("distance.units, all rows (digest)", False)]
    for row, value, which in ((1, 0.1, "least"), (89, 90.0, "median"), (3 * KEPT - 1, 999.0, "greatest")):
        after = before.copy()
        after.loc[row, "upper"] = value
        assert moved("distance", before, after) == [(f"distance.upper, {which} of all rows", False)]


def test_a_cell_that_is_empty_now_is_found_beyond_the_kept_rows():
    before = pd.concat([fits(1.0).assign(target=i, halfway_train=1.0) for i in range(3 * KEPT)])
    after = before.assign(halfway_train=[None if i == 1 else 1.0 for i in range(3 * KEPT)])
    assert moved("width_threshold", before, after) == [
        ("width_threshold.halfway_train, empty of all rows", False)
    ]


def test_other_columns_or_tolerances_than_the_references_are_outside():
    said, kept = summary("distance", distances()), kept_rows("distance", distances())
    fewer = {**said, "floats": {key: said["floats"][key] for key in ("lower", "upper")}}
    looser = {**said, "exact": {}, "floats": said["floats"] | {key: {} for key in said["exact"]}}
    for other in (fewer, looser):
        found = list(compare_table("distance", other, kept, distances()))
        assert [(one.where, one.allowed) for one in found] == [("distance: columns", False)]


@pytest.mark.parametrize(("factor", "allowed"), [(1 + 1e-8, True), (1 + 1e-5, False)])
def test_floats_may_move_by_their_rounding(factor, allowed):
    found = moved("distance", distances(), distances().assign(relaxed=0.25 * factor))
    assert found
    assert all(ok == allowed for _, ok in found)


def test_fits_may_end_elsewhere_but_not_at_another_size():
    assert moved("width_threshold", fits(1e-30), fits(1e-24)) == []
    assert all(ok for _, ok in moved("width_threshold", fits(1e-3), fits(5e-3)))
    assert not all(ok for _, ok in moved("width_threshold", fits(1e-3), fits(1e-6)))
    assert moved("width_threshold", fits(1e-3), fits(1e-3).assign(restarts=9, start="informed")) == []
    assert not all(ok for _, ok in moved("width_threshold", fits(1e-3), fits(1e-3).assign(success=True)))


@pytest.mark.parametrize(
    ("kind", "was", "inside", "outside"),
    [
        (ROUNDING, 0.0, 0.9e-12, 1.1e-12),
        (ROUNDING, -1.0, -1 + 0.9e-6, -1 + 1.1e-6),
        (SINGLE, 0.0, 0.9e-12, 1.1e-12),
        (SINGLE, 1.0, 1 + 0.9e-4, 1 + 1.1e-4),
        (FIT, 1e-3, 0.9e-1, 1.1e-1),
        (FIT, -1e-3, 0.9e-1, -1.1e-1),
        (FIT, 0.0, 0.9e-18, 1.1e-18),
        (NOISE, 1e-3, 0.9e-2, 1.1e-2),
        (NOISE, 1e-3, 1.1e-4, 0.9e-4),
    ],
)
def test_the_tolerances_are_those_that_are_told(kind, was, inside, outside):
    assert distance(kind, was, inside)[0] < 1 < distance(kind, was, outside)[0]


def test_missing_and_new_rows_are_outside():
    missing = ("distance: row (measure = gaussian, d = 2, N = 4, draw = 4)", False)
    assert {("distance: rows", False), missing} <= set(moved("distance", distances(5), distances(4)))
    assert ("distance: rows", False) in moved("distance", distances(4), distances(5))


def test_an_empty_cell_is_not_a_number():
    assert distance(ROUNDING, None, 1.0)[0] == math.inf
    assert distance(ROUNDING, None, None) == (0.0, "")


def test_every_part_of_a_claim_counts_but_its_seconds():
    said = make({"distance": distances()}, {"x1": CLAIM}, settings={}, machine={})["claims"]["x1"]
    assert list(compare_claim(said, CLAIM | {"seconds": 5.0})) == []
    for key, value in (("verdict", "REFUTED"), ("cases", 4), ("found", "2 of 3"), ("expected", "2 of 3")):
        assert [one.where for one in compare_claim(said, CLAIM | {key: value})] == [f"x1: {key}"]
    other = CLAIM | {"controls": [{"name": "c", "rejected": False}, {"name": "e", "rejected": True}]}
    assert [one.where for one in compare_claim(said, other)] == ["x1: control c", "x1: control e"]


def test_what_has_no_reference_is_counted_and_fails_only_if_strict():
    then = ({"distance": distances()}, {"x1": CLAIM})
    now = {"distance": distances(), "width_threshold": fits(1.0)}
    found, wrong = outcome(now, reference=then)
    assert (found["without_reference"], wrong) == (["width_threshold"], "")
    assert "1 tables or claims have no reference" in outcome(now, reference=then, strict=True)[1]
    assert any("no reference for (1): width_threshold" in line for line in lines(found))


def test_what_is_no_longer_made_is_outside():
    then = ({"distance": distances(), "width_threshold": fits(1.0)}, {"x1": CLAIM})
    found, wrong = outcome({"distance": distances()}, claims={"x2": CLAIM | {"id": "x2"}}, reference=then)
    assert [one["where"] for one in found["moved"]] == [
        "width_threshold: no longer made",
        "x1: no longer checked",
    ]
    assert found["without_reference"] == ["x2"]
    assert wrong == "2 values are outside the tolerance of the reference"


def test_a_table_that_was_not_run_is_set_aside():
    row = {
        "model": "m",
        "layer": 0,
        "d": None,
        "N": None,
        "activation": "gelu",
        "verdict": "not run",
        "proof": None,
    }
    row |= dict.fromkeys(("certificate_entries", "checked", "hypotheses", "seconds"))
    ran, left = (
        {"checkpoint_decisions": pd.DataFrame([row | {"verdict": v}])} for v in ("UNKNOWN", "not run")
    )
    for then, now in ((ran, left), (left, ran)):
        found, wrong = outcome(now, reference=(then, {"x1": CLAIM}))
        assert (found["not_run"], found["tables"], wrong) == (["checkpoint_decisions"], 0, "")
        assert "1 tables or claims" in outcome(now, reference=(then, {"x1": CLAIM}), strict=True)[1]


def test_the_folder_gives_back_what_was_written(tmp_path):
    tables = {"distance": distances(200), "width_threshold": fits(1.0)}
    made = make(tables, {"x1": CLAIM}, settings={"seed": "1"}, machine=MACHINE)
    (tmp_path / "gone.csv").write_text("a\n", encoding="utf-8")
    write_reference(tmp_path, made, {name: kept_rows(name, frame) for name, frame in tables.items()})
    assert read_reference(tmp_path) == (
        made,
        {name: kept_rows(name, frame) for name, frame in tables.items()},
    )
    assert read_reference(tmp_path / "nothing") == ({}, {})
    (tmp_path / "summary.json").write_text("{", encoding="utf-8")
    with pytest.raises(InvalidInput, match="be a JSON file"):
        read_reference(tmp_path)


def test_other_parameters_are_named():
    config = {"seed": 0, "claims": {"x1": {"cases": 1}}, "benchmarks": {}, "strict": False}
    other = copy.deepcopy(config) | {"benchmarks": {"a": 1}, "strict": True}
    assert settings(config) == settings(other)
    other["claims"]["x1"]["cases"], other["seed"] = 2, 1
    made = make({"distance": distances()}, {"x1": CLAIM}, settings=settings(config), machine={})
    found = report(made, {}, {}, {}, settings=settings(other), machine={})
    assert found["settings_changed"] == ["claims.x1", "seed"]
    assert "other parameters than the reference's: claims.x1, seed" in lines(found)


def test_of_what_moved_within_the_tolerance_the_most_is_told():
    later = distances().assign(relaxed=[0.25 * (1 + move) for move in (1e-8, 0, 5e-8, 0, 2e-8)])
    found, wrong = outcome({"distance": later}, reference=({"distance": distances()}, {"x1": CLAIM}))
    assert wrong == ""
    (line,) = (line for line in lines(found) if line.startswith("moved within the tolerance"))
    assert "distance.relaxed, " in line
    assert line.endswith("(relative 5.0e-08)")


def test_many_differences_are_cut_short_in_words():
    found, _ = outcome(
        {"distance": distances(40).assign(units=3)}, reference=({"distance": distances(40)}, {"x1": CLAIM})
    )
    said = list(lines(found))
    assert len([line for line in said if line.startswith("OUTSIDE")]) == 13
    assert said[-1] == "1 tables and 1 claims compared: 41 values outside the tolerance, 0 moved within it"


def test_an_empty_run_makes_no_reference():
    with pytest.raises(InvalidInput, match="have tables and claims"):
        make({}, {}, settings={}, machine={})
