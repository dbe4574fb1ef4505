"""What the benchmarks share: measuring in a clean child process, rows of a CSV file, one command line.

Times move from machine to machine and from minute to minute, so methods take turns within one process and
what counts is the ratio within each turn. The child's number of BLAS threads is set, no variable forces a
BLAS kernel on the processor, and its peak memory is its own.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import json
import logging
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from skip_absorption.errors import InvalidInput
from skip_absorption.results.store import atomic_path

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_FORCED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

_log = logging.getLogger(__name__)


def child_environment(threads: int) -> dict[str, str]:
    """Return this process's environment with the BLAS threads set and no kernel forced on the processor."""
    kept = {name: value for name, value in os.environ.items() if name not in _FORCED}
    return kept | dict.fromkeys(_THREADS, str(threads))


def in_child(module: str, task: dict[str, Any], *, threads: int) -> dict[str, Any]:
    """Run ``module.perform(task)`` in a child process; return its answer and ``peak_mebibytes``."""
    imports = f"from skip_absorption.experiments import benchmarking, {module}"
    done = subprocess.run(
        [sys.executable, "-c", f"{imports}; benchmarking.answer({module}.perform)"],
        input=json.dumps(task), env=child_environment(threads), stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def answer(perform: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Carry out the task on standard input and write the answer to standard output: the child's part."""
    found = perform(json.load(sys.stdin))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 << (20 if sys.platform == "darwin" else 10)
    )
    json.dump({"peak_mebibytes": peak} | found, sys.stdout)


def blas_facts() -> dict[str, Any]:
    """Return the threads and the kernel that the OpenBLAS inside SciPy uses; "unknown" with another BLAS."""
    from skip_absorption.exact._blas import openblas

    library = openblas()
    if library is None:
        return {"threads": int(os.environ.get(_THREADS[0], "0")), "kernel": "unknown"}
    library.scipy_openblas_get_corename.restype = ctypes.c_char_p
    kernel: bytes = library.scipy_openblas_get_corename()
    return {"threads": int(library.scipy_openblas_get_num_threads()), "kernel": kernel.decode("ascii")}


def write_rows(path: str | os.PathLike[str], rows: Sequence[DataclassInstance]) -> None:
    """Write rows, instances of one dataclass, as CSV, atomically."""
    with atomic_path(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(rows[0])], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def parser(module: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark has."""
    made = argparse.ArgumentParser(
        prog=f"python -m skip_absorption.experiments.{module}", description=description
    )
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--output", required=True, metavar="FILE.csv")
    return made


def run(
    command: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    produce: Callable[[argparse.Namespace], Iterable[DataclassInstance]],
) -> int:
    """Parse the arguments, produce the rows and write them; a user's mistake is one line and status 2."""
    options = command.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        rows = list(produce(options))
    except InvalidInput as error:
        command.error(str(error))
    write_rows(options.output, rows)
    _log.info("written to %s", options.output)
    return 0
