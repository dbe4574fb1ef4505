"""Any ungated network with a skip, rewritten as one that satisfies the generic hypotheses (B6 and B7 of X1).

A unit whose row opposes the first row of its class is flipped, a sigma(z) = odd*a*z + a sigma(-z), which
moves odd*a*w^T into the skip and odd*a*b into the output bias. The units of a class then point one way and
merge into a single unit. Zero columns disappear; zero rows become constants. What remains has nonzero,
pairwise distinct rows and nonzero columns, so Theorem 4 and X1 apply to it as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.exact.rational import ExactArray, exact_matmul, identity, to_fractions
from skip_absorption.networks._rows import nonzero_rows, row_classes, with_bias
from skip_absorption.networks.activations import Activation, absorbing
from skip_absorption.networks.blocks import Mlp, Residual


@dataclass(frozen=True, eq=False)
class Reduced:
    """The network x -> M0 x + P sigma(u x + b_up) + b_down, equal to the given one and generic.

    Attributes
    ----------
    u
        (n0, d), rows: of each class the row of its first unit, as given; n0 may be 0.
    P
        (m, n0), columns, none zero.
    M0
        (m, d), the skip.
    b_up
        (n0,), or None if no hidden biases were given.
    b_down
        (m,), or None if it is zero.
    units
        For each class the units of the given network that it gathers, counted from 0.
    constants
        The units with w_i = 0, b_i != 0 of an analytic activation. They add the constant sum a_i sigma(b_i),
        which is not rational and is left out of ``b_down``; an output bias absorbs it.
    """

    u: ExactArray
    P: ExactArray
    M0: ExactArray
    b_up: ExactArray | None
    b_down: ExactArray | None
    units: tuple[tuple[int, ...], ...]
    constants: tuple[int, ...]

    @property
    def width(self) -> int:
        """The number n0 of classes."""
        return len(self.units)


def reduced(
    w_up: Any,
    w_down: Any,
    activation: str | Activation,
    *,
    skip: Any = None,
    b_up: Any = None,
    b_down: Any = None,
) -> Reduced:
    """Reduce x -> M x + W_down sigma(W_up x + b_up) + b_down to a network that satisfies the hypotheses.

    Parameters
    ----------
    w_up, w_down
        (N, d) and (m, N), exact.
    activation
        One that `absorbing` accepts.
    skip
        M, (m, d); None is the identity and needs m = d.
    b_up, b_down
        (N,) and (m,), or None.

    Returns
    -------
    Reduced
        Arrays keep the dtype of the given ones where the values fit, and hold ``Fraction`` otherwise.

    Raises
    ------
    InvalidInput
        For shapes that do not fit, inexact entries, or another activation.

    Notes
    -----
    X1, "no hypotheses": the least residual-free width of the given network is n0 + k*(M0; P, u).

    Examples
    --------
    >>> small = reduced([[1, 0], [-1, 0]], [[-1, 0], [0, 1]], "relu")
    >>> small.P.astype(int).tolist(), small.M0.astype(int).tolist(), small.units
    ([[-1], [1]], [[1, 0], [-1, 1]], ((0, 1),))
    """
    act = absorbing(activation)
    block = Residual(Mlp(w_up, w_down, act, b_up, b_down), skip)
    mlp: Any = block.block
    columns_used = np.any(mlp.w_down != 0, axis=0)
    row_nonzero = np.zeros(mlp.width, dtype=bool)
    row_nonzero[nonzero_rows(mlp.w_up)] = True
    live = np.flatnonzero(columns_used & row_nonzero)
    rows = with_bias(mlp.w_up, mlp.b_up)
    found = row_classes(rows if len(live) == len(rows) else rows[live], lines=act.even == "kink")

    kept: list[tuple[int, ...]] = []
    merged: dict[int, NDArray[Any]] = {}
    flipped: list[int] = []
    for positions in found:
        members = tuple(int(live[i]) for i in positions)
        if len(members) > 1:
            scales = _scales(rows[list(members)])
            flipped += [i for i, s in zip(members, scales, strict=True) if s < 0]
            column = sum(
                abs(s) * to_fractions(mlp.w_down[:, i]) for i, s in zip(members, scales, strict=True)
            )
            if not np.any(column):
                continue
            merged[len(kept)] = np.asarray(column)
        kept.append(members)

    first = [members[0] for members in kept]
    skip_matrix = identity(block.d_in) if block.skip is None else block.skip
    if flipped:
        skip_matrix = to_fractions(skip_matrix) + act.odd * exact_matmul(
            mlp.w_down[:, flipped], mlp.w_up[flipped]
        )
    dead = np.flatnonzero(columns_used & ~row_nonzero).tolist()
    output_bias, constants = _output_bias(mlp, act, flipped, dead)
    return Reduced(
        u=mlp.w_up[first],
        P=_with_columns(mlp.w_down[:, first], merged),
        M0=skip_matrix,
        b_up=None if mlp.b_up is None else mlp.b_up[first],
        b_down=output_bias,
        units=tuple(kept),
        constants=constants,
    )


def _scales(rows: ExactArray) -> list[Fraction]:
    """Return s_j with row j = s_j * row 0, for rows on one line."""
    pivot = int(np.argmax(rows[0] != 0))
    entries = [Fraction(value) for value in rows[:, pivot].tolist()]
    return [entry / entries[0] for entry in entries]


def _output_bias(
    mlp: Mlp, act: Activation, flipped: list[int], dead: list[int]
) -> tuple[ExactArray | None, tuple[int, ...]]:
    """Return the rational part of the output bias, and the units whose constants are not rational."""
    if mlp.b_up is None or not (flipped or dead):
        return mlp.b_down, ()
    bias = to_fractions(mlp.b_up)
    constants = tuple(i for i in dead if bias[i]) if act.even == "analytic" else ()
    total = np.full(mlp.d_out, Fraction(0)) if mlp.b_down is None else to_fractions(mlp.b_down)
    for i in flipped:
        total = total + act.odd * bias[i] * to_fractions(mlp.w_down[:, i])
    for i in dead if act.is_rational else ():
        total = total + act.rational(bias[i]) * to_fractions(mlp.w_down[:, i])
    return (total if np.any(total) else None), constants


def _with_columns(matrix: ExactArray, columns: dict[int, NDArray[Any]]) -> ExactArray:
    """Return the matrix with some columns replaced, in its own dtype or float64 if that is exact."""
    if not columns:
        return matrix
    values = np.stack(list(columns.values()), axis=1)
    for dtype in (matrix.dtype, np.dtype(np.float64)) if matrix.dtype.kind == "f" else (matrix.dtype,):
        exact = _exactly(values, dtype)
        if exact is not None:
            out = matrix.astype(dtype)
            out[:, list(columns)] = exact
            return out
    out = to_fractions(matrix)
    out[:, list(columns)] = values
    return out


def _exactly(values: NDArray[Any], dtype: np.dtype[Any]) -> ExactArray | None:
    """Return ``Fraction`` entries in the dtype if it holds every one of them exactly."""
    if dtype.kind == "i" and all(v.denominator == 1 and abs(v) < 2**63 for v in values.flat):
        return values.astype(dtype)
    if dtype.kind == "f":
        try:
            with np.errstate(over="ignore"):
                cast = values.astype(np.float64).astype(dtype)
        except OverflowError:
            return None
        if np.isfinite(cast).all() and np.all(to_fractions(cast) == values):
            return cast
    return None
