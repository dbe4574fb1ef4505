"""One claim, checked where users, shells and folders are unusual; the long cases are in tests/stress."""

import shutil
from pathlib import Path

import pytest
from checkout import copy_checkout, reproduce, snakemake

TARGET = "claim_proposition_2"
RESULT = "smoke/results/claims/proposition_2.json"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with an awkward name in which one claim has been checked."""
    folder = copy_checkout(tmp_path_factory.mktemp("small") / "a b'c (é)")
    done = snakemake(folder, TARGET, SKIP_ABSORPTION_UNTIMED="1")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def state(folder: Path) -> str:
    """Return what Snakemake would do about the result."""
    done = snakemake(folder, "--summary", TARGET)
    assert done.returncode == 0, done.stderr
    (row,) = (line for line in done.stdout.splitlines() if line.startswith(RESULT))
    return row.rpartition("\t")[2]


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param({"HOME": "/proc"}, marks=pytest.mark.case("HOME cannot be written")),
        pytest.param({"TMPDIR": "/nonexistent"}, marks=pytest.mark.case("TMPDIR is missing")),
        pytest.param({"LC_ALL": "C", "LANG": "C"}, marks=pytest.mark.case("LC_ALL=C")),
        pytest.param(
            {"PYTHONHASHSEED": "17", "OMP_NUM_THREADS": "8", "OPENBLAS_NUM_THREADS": "8"},
            marks=pytest.mark.case("another PYTHONHASHSEED and 8 BLAS threads in the shell"),
        ),
    ],
    ids=lambda variables: next(iter(variables)),
)
def test_the_same_bytes_in_another_environment(small: Path, variables: dict[str, str]) -> None:
    before = (small / RESULT).read_bytes()
    (small / RESULT).unlink()
    done = reproduce(small, "smoke", TARGET, SKIP_ABSORPTION_UNTIMED="1", **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (small / RESULT).read_bytes() == before


@pytest.mark.case("stale locks of runs that are gone")
def test_a_stale_lock_stops_nothing(small: Path) -> None:
    locks = small / ".snakemake" / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    for name in ("0.input.lock", "0.output.lock"):
        (locks / name).write_text(f"{RESULT}\n", encoding="utf-8")
    (small / ".cache" / "run.lock").write_text("left behind", encoding="utf-8")
    done = snakemake(small, TARGET)
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout


@pytest.mark.case("a checkout that was moved")
def test_a_moved_checkout_is_as_it_was(small: Path) -> None:
    moved = small.rename(small.with_name("moved"))
    try:
        assert state(moved) == "no update"
    finally:
        moved.rename(small)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("workflow/scripts/claim.py", "claim needs workflow/scripts/claim.py, which is missing"),
        (
            "src/skip_absorption/claims/proposition_2.py",
            "claim needs the module skip_absorption.claims.proposition_2, which is missing",
        ),
    ],
)
@pytest.mark.case("a source is deleted while its output stays")
def test_a_deleted_source_is_one_clear_line(small: Path, tmp_path: Path, name: str, complaint: str) -> None:
    shutil.move(small / name, tmp_path / "away")
    try:
        done = snakemake(small, TARGET)
    finally:
        shutil.move(tmp_path / "away", small / name)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == complaint
    assert "Traceback" not in done.stdout + done.stderr
    assert state(small) == "no update"
