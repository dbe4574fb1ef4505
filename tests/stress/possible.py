"""The one way in which a case may stay open: this machine lacks what it takes, and the table says what.

A network that can be cut off, a disk that can be filled and a Slurm need Linux with namespaces, root, or
programs that are no part of the project. `./reproduce stress` lists such a case as "cannot run here: …" and
counts it apart from those that passed. Anywhere else a skip is an error (tests/conftest.py).
"""

import os
import shutil
import subprocess
from typing import NoReturn

import pytest

ROOT = os.geteuid() == 0


def cannot_run_here(reason: str) -> NoReturn:
    """Leave a case open, for this reason."""
    pytest.skip(f"cannot run here: {reason}")


def need(*programs: str, install: str = "") -> None:
    """Leave a case open where one of these programs is not installed."""
    for name in programs:
        if shutil.which(name) is None:
            cannot_run_here(f"{name} is not installed{install and f': apt-get install {install}'}")


def confined(*words: str) -> list[str]:
    """Return words that start a confined program; where they fail, the case stays open."""
    need(words[0])
    done = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        cannot_run_here(f"{' '.join(words[:3])} … : {' '.join(done.stderr.split())}")
    return list(words)


def namespaces(*options: str) -> list[str]:
    """Return words that start a program in namespaces of its own, as root or with the help of the kernel."""
    return confined("unshare", *([] if ROOT else ["--map-root-user"]), *options)
