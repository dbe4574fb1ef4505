r"""What the paper says of checkpoints: which statement covers which family, and the audit of real models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skip_absorption.latex import numbers
from skip_absorption.latex.macros import Macros
from skip_absorption.latex.tables import ACTIVATIONS, GATES, RESULTS, booktabs, records
from skip_absorption.results.checkpoint_tables import GENERATED
from skip_absorption.results.columns import NOT_RUN

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("checkpoint_audit", "checkpoint_margin")
"""The tables that `audit_macros` needs."""

_MODELS = {
    "bert": "BERT, MiniLM",
    "gpt2": "GPT-2",
    "vit": "ViT, DeiT",
    "vit-timm": "ViT (timm)",
    "convnext": "ConvNeXt",
    "convnext-timm": "ConvNeXt (timm)",
    "t5": "T5",
    "t5-gated": "T5 v1.1",
    "transformer-encoder": "original Transformer",
    "opt": "OPT",
    "llama": "LLaMA, Mistral, DeepSeek",
    "gemma": "Gemma",
    "nemotron": "Nemotron",
}
_ABSORBED = {"ABSORBABLE": "yes", "NOT_ABSORBABLE": "no", "UNKNOWN": r"\failed{unknown}"}
_NORMS = {"pre": "before", "post": "after", "none": "none", "unknown": "not told"}


def audit_table(table: pd.DataFrame, *, references: bool = True) -> str:
    """Return the audit of checkpoints, one row a block, the models set apart.

    Statements are references to the paper's labels, or plain names for use elsewhere.
    """
    rows = []
    several = table["model"].nunique() > 1
    last = None
    for row in records(table):
        if several and row["model"] != last:
            rows.append([rf"\multicolumn{{10}}{{@{{}}l}}{{\emph{{{numbers.escape(row['model'])}}}}}"])
            last = row["model"]
        rows.append(_audited(row, RESULTS if references else {}))
    extra = r"$\kstar$" if references else "$k^*$"
    header = [
        "block", "$d$", "$N$", "activation", "by", "absorbed", "entries", "margin", extra, "time (s)",
    ]  # fmt: skip
    return booktabs("rrrlllrrrr", header, rows)


def _audited(row: dict[str, Any], statements: Mapping[str, str]) -> list[str]:
    number = numbers.integer(row["number"])
    if row["verdict"] == NOT_RUN:
        return [number, "", "", "", "", numbers.NOT_RUN, "", "", "", ""]
    entries = "--" if row["certificate_entries"] is None else numbers.integer(row["certificate_entries"])
    if row["checked"] is False:
        entries = rf"\failed{{{entries}}}"
    return [
        number,
        numbers.integer(row["d"]),
        numbers.integer(row["N"]),
        _activation(row),
        statements.get(row["statement"], numbers.escape(row["statement"])),
        _ABSORBED[row["verdict"]],
        entries,
        _between(row["margin_lower"], row["margin_upper"], 3),
        _width(row),
        numbers.seconds(row["seconds"]),
    ]


def family_table(table: pd.DataFrame) -> str:
    """Return what covers each family of models, one row a family of the generated checkpoints."""
    rows = []
    for family, group in _small(table).groupby("family", sort=False):
        found = records(group)
        agree = sum(row["verdict"] == row["expected"] for row in found)
        first = found[0]
        rows.append(
            [
                numbers.escape(_MODELS.get(str(family), str(family))),
                _activation(first),
                "no" if first["biases"] == "none" else "yes",
                _NORMS[first["norm"]],
                ", ".join(dict.fromkeys(RESULTS.get(row["statement"], "--") for row in found)),
                f"{agree}/{len(found)}" if agree == len(found) else rf"\failed{{{agree}/{len(found)}}}",
            ]
        )
    header = ["family", "activation", "biases", "norm", "covered by", "agree"]
    return booktabs("lllllr", header, rows)


def real(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of real checkpoints."""
    return table[~table["model"].str.startswith(GENERATED)]


def _small(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["model"].str.startswith(GENERATED)]


def _activation(row: dict[str, Any]) -> str:
    names = GATES if row["kind"] == "gated" else ACTIVATIONS
    return names.get(row["activation"], numbers.escape(row["activation"]))


