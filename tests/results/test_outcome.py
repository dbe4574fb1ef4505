"""A claim passes if it is proved on its cases and two controls or more are all rejected, and else never."""

import pytest

from skip_absorption.claims.ledger import passed
from skip_absorption.results.outcome import status


@pytest.mark.parametrize(
    ("verdict", "rejected", "ends"),
    [
        ("PROVED-ON-CASES", [True, True], "pass"),
        ("PROVED-ON-CASES", [True, True, True], "pass"),
        ("PROVED-ON-CASES", [True, False], "fail"),
        ("PROVED-ON-CASES", [True, True, False], "fail"),
        ("PROVED-ON-CASES", [True], "fail"),
        ("PROVED-ON-CASES", [], "fail"),
        ("REFUTED", [True, True], "fail"),
        ("UNKNOWN", [True, True], "unknown"),
        ("UNKNOWN", [True, False], "fail"),
        ("UNKNOWN", [], "fail"),
    ],
)
def test_only_a_proof_with_all_controls_rejected_passes(verdict, rejected, ends):
    result = {"verdict": verdict, "controls": [{"name": "c", "rejected": one} for one in rejected]}
    assert status(result) == ends
    assert passed(result) == (ends == "pass")
