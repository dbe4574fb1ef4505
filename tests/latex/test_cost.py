from skip_absorption.latex.cost import cost_macros, cost_table

from .conftest import make_absorbed


def test_measurements_are_added_once(claims, results) -> None:
    table = cost_table(claims, results)
    assert rf"\tablefile{{verdicts}} & {len(claims)} & 39 & 1.3 \\" in table
    assert r"\tablefile{absorbed_checkpoint} & 2 & 120 & 60 \\" in table  # two rows a variant


def test_a_part_that_did_not_run_says_so(claims, results) -> None:
    results["absorbed_checkpoint"] = make_absorbed(ran=False)
    assert r"\tablefile{absorbed_checkpoint} & \notrun{} &  &  \\" in cost_table(claims, results)


def test_versions_are_those_of_the_results(claims, results) -> None:
    assert cost_macros(claims, results)["ResEnvironmentPython"] == r"\notrun{}"
    claims[0]["versions"] = {"python": "3.11.9", "system": "Linux x86_64"}
    macros = cost_macros(claims, results)
    assert macros["ResEnvironmentPython"] == "3.11.9"
    assert macros["ResEnvironmentSystem"] == r"Linux x86\_64"
    claims[0]["seconds"] += 36_000.0
    more = float(cost_macros(claims, results)["ResCostTotal"]) - float(macros["ResCostTotal"])
    assert round(more, 1) == 10
