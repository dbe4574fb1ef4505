"""Named arrays in .npz, .safetensors and .json files, read without executing anything and written atomically.

Each reader takes the names that are wanted and returns every name in the file and the wanted values found. A
file that is damaged, hostile or too large gives one `InvalidInput`.
"""

from __future__ import annotations

import json
import lzma
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import MOST_DIGITS, format_rational, is_readable
from skip_absorption.files import whole_file

Contents: TypeAlias = tuple[list[str], dict[str, Any]]

MOST_BYTES = 4 << 30
"""The most memory for the arrays of one file; two of 16384 x 4096 doubles take a quarter of it."""

MOST_JSON = 1 << 28

_DAMAGE = (
    EOFError,
    KeyError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,  # with RecursionError and NotImplementedError
    SyntaxError,
    TypeError,
    ValueError,  # with the decoding errors
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_file(path: Path, wanted: Iterable[str]) -> Contents:
    """Return the names in a weights file, and the values of those wanted that it has.

    Raises
    ------
    InvalidInput
        If the file is missing, not a regular file, of another kind, damaged, or too large.
    """
    if path.suffix in (".pt", ".pth", ".bin", ".pkl", ".ckpt"):
        requirement = "be .npz, .safetensors or .json, since pickled weights run code when they are read"
        raise InvalidInput("the weights file", requirement, str(path))
    if path.suffix not in _READERS:
        raise InvalidInput("the weights file", "end in .npz, .safetensors or .json", str(path))
    try:
        if not path.is_file():
            found = (
                "a directory" if path.is_dir() else "no such file" if not path.exists() else "a special file"
            )
            raise InvalidInput(str(path), "be a weights file", found)
        return _READERS[path.suffix](path, wanted)
    except InvalidInput:
        raise
    except _DAMAGE as error:
        reason = str(error).strip() or type(error).__name__
        raise InvalidInput(str(path), f"be an undamaged {path.suffix} file", reason[:100]) from None


def _check_size(path: Path, key: str, size: int, most: int) -> None:
    if size > most:
        raise InvalidInput(f"{path}: key {key}", f"fit in {most >> 20} MiB", f"{size >> 20} MiB")


def _read_npz(path: Path, wanted: Iterable[str]) -> Contents:
    left = MOST_BYTES
    with warnings.catch_warnings(), zipfile.ZipFile(path) as archive:
        warnings.simplefilter("ignore")  # NumPy reads headers of Python 2 with a warning
        members = [name for name in archive.namelist() if name.endswith(".npy")]
        if len(set(members)) < len(members):
            raise InvalidInput(str(path), "hold each key once", "duplicate keys")
        keys = [name.removesuffix(".npy") for name in members]
        found = {}
        for key in wanted:
            if key in keys:
                member = archive.getinfo(f"{key}.npy")
                with archive.open(member) as stream:
                    size = _declared_size(stream, f"{path}: key {key}")
                    header = stream.tell()
                _check_size(path, key, size, left)
                left -= size
                if header + size != member.file_size:
                    requirement = f"hold the {size} bytes that its shape needs"
                    raise InvalidInput(f"{path}: key {key}", requirement, f"{member.file_size - header}")
                with archive.open(member) as stream:
                    found[key] = np.lib.format.read_array(stream, allow_pickle=False)
    return keys, found


def _declared_size(stream: IO[bytes], name: str) -> int:
    """Return the number of bytes that an array's header promises, before any is allocated."""
    version = np.lib.format.read_magic(stream)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise InvalidInput(name, "be in .npy format 1.0 or 2.0", version)
    shape, _, dtype = readers[version](stream)
    if dtype.hasobject:
        raise InvalidInput(name, 'hold numbers or "p/q" strings, since pickled objects run code', "objects")
    if dtype.itemsize == 0:  # any number of empty strings fits into no bytes
        raise InvalidInput(name, "hold numbers", f"dtype {dtype}")
    if min(shape, default=0) < 0:
        raise InvalidInput(name, "have a shape", shape)
    return math.prod(shape) * int(dtype.itemsize)


def _read_safetensors(path: Path, wanted: Iterable[str]) -> Contents:
    import ml_dtypes  # noqa: F401  # registers bfloat16 with NumPy
    from safetensors import SafetensorError, safe_open

    left = MOST_BYTES
    try:
        with safe_open(path, framework="np") as file:
            keys = list(file.keys())
            metadata = dict(file.metadata() or {})
            found: dict[str, Any] = {}
            for key in wanted:
                if key in keys:
                    described = file.get_slice(key)
                    if described.get_dtype() not in _TENSORS:
                        requirement = f"have one of the types {', '.join(_TENSORS)}"
                        raise InvalidInput(f"{path}: key {key}", requirement, described.get_dtype())
                    size = 8 * math.prod(described.get_shape())
                    _check_size(path, key, size, left)
                    left -= size
                    found[key] = file.get_tensor(key)
                elif key in metadata:
                    found[key] = metadata[key]
    except SafetensorError as error:
        raise InvalidInput(str(path), "be an undamaged .safetensors file", str(error)) from None
    return [*keys, *metadata], found


_TENSORS = ("F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8")


def _read_json(path: Path, wanted: Iterable[str]) -> Contents:
    _check_size(path, "*", path.stat().st_size, MOST_JSON)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            raise InvalidInput(str(path), "hold each key once", "duplicate keys")
        return data

    def constant(name: str) -> float:
        raise InvalidInput(str(path), "hold finite numbers", name)

    data = json.loads(path.read_bytes(), object_pairs_hook=once, parse_constant=constant)
    if not isinstance(data, dict):
        raise InvalidInput(str(path), "hold one JSON object", type(data).__name__)
    return list(data), {key: data[key] for key in wanted if key in data}


_READERS: dict[str, Callable[[Path, Iterable[str]], Contents]] = {
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    ".json": _read_json,
}


def write_file(path: Path, arrays: Mapping[str, NDArray[Any]], texts: Mapping[str, str]) -> None:
    """Write named exact arrays and texts; the file appears whole or not at all.

    Raises
    ------
    InvalidInput
        For another suffix, a directory that cannot be written, or fractions in .safetensors.
    """
    if path.suffix not in _WRITERS:
        raise InvalidInput("the output file", "end in .npz, .safetensors or .json", str(path))
    if path.is_dir():
        raise InvalidInput("the output file", "be a file", f"the directory {path}")
    try:
        with whole_file(path) as partial:
            _WRITERS[path.suffix](partial, arrays, texts)
    except OSError as error:
        raise InvalidInput("the output file", "be writable", f"{path}: {error.strerror or error}") from None


def _write_npz(path: Path, arrays: Mapping[str, NDArray[Any]], texts: Mapping[str, str]) -> None:
    plain = {key: _strings(array) if array.dtype.kind == "O" else array for key, array in arrays.items()}
    with path.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **plain, **{key: np.array(text) for key, text in texts.items()})


