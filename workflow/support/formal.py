"""The sources of the machine-checked proofs: that nothing in them is assumed, and what their ledger lists."""

import csv
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from skip_absorption.results.schema import NOT_RUN
from support.coq import Unproved, compile_all, examine

ASSUMED = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Conjectures?|Parameters?|Primitive|bypass_check|Declare\s+ML\s+Module"
    r"|Unset\s+(?:Guard|Positivity|Universe)\s+Checking)\b"
)
LOCAL = re.compile(r"\b(?:Variables?|Hypothes[ie]s|Context)\b")
DECLARED = re.compile(
    r"^\s*(?:Theorem|Lemma|Corollary|Example|Fact|Proposition|Remark)\s+([\w']+)", re.MULTILINE
)
HEADLINE = re.compile(r"^\s*Theorem\s+([\w']+)", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """A line of the ledger.

    Attributes
    ----------
    statement, label
        How the paper calls the statement, and its label there ("" if it has none).
    theorem, file
        The theorem that proves it, and where.
    instance
        An example that satisfies the theorem's hypotheses, "-" if it has none.
    extent
        "part" if the theorems with this label together do not say all that the statement says, else "whole".
    covers
        What the theorem is about, in a few words.
    """

    statement: str
    label: str
    theorem: str
    file: str
    instance: str
    extent: str
    covers: str


def read_ledger(folder: Path) -> list[Entry]:
    """Return the lines of `ledger.csv`."""
    with (folder / "ledger.csv").open(encoding="utf-8", newline="") as file:
        return [Entry(**line) for line in csv.DictReader(file)]


def without_comments(text: str) -> str:
    """Return Coq text with comments, which nest, and strings blanked; line breaks stay.

    Examples
    --------
    >>> without_comments('a (* b (* c *) d *) e')
    'a                   e'
    """
    out, depth = list[str](), 0
    for part in re.split(r'(\(\*|\*\)|"[^"]*")', text):
        if part == "(*":
            depth += 1
        blank = depth > 0 or part.startswith('"')
        out.append(re.sub(r"[^\n]", " ", part) if blank else part)
        if part == "*)":
            depth -= 1
    return "".join(out)


def complaints(folder: Path) -> Iterator[str]:
    """Yield what is wrong with the sources, before any compiler sees them."""
    sources = {path.name: without_comments(path.read_text(encoding="utf-8")) for path in folder.glob("*.v")}
    listed = set((folder / "_CoqProject").read_text(encoding="utf-8").split())
    for name in sorted(sources.keys() - listed):
        yield f"{name} is not in _CoqProject"
    entries = read_ledger(folder)
    everywhere = {found for text in sources.values() for found in DECLARED.findall(text)}
    known = {(entry.file, entry.theorem) for entry in entries}
    for entry in entries:
        if entry.theorem not in DECLARED.findall(sources.get(entry.file, "")):
            yield f"ledger.csv: {entry.file} does not state {entry.theorem}"
        if entry.instance != "-" and entry.instance not in everywhere:
            yield f"ledger.csv: no file states {entry.instance}, the instance for {entry.theorem}"
    for name, text in sorted(sources.items()):
        yield from (f"{name}:{line}: {what}" for line, what in _assumptions(text))
        for theorem in HEADLINE.findall(text):
            if (name, theorem) not in known:
                yield f"{name}: theorem {theorem} is not in ledger.csv"


def _assumptions(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and word of everything that assumes instead of proving."""
    sections = 0
    for number, line in enumerate(text.splitlines(), start=1):
        for match in ASSUMED.finditer(line):
            yield number, " ".join(match[0].split())
        for match in re.finditer(rf"\b(?:Section|End)\b|{LOCAL.pattern}", line):
            if match[0] in ("Section", "End"):
                sections += 1 if match[0] == "Section" else -1
            elif sections <= 0:
                yield number, f"{match[0]} outside a section"


def _places(folder: Path, entries: list[Entry]) -> dict[str, str]:
    """Return the file, without suffix, of each theorem and instance of the ledger."""
    wanted = {entry.instance for entry in entries} - {"-"}
    instances = {
        found: path.stem
        for path in sorted(folder.glob("*.v"))
        for found in DECLARED.findall(without_comments(path.read_text(encoding="utf-8")))
        if found in wanted
    }
    return {entry.theorem: Path(entry.file).stem for entry in entries} | instances


def rows(folder: Path, cache: Path, *, jobs: int, version: str) -> list[dict[str, object]]:
    """Return the table `formal`: compiled and audited with this version of Coq, or only listed if it is "".

    Raises
    ------
    Unproved
        If something is wrong with the sources, or Coq rejects them.
    """
    if found := list(complaints(folder)):
        raise Unproved(f"formal: {'; '.join(found)}")
    entries = read_ledger(folder)
    table = [
        {"number": number} | asdict(entry) | {"lines": _lines(folder / entry.file)}
        for number, entry in enumerate(entries, start=1)
    ]
    if not version:
        return [
            line | {"seconds": None, "axioms": None, "rechecked": None, "status": NOT_RUN} for line in table
        ]
    seconds = compile_all(folder, cache, jobs=jobs, version=version)
    used, rechecked = examine(_places(folder, entries), folder, cache, jobs=jobs)
    return [
        line
        | {
            "seconds": round(seconds[entry.file], 1),
            "axioms": ", ".join(used[entry.theorem]) or "none",
            "rechecked": Path(entry.file).stem in rechecked,
            "status": "proved",
        }
        for entry, line in zip(entries, table, strict=True)
    ]


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())
