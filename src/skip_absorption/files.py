"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside ``path``; on success it is renamed to ``path``, on failure removed.

    Raises
    ------
    OSError
        If the folder cannot be written, or if something stands there that is no file: a device or a pipe
        would be replaced by a file.
    """
    final = Path(path)
    if final.exists() and not final.is_file():
        raise OSError(errno.EEXIST, "something that is no file stands there", str(final))
    partial = final.with_name(f".{final.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(final)
    finally:
        partial.unlink(missing_ok=True)
