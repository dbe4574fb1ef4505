"""Stored tables as HTML: headings with units, row headings from the key, a box that scrolls sideways."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from skip_absorption.results.columns import Column
from skip_absorption.results.schema import table_schema
from skip_absorption.site.markup import Content, Html, element, join
from skip_absorption.site.prose import prose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

LONGEST = 120
"""Tables with more rows than this are linked, not shown."""
_LONG = 40  # a cell with more characters is given room for some words a line


def stored_table(name: str, frame: pd.DataFrame) -> Html:
    """Return a stored table, its columns named and explained by its schema."""
    schema = table_schema(name)
    if frame.empty:
        return element("p", prose(f"{schema.meaning}: no rows in this run."))
    keys = [number for number, column in enumerate(schema.columns) if column.key]
    row_heading = keys[0] if keys else 0
    rows = [
        [_cell(column, value) for column, value in zip(schema.columns, row, strict=True)]
        for row in frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None)
    ]
    return table(
        schema.meaning,
        [_heading(column) for column in schema.columns],
        rows,
        row_heading=row_heading,
        numeric={n for n, column in enumerate(schema.columns) if column.type in ("integer", "number")},
    )


def table(
    caption: str,
    header: Sequence[Content],
    rows: Iterable[Sequence[Content]],
    *,
    row_heading: int = 0,
    numeric: Iterable[int] = (),
) -> Html:
    """Return a table in a box that scrolls sideways and can be reached with the keyboard.

    Parameters
    ----------
    caption
        What the table shows; it also names the box for screen readers.
    header, rows
        The cells; texts are escaped.
    row_heading
        The column whose cells head their rows.
    numeric
        Columns aligned to the right.
    """
    right = frozenset(numeric)
    head = element(
        "tr", *(element("th", cell, scope="col", class_=_class(n, right)) for n, cell in enumerate(header))
    )
    body = [
        element(
            "tr",
            *(
                element("th", cell, scope="row", class_=_class(n, right))
                if n == row_heading
                else element("td", cell, class_=_class(n, right))
                for n, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    inner = element(
        "table", element("caption", prose(caption)), element("thead", head), element("tbody", *body)
    )
    return element("div", inner, class_="scroll", role="region", tabindex="0", aria_label=caption)


def _class(number: int, numeric: frozenset[int]) -> str | None:
    return "number" if number in numeric else None


def _heading(column: Column) -> Html:
    unit = f" ({column.unit})" if column.unit not in ("", "1") else ""
    return element("abbr", prose(column.name.replace("_", " ") + unit), title=column.meaning)


def _cell(column: Column, value: Any) -> Content:
    if value is None:
        return element("span", "–", class_="none")
    if column.type == "boolean":
        return "yes" if value else "no"
    if column.type == "integer":
        return f"{int(value):,}".replace(",", "\u202f") if abs(value) >= 10_000 else str(int(value))
    if column.type == "number":
        return f"{value:.3g}".replace("-", "−")
    if column.allowed:
        return str(value)
    text = str(value)
    return element("span", prose(text), class_="long") if len(text) > _LONG else prose(text)


def versions_table(claims: Iterable[dict[str, Any]]) -> Html:
    """Return what the claims were computed with; where they disagree, every version with its claims."""
    found = sorted({(part, version) for claim in claims for part, version in claim["versions"].items()})
    parts = groupby(found, lambda pair: pair[0])
    rows = [(part, element("code", ", ".join(version for _, version in pairs))) for part, pairs in parts]
    return table("What the statements were checked with", ["part", "version"], rows)


def definition_list(pairs: Iterable[tuple[str, Content]], **attributes: str) -> Html:
    """Return terms with what they mean; pairs without content are left out."""
    kept = ((term, content) for term, content in pairs if content)
    return element(
        "dl",
        join(element("div", element("dt", term), element("dd", content)) for term, content in kept),
        **attributes,
    )
