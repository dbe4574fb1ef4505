"""How long do a decision and its certificate's check take? Side by side with LAPACK's dgetrf.

The layer is float32, of width N and d = N/4, random or with a planted flip set of d units; dgetrf factors an
N x N matrix. The decision includes all that `decide` does, from the digest to the certificate; the check is
that of the second program.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from logging import getLogger
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import decide
from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.benchmarking import blas_facts, in_child, parser, run
from skip_absorption.experiments.scaling import BASELINE, run_once
from skip_absorption.measures import generator

EXPERIMENT = "scaling_decide"
INSTANCES = ("random", "planted")

_log = getLogger(__name__)

Weights = tuple[NDArray[np.float32], NDArray[np.float32]]


@dataclass(frozen=True)
class Row:
    """One instance at one size: what was decided, and medians over all turns of seconds and ratios."""

    instance: str
    N: int
    d: int
    threads: int
    kernel: str
    turns: int
    verdict: str
    certificate: str
    entries: int
    valid: bool
    dgetrf_seconds: float
    decide_seconds: float
    check_seconds: float
    decide_ratio: float
    check_share: float
    peak_mebibytes: float


def draw_weights(instance: str, n: int, *, rng: np.random.Generator) -> Weights:
    """Draw float32 w_up, (N, d), and w_down, (d, N), d = N/4; standard normal outside a planted set.

    The planted set holds d units with rows U L and columns −L⁻¹ U⁻¹, where U and L are unit triangular with
    one block of small integers: every entry is an integer below 2²⁴, so the set satisfies (3) exactly.

    Raises
    ------
    InvalidInput
        If there is no such instance, or N is no multiple of 8.
    """
    if instance not in INSTANCES:
        raise InvalidInput("instance", f"be one of {', '.join(INSTANCES)}", instance)
    if n < 8 or n % 8:
        raise InvalidInput("N", "be a positive multiple of 8", n)
    d = n // 4
    w_up = rng.standard_normal((n, d), dtype=np.float32)
    w_down = rng.standard_normal((d, n), dtype=np.float32)
    if instance == "planted":
        half, one = d // 2, np.eye(d, dtype=np.float32)
        upper, lower = one.copy(), one.copy()
        upper[:half, half:] = rng.integers(-3, 4, (half, d - half))
        lower[half:, :half] = upper[:half, half:].T
        units = rng.permutation(n)[:d]
        w_up[units] = upper @ lower  # sums of at most d/2 products up to 9: exact
        w_down[:, units] = -((2 * one - lower) @ (2 * one - upper))
    return w_up, w_down


def perform(task: dict[str, Any]) -> dict[str, Any]:
    """Take turns with dgetrf at one size: the child's part."""
    instance, n, turns = task["instance"], task["N"], task["turns"]
    rng = generator(EXPERIMENT, f"{instance},N={n}", task["seed"])
    _once(draw_weights(instance, 16, rng=rng))  # compiled loops are loaded and BLAS is awake
    run_once(BASELINE, np.empty((150, 150)), rng)
    results = []
    for _ in range(turns):
        baseline = run_once(BASELINE, np.empty((n, n)), rng)
        results.append(_once(draw_weights(instance, n, rng=rng)) | {"dgetrf": baseline})
    return {"results": results} | blas_facts()


def _once(weights: Weights) -> dict[str, Any]:
    start = perf_counter()
    decision = decide(*weights)
    decided = perf_counter()
    checked = check_certificate(decision.certificate, *weights)
    return {
        "verdict": decision.verdict.value,
        "certificate": decision.certificate.kind if decision.certificate else "",
        "entries": decision.certificate.size if decision.certificate else 0,
        "valid": checked.valid,
        "decide": decided - start,
        "check": perf_counter() - decided,
    }


def scaling_decide(sizes: Sequence[int], *, turns: int, threads: int, seed: int = 0) -> Iterator[Row]:
    """Measure both instances at every width, smallest first, and log each row.

    Raises
    ------
    InvalidInput
        If a number is out of range.
    """
    for name, value in (("turns", turns), ("threads", threads)):
        if value < 1:
            raise InvalidInput(name, "be positive", value)
    for n in sorted(sizes):
        if n < 8 or n % 8:
            raise InvalidInput("N", "be a positive multiple of 8", n)
        for instance in INSTANCES:
            task = {"instance": instance, "N": n, "turns": turns, "seed": seed}
            row = _row(instance, n, in_child(EXPERIMENT, task, threads=threads))
            _log.info(
                "N = %d · d = %d · %s · %s · %s (%s, %d entries) · decide %.3g s, %.2f of dgetrf · "
                "check %.3g s, %.1f%% of it · %.0f MiB",
                n, row.d, instance, row.verdict, "valid" if row.valid else "INVALID", row.certificate,
                row.entries, row.decide_seconds, row.decide_ratio, row.check_seconds, 100 * row.check_share,
                row.peak_mebibytes,
            )  # fmt: skip
            yield row


def _row(instance: str, n: int, found: dict[str, Any]) -> Row:
    results = found["results"]

    def median(name: str, over: str | None = None) -> float:
        return float(statistics.median(x[name] / (x[over] if over else 1) for x in results))

    return Row(
        instance=instance,
        N=n,
        d=n // 4,
        threads=found["threads"],
        kernel=found["kernel"],
        turns=len(results),
        verdict=" ".join(sorted({x["verdict"] for x in results})),
        certificate=" ".join(sorted({x["certificate"] for x in results})),
        entries=max(x["entries"] for x in results),
        valid=all(x["valid"] for x in results),
        dgetrf_seconds=median("dgetrf"),
        decide_seconds=median("decide"),
        check_seconds=median("check"),
        decide_ratio=median("decide", "dgetrf"),
        check_share=median("check", "decide"),
        peak_mebibytes=found["peak_mebibytes"],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    command = parser(EXPERIMENT, __doc__)
    command.add_argument("--sizes", type=int, nargs="+", default=[512, 1536, 3072], metavar="N")
    command.add_argument("--turns", type=int, default=5, help="how often the methods take turns (default 5)")
    command.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="BLAS threads (all)")
    return run(
        command,
        arguments,
        lambda options: scaling_decide(
            options.sizes, turns=options.turns, threads=options.threads, seed=options.seed
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
