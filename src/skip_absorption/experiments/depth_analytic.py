"""Certified ranks of residual compositions, beside the count and the rank of residual-free ones (X6).

First the prover writes certificates; then each is read back and re-checked, and the table says what came of
it. A rank in the column ``certified`` is proved for that σ and these sizes, at one θ and so at almost every
θ; the columns with ``numerical`` in their names come from singular values in floats and prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from skip_absorption.depth.analytic import draw_layers, draw_points, numerical_rank, prove_rank
from skip_absorption.depth.certificate import from_json, to_json
from skip_absorption.depth.checker import check
from skip_absorption.depth.counts import (
    naive_dimension,
    plain_dimension,
    residual_dimension,
    skip_dimension,
)
from skip_absorption.depth.jacobian import float_jacobian
from skip_absorption.exact.rational import ExactArray, identity, rank, to_fractions
from skip_absorption.measures import generator, integers
from skip_absorption.networks.activations import activation

if TYPE_CHECKING:
    import pandas as pd

EXPERIMENT = "depth_analytic"
ACTIVATIONS = ("gelu", "gelu_tanh", "silu")

_MORE_POINTS = 3  # values for each weight where a rank is estimated
_DRAWS = 5  # of weights, before a rank is left uncertified


@dataclass(frozen=True)
class Case:
    """One kind of composition: its widths and the ranks of its skips, block by block."""

    family: str
    d: int
    widths: tuple[int, ...]
    ranks: tuple[int, ...]


def cases(sizes: Sequence[Sequence[int]]) -> Iterator[Case]:
    """Yield the compositions at sizes (d, N, L): equal widths, then mixed ones and skips of lower rank."""
    for d, n, depth in sizes:
        family = "identity" if n >= d else "narrow"
        yield Case(family, d, (n,) * depth, (d,) * depth)
    d, n, depth = next((size for size in sizes if size[1] > size[0] > 1), (2, 3, 2))
    yield Case("mixed", d, (d - 1, *(n,) * (depth - 1)), (d,) * depth)
    yield Case("mixed", d, (n, *(d,) * (depth - 1)), (d,) * depth)
    yield Case("invertible", d, (n,) * depth, (d,) * depth)
    yield Case("singular", d, (n,) * depth, (d - 1,) * depth)
    yield Case("singular", d, (n,) * depth, (0, *(d - 1,) * (depth - 1)))
    yield Case("singular", d, (n,) * depth, (0,) * depth)


def prove_cases(sizes: Sequence[Sequence[int]], *, seed: int = 0) -> dict[str, Any]:
    """Look for a certificate in each case and with each activation; None where none was found."""
    proved = []
    for case in cases(sizes):
        for act in ACTIVATIONS:
            started = perf_counter()
            rng = generator(EXPERIMENT, f"{act}/{case}", seed)
            for _ in range(_DRAWS):
                skips = [_skip(case, r, rng=rng) for r in case.ranks]
                layers, bound = draw_layers(case.d, case.widths, rng=rng, skips=skips), _bound(case, skips)
                found = prove_rank(layers, act, bound, rng=rng)
                if found is not None:
                    break
            proved.append(
                {
                    "family": case.family,
                    "activation": act,
                    "d": case.d,
                    "widths": list(case.widths),
                    "ranks": list(case.ranks),
                    "bound": bound,
                    "seconds": perf_counter() - started,
                    "certificate": None if found is None else to_json(found),
                }
            )
            print(f"{act}, {case}: {'certified' if found else 'UNKNOWN'}", flush=True)
    return {"cases": proved}


def _bound(case: Case, skips: Sequence[ExactArray | None]) -> int:
    """Return the rank that is possible: all weights, or what singular skips leave; see `skip_dimension`."""
    if min(case.ranks) == case.d:
        return residual_dimension(case.d, case.widths)
    return skip_dimension(case.d, case.widths, skips)


def _skip(case: Case, r: int, *, rng: np.random.Generator) -> ExactArray | None:
    """Return the identity, an integer matrix of rank r, or None for 0."""
    if r == 0:
        return None
    if case.family not in ("invertible", "singular"):
        return to_fractions(identity(case.d))
    while True:
        left, right = integers((case.d, r), rng=rng, bound=2), integers((r, case.d), rng=rng, bound=2)
        if rank(left @ right) == r:
            return to_fractions(left @ right)


def table(proved: Mapping[str, Any], *, seed: int = 0) -> pd.DataFrame:
    """Re-check the certificates and return the rows of ``depth_analytic``."""
    import pandas as pd

    return pd.DataFrame([_row(entry, seed) for entry in proved["cases"]])


def _row(entry: Mapping[str, Any], seed: int) -> dict[str, Any]:
    started = perf_counter()
    case = Case(entry["family"], entry["d"], tuple(entry["widths"]), tuple(entry["ranks"]))
    certificate, act, d, widths = entry["certificate"], entry["activation"], case.d, case.widths
    outcome = None if certificate is None else check(certificate)
    rechecked = outcome is not None and outcome.accepted and _is_about(case, entry)
    low, high = (None, None) if certificate is None else map(float, certificate["log10_determinant"])
    rng = generator(EXPERIMENT, f"ranks/{act}/{case}", seed)
    skips = [_skip(case, r, rng=rng) for r in case.ranks]
    plain = draw_layers(d, widths, rng=rng, skips=[None] * len(widths), small=1.5)
    ranks = {}
    for name, layers in (("residual", draw_layers(d, widths, rng=rng, skips=skips)), ("plain", plain)):
        points = draw_points(_MORE_POINTS * residual_dimension(d, widths) // d + 1, d, rng=rng)
        ranks[name] = numerical_rank(float_jacobian(layers, points, activation(act)))
    return {
        "family": case.family,
        "activation": act,
        "d": d,
        "widths": " ".join(map(str, widths)),
        "ranks": " ".join(map(str, case.ranks)),
        "L": len(widths),
        "parameters": residual_dimension(d, widths),
        "bound": entry["bound"],
        "k_H": plain_dimension(d, widths),
        "naive": naive_dimension(d, widths),
        "numerical_residual": ranks["residual"],
        "numerical_plain": ranks["plain"],
        "certified": outcome.rank if outcome is not None and rechecked else None,
        "log10_low": low,
        "log10_high": high,
        "bits": None if certificate is None else certificate["bits"],
        "rechecked": rechecked,
        "seconds": entry["seconds"] + perf_counter() - started,
    }


def _is_about(case: Case, entry: Mapping[str, Any]) -> bool:
    """Whether a sound certificate is one of its case, and the bound that of its skips."""
    found = from_json(entry["certificate"])
    skips = [None if block.skip is None else np.array(block.skip, dtype=object) for block in found.blocks]
    return (
        found.activation == entry["activation"]
        and len(found.points[0]) == case.d
        and tuple(len(block.w_up) for block in found.blocks) == case.widths
        and tuple(0 if skip is None else rank(skip) for skip in skips) == case.ranks
        and _bound(case, skips) == entry["bound"]
    )
