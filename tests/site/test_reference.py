"""The reference says what the schemas say, and every module is documented."""

import ast
from pathlib import Path

import skip_absorption
from skip_absorption.results.schema import TABLES
from skip_absorption.results.store import claim_schema
from skip_absorption.site.reference import reference

from .conftest import Reader

PACKAGE = Path(skip_absorption.__file__).parent


def test_every_table_with_every_column() -> None:
    html = reference()
    for table in TABLES.values():
        section = html[html.index(f'<section id="{table.name}"') :]
        text = Reader(section[: section.index("</section>")]).text
        assert all(column.name in text for column in table.columns), table.name
    assert html == reference()


def test_every_key_of_a_claim_has_a_meaning() -> None:
    html = reference()
    section = html[html.index('<section id="claim"') :]
    rows = section[: section.index("</section>")].split("<tr>")[2:]
    assert len(rows) == len(claim_schema()["properties"])
    assert not [row for row in rows if "<td></td>" in row]


def test_every_module_is_documented() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path
