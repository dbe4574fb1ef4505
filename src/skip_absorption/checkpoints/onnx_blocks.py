"""MLP blocks of an ONNX model, found through its graph: no name matters.

A block is W_down σ(W_up x + b) + c, or a gated one, whose output meets in a sum either x itself or the value
that a norm has made x from. The sum tells where the norm stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from skip_absorption.checkpoints.block import CheckpointBlock, Norm, TensorRef, map_in_words
from skip_absorption.checkpoints.onnx_graph import Constant, Graph, attribute, valid_model
from skip_absorption.checkpoints.onnx_patterns import (
    Affine,
    activated,
    affine,
    behind,
    factors,
    normalised,
    passes,
)
from skip_absorption.checkpoints.tensors import Tensors
from skip_absorption.errors import InvalidInput

if TYPE_CHECKING:
    from onnx import NodeProto

_LOOKED_FOR = (
    "hold MLP blocks: MatMul, Gemm or 1x1 Conv, then Relu, LeakyRelu, Gelu, its erf or tanh form spelled "
    "out, x*Sigmoid(x), squared Relu or a gated product of these, then MatMul, Gemm or Conv, then the sum "
    "with the skip"
)

_ROUNDING = ("Integer", "QLinear", "QuantizeLinear", "NBits", "QGemm", "QAttention")


@dataclass(frozen=True)
class _Found:
    """An MLP in the graph: its affine maps, its activation, and the value that it makes."""

    up: Affine
    down: Affine
    gate: Affine | None
    activation: str
    output: str
    halves: tuple[int, int] | None = None  # which half of one matrix W_gate is, and which W_up


@dataclass(frozen=True)
class _Skip:
    """What joins an MLP's output to its skip: where the norm stands, and what is folded on the way."""

    norm: Norm
    norm_from: str
    adds: str
    scale: Constant | None = None
    late_bias: Constant | None = None


def blocks_of_graph(tensors: Tensors) -> tuple[CheckpointBlock, ...]:
    """Return the MLP blocks of an open ONNX model in the order of its nodes; layers may share their weights.

    Raises
    ------
    InvalidInput
        If there is none; the line says what was looked for and what was there instead.
    """
    with valid_model(tensors.path):
        return _blocks(tensors.graph, tensors.path)


def _blocks(graph: Graph, path: Path) -> tuple[CheckpointBlock, ...]:
    mlps = [mlp for node in graph.nodes for mlp in _mlps(graph, node)]
    pairs = [(mlp, skip) for mlp in mlps if (skip := _skip(graph, mlp)) is not None]
    if not pairs:
        counts = Counter(node.op_type for node in graph.nodes)
        quantised = [op for op in counts if any(part in op for part in _ROUNDING)]
        commonest = ", ".join(f"{n} {op}" for op, n in counts.most_common(5))
        found = f"{len(mlps)} MLPs without a skip, among {commonest}"
        if quantised:
            found = f"operators that compute with integers or round to them: {', '.join(quantised)}"
        raise InvalidInput(str(path), _LOOKED_FOR, found)
    used: Counter[str] = Counter()
    blocks = []
    for mlp, skip in pairs:
        name = _name(mlp)
        used[name] += 1
        blocks.append(_block(graph, mlp, skip, name if used[name] == 1 else f"{name}#{used[name]}"))
    return tuple(blocks)


def _mlps(graph: Graph, node: NodeProto) -> Iterator[_Found]:
    """Yield the MLP whose second affine map is this node."""
    if node.op_type not in ("MatMul", "Gemm", "Conv"):
        return
    output = _with_bias(graph, node.output[0])
    down = affine(graph, output)
    if down is None:
        return
    number, parts = factors(graph, down.x)
    found = activated(graph, number, parts)
    up = affine(graph, found[1]) if found is not None and found[0] else None
    if found is not None and up is not None:
        if up.shape(graph) == down.shape(graph)[::-1] and up.along_channels == down.along_channels:
            yield _Found(up, down, None, found[0], output)
        return
    fused = _fused(graph, down, number, parts)
    if fused is not None:
        yield _Found(fused[0], down, fused[0], fused[1], output, fused[2])
        return
    for k, value in enumerate(parts):
        rest = parts[:k] + parts[k + 1 :]
        act = (
            ("identity", rest[0])
            if len(rest) == 1 and affine(graph, rest[0])
            else activated(graph, number, rest)
        )
        up, gate = affine(graph, value), affine(graph, act[1]) if act is not None and act[0] else None
        if act is None or up is None or gate is None or (act[0] == "identity" and number != 1):
            continue
        same = behind(graph, up.x) == behind(graph, gate.x) and up.shape(graph) == gate.shape(graph)
        axes = {part.along_channels for part in (up, gate, down)}
        if same and len(axes) == 1 and up.shape(graph) == down.shape(graph)[::-1]:
            yield _Found(up, down, gate, act[0], output)
            return


