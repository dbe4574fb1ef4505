"""Plain text with mathematics, as results hold it, as HTML: indices lowered, letters slanted."""

from __future__ import annotations

import re

from skip_absorption.site.markup import Html, element, join

_LETTER = "A-Za-zα-ωΑ-Ωℓ"
_RELATION = re.compile(r"(?<= [=≠<>≤≥∈]) (?=\S)")
_MATHS = re.compile(
    rf"""
    `+(?P<code>[^`]+)`+                                         # ``code``
    | \*\*(?P<strong>[^*]+)\*\*                                 # **strong**
    | (?P<base>(?:(?<![A-Za-zα-ω0-9_.])[A-ZΑ-Ω]|(?<![a-z0-9_.])[a-zα-ωℓ])'?)_
      (?P<index>[A-Za-z0-9]+)(?![A-Za-z0-9_(])                  # W_up, N'_i; not NOT_RUN, claim_x1
    | \^(?P<power>[A-Za-z0-9]+|\([^()]*\))                      # λ^k, 2^(−200)
    | (?<![{_LETTER}0-9_])(?P<star>k)\*                         # k*
    | (?!(?:(?<=[\s0-9]\()|(?<=\A\())\w\))                      # not the b of (b) or the i of 8(i)
      (?<![{_LETTER}0-9_'’.])(?P<count>[0-9]*)(?P<variable>[MQL]x|tx|cz|λz|λt|αt|dLN|dN|[b-zB-HJ-Zα-ωℓ]'?)
      (?![{_LETTER}0-9_*’]|'\w|\.\w)                            # x, 2x, Mx; not the words a, A and I
    """,
    re.VERBOSE,
)


def prose(text: str) -> Html:
    """Return the text as HTML, everything in it escaped.

    Examples
    --------
    >>> print(prose("W_down[:, S] and −λ^k I & so on"))
    <i>W</i><sub>down</sub>[:, <i>S</i>] and −<i>λ</i><sup><i>k</i></sup> I &amp; so on
    """
    text = _RELATION.sub("\u00a0", text)  # no line begins with the right side of an equation
    parts: list[str] = []
    end = 0
    for match in _MATHS.finditer(text):
        parts += [text[end : match.start()], _typeset(match)]
        end = match.end()
    return join([*parts, text[end:]])


def _typeset(match: re.Match[str]) -> Html:
    if match["code"]:
        return element("code", match["code"])
    if match["strong"]:
        return element("strong", prose(match["strong"]))
    if match["base"]:
        return join([element("i", match["base"]), element("sub", _script(match["index"]))])
    if match["power"]:
        return element("sup", _script(match["power"].strip("()")))
    if match["star"]:
        return join([element("i", match["star"]), element("sup", "*")])
    return join([match["count"], element("i", match["variable"])])


def _script(text: str) -> Html | str:
    """Slant an index or exponent that is one letter; leave a word such as ``up`` upright."""
    return element("i", text) if len(text) == 1 and text.isalpha() else text


def paragraphs(text: str) -> Html:
    """Return text whose paragraphs are set apart by blank lines as ``<p>`` elements."""
    blocks = (" ".join(block.split()) for block in re.split(r"\n\s*\n", text.strip()))
    return join(element("p", prose(block)) for block in blocks if block)
