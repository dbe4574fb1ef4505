"""What the notebooks are and what they read, from their sources: a new file in notebooks/ needs no rule."""

import re
from pathlib import Path

STATEMENTS = re.compile(r"^# Statements: ([^.]+)\.", re.MULTILINE)


def notebooks(folder: Path) -> dict[str, dict[str, str | list[str]]]:
    """Describe the notebooks of a folder by name, in the order of their titles.

    Returns
    -------
    dict
        For each one its ``title``, its ``summary`` (the first paragraph), the ``statements`` that it bears
        on, and the ``tables``, ``files`` below results and ``downloads`` that it reads.
    """
    found = {path.stem: _described(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")}
    return dict(sorted(found.items(), key=lambda item: item[1]["title"]))


def _described(text: str) -> dict[str, str | list[str]]:
    opening = text.partition("# %% [markdown]\n")[2].partition("\n\n")[0]
    title, summary, *_ = re.split(r"^#$\n", opening, flags=re.MULTILINE)
    statements = STATEMENTS.search(opening)
    return {
        "title": _unprefixed(title).removeprefix("# "),
        "summary": _unprefixed(summary),
        "statements": statements[1] if statements else "",
        "tables": _named("stored_table", text),
        "files": _named("stored_file", text),
        "downloads": _named("downloaded", text),
    }


def _unprefixed(comment: str) -> str:
    return " ".join(line.removeprefix("# ") for line in comment.splitlines())


def _named(function: str, text: str) -> list[str]:
    return sorted(set(re.findall(rf'\b{function}\("([^"]+)"\)', text)))


def caption(name: str, notebook: dict[str, str | list[str]]) -> str:
    """Return the caption of a notebook for the page, in the form of those of figures."""
    return (
        f"**{notebook['title']}.** {notebook['summary']}\n\n"
        f"Source: notebooks/{name}.py, executed in this run. Statements: {notebook['statements']}. "
        "Rule: ``notebook``."
    )
