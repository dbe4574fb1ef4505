from pathlib import Path

import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.latex.document import generate

FILES = [
    "absorbed",
    "architectures",
    "audit",
    "badges",
    "cost",
    "depth_analytic",
    "depth_relu",
    "families",
    "formal",
    "measures",
    "numbers",
    "tier",
    "verdicts",
    "widths",
]


def test_all_files_are_written_twice_the_same(tmp_path: Path, claims, results) -> None:
    for _ in range(2):
        generate(claims, results, "full", tmp_path / "one")
    generate(claims, results, "full", tmp_path / "two")
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [f"{name}.tex" for name in FILES]
    for name in FILES:
        one, two = (tmp_path / folder / f"{name}.tex" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_the_macros_returned_are_those_defined(tmp_path: Path, claims, results) -> None:
    macros = generate(claims, results, "smoke", tmp_path)
    text = "".join((tmp_path / name).read_text() for name in ("tier.tex", "numbers.tex", "badges.tex"))
    for name in macros:
        assert f"{{\\{name}}}" in text or f"\\newif\\{name} " in text
    assert "\\ResSmoketrue" in text
    assert "{\\ResRepository}{../..}" in text


def test_another_tier_is_refused(tmp_path: Path, claims, results) -> None:
    with pytest.raises(InvalidInput, match='tier must be "full", "smoke" or "large"; got tiny'):
        generate(claims, results, "tiny", tmp_path)


def test_a_missing_table_is_named(tmp_path: Path, claims, results) -> None:
    del results["width_threshold"]
    with pytest.raises(InvalidInput, match="results must contain the table width_threshold"):
        generate(claims, results, "full", tmp_path)
    assert not list(tmp_path.iterdir())
