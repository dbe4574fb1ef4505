"""Open checkpoints: the named tensors of a model's files, read one at a time and without executing anything.

A checkpoint is a .safetensors file, a .safetensors.index.json with its shards, an .onnx file with its
external data, an .npz file, a directory that holds one of these, or a wheel or zip archive that does. Floats
keep the value that they store: float16, bfloat16 and float8 become float32, which holds each of their values.
What lies in a plain file is mapped into memory, so that a tensor costs nothing before it is read; an archive
is unpacked into a temporary directory first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput

Kind = Literal["safetensors", "onnx", "npz"]

PICKLES = (".bin", ".ckpt", ".pickle", ".pkl", ".pt", ".pth")
_PICKLED = (
    "be .safetensors, .onnx or .npz: reading a pickle executes the code in it (where the file is trusted, "
    "convert "
    'it once with safetensors.torch.save_file(torch.load(FILE, weights_only=True), "model.safetensors"))'
)
_EXPECTED = (
    "be .safetensors, .safetensors.index.json, .onnx, .npz, a directory that holds one of them, or a .whl or "
    ".zip that does"
)


MOST_VALUES = 1 << 30
"""The most values of a tensor that is read: a matrix of 16384 x 53248 has 0.81 times as many."""


@dataclass(frozen=True)
class Entry:
    """One tensor of a checkpoint: its shape, its stored type, and how to read it."""

    shape: tuple[int, ...]
    dtype: str
    load: Callable[[], NDArray[Any]] = field(repr=False)


class Tensors:
    """An open checkpoint; a context manager that gives back files and temporary directories at its end.

    Attributes
    ----------
    path
        What was opened, as the user named it.
    kind
        The format of the weights themselves.
    metadata
        What the file says about itself: texts by name.
    config
        The ``config.json`` beside the weights; empty if there is none.
    graph
        For ONNX, the `skip_absorption.checkpoints.onnx_graph.Graph`; otherwise None.
    """

    def __init__(
        self,
        path: Path,
        kind: Kind,
        entries: Mapping[str, Entry],
        *,
        metadata: Mapping[str, str] | None = None,
        config: Mapping[str, Any] | None = None,
        graph: Any = None,
        where: Path | None = None,
    ) -> None:
        self._where = where or path
        self.path, self.kind, self._entries = path, kind, dict(entries)
        self.metadata: Mapping[str, str] = dict(metadata or {})
        self.config: Mapping[str, Any] = dict(config or {})
        self.graph = graph
        self._resources = ExitStack()

    def __enter__(self) -> Tensors:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete what was unpacked; arrays that were read stay valid."""
        self._resources.close()

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def names(self) -> tuple[str, ...]:
        """Return the names of the tensors, in the order of the file."""
        return tuple(self._entries)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor, as its header has it."""
        return self._entry(name).shape

    def dtype(self, name: str) -> str:
        """Return the stored type of a tensor: ``F64``, ``F32``, ``F16``, ``BF16``, ``F8_E4M3``, ``I8``..."""
        return self._entry(name).dtype

    def read(self, name: str) -> NDArray[Any]:
        """Return the values of a tensor, each exactly as stored: float32, float64 or integers; read-only.

        Raises
        ------
        InvalidInput
            For NaN or infinite values, truth values and complex numbers, a damaged file, an unknown name, or
            more than `MOST_VALUES` values.
        """
        size = math.prod(self.shape(name))
        if size > MOST_VALUES:  # a small archive may promise any number of zeros
            raise InvalidInput(f"{self.path}: tensor {name}", f"have at most {MOST_VALUES} values", size)
        with _named_as_given(self._where, self.path):
            stored = self._entry(name).load()
        array = exact_values(stored, f"{self.path}: tensor {name}")
        array.flags.writeable = False
        return array

    def stored(self, name: str) -> NDArray[Any]:
        """Return a tensor as the file stores it, in its own type; to be copied, not to be computed with."""
        return np.asarray(self._entry(name).load())

    def _entry(self, name: str) -> Entry:
        if name not in self._entries:
            raise InvalidInput(f"{self.path}: tensor {name}", "be present", f"{len(self._entries)} others")
        return self._entries[name]


_SMALL_FLOATS = ("float16", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")


def exact_values(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return stored values as float32, float64 or integers in this machine's byte order, without rounding.

    Raises
    ------
    InvalidInput
        For NaN, infinities and types that hold no such numbers.
    """
    array = np.asarray(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.name in _SMALL_FLOATS:
        with np.errstate(invalid="ignore"):  # NaN is refused below
            array = array.astype(np.float32)
    if array.dtype.kind not in "iu" and array.dtype not in (np.float32, np.float64):
        raise InvalidInput(name, "hold floats or integers", f"type {array.dtype}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InvalidInput(name, "hold finite numbers", f"{array[where]} at {list(where)}")
    return array.view()


def open_tensors(path: str | Path) -> Tensors:
    """Open a checkpoint and read its header; use the result in a ``with`` statement.

    Parameters
    ----------
    path
        A file or directory of one of the kinds that the module names.

    Raises
    ------
    InvalidInput
        One line that says what is wrong: a pickle (with the way to convert it), a file of another kind, a
        missing or damaged file or shard, a path that leads out of the checkpoint's directory.
    """
    path = Path(path)
    with ExitStack() as resources:
        where = _located(path, resources)
        with _named_as_given(where, path):
            opened = _opened(path, where)
        opened._resources = resources.pop_all()
        return opened


def _opened(path: Path, where: Path) -> Tensors:
    config = _config(where)
    if where.suffix == ".onnx":
        from skip_absorption.checkpoints.onnx_graph import open_onnx

        entries, metadata, graph = open_onnx(where)
        return Tensors(path, "onnx", entries, metadata=metadata, config=config, graph=graph, where=where)
    from skip_absorption.checkpoints._stored import open_npz, open_safetensors, open_shards

    if where.suffix == ".npz":
        return Tensors(path, "npz", open_npz(where), config=config, where=where)
    reader = open_shards if where.name.endswith(".index.json") else open_safetensors
    entries, metadata = reader(where)
    return Tensors(path, "safetensors", entries, metadata=metadata, config=config, where=where)


@contextmanager
def _named_as_given(where: Path, path: Path) -> Iterator[None]:
    """Let errors about an unpacked file name the archive that the user knows."""
    try:
        yield
    except InvalidInput as error:
        unpacked, texts = str(where.parent), (error.argument, error.value)
        if path.suffix not in (".whl", ".zip") or unpacked not in f"{texts}":
            raise
        argument, value = (str(text).replace(unpacked, str(path)) for text in texts)
        raise InvalidInput(argument, error.requirement, value) from None


def _located(path: Path, resources: ExitStack) -> Path:
    """Return the one file to read first; what is in an archive is unpacked until ``resources`` close."""
    if path.suffix in (".whl", ".zip") and path.is_file():
        from skip_absorption.checkpoints._stored import unpacked

        return unpacked(path, resources)
    if path.is_dir():
        try:
            chosen = chosen_file([entry.name for entry in path.iterdir() if entry.is_file()], path)
        except OSError as error:
            raise InvalidInput(str(path), "be readable", error.strerror or str(error)) from None
        return path / chosen
    if path.suffix in PICKLES:
        raise InvalidInput("the checkpoint", _PICKLED, str(path))
    if not path.name.endswith((".safetensors", ".safetensors.index.json", ".onnx", ".npz")):
        raise InvalidInput("the checkpoint", _EXPECTED, str(path))
    if not path.is_file():
        raise InvalidInput(str(path), "be a file", "a special file" if path.exists() else "no such file")
    return path


def chosen_file(names: list[str], path: Path) -> str:
    """Return the one name to read among those of a directory or archive: an index before what it lists.

    Raises
    ------
    InvalidInput
        If there is none, or several of the first kind that is there.
    """
    for suffix in (".safetensors.index.json", ".safetensors", ".onnx", ".npz"):
        found = sorted(name for name in names if name.endswith(suffix))
        if len(found) > 1:
            raise InvalidInput(str(path), f"hold one {suffix} file (or name the one to read)", found)
        if found:
            return found[0]
    pickled = sorted(name for name in names if name.endswith(PICKLES))
    if pickled:
        raise InvalidInput("the checkpoint", _PICKLED, f"{path} with {pickled[0]}")
    raise InvalidInput("the checkpoint", _EXPECTED, f"{path} with none of them")


def _config(where: Path) -> dict[str, Any]:
    beside = where.with_name("config.json")
    return read_json(beside) if beside.is_file() else {}


MOST_JSON = 100 << 20
"""The longest index or configuration that is read, in bytes; an index of 10^5 tensors takes a tenth of it."""


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file.

    Raises
    ------
    InvalidInput
        For a file that is too long or damaged, that repeats a key, or that holds something else.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            raise InvalidInput(str(path), "hold each key once", "duplicate keys")
        return data

    try:
        if path.stat().st_size > MOST_JSON:
            raise InvalidInput(
                str(path), f"have at most {MOST_JSON >> 20} MiB", f"{path.stat().st_size} bytes"
            )
        data = json.loads(path.read_bytes(), object_pairs_hook=once)
    except InvalidInput:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(str(path), "be an undamaged JSON file", str(error)[:100]) from None
    if not isinstance(data, dict):
        raise InvalidInput(str(path), "hold one JSON object", type(data).__name__)
    return data
