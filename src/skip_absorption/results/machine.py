"""The machine that a run is made on: what floats may depend on, and what the review record names."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import subprocess
from functools import cache
from pathlib import Path

from skip_absorption.results.provenance import UNKNOWN


@cache
def machine() -> dict[str, str]:
    """Return processor, cores, memory, system, and the BLAS kernel that NumPy runs on. No host name."""
    return {
        "cpu": _cpu(),
        "cores": str(os.cpu_count() or UNKNOWN),
        "memory": _memory(),
        "system": f"{_distribution()}, {platform.system()} {platform.machine()}",
        "blas": _blas(),
    }


def tool_version(*command: str) -> str:
    """Return the first line that a program prints when asked for its version; "not installed" without it."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return "not installed"
    return (done.stdout.splitlines() or [UNKNOWN])[0].strip() or UNKNOWN


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _cpu() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", _read("/proc/cpuinfo"), re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine() or UNKNOWN


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return UNKNOWN
    return f"{size / 2**30:.1f} GiB"


def _distribution() -> str:
    found = re.search(r'^PRETTY_NAME="?([^"\n]+)', _read("/etc/os-release"), re.MULTILINE)
    return found[1] if found else UNKNOWN


def _blas() -> str:
    """Return name, version and kernel; OpenBLAS chooses the kernel by the processor when it is loaded."""
    import numpy as np

    config = np.show_config(mode="dicts")
    blas = config["Build Dependencies"]["blas"] if config else {}
    name = f"{blas.get('name', UNKNOWN)} {blas.get('version', '')}".strip()
    for path in sorted((Path(np.__file__).parents[1] / "numpy.libs").glob("libscipy_openblas*")):
        try:
            kernel = ctypes.CDLL(str(path)).scipy_openblas_get_corename64_
        except (OSError, AttributeError):
            continue
        kernel.restype = ctypes.c_char_p
        return f"{name}, kernel {kernel().decode()}"
    return name
