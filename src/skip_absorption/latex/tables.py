r"""The generated tables of the paper as LaTeX text: booktabs bodies.

Each function returns one fragment for ``\input``; captions, labels and floats stay in the paper's sources.
A claim's numbers appear through its macros, so that the text, the badges and the tables cannot disagree.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from skip_absorption.latex import numbers
from skip_absorption.latex.macros import Claim, stem

if TYPE_CHECKING:
    import pandas as pd


def booktabs(alignment: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a ``tabular`` with three rules.

    Examples
    --------
    >>> print(booktabs("lr", ["layer", "$N$"], [["0", "1536"]]))
    \begin{tabular}{@{}lr@{}}
    \toprule
    layer & $N$ \\
    \midrule
    0 & 1536 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    lines = [
        rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}",
        r"\toprule",
        " & ".join(header) + r" \\",
        r"\midrule",
    ]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def verdict_table(claims: Iterable[Claim], formal: Collection[str] = ()) -> str:
    r"""Return the verdict table: one row a claim, with its rule and its result; the failed ones in red.

    Parameters
    ----------
    claims
        In the order of the paper.
    formal
        The names of the marks of machine-checked statements, such as ``BadgeFormalThmUngated``.
    """
    rows = []
    for claim in claims:
        macro = rf"\Res{stem(claim['id'])}"
        mark = f"BadgeFormal{stem(re.sub('-i+$', '', claim['label']))}"  # both halves have one mark
        rows.append(
            [
                _reference(claim),
                numbers.escape(claim["title"]) if re.fullmatch(r"X[0-9]+[a-z]?", claim["title"]) else "",
                rf"{macro}Evidence{{}}",
                rf"{macro}Cases{{}}",
                rf"{macro}Killed{{}}/{macro}Controls{{}}",
                rf"\claimlink{{{claim['id']}}}{{{macro}Verdict}}",
                rf"\{mark}{{}}" if mark in formal else "",
                rf"\rulelink{{claim_{claim['id']}}}{{claims}}",
                rf"{macro}Seconds{{}}",
            ]
        )
    header = ["statement", "name", "evidence", "cases", "controls", "verdict", "Coq", "rule", "time (s)"]
    return booktabs("lllrrlllr", header, rows)


def _reference(claim: Claim) -> str:
    return rf"\Cref{{{claim['label']}}}"


def width_table(table: pd.DataFrame) -> str:
    """Return the extremes of the fits of random targets around N + d, one row an activation."""
    table = table[(table["linear_terms"] == 0) & (table["extra"] == table["d"])]
    rows = []
    names = list(ACTIVATIONS)
    order = table["activation"].map(lambda name: (names.index(name) if name in names else len(names), name))
    for _, group in table.groupby(order, sort=True):
        activation = str(group["activation"].iloc[0])
        beyond = group["width_minus_N"] - group["d"]
        at, below = group[beyond == 0], group[beyond == -1]
        rows.append(
            [
                ACTIVATIONS.get(activation, numbers.escape(activation)),
                _range(group["d"]),
                _range(group["N"]),
                numbers.integer(group.groupby(["d", "N", "target"]).ngroups),
                _fraction(below),
                numbers.scientific(below["best_heldout"].min()),
                _fraction(at),
                numbers.scientific(at["best_heldout"].max()),
                numbers.seconds(float(group["seconds"].sum())),
            ]
        )
    header = [
        "activation", "$d$", "$N$", "targets", "fitted", "best loss", "fitted", "worst loss", "time (s)",
    ]  # fmt: skip
    body = booktabs("lrrrrrrrr", header, rows)
    groups = (
        r"& & & & \multicolumn{2}{c}{$m=N+d-1$} & \multicolumn{2}{c}{$m=N+d$} & \\"
        "\n"
        r"\cmidrule(lr){5-6}\cmidrule(lr){7-8}"
    )
    return body.replace("\\toprule\n", f"\\toprule\n{groups}\n", 1)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as plain values, absent ones as None."""
    rows: list[dict[Any, Any]] = table.astype(object).where(table.notna(), None).to_dict("records")
    return rows


def architecture_table(table: pd.DataFrame) -> str:
    """Return one row for each architecture, at its largest d, with the blocks of all d counted."""
    systems: dict[str, list[dict[Any, Any]]] = {}
    for row in records(table):
        systems.setdefault(row["system"], []).append(row)
    rows = []
    for system, found in systems.items():
        row = max(found, key=lambda entry: entry["d"])
        names = GATES if row["gated"] else ACTIVATIONS
        agree, cases = (sum(entry[name] for entry in found) for name in ("agree", "cases"))
        rows.append(
            [
                numbers.escape(system),
                names.get(row["activation"], numbers.escape(row["activation"]))
                + (" with biases" if row["biases"] else ""),
                numbers.integer(row["d"]),
                numbers.integer(row["N"]),
                _SKIPS[row["skip"]],
                RESULTS[row["result"]],
                "--" if row["further_units"] is None else numbers.integer(row["further_units"]),
                f"{agree}/{cases}" if agree == cases else rf"\failed{{{agree}/{cases}}}",
            ]
        )
    header = ["system", "block", "$d$", "$N$", "skip", "settled by", "units", "agree"]
    return booktabs("llrrllrr", header, rows)


GATES = {"silu": "SwiGLU", "gelu_tanh": "GeGLU", "gelu": "GeGLU", "relu": "ReGLU"}
_SKIPS = {"identity": "$I$", "mixing": r"$M\otimes I$", "doubly stochastic": r"$M\otimes I$"}
RESULTS = {
    "Theorem 4": r"\cref{thm:ungated}",
    "X1b": r"\cref{ext:biases}",
    "X1": r"\cref{ext:minimal-width}",
    "X5": r"\cref{ext:canonical-form}",
    "Proposition 1": r"\cref{prop:homogeneous}",
    "Proposition 2": r"\cref{prop:gated}",
}
ACTIVATIONS = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "tanh-GELU",
    "silu": "SiLU",
    "relu_squared": r"$\text{ReLU}^2$",
}


def _fraction(group: pd.DataFrame) -> str:
    return f"{int(group['success'].astype(bool).sum())}/{len(group)}"


def _range(values: pd.Series[Any]) -> str:
    least, greatest = numbers.integer(values.min()), numbers.integer(values.max())
    return least if least == greatest else f"{least}--{greatest}"
