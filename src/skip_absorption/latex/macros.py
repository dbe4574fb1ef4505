r"""Every number of the paper as a macro, and the badges in its margin.

A value is called ``\Res`` + what it belongs to + what it is: ``\ResTheoremFourCases``. A badge is called
``\Badge`` + its claim: ``\BadgeTheoremFour``. The set of names does not depend on the values, so a step that
did not run leaves "not run" in the text rather than an undefined macro.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from skip_absorption.latex import numbers
from skip_absorption.results.outcome import status

if TYPE_CHECKING:
    import pandas as pd

Claim = Mapping[str, Any]
Macros = dict[str, str]

_DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def stem(identifier: str) -> str:
    """Return an identifier as letters alone, digits spelt out.

    Examples
    --------
    >>> stem("theorem_4"), stem("x1b")
    ('TheoremFour', 'XOneb')
    """
    words = [word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", identifier)]
    return re.sub(r"[0-9]", lambda digit: _DIGITS[int(digit[0])], "".join(words))


def claim_macros(claims: Iterable[Claim]) -> Macros:
    """Return the values of the claims: verdict, evidence, cases, controls, seconds."""
    macros: Macros = {}
    for claim in claims:
        name = f"Res{stem(claim['id'])}"
        controls = claim["controls"]
        macros |= {
            f"{name}Verdict": rf"\verdict{{{status(claim)}}}{{{numbers.escape(claim['verdict'])}}}",
            f"{name}Evidence": numbers.escape(claim["evidence"]),
            f"{name}Cases": numbers.integer(claim["cases"]),
            f"{name}Killed": numbers.integer(sum(bool(control["rejected"]) for control in controls)),
            f"{name}Controls": numbers.integer(len(controls)),
            f"{name}Seconds": numbers.seconds(claim["seconds"]),
        }
    return macros


def badge_macros(claims: Iterable[Claim]) -> Macros:
    r"""Return one badge a claim, built from the claim's own macros; see ``\claimbadge`` in the paper."""
    badges: Macros = {}
    for claim in claims:
        name = stem(claim["id"])
        values = "".join(f"{{\\Res{name}{part}}}" for part in ("Evidence", "Cases", "Killed", "Controls"))
        badges[f"Badge{name}"] = rf"\claimbadge{{{claim['id']}}}{{{status(claim)}}}{values}"
    return badges


def width_macros(table: pd.DataFrame) -> Macros:
    """Return what the text says about fits of random targets: counts and extremes at N+d and below."""
    table = table[(table["linear_terms"] == 0) & (table["extra"] == table["d"])]
    at = table[table["width"] == table["N"] + table["d"]]
    below = table[table["width"] == table["N"] + table["d"] - 1]
    smaller = table[table["width"] < table["N"] + table["d"]]
    return {
        "ResWidthTargets": numbers.integer(len(at)),
        "ResWidthSucceed": numbers.integer(at["success"].astype(bool).sum()),
        "ResWidthSucceedBelow": numbers.integer(below["success"].astype(bool).sum()),
        "ResWidthFits": numbers.integer(len(table)),
        "ResWidthFitsBelow": numbers.integer(len(smaller)),
        "ResWidthRestarts": numbers.integer(numbers.reduced(table["restarts"], "max")),
        "ResWidthWorst": numbers.scientific(numbers.reduced(at["best_heldout"], "max")),
        "ResWidthFloor": numbers.scientific(numbers.reduced(smaller["best_heldout"], "min")),
        "ResWidthSeconds": numbers.seconds(numbers.reduced(table["seconds"], "sum")),
    }


def tier_macros(tier: str) -> Macros:
    """Return the smoke flag and the way from the PDF's directory to the repository."""
    return {
        "ifResSmoke": "true" if tier == "smoke" else "false",
        "ResRepository": ".." if tier == "full" else "../..",
    }


def write_macros(macros: Macros, *, title: str) -> str:
    r"""Return the LaTeX that defines the macros; ``ifRes…`` names become ``\newif`` switches."""
    lines = [f"% {title}: generated, do not edit"]
    for name, value in macros.items():
        if name.startswith("if"):
            lines.append(rf"\newif\{name} \{name[2:]}{value}")
        else:
            lines.append(rf"\newcommand{{\{name}}}{{{value}}}")
    return "\n".join(lines) + "\n"
