"""One MLP block without its skip, in floating point, and the exact function that the new weights realise.

Rounded weights are the catch. Doubling a basis G of rows takes columns delta_i with sum delta_i w_i^T = I,
which solve a linear system and are no floats. What the rounded weights compute is still an exact function,

    x -> W'_down sigma(W_up x + b_up) + M' x + c',

and `Skipless` holds its W'_down, M' and c' as rationals, proves by canonical forms (X5) that they belong to
the weights, and says how far they are from W_down, I and c. Pairs of new units with rows +-2^p e_j and
columns +-2^-p e_j realise I itself in every binary type, at d more units than N + d.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.ranks import first_independent_rows
from skip_absorption.absorption.width import minimal_width
from skip_absorption.errors import InvalidInput, NotAbsorbable
from skip_absorption.exact.rational import ExactArray, exact_matmul, identity, to_fractions
from skip_absorption.networks.activations import absorbing
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import difference

PAIR_SCALE = 7
"""Pairs have rows +-2^7 e_j: GELU is exactly max(z, 0) in float32 beyond |z| = 14, so for |x_j| > 0.11."""

WIDTHS = ("minimal", "exact")


@dataclass(frozen=True, eq=False)
class Skipless:
    """A block without skip, and what it computes.

    Attributes
    ----------
    twin
        The MLP to use in place of x + MLP(x); its weights are values of the type asked for.
    realised
        The function of `twin`, exactly, as the original units with a skip M'; proved equal to `twin`.
    flipped, doubled
        The units flipped, and those doubled; each doubled one adds a unit.
    pairs
        How many pairs of new units were added.
    lower
        A proved lower bound of the width of any MLP that equals x + MLP(x).
    how
        What proves that bound, and the width that is generically least.
    largest
        max |delta_i|: the greatest correction of a column.
    skip_error, column_error, bias_error
        max |M' - I|, max |W'_down - W_down| and max |c' - c| over the entries.
    skip_norm
        The Frobenius norm of M' - I, rounded.
    """

    twin: Mlp
    realised: Residual
    flipped: tuple[int, ...]
    doubled: tuple[int, ...]
    pairs: int
    lower: int
    how: tuple[str, ...]
    largest: float
    skip_error: Fraction
    column_error: Fraction
    bias_error: Fraction
    skip_norm: float

    @property
    def exact(self) -> bool:
        """Whether `twin` equals x + MLP(x) at every real x."""
        return not (self.skip_error or self.column_error or self.bias_error)


def without_skip(
    mlp: Mlp,
    *,
    width: str = "minimal",
    dtype: Any = None,
    rng: np.random.Generator | None = None,
    budget: Budget | None = None,
) -> Skipless:
    """Return an MLP in place of x + MLP(x), with weights of a floating-point type.

    Parameters
    ----------
    mlp
        d inputs and d outputs, float weights.
    width
        "minimal": N + k* where k* is decided, else N + 2d - rank W_up, which is N + d if W_up has rank d and
        generically least; weights are rounded. "exact": the same if that happens to be exact, else N + 2d,
        where nothing is rounded.
    dtype
        The type of the new weights; the type of ``w_down`` if None.
    rng, budget
        As for `minimal_width`.

    Raises
    ------
    InvalidInput
        For an activation outside the theory, weights that are no floats, or another width.
    OverflowError
        If a new weight is beyond the range of the type: the corrections of tiny rows are huge.
    NotAbsorbable
        For "exact" if no dyadic weights of any width can be exact: 1/odd is not dyadic (some leaky ReLUs).

    Notes
    -----
    X1 and Proposition 8(i) with biases (X1b). The equality of `realised` and `twin` is proved before they are
    returned, and for exact ones that of x + MLP(x) and `twin`.

    Examples
    --------
    >>> block = Mlp(np.eye(2), 3 * np.eye(2), "gelu")
    >>> found = without_skip(block)
    >>> found.twin.width, found.exact
    (4, True)
    """
    act = absorbing(mlp.activation)
    assert act.odd is not None
    if width not in WIDTHS:
        raise InvalidInput("width", f"be one of {', '.join(WIDTHS)}", width)
    for name in ("w_up", "w_down"):
        if (array := getattr(mlp, name)).dtype.kind != "f":
            raise InvalidInput(name, "hold floats", f"dtype {array.dtype}")
    kind = np.dtype(mlp.w_down.dtype if dtype is None else dtype)
    inverse = 1 / act.odd
    dyadic = inverse.denominator & (inverse.denominator - 1) == 0
    if width == "exact" and not dyadic:
        raise NotAbsorbable(
            f"no weights in floating point absorb a skip exactly with {act.name}: M' is {act.odd} times "
            f"sums of their products, and {inverse} is no such sum"
        )
    found = minimal_width(
        mlp.w_up, mlp.w_down, activation=act, b_up=mlp.b_up, b_down=mlp.b_down, rng=rng, budget=budget
    )
    stream = (
        np.random.default_rng(0) if rng is None else rng
    )  # primes alone; the answer does not depend on them
    flipped, doubled, fresh = _plan(mlp, found.flipped, found.doubled, found.classes is None, stream)
    solved = _Parts.solved(mlp, flipped, doubled, fresh, kind)
    if width == "minimal" or not solved.changes_columns(mlp):
        skipless = _measured(mlp, solved, found.lower, found.how)
        if width == "minimal" or skipless.exact:
            return skipless
    return _measured(mlp, _Parts.pairs_alone(mlp, inverse, kind), found.lower, found.how)


def _plan(
    mlp: Mlp, flipped: Sequence[int], doubled: Sequence[int], generic: bool, rng: np.random.Generator
) -> tuple[list[int], list[int], NDArray[np.float64]]:
    """Return the units to flip, those to double and the rows of the pairs.

    Without flips any basis of the row space will do, and pivoted QR finds one whose corrections are small.
    Where the generic hypotheses fail the sets belong to a reduced network, so no unit is flipped.
    """
    from scipy.linalg import qr

    if generic and flipped:
        left = identity(mlp.d_in) + mlp.activation.odd * exact_matmul(
            mlp.w_down[:, list(flipped)], mlp.w_up[list(flipped)]
        )
        basis = first_independent_rows(mlp.w_up[list(doubled)], left, rng=rng)
        rows = [i - len(doubled) for i in basis if i >= len(doubled)]
        return list(flipped), list(doubled), left[rows].astype(np.float64).reshape(len(rows), mlp.d_in)
    rank = len(first_independent_rows(mlp.w_up, rng=rng))
    *_, order = qr(mlp.w_up.T.astype(np.float64), mode="economic", pivoting=True)
    units = sorted(order[:rank].tolist())
    spanned, _ = qr(mlp.w_up[units].T.astype(np.float64), mode="economic")
    *_, order = qr(identity(mlp.d_in) - spanned @ spanned.T, pivoting=True)
    return [], units, np.eye(mlp.d_in)[sorted(order[: mlp.d_in - rank].tolist())]


@dataclass(frozen=True, eq=False)
class _Parts:
    """What is put together: units to flip, columns of the doubled ones and of their copies, and pairs."""

    flipped: list[int]
    doubled: list[int]
    kept: NDArray[Any]  # (d, |G|), a_i + delta_i
    opposed: NDArray[Any]  # (d, |G|), -delta_i
    rows: NDArray[Any]  # (t, d)
    columns: NDArray[Any]  # (d, t)
    kind: np.dtype[Any]

    @staticmethod
    def solved(
        mlp: Mlp, flipped: list[int], doubled: list[int], fresh: NDArray[np.float64], kind: np.dtype[Any]
    ) -> _Parts:
        """Solve for the corrections in double precision and round them."""
        odd = mlp.activation.odd
        left = identity(mlp.d_in) + odd * exact_matmul(mlp.w_down[:, flipped], mlp.w_up[flipped])
        rows = _rounded(fresh, kind)
        basis = np.vstack([mlp.w_up[doubled].astype(np.float64), rows.astype(np.float64)])
        solution = np.linalg.lstsq(basis.T, (left / odd).astype(np.float64).T, rcond=None)[0].T
        down = mlp.w_down[:, doubled].astype(np.float64)
        kept = _rounded(down + solution[:, : len(doubled)], kind)
        opposed = _rounded(down - kept, kind)  # so that their sum is a_i up to one rounding
        pairs = _rounded(solution[:, len(doubled) :], kind)
        return _Parts(flipped, doubled, kept, opposed, rows, pairs, kind)

    @staticmethod
    def pairs_alone(mlp: Mlp, inverse: Fraction, kind: np.dtype[Any]) -> _Parts:
        """Give each coordinate a pair of its own: nothing is rounded."""
        scale = 2.0**PAIR_SCALE
        rows, columns = np.eye(mlp.d_in) * scale, np.eye(mlp.d_in) * (float(inverse) / scale)
        none = np.zeros((mlp.d_out, 0), dtype=np.float32)
        return _Parts([], [], none, none, _rounded(rows, kind), _rounded(columns, kind), kind)

    def changes_columns(self, mlp: Mlp) -> bool:
        """Whether the columns of some doubled unit and its copy do not add up to the column that it had."""
        sums = self.kept.astype(np.float64) + self.opposed
        return not np.array_equal(sums, mlp.w_down[:, self.doubled])

    def twin(self, mlp: Mlp, b_down: Any) -> Mlp:
        """Assemble the block without skip: the units, the copies of the doubled ones, the pairs."""
        up = np.array(mlp.w_up)
        down = mlp.w_down.astype(np.result_type(mlp.w_down, self.kept))
        up[self.flipped] = 0 - up[self.flipped]
        down[:, self.doubled] = self.kept
        w_up = np.vstack([up, 0 - mlp.w_up[self.doubled], self.rows, 0 - self.rows])
        w_down = np.hstack([down, self.opposed, self.columns, 0 - self.columns])
        b_up = None
        if mlp.b_up is not None:
            bias = np.array(mlp.b_up)
            bias[self.flipped] = 0 - bias[self.flipped]
            b_up = np.concatenate(
                [bias, 0 - mlp.b_up[self.doubled], np.zeros(2 * len(self.rows), bias.dtype)]
            )
        return Mlp(w_up, w_down, mlp.activation, b_up, b_down)

    def realised(self, mlp: Mlp) -> tuple[Residual, Any]:
        """Return the function of the twin with the original units, and the twin's output bias.

        Units -w_i are rewritten by sigma(-z) = sigma(z) - odd z, pairs by sigma(z) - sigma(-z) = odd z.
        """
        odd: Any = mlp.activation.odd
        turned = [*self.flipped, *self.doubled]
        columns = np.hstack([mlp.w_down[:, self.flipped], self.opposed])
        products = exact_matmul(self.columns, self.rows) - exact_matmul(columns, mlp.w_up[turned])
        b_down = constant = mlp.b_down
        if mlp.b_up is not None and turned:
            moved = odd * exact_matmul(columns, mlp.b_up[turned, None])[:, 0]
            b_down = _rounded((_or_zero(b_down, mlp.d_out) + moved).astype(np.float64), self.kind)
            constant = to_fractions(b_down) - moved
        down = mlp.w_down
        if self.doubled:
            down = down.astype(np.float64)
            down[:, self.doubled] = self.kept.astype(np.float64) + self.opposed
            exact = [to_fractions(columns) for columns in (self.kept, self.opposed, down[:, self.doubled])]
            if (exact[0] + exact[1] != exact[2]).any():
                down = to_fractions(mlp.w_down)
                down[:, self.doubled] = exact[0] + exact[1]
        return Residual(Mlp(mlp.w_up, down, mlp.activation, mlp.b_up, constant), odd * products), b_down


def _rounded(values: Any, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the nearest values of a floating-point type, in float32 or float64, which hold them exactly."""
    holder = np.float64 if kind == np.float64 else np.float32
    with np.errstate(over="ignore"):
        rounded = np.asarray(values, dtype=np.float64).astype(kind).astype(holder)
    if not np.isfinite(rounded).all():
        raise OverflowError(f"a new weight is beyond the range of {kind}")
    return rounded


