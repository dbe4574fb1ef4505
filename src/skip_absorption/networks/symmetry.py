"""Changes of weights that leave a function alone: of the units of one MLP, and of a whole residual stream."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import (
    ExactArray,
    exact_array,
    exact_matmul,
    from_fmpq_mat,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.networks.blocks import Block, Composition, GatedMlp, Mlp, Residual
from skip_absorption.networks.transformer import Attention, Head, Linear


def permuted(mlp: Mlp, order: Sequence[int]) -> Mlp:
    """Return the MLP with its units in another order: the same function.

    Raises
    ------
    InvalidInput
        If the order does not name each unit once.
    """
    chosen = [int(i) for i in order]
    if sorted(chosen) != list(range(mlp.width)):
        raise InvalidInput("order", f"be a permutation of 0..{mlp.width - 1}", chosen)
    bias = None if mlp.b_up is None else mlp.b_up[chosen]
    return Mlp(mlp.w_up[chosen], mlp.w_down[:, chosen], mlp.activation, bias, mlp.b_down)


def rescaled(mlp: Mlp, factors: Sequence[Fraction | int]) -> Mlp:
    """Return the MLP with row (and hidden bias) i times factor i and column i divided by it.

    The same function for positive factors and an activation of degree 1; in general another one.

    Raises
    ------
    InvalidInput
        Unless there is one nonzero factor a unit.
    """
    scale = to_fractions(exact_array(factors, name="factors", ndim=1))
    if len(scale) != mlp.width or not all(scale):
        raise InvalidInput("factors", f"be {mlp.width} nonzero numbers", list(factors))
    rows, columns = to_fractions(mlp.w_up), to_fractions(mlp.w_down)
    bias = None if mlp.b_up is None else to_fractions(mlp.b_up) * scale
    return Mlp(rows * scale[:, None], columns / scale, mlp.activation, bias, mlp.b_down)


def in_new_basis(network: Composition, basis: Any) -> Composition:
    """Return a network with its residual stream in another basis: x there is Q x here, the same function.

    Parameters
    ----------
    network
        A `Linear` embedding, blocks on the stream, and a `Linear` unembedding.
    basis
        Q, (d, d), exact and invertible.

    Raises
    ------
    InvalidInput
        For another kind of network, and for a singular Q.

    Notes
    -----
    Without normalisation Q(x + MLP(x)) = Qx + (Q W_down) sigma((W_up Q^-1) Qx), and likewise for attention
    and both ends: every preactivation and every attention score stays the same number.
    """
    first, *blocks, last = network.blocks
    if not isinstance(first, Linear) or not isinstance(last, Linear):
        raise InvalidInput("network", "begin and end with a Linear map", network)
    q = exact_array(basis, name="basis", ndim=2)
    if q.shape != (first.d_out, first.d_out) or to_fmpq_mat(q).det() == 0:
        raise InvalidInput("basis", f"be an invertible matrix of size {first.d_out}", f"shape {q.shape}")
    inverse = from_fmpq_mat(to_fmpq_mat(q).inv())
    inner = [conjugated(block, q, inverse) for block in blocks]
    return Composition(
        [Linear(exact_matmul(q, first.weights)), *inner, Linear(exact_matmul(last.weights, inverse))]
    )


def conjugated(block: Block, q: ExactArray, inverse: ExactArray) -> Block:
    """Return the block y -> Q block(Q^-1 y), with ``inverse`` in place of Q^-1.

    Raises
    ------
    InvalidInput
        If the block is no MLP, gated MLP or attention, with or without a skip.
    """

    def reads(weights: ExactArray) -> NDArray[Any]:
        return exact_matmul(weights, inverse)

    def writes(weights: ExactArray) -> NDArray[Any]:
        return exact_matmul(q, weights)

    if isinstance(block, Residual):
        skip = None if block.skip is None else writes(reads(block.skip))
        return Residual(conjugated(block.block, q, inverse), skip)
    if isinstance(block, Mlp):
        bias = None if block.b_down is None else writes(block.b_down[:, None])[:, 0]
        return Mlp(reads(block.w_up), writes(block.w_down), block.activation, block.b_up, bias)
    if isinstance(block, GatedMlp):
        return GatedMlp(reads(block.w_gate), reads(block.w_val), writes(block.w_down), block.gate)
    if isinstance(block, Attention):
        heads = [Head(reads(h.query), reads(h.key), reads(h.value), writes(h.out)) for h in block.heads]
        return Attention(heads, block.kernel)
    raise InvalidInput("block", "be an MLP, a gated MLP or attention", type(block).__name__)
