"""ONNX models: their constant tensors, and who makes and who uses each value of the graph.

Constants are initializers (inside the file or in external data beside it), Constant nodes, and integers with
a scale (DequantizeLinear). Such a weight stands for the rational number (q − zero point)·scale, not for its
rounding to the scale's type; it is refused where float64 does not hold it exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.checkpoints.onnx_lowering import STANDARD, TRUSTED, lowered
from skip_absorption.checkpoints.tensors import Entry, exact_values
from skip_absorption.errors import InvalidInput

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

_CODES = {
    "FLOAT": "F32",
    "DOUBLE": "F64",
    "FLOAT16": "F16",
    "BFLOAT16": "BF16",
    "FLOAT8E4M3FN": "F8_E4M3",
    "FLOAT8E4M3FNUZ": "F8_E4M3FNUZ",
    "FLOAT8E5M2": "F8_E5M2",
    "FLOAT8E5M2FNUZ": "F8_E5M2FNUZ",
    **{f"INT{bits}": f"I{bits}" for bits in (4, 8, 16, 32, 64)},
    **{f"UINT{bits}": f"U{bits}" for bits in (4, 8, 16, 32, 64)},
}

_FIRST_OPSET = 7
"""Before it sums and products name the axis that they broadcast along, and a Dropout may train."""


@dataclass(frozen=True)
class Constant:
    """Where a value that the graph holds fixed comes from: a tensor, or its transpose."""

    name: str
    transposed: bool = False


@dataclass
class Graph:
    """The nodes of a model, with the maker and the users of each value.

    Attributes
    ----------
    entries
        The constant tensors by name.
    outputs
        The values that the model returns.
    """

    nodes: list[NodeProto]
    entries: dict[str, Entry]
    outputs: set[str]
    makers: dict[str, NodeProto] = field(default_factory=dict)
    users: dict[str, list[NodeProto]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for node in self.nodes:
            for value in dict.fromkeys([*node.input, *_captured(node)]):
                self.users[value].append(node)
            self.makers.update((value, node) for value in node.output if value)

    def made_by(self, value: str, *operators: str) -> NodeProto | None:
        """Return the node that makes a value if it is one of these operators."""
        node = self.makers.get(value)
        return node if node is not None and node.op_type in operators else None

    def constant(self, value: str) -> Constant | None:
        """Return where a fixed value comes from, through Identity, Transpose, widening Cast; else None."""
        transposed = False
        for _ in range(len(self.nodes) + 1):
            if value in self.entries:
                return Constant(value, transposed)
            node = self.made_by(value, "Identity", "Transpose", "Cast")
            if node is None or (node.op_type == "Cast" and not self._widens(node)):
                return None
            value = node.input[0]
            if node.op_type == "Transpose":
                permutation = attribute(node, "perm", [1, 0])
                if list(permutation) == [1, 0]:
                    transposed = not transposed
                elif list(permutation) != sorted(permutation):
                    return None
        return None

    def _widens(self, cast: NodeProto) -> bool:
        """Whether a cast keeps each value of the tensor that it is applied to."""
        entry = self.entries.get(cast.input[0])
        kept = {
            "F16": (1, 10, 11),
            "BF16": (1, 11, 16),
            "F32": (1, 11),
            "F64": (11,),
        }  # FLOAT is 1, DOUBLE 11
        return entry is not None and attribute(cast, "to", 0) in kept.get(entry.dtype, ())

    def number(self, value: str) -> Fraction | None:
        """Return the one entry of a fixed value, exactly; None if it is not fixed, not one, or not finite."""
        constant = self.constant(value)
        if constant is None or np.prod(self.entries[constant.name].shape) != 1:
            return None
        entry = self.entries[constant.name].load().reshape(()).item()
        return Fraction(entry) if isinstance(entry, (int, float)) and isfinite(entry) else None

    def shape(self, constant: Constant) -> tuple[int, ...]:
        """Return the shape of a fixed value."""
        shape = self.entries[constant.name].shape
        return shape[::-1] if constant.transposed else shape


def _captured(node: NodeProto) -> Iterator[str]:
    """Yield the values that a node's inner graphs (of If, Loop, Scan) may use."""
    for given in node.attribute:
        for graph in (*([given.g] if given.HasField("g") else []), *given.graphs):
            yield from (value.name for value in graph.output)
            for inner in graph.node:
                yield from inner.input
                yield from _captured(inner)


