"""Small invented results of the experiments: enough to typeset, never stored as results."""

import math
from typing import Any

import pandas as pd

from skip_absorption.results.schema import validate_table

FAMILIES = {"random": 2, "planted": 1, "rank_deficient": 4, "skips": 2, "ternary": None}


def make_long_fits() -> list[dict[str, Any]]:
    """Return fits one unit below N + d and with a linear term, and a planted target fitted where it is."""
    common = {"activation": "gelu", "d": 2, "N": 4, "start": "random", "restarts": 8, "seconds": 0.5}
    common |= {"best_heldout": 1e-5, "success": False}
    long = {"long_steps": 100, "halfway_train": 4e-5, "halfway_weight": 9e3}
    short = {"long_steps": 0, "halfway_train": None, "halfway_weight": None}
    rows = []
    for target in (7, 8):
        fit = {**common, **long, "target": target, "extra": 2, "best_train": 1e-5 * (1 + 3 * (target - 7))}
        rows.append({**fit, "width": 5, "width_minus_N": 1, "linear_terms": 0, "max_weight": 2e4})
        term = {"width": 4, "width_minus_N": 0, "linear_terms": 1, "max_weight": 3.0, "best_train": 2e-5}
        rows.append({**fit, **term})
    for more in range(-1, 4):
        planted = {"target": 9, "extra": 1, "width": 4 + more, "width_minus_N": more, "linear_terms": 0}
        fit = {"best_train": 1e-30, "max_weight": 2.0, "success": more >= 1}
        rows.append({**common, **short, **planted, **fit})
    return rows


def make_experiments() -> dict[str, pd.DataFrame]:
    """Return the tables by name, but for `width_threshold`."""
    least = [
        {
            "family": family,
            "d": 3,
            "N": 4,
            "parameter": 2,
            "predicted": extra,
            "lower": 2 if extra is None else extra,
            "upper": 2 if extra is None else extra,
            "count": 20000,
            "draws": 20000,
            "seconds": 1.5,
        }
        for family, extra in FAMILIES.items()
    ]
    sampled = {
        "method": "sampling",
        "draws": 1000,
        "condition_low": 0.0,
        "condition_high": 0.003,
        "undecided": 0,
    }
    random = [
        {
            "measure": measure,
            "d": d,
            "N": 4,
            **sampled,
            "condition": 0,
            "violations": 10 * hits,
            "decided": 500,
            "absorbable": hits,
            "fraction": hits / 500,
            "low": 0.9 * hits / 500,
            "high": 1.1 * hits / 500 or 0.006,
            "seconds": 0.1,
        }
        for measure, hits in (("gaussian", 0), ("integers_2", 5), ("ternary", 100))
        for d in (2, 3)
    ]
    random.append({**random[-2], "method": "enumeration", "draws": 6561, "fraction": 0.21})
    distances = [
        {
            "measure": "lecun",
            "d": d,
            "N": ratio * d,
            "draw": draw,
            "lower": 0.5 * d**0.5,
            "upper": 0.75 * d**0.5,
            "relaxed": 0.4,
            "units": draw,
            "method": "bounds" if ratio == 4 else "enumeration",
            "nodes": 16,
            "seconds": 0.1,
        }
        for d in (2, 8)
        for ratio in (1, 4)
        for draw in range(2)
    ]
    errors = [
        {
            "activation": activation,
            "d": 2,
            "N": 4,
            "target": 0,
            "width": 4 * factor,
            "greatest": 0.2071 * (1 + 1 / factor),
            "least": 0.2071,
            "bound": 0.2071,
            "seconds": 0.1,
        }
        for activation in ("relu_squared", "reglu")
        for factor in (1, 8)
    ]
    compositions = [
        {
            "measure": measure,
            "d": d,
            "N": 4,
            "L": 2,
            "scale": scale,
            "draws": 100,
            "visible": 7.5,
            "all_visible": 60,
            "dimension_least": 17,
            "dimension_median": 24,
            "violations": 0,
            "plain_dimension": 20,
            "excluded": 100 - int(scale),
            "fraction": 1 - scale / 100,
            "low": 0.9 - scale / 100,
            "high": 1.0,
            "by_dimension": 100,
            "seconds": 0.5,
        }
        for measure in ("gaussian", "lecun")
        for d in (2, 3)
        for scale in (0.5, 8.0)
    ]
    angles = [math.pi * k / 8 for k in range(16)]
    fold = [
        {
            "block": block,
            "point": k,
            "sector": k // 2,
            "ray": k % 2 == 0,
            "x": math.cos(angle),
            "y": abs(math.sin(angle)) if block == 9 else math.sin(angle) * (1 + block / 9),
        }
        for block in range(10)
        for k, angle in enumerate(angles)
    ]
    tables = {"minimal_width": least, "random_measures": random, "distance": distances, "homogeneous": errors}
    tables |= {"depth_relu": compositions, "fold": fold}
    return {name: validate_table(name, pd.DataFrame(rows)) for name, rows in tables.items()}


def make_depth() -> dict[str, pd.DataFrame]:
    """Return the tables on depth, analytic part: one certificate that failed, one skip that is singular."""
    common = {"d": 2, "L": 2, "naive": 12, "bits": 64, "rechecked": True, "seconds": 0.5}
    ranks = [
        {
            **common,
            "family": family,
            "activation": activation,
            "widths": "3 3",
            "ranks": "2 2" if family == "identity" else "1 1",
            "parameters": 24,
            "bound": 24 - (family == "singular"),
            "k_H": 20,
            "numerical_residual": 24 - (family == "singular"),
            "numerical_plain": 20,
            "certified": None
            if (family, activation) == ("singular", "silu")
            else 24 - (family == "singular"),
            "log10_low": -5.25,
            "log10_high": -5.25,
        }
        for family in ("identity", "singular")
        for activation in ("gelu", "gelu_tanh", "silu")
    ]
    excluded = [
        {"d": 2, "N": 3, "L": 2, "width": width, "depth": depth, "k_H": 8 * width, "parameters": 24}
        | {"status": "excluded" if width < 3 else "open" if width < 5 else "suffices"}
        for width in range(1, 6)
        for depth in (1, 2)
    ]
    scaling = [
        {"activation": activation, "L": depth, "t": t, "ratio": 0.5 * t**slope, "slope": slope}
        for activation, t in (("relu_squared", 0.1), ("swiglu", 0.1), ("relu_root", 10.0))
        for depth in (1, 2)
        for slope in [(0.5 if activation == "relu_root" else 2.0) ** depth - 1]
        for t in (1.0, t, t**2, t**3)
    ]
    losses = {"3 2": 1e-2, "3 3": 1e-3, "4 4": 1e-4, "5 5": 1e-30}
    fits = [
        {"activation": activation, "d": 2, "N": 3, "L": 2, "target": 0, "widths": widths, "parameters": 24}
        | {"k_H": 4 * sum(map(int, widths.split())) - 4, "best_train": loss, "best_heldout": 2 * loss}
        | {"restarts": 12, "seconds": 1.0}
        for activation in ("gelu", "relu")
        for widths, loss in losses.items()
    ]
    tables = {"depth_analytic": ranks, "depth_excluded": excluded, "depth_scaling": scaling}
    tables["depth_fits"] = fits
    return {name: validate_table(name, pd.DataFrame(rows)) for name, rows in tables.items()}
