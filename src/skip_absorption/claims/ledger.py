"""The ledger: every checked statement of the paper, how it is run, and the one line that it ends in."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any

from skip_absorption.errors import InvalidInput
from skip_absorption.results.outcome import PROVED_ON_CASES, status

if TYPE_CHECKING:
    from skip_absorption.claims.running import Report

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Claim:
    """A statement of the paper.

    Attributes
    ----------
    id
        Name of its module, its rule ``claim_<id>`` and its result file.
    label
        Its label in the paper.
    title
        How the paper calls it.
    statement
        What it says, in words.
    """

    id: str
    label: str
    title: str
    statement: str

    @property
    def module(self) -> str:
        """The module that checks it: ``check``, ``HYPOTHESES``, ``METHOD`` and ``EVIDENCE`` live there."""
        return f"skip_absorption.claims.{self.id}"


CLAIMS: Mapping[str, Claim] = {
    claim.id: claim
    for claim in (
        Claim(
            "proposition_1",
            "prop:homogeneous",
            "Proposition 1",
            "If σ is homogeneous of degree k ≠ 1 and M ≠ 0, no MLP of any width equals Mx plus an MLP: "
            "the two functions differ at x or at 2x whenever Mx ≠ 0.",
        ),
        Claim(
            "proposition_2",
            "prop:gated",
            "Proposition 2",
            "If the gate satisfies g(0) = 0 and is continuous at 0, and M ≠ 0, no gated MLP of any width "
            "equals Mx plus a gated MLP: the two differ at every small multiple of x whenever Mx ≠ 0.",
        ),
        Claim(
            "corollary_3",
            "cor:depth",
            "Corollary 3",
            "If all blocks are homogeneous of one degree k ≠ 1, or all are gated with g(0) = 0, g "
            "continuous at 0, no composition of residual-free blocks equals one with linear skips M_1, …,"
            " M_L whose product is not 0.",
        ),
        Claim(
            "theorem_4",
            "thm:ungated",
            "Theorem 4",
            "For generic weights and a ReLU-like or GELU-like activation, x + W_down σ(W_up x) is an MLP of "
            "the same width if and only if W_down[:, S] W_up[S, :] = −I for some set S of units.",
        ),
        Claim(
            "corollary_5",
            "cor:generic",
            "Corollary 5(i)",
            "For d ≥ 2, N ≥ d and almost every W, no MLP of the same width equals x + W_down σ(W_up x).",
        ),
        Claim(
            "corollary_5_converse",
            "cor:converse",
            "Corollary 5(ii)",
            "For generic V, V_down σ(V_up x) − x is an MLP of the same width if and only if "
            "V_down[:, S] V_up[S, :] = +I for some set S of units.",
        ),
        Claim(
            "lemma_6",
            "lem:kinks",
            "Lemma 6",
            "Absolute values of nonzero, pairwise non-collinear linear forms in d ≥ 2 variables are linearly "
            "independent, modulo linear functions too: second differences at kernel points give the "
            "coefficients.",
        ),
        Claim(
            "lemma_7",
            "lem:scales",
            "Lemma 7",
            "If ψ is real-analytic and not a polynomial, the functions ψ(αt) for distinct α > 0 are linearly "
            "independent, modulo polynomials too.",
        ),
        Claim(
            "proposition_8_i",
            "prop:width-i",
            "Proposition 8(i)",
            "If W_up has rank d, some MLP of width N + d equals x + W_down σ(W_up x).",
        ),
        Claim(
            "proposition_8_ii",
            "prop:width-ii",
            "Proposition 8(ii)",
            "For almost every W, no MLP of width N + d − 1 or less equals x + W_down σ(W_up x).",
        ),
        Claim(
            "x1",
            "ext:minimal-width",
            "X1",
            "For generic weights and any skip M, the least width of a residual-free MLP equal to "
            "Mx + W_down σ(W_up x) is N + k*, k* the minimum over disjoint F, G of "
            "|G| + 2(rank[M + A_F B_F; w_G] − rank w_G); every value from 0 to d occurs.",
        ),
        Claim(
            "x1b",
            "ext:biases",
            "X1b",
            "With hidden and output biases in both networks the least width is N + k* as before, k* in "
            "the rows w_i alone, if the hyperplanes w_i·x + b_i = 0 are distinct; without an output bias,"
            " b joins (3).",
        ),
        Claim(
            "x1c",
            "ext:collinear",
            "X1c",
            "For GELU and SiLU, Theorem 4 and X1 hold for d ≥ 1 and collinear rows, if w_i ≠ 0, w_i ≠ "
            "±w_j and a_i ≠ 0; without hypotheses they hold for the canonical form in the network's "
            "place.",
        ),
        Claim(
            "x2",
            "ext:gates",
            "X2",
            "Among gates continuous at 0, some skip M ≠ 0 is absorbed by gated MLPs if and only if g(0) ≠ 0, "
            "differentiable or not; then rank M more units absorb any M.",
        ),
        Claim(
            "x3",
            "ext:distance",
            "X3",
            "For homogeneous blocks of degree k ≠ 1, the sup of |Mx + W_down σ(W_up x) − V_down σ(V_up "
            "x)| on a ball of radius R is at least c_k R‖M‖₂, and no larger constant holds.",
        ),
        Claim(
            "x4",
            "ext:certificates",
            "X4",
            "A matrix Y modulo p ≥ 3 with a_iᵀYw_i = 0 for all i and tr(YᵀM) ≠ 0, or with a_iᵀYw_i = [i ="
            " j] and tr(YᵀM) ≠ 0, −1, proves that no set S satisfies W_down[:, S] W_up[S, :] = −M; for N "
            "≤ d² generic weights always have one.",
        ),
        Claim(
            "x5",
            "ext:canonical-form",
            "X5",
            "Two ungated networks, with linear skips and any units, are the same function if and only if "
            "their canonical forms are equal.",
        ),
        Claim(
            "x6",
            "ext:depth-analytic",
            "X6",
            "For σ real-analytic and no polynomial and almost every θ, a composition of L residual blocks "
            "of width N equals no composition of residual-free blocks with k_H < 2dLN; so, at L ≥ 2, none of "
            "the same widths and depth.",
        ),
        Claim(
            "x7a",
            "ext:narrow",
            "X7a",
            "If every I + W_down[:, S] W_up[S, :] of every block of a residual ReLU composition is "
            "invertible, as for almost all weights, no residual-free composition whose first block has fewer "
            "than 2d units equals it, whatever its depth and its other widths.",
        ),
        Claim(
            "x7b",
            "ext:visible",
            "X7b",
            "For d ≥ 2 and almost every residual ReLU composition the functional dimension is at least "
            "(2d − 1)·#visible; if that exceeds k_H − ΣN'_i, almost surely no residual-free composition of "
            "widths N'_i equals it.",
        ),
        Claim(
            "x7c",
            "ext:fold",
            "X7c",
            "For d = 2, N ≥ 4 and L ≥ 8N − 15 the residual ReLU compositions of width N and depth L that "
            "equal a residual-free one of the same width and depth contain a nonempty open set.",
        ),
        Claim(
            "d1",
            "ext:d1",
            "Remark D1",
            "d units with independent rows, split into opposed pairs, add any linear map to an MLP; alone, "
            "a linear map of rank ρ takes 2ρ units and no fewer.",
        ),
        Claim(
            "d2",
            "ext:d2",
            "Remark D2",
            "At N ≫ d almost no weights satisfy (3): each set S imposes d² equations that are independent "
            "at every solution, so width adds subsets and not freedom.",
        ),
        Claim(
            "d3",
            "ext:d3",
            "Remark D3",
            "A transformer without normalisation is the same function in every basis of its residual "
            "stream: Q ∈ GL(d) acts on all that reads or writes it.",
        ),
        Claim(
            "d4",
            "ext:d4",
            "Remark D4",
            "For generic gain and bias LN(Mx) = M LN(x) forces M = I; RMSNorm commutes with 0 and with the "
            "orthogonal M that mix only coordinates of equal gain, and with no other.",
        ),
        Claim(
            "d5",
            "ext:d5",
            "Remark D5",
            "Permuting units, and for ReLU positive rescaling, keep the function of an MLP; negating the "
            "rows in S keeps it iff W_down[:, S] W_up[S, :] = 0, so almost never unless S = ∅.",
        ),
        Claim(
            "d6",
            "ext:d6",
            "Remark D6",
            "Compositions of skip-free GELU-like blocks of width N ≥ d have any derivative at the origin, "
            "the identity and that of residual compositions included.",
        ),
        Claim(
            "d7",
            "ext:d7",
            "Remark D7",
            "Propositions 1 and 2 hold at unequal widths: no number of units in V makes up for the skip.",
        ),
        Claim(
            "d8",
            "ext:d8",
            "Remark D8",
            "A residual ungated block can be within any tolerance of a skip-free one of its width, on a "
            "ball, and equal none of that width.",
        ),
        Claim(
            "hypotheses",
            "ext:hypotheses",
            "Hypotheses",
            "Without any one of the hypotheses of Propositions 1, 2 and 8(i), Theorem 4 and Lemmas 6 and 7 "
            "there is a small example in which the statement fails.",
        ),
        Claim(
            "architectures",
            "ext:architectures",
            "Architectures",
            "The feedforward blocks of the named architectures absorb no skip at equal width: almost none "
            "if ungated, none if gated or homogeneous; the same on n streams with an invertible mixing "
            "matrix.",
        ),
    )
}


def run_claim(id: str, *, cases: int, dims: Sequence[tuple[int, int]], seed: int = 0) -> dict[str, Any]:
    """Check one statement and return its result, valid under ``claim.schema.json``.

    Parameters
    ----------
    id
        A key of `CLAIMS`.
    cases
        How many random instances to try.
    dims
        The sizes (d, N) to draw them at, 2 <= d <= N, taken in turn.
    seed
        Together with the claim's name and a case's number it determines the case.

    Raises
    ------
    InvalidInput
        For an unknown claim, or sizes that do not satisfy the above. A check that breaks down in any other
        way is a result: verdict UNKNOWN, with the error as what was found.
    """
    if id not in CLAIMS:
        raise InvalidInput("claim", f"be one of {', '.join(CLAIMS)}", id)
    if isinstance(cases, bool) or not isinstance(cases, int) or cases < 1:
        raise InvalidInput("cases", "be an integer of at least 1", cases)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput("seed", "be an integer of at least 0", seed)
    sizes = _sizes(dims)
    claim = CLAIMS[id]
    module = import_module(claim.module)
    from skip_absorption.results.provenance import versions

    started = perf_counter()
    try:
        report: Report = module.check(cases=cases, dims=sizes, seed=seed)
        outcome = _outcome(report)
    except Exception as error:  # a broken check must end as a red result in the paper, not as a missing file
        _log.exception("the check of %s broke down", claim.title)
        message = " ".join(str(error).split())
        outcome = {
            "cases": 0,
            "controls": [],
            "verdict": "UNKNOWN",
            "found": f"the check broke down: {type(error).__name__}: {message}",
            "expected": "a complete check",
        }
    return {
        "id": claim.id,
        "label": claim.label,
        "title": claim.title,
        "statement": claim.statement,
        "hypotheses": list(module.HYPOTHESES),
        "method": module.METHOD,
        "evidence": module.EVIDENCE,
        **outcome,
        "seconds": perf_counter() - started,
        "seed": [seed],
        "versions": versions(),
    }


def _sizes(dims: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    sizes = []
    for pair in dims:
        numbers = list(pair) if isinstance(pair, Sequence) else []
        whole = all(isinstance(x, int) and not isinstance(x, bool) for x in numbers)
        if len(numbers) != 2 or not whole or not 2 <= numbers[0] <= numbers[1]:
            raise InvalidInput("dims", "hold pairs (d, N) with 2 <= d <= N", pair)
        sizes.append((numbers[0], numbers[1]))
    if not sizes:
        raise InvalidInput("dims", "hold at least one pair (d, N)", dims)
    return sizes


def _outcome(report: Report) -> dict[str, Any]:
    verdict = report.verdict.value
    return {
        "cases": report.cases,
        "controls": [{"name": c.name, "rejected": c.rejected} for c in report.controls],
        "verdict": PROVED_ON_CASES if verdict == "PROVED" else verdict,
        "found": report.found,
        "expected": report.expected,
    }


def passed(result: Mapping[str, Any]) -> bool:
    """Whether a result counts as a pass: proved on its cases, two controls or more, each rejected."""
    return status(result) == "pass"


def summary_line(result: Mapping[str, Any]) -> str:
    """Return the line that a claim ends in: title, found, expected, PASS or FAIL, seconds."""
    failed = [control["name"] for control in result["controls"] if not control["rejected"]]
    parts = [
        result["title"],
        f"found {result['found']}",
        f"expected {result['expected']}",
        *(f"control not rejected: {name}" for name in failed),
        "PASS" if passed(result) else f"FAIL ({result['verdict']})",
        f"{result['seconds']:.1f} s",
    ]
    return " · ".join(parts)


def verdict_row(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim's row of the table ``verdicts``."""
    copied = ("label", "title", "evidence", "cases", "verdict", "found", "expected", "seconds")
    return {
        "claim": result["id"],
        **{key: result[key] for key in copied},
        "controls": len(result["controls"]),
        "rejected": sum(control["rejected"] for control in result["controls"]),
        "passed": passed(result),
    }
