"""One run at a time in a checkout, by a lock that the system releases when its process ends, however it ends."""

import fcntl
from pathlib import Path

from snakemake.exceptions import WorkflowError

_held = []


def hold(path: Path) -> None:
    """Take the lock for the rest of this process, or stop with one line if another run has it."""
    handle = path.open("w", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError("another run is at work in this folder: wait for it to end") from None
    _held.append(handle)
