import logging
from importlib import import_module

import pandas as pd
import pytest

from skip_absorption.claims import proposition_1, running, theorem_4
from skip_absorption.claims.ledger import CLAIMS, passed, run_claim, summary_line, verdict_row
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.verdict import Verdict
from skip_absorption.results.schema import validate_table
from skip_absorption.results.store import validate_claim

LABELS = {
    "proposition_1": "prop:homogeneous",
    "proposition_2": "prop:gated",
    "corollary_3": "cor:depth",
    "theorem_4": "thm:ungated",
    "corollary_5": "cor:generic",
    "corollary_5_converse": "cor:converse",
    "lemma_6": "lem:kinks",
    "lemma_7": "lem:scales",
    "proposition_8_i": "prop:width-i",
    "proposition_8_ii": "prop:width-ii",
    "x1": "ext:minimal-width",
    "x1b": "ext:biases",
    "x1c": "ext:collinear",
    "x2": "ext:gates",
    "x3": "ext:distance",
    "x4": "ext:certificates",
    "x5": "ext:canonical-form",
    "x6": "ext:depth-analytic",
    "x7a": "ext:narrow",
    "x7b": "ext:visible",
    "x7c": "ext:fold",
    "d1": "ext:d1",
    "d2": "ext:d2",
    "d3": "ext:d3",
    "d4": "ext:d4",
    "d5": "ext:d5",
    "d6": "ext:d6",
    "d7": "ext:d7",
    "d8": "ext:d8",
    "hypotheses": "ext:hypotheses",
    "architectures": "ext:architectures",
}
SIZES = {"x7c": [(2, 4)]}  # where a statement asks for more than 2 <= d <= N


def report(verdict=Verdict.PROVED, rejected=(True, True)):
    controls = tuple(running.Control(f"control {i}", value) for i, value in enumerate(rejected))
    return running.Report(verdict, 3, controls, "3 of 3", "all 3")


def test_the_ledger_names_its_modules_and_labels():
    assert {claim.id: claim.label for claim in CLAIMS.values()} == LABELS
    assert all(claim.id == import_module(claim.module).CLAIM for claim in CLAIMS.values())
    assert all(id == claim.id for id, claim in CLAIMS.items())


@pytest.fixture(scope="module", params=sorted(LABELS))
def result(request):
    return run_claim(request.param, cases=20, dims=SIZES.get(request.param, [(2, 3), (3, 4)]), seed=0)


def test_every_claim_passes_with_its_controls_rejected(result):
    assert passed(result), summary_line(result)
    assert result["cases"] == 20
    assert len(result["controls"]) >= 3
    assert all(control["rejected"] for control in result["controls"])
    assert validate_claim(result)["label"] == LABELS[result["id"]]


def test_every_claim_gives_one_line_and_one_row(result):
    line = summary_line(result)
    assert "\n" not in line
    assert line.startswith(f"{result['title']} · found ")
    assert " · PASS · " in line
    row = validate_table("verdicts", pd.DataFrame([verdict_row(result)])).loc[0]
    assert row["passed"]
    assert row["rejected"] == row["controls"] == len(result["controls"])


def test_a_claim_repeats_itself_and_depends_on_the_seed():
    first, again, other = (
        proposition_1._draw(
            next(running.each_case("c", cases=1, dims=[(2, 3)], seed=seed)), proposition_1.KINDS[0]
        )
        for seed in (0, 0, 1)
    )
    assert first[2].tolist() == again[2].tolist() != other[2].tolist()


@pytest.mark.parametrize(
    ("changed", "verdict", "ends"),
    [
        (report(), "PROVED-ON-CASES", "PASS"),
        (report(Verdict.REFUTED), "REFUTED", "FAIL (REFUTED)"),
        (report(Verdict.UNKNOWN), "UNKNOWN", "FAIL (UNKNOWN)"),
        (report(rejected=(True, False)), "PROVED-ON-CASES", "FAIL (PROVED-ON-CASES)"),
        (report(rejected=(True,)), "PROVED-ON-CASES", "FAIL (PROVED-ON-CASES)"),
        (report(rejected=()), "PROVED-ON-CASES", "FAIL (PROVED-ON-CASES)"),
    ],
)
def test_only_a_proof_with_two_rejected_controls_passes(changed, verdict, ends, monkeypatch):
    monkeypatch.setattr(theorem_4, "check", lambda **_: changed)
    result = validate_claim(run_claim("theorem_4", cases=3, dims=[(2, 3)]))
    assert result["verdict"] == verdict
    assert passed(result) == (ends == "PASS")
    assert f" · {ends} · " in summary_line(result)
    assert ("control not rejected: control 1" in summary_line(result)) == (False in [
        control.rejected for control in changed.controls
    ])  # fmt: skip


def test_a_check_that_breaks_down_is_unknown(monkeypatch, caplog):
    def broken(**_):
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr(theorem_4, "check", broken)
    with caplog.at_level(logging.ERROR):
        result = validate_claim(run_claim("theorem_4", cases=3, dims=[(2, 3)]))
    assert not passed(result)
    assert result["verdict"] == "UNKNOWN"
    assert result["found"] == "the check broke down: ZeroDivisionError: first line second line"
    assert "Traceback" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"id": "theorem_5"}, "claim must be one of proposition_1, .*; got theorem_5"),
        ({"cases": 0}, "cases must be an integer of at least 1; got 0"),
        ({"cases": True}, "cases must be an integer of at least 1; got True"),
        ({"seed": -1}, "seed must be an integer of at least 0; got -1"),
        ({"dims": []}, r"dims must hold at least one pair \(d, N\); got \[\]"),
        ({"dims": [(3, 2)]}, r"dims must hold pairs \(d, N\) with 2 <= d <= N; got \(3, 2\)"),
        ({"dims": [(1, 2)]}, r"dims must hold pairs \(d, N\) with 2 <= d <= N; got \(1, 2\)"),
        ({"dims": [2]}, r"dims must hold pairs \(d, N\) with 2 <= d <= N; got 2"),
        ({"dims": [(2, 3, 4)]}, r"dims must hold pairs"),
        ({"dims": [(2, 3.0)]}, r"dims must hold pairs"),
    ],
)
def test_misuse_is_one_clear_error(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        run_claim(**{"id": "theorem_4", "cases": 1, "dims": [(2, 3)]} | arguments)
