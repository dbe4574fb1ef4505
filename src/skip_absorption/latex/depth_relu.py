r"""What the paper says of ReLU compositions: counts as macros, the table of excluded fractions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skip_absorption.latex import numbers
from skip_absorption.latex.experiments import measure_name
from skip_absorption.latex.macros import Macros
from skip_absorption.latex.tables import booktabs

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("depth_relu", "fold")
"""The tables that this module needs."""


def relu_macros(table: pd.DataFrame, fold: pd.DataFrame) -> Macros:
    """Return what the text says: how many compositions, how many are excluded, and the size of the fold."""
    small, large = (
        table[table["scale"] == extreme] for extreme in (table["scale"].min(), table["scale"].max())
    )
    return {
        "ResReluCompositions": numbers.integer(table["draws"].sum()),
        "ResReluCells": numbers.integer(len(table)),
        "ResReluEach": numbers.integer(table["draws"].max()),
        "ResReluViolations": numbers.integer(table["violations"].sum()),
        "ResReluExcluded": numbers.integer(table["excluded"].sum()),
        "ResReluByDimension": numbers.integer(table["by_dimension"].sum()),
        "ResReluSmallScale": f"{table['scale'].min():g}",
        "ResReluSmallLeast": _percent(small["fraction"].min()),
        "ResReluLargeScale": f"{table['scale'].max():g}",
        "ResReluLargeLeast": _percent(large["fraction"].min()),
        "ResFoldBlocks": numbers.integer(fold["block"].max()),
        "ResFoldSectors": numbers.integer(fold["sector"].nunique()),
    }


def relu_table(table: pd.DataFrame) -> str:
    """Return the excluded fractions in per cent, one row a size and distribution, one column a scale."""
    scales = sorted(float(scale) for scale in table["scale"].unique())
    rows = []
    last = None
    for _, group in table.groupby(["d", "N", "L", "measure"], sort=True):
        first = group.iloc[0]
        size, measure = (int(first["d"]), int(first["N"]), int(first["L"])), first["measure"]
        shown = [numbers.integer(x) for x in size] if size != last else [""] * 3
        limit = numbers.integer(group["plain_dimension"].max())
        bound = numbers.integer((2 * size[0] - 1) * size[1] * size[2])
        by_scale = dict(zip(group["scale"], group["fraction"], strict=True))
        rows.append(
            [
                *shown,
                *([bound, limit] if size != last else ["", ""]),
                measure_name(str(measure)),
                *(_percent(by_scale[scale]) if scale in by_scale else "" for scale in scales),
                numbers.integer(group["dimension_least"].min()),
                numbers.integer(group["violations"].sum()),
            ]
        )
        last = size
    header = ["$d$", "$N$", "$L$", "$(2d-1)LN$", "$k_H-LN$", "weights"]
    header += [rf"$\times{scale:g}$" for scale in scales]
    return booktabs("rrrrrl" + "r" * len(scales) + "rr", [*header, "least", "below"], rows)


def _percent(value: float) -> str:
    return f"{100 * value:.1f}" if 0 < value < 1 else f"{100 * value:.0f}"
