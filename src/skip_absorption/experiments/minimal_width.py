"""The exact least width N + k* (X1) of random, planted and rank-deficient networks, and of all kinds of skip.

Each draw is searched exactly, over all flipped and doubled sets where bounds do not meet before. The families
come with the k* that the theory predicts; the random measures (`random_measures`) come without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from skip_absorption.absorption.width import minimal_width
from skip_absorption.exact.rational import ExactArray, rank
from skip_absorption.measures import (
    gaussian,
    generator,
    generic_integers,
    integers,
    is_generic,
    planted_width,
)

if TYPE_CHECKING:
    import pandas as pd

EXPERIMENT = "minimal_width"
BOUND = 1000  # entries of random integers

Network = tuple[ExactArray, ExactArray, ExactArray | None]
Case = tuple[int, int, Callable[[np.random.Generator], Network]]
"""A parameter, the k* predicted for it, and how a network is drawn."""


def _random(d: int, n: int) -> Iterator[Case]:
    """Gaussian weights: k* = d (Proposition 8)."""

    def draw(rng: np.random.Generator) -> Network:
        return gaussian((n, d), rng=rng), gaussian((d, n), rng=rng), None

    yield d, d, draw


def _planted(d: int, n: int) -> Iterator[Case]:
    """Weights for each k* = 0..d."""

    def draw(extra: int, rng: np.random.Generator) -> Network:
        return (*planted_width(d, n, extra, rng=rng), None)

    for extra in range(d + 1):
        yield extra, extra, partial(draw, extra)


def _rank_deficient(d: int, n: int) -> Iterator[Case]:
    """W_up of each rank r from 2 to d − 1, generic W_down: k* = 2d − r."""

    def draw(r: int, rng: np.random.Generator) -> Network:
        while True:
            up = integers((n, r), rng=rng, bound=BOUND) @ integers((r, d), rng=rng, bound=BOUND)
            down = integers((d, n), rng=rng, bound=BOUND)
            if is_generic(up, down) and rank(up) == r:
                return up, down, None

    for r in range(2, d):
        yield r, 2 * d - r, partial(draw, r)


def _skips(d: int, n: int) -> Iterator[Case]:
    """Skips of each rank, otherwise generic: k* = min(2 rank, d)."""

    def draw(r: int, rng: np.random.Generator) -> Network:
        while True:
            skip = integers((d, r), rng=rng, bound=BOUND) @ integers((r, d), rng=rng, bound=BOUND)
            if r == 0 or rank(skip) == r:
                return (*generic_integers(d, n, rng=rng, bound=BOUND), skip)

    for r in range(d + 1):
        yield r, min(2 * r, d), partial(draw, r)


FAMILIES: dict[str, Callable[[int, int], Iterator[Case]]] = {
    "random": _random,
    "planted": _planted,
    "rank_deficient": _rank_deficient,
    "skips": _skips,
}
"""The families whose k* is predicted, by name."""


def run_cell(d: int, n: int, *, draws: int, cases: int, seed: int = 0) -> pd.DataFrame:
    """Return rows of ``minimal_width``: `draws` random networks, and `cases` for each case of the others."""
    import pandas as pd

    rows = []
    for family, listed in FAMILIES.items():
        for parameter, predicted, draw in listed(d, n):
            rng = generator(EXPERIMENT, f"{family}/{d}/{n}/{parameter}", seed)
            networks = (draw(rng) for _ in range(draws if family == "random" else cases))
            case = {"family": family, "d": d, "N": n, "parameter": parameter, "predicted": predicted}
            rows += least_widths(case, networks, rng=rng)
    return pd.DataFrame(rows)


def least_widths(
    case: Mapping[str, Any], networks: Iterable[Network], *, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Compute the least width of each network (W_up, W_down, skip or None) of a case; count the outcomes.

    Returns
    -------
    list of dict
        One row of ``minimal_width`` for each pair of bounds of least width − N; decided ones are equal.
    """
    started, n = perf_counter(), int(case["N"])
    found: Counter[tuple[int, int]] = Counter()
    for up, down, skip in networks:
        least = minimal_width(up, down, skip=skip, rng=rng)
        found[least.lower - n, least.upper - n] += 1
    seconds = perf_counter() - started
    return [
        {
            **case,
            "lower": lower,
            "upper": upper,
            "count": count,
            "draws": found.total(),
            "seconds": seconds * count / found.total(),
        }
        for (lower, upper), count in sorted(found.items())
    ]