def attribute(node: NodeProto, name: str, default: Any) -> Any:
    """Return an attribute of a node, decoded, or the default."""
    from onnx.helper import get_attribute_value

    for given in node.attribute:
        if given.name == name:
            value = get_attribute_value(given)
            return value.decode() if isinstance(value, bytes) else value
    return default


@contextmanager
def valid_model(path: Path) -> Iterator[None]:
    """Turn what goes wrong with nodes that lack inputs or hold attributes of other types into one line.

    Raises
    ------
    InvalidInput
        For what the standard does not allow: protobuf checks no more than that fields have their types.
    """
    try:
        yield
    except InvalidInput:
        raise
    except (
        AttributeError,
        IndexError,
        KeyError,
        OverflowError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InvalidInput(str(path), "be a valid ONNX model", reason[:100]) from None


def open_onnx(path: Path) -> tuple[dict[str, Entry], dict[str, str], Graph]:
    """Return the constant tensors of a model, its metadata and its graph.

    Raises
    ------
    InvalidInput
        For a file that is no ONNX model, a tensor that is named twice, and external data that is missing or
        outside the model's directory.
    """
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # has no stubs

    try:
        model = onnx.load_model(path, format="protobuf", load_external_data=False)
    except (OSError, DecodeError, ValueError) as error:
        raise InvalidInput(str(path), "be an undamaged .onnx file", str(error)[:100]) from None
    if not model.HasField("graph") or not model.graph.node:
        raise InvalidInput(str(path), "be an undamaged .onnx file", "no graph")
    with valid_model(path):
        entries, graph = _contents(path, model)
        return entries, {entry.key: entry.value for entry in model.metadata_props}, graph


def _contents(path: Path, model: ModelProto) -> tuple[dict[str, Entry], Graph]:
    entries: dict[str, Entry] = {}
    for tensor in model.graph.initializer:
        if tensor.name in entries:
            raise InvalidInput(str(path), "name each tensor once", tensor.name)
        entries[tensor.name] = _entry(path, tensor.name, tensor)
    if any(function.domain in TRUSTED for function in model.functions):
        raise InvalidInput(str(path), "use the standard's operators", "functions under their names")
    versions = [imported.version for imported in model.opset_import if imported.domain in STANDARD]
    if min(versions, default=0) < _FIRST_OPSET:
        requirement = f"use the standard's operators of version {_FIRST_OPSET} or later"
        raise InvalidInput(str(path), requirement, f"versions {versions}")
    nodes = list(lowered(model.graph.node))
    for node in nodes:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
            entries[node.output[0]] = _entry(path, node.output[0], node.attribute[0].t)
        elif node.op_type == "Constant" and node.attribute:
            _add_plain(entries, node)
    _require_order(path, nodes, {tensor.name for tensor in model.graph.initializer})
    graph = Graph(nodes, entries, {value.name for value in model.graph.output})
    for node in nodes:
        if node.op_type == "DequantizeLinear":
            _add_dequantised(path, graph, node)
    return entries, graph


def _require_order(path: Path, nodes: list[NodeProto], made: set[str]) -> None:
    """Refuse a graph with a cycle, or with two makers of one value; some are made before all nodes."""
    later = {value for node in nodes for value in node.output if value}
    for node in nodes:
        early = [value for value in node.input if value in later]
        twice = [value for value in node.output if value in made]
        if early or twice:
            requirement = "make each value once, and before it is used"
            raise InvalidInput(str(path), requirement, (early or twice)[0])
        made.update(value for value in node.output if value)
        later.difference_update(node.output)


def _add_plain(entries: dict[str, Entry], node: NodeProto) -> None:
    value = attribute(node, node.attribute[0].name, None)
    if node.attribute[0].name in ("value_float", "value_floats", "value_int", "value_ints"):
        kind = np.float32 if "float" in node.attribute[0].name else np.int64
        array = np.array(value, dtype=kind)
        entries[node.output[0]] = Entry(array.shape, "F32" if kind is np.float32 else "I64", lambda: array)


def _entry(path: Path, name: str, tensor: TensorProto) -> Entry:
    from onnx import TensorProto

    kind = TensorProto.DataType.Name(tensor.data_type)
    shape = tuple(int(size) for size in tensor.dims)
    if min(shape, default=0) < 0:
        raise InvalidInput(f"{path}: tensor {name}", "have a shape", shape)
    load: Callable[[], NDArray[Any]] = partial(_inside, path, name, tensor)
    if tensor.data_location == TensorProto.EXTERNAL:
        load = _external(path, name, tensor, shape)
    return Entry(shape, _CODES.get(kind, kind), load)


def _inside(path: Path, name: str, tensor: TensorProto) -> NDArray[Any]:
    from onnx.numpy_helper import to_array

    try:
        return to_array(tensor)
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"{path}: tensor {name}", "be undamaged", str(error)[:100]) from None


