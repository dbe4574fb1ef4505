"""What the paper says of its cost: measured seconds of every part, and the versions that computed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from skip_absorption.latex import numbers
from skip_absorption.latex.macros import Claim, Macros
from skip_absorption.latex.tables import booktabs

if TYPE_CHECKING:
    import pandas as pd

_PARTS = {
    "checkpoint_audit": r"audit of checkpoints (\cref{tab:families,tab:audit})",
    "absorbed_checkpoint": r"rewriting a model (\cref{tab:absorbed})",
    "minimal_width": r"exact least widths (\cref{fig:least})",
    "width_threshold": r"fits (\cref{fig:width,fig:success,tab:width})",
    "homogeneous": "fits of homogeneous blocks",
    "random_measures": r"random weights (\cref{tab:measures,fig:measures})",
    "distance": r"distances (\cref{fig:distance})",
    "depth_analytic": r"certified ranks (\cref{tab:depth})",
    "depth_fits": r"fits at depth (\cref{fig:depth-fits})",
    "depth_relu": r"ReLU compositions (\cref{tab:depth-relu})",
    "formal": r"machine-checked proofs (\cref{tab:formal})",
}
_SHARED = {"absorbed_checkpoint": "variant", "formal": "file"}  # columns whose rows share one measurement


def cost_table(claims: Sequence[Claim], results: Mapping[str, pd.DataFrame]) -> str:
    """Return one row a part of the work: its table, how many measurements, their sum, and the longest."""
    rows = [_row(r"tests of statements (\cref{tab:verdicts})", "verdicts", _of_claims(claims))]
    rows += [_row(what, name, _of_table(name, results[name])) for name, what in _PARTS.items()]
    header = ["part", "table", "jobs", "time in all (s)", "longest (s)"]
    return booktabs("llrrr", header, rows)


def cost_macros(claims: Sequence[Claim], results: Mapping[str, pd.DataFrame]) -> Macros:
    """Return the hours of all parts together, and the versions that the results name."""
    total = sum(_of_claims(claims)) + sum(sum(_of_table(name, results[name])) for name in _PARTS)
    versions = claims[0]["versions"] if claims else {}
    names = {"Python": "python", "Numpy": "numpy", "Flint": "flint", "System": "system"}
    return {
        "ResCostTotal": f"{total / 3600:.1f}",
        **{
            f"ResEnvironment{name}": numbers.escape(str(versions[key]))
            if key in versions
            else numbers.NOT_RUN
            for name, key in names.items()
        },
    }


def _of_claims(claims: Sequence[Claim]) -> list[float]:
    return [float(claim["seconds"]) for claim in claims]


def _of_table(name: str, table: pd.DataFrame) -> list[float]:
    if name in _SHARED:
        table = table.drop_duplicates(_SHARED[name])
    return [float(value) for value in table["seconds"].dropna()]


def _row(what: str, name: str, seconds: list[float]) -> list[str]:
    if not seconds:
        return [what, rf"\tablefile{{{name}}}", numbers.NOT_RUN, "", ""]
    counts = [numbers.integer(len(seconds)), numbers.seconds(sum(seconds)), numbers.seconds(max(seconds))]
    return [what, rf"\tablefile{{{name}}}", *counts]
