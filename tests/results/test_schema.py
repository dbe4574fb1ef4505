import pandas as pd
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.results.schema import TABLES, table_schema, validate_table

FIT = {
    "activation": "relu",
    "d": 2,
    "N": 4,
    "target": 0,
    "extra": 2,
    "width": 6,
    "linear_terms": 0,
    "width_minus_N": 2,
    "best_train": 1.5e-30,
    "best_heldout": 2e-30,
    "max_weight": 3.25,
    "success": True,
    "start": "informed",
    "restarts": 2,
    "long_steps": 100,
    "halfway_train": 1e-29,
    "halfway_weight": 3.0,
    "seconds": 0.1,
}
NOT_RUN = {
    "model": "all-MiniLM-L6-v2",
    "layer": 0,
    "d": None,
    "N": None,
    "activation": "gelu",
    "verdict": "not run",
    "proof": None,
    "certificate_entries": None,
    "checked": None,
    "hypotheses": None,
    "seconds": None,
}


def test_every_table_says_what_its_columns_are():
    for name, table in TABLES.items():
        assert table.name == name
        assert any(column.key for column in table.columns)
        assert not any(column.key and column.nullable for column in table.columns)
        for column in table.columns:
            assert column.meaning
            assert column.type in {"string", "integer", "number", "boolean"}
            assert bool(column.unit) == (column.type in {"integer", "number"})


def test_a_good_table_comes_back_typed_and_in_order():
    frame = validate_table("width_threshold", pd.DataFrame([dict(reversed(FIT.items()))]))
    assert list(frame.columns) == list(FIT)
    assert frame.loc[0].to_dict() == FIT
    assert frame["success"].dtype == bool


def test_empty_cells_are_allowed_where_the_schema_says_so():
    frame = validate_table("checkpoint_decisions", pd.DataFrame([NOT_RUN]))
    assert pd.isna(frame.loc[0, "d"])
    assert pd.isna(frame.loc[0, "checked"])


def test_strings_are_read_as_the_type_of_the_column():
    texts = {key: str(value) for key, value in FIT.items()}
    assert validate_table("width_threshold", pd.DataFrame([texts])).loc[0].to_dict() == FIT


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d": 2.5}, "width_threshold: d in row 1 must be an integer; got 2.5"),
        ({"d": True}, "width_threshold: d in row 1 must be an integer; got True"),
        ({"d": "two"}, "width_threshold: d in row 1 must be an integer; got two"),
        ({"d": None}, 'width_threshold: d in row 1 must not be empty; got ""'),
        (
            {"best_train": float("inf")},
            "width_threshold: best_train in row 1 must be a finite number; got inf",
        ),
        ({"success": "maybe"}, "width_threshold: success in row 1 must be true or false; got maybe"),
        (
            {"activation": "re\nlu"},
            "width_threshold: activation in row 1 must be one line of text; got re lu",
        ),
    ],
)
def test_a_bad_cell_is_named(change, message):
    with pytest.raises(InvalidInput) as caught:
        validate_table("width_threshold", pd.DataFrame([FIT | change]))
    assert str(caught.value) == message


def test_a_value_that_is_not_allowed_is_named():
    with pytest.raises(
        InvalidInput, match=r"verdict in row 1 must be one of ABSORBABLE, .*, not run; got YES"
    ):
        validate_table("checkpoint_decisions", pd.DataFrame([NOT_RUN | {"verdict": "YES"}]))


def test_keys_are_unique():
    with pytest.raises(
        InvalidInput, match=r"have one row per \(activation, .*\); got two rows for \(relu, 2"
    ):
        validate_table("width_threshold", pd.DataFrame([FIT, FIT]))


@pytest.mark.parametrize("columns", [list(FIT)[:-1], [*FIT, "more"]])
def test_columns_must_be_those_of_the_schema(columns):
    frame = pd.DataFrame([{name: FIT.get(name, 0) for name in columns}])
    with pytest.raises(InvalidInput, match=r"width_threshold must have the columns activation, d"):
        validate_table("width_threshold", frame)


def test_an_unknown_table_lists_the_known_ones():
    with pytest.raises(InvalidInput, match=r"table must be one of .*checkpoint_decisions, .*; got nothing"):
        table_schema("nothing")
