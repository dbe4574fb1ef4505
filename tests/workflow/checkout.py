"""Copies of the checkout, and Snakemake run in them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_SOURCES = shutil.ignore_patterns(
    ".git", ".venv", ".boot", ".cache", ".snakemake", ".*_cache", ".hypothesis", "__pycache__", "downloads"
)
OUTPUTS = ("results", "smoke", "logs", "benchmarks")


def copy_checkout(target: Path) -> Path:
    """Copy the sources, and no output, to a new folder."""

    def ignored(folder: str, names: list[str]) -> set[str]:
        top = set(OUTPUTS) if Path(folder) == ROOT else set()
        generated = {"generated"} if Path(folder) == ROOT / "paper" else set()
        return NOT_SOURCES(folder, names) | (top & set(names)) | generated

    shutil.copytree(ROOT, target, ignore=ignored)
    return target


def snakemake(folder: Path, *words: str, smoke: bool = True) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a copy, without a network for pip."""
    tier = ["--configfile=config/smoke.yaml"] if smoke else []
    return subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", *tier, *words],
        cwd=folder,
        env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def pending(folder: Path) -> set[str]:
    """Return the smoke outputs that the next run would write, with ``smoke/`` taken off."""
    done = snakemake(folder, "--summary", "all")
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") >= 5]
    return {row[0].removeprefix("smoke/") for row in rows[1:] if row[-1] != "no update"}
