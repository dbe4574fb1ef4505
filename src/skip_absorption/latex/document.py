"""Write everything under ``paper/generated``: macros, badges and tables, each file whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skip_absorption.errors import InvalidInput
from skip_absorption.latex import (
    absorbed,
    checkpoints,
    cost,
    depth_analytic,
    depth_relu,
    experiments,
    formal,
    macros,
    tables,
)
from skip_absorption.latex.macros import Claim
from skip_absorption.results.store import write_text

if TYPE_CHECKING:
    import pandas as pd

REQUIRED_TABLES = (
    "architectures",
    *absorbed.TABLES,
    *checkpoints.TABLES,
    "formal",
    *depth_analytic.TABLES,
    *depth_relu.TABLES,
    *experiments.TABLES,
)


def generate(
    claims: Sequence[Claim], results: Mapping[str, pd.DataFrame], tier: str, output_dir: Path
) -> dict[str, str]:
    """Write the generated LaTeX files of the paper and return every macro that they define.

    Parameters
    ----------
    claims
        The claims' result files as dictionaries, in the order of the paper.
    results
        The tables `REQUIRED_TABLES` by name; others are ignored.
    tier
        ``"full"``, ``"smoke"`` or ``"large"``; a smoke paper carries a watermark on each page.
    output_dir
        Created if absent. Receives ``tier.tex``, ``numbers.tex``, ``badges.tex``, ``verdicts.tex``,
        ``cost.tex``, ``architectures.tex``, ``absorbed.tex``, ``audit.tex``, ``families.tex``,
        ``depth_analytic.tex``, ``depth_relu.tex``, ``formal.tex``, ``measures.tex`` and ``widths.tex``.

    Raises
    ------
    InvalidInput
        If a table is missing or the tier has another name.
    """
    if tier not in ("full", "smoke", "large"):
        raise InvalidInput("tier", 'be "full", "smoke" or "large"', tier)
    for name in REQUIRED_TABLES:
        if name not in results:
            raise InvalidInput("results", f"contain the table {name}", ", ".join(sorted(results)) or "none")
    groups = {
        "tier.tex": ("The tier of this run", macros.tier_macros(tier)),
        "numbers.tex": (
            "Every number of the paper",
            macros.claim_macros(claims)
            | checkpoints.audit_macros(results["checkpoint_audit"], results["checkpoint_margin"])
            | absorbed.absorbed_macros(results["absorbed_checkpoint"])
            | macros.width_macros(results["width_threshold"])
            | experiments.experiment_macros(results)
            | depth_analytic.analytic_macros(results["depth_analytic"], results["depth_fits"])
            | depth_relu.relu_macros(results["depth_relu"], results["fold"])
            | formal.formal_macros(results["formal"])
            | cost.cost_macros(claims, results),
        ),
        "badges.tex": (
            "One badge a claim and a statement",
            macros.badge_macros(claims) | formal.formal_badges(results["formal"]),
        ),
    }
    files = {name: macros.write_macros(group, title=title) for name, (title, group) in groups.items()}
    files |= {
        "verdicts.tex": tables.verdict_table(claims, formal.formal_badges(results["formal"])),
        "cost.tex": cost.cost_table(claims, results),
        "architectures.tex": tables.architecture_table(results["architectures"]),
        "absorbed.tex": absorbed.absorbed_table(results["absorbed_checkpoint"]),
        "audit.tex": checkpoints.audit_table(checkpoints.real(results["checkpoint_audit"])),
        "families.tex": checkpoints.family_table(results["checkpoint_audit"]),
        "formal.tex": formal.formal_table(results["formal"]),
        "widths.tex": tables.width_table(results["width_threshold"]),
        "depth_analytic.tex": depth_analytic.analytic_table(results["depth_analytic"]),
        "depth_relu.tex": depth_relu.relu_table(results["depth_relu"]),
        "measures.tex": experiments.random_table(results["random_measures"]),
    }
    for name, text in files.items():
        write_text(output_dir / name, text)
    return {name: value for _, group in groups.values() for name, value in group.items()}
