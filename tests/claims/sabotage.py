"""Copies of the library, each wrong in one line, and the claims that they turn red."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import skip_absorption

SOURCES = Path(skip_absorption.__file__).parent
RUN = """
import json, logging, sys
import skip_absorption
from skip_absorption.claims.ledger import passed, run_claim
assert skip_absorption.__file__.startswith(sys.argv[1])
logging.disable()
for claim, (cases, dims) in json.loads(sys.argv[2]).items():
    if not passed(run_claim(claim, cases=cases, dims=dims, seed=0)):
        print(claim)
"""
Size = tuple[int, Sequence[tuple[int, int]]]


def red_claims(folder: Path, file: str, line: str, wrong: str, claims: Mapping[str, Size]) -> list[str]:
    """Run claims, each at its number of cases and its sizes, in a copy with a wrong line; name the red."""
    copy = folder / "skip_absorption"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    text = (copy / file).read_text(encoding="utf-8")
    assert line in text
    (copy / file).write_text(text.replace(line, wrong, 1), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(folder), json.dumps(claims)],
        env=os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.split()
