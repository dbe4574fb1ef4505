"""Two whole smoke builds in circumstances as different as can be, without times: the same bytes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import copy_checkout, publish_small_model, reproduce, snakemake

from support.outputs import checksum

UNTIMED = {"SKIP_ABSORPTION_UNTIMED": "1"}
OTHERWISE = {
    "HOME": "/proc", "LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "4", "OMP_NUM_THREADS": "8",
    "SOURCE_DATE_EPOCH": "1", "TMPDIR": "/nonexistent",
}  # fmt: skip
EXACT = """
import sys
from skip_absorption.claims.ledger import run_claim
from skip_absorption.results.store import write_claim
for claim in ("theorem_4", "x4", "x6", "d2"):
    cases = 24 if claim == "d2" else 6
    dims = {"x6": [(2, 2), (2, 4)], "d2": [(2, 16), (8, 64)]}.get(claim, [(2, 3), (3, 6)])
    write_claim(f"{sys.argv[1]}/{claim}.json", run_claim(claim, cases=cases, dims=dims, seed=0))
"""


def manifest(folder: Path) -> dict[str, str]:
    """Return the checksums of what a build made, but logs and measured times and memory."""
    smoke = folder / "smoke"
    files = (path for path in smoke.rglob("*") if path.is_file())
    names = {path.relative_to(smoke).as_posix(): path for path in files}
    return {
        name: checksum(path)
        for name, path in sorted(names.items())
        if name.partition("/")[0] not in ("logs", "benchmarks")
    }


@pytest.mark.case("two whole builds, one with one core, other HOME, locale, zone, threads, seed: same bytes")
def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    found = []
    for name in ("first", "a b'c (é)"):
        (tmp_path / name[0]).mkdir()
        folder = copy_checkout(tmp_path / name[0] / name)
        publish_small_model(folder)
        if name == "first":
            done = snakemake(folder, cores="all", **UNTIMED)
        else:
            done = reproduce(folder, "smoke", "--cores", "1", **UNTIMED, **OTHERWISE)
        assert done.returncode == 0, done.stdout + done.stderr
        found.append(manifest(folder))
    first, second = found
    assert len(first) > 100
    assert {"paper/main.pdf", "results/site/index.html", "results/notebooks/tour.ipynb"} <= first.keys()
    assert [name for name in first | second if first.get(name) != second.get(name)] == []


@pytest.mark.case("1, 2 and 8 BLAS threads: the same exact results")
def test_threads_change_no_exact_result(tmp_path: Path) -> None:
    results = []
    for threads in ("1", "2", "8"):
        folder = tmp_path / threads
        folder.mkdir()
        variables = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), threads)
        variables["NUMBA_NUM_THREADS"] = str(min(int(threads), os.cpu_count() or 1))
        subprocess.run(
            [sys.executable, "-c", EXACT, str(folder)], env={**os.environ, **UNTIMED, **variables}, check=True
        )
        results.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert len(results[0]) == 4
    assert results[0] == results[1] == results[2]
