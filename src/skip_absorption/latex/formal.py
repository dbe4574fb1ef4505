r"""What the paper shows of the machine-checked theorems: counts, one badge a statement, and the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skip_absorption.latex import numbers
from skip_absorption.latex.macros import Macros, stem
from skip_absorption.latex.tables import booktabs
from skip_absorption.results.columns import NOT_RUN

if TYPE_CHECKING:
    import pandas as pd


def formal_macros(table: pd.DataFrame) -> Macros:
    """Return what the text says about the proofs: how many, how long, and what they assume."""
    ran = bool((table["status"] != NOT_RUN).all())
    files = table.drop_duplicates("file")
    free = (table["axioms"] == "none").sum()
    return {
        "ifResFormalRun": "true" if ran else "false",
        "ResFormalTheorems": numbers.integer(len(table)),
        "ResFormalFiles": numbers.integer(len(files)),
        "ResFormalLines": numbers.integer(files["lines"].sum()),
        "ResFormalSeconds": numbers.seconds(files["seconds"].sum()) if ran else numbers.NOT_RUN,
        "ResFormalFree": numbers.integer(free) if ran else numbers.NOT_RUN,
        "ResFormalClassical": numbers.integer(len(table) - free) if ran else numbers.NOT_RUN,
    }


def formal_badges(table: pd.DataFrame) -> Macros:
    r"""Return one mark a label; see ``\formalmark`` in the paper."""
    return {
        f"BadgeFormal{stem(str(label))}": rf"\formalmark{{{_outcome(group)}}}"
        for label, group in table.dropna(subset=["label"]).groupby("label", sort=True)
    }


_MARKS = {"whole": "whole", "part": "in part", "notrun": numbers.NOT_RUN}


def _outcome(group: pd.DataFrame) -> str:
    if (group["status"] == NOT_RUN).any():
        return "notrun"
    return "part" if (group["extent"] == "part").any() else "whole"


def formal_table(table: pd.DataFrame) -> str:
    """Return one row a statement, in the order of the ledger; the examples are left to the CSV file."""
    order = table.groupby("statement")["number"].transform("min")
    shown = table[table["statement"] != "Examples"].assign(order=order).sort_values(["order", "number"])
    rows = []
    for _, group in shown.groupby("order", sort=True):
        records = group.to_dict("records")
        rows.append(
            [
                _reference(records[0]),
                _MARKS[_outcome(group)],
                ", ".join(rf"\nolinkurl{{{row['theorem']}}}" for row in records),
                ", ".join(dict.fromkeys(map(_axioms, records))),
            ]
        )
    return booktabs(
        r"ll>{\raggedright\arraybackslash}p{92mm}l", ["statement", "proved", "theorems", "axioms"], rows
    )


def _reference(row: dict[Any, Any]) -> str:
    return rf"\Cref{{{row['label']}}}" if isinstance(row["label"], str) else numbers.escape(row["statement"])


def _axioms(row: dict[Any, Any]) -> str:
    if row["status"] == NOT_RUN:
        return numbers.NOT_RUN
    return "none" if row["axioms"] == "none" else "classical"
