"""One run at a time in a checkout, by a lock that goes when its process ends, however it ends."""

import fcntl
import sys
from pathlib import Path

_held = []


def hold(path: Path) -> None:
    """Take the lock for the rest of this process, or stop with one line if another run has it."""
    handle = path.open("w", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("another run is at work in this folder: wait for it to end")
    _held.append(handle)
