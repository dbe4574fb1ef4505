"""How often do random weights absorb the identity skip at their own width? Every answer is exact.

Condition (3) and the generic hypotheses are decided for all draws in one batch. Where the hypotheses hold,
(3) decides absorption (Theorem 4); where (3) holds, the skip is absorbed in any case. The networks that are
left have redundant units: their least width is computed from the canonical form (X1, X5), for ReLU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product
from math import factorial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.batch import BatchDecision, decide_batch
from skip_absorption.absorption.width import minimal_width
from skip_absorption.distributions import Distribution, distribution
from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.minimal_width import least_widths
from skip_absorption.measures import generator
from skip_absorption.results.schema import table_schema

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

EXPERIMENT = "random_measures"
LEVEL = 0.95
"""The confidence of the intervals."""

SAMPLING, ENUMERATION = "sampling", "enumeration"
_MOST_MULTISETS = 300_000


@dataclass(frozen=True)
class Answers:
    """Exact answers for a batch: arrays of booleans, one entry a network.

    Attributes
    ----------
    condition, generic
        Whether (3) holds, and whether the generic hypotheses do.
    absorbable, undecided
        Whether the skip is absorbed at width N, and whether that stayed open.
    """

    condition: NDArray[np.bool_]
    generic: NDArray[np.bool_]
    absorbable: NDArray[np.bool_]
    undecided: NDArray[np.bool_]


def clopper_pearson(hits: int, draws: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the exact two-sided confidence interval of a probability, given hits among independent draws.

    Without a hit, or with hits only, one side is 0 or 1 and the interval is one-sided at the same level.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.0295)
    """
    from scipy.stats import beta

    if not 0 <= hits <= draws or draws < 1:
        raise InvalidInput("hits", f"lie in 0..{draws}, of at least 1 draw", hits)
    tail = (1 - level) / (1 if hits in (0, draws) else 2)
    low = 0.0 if hits == 0 else float(beta.ppf(tail, hits, draws - hits + 1))
    high = 1.0 if hits == draws else float(beta.ppf(1 - tail, hits + 1, draws - hits))
    return low, high


def run_shard(
    name: str, sizes: Sequence[tuple[int, int]], shard: int, *, draws: int, searches: int, seed: int = 0
) -> pd.DataFrame:
    """Draw one block of networks of each size; return rows of ``random_measures_shard``.

    Parameters
    ----------
    name
        The distribution.
    sizes
        Pairs (d, N); each size and shard has a stream of its own.
    shard
        Index of the block, from 0.
    draws
        Networks of this block for each size.
    searches
        If more than so many of them need a search for their least width, absorption is decided for the first
        `searches` networks only.
    """
    import pandas as pd

    drawn, rows = distribution(name), []
    for d, n in sizes:
        started, cell = perf_counter(), {"measure": name, "d": d, "N": n, "shard": shard}
        rng = generator(EXPERIMENT, f"{name}/{d}/{n}/{shard}", seed)
        row = sampled_row(*drawn.draw((draws, d, n), rng), searches=searches, rng=rng)
        rows.append({**cell, **row, "seconds": perf_counter() - started})
        print(f"{name}, d = {d}, N = {n}: {row['condition']} of {draws} satisfy (3)", flush=True)
    return pd.DataFrame(rows)


def merge_shards(shards: pd.DataFrame) -> pd.DataFrame:
    """Add up the counts of all shards of each measure and size; return rows of ``random_measures``.

    Notes
    -----
    Where some shard decided absorption for its first networks only, those of every shard are counted: to
    count all networks of the shards with few searches would favour these.
    """
    import pandas as pd

    rows = []
    for (name, d, n), parts in shards.groupby(["measure", "d", "N"], sort=True):
        sums = parts.drop(columns=["measure", "d", "N", "shard"]).sum()
        prefix = "" if sums["decided"] == sums["draws"] else "first_"
        counts = {key: int(sums[key]) for key in ("draws", "condition", "violations")}
        counts |= {key: int(sums[f"{prefix}{key}"]) for key in ("decided", "absorbable", "undecided")}
        cell = {"measure": name, "d": d, "N": n, "method": SAMPLING}
        rows.append({**cell, **counts, **_intervals(counts), "seconds": float(sums["seconds"])})
    return pd.DataFrame(rows)


