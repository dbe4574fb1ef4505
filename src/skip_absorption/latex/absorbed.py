r"""What the paper says of the encoder whose skips were absorbed: the comparison before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skip_absorption.latex import numbers
from skip_absorption.latex.macros import Macros
from skip_absorption.latex.tables import booktabs, records
from skip_absorption.results.columns import NOT_RUN

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("absorbed_checkpoint",)
"""The tables that `absorbed_macros` needs."""

_PRECISIONS = {"float32": "single", "float64": "double"}


def absorbed_macros(table: pd.DataFrame) -> Macros:
    """Return what the text says of both variants, in single precision where nothing else is said."""
    ran = table[table["status"] != NOT_RUN]
    minimal, exact = (ran[ran["variant"] == variant] for variant in ("minimal", "exact"))
    macros = {
        "ifResAbsorbedRun": "true" if len(ran) else "false",
        "ResAbsorbedBlocks": numbers.integer(_greatest(ran, "blocks")),
        "ResAbsorbedSentences": numbers.integer(_greatest(ran, "sentences")),
        "ResAbsorbedProved": numbers.integer(
            _greatest(ran, "blocks") if len(ran) and ran["proved"].all() else 0
        ),
        "ResAbsorbedLeastWidth": numbers.integer(_greatest(ran, "least_width")),
        "ResAbsorbedParameters": numbers.integer(_greatest(ran, "parameters_before")),
        "ResAbsorbedDelta": _moderate(_greatest(minimal, "largest_delta")),
        "ResAbsorbedColumnError": numbers.scientific(_greatest(minimal, "column_error")),
        "ResAbsorbedRoundOff": numbers.scientific(_greatest(ran[ran["precision"] == "float32"], "round_off")),
        "ResAbsorbedMistaken": _moderate(_greatest(ran, "mistaken_cosine_distance")),
        "ResAbsorbedSeconds": numbers.seconds(
            float(ran.drop_duplicates("variant")["seconds"].sum()) if len(ran) else None
        ),
    }
    for name, part in (("Minimal", minimal), ("Exact", exact)):
        single, double = (part[part["precision"] == precision] for precision in _PRECISIONS)
        macros |= {
            f"ResAbsorbed{name}Width": numbers.integer(_greatest(part, "width")),
            f"ResAbsorbed{name}Parameters": numbers.integer(_greatest(part, "parameters_after")),
            f"ResAbsorbed{name}Growth": _percent(part, "operations"),
            f"ResAbsorbed{name}Difference": numbers.scientific(_greatest(single, "difference")),
            f"ResAbsorbed{name}Double": numbers.scientific(_greatest(double, "difference")),
        }
    return macros


def absorbed_table(table: pd.DataFrame) -> str:
    """Return one row a variant and precision; "not run" where the weights could not be had."""
    rows = []
    ordered = table.sort_values(["variant", "precision"], ascending=[False, True], kind="stable")
    for row in records(ordered):
        cells = [row["variant"], _PRECISIONS[row["precision"]]]
        if row["status"] == NOT_RUN:
            rows.append([*cells, numbers.NOT_RUN, *[""] * 6])
            continue
        proved = "yes" if row["exact"] else "no"
        rows.append(
            [
                *cells,
                numbers.integer(row["width"]),
                proved if row["proved"] else r"\failed{not proved}",
                numbers.scientific(row["skip_error_norm"]),
                numbers.scientific(row["cosine_distance"]),
                numbers.scientific(row["difference"]),
                _moderate(row["ulps"]),
                numbers.seconds(row["seconds"]),
            ]
        )
    errors = [r"$\|M'-I\|_F$", r"$1-\cos$", "difference", "ulps"]
    header = ["variant", "precision", "width", "exact", *errors, "time (s)"]
    return booktabs("llrlrrrrr", header, rows)


def _greatest(table: pd.DataFrame, column: str) -> float:
    return numbers.reduced(table[column], "max")


def _moderate(value: float) -> str:
    """Return two digits, without an exponent where the number needs none."""
    return f"{value:.2g}" if 0.01 <= value < 100 else numbers.scientific(value)


def _percent(table: pd.DataFrame, what: str) -> str:
    """Return by how many per cent a cost has grown."""
    if not len(table):
        return numbers.NOT_RUN
    row: Any = table.iloc[0]
    return numbers.integer(100 * (row[f"{what}_after"] / row[f"{what}_before"] - 1))
