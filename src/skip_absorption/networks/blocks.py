"""Networks as frozen, shape-checked objects, evaluated in double precision, over Q, or in balls.

Every evaluator takes one input of shape (d_in,) or a batch of shape (n, d_in), and returns (d_out,) or
(n, d_out). Blocks compare by identity; `networks.canonical.equal_functions` compares functions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray, exact_array
from skip_absorption.networks._evaluation import (
    ball_affine,
    ball_points,
    entrywise,
    float_affine,
    float_points,
    rational_affine,
    rational_points,
)
from skip_absorption.networks.activations import Activation, activation


class Block(ABC):
    """A map from R^d_in to R^d_out with three evaluators; a subclass gives its values on a batch."""

    @property
    @abstractmethod
    def d_in(self) -> int:
        """The dimension of the input."""

    @property
    @abstractmethod
    def d_out(self) -> int:
        """The dimension of the output."""

    @abstractmethod
    def _float(self, points: NDArray[np.float64]) -> NDArray[np.float64]: ...

    @abstractmethod
    def _rational(self, points: NDArray[Any]) -> NDArray[Any]: ...

    @abstractmethod
    def _ball(self, points: NDArray[Any]) -> NDArray[Any]: ...

    def float(self, x: Any) -> NDArray[np.float64]:
        """Return the values in double precision, rounded."""
        return self._batched(self._float, float_points(x))

    def rational(self, x: Any) -> NDArray[Any]:
        """Return the exact values, ``Fraction`` in an object array, at an exact input.

        Raises
        ------
        InvalidInput
            If an activation has irrational values (GELU, SiLU, sigmoid), or the input is not exact.
        """
        return self._batched(self._rational, rational_points(x))

    def ball(self, x: Any) -> NDArray[Any]:
        """Return enclosures (``arb``) at an input of numbers and balls, at the current ``flint.ctx.prec``."""
        return self._batched(self._ball, ball_points(x))

    def _batched(self, values: Callable[[NDArray[Any]], NDArray[Any]], points: NDArray[Any]) -> NDArray[Any]:
        if points.ndim not in (1, 2) or points.shape[-1] != self.d_in or not points.size:
            raise InvalidInput("x", f"have shape ({self.d_in},) or (n, {self.d_in})", points.shape)
        result = values(points.reshape(-1, self.d_in))
        return np.asarray(result[0] if points.ndim == 1 else result)


@dataclass(frozen=True, eq=False, init=False)
class Mlp(Block):
    """A single-hidden-layer ungated MLP, x -> W_down sigma(W_up x + b_up) + b_down.

    Parameters
    ----------
    w_up
        (N, d_in), rows w_i; any exact array (see `skip_absorption.exact.rational`) or what makes one.
    w_down
        (d_out, N), columns a_i.
    activation
        Its name or an `Activation`.
    b_up, b_down
        (N,) and (d_out,); None for none.

    Raises
    ------
    InvalidInput
        For shapes that do not fit, or entries that are not exact real numbers.

    Examples
    --------
    >>> Mlp([[1, 0], [0, 1]], [[-1, 0], [0, -1]], "relu").rational([2, -3]).tolist()
    [Fraction(-2, 1), Fraction(0, 1)]
    """

    w_up: ExactArray
    w_down: ExactArray
    activation: Activation
    b_up: ExactArray | None
    b_down: ExactArray | None

    def __init__(
        self,
        w_up: Any,
        w_down: Any,
        activation: str | Activation,
        b_up: Any = None,
        b_down: Any = None,
    ) -> None:
        up = _frozen(exact_array(w_up, name="w_up", ndim=2))
        width = len(up)
        down = _with_shape(w_down, "w_down", ("m", width), 2)
        _set(self, w_up=up, w_down=down, activation=_activation(activation))
        _set(self, b_up=_optional(b_up, "b_up", (width,)), b_down=_optional(b_down, "b_down", (len(down),)))

    @property
    def width(self) -> int:
        """The number of hidden units, N."""
        return int(self.w_up.shape[0])

    @property
    def d_in(self) -> int:
        """The dimension of the input."""
        return int(self.w_up.shape[1])

    @property
    def d_out(self) -> int:
        """The dimension of the output."""
        return int(self.w_down.shape[0])

    def _float(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return float_affine(
            self.activation.float(float_affine(points, self.w_up, self.b_up)), self.w_down, self.b_down
        )

    def _rational(self, points: NDArray[Any]) -> NDArray[Any]:
        hidden = entrywise(self.activation.rational, rational_affine(points, self.w_up, self.b_up))
        return rational_affine(hidden, self.w_down, self.b_down)

    def _ball(self, points: NDArray[Any]) -> NDArray[Any]:
        hidden = entrywise(self.activation.ball, ball_affine(points, self.w_up, self.b_up))
        return ball_affine(hidden, self.w_down, self.b_down)


@dataclass(frozen=True, eq=False, init=False)
class GatedMlp(Block):
    """A gated MLP, x -> W_down( g(W_gate x) * (W_val x) ), the product entry by entry.

    Parameters
    ----------
    w_gate, w_val
        (N, d_in).
    w_down
        (d_out, N).
    gate
        The gate g: SwiGLU has g = ``silu``, GeGLU ``gelu``, ReGLU ``relu``, bilinear ``identity``.
    """

    w_gate: ExactArray
    w_val: ExactArray
    w_down: ExactArray
    gate: Activation

    def __init__(self, w_gate: Any, w_val: Any, w_down: Any, gate: str | Activation) -> None:
        gates = _frozen(exact_array(w_gate, name="w_gate", ndim=2))
        width, d_in = gates.shape
        values = _with_shape(w_val, "w_val", (width, d_in), 2)
        down = _with_shape(w_down, "w_down", ("m", width), 2)
        _set(self, w_gate=gates, w_val=values, w_down=down, gate=_activation(gate))

    @property
    def width(self) -> int:
        """The number of hidden units, N."""
        return int(self.w_gate.shape[0])

    @property
    def d_in(self) -> int:
        """The dimension of the input."""
        return int(self.w_gate.shape[1])

    @property
    def d_out(self) -> int:
        """The dimension of the output."""
        return int(self.w_down.shape[0])

    def _float(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        gates = self.gate.float(float_affine(points, self.w_gate))
        return float_affine(gates * float_affine(points, self.w_val), self.w_down)

    def _rational(self, points: NDArray[Any]) -> NDArray[Any]:
        gates = entrywise(self.gate.rational, rational_affine(points, self.w_gate))
        return rational_affine(gates * rational_affine(points, self.w_val), self.w_down)

    def _ball(self, points: NDArray[Any]) -> NDArray[Any]:
        gates = entrywise(self.gate.ball, ball_affine(points, self.w_gate))
        return ball_affine(gates * ball_affine(points, self.w_val), self.w_down)


@dataclass(frozen=True, eq=False, init=False)
class Residual(Block):
    """A block with a skip connection, x -> block(x) + M x.

    Parameters
    ----------
    block
        Any block.
    skip
        M, (d_out, d_in); None is the identity and needs d_in = d_out.
    """

    block: Block
    skip: ExactArray | None

    def __init__(self, block: Block, skip: Any = None) -> None:
        if not isinstance(block, Block):
            raise InvalidInput("block", "be a network block", block)
        if skip is None and block.d_in != block.d_out:
            raise InvalidInput("skip", f"be given, (d_out, d_in) = {(block.d_out, block.d_in)}", None)
        _set(self, block=block, skip=_optional(skip, "skip", (block.d_out, block.d_in)))

    @property
    def d_in(self) -> int:
        """The dimension of the input."""
        return self.block.d_in

    @property
    def d_out(self) -> int:
        """The dimension of the output."""
        return self.block.d_out

    def _float(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.block.float(points) + (points if self.skip is None else float_affine(points, self.skip))

    def _rational(self, points: NDArray[Any]) -> NDArray[Any]:
        carried = points if self.skip is None else rational_affine(points, self.skip)
        return np.asarray(self.block.rational(points) + carried)

    def _ball(self, points: NDArray[Any]) -> NDArray[Any]:
        carried = points if self.skip is None else ball_affine(points, self.skip)
        return np.asarray(self.block.ball(points) + carried)


@dataclass(frozen=True, eq=False, init=False)
class Composition(Block):
    """The composition f_L o ... o f_1 of blocks; ``blocks[0]`` = f_1 is applied first."""

    blocks: tuple[Block, ...]

    def __init__(self, blocks: Sequence[Block]) -> None:
        chain = tuple(blocks)
        if not chain or not all(isinstance(block, Block) for block in chain):
            raise InvalidInput("blocks", "be one or more networks", blocks)
        for k, (inner, outer) in enumerate(pairwise(chain)):
            if inner.d_out != outer.d_in:
                requirement = f"have input dimension {inner.d_out}, the output dimension of blocks[{k}]"
                raise InvalidInput(f"blocks[{k + 1}]", requirement, outer.d_in)
        _set(self, blocks=chain)

    @property
    def d_in(self) -> int:
        """The dimension of the input."""
        return self.blocks[0].d_in

    @property
    def d_out(self) -> int:
        """The dimension of the output."""
        return self.blocks[-1].d_out

    def _float(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return reduce(lambda x, block: block.float(x), self.blocks, points)

    def _rational(self, points: NDArray[Any]) -> NDArray[Any]:
        return reduce(lambda x, block: block.rational(x), self.blocks, points)

    def _ball(self, points: NDArray[Any]) -> NDArray[Any]:
        return reduce(lambda x, block: block.ball(x), self.blocks, points)


_activation = activation  # the constructors have an argument of that name


def _set(instance: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def _frozen(array: ExactArray) -> ExactArray:
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def _optional(value: Any, name: str, shape: tuple[int, ...]) -> ExactArray | None:
    return None if value is None else _with_shape(value, name, shape, len(shape))


def _with_shape(value: Any, name: str, shape: tuple[int | str, ...], ndim: int) -> ExactArray:
    array = exact_array(value, name=name, ndim=ndim)
    if any(isinstance(want, int) and want != has for want, has in zip(shape, array.shape, strict=True)):
        expected = "(" + ", ".join(map(str, shape)) + (",)" if ndim == 1 else ")")
        raise InvalidInput(name, f"have shape {expected}", array.shape)
    return _frozen(array)
