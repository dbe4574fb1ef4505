"""What lies around a model's tensors: the files beside them, and a directory or file written as a whole."""

from __future__ import annotations

import json
import os
import shutil
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.checkpoints.tensors import MOST_JSON, Tensors, chosen_file
from skip_absorption.errors import InvalidInput

WEIGHTS = "model.safetensors"
WITHOUT_SKIP = "mlp_without_skip"
"""The key, in config.json and in the file's metadata, that lists the blocks whose skip was absorbed."""

_TEXTS = (".json", ".txt", ".model")


def texts_beside(path: Path) -> dict[str, bytes]:
    """Return configuration and vocabulary files that lie beside a model's weights: name -> content.

    Parameters
    ----------
    path
        The model as `open_tensors` takes it: a directory, an archive, or a file, which has none.
    """
    if path.is_dir():
        return {
            entry.name: entry.read_bytes()
            for entry in sorted(path.iterdir())
            if entry.is_file() and _is_text(entry.name, entry.stat().st_size)
        }
    if path.suffix not in (".whl", ".zip"):
        return {}
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        chosen = PurePosixPath(chosen_file([member.filename for member in members], path))
        return {
            PurePosixPath(member.filename).name: archive.read(member)
            for member in members
            if PurePosixPath(member.filename).parent == chosen.parent
            and _is_text(member.filename, member.file_size)
        }


def _is_text(name: str, size: int) -> bool:
    return name.endswith(_TEXTS) and not name.endswith(".index.json") and size <= MOST_JSON


def absorbed_blocks(tensors: Tensors) -> list[int]:
    """Return the blocks of a model whose skip was absorbed, as its configuration or metadata lists them."""
    try:
        listed = tensors.config.get(WITHOUT_SKIP) or json.loads(tensors.metadata.get(WITHOUT_SKIP, "[]"))
        return [int(index) for index in listed]
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise InvalidInput(f"{tensors.path}: {WITHOUT_SKIP}", "list blocks", "something else") from None


@contextmanager
def scratch_directory(out: Path) -> Iterator[Path]:
    """Give a directory beside ``out``, to move finished files from; it is deleted at the end.

    Raises
    ------
    InvalidInput
        If the place cannot be written.
    """
    if not out.name:
        raise InvalidInput("the output", "have a name of its own", str(out))
    scratch = out.with_name(f".{out.name}.{os.getpid()}.partial")
    try:
        scratch.mkdir()
        yield scratch
    except OSError as error:
        raise InvalidInput("the output", "be writable", f"{out}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def whole_directory(out: Path) -> Iterator[Path]:
    """Give a directory to fill that appears under its name at the end, whole, or not at all.

    Raises
    ------
    InvalidInput
        If something with that name exists, or the place cannot be written.
    """
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise InvalidInput("the output", "be a new or empty directory", str(out))
    with scratch_directory(out) as scratch:
        yield scratch
        if out.exists():
            out.rmdir()
        scratch.rename(out)


def write_model(
    path: Path, tensors: Tensors, replaced: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> None:
    """Write a .safetensors file with the tensors of a model, some replaced, one after the other.

    Parameters
    ----------
    replaced
        Values for some names, in any floating-point type; they are stored in the type that the tensor had.
    metadata
        Texts, written beside those that the model had.

    Raises
    ------
    InvalidInput
        If the tensor's type does not hold a new value.
    """
    codes = {name: tensors.dtype(name) for name in tensors.names()}
    shapes = {name: replaced[name].shape if name in replaced else tensors.shape(name) for name in codes}
    header: dict[str, Any] = {"__metadata__": {**tensors.metadata, **metadata}}
    end = 0
    for name, code in codes.items():
        begin, end = (
            end,
            end + int(np.prod(shapes[name], dtype=np.int64)) * tensors.stored(name).dtype.itemsize,
        )
        header[name] = {"dtype": code, "shape": list(shapes[name]), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # the data begins at a multiple of 8
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        for name, code in codes.items():
            stored = tensors.stored(name)
            if name in replaced:
                new = replaced[name].astype(stored.dtype)
                if (new.astype(np.float64) != replaced[name]).any():
                    raise InvalidInput(f"tensor {name}", f"hold values of type {code}", "others")
                stored = new
            stream.write(np.ascontiguousarray(stored).tobytes())
