"""Copies of the library, each wrong in one line, must turn the claims on ReLU compositions red."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import skip_absorption

SOURCES = Path(skip_absorption.__file__).parent
RUN = """
import logging, sys
import skip_absorption
from skip_absorption.claims.ledger import passed, run_claim
assert skip_absorption.__file__.startswith(sys.argv[1])
logging.disable()
sizes = {"x7a": (4, [(2, 3)]), "x7b": (16, [(2, 2), (2, 3)]), "x7c": (2, [(2, 4)])}
for claim in sys.argv[2:]:
    cases, dims = sizes[claim]
    if not passed(run_claim(claim, cases=cases, dims=dims, seed=0)):
        print(claim)
"""

SABOTAGES = {  # file, line, wrong line, claims that turn red
    "the copy as it is": ("errors.py", "", "", ""),
    "a unit that is active on the wrong side": (
        "depth/relu_regions.py",
        "active[:, level] = pre > 0",
        "active[:, level] = pre < 0",
        "x7b",
    ),
    "regions that are not cut": (
        "depth/relu_regions.py",
        "if min(signs) < 0 < max(signs):",
        "if min(signs) < 0 < max(signs) and column % 2:",
        "x7b",
    ),
    "a derivative without the blocks that follow": (
        "depth/functional_dimension.py",
        "columns = _mod(after[k] @ down[k], p)",
        "columns = _mod(0 * after[k] @ down[k], p)",
        "x7b",
    ),
    "a radial move that is not undone": (
        "depth/folding.py",
        "Bend(middle, long_right, right)",
        "Bend(middle, right, long_right)",
        "x7c",
    ),
    "maps compared on no sector": (
        "depth/relu_fan.py",
        "if one != other",
        "if False",
        "x7c",
    ),
    "minors that never vanish": (
        "absorption/minors.py",
        "verdict = Verdict.REFUTED if count else",
        "verdict = Verdict.PROVED if count else",
        "x7a",
    ),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_a_copy_that_is_wrong_in_one_line(name: str, tmp_path: Path) -> None:
    file, line, wrong, red = SABOTAGES[name]
    copy = tmp_path / "skip_absorption"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    text = (copy / file).read_text(encoding="utf-8")
    assert line in text
    (copy / file).write_text(text.replace(line, wrong, 1), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path), *(red.split() or ["x7a", "x7b", "x7c"])],
        env=os.environ | {"PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == red.split()
