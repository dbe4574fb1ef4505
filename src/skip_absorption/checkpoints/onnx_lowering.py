"""Fused operators of optimised ONNX models, taken apart into plain ones that compute the same.

Optimisers join a bias with the activation that follows it (BiasGelu, FastGelu), and a sum with the norm that
follows it (SkipLayerNormalization). Operators of any other domain keep a name that no pattern looks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx import NodeProto

STANDARD = ("", "ai.onnx")
_FUSED_DOMAIN = "com.microsoft"
TRUSTED = (*STANDARD, _FUSED_DOMAIN)
"""The domains whose operators are known by their names."""
_PLAIN = ("Gelu", "SimplifiedLayerNormalization")
_SKIP_NORMS = {
    "SkipLayerNormalization": "LayerNormalization",
    "SkipSimplifiedLayerNormalization": "SimplifiedLayerNormalization",
}


def lowered(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Yield the nodes with fused ones taken apart; those of unknown domains as ``DOMAIN::OPERATOR``."""
    from onnx import NodeProto

    for node in nodes:
        if node.domain in STANDARD:
            yield node
        elif node.domain == _FUSED_DOMAIN and node.op_type in ("BiasGelu", "FastGelu", *_SKIP_NORMS):
            yield from _apart(node)
        else:
            copy = NodeProto()
            copy.CopyFrom(node)
            if node.domain != _FUSED_DOMAIN or node.op_type not in _PLAIN:
                copy.op_type = f"{node.domain}::{node.op_type}"
            yield copy


def _apart(node: NodeProto) -> Iterator[NodeProto]:
    from onnx.helper import make_node

    inputs, output = list(node.input), node.output[0]
    if node.op_type in ("BiasGelu", "FastGelu"):
        z = inputs[0]
        if len(inputs) > 1 and inputs[1]:
            z = f"{output}::biased"
            yield make_node("Add", inputs[:2], [z], name=node.name)
        form = "none" if node.op_type == "BiasGelu" else "tanh"
        yield make_node("Gelu", [z], [output], name=node.name, approximate=form)
        return
    simple = node.op_type == "SkipSimplifiedLayerNormalization"
    bias = inputs[3 if simple else 4 :][:1]
    total = node.output[3] if len(node.output) > 3 and node.output[3] else f"{output}::sum"
    last = bool(bias and bias[0])
    yield make_node("Add", inputs[:2], [f"{total}::bare" if last else total], name=node.name)
    if last:
        yield make_node("Add", [f"{total}::bare", bias[0]], [total], name=node.name)
    parameters = [value for value in inputs[2 : 3 if simple else 4] if value]
    yield make_node(_SKIP_NORMS[node.op_type], [total, *parameters], [output], name=node.name)
