"""How a script speaks: what it prints goes to the rule's log, an error is one line on the terminal."""

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

from skip_absorption.errors import SkipAbsorptionError
from support.outputs import record


def begin(snakemake: Any) -> None:
    """Send all output of a job to its log, if the rule has one, and its error to the terminal as one line.

    When a job ends well, the checksums of its outputs are noted. It ends when Snakemake was killed, and so
    do the programs that it started.
    """
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    terminal = os.fdopen(os.dup(2), "w", encoding="utf-8")
    log = Path(snakemake.log[0]) if snakemake.log else None
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w", encoding="utf-8") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        sys.stdout.reconfigure(line_buffering=True)

    atexit.register(record, list(getattr(snakemake, "output", ())))

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        atexit.unregister(record)
        message = " ".join(str(error).split())
        if not isinstance(error, SkipAbsorptionError):
            message = f"{kind.__name__}: {message}"
        where = f" (log: {log})" if log else ""
        print(f"{snakemake.rule}: {message}{where}", file=terminal, flush=True)
        if log is not None:
            traceback.print_exception(kind, error, trace)

    sys.excepthook = report


def _end_with(parent: int) -> None:
    """End this process, and what it started, soon after its parent has gone."""
    while os.getppid() == parent:
        time.sleep(1)
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    os.kill(os.getpid(), signal.SIGTERM)
