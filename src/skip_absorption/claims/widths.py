"""The least width of X1 in the plainest terms: every pair of sets F, G tried, and the network of its proof.

Nothing here calls the library's search or its construction. Ranks are taken over Q, one at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from skip_absorption.exact.rational import (
    exact_matmul,
    from_fmpq_mat,
    identity,
    rank,
    stack_rows,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.networks.blocks import Mlp, Residual

EVERY_PAIR = 6  # the width up to which all 3^N pairs F, G are tried


@dataclass(frozen=True)
class Least:
    """The minimum k* of |G| + 2(rank[M + 2c·A_F B_F ; w_G] − rank w_G), where it is attained, and its bounds.

    Attributes
    ----------
    extra
        k*.
    flipped, doubled
        F and G.
    lower
        min_F rank(M + 2c·A_F B_F) + rank[M ; W_up] − rank W_up.
    upper
        min(2 rank M, 2d − rank W_up).
    """

    extra: int
    flipped: tuple[int, ...]
    doubled: tuple[int, ...]
    lower: int
    upper: int


def least_extra(block: Residual, *, flips: bool = True, doublings: bool = True, pair: int = 2) -> Least:
    """Minimise over all disjoint F, G; the keywords give false variants.

    Parameters
    ----------
    block
        A residual block around an `Mlp`; biases do not enter.
    flips, doublings
        Whether F, G may be other than empty.
    pair
        What a direction outside the doubled rows costs.
    """
    rows, skip = to_fractions(mlp_of(block).w_up), skip_of(block)
    units = range(len(rows))
    spans = {g: rank(rows[list(g)]) for g in _sets(units if doublings else ())}
    best, ranks = None, []
    for f in _sets(units if flips else ()):
        rest = remainder(block, f)
        ranks.append(rank(rest))
        for g, span in spans.items():
            if set(f) & set(g) or (best is not None and len(g) >= best[0]):
                continue
            cost = len(g) + pair * (rank(stack_rows([rest, rows[list(g)]])) - span)
            if best is None or cost < best[0]:
                best = cost, f, g
    assert best is not None
    of_rows = rank(rows)
    lower = min(ranks) + rank(stack_rows([skip, rows])) - of_rows
    upper = min(2 * rank(skip), 2 * rows.shape[1] - of_rows)
    return Least(*best, lower=lower, upper=upper)


def _sets(units: Sequence[int]) -> list[tuple[int, ...]]:
    return [s for size in range(len(units) + 1) for s in combinations(units, size)]


def mlp_of(block: Residual) -> Mlp:
    """Return the MLP inside a residual block."""
    assert isinstance(block.block, Mlp)
    return block.block


def skip_of(block: Residual) -> NDArray[np.object_]:
    """Return M over Q."""
    return to_fractions(identity(block.d_in) if block.skip is None else block.skip)


def is_distinct(mlp: Mlp) -> bool:
    """Whether rows and columns are nonzero and no two units share a class, read off the definition.

    Kinks: no two (w_i, b_i) collinear; analytic σ: none is ± another.
    """
    bias = np.zeros(mlp.width, dtype=np.int64) if mlp.b_up is None else mlp.b_up
    classes = set()
    for row, b in zip(to_fractions(mlp.w_up), to_fractions(bias), strict=True):
        if not np.any(row != 0):
            return False
        unit = (*row, b)
        first = next(x for x in unit if x)
        scale = first if mlp.activation.even == "kink" else abs(first) / first
        classes.add(tuple(x / scale for x in unit))
    return len(classes) == mlp.width and all(np.any(column != 0) for column in mlp.w_down.T)


def remainder(block: Residual, flipped: Sequence[int]) -> NDArray[np.object_]:
    """Return M + 2c·A_F B_F over Q: what is left of the skip when the units in F are flipped."""
    mlp, chosen = mlp_of(block), list(flipped)
    odd = mlp.activation.odd
    assert odd is not None
    total: NDArray[np.object_] = skip_of(block) + odd * exact_matmul(mlp.w_down[:, chosen], mlp.w_up[chosen])
    return total


def build(block: Residual, flipped: Sequence[int], doubled: Sequence[int]) -> Mlp:
    """Build the network of X1's proof: F flipped, G doubled, and two units for each direction beyond w_G.

    With R = M + 2c·A_F B_F = Σ_G D_i w_iᵀ + Σ_k D'_k u_kᵀ, unit i ∈ G gets the column a_i + D_i/2c and an
    opposed twin −D_i/2c, and direction u_k the two opposed units ±D'_k/2c. Biases follow their rows; their
    shares 2c·Σ_F a_i b_i − Σ_G D_i b_i of the constant go to the output bias.
    """
    mlp = mlp_of(block)
    odd, f, g = mlp.activation.odd, list(flipped), list(doubled)
    assert odd is not None
    rows, columns, rest = to_fractions(mlp.w_up), to_fractions(mlp.w_down), remainder(block, flipped)
    bias = to_fractions(np.zeros(mlp.width, dtype=np.int64) if mlp.b_up is None else mlp.b_up)
    fresh: list[int] = []
    for k in range(len(rest)):
        if rank(stack_rows([rows[g], rest[[*fresh, k]]])) > len(g) + len(fresh):
            fresh.append(k)
    basis = to_fmpq_mat(stack_rows([rows[g], rest[fresh]]))
    if g or fresh:
        gram = basis * basis.transpose()
        split = from_fmpq_mat(to_fmpq_mat(rest) * basis.transpose() * gram.inv())
    else:
        split = np.empty((len(rest), 0), dtype=object)
    of_doubled, of_fresh = split[:, : len(g)] / odd, split[:, len(g) :] / odd
    shift = odd * (columns[:, f] @ bias[f]) - odd * (of_doubled @ bias[g])
    columns[:, g] += of_doubled
    rows[f], bias[f] = -rows[f], -bias[f]
    up = [rows, -rows[g], rest[fresh], -rest[fresh]]
    down = [columns, -of_doubled, of_fresh, -of_fresh]
    if mlp.b_up is None:
        return Mlp(np.concatenate(up), np.concatenate(down, axis=1), mlp.activation, None, mlp.b_down)
    hidden = np.concatenate([bias, -bias[g], 0 * rest[fresh][:, 0], 0 * rest[fresh][:, 0]])
    output = shift if mlp.b_down is None else shift + to_fractions(mlp.b_down)
    return Mlp(np.concatenate(up), np.concatenate(down, axis=1), mlp.activation, hidden, output)
