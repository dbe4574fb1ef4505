"""What nodes of an ONNX graph compute: affine maps, activations and norms, as operators or written out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import pi, sqrt
from typing import TYPE_CHECKING, TypeAlias

from skip_absorption.checkpoints.block import squeezed
from skip_absorption.checkpoints.onnx_graph import Constant, Graph, attribute

if TYPE_CHECKING:
    from onnx import NodeProto

Polynomial: TypeAlias = dict[int, Fraction]
"""Coefficients by degree."""

_ZERO = Fraction(0)

_CLOSE = Fraction(4, 1000)
"""How far a constant inside erf or tanh may be, relatively, from its number: bfloat16 keeps eight bits.

No verdict depends on it: z/2 (1 + erf cz) is GELU with rows and columns rescaled, for every c > 0, and the
cubic inside tanh enters the theory by its degree and signs alone.
"""


@dataclass(frozen=True)
class Affine:
    """y = W x + b: the value of x, W as a fixed value (transposed if stored as (in, out)), and b."""

    x: str
    weight: Constant
    bias: Constant | None
    node: NodeProto

    @property
    def along_channels(self) -> bool:
        """Whether x's features lie along its second axis, as a Conv's do, and not along its last."""
        return self.node.op_type == "Conv"

    def shape(self, graph: Graph) -> tuple[int, ...]:
        """Return (out, in)."""
        return squeezed(graph.shape(self.weight))


def affine(graph: Graph, value: str) -> Affine | None:
    """Return the affine map that makes a value: MatMul or Gemm or a 1x1 Conv, and an Add of a bias."""
    value = behind(graph, value)
    node = graph.made_by(value, "Add")
    if node is not None:
        for bias, inner in (node.input, node.input[::-1]):
            found, constant = _linear(graph, behind(graph, inner)), graph.constant(bias)
            if constant is None or found is None or found.bias is not None or found.along_channels:
                continue  # a vector is added along the last axis, which is not a Conv's
            if graph.shape(constant) == found.shape(graph)[:1]:
                return Affine(found.x, found.weight, constant, found.node)
    return _linear(graph, value)


def behind(graph: Graph, value: str) -> str:
    """Return the value that nodes before this one pass on; see `passes`."""
    node = graph.makers.get(value)
    while node is not None and value == node.output[0] and passes(graph, node):
        value = node.input[0]
        node = graph.makers.get(value)
    return value


def passes(graph: Graph, node: NodeProto) -> bool:
    """Whether a node is Identity, a cast between floats, or a Dropout that does not train."""
    if node.op_type == "Dropout":
        return len(node.input) < 3 or not node.input[2] or graph.number(node.input[2]) == 0
    return node.op_type == "Identity" or (
        node.op_type == "Cast" and attribute(node, "to", 0) in (1, 10, 11, 16)
    )


def _linear(graph: Graph, value: str) -> Affine | None:
    node = graph.made_by(value, "MatMul", "Gemm", "Conv")
    weight = None if node is None else graph.constant(node.input[1])
    if node is None or weight is None:
        return None
    shape = graph.shape(weight)
    bias = graph.constant(node.input[2]) if len(node.input) > 2 and node.input[2] else None
    if len(node.input) > 2 and node.input[2] and bias is None:
        return None
    if node.op_type == "Conv":
        plain = attribute(node, "group", 1) == 1 and not any(attribute(node, "pads", []))
        plain = (
            plain and set(attribute(node, "strides", [1])) == {1} and len(shape) > 2 and set(shape[2:]) == {1}
        )
        return Affine(node.input[0], weight, bias, node) if plain else None
    if len(shape) != 2:
        return None
    reversed_ = Constant(weight.name, not weight.transposed)
    if node.op_type == "Gemm":
        if (
            attribute(node, "transA", 0)
            or attribute(node, "alpha", 1.0) != 1
            or attribute(node, "beta", 1.0) != 1
        ):
            return None
        weight = weight if attribute(node, "transB", 0) else reversed_
        if bias is not None and graph.shape(bias) != graph.shape(weight)[:1]:
            return None
        return Affine(node.input[0], weight, bias, node)
    return Affine(node.input[0], reversed_, None, node)


_DEPTH = 10
"""How many products or sums inside each other are looked through."""


def factors(graph: Graph, value: str, depth: int = _DEPTH) -> tuple[Fraction, list[str]]:
    """Return a value as a number times values that are no products themselves."""
    value = behind(graph, value)
    if depth == 0:
        return Fraction(1), [value]
    number = graph.number(value)
    if number is not None:
        return number, []
    node = graph.made_by(value, "Mul", "Div")
    if node is not None and node.op_type == "Mul":
        (a, left), (b, right) = (factors(graph, part, depth - 1) for part in node.input)
        return a * b, left + right
    if node is not None:
        divisor = graph.number(node.input[1])
        if divisor:
            a, left = factors(graph, node.input[0], depth - 1)
            return a / divisor, left
    node = graph.made_by(value, "Pow")
    if node is not None and graph.number(node.input[1]) == 2:
        a, left = factors(graph, node.input[0], depth - 1)
        return a * a, left + left
    return Fraction(1), [value]


def polynomial(graph: Graph, value: str, of: str, depth: int = _DEPTH) -> Polynomial | None:
    """Return a value as a polynomial in another one; None if it is none."""
    value = behind(graph, value)
    if value == of:
        return {1: Fraction(1)}
    number = graph.number(value)
    if number is not None:
        return {0: number}
    node = graph.made_by(value, "Add", "Mul", "Div", "Pow")
    if node is None or depth == 0:
        return None
    left = polynomial(graph, node.input[0], of, depth - 1)
    right = polynomial(graph, node.input[1], of, depth - 1) if left is not None else None
    if left is None or right is None:
        return None
    if node.op_type == "Add":
        return {k: left.get(k, _ZERO) + right.get(k, _ZERO) for k in left | right}
    if node.op_type == "Mul":
        return _product(left, right)
    if set(right) != {0}:
        return None
    if node.op_type == "Div":
        return {k: c / right[0] for k, c in left.items()} if right[0] else None
    power: Polynomial = {0: Fraction(1)}
    if right[0] not in (1, 2, 3):
        return None
    for _ in range(int(right[0])):
        power = _product(power, left)
    return power


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    out: Polynomial = {}
    for j, a in left.items():
        for k, b in right.items():
            out[j + k] = out.get(j + k, _ZERO) + a * b
    return out


def _is(found: Polynomial | None, expected: Polynomial, close: Fraction = _ZERO) -> bool:
    return found is not None and all(
        abs(found.get(k, _ZERO) - expected.get(k, _ZERO)) <= close * expected.get(k, _ZERO)
        for k in found | expected
    )


_LEAKY_SLOPE = 0.009999999776482582
"""The standard's default 0.01, which is a float32 as given slopes are."""

