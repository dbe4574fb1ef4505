from skip_absorption.latex import tables

from .conftest import make_claim, make_widths


def test_verdict_rows_quote_macros_not_values() -> None:
    table = tables.verdict_table([make_claim("theorem_4")])
    assert r"\Cref{thm:ungated} & \ResTheoremFourEvidence{} & \ResTheoremFourCases{}" in table
    assert "12345" not in table


def test_a_control_that_was_not_rejected_is_shown_in_red() -> None:
    entry = tables.ledger([make_claim("theorem_4", rejected=False)])
    assert r"\failed{+I for \ensuremath{-}I (not rejected)}; one unit too few" in entry
    assert r"100\%" in entry


def test_a_claim_without_controls_says_so() -> None:
    claim = make_claim("theorem_4")
    claim["controls"] = []
    assert r"\ledgerfield{Controls}{\failed{none}}" in tables.ledger([claim])


def test_width_rows() -> None:
    table = tables.width_table(make_widths())
    rows = [line for line in table.splitlines() if line.startswith(("ReLU", "GELU"))]
    assert [row.split(" & ")[:4] for row in rows] == [
        ["ReLU", "2", "4", "2"],
        ["ReLU", "3", "6", "2"],
        ["GELU", "2", "4", "2"],
        ["GELU", "3", "6", "2"],
    ]
    assert r"0/2 & \ensuremath{1.0\times10^{-5}} & 2/2 & \ensuremath{1.0\times10^{-28}}" in rows[0]
