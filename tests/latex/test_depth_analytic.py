import pytest

from skip_absorption.latex.depth_analytic import analytic_macros, analytic_table

from .experiment_tables import make_depth


@pytest.fixture
def tables():
    return make_depth()


def test_counts_tell_proved_ranks_from_possible_ones(tables) -> None:
    values = analytic_macros(tables["depth_analytic"], tables["depth_fits"])
    assert values["ResDepthRanks"] == "6"
    assert values["ResDepthCertified"] == "5"
    assert values["ResDepthFull"] == "3"
    assert values["ResDepthSingular"] == "2"
    assert values["ResDepthLargest"] == "24"
    assert values["ResDepthPlainAgree"] == "6"


def test_fits_are_split_by_what_is_known(tables) -> None:
    values = analytic_macros(tables["depth_analytic"], tables["depth_fits"])
    assert values["ResDepthFits"] == "8"
    assert values["ResDepthFitsBelow"] == "4"
    assert values["ResDepthFitsBelowLeast"] == r"\ensuremath{1.0\times10^{-3}}"
    assert (values["ResDepthFitsBetween"], values["ResDepthFitsBetweenExact"]) == ("2", "0")
    assert (values["ResDepthFitsWidest"], values["ResDepthFitsWidestExact"]) == ("2", "2")


def test_a_rank_that_is_not_certified_is_red(tables) -> None:
    rows = [
        line.split(" & ") for line in analytic_table(tables["depth_analytic"]).splitlines() if "24" in line
    ]
    assert [row[0] for row in rows] == ["$I$", "rank 1, 1"]
    assert rows[0][7] == r"24 \,($-5.2$)"
    assert r"\failed{unknown}" in rows[1][9]


def test_a_rank_below_the_bound_is_red_and_counts_for_nothing(tables) -> None:
    table = tables["depth_analytic"]
    table.loc[0, "certified"] = 23
    assert r"\failed{23" in analytic_table(table)
    values = analytic_macros(table, tables["depth_fits"])
    assert (values["ResDepthCertified"], values["ResDepthFull"]) == ("4", "2")


def test_a_rank_that_was_not_rechecked_is_red(tables) -> None:
    table = tables["depth_analytic"]
    before = analytic_table(table).count(r"\failed{unknown}")
    table.loc[0, "rechecked"] = False
    assert analytic_table(table).count(r"\failed{unknown}") == before + 1


def test_a_fit_with_as_many_parameters_is_not_ruled_out(tables) -> None:
    fits = tables["depth_fits"]
    between = fits.index[fits["k_H"] > fits["parameters"]][0]
    fits.loc[between, "k_H"] = fits.loc[between, "parameters"]
    assert analytic_macros(tables["depth_analytic"], fits)["ResDepthFitsBelow"] == "4"
