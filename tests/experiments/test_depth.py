"""Experiments on depth, analytic part: small runs, and what they must find."""

import copy
import json

import numpy as np
import pytest

from skip_absorption.depth.jacobian import Layer, forward
from skip_absorption.experiments import depth_analytic, depth_excluded, depth_fits, depth_scaling
from skip_absorption.networks.activations import GELU
from skip_absorption.results.schema import validate_table


@pytest.fixture(scope="module")
def proved():
    return json.loads(json.dumps(depth_analytic.prove_cases([(2, 1, 2), (2, 3, 2)])))


@pytest.fixture(scope="module")
def ranks(proved):
    return validate_table("depth_analytic", depth_analytic.table(proved))


def test_all_that_is_possible_is_certified(ranks):
    assert ranks["rechecked"].all()
    assert (ranks["certified"] == ranks["bound"]).all()
    assert (ranks["numerical_residual"] == ranks["bound"]).all()
    assert (ranks["numerical_plain"] == ranks["k_H"]).all()
    assert set(ranks["family"]) == {"identity", "narrow", "mixed", "invertible", "singular"}
    full = ranks["family"] != "singular"
    assert (ranks[full]["bound"] == ranks[full]["parameters"]).all()


def test_the_table_counts_what_narrow_blocks_lose(ranks):
    narrow = ranks[ranks["family"] == "narrow"].iloc[0]
    assert (narrow["k_H"], narrow["naive"], narrow["parameters"]) == (5, 4, 8)


def test_a_certificate_that_is_spoilt_or_missing_is_not_counted(proved):
    spoilt = copy.deepcopy({"cases": proved["cases"][:2]})
    spoilt["cases"][0]["certificate"]["layers"][0]["w_up"][0][0] = "1/7"
    spoilt["cases"][1]["certificate"] = None
    table = validate_table("depth_analytic", depth_analytic.table(spoilt))
    assert not table["rechecked"].any()
    assert table["certified"].isna().all()


def test_a_sound_certificate_of_another_case_is_not_counted(proved):
    cases = [entry for entry in proved["cases"] if entry["activation"] == "gelu"]
    by_family = {entry["family"]: entry for entry in cases}
    silu = next(e for e in proved["cases"] if (e["family"], e["activation"]) == ("identity", "silu"))
    wrong = [
        by_family["identity"] | {"certificate": silu["certificate"]},
        by_family["mixed"] | {"certificate": by_family["identity"]["certificate"]},
        by_family["invertible"] | {"certificate": by_family["singular"]["certificate"]},
        by_family["singular"] | {"bound": by_family["singular"]["bound"] - 1},
    ]
    table = depth_analytic.table({"cases": wrong})
    assert not table["rechecked"].any()
    assert table["certified"].isna().all()


def test_certificates_repeat_themselves_and_depend_on_the_seed(proved):
    again, other = (depth_analytic.prove_cases([(2, 1, 2), (2, 3, 2)][:1], seed=seed) for seed in (0, 1))
    first = [entry["certificate"] for entry in proved["cases"] if entry["family"] == "narrow"]
    assert [entry["certificate"] for entry in again["cases"] if entry["family"] == "narrow"] == first
    assert [entry["certificate"] for entry in other["cases"] if entry["family"] == "narrow"] != first


def test_regions_are_ordered():
    table = validate_table("depth_excluded", depth_excluded.region([(2, 4, 2), (2, 1, 2)], more=2, depths=3))
    wide = table[table["N"] == 4].set_index(["width", "depth"])["status"]
    assert wide[4, 2] == "excluded"
    assert wide[5, 2] == wide[4, 3] == "open"  # of width 2d, X7a says nothing
    assert wide[6, 2] == wide[7, 3] == "suffices"
    assert wide[8, 1] == "open"
    assert "suffices" not in set(table[table["N"] == 1]["status"])


def test_below_twice_the_dimension_no_depth_suffices_and_at_equal_dimensions_nothing_is_open():
    table = depth_excluded.region([(2, 4, 2), (3, 3, 2)], more=1, depths=9)
    assert (table[table["width"] < 2 * table["d"]]["status"] == "excluded").all()
    square = table[(table["N"] == 3) & (table["depth"] >= 2)]
    assert set(square["status"]) == {"excluded", "suffices"}
    counted = table["k_H"] < table["parameters"]
    assert (
        table[~counted & (table["width"] < 2 * table["d"])]["depth"] > 1
    ).any()  # counting alone says less


def test_ratios_approach_the_predicted_slopes():
    table = validate_table("depth_scaling", depth_scaling.run(2, 4, depths=[1, 2]))
    assert set(table["activation"]) == set(depth_scaling.KINDS)
    for _, line in table.groupby(["activation", "L"]):
        slope = line["slope"].iloc[0]
        ordered = line.sort_values("t", ascending=bool(slope < 0))
        last = np.log(ordered[["t", "ratio"]].iloc[[-6, -1]].to_numpy())
        assert (last[1, 1] - last[0, 1]) / (last[1, 0] - last[0, 0]) == pytest.approx(slope, abs=0.1)


def test_fits_reach_an_exact_solution_and_not_what_is_ruled_out():
    table = depth_fits.run_size("gelu", 1, 1, 2, targets=1, restarts=4, steps=200)
    table = validate_table("depth_fits", table).set_index("widths")
    assert table.loc["2 2", "best_train"] < 1e-20
    assert table.loc["1 1", "best_train"] > 1e-12
    assert table.loc["1 1", "k_H"] < table.loc["1 1", "parameters"]


def test_a_row_keeps_the_best_start_and_its_own_error_on_fresh_points(monkeypatch):
    told = [0.5, 0.6, 0.7, 0.2, 0.3, 1e-25, 0.1]  # on the training points; where that is less, on fresh ones
    losses, inputs = iter(told), []

    def loss(_layers, x, _y, _sigma):
        inputs.append(x[0, 0])
        return next(losses)

    monkeypatch.setattr(depth_fits, "fit", lambda start, *_, steps: start)
    monkeypatch.setattr(depth_fits, "_loss", loss)
    table = depth_fits.run_size("gelu", 1, 1, 1, targets=1, restarts=3, steps=1)
    assert table[["best_train", "best_heldout", "restarts"]].to_numpy().tolist() == [
        [0.2, 0.3, 3],
        [1e-25, 0.1, 1],
    ]
    train, fresh = inputs[:2]
    assert train != fresh
    assert inputs == [train, fresh, train, train, fresh, train, fresh]


def test_a_fit_from_the_solution_stays_there():
    rng = np.random.default_rng(0)
    layers = [Layer(rng.standard_normal((3, 2)), rng.standard_normal((2, 3))) for _ in range(2)]
    x = rng.standard_normal((40, 2))
    fitted = depth_fits.fit(layers, x, forward(layers, x, GELU.float), GELU, steps=20)
    assert all(np.allclose(a.w_up, b.w_up) for a, b in zip(fitted, layers, strict=True))
