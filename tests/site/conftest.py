"""A run made up for the page: claims of every outcome, hostile texts, a figure, tables; a reader of HTML."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest

from skip_absorption.results.schema import table_schema, validate_table
from skip_absorption.site.exhibits import Exhibit
from skip_absorption.site.page import Run

HOSTILE = "</p><script>alert('x')</script> & \"quoted\" <img src=x onerror=alert(1)>"


class Reader(HTMLParser):
    """An independent reader: the tags in order, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append(dict(attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


def a_claim(id: str = "theorem_4", **changes: Any) -> dict[str, Any]:
    return {
        "id": id,
        "label": "thm:ungated",
        "title": "Theorem 4",
        "statement": "W_down[:, S] W_up[S, :] = −I for some set S of units.",
        "hypotheses": ["d ≥ 2", "N ≥ d"],
        "method": "All sets S in integers.",
        "evidence": "exact",
        "cases": 50,
        "controls": [{"name": "+I in place of −I", "rejected": True}, {"name": "N < d", "rejected": True}],
        "verdict": "PROVED-ON-CASES",
        "found": "50 of 50 agree",
        "expected": "all 50",
        "seconds": 1.5,
        "seed": [0],
        "versions": {"python": "3.11.7", "commit": "abc"},
    } | changes


def a_table(name: str, **columns: list[Any]) -> pd.DataFrame:
    """Return a table with these columns; the others are filled with what their type and schema allow."""
    count = len(next(iter(columns.values())))
    plain: dict[str, Any] = {"string": "text", "integer": 1, "number": 0.5, "boolean": True}
    filled = {
        column.name: [None if column.nullable else (column.allowed or [plain[column.type]])[0]] * count
        for column in table_schema(name).columns
    }
    return validate_table(name, pd.DataFrame(filled | columns))


def proofs() -> pd.DataFrame:
    return a_table(
        "formal",
        number=[1, 2, 3],
        label=["thm:ungated", "prop:width", "ext:biases"],
        extent=["whole", "part", "whole"],
        status=["proved", "proved", "not run"],
    )


@pytest.fixture
def run() -> Run:
    claims = [
        a_claim(),
        a_claim("proposition_8_i", title="Proposition 8(i)", label="prop:width-i", verdict="REFUTED"),
        a_claim("x1b", title="X1b", label="ext:biases", verdict="UNKNOWN", statement=HOSTILE, found=HOSTILE),
        a_claim("d1", title="Remark D1", label="ext:d1", controls=[{"name": HOSTILE, "rejected": False}] * 2),
    ]
    caption = "**Which widths succeed.** Axes: m − N.\n\nn: 8.\n\nStatements: Theorem 4, X1b. Rule: ``fits``."
    place = {"rule": "fits", "rules_file": "workflow/rules/fits.smk", "caption": caption}
    return Run(
        tier="full",
        claims=claims,
        tables={"formal": proofs(), "checkpoint_margin": a_table("checkpoint_margin", model=[HOSTILE])},
        figures=[Exhibit("width_success", tables=("formal",), **place)],
        notebooks=[Exhibit("tour", **place)],
        table_exhibits=[Exhibit("formal", **place), Exhibit("checkpoint_margin", **place)],
        certificates=["checkpoint_0.json"],
    )