def _between(lower: float | None, upper: float | None, digits: int) -> str:
    if lower is None or upper is None:
        return "--"
    low, high = math.floor(lower * 10**digits) / 10**digits, math.ceil(upper * 10**digits) / 10**digits
    return f"{low:.{digits}f}--{high:.{digits}f}"


def _width(row: dict[str, Any]) -> str:
    lower, upper = row["extra_lower"], row["extra_upper"]
    if lower is None or upper is None:
        return "none" if row["statement"].startswith("Proposition") else "--"
    return numbers.integer(lower) if lower == upper else f"{numbers.integer(lower)}--{numbers.integer(upper)}"


def audit_macros(table: pd.DataFrame, margins: pd.DataFrame) -> Macros:
    """Return what the text says about the audit: counts, and how near trained and random blocks come."""
    small = _small(table)
    known = real(table)
    ran = known[known["verdict"] != NOT_RUN]
    certified = ran[ran["certificate_entries"].notna()]
    trained, random = (margins[margins["weights"] == kind] for kind in ("trained", "random"))
    return {
        "ifResAuditRun": "true" if len(ran) else "false",
        "ResAuditModels": numbers.integer(known["model"].nunique()),
        "ResAuditModelsRun": numbers.integer(ran["model"].nunique()),
        "ResAuditBlocks": numbers.integer(len(ran)),
        "ResAuditNotAbsorbable": numbers.integer((ran["verdict"] == "NOT_ABSORBABLE").sum()),
        "ResAuditAbsorbable": numbers.integer((ran["verdict"] == "ABSORBABLE").sum()),
        "ResAuditUnknown": numbers.integer((ran["verdict"] == "UNKNOWN").sum()),
        "ResAuditCertified": numbers.integer(len(certified)),
        "ResAuditChecked": numbers.integer(certified["checked"].fillna(False).sum()),
        "ResAuditGeneric": numbers.integer((ran["hypotheses"] == "generic").sum()),
        "ResAuditFamilies": numbers.integer(small["family"].nunique()),
        "ResAuditSmall": numbers.integer(len(small)),
        "ResAuditSmallAgree": numbers.integer((small["verdict"] == small["expected"]).sum()),
        "ResAuditSmallAbsorbable": numbers.integer((small["verdict"] == "ABSORBABLE").sum()),
        "ResAuditLeastExtra": _whole(ran["extra_lower"], "min"),
        "ResAuditBounded": numbers.integer((ran["extra_lower"] < ran["extra_upper"]).sum()),
        "ResAuditSeconds": numbers.seconds(numbers.reduced(ran["seconds"], "sum")),
        "ResAuditSlowest": numbers.seconds(numbers.reduced(ran["seconds"], "max")),
        "ResAuditMemory": _whole(ran["peak_mebibytes"], "max"),
        "ResAuditTrainedLeast": _decimals(numbers.reduced(trained["lower"], "min"), 2, math.floor),
        "ResAuditTrainedSet": _decimals(numbers.reduced(trained["upper"], "min"), 2, math.ceil),
        "ResAuditRandomLeast": _decimals(numbers.reduced(random["lower"], "min"), 3, math.floor),
        "ResAuditNearer": numbers.integer(_nearer(trained, random)),
        "ResAuditDraws": _whole(random.groupby(["model", "number"])["draw"].size(), "max"),
    }


def _nearer(trained: pd.DataFrame, random: pd.DataFrame) -> int:
    """Count the trained blocks that are nearer to (3), for weights in [0, 1], than all their random twins."""
    keys = ["model", "number"]
    nearest = random.groupby(keys)["lower"].min()
    return int((trained.set_index(keys)["relaxed"] < nearest).sum()) if len(trained) else 0


def _whole(values: pd.Series[Any], which: str) -> str:
    value = numbers.reduced(values, which)
    return numbers.integer(int(value)) if math.isfinite(value) else numbers.NOT_RUN


def _decimals(value: float, digits: int, towards: Any) -> str:
    if not math.isfinite(value):
        return numbers.NOT_RUN
    return f"{towards(value * 10**digits) / 10**digits:.{digits}f}"