def _external(
    path: Path, name: str, tensor: TensorProto, shape: tuple[int, ...]
) -> Callable[[], NDArray[Any]]:
    from onnx.helper import tensor_dtype_to_np_dtype

    told = {entry.key: entry.value for entry in tensor.external_data}
    location, where = told.get("location", ""), f"{path}: tensor {name}"
    parts = PurePosixPath(location).parts
    outside = not parts or ".." in parts or location.startswith("/") or "\\" in location or ":" in location
    file = path.parent / location
    try:
        if outside or not file.resolve(strict=True).is_relative_to(path.parent.resolve()):
            raise InvalidInput(where, "have its data in the model's directory", location)
        if not file.is_file():
            raise InvalidInput(where, f"have its data in {location}", "no such file")
    except FileNotFoundError:
        raise InvalidInput(where, f"have its data in {location}", "no such file") from None
    except (OSError, RuntimeError) as error:  # a name that is too long, links in a circle
        raise InvalidInput(where, "have its data in a readable file", str(error)[:100]) from None
    try:
        kind = np.dtype(tensor_dtype_to_np_dtype(tensor.data_type))
        offset, size = int(told.get("offset", 0)), int(np.prod(shape, dtype=object)) * kind.itemsize
        length = int(told.get("length", size))
    except (KeyError, ValueError, TypeError) as error:
        raise InvalidInput(where, "say where its data is", str(error)[:100]) from None
    if length != size or offset < 0 or offset + size > file.stat().st_size:
        found = f"{length} bytes at {offset} of {file.stat().st_size}"
        raise InvalidInput(where, f"have {size} bytes in {location}", found)
    if size == 0:
        return lambda: np.zeros(shape, kind)
    return lambda: np.memmap(file, kind.newbyteorder("<"), "r", offset, shape or (1,)).reshape(shape)


def _add_dequantised(path: Path, graph: Graph, node: NodeProto) -> None:
    """Add the output of a DequantizeLinear whose inputs are fixed, under its own name."""
    constants = [graph.constant(value) for value in node.input if value]
    if any(constant is None or constant.transposed for constant in constants):
        return
    parts = [graph.entries[constant.name] for constant in constants if constant is not None]
    name, axis = node.output[0], int(attribute(node, "axis", 1))
    if attribute(node, "block_size", 0):
        return
    load = partial(_dequantised, f"{path}: tensor {name}", parts, axis)
    graph.entries[name] = Entry(parts[0].shape, f"{parts[0].dtype}*{parts[1].dtype}", load)


def _dequantised(name: str, parts: list[Entry], axis: int) -> NDArray[np.float64]:
    codes, scale, *rest = (exact_values(part.load(), name) for part in parts)
    zero = rest[0] if rest else np.zeros((), np.int64)
    if codes.dtype.kind not in "iu" or codes.dtype.itemsize > 4 or scale.dtype != np.float32:
        raise InvalidInput(
            name, "be integers of at most 32 bits with float32 scales", f"{codes.dtype}, {scale.dtype}"
        )
    shape = [1] * codes.ndim
    if scale.size > 1:
        shape[axis] = -1
    try:
        steps = codes.astype(np.int64) - zero.astype(np.int64).reshape(shape if zero.size > 1 else ())
        factor = np.broadcast_to(scale.reshape(shape), codes.shape)
    except (ValueError, IndexError) as error:
        raise InvalidInput(name, "have a scale for each slice along its axis", str(error)[:100]) from None
    if np.abs(steps).max(initial=0) >= 1 << 29:  # 29 bits times 24 bits fill the 53 of a double
        raise InvalidInput(
            name, "have steps below 2^29, so that float64 holds them times their scale", "larger"
        )
    return np.asarray(steps * factor.astype(np.float64))
