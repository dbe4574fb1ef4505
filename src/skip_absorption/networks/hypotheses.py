"""The generic hypotheses of Theorem 4 and its extensions, checked exactly at the size of real layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import exact_array
from skip_absorption.networks._rows import nonzero_rows, opposed, row_classes, with_bias
from skip_absorption.networks.activations import Activation, absorbing

_MOST = 10  # lines of one kind that are written out


@dataclass(frozen=True)
class Hypotheses:
    """Whether a network satisfies the generic hypotheses, and if not where it breaks them.

    Attributes
    ----------
    generic
        Whether they all hold.
    violations
        One line each, units counted from 0; empty iff ``generic``.
    """

    generic: bool
    violations: tuple[str, ...]


def hypotheses(w_up: Any, w_down: Any, activation: str | Activation, b_up: Any = None) -> Hypotheses:
    """Check that no row w_i and no column a_i is zero and that the units are pairwise distinct.

    Distinct means, for a kink (ReLU, leaky ReLU): no two rows on one line; for an analytic activation (both
    GELUs, SiLU): no two rows equal or opposed. With biases the rows (w_i, b_i) are compared.

    Parameters
    ----------
    w_up
        (N, d), exact.
    w_down
        (m, N), exact.
    activation
        One that `absorbing` accepts.
    b_up
        (N,), exact, or None.

    Raises
    ------
    InvalidInput
        For shapes that do not fit, inexact entries, or another activation.

    Notes
    -----
    Hypotheses (G) without d >= 2 and N >= d, which Theorem 4 and X1 do not need; X1b with biases; X1c for
    analytic activations. Exact at any size: N = 16384, d = 4096 takes well under a second.

    Examples
    --------
    >>> hypotheses([[1, 2], [3, 4], [-2, -4]], [[1, 0, 1]], "relu").violations
    ('column 1 of w_down is zero', 'rows 0 and 2 of w_up are collinear')
    """
    act = absorbing(activation)
    up = exact_array(w_up, name="w_up", ndim=2)
    down = exact_array(w_down, name="w_down", ndim=2)
    if down.shape[1] != len(up):
        raise InvalidInput("w_down", f"have shape (m, {len(up)})", down.shape)
    bias = None if b_up is None else exact_array(b_up, name="b_up", ndim=1)
    if bias is not None and len(bias) != len(up):
        raise InvalidInput("b_up", f"have shape ({len(up)},)", bias.shape)

    live = nonzero_rows(up)
    zero_rows = np.setdiff1d(np.arange(len(up)), live).tolist()
    zero_columns = np.flatnonzero(~np.any(down != 0, axis=0)).tolist()
    rows = with_bias(up, bias)
    rows = rows if len(live) == len(rows) else rows[live]
    classes = row_classes(rows, lines=act.even == "kink")
    shared = [[int(live[i]) for i in members] for members in classes if len(members) > 1]
    what = "rows {} of w_up" if bias is None else "rows {} of (w_up, b_up)"

    def relation(members: list[int]) -> str:
        if act.even == "kink":
            return "collinear"
        signs = {
            opposed(with_bias(up[[i]], None if bias is None else bias[[i]])[0].tolist()) for i in members
        }
        return "equal" if len(signs) == 1 else "opposed" if len(members) == 2 else "equal or opposed"

    lines = [
        *_listed(zero_rows, lambda i: f"row {i} of w_up is zero", "zero rows of w_up"),
        *_listed(zero_columns, lambda i: f"column {i} of w_down is zero", "zero columns of w_down"),
        *_listed(
            shared,
            lambda members: f"{what.format(_enumerated(members))} are {relation(members)}",
            f"such sets of {what.format('').replace('  ', ' ')}",
        ),
    ]
    return Hypotheses(generic=not lines, violations=tuple(lines))


def _listed(found: Sequence[Any], line: Callable[[Any], str], more: str) -> list[str]:
    lines = [line(item) for item in found[:_MOST]]
    return lines if len(found) <= _MOST else [*lines, f"{len(found) - _MOST} more {more}"]


def _enumerated(members: list[int]) -> str:
    if len(members) > _MOST:
        return f"{', '.join(map(str, members[:_MOST]))} and {len(members) - _MOST} others"
    return f"{', '.join(map(str, members[:-1]))} and {members[-1]}"
