import pandas as pd
import pytest

from skip_absorption.latex import experiments, macros, tables
from skip_absorption.results.schema import validate_table

from .conftest import make_widths
from .experiment_tables import make_experiments, make_long_fits


@pytest.fixture
def values() -> dict[str, str]:
    fits = pd.concat([make_widths(), pd.DataFrame(make_long_fits())])
    return experiments.experiment_macros(
        {**make_experiments(), "width_threshold": validate_table("width_threshold", fits)}
    )


def test_exact_values_leave_the_measures_out(values) -> None:
    assert values["ResExactNetworks"] == values["ResExactAgree"] == r"80\,000"
    assert values["ResExactCases"] == "4"


def test_a_wrong_least_width_is_not_counted() -> None:
    results = {**make_experiments(), "width_threshold": make_widths()}
    results["minimal_width"].loc[0, "upper"] += 1
    assert experiments.experiment_macros(results)["ResExactAgree"] == r"60\,000"


def test_thresholds_count_planted_targets_once(values) -> None:
    assert values["ResThresholdTargets"] == "11"  # 8 random, 2 that were continued, 1 planted
    assert values["ResThresholdPlanted"] == "1"
    assert values["ResThresholdAgree"] == "9"
    assert values["ResThresholdBelow"] == "0"


def test_closure_compares_the_long_fits(values) -> None:
    assert values["ResClosureTargets"] == "2"
    assert values["ResClosureSteps"] == "100"
    assert values["ResClosureHalved"] == "1"
    assert values["ResClosureLarge"] == "2"
    assert values["ResClosureTermBetter"] == "1"
    assert values["ResClosureLeast"] == r"\ensuremath{1.0\times10^{-5}}"


def test_random_draws(values) -> None:
    assert values["ResRandomDraws"] == "6000"
    assert values["ResRandomCleanMeasures"] == "1"
    assert values["ResRandomCleanDraws"] == "2000"
    assert values["ResRandomCleanHits"] == "0"
    assert (values["ResRandomListed"], values["ResRandomListedInside"]) == ("1", "1")


def test_distances_are_relative(values) -> None:
    assert (values["ResDistanceSmall"], values["ResDistanceLarge"]) == ("2", "8")
    assert values["ResDistanceSmallMean"] == values["ResDistanceLargeMean"] == "0.75"
    assert (values["ResDistanceNetworks"], values["ResDistanceExact"]) == ("8", "4")
    assert values["ResDistanceEmpty"] == "4"


def test_homogeneous_fits(values) -> None:
    assert values["ResHomogeneousFits"] == "4"
    assert values["ResHomogeneousPassed"] == "0"
    assert values["ResHomogeneousNearest"] == "1.125"


def test_without_a_long_run_values_are_missing_not_wrong() -> None:
    found = experiments.experiment_macros({**make_experiments(), "width_threshold": make_widths()})
    assert found["ResClosureTargets"] == "0"
    assert found["ResClosureLeast"] == r"\notrun{}"


def test_random_fits_ignore_planted_ones_and_linear_terms() -> None:
    fits = validate_table("width_threshold", pd.concat([make_widths(), pd.DataFrame(make_long_fits()[4:])]))
    assert macros.width_macros(fits) == macros.width_macros(make_widths())
    assert tables.width_table(fits) == tables.width_table(make_widths())


def test_fractions_have_their_intervals() -> None:
    table = experiments.random_table(make_experiments()["random_measures"])
    rows = [line.split(" & ") for line in table.splitlines() if "&" in line]
    assert rows[0] == ["weights", "$d=2$, $N=4$", "$d=3$, $N=4$", r"violations \\"]
    assert [row[0] for row in rows[1:]] == ["Gaussian", "ternary", r"integers in $\pm2$"]
    assert rows[1][1] == r"0 \,[0, 0.6]"
    assert rows[2][1] == r"20 \,[18, 22]"
    assert rows[2][3].startswith("100")