_ERF: Polynomial = {1: Fraction(sqrt(1 / 2))}
_TANH: Polynomial = {1: Fraction(sqrt(2 / pi)), 3: Fraction(sqrt(2 / pi) * 0.044715)}


def activated(graph: Graph, number: Fraction, parts: list[str]) -> tuple[str, str] | None:
    """Return the activation that a product is, and the value z that it is applied to.

    Parameters
    ----------
    number, parts
        From `factors`.
    """
    if len(parts) == 1 and number == 1:
        return _operator(graph, parts[0])
    if len(parts) != 2:
        return None
    for z, other in (parts, parts[::-1]):
        node = graph.made_by(other, "Sigmoid")
        if node is not None and number == 1 and _is(polynomial(graph, node.input[0], z), {1: Fraction(1)}):
            return "silu", z
        for inside in _operands(graph, other):
            curve = graph.made_by(inside, "Erf", "Tanh")
            if (
                curve is None
                or not number
                or not _is(polynomial(graph, other, inside), dict.fromkeys((0, 1), 1 / (2 * number)))
            ):
                continue
            argument = polynomial(graph, curve.input[0], z)
            if _is(argument, _ERF if curve.op_type == "Erf" else _TANH, _CLOSE):
                return ("gelu" if curve.op_type == "Erf" else "gelu_tanh"), z
    relu = graph.made_by(parts[0], "Relu")
    if number == 1 and parts[0] == parts[1] and relu is not None:
        return "relu_squared", behind(graph, relu.input[0])
    return None


