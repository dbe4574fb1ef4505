r"""What the paper says of the experiments: counts and extremes as macros, the table of random weights."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skip_absorption.latex import numbers
from skip_absorption.latex.macros import Macros
from skip_absorption.latex.tables import booktabs

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("distance", "homogeneous", "minimal_width", "random_measures", "width_threshold")
"""The tables that `experiment_macros` needs."""

_FAMILIES = ("random", "planted", "rank_deficient", "skips")
_SIZES = 3  # of the table of random measures
_MEASURES = {
    "gaussian": "Gaussian",
    "kaiming": "Kaiming uniform",
    "lecun": "LeCun uniform",
    "xavier": "Xavier uniform",
    "orthogonal": "orthogonal frames",
    "student": "Student-$t$, 2 d.f.",
    "correlated": "correlated rows",
    "low_rank": "rank $d-1$",
    "sparse": "sparse Gaussian",
    "bfloat16": "bfloat16",
    "float8": "float8 (e4m3)",
    "int8": "int8, step $1/32$",
    "int4": "int4, step $1/4$",
    "ternary": "ternary",
}


def experiment_macros(results: Mapping[str, pd.DataFrame]) -> Macros:
    """Return what the text says about all experiments but the fits of random targets."""
    return (
        _exact(results["minimal_width"])
        | _thresholds(results["width_threshold"])
        | _closure(results["width_threshold"])
        | _homogeneous(results["homogeneous"])
        | _random(results["random_measures"])
        | _distance(results["distance"])
    )


def _exact(table: pd.DataFrame) -> Macros:
    known = table[table["family"].isin(_FAMILIES)]
    agree = (known["lower"] == known["predicted"]) & (known["upper"] == known["predicted"])
    return {
        "ResExactNetworks": numbers.integer(known["count"].sum()),
        "ResExactAgree": numbers.integer(known.loc[agree, "count"].sum()),
        "ResExactCases": numbers.integer(known.groupby(["family", "d", "N", "parameter"]).ngroups),
        "ResExactSeconds": numbers.seconds(float(table["seconds"].sum())),
    }


def _thresholds(table: pd.DataFrame) -> Macros:
    keys = ["activation", "d", "N", "target", "extra"]
    plain = table[table["linear_terms"] == 0]
    least: Any = plain[plain["success"].astype(bool)].groupby(keys)["width_minus_N"].min().reset_index()
    targets = plain.groupby(keys).ngroups
    planted = plain[plain["extra"] < plain["d"]].groupby(keys).ngroups
    return {
        "ResThresholdTargets": numbers.integer(targets),
        "ResThresholdPlanted": numbers.integer(planted),
        "ResThresholdAgree": numbers.integer((least["width_minus_N"] == least["extra"]).sum()),
        "ResThresholdBelow": numbers.integer((least["width_minus_N"] < least["extra"]).sum()),
    }


def _closure(table: pd.DataFrame) -> Macros:
    """Compare the long fits one unit below N + d with those that have a free linear term for one unit."""
    keys = ["activation", "d", "N", "target"]
    long = table[(table["extra"] == table["d"]) & (table["long_steps"] > 0)]
    units, term = (long[long["linear_terms"] == count].set_index(keys).sort_index() for count in (0, 1))
    fallen = units["best_train"] < units["halfway_train"] / 2
    return {
        "ResClosureSteps": numbers.integer(numbers.reduced(long["long_steps"], "max")),
        "ResClosureTargets": numbers.integer(len(units)),
        "ResClosureHalved": numbers.integer(fallen.sum()),
        "ResClosureLarge": numbers.integer((units["max_weight"] > 1e4).sum()),
        "ResClosureWeight": numbers.scientific(numbers.reduced(units["max_weight"], "max")),
        "ResClosureLeast": numbers.scientific(numbers.reduced(units["best_train"], "min")),
        "ResClosureTermBetter": numbers.integer((term["best_train"] < units["best_train"]).sum()),
        "ResClosureTermFitted": numbers.integer(term["success"].astype(bool).sum()),
        "ResClosureTermLeast": numbers.scientific(numbers.reduced(term["best_train"], "min")),
    }


def _homogeneous(table: pd.DataFrame) -> Macros:
    return {
        "ResHomogeneousFits": numbers.integer(len(table)),
        "ResHomogeneousPassed": numbers.integer((table["least"] < table["bound"] * (1 - 1e-6)).sum()),
        "ResHomogeneousNearest": _decimals(numbers.reduced(table["greatest"] / table["bound"], "min"), 3),
    }


def _random(table: pd.DataFrame) -> Macros:
    sampled = table[table["method"] == "sampling"]
    broken = sampled.groupby("measure")["violations"].transform("sum")
    clean = sampled[broken == 0]
    listed = table[table["method"] == "enumeration"].set_index(["measure", "d", "N"])
    both = sampled.set_index(["measure", "d", "N"]).join(
        listed["fraction"].rename("fraction_exact"), how="inner"
    )
    inside = (both["low"] <= both["fraction_exact"]) & (both["fraction_exact"] <= both["high"])
    return {
        "ResRandomMeasures": numbers.integer(table["measure"].nunique()),
        "ResRandomDraws": numbers.integer(sampled["draws"].sum()),
        "ResRandomEach": numbers.integer(numbers.reduced(sampled["draws"], "max")),
        "ResRandomUndecided": numbers.integer(table["undecided"].sum()),
        "ResRandomCleanMeasures": numbers.integer(clean["measure"].nunique()),
        "ResRandomCleanDraws": numbers.integer(clean["draws"].sum()),
        "ResRandomCleanHits": numbers.integer(clean["condition"].sum()),
        "ResRandomCleanBound": numbers.scientific(numbers.reduced(clean["condition_high"], "max")),
        "ResRandomListed": numbers.integer(len(both)),
        "ResRandomListedInside": numbers.integer(inside.sum()),
        "ResRandomListedTotal": numbers.integer(listed["draws"].sum()),
    }


def _distance(table: pd.DataFrame) -> Macros:
    """Return how many distances are known, and their means at N = 4d for the least and the greatest d."""
    measure = "lecun" if (table["measure"] == "lecun").any() else str(table["measure"].iloc[0])
    four = table[(table["measure"] == measure) & (table["N"] == 4 * table["d"])]
    relative = four["upper"] / four["d"].astype(float) ** 0.5
    means = relative.groupby(four["d"]).mean()
    return {
        "ResDistanceNetworks": numbers.integer(len(table)),
        "ResDistanceExact": numbers.integer((table["method"] != "bounds").sum()),
        "ResDistanceEach": numbers.integer(
            numbers.reduced(table.groupby(["measure", "d", "N"]).size(), "max")
        ),
        "ResDistanceSmall": numbers.integer(numbers.reduced(four["d"], "min")),
        "ResDistanceSmallMean": _decimals(float(means.iloc[0]) if len(means) else float("nan"), 2),
        "ResDistanceLarge": numbers.integer(numbers.reduced(four["d"], "max")),
        "ResDistanceLargeMean": _decimals(float(means.iloc[-1]) if len(means) else float("nan"), 2),
        "ResDistanceEmpty": numbers.integer((table["units"] == 0).sum()),
    }


def _decimals(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else numbers.NOT_RUN


def random_table(table: pd.DataFrame) -> str:
    """Return the absorbable fractions and their intervals in per cent, one row a measure, for telling sizes.

    These are the sizes at which the most measures absorb sometimes but not always.
    """
    sampled = table[table["method"] == "sampling"]
    open_ = (sampled["fraction"] > 0) & (sampled["fraction"] < 1)
    telling = open_.groupby([sampled["d"], sampled["N"]]).sum().sort_values(ascending=False, kind="stable")
    sizes = sorted((int(d), int(n)) for d, n in list(telling.index)[:_SIZES])
    rows = []
    for measure in dict.fromkeys([*_MEASURES, *sorted(set(sampled["measure"]))]):
        part = sampled[sampled["measure"] == measure]
        if len(part):
            cells = [_cell(part[(part["d"] == d) & (part["N"] == n)]) for d, n in sizes]
            rows.append(
                [measure_name(measure), *cells, _share(part["violations"].sum() / part["draws"].sum())]
            )
    header = ["weights", *(f"$d={d}$, $N={n}$" for d, n in sizes), "violations"]
    return booktabs("l" + "l" * len(sizes) + "r", header, rows)


def measure_name(name: str) -> str:
    """Return the name of a distribution in LaTeX."""
    bound = name.removeprefix("integers_")
    return rf"integers in $\pm{bound}$" if bound != name else _MEASURES.get(name, numbers.escape(name))


def _cell(rows: pd.DataFrame) -> str:
    if not len(rows):
        return numbers.NOT_RUN
    row = rows.iloc[0]
    if row["absorbable"] == 0 and row["undecided"] == 0:
        return rf"0 \,[0, {_share(row['high'])}]"
    return rf"{_share(row['fraction'])} \,[{_share(row['low'])}, {_share(row['high'])}]"


def _share(value: float) -> str:
    """Return a probability in per cent, to two significant digits, or three from 10 on."""
    percent = 100 * value
    if 0 < percent < 1e-4:
        return numbers.scientific(percent)
    return f"{percent:.{3 if percent >= 10 else 2}g}"
