"""What a result was computed with: versions of the parts that matter, and the commit where there is one."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("skip-absorption", "numpy", "scipy", "python-flint", "numba", "ortools", "pandas")
UNKNOWN = "unknown"


@cache
def versions() -> dict[str, str]:
    """Return names and versions: Python, packages, FLINT, BLAS, system, commit. No date, no host name."""
    import flint

    found = {name: _version(name) for name in _PACKAGES}
    found |= {
        "python": platform.python_version(),
        "flint": str(flint.__FLINT_VERSION__),
        "blas": _blas(),
        "system": f"{platform.system()} {platform.machine()}",
        "commit": commit(),
    }
    return dict(sorted(found.items()))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _blas() -> str:
    import numpy as np

    config = np.show_config(mode="dicts")
    blas = config["Build Dependencies"]["blas"] if config else {}
    return f"{blas.get('name', UNKNOWN)} {blas.get('version', '')}".strip()


def commit() -> str:
    """Return the commit of the checkout that holds this file, "-dirty" appended if edited; else "unknown"."""
    here = Path(__file__).resolve()
    if not _git(here.parent, "ls-files", "--error-unmatch", here.name):
        return UNKNOWN
    return _git(here.parent, "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty") or UNKNOWN


def _git(directory: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(directory), *arguments], capture_output=True, text=True, check=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
