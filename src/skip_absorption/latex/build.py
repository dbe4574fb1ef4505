"""Compile the paper in a scratch directory, refuse a flawed PDF, and move a good one into place.

The build works on copies, so the places of the sources and of the results may have any name (spaces and
quotes included), several builds may run at once, and a killed build leaves nothing behind in the work tree.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from skip_absorption.errors import SkipAbsorptionError
from skip_absorption.results.store import atomic_path, write_text

OVERFULL_LIMIT = 5.0
"""The widest overfull box that is tolerated, in TeX points."""

_FIXED_DATE = "1767225600"  # the first second of 2026: used where the environment sets no SOURCE_DATE_EPOCH

_LATEXMK = [
    "latexmk", "-norc", "-r", "latexmkrc", "-pdf",
    "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "main.tex",
]  # fmt: skip

_COMPLAINTS = {
    r"LaTeX Warning: (?:Hyper r|R)eference `(?P<what>[^']*)'.* undefined": "undefined reference {what}",
    r"Package natbib Warning: Citation `(?P<what>[^']*)'.* undefined": "undefined citation {what}",
    r"LaTeX Warning: Citation `(?P<what>[^']*)'.* undefined": "undefined citation {what}",
    r"LaTeX Warning: Label `(?P<what>[^']*)' multiply defined": "multiply defined label {what}",
    r"pdfTeX warning.*destination with the same identifier \((?:name\{)?(?P<what>[^})]*)": (
        "link target {what} defined twice"
    ),
    r"pdfTeX warning.*name\{(?P<what>[^}]*)\} has been referenced but does not exist": (
        "link to {what}, which does not exist"
    ),
}
_OVERFULL = re.compile(r"Overfull \\[hv]box \((?P<points>[0-9.]+)pt too (?:wide|high)\)(?P<where>.*)")
_OPENED = re.compile(r"\((?:\./)?(?P<file>[\w/.-]+\.(?:tex|bbl))")


class FlawedPaper(SkipAbsorptionError):
    """The paper did not compile, or compiled with flaws that a reader would see."""


def build_pdf(sources: Path, generated: Path, figures: Path, output: Path, log: Path) -> None:
    """Compile ``main.tex`` and put the PDF at `output` only if it has no flaw.

    Parameters
    ----------
    sources
        Directory with ``main.tex``, ``sections/*.tex``, ``references.bib`` and ``latexmkrc``.
    generated
        Directory with the generated ``*.tex``, as written by `skip_absorption.latex.generate`.
    figures
        Directory with the figures as ``*.pdf``.
    output, log
        Where the PDF and TeX's log go. The log is written whether or not the build succeeds.

    Raises
    ------
    FlawedPaper
        One line that names the first error, or every undefined reference or citation, label defined twice,
        broken link and box more than `OVERFULL_LIMIT` too large.

    Notes
    -----
    Two builds from the same inputs give the same bytes: dates come from ``SOURCE_DATE_EPOCH``.
    """
    with tempfile.TemporaryDirectory(prefix="paper-") as scratch:
        paper = _stage(sources, generated, figures, Path(scratch))
        failed = _run_latexmk(paper)
        text = _read_log(paper / "main.log")
        write_text(log, text or failed)
        flaws = [_first_error(text) or failed] if failed else find_flaws(text)
        if flaws:
            raise FlawedPaper(f"paper: {'; '.join(flaws)} (TeX's log: {log})")
        with atomic_path(output) as partial:
            shutil.copy(paper / "main.pdf", partial)


def find_flaws(log: str) -> list[str]:
    r"""Return what is wrong with a paper that compiled, one phrase a flaw, read off TeX's log.

    Examples
    --------
    >>> find_flaws("(./sections/width.tex\nOverfull \\hbox (7.5pt too wide) in paragraph at lines 3--9\n")
    ['overfull box by 7.5pt in paragraph at lines 3--9 of sections/width.tex']
    """
    flaws: list[str] = []
    opened = "main.tex"
    for line in log.splitlines():
        for match in _OPENED.finditer(line):
            opened = match["file"]
        for pattern, phrase in _COMPLAINTS.items():
            if complaint := re.search(pattern, line):
                flaws.append(phrase.format(what=complaint["what"]))
        if (box := _OVERFULL.search(line)) and float(box["points"]) > OVERFULL_LIMIT:
            flaws.append(f"overfull box by {box['points']}pt {box['where'].strip()} of {opened}")
    return list(dict.fromkeys(flaws))


def _stage(sources: Path, generated: Path, figures: Path, scratch: Path) -> Path:
    paper = scratch / "paper"
    (paper / "sections").mkdir(parents=True)
    for name in ("main.tex", "preamble.tex", "references.bib", "latexmkrc"):
        shutil.copy(sources / name, paper / name)
    for section in sorted((sources / "sections").glob("*.tex")):
        shutil.copy(section, paper / "sections")
    shutil.copytree(generated, paper / "generated")
    (scratch / "figures").mkdir()
    for figure in sorted(figures.glob("*.pdf")):
        shutil.copy(figure, scratch / "figures")
    return paper


def _run_latexmk(paper: Path) -> str:
    """Run latexmk; return "" or one line that says how it failed."""
    environment = {
        "SOURCE_DATE_EPOCH": _FIXED_DATE,
        **os.environ,
        "FORCE_SOURCE_DATE": "1",
        "TZ": "UTC",
        "max_print_line": "10000",  # one message a line in the log
    }
    try:
        done = subprocess.run(
            _LATEXMK,
            cwd=paper,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        return "latexmk is not installed: run ./reproduce, which installs TeX"
    if done.returncode == 0:
        return ""
    lines = (done.stdout + done.stderr).strip().splitlines()
    return f"latexmk failed: {lines[-1] if lines else 'no output'}"


def _read_log(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _first_error(log: str) -> str:
    r"""Return ``file:line: message``, with the offending macro where TeX names it on the next line."""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        if match := re.match(r"(?:\./|! )?((?:[\w/.-]+:\d+:|LaTeX Error:) .*)", line):
            told = next((s for s in lines[number + 1 : number + 4] if re.match(r"l\.\d+ ", s)), "")
            macro = re.findall(r"\\[A-Za-z@]+", told)
            return match[1] + (f" {macro[-1]}" if "Undefined control sequence" in line and macro else "")
    return ""
