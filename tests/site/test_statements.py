"""The paper's statements as HTML: all of them, formulas as MathML, nothing half translated."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from skip_absorption.claims.ledger import CLAIMS
from skip_absorption.site.statements import paper_statements

from .conftest import Reader

ROOT = Path(__file__).resolve().parents[2]
MAIN = "\\begin{document}\n\\input{sections/one}\n"
PREAMBLE = r"""% --- Notation.
\newcommand{\R}{\mathbb{R}}
\newcommand{\up}{_{\mathrm{up}}}
\newcommand{\dyad}[2]{#1#2^T} % a column and a row
\DeclareMathOperator{\rank}{rank}
"""
ONE = r"""
\begin{equation*} u = v \end{equation*}
\begin{equation} x = y \label{eq:here} \end{equation}
\begin{equation} y = z \tag{3a} \label{eq:tagged} \end{equation}
\begin{theorem}[a title]
  \BadgeOne\label{thm:one}% not this
  If \emph{all} of~$W\up<1$ and \cref{eq:here} or \cref{eq:tagged}, then
  \begin{equation*}
    \rank \dyad{a}{b} \in \R
  \end{equation*}
  by \cref{prop:two} and \cref{sec:else}.
\end{theorem}
\begin{proposition}
  \label{prop:two}
  Let $d=1$.
  \begin{enumerate}[label=(\roman*)]
    \item\label{prop:two-i} One ``quoted'' case.
    \item\label{prop:two-ii} Another.
  \end{enumerate}
\end{proposition}
\begin{lemma}\label{lem:bad} A \strange command.\end{lemma}
\begin{lemma}\label{lem:worse} A formula $\strange x$.\end{lemma}
"""


def claims(*labels: str) -> list[dict[str, str]]:
    return [{"id": label[-3:], "label": label, "title": f"T {label}"} for label in labels]


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    (tmp_path / "sections").mkdir()
    for name, text in (("main.tex", MAIN), ("preamble.tex", PREAMBLE), ("sections/one.tex", ONE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_every_statement_of_the_paper_is_translated() -> None:
    ledger = [{"id": c.id, "label": c.label, "title": c.title} for c in CLAIMS.values()]
    found = paper_statements(ROOT / "paper", ledger)
    assert sorted(found) == sorted(CLAIMS)
    for id_, html in found.items():
        assert ElementTree.fromstring(html.replace("&nbsp;", " ")) is not None
        assert "\\" not in html, id_
        assert "$" not in html, id_


def test_words_formulas_and_references(paper: Path) -> None:
    html = paper_statements(paper, claims("thm:one", "prop:two-i"))["one"]
    text = Reader(html).text
    assert "<em>all</em>" in html
    assert html.count('display="block"') == 3  # its own and the equations that it refers to
    assert 'xmlns="http://www.w3.org/1998/Math/MathML"' in html
    assert "Badge" not in html
    assert "not this" not in html
    assert "a title" not in text
    assert "(1)" in text
    assert "(3a)" in text
    assert "T prop:two" not in text.replace("T prop:two-i", "")
    assert "a section of the paper" in text
    assert "&#x0003C;" in html


def test_one_item_comes_with_what_stands_before_the_list(paper: Path) -> None:
    found = paper_statements(paper, claims("prop:two-i", "prop:two-ii"))
    first, second = (Reader(html).text for html in found.values())
    assert "One “quoted” case." in first
    assert "Another" not in first
    assert "Another." in second
    assert all("Let" in text for text in (first, second))


def test_what_is_not_understood_is_left_out(paper: Path) -> None:
    assert paper_statements(paper, claims("lem:bad", "lem:worse", "lem:none")) == {}
