"""How fast is exact elimination? Ours modulo p, LAPACK's dgetrf and FLINT's nmod_mat, side by side.

The methods take turns on fresh matrices; `benchmarking` says how they are measured.
"""

from __future__ import annotations

import logging
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.prime_field import eliminate, random_prime
from skip_absorption.experiments.benchmarking import blas_facts, in_child, parser, run
from skip_absorption.measures import generator

EXPERIMENT = "scaling"
BASELINE = "lapack_dgetrf"
FLINT_LIMIT = 1536  # FLINT takes too long beyond
_ROWS = 256  # rows of random numbers drawn at a time

_log = logging.getLogger(__name__)

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One method at one size: seconds and ratios to the baseline over all pairs, peak memory of one run."""

    method: str
    size: int
    threads: int
    kernel: str
    pairs: int
    median_seconds: float
    min_seconds: float
    max_seconds: float
    median_ratio: float
    min_ratio: float
    max_ratio: float
    peak_mebibytes: float


def methods(size: int) -> list[str]:
    """Return the names of the methods that are measured at a size, the baseline first."""
    return [BASELINE, "eliminate", *(["flint_nmod_mat"] if size <= FLINT_LIMIT else [])]


def run_once(method: str, matrix: Matrix, rng: np.random.Generator) -> float:
    """Fill the square `matrix` with fresh random numbers, factor it, return the seconds that took.

    The content of `matrix` is lost; beyond it only FLINT needs memory of its own for a second matrix.

    Raises
    ------
    InvalidInput
        If there is no such method.
    """
    p = random_prime(rng=rng)
    if method == BASELINE:
        from scipy.linalg.lapack import dgetrf

        _fill(matrix, rng.random)
        start = perf_counter()
        dgetrf(matrix.T, overwrite_a=True)  # read by columns, as LAPACK does
        return perf_counter() - start
    _fill(matrix, lambda shape: rng.integers(0, p, shape))
    if method == "eliminate":
        start = perf_counter()
        eliminate(matrix, p, overwrite=True)
        return perf_counter() - start
    if method == "flint_nmod_mat":
        import flint

        entries = matrix.astype(np.int64).ravel().tolist()
        other = flint.nmod_mat(len(matrix), len(matrix), entries, p)
        start = perf_counter()
        other.rank()
        return perf_counter() - start
    raise InvalidInput("method", f"be one of {', '.join(methods(0))}", method)


def _fill(matrix: Matrix, draw: Callable[[tuple[int, int]], NDArray[np.generic]]) -> None:
    for first in range(0, len(matrix), _ROWS):
        rows = matrix[first : first + _ROWS]
        rows[...] = draw((rows.shape[0], rows.shape[1]))


def measure(size: int, *, pairs: int, threads: int, seed: int = 0) -> list[Row]:
    """Measure every method at one size.

    Parameters
    ----------
    size
        Rows and columns of the matrices.
    pairs
        How often the methods take turns; the order is reversed every other time.
    threads
        The number of BLAS threads.
    seed
        Of the random matrices.

    Raises
    ------
    InvalidInput
        If a number is not positive.
    """
    for name, value in (("size", size), ("pairs", pairs), ("threads", threads)):
        if value < 1:
            raise InvalidInput(name, "be positive", value)
    names = methods(size)
    times = in_child(
        EXPERIMENT, {"methods": names, "size": size, "pairs": pairs, "seed": seed}, threads=threads
    )
    rows = []
    for name in names:
        alone = in_child(
            EXPERIMENT, {"methods": [name], "size": size, "pairs": 1, "seed": seed}, threads=threads
        )
        seconds = times["seconds"][name]
        ratios = [x / y for x, y in zip(seconds, times["seconds"][BASELINE], strict=True)]
        rows.append(
            Row(
                method=name,
                size=size,
                threads=times["threads"],
                kernel=times["kernel"],
                pairs=pairs,
                median_seconds=statistics.median(seconds),
                min_seconds=min(seconds),
                max_seconds=max(seconds),
                median_ratio=statistics.median(ratios),
                min_ratio=min(ratios),
                max_ratio=max(ratios),
                peak_mebibytes=alone["peak_mebibytes"],
            )
        )
    return rows


def perform(task: dict[str, Any]) -> dict[str, Any]:
    """Time the methods in turns: the child's part."""
    names, size = task["methods"], task["size"]
    rng = generator(EXPERIMENT, f"size={size}", task["seed"])
    for name in names:  # compiled loops are loaded and BLAS is awake before the clock runs
        run_once(name, np.empty((150, 150)), rng)
    matrix = np.empty((size, size))
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(task["pairs"]):
        for name in names[:: -1 if turn % 2 else 1]:
            seconds[name].append(run_once(name, matrix, rng))
    return {"seconds": seconds} | blas_facts()


def scaling(sizes: Sequence[int], *, pairs: int, threads: int, seed: int = 0) -> Iterator[Row]:
    """Measure every method at every size, smallest first, and log each row."""
    for size in sorted(sizes):
        for row in measure(size, pairs=pairs, threads=threads, seed=seed):
            _log.info(
                "N = %d · %s · %.4g s (%.4g to %.4g) · %.2f of dgetrf (%.2f to %.2f) · %.0f MiB",
                size, row.method, row.median_seconds, row.min_seconds, row.max_seconds,
                row.median_ratio, row.min_ratio, row.max_ratio, row.peak_mebibytes,
            )  # fmt: skip
            yield row


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    command = parser(EXPERIMENT, __doc__)
    command.add_argument("--sizes", type=int, nargs="+", default=[256, 512, 1024, 1536, 3072], metavar="N")
    command.add_argument("--pairs", type=int, default=5, help="how often the methods take turns (default 5)")
    command.add_argument(
        "--threads", type=int, default=os.cpu_count() or 1, help="BLAS threads (default all)"
    )
    return run(
        command,
        arguments,
        lambda options: scaling(
            options.sizes, pairs=options.pairs, threads=options.threads, seed=options.seed
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
