"""What the paper says of ReLU compositions: the least shares, every violation, the rows of its table."""

import pandas as pd
import pytest

from skip_absorption.latex.depth_relu import relu_macros, relu_table

from .experiment_tables import make_experiments


@pytest.fixture
def compositions() -> pd.DataFrame:
    """The invented table, in which one cell excludes less, has a lower dimension, and violates the bound."""
    table = make_experiments()["depth_relu"]
    odd = {"excluded": 70, "fraction": 0.7, "violations": 3, "dimension_least": 11, "by_dimension": 80}
    table.loc[1, list(odd)] = list(odd.values())
    table.loc[2, "fraction"] = 0.985
    return table


def test_counts_and_the_least_shares(compositions: pd.DataFrame) -> None:
    values = relu_macros(compositions, make_experiments()["fold"])
    assert (values["ResReluCompositions"], values["ResReluCells"], values["ResReluEach"]) == (
        "800",
        "8",
        "100",
    )
    assert (values["ResReluExcluded"], values["ResReluByDimension"]) == ("746", "780")
    assert values["ResReluViolations"] == "3"
    assert (values["ResReluSmallScale"], values["ResReluSmallLeast"]) == ("0.5", "98.5")
    assert (values["ResReluLargeScale"], values["ResReluLargeLeast"]) == ("8", "70.0")
    assert (values["ResFoldBlocks"], values["ResFoldSectors"]) == ("9", "8")


def test_a_row_a_size_and_distribution(compositions: pd.DataFrame) -> None:
    lines = relu_table(compositions).splitlines()
    assert lines[4] == r"2 & 4 & 2 & 24 & 20 & Gaussian & 99.5 & 70.0 & 11 & 3 \\"
    assert lines[5] == r" &  &  &  &  & LeCun uniform & 99.5 & 92.0 & 17 & 0 \\"
    assert lines[6] == r"3 & 4 & 2 & 40 & 20 & Gaussian & 98.5 & 92.0 & 17 & 0 \\"