def _strings(array: NDArray[Any]) -> NDArray[Any]:
    return np.array([_text(value) for value in array.flat]).reshape(array.shape)


def _text(value: Fraction | int) -> str:
    if not is_readable(value):
        raise InvalidInput("the numbers to write", f"have at most {MOST_DIGITS} digits", "more digits")
    return format_rational(value)


def _write_safetensors(path: Path, arrays: Mapping[str, NDArray[Any]], texts: Mapping[str, str]) -> None:
    from safetensors.numpy import save

    for key, array in arrays.items():
        if array.dtype.kind == "O":
            requirement = "hold floats or 64-bit integers for .safetensors (write fractions to .npz or .json)"
            raise InvalidInput(key, requirement, "exact fractions")
    path.write_bytes(save({key: np.ascontiguousarray(array) for key, array in arrays.items()}, dict(texts)))


def _write_json(path: Path, arrays: Mapping[str, NDArray[Any]], texts: Mapping[str, str]) -> None:
    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(entry) for entry in value]
        if isinstance(value, float):
            return value
        return _text(value) if isinstance(value, Fraction) or not is_readable(value) else value

    data = {key: plain(array.tolist()) for key, array in arrays.items()}
    path.write_text(json.dumps({**data, **texts}) + "\n", encoding="utf-8")


_WRITERS: dict[str, Callable[[Path, Mapping[str, NDArray[Any]], Mapping[str, str]], None]] = {
    ".npz": _write_npz,
    ".safetensors": _write_safetensors,
    ".json": _write_json,
}
