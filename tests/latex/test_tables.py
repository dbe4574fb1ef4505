from skip_absorption.latex import tables

from .conftest import make_claim, make_widths


def test_verdict_rows_quote_macros_not_values() -> None:
    table = tables.verdict_table([make_claim("theorem_4")])
    assert r"\Cref{thm:ungated} &  & \ResTheoremFourEvidence{} & \ResTheoremFourCases{}" in table
    assert r"\rulelink{claim_theorem_4}{claims}" in table
    assert "12345" not in table


def test_new_results_have_short_names_and_proved_ones_their_mark() -> None:
    claims = [make_claim("x1"), make_claim("theorem_4")]
    table = tables.verdict_table(claims, ["BadgeFormalExtMinimalWidth"])
    assert r"\Cref{ext:minimal-width} & X1 & " in table
    assert table.count(r"\BadgeFormal") == 1
    assert r"\BadgeFormalPropWidth{}" in tables.verdict_table(
        [make_claim("proposition_8_ii")], ["BadgeFormalPropWidth"]
    )


def test_width_rows() -> None:
    table = tables.width_table(make_widths())
    rows = [line for line in table.splitlines() if line.startswith(("ReLU", "GELU"))]
    assert [row.split(" & ")[:4] for row in rows] == [
        ["ReLU", "2--3", "4--6", "4"],
        ["GELU", "2--3", "4--6", "4"],
    ]
    assert r"0/4 & \ensuremath{1.0\times10^{-6}} & 4/4 & \ensuremath{1.0\times10^{-28}}" in rows[0]
