"""One MLP block of a checkpoint: where its weights are, which map it computes, and how to load it exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from skip_absorption.checkpoints.tensors import Tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import to_fractions
from skip_absorption.networks.blocks import GatedMlp, Mlp

Norm = Literal["pre", "post", "none", "unknown"]


@dataclass(frozen=True)
class TensorRef:
    """A matrix or vector of a block: a tensor, transposed if it is stored so, then cut to a range of rows.

    Attributes
    ----------
    name
        The tensor's name in the checkpoint; extra dimensions of size 1 (of 1x1 convolutions) are dropped.
    transposed
        Whether the tensor stores the transpose of the matrix that is meant.
    rows
        The half-open range of rows of the matrix that is meant (after transposition); None for all.
    """

    name: str
    transposed: bool = False
    rows: tuple[int, int] | None = None

    def shape(self, tensors: Tensors) -> tuple[int, ...]:
        """Return the shape of what is meant, without reading it."""
        shape = squeezed(tensors.shape(self.name))
        shape = shape[::-1] if self.transposed else shape
        return shape if self.rows is None else (self.rows[1] - self.rows[0], *shape[1:])

    def read(self, tensors: Tensors) -> NDArray[Any]:
        """Return the values that are meant, exactly as stored."""
        array = tensors.read(self.name)
        array = array.reshape(squeezed(array.shape))
        array = array.T if self.transposed else array
        return array if self.rows is None else array[slice(*self.rows)]


def squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without the trailing ones of a 1x1 convolution, (m, n, 1, 1) -> (m, n)."""
    return shape[:2] if len(shape) > 2 and set(shape[2:]) == {1} else shape


@dataclass(frozen=True)
class CheckpointBlock:
    """One MLP with a skip connection around it, as a checkpoint stores it.

    Attributes
    ----------
    name
        What the names of its tensors have in common, ``encoder.layer.0``.
    family
        The family of `skip_absorption.checkpoints.families` that it was found by; ``onnx`` or ``explicit``.
    kind
        ``ungated``, W_down sigma(W_up x + b_up) + b_down, or ``gated``,
        W_down( g(W_gate x + b_gate) * (W_up x + b_up) ) + b_down.
    activation
        sigma or g, a name of `skip_absorption.networks.activations`.
    norm
        Where a normalisation stands: ``pre``, between the skip and the MLP; ``post``, after their sum;
        ``none``; or ``unknown``, if the checkpoint does not tell.
    d, n
        The dimension of the residual stream and the width, N.
    up, down, gate
        W_up and W_gate (N, d), W_down (d, N).
    b_up, b_down, b_gate
        (N,), (d,), (N,); None for none.
    scale
        A factor (d,) on the MLP's output (layer scale): the rows of W_down and b_down are multiplied by it.
    map_in_words
        Which map x -> x + MLP(x) a verdict about this block speaks of, and what it does not say.
    activation_from, norm_from
        How the activation and the place of the norm are known.
    """

    name: str
    family: str
    kind: Literal["ungated", "gated"]
    activation: str
    norm: Norm
    d: int
    n: int
    up: TensorRef
    down: TensorRef
    gate: TensorRef | None = None
    b_up: TensorRef | None = None
    b_down: TensorRef | None = None
    b_gate: TensorRef | None = None
    scale: TensorRef | None = None
    map_in_words: str = ""
    activation_from: str = ""
    norm_from: str = ""

    def load(self, tensors: Tensors) -> Mlp | GatedMlp:
        """Return the block's MLP, every number exactly as the checkpoint means it, layer scale included.

        Raises
        ------
        InvalidInput
            For a gated MLP with biases, which no statement here covers; for weights that are not finite.
        """
        up = self.up.read(tensors)
        down, b_down = self.down.read(tensors), _vector(self.b_down, tensors)
        if self.scale is not None:
            factor = self.scale.read(tensors).reshape(-1)
            down = exact_product(factor[:, None], down)
            b_down = None if b_down is None else exact_product(factor, b_down)
        if self.gate is None:
            return Mlp(up, down, self.activation, _vector(self.b_up, tensors), b_down)
        biases = [ref.name for ref in (self.b_gate, self.b_up, self.b_down) if ref is not None]
        for name in biases:
            if np.any(tensors.read(name)):
                raise InvalidInput(f"{self.name}: a gated MLP", "have no biases, or zero ones", name)
        return GatedMlp(self.gate.read(tensors), up, down, self.activation)


def _vector(ref: TensorRef | None, tensors: Tensors) -> NDArray[Any] | None:
    return None if ref is None else ref.read(tensors).reshape(-1)


def exact_product(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return the product of broadcast arrays without rounding: float64 for float32, fractions otherwise.

    The product of two float32 numbers has at most 48 significant bits and an exponent within float64's range.

    Examples
    --------
    >>> exact_product(np.float32([0.1]), np.float32([3])).tolist()
    [0.30000000447034836]
    """
    if left.dtype == right.dtype == np.float32:
        return left.astype(np.float64) * right.astype(np.float64)
    exact: NDArray[Any] = to_fractions(left) * to_fractions(right)
    return exact


_POST = (
    "r(x) = x + MLP(x), the map whose value the block normalises: a verdict is about r as a map on all of "
    "R^d, not about the norm of r, nor about r on only the inputs that reach it; absorption would remove the "
    "skip and leave the norm where it is"
)
_NONE = (
    "r(x) = x + MLP(x), the block itself, as a map on all of R^d: absorption would replace the block by one "
    "MLP without a skip"
)
_PRE = (
    "r(z) = z + MLP(z) on the norm's output z, a map that the model does not compute: its block is x -> x + "
    "{adds}, whose skip carries x past the norm; a verdict says nothing about that skip, which no MLP on z "
    "can replace at any width, since z is bounded and x is not"
)
_UNKNOWN = (
    "r(x) = x + MLP(x) on the MLP's own input x, as a map on all of R^d: it is not known what stands between "
    "the skip and the MLP, or scales either, and unless it is nothing the model computes another map and a "
    "verdict says nothing about its skip"
)


def map_in_words(norm: Norm, *, adds: str = "MLP(Norm(x))") -> str:
    """Return which map a verdict speaks of, and what it does not say.

    Parameters
    ----------
    adds
        For ``pre``: what the block adds to x.

    Notes
    -----
    LayerNorm and RMSNorm have bounded output, and an MLP is continuous. So V(Norm(x)) is bounded for every
    MLP V, and x + MLP(Norm(x)) is not: no V of any width has V(Norm(x)) = x + MLP(Norm(x)) for all x.
    """
    return {"pre": _PRE.format(adds=adds), "post": _POST, "none": _NONE, "unknown": _UNKNOWN}[norm]