def _operands(graph: Graph, value: str, depth: int = 3) -> list[str]:
    if depth == 0:
        return []
    node = graph.made_by(value, "Add", "Mul", "Div")
    direct = [] if node is None else [behind(graph, part) for part in node.input]
    return [*direct, *(inner for part in direct for inner in _operands(graph, part, depth - 1))]


def _operator(graph: Graph, value: str) -> tuple[str, str] | None:
    node = graph.makers.get(value)
    if node is None:
        return None
    z = behind(graph, node.input[0]) if node.input else ""
    if node.op_type in ("Relu", "Sigmoid"):
        return node.op_type.lower(), z
    if node.op_type == "LeakyRelu":
        return f"leaky_relu:{Fraction(attribute(node, 'alpha', _LEAKY_SLOPE))}", z
    if node.op_type == "Gelu":
        return {"none": "gelu", "tanh": "gelu_tanh"}.get(attribute(node, "approximate", "none"), ""), z
    if node.op_type == "Swish" and attribute(node, "alpha", 1.0) == 1:
        return "silu", z
    return None


NORMS = ("LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization")


def normalised(graph: Graph, value: str) -> str | None:
    """Return the x of which a value is a LayerNorm or RMSNorm, with or without gain and bias; else None."""
    value = behind(graph, value)
    node = graph.made_by(value, *NORMS)
    if node is not None:
        return behind(graph, node.input[0]) if value == node.output[0] else None
    for operator in ("Add", "Mul"):  # the bias, then the gain
        node = graph.made_by(value, operator)
        for k in (0, 1) if node is not None else ():
            if node is not None and graph.constant(node.input[k]) is not None:
                value = behind(graph, node.input[1 - k])
                break
    return _quotient(graph, value)


def _quotient(graph: Graph, value: str) -> str | None:
    """Return the x with value = a/sqrt(mean(a^2) + epsilon), a = x or x − mean(x)."""
    node = graph.made_by(value, "Div", "Mul")
    if node is None:
        return None
    for numerator, other in (node.input, node.input[::-1])[: 1 if node.op_type == "Div" else 2]:
        root = other
        if node.op_type == "Mul":
            inverse = graph.made_by(behind(graph, other), "Reciprocal", "Div")
            if inverse is None or (inverse.op_type == "Div" and graph.number(inverse.input[0]) != 1):
                continue
            root = inverse.input[-1]
        a = behind(graph, numerator)
        if _mean_square(graph, root) == a:
            centred = graph.made_by(a, "Sub")
            if centred is None:
                return a
            x = behind(graph, centred.input[0])
            mean = graph.made_by(behind(graph, centred.input[1]), "ReduceMean")
            return x if mean is not None and behind(graph, mean.input[0]) == x else a
    return None


def _mean_square(graph: Graph, root: str) -> str | None:
    """Return the a with root = sqrt(mean(a^2) + epsilon)."""
    node = graph.made_by(behind(graph, root), "Sqrt")
    node = None if node is None else graph.made_by(behind(graph, node.input[0]), "Add")
    if node is None:
        return None
    for epsilon, mean in (node.input, node.input[::-1]):
        reduced = graph.made_by(behind(graph, mean), "ReduceMean")
        if graph.number(epsilon) is not None and reduced is not None:
            number, parts = factors(graph, reduced.input[0])
            if number == 1 and len(parts) == 2 and parts[0] == parts[1]:
                return parts[0]
    return None
