from pathlib import Path

import pytest

from skip_absorption.latex.build import FlawedPaper, build_pdf, find_flaws

MAIN = r"""\documentclass{article}
\usepackage{natbib,graphicx,hyperref}
\pdftrailerid{}\pdfsuppressptexinfo=-1
\graphicspath{{../figures/}}
\input{generated/values}
\begin{document}
\section{A}\label{sec:a} \ResValue. \input{sections/body}
\bibliographystyle{plainnat}\bibliography{references}
\end{document}
"""
BIBLIOGRAPHY = "@book{known, author={A. Author}, title={Title}, publisher={P}, year={2000}}\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = tmp_path / 'it\'s a "place"'
    (root / "paper" / "sections").mkdir(parents=True)
    (root / "paper" / "main.tex").write_text(MAIN)
    (root / "paper" / "preamble.tex").write_text("")
    (root / "paper" / "references.bib").write_text(BIBLIOGRAPHY)
    (root / "paper" / "latexmkrc").write_text("$pdf_mode = 1;\n")
    (root / "generated").mkdir()
    (root / "generated" / "values.tex").write_text(r"\newcommand{\ResValue}{42}")
    (root / "figures").mkdir()
    return root


def build(root: Path, body: str) -> Path:
    (root / "paper" / "sections" / "body.tex").write_text(body)
    output = root / "out" / "main.pdf"
    build_pdf(root / "paper", root / "generated", root / "figures", output, root / "logs" / "tex.log")
    return output


def test_a_good_paper_is_built_twice_to_the_same_bytes(place: Path, monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first = build(place, r"See \ref{sec:a} and \citet{known}.").read_bytes()
    second = build(place, r"See \ref{sec:a} and \citet{known}.").read_bytes()
    assert first.startswith(b"%PDF")
    assert first == second
    assert [path.name for path in (place / "out").iterdir()] == ["main.pdf"]
    assert "This is pdfTeX" in (place / "logs" / "tex.log").read_text()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (r"\ref{sec:missing}", "undefined reference sec:missing"),
        (r"\citet{nobody}", "undefined citation nobody"),
        (r"\label{sec:a}", "multiply defined label sec:a"),
        (r"\ResTypo", r"sections/body.tex:1: Undefined control sequence. \\ResTypo"),
        (r"\input{generated/absent}", "LaTeX Error: File `generated/absent.tex' not found"),
        (r"\noindent\hbox to 1.2\linewidth{\hfil}\par", "overfull box by .*sections/body.tex"),
    ],
)
@pytest.mark.case("a removed macro, reference or file fails the paper: never ??")
def test_a_flaw_is_named_in_one_line_and_leaves_no_pdf(place: Path, body: str, message: str) -> None:
    with pytest.raises(FlawedPaper, match=message) as caught:
        build(place, body)
    assert "\n" not in str(caught.value)
    assert not (place / "out" / "main.pdf").exists()
    assert (place / "logs" / "tex.log").stat().st_size > 0


@pytest.mark.case("a failed build of the paper followed by a good one")
def test_a_flawed_build_leaves_the_old_pdf_alone(place: Path) -> None:
    old = build(place, r"\citet{known}").read_bytes()
    with pytest.raises(FlawedPaper):
        build(place, r"\ref{sec:missing}")
    assert (place / "out" / "main.pdf").read_bytes() == old
    assert build(place, r"\citet{known}").read_bytes() == old


def test_without_latexmk_one_line_says_what_to_do(place: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(place))
    with pytest.raises(FlawedPaper, match=r"latexmk is not installed: run \./reproduce"):
        build(place, "x")


def test_small_overfull_boxes_are_tolerated() -> None:
    log = "Overfull \\hbox (4.9pt too wide) in paragraph at lines 1--2\n"
    assert find_flaws(log) == []
    assert find_flaws(log.replace("4.9", "5.1")) == [
        "overfull box by 5.1pt in paragraph at lines 1--2 of main.tex"
    ]


def test_a_repeated_complaint_is_told_once() -> None:
    line = "LaTeX Warning: Reference `x' on page 1 undefined on input line 3.\n"
    assert find_flaws(2 * line) == ["undefined reference x"]
