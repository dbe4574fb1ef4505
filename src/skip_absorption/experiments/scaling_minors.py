"""What does one of the 2^N principal minors cost? All at once, against one determinant after another.

Ours computes all 2^N and decides every zero over Z. The peers compute a random sample, one subset at a time
(FLINT, exact) or in batches (LAPACK, rounded: it decides nothing). The methods take turns within one process
with one thread; what is quoted is processor time for each subset, set-up and everything else included.
`minimal_width` is timed on the same weights.
"""

from __future__ import annotations

import logging
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.minors import MAX_SIZE, MAX_UNITS, zero_minors
from skip_absorption.absorption.width import minimal_width
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import to_fmpq_mat
from skip_absorption.exact.verdict import Verdict
from skip_absorption.experiments.benchmarking import in_child, parser, run
from skip_absorption.measures import generator

EXPERIMENT = "scaling_minors"
SAMPLE = 4096
_LONG = Budget(seconds=3600)

_log = logging.getLogger(__name__)

Weights = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class Row:
    """One method at one size: subsets computed, nanoseconds for each in all turns, peak memory of one run."""

    method: str
    d: int
    N: int
    subsets: int
    turns: int
    median_nanoseconds: float
    min_nanoseconds: float
    max_nanoseconds: float
    median_ratio: float
    peak_mebibytes: float


def draw_weights(d: int, n: int, rng: np.random.Generator) -> Weights:
    """Draw standard normal w_up, (N, d), and w_down, (d, N): generic, so that no minor vanishes."""
    return rng.standard_normal((n, d)), rng.standard_normal((d, n))


def _ours(weights: Weights, rng: np.random.Generator) -> int:
    found = zero_minors(*weights, rng=rng, budget=_LONG)
    if found.verdict is Verdict.UNKNOWN:
        raise AssertionError(found.tried)
    return found.subsets


def _width(weights: Weights, rng: np.random.Generator) -> int:
    found = minimal_width(*weights, rng=rng, budget=_LONG)
    if found.verdict is Verdict.UNKNOWN:
        raise AssertionError(" ".join(found.how))
    return 1 << len(weights[0])


def _flint(weights: Weights, rng: np.random.Generator) -> int:
    up, down = weights
    identity = to_fmpq_mat(np.eye(up.shape[1]))
    dyads = [to_fmpq_mat(down[:, [i]]) * to_fmpq_mat(up[[i]]) for i in range(len(up))]
    for mask in _sample(len(up), rng):
        sum((dyads[i] for i in np.flatnonzero(mask).tolist()), identity).det()
    return SAMPLE


def _lapack(weights: Weights, rng: np.random.Generator) -> int:
    up, down = weights
    dyads = down.T[:, :, None] * up[:, None, :]
    masks = _sample(len(up), rng).astype(np.float64)
    d = up.shape[1]
    matrices = np.eye(d) + (masks @ dyads.reshape(len(up), d * d)).reshape(-1, d, d)
    np.linalg.det(matrices)
    return SAMPLE


def _sample(n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    return rng.random((SAMPLE, n)) < 0.5


METHODS: dict[str, Callable[[Weights, np.random.Generator], int]] = {
    "zero_minors": _ours,
    "lapack_det": _lapack,
    "flint_det": _flint,
    "minimal_width": _width,
}


def measure(d: int, n: int, *, turns: int, seed: int = 0) -> list[Row]:
    """Measure every method at one size, each turn on fresh weights.

    Raises
    ------
    InvalidInput
        If not 1 <= d <= 10, d <= N <= 28, or `turns` is not positive.
    """
    if not 1 <= d <= MAX_SIZE:
        raise InvalidInput("d", f"be from 1 to {MAX_SIZE}", d)
    if not d <= n <= MAX_UNITS - 2:
        raise InvalidInput("N", f"be from d to {MAX_UNITS - 2}", n)
    if turns < 1:
        raise InvalidInput("turns", "be positive", turns)
    task = {"d": d, "N": n, "seed": seed}
    together = in_child(EXPERIMENT, {**task, "methods": list(METHODS), "turns": turns}, threads=1)
    rows = []
    for name in METHODS:
        times = together["nanoseconds"][name]
        ratios = [x / y for x, y in zip(times, together["nanoseconds"]["zero_minors"], strict=True)]
        rows.append(
            Row(
                method=name,
                d=d,
                N=n,
                subsets=together["subsets"][name],
                turns=turns,
                median_nanoseconds=statistics.median(times),
                min_nanoseconds=min(times),
                max_nanoseconds=max(times),
                median_ratio=statistics.median(ratios),
                peak_mebibytes=in_child(EXPERIMENT, {**task, "methods": [name], "turns": 1}, threads=1)[
                    "peak_mebibytes"
                ],
            )
        )
    return rows


def perform(task: dict[str, Any]) -> dict[str, Any]:
    """Time the methods in turns: the child's part."""
    d, n, names = task["d"], task["N"], task["methods"]
    rng = generator(EXPERIMENT, f"d={d},N={n}", task["seed"])
    for name in names:  # compiled loops are loaded before the clock runs
        METHODS[name](draw_weights(2, 4, rng), rng)
    nanoseconds: dict[str, list[float]] = {name: [] for name in names}
    subsets: dict[str, int] = {}
    for turn in range(task["turns"]):
        weights = draw_weights(d, n, rng)
        for name in names[:: -1 if turn % 2 else 1]:
            start = process_time()
            subsets[name] = METHODS[name](weights, rng)
            nanoseconds[name].append((process_time() - start) / subsets[name] * 1e9)
    return {"nanoseconds": nanoseconds, "subsets": subsets}


def scaling_minors(sizes: Sequence[tuple[int, int]], *, turns: int, seed: int = 0) -> Iterator[Row]:
    """Measure every method at every size (d, N), and log each row."""
    for d, n in sizes:
        for row in measure(d, n, turns=turns, seed=seed):
            _log.info(
                "d = %d · N = %d · %s · %.3g ns a subset (%.3g to %.3g) · %.3g of ours · %.0f MiB",
                d, n, row.method, row.median_nanoseconds, row.min_nanoseconds, row.max_nanoseconds,
                row.median_ratio, row.peak_mebibytes,
            )  # fmt: skip
            yield row


def _size(text: str) -> tuple[int, int]:
    d, n = text.split(",")
    return int(d), int(n)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    command = parser(EXPERIMENT, __doc__)
    default = [(2, 20), (4, 20), (3, 24), (4, 24), (6, 24), (4, 28), (6, 28)]
    command.add_argument("--sizes", type=_size, nargs="+", default=default, metavar="D,N")
    command.add_argument("--turns", type=int, default=5, help="how often the methods take turns (default 5)")
    return run(
        command,
        arguments,
        lambda options: scaling_minors(options.sizes, turns=options.turns, seed=options.seed),
    )


if __name__ == "__main__":
    sys.exit(main())
