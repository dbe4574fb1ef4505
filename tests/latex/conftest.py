"""Small invented results: enough to typeset, never stored as results."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from skip_absorption.results.schema import table_schema, validate_table
from skip_absorption.results.store import validate_claim

from .experiment_tables import make_depth, make_experiments

REPOSITORY = Path(__file__).resolve().parents[2]
CLAIMS = {
    "proposition_1": ("prop:homogeneous", "Proposition 1"),
    "proposition_2": ("prop:gated", "Proposition 2"),
    "corollary_3": ("cor:depth", "Corollary 3"),
    "theorem_4": ("thm:ungated", "Theorem 4"),
    "corollary_5": ("cor:generic", "Corollary 5(i)"),
    "corollary_5_converse": ("cor:converse", "Corollary 5(ii)"),
    "lemma_6": ("lem:kinks", "Lemma 6"),
    "lemma_7": ("lem:scales", "Lemma 7"),
    "proposition_8_i": ("prop:width-i", "Proposition 8(i)"),
    "proposition_8_ii": ("prop:width-ii", "Proposition 8(ii)"),
    "x1": ("ext:minimal-width", "X1"),
    "x1b": ("ext:biases", "X1b"),
    "x1c": ("ext:collinear", "X1c"),
    "x2": ("ext:gates", "X2"),
    "x3": ("ext:distance", "X3"),
    "x4": ("ext:certificates", "X4"),
    "x5": ("ext:canonical-form", "X5"),
    "x6": ("ext:depth-analytic", "X6"),
    "x7a": ("ext:narrow", "X7a"),
    "x7b": ("ext:visible", "X7b"),
    "x7c": ("ext:fold", "X7c"),
    "d1": ("ext:d1", "Remark D1"),
    "d2": ("ext:d2", "Remark D2"),
    "d3": ("ext:d3", "Remark D3"),
    "d4": ("ext:d4", "Remark D4"),
    "d5": ("ext:d5", "Remark D5"),
    "d6": ("ext:d6", "Remark D6"),
    "d7": ("ext:d7", "Remark D7"),
    "d8": ("ext:d8", "Remark D8"),
    "hypotheses": ("ext:hypotheses", "Hypotheses"),
    "architectures": ("ext:architectures", "Architectures"),
}


def make_claim(identifier: str, *, verdict: str = "PROVED-ON-CASES", rejected: bool = True) -> dict[str, Any]:
    label, title = CLAIMS[identifier]
    return validate_claim(
        {
            "id": identifier,
            "label": label,
            "title": title,
            "statement": "An invented statement: W_down[:, S] W_up[S, :] = −I, |S| ≥ d & 100%",
            "hypotheses": ["d ≥ 2", "no two rows collinear"],
            "method": "invented",
            "evidence": "exact",
            "cases": 12345,
            "controls": [
                {"name": "+I for −I", "rejected": rejected},
                {"name": "one unit too few", "rejected": True},
            ],
            "verdict": verdict,
            "found": "3 of 3",
            "expected": "all",
            "seconds": 1.26,
            "seed": [0],
            "versions": {},
        }
    )


def make_audit(*, ran: bool = True) -> dict[str, pd.DataFrame]:
    """Return the audit of two checkpoints, or of none, with small generated ones, and the margins."""
    columns = [column.name for column in table_schema("checkpoint_audit").columns]
    common = {
        "d": 384, "N": 1536, "biases": "up, down", "norm": "post", "hypotheses": "generic", "block": "layer",
        "family": "bert", "kind": "ungated", "activation": "gelu", "statement": "X1b", "proof": "p = 4194301",
        "seconds": 2.5, "peak_mebibytes": 300.0,
    }  # fmt: skip
    decided = {
        "verdict": "NOT_ABSORBABLE", "certificate_entries": 1537, "checked": True, "margin_lower": 0.58591,
        "margin_upper": 0.731, "extra_lower": 66, "extra_upper": 384,
    }  # fmt: skip
    gated = {
        "kind": "gated",
        "activation": "silu",
        "statement": "Proposition 2",
        "biases": "none",
        "norm": "pre",
    }
    never = {**common, **gated, "verdict": "NOT_ABSORBABLE", "hypotheses": "none needed", "family": "llama"}
    rows = [
        {"model": "generated/bert", "number": 0, **common, **decided, "expected": "NOT_ABSORBABLE"},
        {"model": "generated/llama", "number": 0, **never, "expected": "NOT_ABSORBABLE"},
    ]
    margins = []
    if ran:
        rows += [
            {"model": "an_encoder", "number": 0, **common, **decided},
            {"model": "an_encoder", "number": 1, **common, "verdict": "UNKNOWN"},
            {"model": "other", "number": 0, **never},
        ]
        kinds = [("trained", 0, 0.6, 0.7), ("random", 0, 0.997, 1.0), ("random", 1, 0.998, 1.0)]
        margins = [
            {"model": model, "number": number, "weights": weights, "draw": draw, "units": 3}
            | {"lower": low - 1e-9, "relaxed": low, "upper": high}
            for model, number in (("an_encoder", 0), ("an_encoder", 1), ("other", 0))
            for weights, draw, low, high in kinds
        ]
    else:
        rows += [{"model": "an_encoder", "number": number, "verdict": "not run"} for number in range(2)]
    names = [column.name for column in table_schema("checkpoint_margin").columns]
    return {
        "checkpoint_audit": validate_table("checkpoint_audit", pd.DataFrame(rows, columns=columns)),
        "checkpoint_margin": validate_table("checkpoint_margin", pd.DataFrame(margins, columns=names)),
    }


def make_absorbed(*, ran: bool = True) -> pd.DataFrame:
    """Return the comparison of an encoder with itself without skips, or that of one that was not there."""
    columns = [column.name for column in table_schema("absorbed_checkpoint").columns]
    common = {
        "model": "an_encoder", "status": "run", "blocks": 6, "d": 384, "N": 1536, "least_width": 1602,
        "proved": True, "parameters_before": 22713728, "parameters_after": 24485504, "sentences": 8,
        "operations_before": 2359680, "operations_after": 2949120, "round_off": 1e-7,
        "mistaken_cosine_distance": 0.18, "seconds": 60.0,
    }  # fmt: skip
    sizes = {"minimal": (1920, False, 4.9, 5.2e-6, 1e-7), "exact": (2304, True, 0.0078, 0.0, 0.0)}
    rows = [
        {**common, "variant": variant, "precision": precision, "width": width, "exact": exact}
        | {"largest_delta": delta, "skip_error": error / 10, "skip_error_norm": error}
        | {"column_error": moved, "bias_error": moved, "cosine_distance": 1e-12, "difference": rounding}
        | {"ulps": 5.5}
        for variant, (width, exact, delta, error, moved) in sizes.items()
        for precision, rounding in (("float32", 1e-6), ("float64", 2e-16))
    ]
    if not ran:
        keys = ("model", "variant", "precision")
        rows = [{**{key: row[key] for key in keys}, "status": "not run"} for row in rows]
    return validate_table("absorbed_checkpoint", pd.DataFrame(rows, columns=columns))


def make_widths() -> pd.DataFrame:
    rows = [
        {
            "activation": activation,
            "d": d,
            "N": n,
            "target": target,
            "extra": d,
            "linear_terms": 0,
            "width": n + extra,
            "width_minus_N": extra,
            "best_train": loss,
            "best_heldout": loss,
            "max_weight": 3.0,
            "success": extra >= d,
            "start": "random",
            "restarts": 8,
            "long_steps": 0,
            "halfway_train": None,
            "halfway_weight": None,
            "seconds": 0.5,
        }
        for activation in ("gelu", "relu")
        for d, n in ((2, 4), (3, 6))
        for target in range(2)
        for extra in range(-1, d + 2)
        for loss in [10.0 ** (-28 - target) if extra >= d else 10.0 ** (-3 - extra - target)]
    ]
    return validate_table("width_threshold", pd.DataFrame(rows))


def make_formal(*, ran: bool = True) -> pd.DataFrame:
    """Return the ledger's theorems, the first without axioms; or as they are listed without Coq."""
    rows = pd.read_csv(REPOSITORY / "formal" / "ledger.csv", dtype=str)
    rows = rows.assign(number=range(1, len(rows) + 1), lines=100)
    classical = ["none", *["boolp.propositional_extensionality"] * (len(rows) - 1)]
    result = (2.5, classical, True, "proved") if ran else (None, None, None, "not run")
    return validate_table(
        "formal", rows.assign(**dict(zip(("seconds", "axioms", "rechecked", "status"), result, strict=True)))
    )


def make_architectures() -> pd.DataFrame:
    common = {"activation": "gelu", "gated": False, "biases": True, "skip": "identity", "cases": 30}
    rows = [
        {**common, "system": "ViT", "d": d, "N": 4 * d, "result": "X1b", "further_units": d, "agree": 30}
        for d in (2, 3)
    ]
    swiglu = {"system": "LLaMA", "activation": "silu", "gated": True, "biases": False, "d": 3, "N": 8}
    never = {"result": "Proposition 2", "further_units": None, "agree": 29}
    return validate_table("architectures", pd.DataFrame([*rows, {**common, **swiglu, **never}]))


@pytest.fixture
def claims() -> list[dict[str, Any]]:
    return [make_claim(identifier) for identifier in CLAIMS]


@pytest.fixture
def results() -> dict[str, pd.DataFrame]:
    return {
        **make_audit(),
        "formal": make_formal(),
        **make_experiments(),
        **make_depth(),
        "width_threshold": make_widths(),
        "absorbed_checkpoint": make_absorbed(),
        "architectures": make_architectures(),
    }
