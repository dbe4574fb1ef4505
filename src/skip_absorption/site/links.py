"""Links of HTML and Markdown files: those that lead nowhere, without asking the network."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_MARKDOWN = re.compile(r"\[[^\]]*\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


class _Anchors(HTMLParser):
    """Collects where links lead and what they can lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.names |= {given[key] for key in ("id", "name") if key in given}
        self.links += [given[key] for key in ("href", "src") if key in given]


def broken_links(path: Path) -> list[str]:
    """Return the relative links of an HTML or Markdown file whose file or anchor is missing.

    Parameters
    ----------
    path
        The file; ``.md`` is read as Markdown, anything else as HTML. Links with a scheme are not followed.
        Anchors are looked for in HTML only.
    """
    links, _ = _read(path.resolve())
    return [link for link in dict.fromkeys(links) if _is_broken(path.resolve(), link)]


def _is_broken(path: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.exists():
        return True
    if not parts.fragment or target.suffix not in (".html", ".htm"):
        return False
    return unquote(parts.fragment) not in _read(target)[1]


def _read(path: Path) -> tuple[list[str], set[str]]:
    """Return the links of a file and the names of its anchors."""
    return _read_version(path, path.stat().st_mtime_ns)


@cache
def _read_version(path: Path, _: int) -> tuple[list[str], set[str]]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return _MARKDOWN.findall(_FENCED.sub("", text)), set()
    anchors = _Anchors()
    anchors.feed(text)
    return anchors.links, anchors.names