def _fused(
    graph: Graph, down: Affine, number: Fraction, parts: list[str]
) -> tuple[Affine, str, tuple[int, int]] | None:
    """Return the one affine map whose output is split into the gates and the values of a gated MLP."""
    for k, value in enumerate(parts):
        split = graph.made_by(value, "Split")
        act = activated(graph, number, parts[:k] + parts[k + 1 :])
        if split is None or act is None or not act[0] or graph.made_by(act[1], "Split") != split:
            continue
        both, outputs = affine(graph, split.input[0]), list(split.output)
        sizes = None if len(split.input) < 2 else graph.constant(split.input[1])
        if (
            both is None
            or len(outputs) != 2
            or attribute(split, "axis", 0) not in (-1, 2)
            or sizes is not None
        ):
            continue
        n2, d = both.shape(graph)
        if (
            (d, n2 // 2) == down.shape(graph)
            and n2 % 2 == 0
            and not (both.along_channels or down.along_channels)
        ):
            return both, act[0], (outputs.index(act[1]), outputs.index(value))
    return None


def _with_bias(graph: Graph, value: str) -> str:
    """Return the value after the bias that is added to a MatMul, if one is."""
    users = graph.users[value]
    if len(users) == 1 and users[0].op_type == "Add":
        sum_ = users[0].output[0]
        found = affine(graph, sum_)
        if found is not None and found.bias is not None and value == found.node.output[0]:
            return str(sum_)
    return value


def _skip(graph: Graph, mlp: _Found) -> _Skip | None:
    """Return how the MLP's output meets its skip; None if it meets none."""
    value, scale, turned = mlp.output, None, False
    for _ in graph.nodes:
        sums = [node for node in graph.users[value] if node.op_type == "Add"]
        if sums:
            other = next((v for v in sums[0].input if v != value), value)
            return _joined(graph, mlp, sums[0], other, scale, turned=turned)
        nexts = [
            node
            for node in graph.users[value]
            if node.input[0] == value and (node.op_type == "Transpose" or passes(graph, node))
        ]
        scaled = [node for node in graph.users[value] if node.op_type == "Mul"]
        if len(scaled) == 1 and scale is None and not turned:
            scale = next((graph.constant(v) for v in scaled[0].input if v != value), None)
            if scale is None or graph.shape(scale) not in _along_features(graph, mlp):
                return None
            value = scaled[0].output[0]
        elif len(nexts) == 1:
            value, turned = nexts[0].output[0], turned or nexts[0].op_type == "Transpose"
        else:
            return None
    return None


def _along_features(graph: Graph, mlp: _Found) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of a vector that goes along the features of the MLP's output."""
    d = mlp.down.shape(graph)[0]
    if not mlp.down.along_channels:
        return (d,), (1, d), (1, 1, d)
    ones = (1,) * (len(graph.shape(mlp.down.weight)) - 2)
    return (d, *ones), (1, d, *ones)


def _joined(
    graph: Graph, mlp: _Found, node: NodeProto, other: str, scale: Constant | None, *, turned: bool
) -> _Skip | None:
    total, late = str(node.output[0]), None
    users = _users(graph, total)
    if (
        len(users) == 1
        and users[0].op_type == "Add"
        and mlp.down.bias is None
        and scale is None
        and not turned
    ):
        late = next((c for v in users[0].input if v != total and (c := graph.constant(v)) is not None), None)
        if late is not None:
            if graph.shape(late) != (mlp.down.shape(graph)[0],) or mlp.down.along_channels:
                return None
            total = users[0].output[0]
            users = _users(graph, total)
    x, carried = behind(graph, mlp.up.x), behind(graph, other)
    if carried == x:
        if turned:
            return None
        if (
            total not in graph.outputs
            and users
            and all(_only_normalises(graph, user, total) for user in users)
        ):
            return _Skip("post", "the norm of the sum in the graph", "", scale, late)
        return _Skip("none", "the graph", "", scale, late)
    if graph.constant(carried) is not None or not _comes_from(graph, x, carried):
        return None
    source = normalised(graph, _untransposed(graph, x))
    if source is not None:
        adds = "MLP(Norm(x))"
        if source != carried:
            adds = "MLP(Norm(f(x))), where f is what the graph has before the norm"
        elif turned or _untransposed(graph, x) != x:
            adds = "MLP(Norm(x)), with axes exchanged between norm and MLP or after it"
        return _Skip("pre", "the norm before the MLP in the graph", adds, scale, late)
    return _Skip("unknown", "the graph has something else before the MLP", "", scale, late)


def _users(graph: Graph, value: str) -> list[NodeProto]:
    return [node for node in graph.users[value] if node.op_type != "Shape"]


def _comes_from(graph: Graph, value: str, source: str, most: int = 64) -> bool:
    """Whether a value is computed from another one, within a few nodes."""
    seen: set[str] = set()
    waiting = [value]
    while waiting and len(seen) < most:
        value = waiting.pop(0)
        if value == source:
            return True
        node = graph.makers.get(value)
        if value not in seen and node is not None:
            seen.add(value)
            waiting += list(node.input)
    return False


def _untransposed(graph: Graph, value: str) -> str:
    node = graph.made_by(value, "Transpose")
    return value if node is None else behind(graph, node.input[0])


def _only_normalises(graph: Graph, node: NodeProto, total: str) -> bool:
    """Whether a node uses a sum only for its norm: the norm itself, or a step of one."""
    seen, values = set(), list(node.output)
    while values:
        value = values.pop()
        if value in seen:
            continue
        seen.add(value)
        if normalised(graph, value) == total:
            continue
        users = graph.users[value]
        if not users or len(seen) > 16 or value in graph.outputs:
            return False
        values += [out for user in users for out in user.output]
    return True


def _block(graph: Graph, mlp: _Found, skip: _Skip, name: str) -> CheckpointBlock:
    d, n = mlp.down.shape(graph)
    gate_half, up_half = mlp.halves or (None, None)
    kind: Literal["gated", "ungated"] = "ungated" if mlp.gate is None else "gated"
    return CheckpointBlock(
        name=name,
        family="onnx",
        kind=kind,
        activation=mlp.activation,
        norm=skip.norm,
        d=d,
        n=n,
        up=_half(mlp.up.weight, n, up_half),
        down=TensorRef(mlp.down.weight.name, mlp.down.weight.transposed),
        gate=None if mlp.gate is None else _half(mlp.gate.weight, n, gate_half),
        b_up=_optional(mlp.up.bias, n, up_half),
        b_down=_optional(mlp.down.bias or skip.late_bias),
        b_gate=None if mlp.gate is None else _optional(mlp.gate.bias, n, gate_half),
        scale=_optional(skip.scale),
        map_in_words=map_in_words(skip.norm, adds=skip.adds),
        activation_from="the graph",
        norm_from=skip.norm_from,
    )


def _half(constant: Constant, n: int, half: int | None) -> TensorRef:
    return TensorRef(constant.name, constant.transposed, None if half is None else (half * n, half * n + n))


def _optional(constant: Constant | None, n: int = 0, half: int | None = None) -> TensorRef | None:
    return None if constant is None else _half(Constant(constant.name), n, half)


def _name(mlp: _Found) -> str:
    """Return what the names of the two nodes have in common, or the name of the first weight."""
    parts = []
    for a, b in zip(mlp.up.node.name.split("/"), mlp.down.node.name.split("/"), strict=False):
        if a != b:
            break
        parts.append(a)
    return "/".join(parts).strip("/") or mlp.up.node.name or mlp.up.weight.name