def run_measure(
    name: str,
    sizes: Sequence[tuple[int, int]],
    *,
    widths: int,
    enumerated: Sequence[tuple[int, int]] = (),
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List all values of one distribution, and compute least widths; return the rows of both.

    Parameters
    ----------
    name
        The distribution.
    sizes
        Pairs (d, N) at which least widths are computed, each with a stream of its own.
    widths
        Networks whose least width is computed, for each size.
    enumerated
        Sizes at which all values of the weights are listed.

    Returns
    -------
    listed, least
        Rows of ``random_measures``, which may be none, and of ``minimal_width``.
    """
    import pandas as pd

    drawn = distribution(name)
    rows, least = list[dict[str, Any]](), list[dict[str, Any]]()
    for d, n in sizes:
        rng = generator(EXPERIMENT, f"{name}/{d}/{n}/widths", seed)
        networks = ((up, down, None) for up, down in zip(*drawn.draw((widths, d, n), rng), strict=True))
        family = {"family": name, "d": d, "N": n, "parameter": 0, "predicted": None}
        least += least_widths(family, networks, rng=rng)
    for d, n in enumerated:
        started, cell = perf_counter(), {"measure": name, "d": d, "N": n}
        rng = generator(EXPERIMENT, f"{name}/{d}/{n}/{ENUMERATION}", seed)
        row = enumerated_row(drawn, d, n, rng=rng)
        rows.append({**cell, "method": ENUMERATION, **row, "seconds": perf_counter() - started})
        print(f"{name}, d = {d}, N = {n}: {row['absorbable']} of {row['draws']} absorb", flush=True)
    columns = [column.name for column in table_schema("random_measures").columns]
    return pd.DataFrame(rows, columns=columns), pd.DataFrame(least)


def decide_all(w_up: Floats, w_down: Floats, *, rng: np.random.Generator) -> Answers:
    """Decide (3), the hypotheses and absorption for all networks."""
    found = decide_batch(w_up, w_down, rng=rng)
    return Answers(found.condition, found.generic, *_absorption(found, w_up, w_down, len(w_up), rng=rng))


def _absorption(
    found: BatchDecision, w_up: Floats, w_down: Floats, first: int, *, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for the first networks whether the skip is absorbed, and whether that stayed open."""
    absorbable, undecided = found.condition[:first].copy(), np.zeros(first, dtype=bool)
    n = w_up.shape[1]
    for b in np.flatnonzero(~found.condition[:first] & ~found.generic[:first]):
        width = minimal_width(w_up[b], w_down[b], rng=rng)
        absorbable[b] = width.upper <= n
        undecided[b] = width.lower <= n < width.upper
    return absorbable, undecided


def sampled_row(w_up: Floats, w_down: Floats, *, searches: int, rng: np.random.Generator) -> dict[str, int]:
    """Return the counts of a sample: over all networks, over those decided, and over the first `searches`."""
    draws = len(w_up)
    found = decide_batch(w_up, w_down, rng=rng)
    open_ = int((~found.condition & ~found.generic).sum())
    first = min(searches, draws)
    decided = draws if open_ <= searches else first
    absorbable, undecided = _absorption(found, w_up, w_down, decided, rng=rng)
    return {
        "draws": draws,
        "condition": int(found.condition.sum()),
        "violations": int((~found.generic).sum()),
        "decided": decided,
        "absorbable": int(absorbable.sum()),
        "undecided": int(undecided.sum()),
        "first_decided": first,
        "first_absorbable": int(absorbable[:first].sum()),
        "first_undecided": int(undecided[:first].sum()),
    }


def _intervals(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the fraction of absorbing networks and the intervals of both probabilities."""
    draws, decided, condition = counts["draws"], counts["decided"], counts["condition"]
    hits, unknown = counts["absorbable"], counts["undecided"]
    return {
        "condition_low": clopper_pearson(condition, draws)[0],
        "condition_high": clopper_pearson(condition, draws)[1],
        "fraction": hits / decided,
        "low": clopper_pearson(hits, decided)[0],
        "high": clopper_pearson(hits + unknown, decided)[1],
    }


def enumerated_row(drawn: Distribution, d: int, n: int, *, rng: np.random.Generator) -> dict[str, Any]:
    """Return the counts over all values of the weights, for independent entries uniform on few values.

    Notes
    -----
    A network is a multiset of units: the order of its units changes nothing. Nor does a signed permutation Q
    of the coordinates, W_up Q and Qᵀ W_down, which carries a residual block to a conjugate one. One network
    of each class is decided, and counted as often as the class has members.
    """
    up, down, counts = classes_of_weights(drawn, d, n)
    answers = decide_all(up, down, rng=rng)
    total = int(counts.sum())
    condition, absorbable = int(counts[answers.condition].sum()), int(counts[answers.absorbable].sum())
    unknown = int(counts[answers.undecided].sum())
    return {
        "draws": total,
        "condition": condition,
        "condition_low": condition / total,
        "condition_high": condition / total,
        "violations": int(counts[~answers.generic].sum()),
        "decided": total,
        "absorbable": absorbable,
        "undecided": unknown,
        "fraction": absorbable / total,
        "low": absorbable / total,
        "high": (absorbable + unknown) / total,
    }


def classes_of_weights(drawn: Distribution, d: int, n: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return a network of each class, shapes (count, N, d) and (count, d, N), and the classes' sizes."""
    if drawn.values is None:
        raise InvalidInput("distribution", "have independent entries on few values", drawn.name)
    units = np.array(list(product(drawn.values, repeat=2 * d)), dtype=np.int64)  # a row, then a column
    places = {tuple(unit): place for place, unit in enumerate(units.tolist())}
    if len(units) ** n > factorial(n) * _MOST_MULTISETS:
        raise InvalidInput("N", f"leave at most {_MOST_MULTISETS} multisets of units", n)
    multisets = np.array(list(combinations_with_replacement(range(len(units)), n)), dtype=np.int64)
    counts = np.array([_orders(row, n) for row in multisets.tolist()], dtype=np.int64)
    least = _ranks(multisets, len(units))
    for order, signs in product(permutations(range(d)), product((1, -1), repeat=d)):
        moved = np.hstack([units[:, :d][:, order] * signs, units[:, d:][:, order] * signs])
        image = np.array([places[tuple(unit)] for unit in moved.tolist()])
        least = np.minimum(least, _ranks(np.sort(image[multisets], axis=1), len(units)))
    _, first, member = np.unique(least, return_index=True, return_inverse=True)
    sizes = np.bincount(member.ravel(), weights=counts).astype(np.int64)
    chosen = units[multisets[first]].astype(np.float64)
    return chosen[:, :, :d].copy(), chosen[:, :, d:].transpose(0, 2, 1).copy(), sizes


def _orders(row: list[int], n: int) -> int:
    count = factorial(n)
    for unit in set(row):
        count //= factorial(row.count(unit))
    return count


def _ranks(multisets: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    return multisets @ (base ** np.arange(multisets.shape[1], dtype=np.int64))
