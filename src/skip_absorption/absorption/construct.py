"""Absorbing weights: the MLP without a skip that computes a given MLP with one, at widths where it exists."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.certificate import MAX_SIZE
from skip_absorption.absorption.ranks import first_independent_rows
from skip_absorption.absorption.width import Analysis, analyse, seeded
from skip_absorption.errors import InvalidInput, NotAbsorbable, Undecided
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    from_fmpq_mat,
    stack_rows,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import difference

_ATTEMPTS = 3


def absorb(
    mlp: Mlp,
    *,
    skip: Any = None,
    width: int | None = None,
    rng: np.random.Generator | None = None,
    budget: Budget | None = None,
) -> Mlp:
    """Return an MLP without a skip that equals x -> mlp(x) + M x everywhere.

    Parameters
    ----------
    mlp
        Any ungated MLP of the theory, with or without biases.
    skip
        M, shape (d_out, d_in); None is the identity and needs d_in = d_out.
    width
        Its width; None for the least one.
    rng, budget
        As for `minimal_width`.

    Returns
    -------
    Mlp
        Of the width asked for; that it equals the given function is proved (X5) before it is returned. An
        array keeps its dtype if that holds every entry exactly, else it holds ``Fraction``. Doubled units are
        solved for, and their fractions may have very many digits at large d; from the width n + 2 min(d_in,
        d_out) on, n the number of classes, pairs of units alone are added and the weights stay short. Units
        beyond those that are needed have a zero row and a zero column.

    Raises
    ------
    NotAbsorbable
        If no MLP without a skip of that width exists; the message states the least width proved.
    Undecided
        If that could not be decided within the budget; the message states the bounds.
    InvalidInput
        For arguments that do not fit, and for constants sigma(b) of zero rows that are not rational.

    Notes
    -----
    X1 (Theorem 4 where k* = 0, Proposition 8(i) where a basis of rows is doubled), by sigma(z) - sigma(-z) =
    odd z. Flip F: R = M + odd A_F B_F is left of the skip, and odd sum_F a_i b_i joins the output bias. Write
    R = sum_G g_i w_i^T + sum_k h_k u_k^T. For i in G add g_i / odd to the column of unit i, a unit with row
    -w_i, bias -b_i and column -g_i / odd, and -g_i b_i to the output bias. For each further direction u_k add
    units with rows u_k, -u_k and columns h_k / odd, -h_k / odd.

    Examples
    --------
    >>> twin = absorb(Mlp([[1, 0], [0, 1]], [[-1, 0], [0, -1]], "gelu"))
    >>> twin.w_up.tolist(), twin.w_down.tolist()
    ([[-1, 0], [0, -1]], [[-1, 0], [0, -1]])
    """
    block = Residual(mlp, skip)
    if width is not None and (type(width) is not int or not 1 <= width < MAX_SIZE):
        raise InvalidInput("width", f"be an integer from 1 to {MAX_SIZE - 1}", width)
    found = analyse(block, mlp, rng=rng, budget=budget)
    if found.network.constants:
        raise InvalidInput(
            "b_up",
            f"be 0 where the row is zero, for {mlp.activation.name}: the constant sigma(b) is not rational",
            f"units {list(found.network.constants)}",
        )
    wanted = _width_to_build(found, width)
    twin = _built(found, wanted, seeded(block, mlp))
    line = difference(block, twin)
    if line is not None:
        raise AssertionError(f"the construction is wrong, please report: {line}")
    return twin


def flip(mlp: Mlp, units: Sequence[int]) -> Mlp:
    """Negate the rows and hidden biases of some units (Theorem 4).

    The result is x -> mlp(x) - odd * A_S B_S x - odd * sum_S a_i b_i. Where S satisfies condition (3) that is
    mlp(x) + M x up to the constant, which `absorb` adds to the output bias.

    Raises
    ------
    InvalidInput
        If the units are not distinct and in range.
    """
    chosen = [int(i) for i in units]
    if len(set(chosen)) < len(chosen) or not all(0 <= i < mlp.width for i in chosen):
        raise InvalidInput("units", f"be distinct integers in [0, {mlp.width})", list(units))
    b_up = None if mlp.b_up is None else _negated(mlp.b_up, chosen)
    return Mlp(_negated(mlp.w_up, chosen), mlp.w_down, mlp.activation, b_up, mlp.b_down)


def _width_to_build(found: Analysis, width: int | None) -> int:
    """Return the width to build at, or raise why there is none."""
    n = found.network.width
    lower, upper = n + found.lower, n + found.best.cost
    if width is None:
        if lower < upper:
            raise Undecided(
                f"the least width is between {lower} and {upper}, not decided; width={upper} can be built"
            )
        return max(upper, 1)
    if width < lower:
        raise NotAbsorbable(
            f"no MLP without a skip of width {width} exists: the least width is {_at_least(lower, upper)}"
        )
    if width < upper:
        raise Undecided(f"width {width} is undecided: the least width is between {lower} and {upper}")
    return width


def _at_least(lower: int, upper: int) -> str:
    return str(lower) if lower == upper else f"at least {lower}"


def _built(found: Analysis, width: int, rng: np.random.Generator) -> Mlp:
    """Build the twin of the best witness, or from pairs of units alone where the width allows, and pad it."""
    network, act = found.network, found.activation
    m, d = network.M0.shape
    pairs_alone = width >= network.width + 2 * min(m, d)
    flipped, doubled = ([], []) if pairs_alone else (list(found.best.flipped), list(found.best.doubled))
    assert act.odd is not None
    remainder = to_fractions(network.M0)
    if flipped:
        remainder = remainder + act.odd * exact_matmul(network.P[:, flipped], network.u[flipped])
    fresh, columns = _expansion(remainder, network.u[doubled], rng)
    columns = columns / act.odd
    split, pairs = columns[:, : len(doubled)], columns[:, len(doubled) :]
    down = network.P
    if doubled:
        down = to_fractions(down)
        down[:, doubled] += split
    spare = width - (network.width + len(doubled) + 2 * len(fresh))
    rows = [
        _negated(network.u, flipped),
        _negated(network.u[doubled]),
        fresh,
        _negated(fresh),
        _zeros(spare, d),
    ]
    w_up = _stacked(rows, network.u.dtype)
    w_down = _stacked([down.T, -split.T, pairs.T, -pairs.T, _zeros(spare, m)], network.P.dtype).T
    if network.b_up is None:
        return Mlp(w_up, w_down, act, None, network.b_down)
    hidden = [
        _negated(network.b_up, flipped),
        _negated(network.b_up[doubled]),
        _zeros(2 * len(fresh) + spare),
    ]
    bias = to_fractions(network.b_up)
    shift = exact_matmul(to_fractions(network.P[:, flipped]), bias[flipped, None])
    shift = act.odd * (shift - exact_matmul(split, bias[doubled, None]))[:, 0]
    b_down = network.b_down
    if shift.any():
        total = shift if b_down is None else shift + to_fractions(b_down)
        b_down = _stacked([total], network.P.dtype if b_down is None else b_down.dtype)
    return Mlp(w_up, w_down, act, _stacked(hidden, network.b_up.dtype), b_down)


def _expansion(
    remainder: NDArray[Any], doubled_rows: ExactArray, rng: np.random.Generator
) -> tuple[ExactArray, NDArray[Any]]:
    """Write R as C [w_G ; u] with as few further rows u, taken from R, as there can be.

    Returns
    -------
    u, C
        (t, d) and (m, |G| + t), ``Fraction``; the rows w_G must be independent.
    """
    candidates = [first_independent_rows(doubled_rows, remainder, rng=rng) for _ in range(_ATTEMPTS)]
    known = len(doubled_rows)
    # an unlucky prime misses doubled rows, or finds fewer rows
    chosen = max(candidates, key=lambda found: (found[:known] == list(range(known)), len(found)))
    assert chosen[:known] == list(range(known)), "the doubled rows must be independent"
    fresh = remainder[[i - known for i in chosen[known:]]]
    basis = stack_rows([doubled_rows, fresh])
    if len(basis) == 0:
        return fresh, np.full((len(remainder), 0), Fraction(0), dtype=object)
    columns = max((first_independent_rows(basis.T, rng=rng) for _ in range(_ATTEMPTS)), key=len)
    square, right = to_fmpq_mat(basis[:, columns].T), to_fmpq_mat(remainder[:, columns].T)
    return fresh, from_fmpq_mat(square.solve(right)).T


def _negated(array: ExactArray, units: Sequence[int] | None = None) -> ExactArray:
    """Return the array with some rows negated, all if None, exactly: -(-2^63) does not fit int64."""
    if array.dtype.kind == "i" and np.any(array == np.iinfo(array.dtype).min):
        array = to_fractions(array)
    out = array.copy()
    chosen = slice(None) if units is None else list(units)
    out[chosen] = 0 - out[chosen]  # -0.0 would be as right, but odd to read
    return out


def _zeros(*shape: int) -> NDArray[Any]:
    return np.zeros(shape, dtype=np.int64)


def _stacked(blocks: Sequence[ExactArray], dtype: np.dtype[Any]) -> ExactArray:
    """Concatenate exact arrays, in the dtype if it holds every entry, else as ``Fraction``."""
    filled = [block for block in blocks if block.size]
    if all(block.dtype == dtype for block in filled):
        return np.concatenate(filled)
    fitted = [_fitted(block, dtype) for block in filled]
    if any(block is None for block in fitted):
        return np.concatenate([to_fractions(block) for block in filled])
    return np.concatenate([block for block in fitted if block is not None])


def _fitted(block: ExactArray, dtype: np.dtype[Any]) -> ExactArray | None:
    """Return the block in the dtype, or None if that would change a value."""
    if block.dtype == dtype:
        return block
    if dtype.kind != "O" and not block.any():  # padding may be long
        return block.astype(dtype)
    values = to_fractions(block)
    if dtype.kind == "O":
        return values
    if dtype.kind == "i":
        whole = all(x.denominator == 1 and abs(x) < 1 << 63 for x in values.flat)
        return values.astype(dtype) if whole else None
    try:
        with np.errstate(over="ignore"):
            floats = values.astype(np.float64).astype(dtype)
    except OverflowError:
        return None
    exact = bool(np.isfinite(floats).all()) and bool(np.all(to_fractions(floats) == values))
    return floats if exact else None
