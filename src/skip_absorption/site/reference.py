"""The reference of files and schemas, written from the schemas themselves so that it cannot drift."""

from __future__ import annotations

from typing import Any

from skip_absorption.results.columns import Column, Table
from skip_absorption.results.schema import TABLES
from skip_absorption.results.store import claim_schema
from skip_absorption.site.markup import Content, Html, element, join, link
from skip_absorption.site.page import document
from skip_absorption.site.prose import prose
from skip_absorption.site.tables import table

FILES = (
    ("results/claims/<id>.json", "the outcome of a statement's check; its keys are below"),
    ("results/certificates/*.json", "proofs of decisions, to be checked again: docs/certificates.md"),
    ("results/tables/<name>.csv", "a stored table, UTF-8, one header line, sorted by its key"),
    ("results/tables/<name>.parquet", "the same, typed, units and meanings as metadata of the columns"),
    ("results/raw/<experiment>/*.csv", "the part of a table that one job made, with the same columns"),
    ("figures/<name>.pdf, .png", "a figure, drawn from tables alone"),
    ("paper/generated/*.tex", "numbers, badges and tables as the paper loads them"),
    ("paper/main.pdf", "the paper"),
    ("results/notebooks/<name>.ipynb, .html", "a notebook as executed in this run"),
    ("results/site/index.html", "all results on one page for the browser"),
    ("results/verdicts.ok", "there is such a file only if every statement has passed"),
    ("logs/<rule>…, benchmarks/<rule>…", "what a job said; its time and memory"),
)


def reference() -> str:
    """Return the page: files, the keys of a claim's result, and the columns of every stored table."""
    contents = [("files", "Files"), ("claim", "A claim's result"), *((name, name) for name in sorted(TABLES))]
    return document(
        "Skip Absorption: files and schemas",
        [
            element(
                "header",
                element("h1", "Files and schemas"),
                element(
                    "p",
                    "Written from the schemas that every file is checked against when it is written and "
                    "read. A smoke run puts the same files under smoke/.",
                    class_="lead",
                ),
            ),
            element(
                "nav",
                element("ul", *(element("li", link(title, f"#{id_}")) for id_, title in contents)),
                aria_label="Contents",
            ),
            element(
                "main",
                _section("files", "Files", _files()),
                _section("claim", "A claim's result", _claim(claim_schema())),
                *(_section(name, name, _columns(TABLES[name])) for name in sorted(TABLES)),
                id="main",
            ),
        ],
    )


def _section(id_: str, title: str, body: Content) -> Html:
    return element(
        "section", element("h2", title, id=f"{id_}-title"), body, id=id_, aria_labelledby=f"{id_}-title"
    )


def _files() -> Html:
    rows = [(element("code", name), prose(meaning)) for name, meaning in FILES]
    return table("What a run writes", ["file", "what it holds"], rows)


def _claim(schema: dict[str, Any]) -> Html:
    required = set(schema["required"])
    rows = [
        (
            element("code", key),
            _kind(value),
            "yes" if key in required else "no",
            prose(value.get("description", "")),
        )
        for key, value in schema["properties"].items()
    ]
    return table(schema["title"], ["key", "type", "required", "meaning"], rows)


def _kind(value: dict[str, Any]) -> str:
    if "enum" in value:
        return "one of " + ", ".join(map(str, value["enum"]))
    kind = value["type"]
    if kind == "array":
        return f"list of {_kind(value['items'])}"
    if kind == "object" and "properties" in value:
        inner = ", ".join(f"{key} ({_kind(item)})" for key, item in value["properties"].items())
        return f"object with {inner}"
    if kind == "object":
        return f"object whose values are {_kind(value['additionalProperties'])}s"
    return kind if isinstance(kind, str) else " or ".join(kind)


def _columns(schema: Table) -> Html:
    rows = [
        (
            element("code", column.name),
            _type(column),
            column.unit,
            join([prose(column.meaning), _notes(column)]),
        )
        for column in schema.columns
    ]
    return table(schema.meaning, ["column", "type", "unit", "meaning"], rows)


def _type(column: Column) -> str:
    return "one of " + ", ".join(column.allowed) if column.allowed else column.type


def _notes(column: Column) -> str:
    notes = [word for word, holds in (("key", column.key), ("may be empty", column.nullable)) if holds]
    return f" ({', '.join(notes)})" if notes else ""
