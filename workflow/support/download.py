"""Fetches a package that carries weights, and says so when that is impossible rather than failing."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from skip_absorption.errors import InvalidInput

OPTIONS = ["--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--retries=1", "--timeout=20"]


def download(package: str, version: str, sha256: str, folder: Path) -> dict[str, Any]:
    """Bring a wheel into a folder under its own name, whole or not at all, and describe it.

    Returns
    -------
    dict
        ``available``; then ``wheel``, ``bytes`` and ``sha256`` of the file, or the ``reason`` it is absent.

    Raises
    ------
    InvalidInput
        If what was downloaded has another checksum.
    """
    for wheel in folder.glob(f"{package.replace('-', '_')}-{version}-*.whl"):
        if checksum(wheel) == sha256:
            return _available(wheel)
        wheel.unlink()
    scratch = folder / "partial"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", *OPTIONS, f"--dest={scratch}", f"{package}=={version}"],
            capture_output=True,
            text=True,
            check=False,
        )
        wheels = list(scratch.glob("*.whl"))
        if done.returncode != 0 or not wheels:
            said = done.stderr.splitlines() or ["it said nothing"]
            reason = next((line for line in said if line.startswith("ERROR")), said[-1])
            return {"available": False, "reason": f"pip download {package}=={version}: {reason}"}
        if (found := checksum(wheels[0])) != sha256:
            raise InvalidInput(wheels[0].name, f"have SHA-256 {sha256}", found)
        return _available(wheels[0].replace(folder / wheels[0].name))
    finally:
        shutil.rmtree(scratch)


def _available(wheel: Path) -> dict[str, Any]:
    return {
        "available": True,
        "wheel": str(wheel),
        "bytes": wheel.stat().st_size,
        "sha256": checksum(wheel),
    }


def verified(status: dict[str, Any]) -> Path | None:
    """Return the wheel that a status describes, or None where there is none.

    Raises
    ------
    InvalidInput
        If the file has gone or changed since.
    """
    if not status["available"]:
        return None
    wheel = Path(status["wheel"])
    found = checksum(wheel) if wheel.is_file() else "no file"
    if found != status["sha256"]:
        raise InvalidInput(
            str(wheel), f"have SHA-256 {status['sha256']}", f"{found}; delete it and run again"
        )
    return wheel


def checksum(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def next_attempt(status_file: str) -> int:
    """Return the number of the download to ask for: the last one's while it stands, else the next.

    The number is a parameter of the download's rule, so that a run repeats a download that failed, or whose
    file has gone or changed its length since, and never one that stands.
    """
    try:
        status = json.loads(Path(status_file).read_text(encoding="utf-8"))
        attempt = int(status["attempt"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    wheel = Path(status.get("wheel", ""))
    return attempt if wheel.is_file() and wheel.stat().st_size == status.get("bytes") else attempt + 1
