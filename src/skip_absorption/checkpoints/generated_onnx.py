"""Small ONNX models with known blocks: operators and written-out patterns, MatMul and Gemm, all norms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

    from skip_absorption.checkpoints.generated import KnownBlock


class Builder:
    """Nodes and initializers of a graph; each method returns the name of the value that it makes."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []

    def add(self, operator: str, *inputs: str, within: str = "", **attributes: Any) -> str:
        """Add a node with one output; ``within`` is the module that its name says."""
        from onnx import helper

        output = f"{operator.lower()}_{len(self.nodes)}"
        name = f"/{within}/{operator}" if within else f"/{output}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], name=name, **attributes))
        return output

    def tensor(self, array: NDArray[Any], name: str | None = None) -> str:
        """Add an initializer."""
        from onnx import numpy_helper

        name = name or f"tensor_{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def number(self, value: float) -> str:
        """Add a float32 constant of no dimensions."""
        return self.tensor(np.array(value, np.float32))

    def affine(
        self, x: str, weight: NDArray[Any], bias: NDArray[Any] | None, name: str, *, gemm: bool = False
    ) -> str:
        """Add W x + b, with W (out, in)."""
        dotted = name.replace("/", ".")
        vector = [] if bias is None else [self.tensor(bias, f"{dotted}.bias")]
        if gemm:
            matrix = self.tensor(weight, f"{dotted}.weight")
            return self.add("Gemm", x, matrix, *vector, within=name, transB=1)
        product = self.add("MatMul", x, self.tensor(weight.T, f"{dotted}.weight"), within=name)
        return self.add("Add", vector[0], product) if vector else product

    def activate(self, kind: str, z: str, *, written_out: bool) -> str:
        """Add an activation, as one operator where ONNX has it, or written out."""
        if kind in ("relu", "sigmoid", "identity"):
            return z if kind == "identity" else self.add(kind.capitalize(), z)
        if kind == "relu_squared":
            relu = self.add("Relu", z)
            return self.add("Mul", relu, relu) if written_out else self.add("Pow", relu, self.number(2))
        if kind == "silu":
            return self.add("Mul", z, self.add("Sigmoid", z))
        if not written_out:
            return self.add("Gelu", z, approximate="none" if kind == "gelu" else "tanh")
        if kind == "gelu":
            curve = self.add("Erf", self.add("Div", z, self.number(2**0.5)))
        else:
            cubic = self.add("Mul", self.number(0.044715), self.add("Pow", z, self.number(3)))
            inner = self.add("Mul", self.add("Add", z, cubic), self.number((2 / np.pi) ** 0.5))
            curve = self.add("Tanh", inner)
        return self.add("Mul", self.add("Mul", z, self.add("Add", curve, self.number(1))), self.number(0.5))

    def norm(self, x: str, d: int, *, written_out: bool) -> str:
        """Add a LayerNorm with gain and bias."""
        gain, bias = self.tensor(np.ones(d, np.float32)), self.tensor(np.zeros(d, np.float32))
        if not written_out:
            return self.add("LayerNormalization", x, gain, bias, axis=-1)
        last = self.tensor(np.array([-1]))
        centred = self.add("Sub", x, self.add("ReduceMean", x, last))
        square = self.add("ReduceMean", self.add("Pow", centred, self.number(2)), last)
        root = self.add("Sqrt", self.add("Add", square, self.number(1e-5)))
        return self.add("Add", self.add("Mul", self.add("Div", centred, root), gain), bias)

    def save(self, path: Path, d_in: int, output: str, d_out: int) -> None:
        """Write the model; its input is ``x`` (batch, d_in)."""
        import onnx
        from onnx import TensorProto, helper

        values = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", d])
            for name, d in (("x", d_in), (output, d_out))
        ]
        graph = helper.make_graph(self.nodes, "model", values[:1], values[1:], self.tensors)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), path)


def write_model(path: Path, blocks: Sequence[KnownBlock], *, names: Sequence[str]) -> None:
    """Write blocks one after another, the norms where each block has them.

    Parameters
    ----------
    names
        A name for each block.
    """
    build, x = Builder(), "x"
    d = blocks[0].w_up.shape[1]
    for k, (block, name) in enumerate(zip(blocks, names, strict=True)):
        odd = k % 2 == 1
        read = build.norm(x, d, written_out=odd) if block.norm == "pre" else x
        gemm = not odd
        z = build.affine(read, block.w_up, block.b_up, f"{name}/up", gemm=gemm)
        if block.w_gate is None:
            hidden = build.activate(block.activation, z, written_out=odd)
        else:
            gate = build.affine(read, block.w_gate, None, f"{name}/gate", gemm=gemm)
            hidden = build.add("Mul", build.activate(block.activation, gate, written_out=odd), z)
        down = block.w_down.astype(np.float32)
        b_down = None if block.b_down is None else block.b_down.astype(np.float32)
        x = build.add("Add", x, build.affine(hidden, down, b_down, f"{name}/down", gemm=gemm))
        x = build.norm(x, d, written_out=odd) if block.norm == "post" else x
    build.save(path, d, x, d)
