"""What a transformer has beside its MLPs: linear maps at both ends, and attention along a sequence.

A sequence of length T is a batch of shape (T, d), so a transformer without normalisation is a `Composition`
of a `Linear` embedding, `Residual` blocks around `Attention` and MLPs, and a `Linear` unembedding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray, exact_array
from skip_absorption.networks._evaluation import ball_affine, entrywise, float_affine, rational_affine
from skip_absorption.networks.activations import SIGMOID, Activation
from skip_absorption.networks.blocks import Block

EXP = replace(SIGMOID, name="exp", _float=np.exp, _derivative=np.exp, _ball=lambda z: z.exp(), _rational=None)
"""The kernel of softmax attention."""


@dataclass(frozen=True, eq=False, init=False)
class Linear(Block):
    """A linear map x -> W x; on one-hot inputs an embedding, whose columns are the tokens' vectors.

    Parameters
    ----------
    weights
        (d_out, d_in), exact.
    """

    weights: ExactArray

    def __init__(self, weights: Any) -> None:
        object.__setattr__(self, "weights", exact_array(weights, name="weights", ndim=2))

    @property
    def d_in(self) -> int:
        """The dimension of the input."""
        return int(self.weights.shape[1])

    @property
    def d_out(self) -> int:
        """The dimension of the output."""
        return int(self.weights.shape[0])

    def _float(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return float_affine(points, self.weights)

    def _rational(self, points: NDArray[Any]) -> NDArray[Any]:
        return rational_affine(points, self.weights)

    def _ball(self, points: NDArray[Any]) -> NDArray[Any]:
        return ball_affine(points, self.weights)


@dataclass(frozen=True, eq=False, init=False)
class Head:
    """The four matrices of one head: query, key and value (h, d), out (d, h).

    A factor 1/sqrt(h) on the scores belongs into the query.
    """

    query: ExactArray
    key: ExactArray
    value: ExactArray
    out: ExactArray

    def __init__(self, query: Any, key: Any, value: Any, out: Any) -> None:
        shapes = {}
        for name, given in (("query", query), ("key", key), ("value", value), ("out", out)):
            matrix = exact_array(given, name=name, ndim=2)
            object.__setattr__(self, name, matrix)
            shapes[name] = matrix.shape
        h, d = shapes["query"]
        wanted = {"query": (h, d), "key": (h, d), "value": (h, d), "out": (d, h)}
        if shapes != wanted:
            raise InvalidInput("head", f"have matrices of shapes {wanted}", shapes)


@dataclass(frozen=True, eq=False, init=False)
class Attention(Block):
    """Causal attention: position i receives, from each head, out applied to an average of value x_j, j <= i.

    Position j has the weight k(z) at the score z = (query x_i) . (key x_j), divided by the weights' sum.

    Parameters
    ----------
    heads
        One or more `Head` objects of one d.
    kernel
        A positive function k; `EXP` makes it softmax attention.
    """

    heads: tuple[Head, ...]
    kernel: Activation

    def __init__(self, heads: Sequence[Head], kernel: Activation = EXP) -> None:
        chosen = tuple(heads)
        if not chosen or len({head.query.shape[1] for head in chosen}) > 1:
            raise InvalidInput("heads", "be one or more heads on one stream", chosen)
        object.__setattr__(self, "heads", chosen)
        object.__setattr__(self, "kernel", kernel)

    @property
    def d_in(self) -> int:
        """The dimension of the stream."""
        return int(self.heads[0].query.shape[1])

    @property
    def d_out(self) -> int:
        """The dimension of the stream."""
        return self.d_in

    def _float(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._mixed(points, float_affine, self.kernel.float)

    def _rational(self, points: NDArray[Any]) -> NDArray[Any]:
        return self._mixed(points, rational_affine, lambda z: entrywise(self.kernel.rational, z))

    def _ball(self, points: NDArray[Any]) -> NDArray[Any]:
        return self._mixed(points, ball_affine, lambda z: entrywise(self.kernel.ball, z))

    def _mixed(
        self,
        points: NDArray[Any],
        project: Callable[[NDArray[Any], ExactArray], NDArray[Any]],
        kernel: Callable[[NDArray[Any]], NDArray[Any]],
    ) -> NDArray[Any]:
        total: NDArray[Any] | None = None
        for head in self.heads:
            query, key, value = (project(points, w) for w in (head.query, head.key, head.value))
            rows = []
            for i in range(len(points)):
                weights = kernel(key[: i + 1] @ query[i])
                rows.append(weights @ value[: i + 1] / weights.sum())
            part = project(np.array(rows), head.out)
            total = part if total is None else total + part
        assert total is not None
        return total
