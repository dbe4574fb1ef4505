"""Cells of stored tables as readers see them: words, digits, units, every version."""

from skip_absorption.site.tables import stored_table, versions_table

from .conftest import Reader, a_claim, a_table


def test_cells_say_what_is_stored() -> None:
    html = stored_table(
        "checkpoint_decisions", a_table("checkpoint_decisions", layer=[0, 1], checked=[False, True])
    )
    assert [html.count(f"<td>{word}</td>") for word in ("no", "yes")] == [1, 1]
    html = stored_table("checkpoint_margin", a_table("checkpoint_margin", lower=[-0.00123456], units=[12345]))
    assert '<td class="number">−0.00123</td>' in html
    assert '<td class="number">12\u202f345</td>' in html


def test_headings_have_units_where_there_are_some() -> None:
    text = Reader(stored_table("distance", a_table("distance", draw=[1]))).text
    assert "seconds (s)" in text
    assert "nodes (" not in text


def test_claims_that_disagree_about_a_version_are_told() -> None:
    other = a_claim(versions={"python": "3.12.1", "commit": "abc"})
    assert "<code>3.11.7, 3.12.1</code>" in versions_table([a_claim(), other])
