"""Proving that a composition's Jacobian has a given rank at rational weights, for analytic σ (X6).

Floats choose the rows of a minor, by QR with pivoting; balls prove that its determinant is not zero, at a
precision that is doubled until they decide. A nonzero minor at one θ is nonzero at almost every θ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.depth.certificate import Block, Certificate, matrix
from skip_absorption.depth.jacobian import Layer, ball_jacobian, float_jacobian
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.balls import LIMIT, START, enclose
from skip_absorption.exact.rational import ExactArray, identity, to_fractions
from skip_absorption.networks.activations import Activation, activation

if TYPE_CHECKING:
    import flint

GRID = 64
"""Weights and points are odd multiples of 1/GRID: dyadic, and never 0."""

SPREAD, SMALL, REACH = 1.5, 0.375, 1.5
"""The sizes of the entries of W_up, W_down and the sample points; W_down is small, as in the proof."""

_SAMPLES = 4  # sample values offered for each row of the minor
_FAINT = 1e-12  # a float minor worse conditioned than that is not tried in balls
_DIGITS = 6  # of log₁₀ |det|


def draw_layers(
    d: int,
    widths: Sequence[int],
    *,
    rng: np.random.Generator,
    skips: Sequence[ExactArray | None] | None = None,
    small: float = SMALL,
) -> list[Layer]:
    """Draw rational weights of a residual composition, with identity skips unless others are given.

    Parameters
    ----------
    skips
        One matrix (d, d) a block, or None for a block without a skip.
    small
        The size of the entries of W_down.
    """
    carried = [to_fractions(identity(d))] * len(widths) if skips is None else skips
    return [
        Layer(_odd((n, d), SPREAD, rng=rng), _odd((d, n), small, rng=rng), skip)
        for n, skip in zip(widths, carried, strict=True)
    ]


def draw_points(count: int, d: int, *, rng: np.random.Generator) -> ExactArray:
    """Draw rational sample points, shape (count, d)."""
    return _odd((count, d), REACH, rng=rng)


def _odd(shape: tuple[int, int], size: float, *, rng: np.random.Generator) -> ExactArray:
    numerators = 2 * np.floor(size * rng.standard_normal(shape) * GRID / 2).astype(np.int64) + 1
    return to_fractions(numerators) / GRID


def prove_rank(
    layers: Sequence[Layer],
    act: str | Activation,
    rank: int,
    *,
    rng: np.random.Generator,
    limit: int = LIMIT,
) -> Certificate | None:
    """Look for a minor of the Jacobian of that size and prove in balls that it does not vanish.

    Parameters
    ----------
    layers
        Exact weights, from `draw_layers`.
    act
        GELU, tanh-GELU or SiLU.
    rank
        The rank to prove, at most the number of weights.
    rng
        Draws the sample points.
    limit
        The greatest precision tried, in bits.

    Returns
    -------
    Certificate or None
        None if no minor of that size was proved nonzero: UNKNOWN.

    Raises
    ------
    InvalidInput
        If the rank is not between 1 and the number of weights.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> prove_rank(draw_layers(1, [1, 1], rng=rng), "silu", 4, rng=rng).rank
    4
    """
    act, total = activation(act), sum(2 * layer.w_up.size for layer in layers)
    if not 1 <= rank <= total:
        raise InvalidInput("rank", f"lie in 1..{total}", rank)
    d = layers[0].w_up.shape[1]
    points = draw_points(-(-_SAMPLES * rank // d), d, rng=rng)
    minor = choose_minor(float_jacobian(layers, points, act), rank)
    return None if minor is None else prove_minor(layers, act, points, *minor, limit=limit)


def prove_minor(
    layers: Sequence[Layer],
    act: Activation,
    points: ExactArray,
    rows: Sequence[int],
    columns: Sequence[int],
    *,
    limit: int = LIMIT,
) -> Certificate | None:
    """Prove that a given minor does not vanish; rows are numbered coordinate by coordinate within a point."""
    d = points.shape[1]
    used = sorted({row // d for row in rows})
    pairs = [(used.index(row // d), row % d) for row in sorted(rows)]
    kept, chosen = points[used], sorted(columns)

    def determinant() -> flint.arb:
        import flint

        entries = ball_jacobian(layers, kept, act, pairs)[:, chosen]
        return flint.arb_mat(entries.tolist()).det()

    found = enclose(determinant, lambda x: x != 0, limit=limit)
    if not found.reached:
        return None
    return Certificate(
        act.name,
        tuple(_block(layer) for layer in layers),
        matrix(kept.tolist()),
        tuple(pairs),
        tuple(chosen),
        len(pairs),
        found.bits,
        _log10(found.value, found.bits),
    )


def choose_minor(jacobian: NDArray[np.float64], rank: int) -> tuple[list[int], list[int]] | None:
    """Return rows and columns of a well-conditioned minor of that size, None where floats see none.

    The columns come from a QR decomposition with pivoting, the rows from one of the transposed columns.
    """
    from scipy.linalg import qr

    scaled = jacobian / _sizes(jacobian, axis=0)
    columns = list(range(scaled.shape[1]))
    if rank < len(columns):
        columns = sorted(int(i) for i in qr(scaled, mode="r", pivoting=True)[1][:rank])
    triangle, order = qr(scaled[:, columns].T, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    if len(diagonal) < rank or diagonal[rank - 1] <= _FAINT * diagonal[0]:
        return None
    return sorted(int(i) for i in order[:rank]), columns


def numerical_rank(jacobian: NDArray[np.float64]) -> int:
    """Return the rank in floats.

    Rows and columns are first scaled to norm 1; singular values below 10⁻⁹ of the largest count as 0.
    """
    scaled = jacobian / _sizes(jacobian, axis=0)
    scaled = scaled / _sizes(scaled, axis=1)
    values = np.linalg.svd(scaled, compute_uv=False)
    return int((values > 1e-9 * values[0]).sum())


def _sizes(jacobian: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    norms = np.linalg.norm(jacobian, axis=axis, keepdims=True)
    return np.where(norms > 0, norms, 1.0)


def _block(layer: Layer) -> Block:
    skip = None if layer.skip is None else matrix(layer.skip.tolist())
    return Block(matrix(layer.w_up.tolist()), matrix(layer.w_down.tolist()), skip)


def _log10(value: flint.arb, bits: int) -> tuple[str, str]:
    """Return decimal bounds of log₁₀ |value| for a ball that excludes 0."""
    import flint

    with flint.ctx.workprec(max(bits, START)):
        log = abs(value).log() / flint.arb(10).log()
        return _decimal(log.lower(), floor), _decimal(log.upper(), ceil)


def _decimal(value: flint.arb, whole: Callable[[Fraction], int]) -> str:
    """Return an exact ball rounded to a few decimals, down or up."""
    exact: Any = value.fmpq()
    number = Fraction(int(exact.p), int(exact.q))
    return f"{Decimal(whole(number * 10**_DIGITS)).scaleb(-_DIGITS):f}"
