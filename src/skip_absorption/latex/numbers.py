r"""How values look in the paper: rounding, digit grouping, and plain text made safe for LaTeX."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    import pandas as pd

NOT_RUN = r"\notrun{}"
"""What stands in the paper where a value is missing because its step did not run."""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    "\n": " ",
    "\t": " ",
    "\u00a0": "~",
    "–": "--",  # en dash
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "·": r"\ensuremath{\cdot}",
}

_MATHS = {
    "−": "-",
    "±": r"\pm",
    "×": r"\times",
    "⊗": r"\otimes",
    "⊙": r"\odot",
    "∘": r"\circ",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≡": r"\equiv",
    "≢": r"\not\equiv",
    "≈": r"\approx",
    "∈": r"\in",
    "∉": r"\notin",
    "⊆": r"\subseteq",
    "∖": r"\setminus",
    "∪": r"\cup",
    "∩": r"\cap",
    "∅": r"\varnothing",
    "∀": r"\forall",
    "∃": r"\exists",
    "Σ": r"\Sigma",
    "∑": r"\sum",
    "Π": r"\Pi",
    "Λ": r"\Lambda",
    "Θ": r"\Theta",
    "→": r"\to",
    "⇒": r"\Rightarrow",
    "⇔": r"\Leftrightarrow",
    "∞": r"\infty",
    "√": r"\surd",
    "‖": r"\Vert",
    "ℝ": r"\mathbb{R}",
    "ℚ": r"\mathbb{Q}",
    "ℤ": r"\mathbb{Z}",
    "𝔽": r"\mathbb{F}",
    "ᵀ": r"^{\mathsf{T}}",
    "½": r"\tfrac{1}{2}",
    **dict(zip("αβγδεζηκλμνξπρσςτφχψω", (
        r"\alpha", r"\beta", r"\gamma", r"\delta", r"\varepsilon", r"\zeta", r"\eta", r"\kappa", r"\lambda",
        r"\mu", r"\nu", r"\xi", r"\pi", r"\rho", r"\sigma", r"\varsigma", r"\tau", r"\varphi", r"\chi",
        r"\psi", r"\omega",
    ), strict=True)),
}  # fmt: skip


def escape(text: str) -> str:
    r"""Return plain text as LaTeX that prints it, mathematical characters included.

    An exponent as in ``λ^k`` is raised. No input stops the build: a character that the paper's fonts lack is
    printed as its code point.

    Examples
    --------
    >>> escape("50% of w_i ≠ 0")
    '50\\% of w\\_i \\ensuremath{\\ne} 0'
    """
    return re.sub(
        r"\^([A-Za-z0-9])|(.)",
        lambda match: rf"\ensuremath{{^{{{match[1]}}}}}" if match[1] else _escape_character(match[2]),
        text,
        flags=re.DOTALL,
    )


def _escape_character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character in _MATHS:
        return rf"\ensuremath{{{_MATHS[character]}}}"
    if " " <= character < "\x7f":
        return character
    if script := _script(character):
        return script
    if "LATIN" in unicodedata.name(character, "") and ord(character) < 0x180:
        return character
    return rf"\texttt{{U+{ord(character):04X}}}"


def _script(character: str) -> str:
    """Return a raised or lowered letter, digit or sign as maths; "" for any other character."""
    place, _, codes = unicodedata.decomposition(character).partition("> ")
    if place not in ("<super", "<sub"):
        return ""
    plain = "".join(chr(int(code, 16)) for code in codes.split()).replace("−", "-")
    if not re.fullmatch(r"[A-Za-z0-9+=()-]+", plain):
        return ""
    return rf"\ensuremath{{{'^' if place == '<super' else '_'}{{{plain}}}}}"


def integer(value: float | None) -> str:
    r"""Return a whole number in groups of three digits (from five digits on).

    Examples
    --------
    >>> integer(1536), integer(147456)
    ('1536', '147\\,456')
    """
    if not _present(value):
        return NOT_RUN
    digits = str(round(value))
    return digits if len(digits.lstrip("-")) < 5 else f"{int(digits):,}".replace(",", r"\,")


def seconds(value: float | None) -> str:
    r"""Return a time to two significant digits (whole seconds from 10 on); unit left to the reader's column.

    Examples
    --------
    >>> seconds(0.0004), seconds(1.26), seconds(83.4)
    ('\\ensuremath{<}0.01', '1.3', '83')
    """
    if not _present(value):
        return NOT_RUN
    if value < 0.01:
        return r"\ensuremath{<}0.01"
    if value < 1:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 9.95 else integer(value)


def scientific(value: float | None, *, digits: int = 1) -> str:
    r"""Return a measured quantity in scientific notation with so many digits after the point.

    Examples
    --------
    >>> scientific(3.4e-29), scientific(0.0)
    ('\\ensuremath{3.4\\times10^{-29}}', '0')
    """
    if not _present(value):
        return NOT_RUN
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return rf"\ensuremath{{{mantissa}\times10^{{{int(exponent)}}}}}"


def _present(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def reduced(values: pd.Series[Any], reduction: str) -> float:
    """Return the "min", "max" or "sum" of the cells that are not empty; NaN if there are none."""
    values = values.dropna()
    return float(values.astype(float).agg(reduction)) if len(values) else math.nan
