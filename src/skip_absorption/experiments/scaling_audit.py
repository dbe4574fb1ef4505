"""Time and memory of the audit of one block, from a MiniLM layer to one of a frontier model.

The layers are random, float32, with biases and GELU, of the sizes of all-MiniLM-L6-v2, GPT-2 XL and a model
with d = 4096. Each is written to a checkpoint, and the audit, which includes the decision, the check of its
certificate, the margin and the bounds of the least width, runs in a process of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from logging import getLogger
from pathlib import Path
from typing import Any

import numpy as np

from skip_absorption.absorption.budget import Budget
from skip_absorption.checkpoints.audit import audit
from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.benchmarking import blas_facts, in_child, parser, run
from skip_absorption.measures import generator

EXPERIMENT = "scaling_audit"
NAME = "bert.encoder.layer.0"

_log = getLogger(__name__)


@dataclass(frozen=True)
class Row:
    """One block: its size, what was found, wall-clock seconds and the peak memory of the process."""

    d: int
    N: int
    threads: int
    kernel: str
    verdict: str
    checked: bool
    entries: int
    margin_lower: float
    margin_upper: float
    extra_lower: int
    extra_upper: int
    seconds: float
    peak_mebibytes: float


def write_block(path: Path, d: int, n: int, *, rng: np.random.Generator) -> None:
    """Write a checkpoint of one random block, LeCun normal in float32, with biases."""
    from safetensors.numpy import save_file

    def normal(*shape: int) -> np.ndarray[Any, Any]:
        return rng.standard_normal(shape, dtype=np.float32) / np.float32(shape[-1] ** 0.5)

    tensors = {"intermediate.dense.weight": normal(n, d), "output.dense.weight": normal(d, n)}
    tensors |= {"intermediate.dense.bias": normal(n), "output.dense.bias": normal(d)}
    save_file({f"{NAME}.{name}": array for name, array in tensors.items()}, path)


def perform(task: dict[str, Any]) -> dict[str, Any]:
    """Audit one block: the child's part."""
    budget = Budget(seconds=task["seconds"])
    (row,) = audit(task["path"], activation="gelu", budget=budget)
    assert row.distance is not None
    return {
        "verdict": row.verdict.value,
        "checked": bool(row.checked),
        "entries": row.certificate_entries or 0,
        "margin_lower": row.distance.lower,
        "margin_upper": row.distance.upper,
        "extra_lower": row.lower,
        "extra_upper": row.upper,
        "seconds": row.seconds,
    } | blas_facts()


def scaling_audit(
    sizes: Sequence[tuple[int, int]], *, seconds: float, threads: int, seed: int = 0
) -> Iterator[Row]:
    """Audit a random block of each size, pairs (d, N), smallest first, and log each row.

    Parameters
    ----------
    seconds
        For the searches and long proofs of each block.

    Raises
    ------
    InvalidInput
        If a number is out of range.
    """
    if threads < 1:
        raise InvalidInput("threads", "be positive", threads)
    for d, n in sorted(sizes):
        if not 1 <= d <= n:
            raise InvalidInput("(d, N)", "satisfy 1 <= d <= N", (d, n))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.safetensors")
            write_block(path, d, n, rng=generator(EXPERIMENT, f"{d}/{n}", seed))
            found = in_child(EXPERIMENT, {"path": str(path), "seconds": seconds}, threads=threads)
        row = Row(d=d, N=n, **found)
        _log.info(
            "d = %d · N = %d · %s (%s, %d entries) · margin %.4f to %.4f · k* %d to %d · %.3g s · %.0f MiB",
            d, n, row.verdict, "valid" if row.checked else "INVALID", row.entries, row.margin_lower,
            row.margin_upper, row.extra_lower, row.extra_upper, row.seconds, row.peak_mebibytes,
        )  # fmt: skip
        yield row


def _pair(text: str) -> tuple[int, int]:
    d, n = text.split(",")
    return int(d), int(n)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    command = parser(EXPERIMENT, __doc__)
    command.add_argument(
        "--sizes", type=_pair, nargs="+", default=[(384, 1536), (1600, 6400), (4096, 16384)], metavar="D,N"
    )
    command.add_argument("--seconds", type=float, default=60.0, help="for the long proofs of a block (60)")
    command.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="BLAS threads (all)")
    return run(
        command,
        arguments,
        lambda options: scaling_audit(
            options.sizes, seconds=options.seconds, threads=options.threads, seed=options.seed
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
