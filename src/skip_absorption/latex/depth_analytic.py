r"""What the paper says of depth and analytic activations: certified ranks, their table, and the fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skip_absorption.latex import numbers
from skip_absorption.latex.macros import Macros
from skip_absorption.latex.tables import ACTIVATIONS, booktabs

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("depth_analytic", "depth_fits")
"""The tables that `analytic_macros` needs."""

_ACTIVATIONS = ("gelu", "gelu_tanh", "silu")
_SKIPS = {
    "identity": "$I$",
    "narrow": "$I$",
    "mixed": "$I$",
    "invertible": "invertible",
}
_EXACT = 1e-20  # loss of a fit that counts as exact


def analytic_macros(ranks: pd.DataFrame, fits: pd.DataFrame) -> Macros:
    """Return counts and extremes of the tables ``depth_analytic`` and ``depth_fits``."""
    full = ranks[ranks["certified"] == ranks["parameters"]]
    possible = ranks[ranks["certified"] == ranks["bound"]]
    below = fits[fits["k_H"] < fits["parameters"]]
    between = fits[(fits["k_H"] >= fits["parameters"]) & ~_is_widest(fits)]
    widest = fits[_is_widest(fits)]
    return {
        "ResDepthRanks": numbers.integer(len(ranks)),
        "ResDepthCertified": numbers.integer(len(possible)),
        "ResDepthFull": numbers.integer(len(full)),
        "ResDepthSingular": numbers.integer((possible["family"] == "singular").sum()),
        "ResDepthLargest": numbers.integer(numbers.reduced(full["parameters"], "max")),
        "ResDepthBits": numbers.integer(numbers.reduced(possible["bits"], "max")),
        "ResDepthPlainAgree": numbers.integer((ranks["numerical_plain"] == ranks["k_H"]).sum()),
        "ResDepthSeconds": numbers.seconds(float(ranks["seconds"].sum())),
        "ResDepthFits": numbers.integer(len(fits)),
        "ResDepthFitStarts": numbers.integer(numbers.reduced(fits["restarts"], "max")),
        "ResDepthFitsBelow": numbers.integer(len(below)),
        "ResDepthFitsBelowLeast": numbers.scientific(numbers.reduced(below["best_train"], "min")),
        "ResDepthFitsBetween": numbers.integer(len(between)),
        "ResDepthFitsBetweenExact": numbers.integer((between["best_train"] < _EXACT).sum()),
        "ResDepthFitsBetweenLeast": numbers.scientific(numbers.reduced(between["best_train"], "min")),
        "ResDepthFitsWidest": numbers.integer(len(widest)),
        "ResDepthFitsWidestExact": numbers.integer((widest["best_train"] < _EXACT).sum()),
    }


def _is_widest(fits: pd.DataFrame) -> pd.Series[bool]:
    """Whether all blocks of a fit have width N + d."""
    import pandas as pd

    widest = [set(row["widths"].split()) == {str(row["N"] + row["d"])} for row in fits.to_dict("records")]
    return pd.Series(widest, index=fits.index, dtype=bool)


def analytic_table(table: pd.DataFrame) -> str:
    """Return one row a kind of composition, with the certified rank and log₁₀ |det| for each activation."""
    rows = []
    keys = ["family", "d", "widths", "ranks"]
    for _, group in table.groupby(keys, sort=False):
        first = group.iloc[0]
        skips = _SKIPS.get(first["family"]) or "rank " + first["ranks"].replace(" ", ", ")
        rows.append(
            [
                skips,
                numbers.integer(first["d"]),
                first["widths"].replace(" ", ", "),
                numbers.integer(first["parameters"]),
                numbers.integer(first["bound"]),
                numbers.integer(first["k_H"]),
                "/".join(sorted({numbers.integer(rank) for rank in group["numerical_plain"]})),
                *(_certified(group[group["activation"] == name]) for name in _ACTIVATIONS),
            ]
        )
    header = ["skips", "$d$", "widths", "$D$", "bound", "$k_H$", "num."]
    body = booktabs("lrlrrrrlll", [*header, *(ACTIVATIONS[name] for name in _ACTIVATIONS)], rows)
    groups = (
        r"& & & & & & & \multicolumn{3}{c}{certified rank \,($\log_{10}|\det|$)} \\"
        "\n"
        r"\cmidrule(l){8-10}"
    )
    return body.replace("\\toprule\n", f"\\toprule\n{groups}\n", 1)


def _certified(rows: pd.DataFrame) -> str:
    if not len(rows) or rows["certified"].isna().any() or not rows["rechecked"].iloc[0]:
        return numbers.NOT_RUN if not len(rows) else r"\failed{unknown}"
    row = rows.iloc[0]
    text = rf"{numbers.integer(row['certified'])} \,(${float(row['log10_low']):.1f}$)"
    return text if row["certified"] == row["bound"] else rf"\failed{{{text}}}"
