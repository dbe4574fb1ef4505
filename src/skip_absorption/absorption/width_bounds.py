"""Bounds of the minimal width that need no search over subsets (X1): what can be said of a large layer.

All bounds are of k*, the number of units beyond N, for a network that meets the generic hypotheses: the
minimum over disjoint F, G of |G| + 2 (rank[R_F ; w_G] - rank w_G), where R_F = M + odd * A_F B_F.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.inertia import nullity_bound
from skip_absorption.absorption.ranks import SMALL, Rank, proved_rank
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    from_fmpq_mat,
    identity,
    rank,
    stack_rows,
    to_fmpq_mat,
    to_fractions,
)

_INVERTED = 64  # a skip other than the identity is inverted up to this size


@dataclass(frozen=True)
class Bounds:
    """Proved bounds ``lower <= k* <= upper``, each with a line that says why.

    Attributes
    ----------
    doubled
        With no unit flipped, doubling these independent units and adding two units for each further
        direction of the skip costs at most `upper`.
    """

    lower: int
    upper: int
    lower_how: str
    upper_how: str
    doubled: tuple[int, ...]


@dataclass(frozen=True)
class _Network:
    """A network with the ranks that the bounds share."""

    w_up: ExactArray
    w_down: ExactArray
    skip: ExactArray
    odd: Fraction
    is_identity: bool
    up: Rank
    down: Rank
    rank_m: Rank
    together: Rank
    """Of [M ; W_up]."""

    @property
    def excess(self) -> int:
        """A proved lower bound of rank[M ; W_up] - rank W_up."""
        return max(0, self.together.lower - self.up.upper)


def width_bounds(
    w_up: ExactArray,
    w_down: ExactArray,
    skip: ExactArray,
    odd: Fraction,
    *,
    rng: np.random.Generator,
    clock: Clock,
) -> Bounds:
    """Return bounds of k* from ranks and from the inertia of one symmetric matrix.

    Parameters
    ----------
    w_up, w_down, skip
        Exact, (N, d), (m, N) and (m, d), N >= 1; the generic hypotheses are assumed.
    odd
        The number 2c with sigma(z) - sigma(-z) = 2c*z.
    rng
        Draws primes; an unlucky one can only loosen a bound.
    clock
        Proofs that take long are not begun once it has expired.

    Notes
    -----
    *Upper.* F = G = {} costs 2 rank M; F = {} with G independent costs 2 rank[M ; w_G] - |G|, tried for a
    basis of all rows (M = I: 2d - rank W_up) and for a basis of the rows that lie in row(M).

    *Lower.* For independent G the cost is rank[R ; w_G] + (rank[R ; w_G] - rank w_G), at least rank R_F + e
    with e = rank[M ; W_up] - rank W_up, because R_F and M agree modulo row(W_up). By Frobenius' inequality
    rank R_F >= e + e' - e'' with e' = rank[M, W_down] - rank W_down and e'' the rank of M seen from outside
    both, rank[[M, W_down], [W_up, 0]] - rank W_up - rank W_down. Where the symmetric part of I_N + odd W_up
    M^-1 W_down is positive definite, every R_F is regular.
    """
    is_identity = skip.shape[0] == skip.shape[1] and bool(np.all(skip == identity(len(skip))))
    full = Rank(len(skip), len(skip), ())
    network = _Network(
        w_up,
        w_down,
        skip,
        odd,
        is_identity,
        up=proved_rank(w_up, rng=rng),
        down=proved_rank(w_down, rng=rng),
        rank_m=full if is_identity else proved_rank(skip, rng=rng),
        together=full if is_identity else proved_rank(skip, w_up, rng=rng),
    )
    upper, upper_how, doubled = min(_constructions(network, rng), key=lambda found: found[0])
    lower = _unreached_rank(network, rng) + network.excess
    lower_how = "part of M lies outside what W_up and W_down span" if lower else "fewer units than N never do"
    if lower < upper:
        nullity = _nullity(network, clock)
        if nullity is not None and len(skip) - nullity + network.excess > lower:
            lower = len(skip) - nullity + network.excess
            lower_how = (
                f"the symmetric part of I_N + odd W_up M^-1 W_down has at most {nullity} eigenvalues <= 0, "
                f"so every M + odd A_F B_F has rank >= {len(skip) - nullity}"
            )
    return Bounds(lower, upper, lower_how, upper_how, doubled)


def _constructions(network: _Network, rng: np.random.Generator) -> list[tuple[int, str, tuple[int, ...]]]:
    """Return the costs of some G with F = {}, how they are reached, and G."""
    rank_m, basis = network.rank_m, network.up.rows
    found: list[tuple[int, str, tuple[int, ...]]] = [
        (2 * rank_m.upper, f"two units for each of rank M = {rank_m.upper} directions", ()),
        (
            2 * min(network.together.upper, rank_m.upper + len(basis)) - len(basis),
            f"{len(basis)} independent rows doubled: 2 rank[M ; W_up] - rank W_up",
            basis,
        ),
    ]
    if rank_m.exact and rank_m.upper < network.skip.shape[1] and network.w_up.size <= SMALL:
        inside = [
            i
            for i in range(len(network.w_up))
            if rank(stack_rows([network.skip, network.w_up[i : i + 1]])) == rank_m.upper
        ]
        rows = proved_rank(network.w_up[inside], rng=rng).rows if inside else ()
        chosen = tuple(inside[i] for i in rows)
        how = f"{len(chosen)} independent rows inside row(M) doubled: 2 rank M - {len(chosen)}"
        found.append((2 * rank_m.upper - len(chosen), how, chosen))
    return found


def _unreached_rank(network: _Network, rng: np.random.Generator) -> int:
    """Return a proved lower bound of min_F rank R_F: e, e', or e + e' - e''."""
    right = network.excess
    beside = len(network.skip)
    if not network.is_identity:
        beside = proved_rank(network.skip.T, network.w_down.T, rng=rng).lower
    left = max(0, beside - network.down.upper)
    n, (m, d) = len(network.w_up), network.skip.shape
    if right == 0 or left == 0 or (m + n) * (n + d) > SMALL:
        return max(left, right)
    skip, w_down, w_up = (to_fractions(x) for x in (network.skip, network.w_down, network.w_up))
    corner = np.full((n, n), Fraction(0), dtype=object)
    bordered = np.vstack([np.hstack([skip, w_down]), np.hstack([w_up, corner])])
    return max(left, right, left + right - (rank(bordered) - network.up.lower - network.down.lower))


def _nullity(network: _Network, clock: Clock) -> int | None:
    """Return a proved upper bound of the nullity of every R_F; None unless M is regular and small or I."""
    skip, w_down = network.skip, network.w_down
    both = network.up.upper + network.down.upper
    if network.is_identity:
        scaled = w_down if network.odd == 1 else to_fractions(w_down) * network.odd
        return nullity_bound(network.w_up, scaled, clock=clock, ranks=both)
    if skip.shape[0] != skip.shape[1] or len(skip) > _INVERTED or network.rank_m.lower < len(skip):
        return None
    inverse = from_fmpq_mat(to_fmpq_mat(skip).inv())
    right = exact_matmul(inverse, to_fractions(w_down) * network.odd)
    return nullity_bound(network.w_up, right, clock=clock, ranks=both)