def _or_zero(bias: ExactArray | None, d: int) -> NDArray[Any]:
    return np.full(d, Fraction(0)) if bias is None else to_fractions(bias)


def _measured(mlp: Mlp, parts: _Parts, lower: int, how: tuple[str, ...]) -> Skipless:
    """Build the twin, prove which function it realises, and measure how far that is from x + MLP(x)."""
    realised, b_down = parts.realised(mlp)
    twin = parts.twin(mlp, b_down)
    inner: Any = realised.block
    assert realised.skip is not None
    skip_error = realised.skip - identity(mlp.d_in)
    columns = inner.w_down[:, parts.doubled], mlp.w_down[:, parts.doubled]
    biases = [_or_zero(block.b_down, mlp.d_out) for block in (inner, mlp)]
    found = Skipless(
        twin=twin,
        realised=realised,
        flipped=tuple(parts.flipped),
        doubled=tuple(parts.doubled),
        pairs=len(parts.rows),
        lower=lower,
        how=how,
        largest=max(float(np.abs(part).max(initial=0.0)) for part in (parts.opposed, parts.columns)),
        skip_error=_greatest(skip_error),
        column_error=_greatest(to_fractions(columns[0]) - to_fractions(columns[1])),
        bias_error=_greatest(biases[0] - biases[1]),
        skip_norm=float(np.linalg.norm(skip_error.astype(np.float64))),
    )
    line = difference(Residual(mlp) if found.exact else realised, twin)
    if line is not None:
        raise AssertionError(f"the construction is wrong, please report: {line}")
    return found


def _greatest(values: NDArray[Any]) -> Fraction:
    return max((abs(value) for value in values.flat), default=Fraction(0))
