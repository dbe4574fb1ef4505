"""Links that lead nowhere are found, in HTML and in Markdown; those of the sources all lead somewhere."""

from pathlib import Path

import pytest

from skip_absorption.site.links import broken_links

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / name / "README.md" for name in ("config", "formal"))]
PAGES += (ROOT / "docs").glob("*.md")


def test_broken_links_of_a_page(tmp_path: Path) -> None:
    (tmp_path / "b c.html").write_text('<p id="here"></p>', encoding="utf-8")
    page = tmp_path / "a.html"
    links = ["b%20c.html#here", "b%20c.html#there", "#top", "#x", "https://example.org/", "data:,", "no.png"]
    html = "".join(f'<a href="{link}" id="x">{link}</a>' for link in links)
    page.write_text(f'{html}<img src="picture.png">', encoding="utf-8")
    assert broken_links(page) == ["b%20c.html#there", "#top", "no.png", "picture.png"]


def test_broken_links_of_markdown(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("[a](a.md) [b](no.md#x) `f`[c](no(2).md)\n```\n[d](code.md)\n```\n", encoding="utf-8")
    assert broken_links(page) == ["no.md#x", "no(2).md"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_of_the_documentation_leads_somewhere(path: Path) -> None:
    assert broken_links(path) == []


def test_every_guide_is_listed() -> None:
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert all(f"({path.name})" in text for path in (ROOT / "docs").iterdir() if path.name != "README.md")
