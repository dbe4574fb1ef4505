"""The page: every claim with its evidence, structure for a screen reader, nothing inserted unescaped."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pandas as pd
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.site.claims import machine_check
from skip_absorption.site.exhibits import Exhibit, shown_for
from skip_absorption.site.page import Run, page
from skip_absorption.site.tables import LONGEST

from .conftest import HOSTILE, Reader, a_claim, a_table, proofs


def test_equal_runs_give_equal_bytes(run: Run) -> None:
    assert page(run) == page(run)


def test_every_claim_shows_its_outcome_and_where_its_evidence_is(run: Run) -> None:
    html = page(run)
    for claim, word in zip(run.claims, ("✓ PASS", "✗ FAIL", "? UNKNOWN", "✗ FAIL"), strict=True):
        article = re.search(rf'<article id="{claim["id"]}".*?</article>', html)
        assert article is not None
        assert word in article[0]
        text = Reader(article[0]).text
        for part in ("exact", "All sets", "rejected", "1.5 s", "seed 0", claim["expected"]):
            assert part in text.replace("\u00a0", " ")
        assert f'href="../../results/claims/{claim["id"]}.json"' in article[0]
        assert f'href="../../src/skip_absorption/claims/{claim["id"]}.py"' in article[0]
        assert 'href="../../paper/main.pdf"' in article[0]
    first = html[html.index('id="theorem_4"') :]
    assert 'href="#figure-width_success"' in first[: first.index("</article>")]
    assert 'href="../../results/notebooks/tour.html"' in first[: first.index("</article>")]


def test_what_fails_is_counted_and_said(run: Run) -> None:
    html = page(run)
    head = Reader(html[: html.index("<main")]).text
    for told in ("1 of 4 statements pass", "200 instances tried", "6 of 8 false variants rejected"):
        assert told in head
    assert "3 theorems in Coq, not compiled in this run" in head
    proved = proofs().assign(status="proved")
    assert "not compiled" not in page(replace(run, tables=run.tables | {"formal": proved}))
    article = html[html.index('<article id="d1"') :]
    text = Reader(article[: article.index("</article>")]).text
    assert text.count("✗ NOT rejected") == 2
    assert "✓ rejected" not in text
    assert "controls rejected0 of 2" in text


def test_certificates_are_linked_from_the_statements_that_have_some(run: Run) -> None:
    caption = "Statements: X1b."
    with_audit = replace(run, table_exhibits=[Exhibit("checkpoint_audit", "r", "f", caption)])
    for claim in ("x1b", "d1"):
        article = page(with_audit).partition(f'<article id="{claim}"')[2].partition("</article>")[0]
        assert ('href="#certificates"' in article) == (claim == "x1b")


def test_tables_are_shown_unless_they_are_long(run: Run) -> None:
    for suffix in ("csv", "parquet"):
        assert f'href="../../results/tables/formal.{suffix}"' in page(run)
    short, long = (a_table("distance", draw=list(range(count))) for count in (LONGEST, LONGEST + 1))
    assert f"<summary>Show {LONGEST} rows</summary>" in page(
        replace(run, tables=run.tables | {"distance": short})
    )
    assert "<summary>Show" not in page(replace(run, tables=run.tables | {"distance": long}))


def test_hostile_texts_stay_texts(run: Run) -> None:
    hostile = replace(
        run,
        figures=[Exhibit(HOSTILE, HOSTILE, HOSTILE, f"**{HOSTILE}**\n\n{HOSTILE}")],
        certificates=[HOSTILE],
        claims=[
            *run.claims,
            a_claim("x9", title="X9", **dict.fromkeys(("method", "expected", "verdict"), HOSTILE)),
        ],
    )
    read = Reader(page(hostile))
    assert read.tags.count("script") == 1
    assert not [attributes for attributes in read.attributes if "onerror" in attributes]
    assert read.text.count("<script>alert('x')</script>") >= 6


def test_the_structure_is_one_that_a_screen_reader_can_follow(run: Run) -> None:
    html = page(run)
    read = Reader(html)
    assert read.attributes[0] == {"lang": "en"}
    for landmark in ("header", "nav", "main", "footer"):
        assert read.tags.count(landmark) == 1
    levels = [int(tag[1]) for tag in read.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(level <= before + 1 for before, level in pairwise(levels))
    elements = list(zip(read.tags, read.attributes, strict=True))
    assert all(attributes.get("alt") for tag, attributes in elements if tag == "img")
    assert all(attributes.get("scope") in ("col", "row") for tag, attributes in elements if tag == "th")
    assert read.tags.count("table") == read.tags.count("caption") == html.count('class="scroll"')
    ids = [attributes["id"] for attributes in read.attributes if "id" in attributes]
    assert len(ids) == len(set(ids))
    key = "aria-labelledby"
    assert {attributes[key] for attributes in read.attributes if key in attributes} <= set(ids)
    assert 'aria-live="polite"' in html
    assert html.index('class="skip"') < html.index("<header>")


def test_the_page_needs_no_network_and_no_script(run: Run) -> None:
    html = page(run)
    assert not re.search(r"(?:https?:)?//[a-z]", html.replace("<!DOCTYPE", ""))
    assert 'role="search" hidden' in html  # shown by the script that it needs
    assert "@import" not in html
    assert "url(" not in html


def test_a_smoke_run_says_so_and_finds_the_repository_one_folder_up(run: Run) -> None:
    html = page(replace(run, tier="smoke"))
    assert "smoke run" in html
    assert 'href="../../../workflow/rules/claims.smk"' in html
    assert "smoke run" not in page(run)


def test_the_mark_of_machine_checked_statements() -> None:
    both = proofs().assign(number=[4, 5, 6], label=["ext:both"] * 3)
    table = pd.concat([proofs(), both])
    for label, mark in (
        ("ext:both", "notrun"),
        ("thm:ungated", "whole"),
        ("prop:width-ii", "part"),
        ("ext:biases", "notrun"),
        ("ext:d1", None),
    ):
        assert machine_check({"label": label}, table) == mark


def test_captions_say_their_title_and_statements() -> None:
    exhibit = Exhibit(
        "a_b", "r", "f", "**A title.** Text.\n\nStatements: X1, Proposition 8(i) and X2. Rule: ``r``."
    )
    assert exhibit.title == "A title"
    assert exhibit.text.startswith("Text.")
    assert exhibit.statements == ["X1", "Proposition 8(i)", "X2"]
    assert shown_for({"title": "X1"}, [exhibit, Exhibit("c", "r", "f")]) == [exhibit]
    assert shown_for({"title": "X"}, [exhibit]) == []
    assert Exhibit("a_b", "r", "f").title == "A b"


def test_misuse_is_named(run: Run) -> None:
    with pytest.raises(InvalidInput, match=r'tier must be "full", "smoke" or "large"; got tiny'):
        page(replace(run, tier="tiny"))
    with pytest.raises(InvalidInput, match="tables must contain the table formal; got "):
        page(replace(run, tables={}))
