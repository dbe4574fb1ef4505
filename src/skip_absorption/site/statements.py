r"""Statements as the paper gives them: its LaTeX as HTML, formulas as MathML, which browsers show unaided.

What is read is the small language of the paper's statements. A statement with anything else in it is left
out (a test says which), since half a statement would be a false one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from skip_absorption.site.markup import Html, element, join, link

_COMMENT = re.compile(r"(?<!\\)%.*\n?")
_STATEMENT = re.compile(
    r"\\begin\{(theorem|proposition|corollary|lemma|our[a-z]+|discussed)\}(?:\[[^\]]*\])?(.*?)\\end\{\1\}",
    re.DOTALL,
)
_LIST = re.compile(r"\\begin\{(enumerate|itemize)\}(?:\[[^\]]*\])?(.*?)\\end\{\1\}", re.DOTALL)
_EQUATION = re.compile(r"\\begin\{equation(\*?)\}(.*?)\\end\{equation\1\}", re.DOTALL)
_MATHS = re.compile(
    r"\\begin\{equation(\*?)\}(?P<numbered>.*?)\\end\{equation\1\}|\\\[(?P<shown>.*?)\\\]|\$(?P<inline>[^$]*)\$",
    re.DOTALL,
)
_SILENT = re.compile(r"\\(?:label|crefalias|vspace)\{[^}]*\}(?:\{[^}]*\})?|\\Badge[A-Za-z]+|\\lowerbadge\b")
_WORDS = re.compile(
    r"\\emph\{(?P<emph>[^{}]*)\}|\\[Cc]ref\{(?P<ref>[^}]*)\}|(?P<command>\\[A-Za-z]+|\\.)|(?P<quote>``|'')|(?P<tie>~)"
    r"|(?P<brace>[{}&])"
)
_MACRO = re.compile(r"\\newcommand\{\\([A-Za-z]+)\}(?:\[(\d)\])?\{(.*)\}\s*(?:%.*)?$", re.MULTILINE)
_OPERATOR = re.compile(r"\\DeclareMathOperator\{\\([A-Za-z]+)\}\{([A-Za-z]+)\}")
_KINDS = {"sec": "a section", "fig": "a figure", "tab": "a table", "eq": "an equation"}


class Untranslated(ValueError):
    """A piece of LaTeX that is not read here."""


def paper_statements(paper: Path, claims: Iterable[Mapping[str, Any]]) -> dict[str, Html]:
    """Return the claims' statements as HTML by the claim's id, those that could be translated.

    Parameters
    ----------
    paper
        The folder with ``main.tex``, ``preamble.tex`` and ``sections``.
    claims
        Their ids, their labels in the paper and their titles.
    """
    labels = {claim["label"]: (claim["id"], claim["title"]) for claim in claims}
    reader = _Paper(paper, labels)
    found = {}
    for label, (id_, _) in labels.items():
        try:
            found[id_] = reader.statement(label)
        except Untranslated:
            continue
    return found


class _Paper:
    """The paper's sections in order, its macros, and the numbers of its equations."""

    def __init__(self, folder: Path, titles: Mapping[str, tuple[str, str]]) -> None:
        main, preamble = (
            (folder / name).read_text(encoding="utf-8") for name in ("main.tex", "preamble.tex")
        )
        names = re.findall(r"^\\input\{(sections/[^}]+)\}", main, re.MULTILINE)
        texts = ((folder / f"{name}.tex").read_text(encoding="utf-8") for name in names)
        self.text = "\n".join(_COMMENT.sub("", text) for text in texts)
        self.titles = titles
        self.macros = {
            name: (int(count or 0), body)
            for name, count, body in _MACRO.findall(preamble[preamble.index("% --- Notation") :])
        }
        self.macros |= {name: (0, rf"\operatorname{{{word}}}") for name, word in _OPERATOR.findall(preamble)}
        self.equations: dict[str, tuple[str, str]] = {}
        number = 0
        for star, body in _EQUATION.findall(self.text):
            number += not star
            tag = re.search(r"\\tag\{([^}]*)\}", body)
            label = re.search(r"\\label\{([^}]*)\}", body)
            if label:
                self.equations[label[1]] = (tag[1] if tag else str(number), body)

    def statement(self, label: str) -> Html:
        """Return a labelled statement, followed by the equations from elsewhere that it refers to."""
        body = self._body(label)
        shown = [self._translate(body)]
        elsewhere = dict.fromkeys(re.findall(r"\\[Cc]ref\{(eq:[^}]*)\}", body))
        for name in elsewhere:
            if name not in self.equations:
                raise Untranslated(name)
            number, equation = self.equations[name]
            if f"\\label{{{name}}}" not in body:
                formula = _mathml(self._expand(_formula(equation)), display=True)
                shown.append(element("p", f"Here ({number}) is", formula))
        return element("div", *shown, class_="formal-statement")

    def _body(self, label: str) -> str:
        for match in _STATEMENT.finditer(self.text):
            body = match[2]
            if f"\\label{{{label}}}" not in body:
                continue
            for inner in _LIST.finditer(body):
                items = [item for item in inner[2].split("\\item") if f"\\label{{{label}}}" in item]
                if items:
                    return body[: inner.start()] + items[0] + body[inner.end() :]
            return body
        raise Untranslated(label)

    def _translate(self, text: str) -> Html:
        parts: list[Html] = []
        end = 0
        for match in _LIST.finditer(text):
            parts.append(self._prose(text[end : match.start()]))
            items = [self._prose(re.sub(r"^\[[^\]]*\]", "", item)) for item in match[2].split("\\item")[1:]]
            parts.append(element("ol", *(element("li", item) for item in items), type="a"))
            end = match.end()
        return element("div", join([*parts, self._prose(text[end:])]))

    def _prose(self, text: str) -> Html:
        text = _SILENT.sub("", text) if "\\begin{equation" not in text else text
        parts: list[str] = []
        end = 0
        for match in _MATHS.finditer(text):
            parts.append(self._words(text[end : match.start()]))
            inline = match["inline"]
            body = inline if inline is not None else match["numbered"] or match["shown"] or ""
            formula = _mathml(self._expand(_formula(body)), display=inline is None)
            label = re.search(r"\\label\{([^}]*)\}", body)
            number = self.equations[label[1]][0] if label and label[1] in self.equations else None
            if number:
                parts.append(element("span", f"({number})", class_="equation-number"))
            parts.append(formula)
            end = match.end()
        return join([*parts, self._words(text[end:])])

    def _words(self, text: str) -> Html:
        text = re.sub(r"\s+", " ", _SILENT.sub("", text)).replace("---", "—").replace("--", "–")
        parts: list[str] = []
        end = 0
        for match in _WORDS.finditer(text):
            parts += [text[end : match.start()], self._word(match)]
            end = match.end()
        return join([*parts, text[end:]])

    def _word(self, match: re.Match[str]) -> str:
        if match["emph"] is not None:
            return element("em", self._words(match["emph"]))
        if match["ref"]:
            return join((self._reference(label) for label in match["ref"].split(",")), " and ")
        if match["quote"]:
            return "“" if match["quote"] == "``" else "”"
        if match["tie"] or match["command"] in ("\\ ", "\\,"):
            return "\u00a0"
        raise Untranslated(match[0])

    def _reference(self, label: str) -> Html | str:
        if label in self.titles:
            id_, title = self.titles[label]
            return link(title, f"#{id_}")
        if label in self.equations:
            return f"({self.equations[label][0]})"
        parts = [title for known, (_, title) in self.titles.items() if known.startswith(f"{label}-")]
        if parts:
            return parts[0].partition("(")[0]
        kind = label.partition(":")[0]
        return f"{_KINDS.get(kind, 'a result')} of the paper"

    def _expand(self, tex: str) -> str:
        for _ in range(20):
            before = tex
            for name, (count, body) in self.macros.items():
                arguments = r"\{([^{}]*)\}" * count
                tex = re.sub(rf"\\{name}(?![A-Za-z]){arguments}", partial(_fill, body), tex)
            if tex == before:
                return tex
        raise Untranslated(tex)


def _fill(body: str, match: re.Match[str]) -> str:
    return re.sub(r"#(\d)", lambda number: match[int(number[1])], body)


def _formula(tex: str) -> str:
    return re.sub(r"\\(?:label|tag)\{[^}]*\}", "", tex)


def _mathml(tex: str, *, display: bool) -> Html:
    r"""Return a formula as MathML.

    Raises
    ------
    Untranslated
        If a command of it is not known, so that it would show as text.

    Examples
    --------
    >>> print(_mathml("a_i", display=False).partition("<mrow>")[2])
    <msub><mi>a</mi><mi>i</mi></msub></mrow></math>
    """
    from latex2mathml.converter import convert

    plain = re.sub(r"\\mathrm\{([A-Za-z]{2,})\}", r"\\text{\1}", tex).replace(r"\mathclose{}", "")
    try:
        mathml = convert(" ".join(plain.split()), display="block" if display else "inline")
        ElementTree.fromstring(mathml)  # noqa: S314  # made a line above, from the paper's own source
    except Exception as error:
        raise Untranslated(tex) from error
    if "\\" in mathml:
        raise Untranslated(tex)
    return Html(mathml)
