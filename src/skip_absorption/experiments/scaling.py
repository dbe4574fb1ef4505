"""How fast is exact elimination? Ours modulo p, LAPACK's dgetrf and FLINT's nmod_mat, side by side.

Times move from machine to machine and from minute to minute, so the methods take turns within one process
and what counts is the ratio within each turn. Every measurement runs in a child process whose number of BLAS
threads is set, in which no variable forces a BLAS kernel on the processor, and whose peak memory is its own.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import json
import logging
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.prime_field import eliminate, random_prime
from skip_absorption.measures import generator
from skip_absorption.results.store import atomic_path

EXPERIMENT = "scaling"
BASELINE = "lapack_dgetrf"
FLINT_LIMIT = 1536  # FLINT takes too long beyond
_FORCED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
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
    times = _in_child({"methods": names, "size": size, "pairs": pairs, "seed": seed}, threads)
    rows = []
    for name in names:
        alone = _in_child({"methods": [name], "size": size, "pairs": 1, "seed": seed}, threads)
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


def child_environment(threads: int) -> dict[str, str]:
    """Return this process's environment with the BLAS threads set and no kernel forced on the processor."""
    kept = {name: value for name, value in os.environ.items() if name not in _FORCED}
    return kept | dict.fromkeys(_THREADS, str(threads))


def _in_child(task: dict[str, object], threads: int) -> dict[str, Any]:
    code = "from skip_absorption.experiments.scaling import answer; answer()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(task), env=child_environment(threads), stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def answer() -> None:
    """Carry out the task on standard input and write the times to standard output: the child's part."""
    task = json.load(sys.stdin)
    names, size = task["methods"], task["size"]
    rng = generator(EXPERIMENT, f"size={size}", task["seed"])
    for name in names:  # compiled loops are loaded and BLAS is awake before the clock runs
        run_once(name, np.empty((150, 150)), rng)
    matrix = np.empty((size, size))
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(task["pairs"]):
        for name in names[:: -1 if turn % 2 else 1]:
            seconds[name].append(run_once(name, matrix, rng))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 << (20 if sys.platform == "darwin" else 10)
    )
    json.dump({"seconds": seconds, "peak_mebibytes": peak} | blas_facts(), sys.stdout)


def blas_facts() -> dict[str, object]:
    """Return the threads and the kernel that the OpenBLAS inside SciPy uses; "unknown" with another BLAS."""
    from skip_absorption.exact._blas import openblas

    library = openblas()
    if library is None:
        return {"threads": int(os.environ.get(_THREADS[0], "0")), "kernel": "unknown"}
    library.scipy_openblas_get_corename.restype = ctypes.c_char_p
    kernel: bytes = library.scipy_openblas_get_corename()
    return {"threads": int(library.scipy_openblas_get_num_threads()), "kernel": kernel.decode("ascii")}


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


def write_rows(path: str | os.PathLike[str], rows: Sequence[Row]) -> None:
    """Write the rows as CSV, atomically."""
    with atomic_path(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m skip_absorption.experiments.scaling", description=__doc__
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[256, 512, 1024, 1536, 3072], metavar="N")
    parser.add_argument("--pairs", type=int, default=5, help="how often the methods take turns (default 5)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="BLAS threads (default all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", required=True, metavar="FILE.csv")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        rows = list(scaling(options.sizes, pairs=options.pairs, threads=options.threads, seed=options.seed))
    except InvalidInput as error:
        parser.error(str(error))
    write_rows(options.output, rows)
    _log.info("written to %s", options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
