"""What a search for a subset returns, and the exact form of its refutations.

Write ``E_Y(s) = sum_i (a_i^T Y w_i) s_i - tr(Y^T T)`` for an m x d matrix Y: a combination of the entries of
``sum_i s_i a_i w_i^T = T``, so it vanishes at every solution s. A refutation is a dictionary of plain data:

``{"kind": "quadratic", "p": int, "mu": [N], "ell": [K][1 + N], "Y": [K][m][d]}``
    With ``ell_k(s) = ell[k][0] + sum_i ell[k][1 + i] s_i`` the identity
    ``sum_i mu_i (s_i^2 - s_i) + sum_k ell_k(s) E_{Y_k}(s) = 1`` holds in F_p[s] (p an odd prime that divides
    no denominator of the weights and the target), so no s in {0, 1}^N solves. Inconsistent equations
    (mu = 0, one constant ell) and a determined coordinate that is not 0 or 1 are special cases.
``{"kind": "support", "p": int, "Y": [m][d]}``
    ``a_i^T Y w_i`` is nonzero mod p for few units only, and no sum of a subset of those values is
    ``tr(Y^T T)`` mod p.
``{"kind": "farkas", "Y": [m][d]}``
    Y holds exact rationals as strings, and ``tr(Y^T T) > sum_i max(0, a_i^T Y w_i)`` over Q, so that not
    even s in [0, 1]^N solves.
``{"kind": "exhausted", "method": str, "nodes": int, "p": int}``
    All of {0, 1}^N was searched (modulo p where p > 0; a solution over Q would have been one mod p). This
    is a report, not a certificate: checking it means searching again.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from skip_absorption.exact.rational import format_rational
from skip_absorption.exact.verdict import Verdict

Refutation: TypeAlias = dict[str, Any]
Subset: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class SearchOutcome:
    """The answer to "is there an s in {0, 1}^N with sum_i s_i a_i w_i^T = T".

    Attributes
    ----------
    verdict
        PROVED: `subset` solves, verified over Q. REFUTED: there is none, by `refutation`.
        UNKNOWN: the budget ended first.
    subset
        Sorted 0-based units with s_i = 1, or None.
    refutation
        The data described in this module, or None.
    tried
        One line for each method: what was done, what it reached, seconds.
    """

    verdict: Verdict
    subset: Subset | None
    refutation: Refutation | None
    tried: tuple[str, ...]


@dataclass(frozen=True)
class Reached:
    """What one method reached: a verified subset, a refutation, or neither; and a line that says so."""

    note: str
    subset: Subset | None = None
    refutation: Refutation | None = None

    @property
    def decided(self) -> bool:
        """Whether the search can end here."""
        return self.subset is not None or self.refutation is not None


def farkas_refutation(y: list[list[Fraction]]) -> Refutation:
    """Return the refutation by a rational matrix Y."""
    return {"kind": "farkas", "Y": [[format_rational(entry) for entry in row] for row in y]}


def exhausted(method: str, nodes: int, p: int = 0) -> Refutation:
    """Return the report of a search that left nothing out."""
    return {"kind": "exhausted", "method": method, "nodes": int(nodes), "p": int(p)}


@dataclass(frozen=True)
class PartReached:
    """What an exhaustive search of one independent part reached.

    Attributes
    ----------
    nodes
        The candidates looked at.
    exhausted
        Whether the part provably has no solution.
    ones
        The units set to 1 by an accepted solution, or None.
    note
        Why the search stopped, if it did.
    """

    nodes: int
    exhausted: bool = False
    ones: list[int] | None = None
    note: str = ""
