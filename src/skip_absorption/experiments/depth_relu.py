"""Random ReLU compositions: visible units, functional dimension, and how many provably absorb no skip (X7b).

Regions and visible units are exact; ranks are taken modulo a prime, which can only lower them, and over Q
where they fall short. And the table behind the drawing of a fold (X7c): images of the unit circle under a
residual-free composition, which is shown to equal a residual one on every sector.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import atan2, cos, pi, sin
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from skip_absorption.depth.folding import fold_box, padded, unfolded
from skip_absorption.depth.functional_dimension import total_dimension
from skip_absorption.depth.relu_fan import Vector, differing_sectors, fan
from skip_absorption.depth.relu_regions import ReluNetwork, regions
from skip_absorption.depth.relu_visible import relu_plain_dimension, visible_bound
from skip_absorption.distributions import distribution
from skip_absorption.errors import Undecided
from skip_absorption.exact.residues import random_prime
from skip_absorption.experiments.random_measures import clopper_pearson
from skip_absorption.measures import generator

if TYPE_CHECKING:
    import pandas as pd

EXPERIMENT = "depth_relu"
_ARC = 12  # points drawn in a sector of the fold
_LIFT = Fraction(1, 8)  # of the image of its line, for the eye
_GRID = 1 << 12


def run_size(
    d: int, n: int, depth: int, *, measures: Sequence[str], scales: Sequence[float], draws: int, seed: int = 0
) -> pd.DataFrame:
    """Return rows of ``depth_relu`` for compositions of `depth` blocks of width n on R^d, d = 2 or 3.

    Parameters
    ----------
    measures
        Distributions of the weights, rounded to multiples of 2^−20.
    scales
        Factors on W_down. Those on W_up would do the same, since ReLU is homogeneous.
    draws
        Compositions of each measure and scale, each pair with a stream of its own.
    """
    import pandas as pd

    rows = []
    for measure in measures:
        for scale in scales:
            rng = generator(EXPERIMENT, f"{measure}/{d}/{n}/{depth}/{scale:g}", seed)
            cell = {"measure": measure, "d": d, "N": n, "L": depth, "scale": float(scale)}
            rows.append(cell | _counts(measure, d, n, depth, scale=scale, draws=draws, rng=rng))
            print(
                f"{measure} × {scale:g}: {rows[-1]['excluded']} of {draws} excluded, "
                f"{rows[-1]['violations']} violations",
                flush=True,
            )
    return pd.DataFrame(rows)


def _counts(
    measure: str, d: int, n: int, depth: int, *, scale: float, draws: int, rng: np.random.Generator
) -> dict[str, Any]:
    started, p = perf_counter(), random_prime(rng=rng)
    up, down = distribution(measure).draw((draws * depth, d, n), rng)
    seen, dimensions = np.zeros(draws, dtype=np.int64), np.zeros(draws, dtype=np.int64)
    for k in range(draws):
        part = slice(k * depth, (k + 1) * depth)
        network = ReluNetwork.rounded(up[part], scale * down[part])
        found = regions(network)
        seen[k] = found.visible.sum()
        dimensions[k] = total_dimension(network, found, p=p)
    limit = relu_plain_dimension(d, [n] * depth)
    bounds = visible_bound(d, 1) * seen
    excluded = int((bounds > limit).sum())
    low, high = clopper_pearson(excluded, draws)
    return {
        "draws": draws,
        "visible": float(seen.mean()),
        "all_visible": int((seen == n * depth).sum()),
        "dimension_least": int(dimensions.min()),
        "dimension_median": float(np.median(dimensions)),
        "violations": int((dimensions < bounds).sum()),
        "plain_dimension": limit,
        "excluded": excluded,
        "fraction": excluded / draws,
        "low": low,
        "high": high,
        "by_dimension": int((dimensions > limit).sum()),
        "seconds": perf_counter() - started,
    }


def run_fold(n: int, *, seed: int = 0) -> pd.DataFrame:
    """Return the table ``fold`` for a random fold of width n that lifts the image of its line visibly.

    Raises
    ------
    Undecided
        If the residual-free composition does not equal the residual one, which its construction excludes.
    """
    import pandas as pd

    rng = generator(EXPERIMENT, f"fold/{n}", seed)
    residual = fold_box(n, rng=rng, lift=_LIFT).inside(rng=rng)
    plain = padded(unfolded(residual[0]), len(residual), n)
    folded = fan(residual)
    differing, count = differing_sectors(folded, fan(plain))
    if differing:
        raise Undecided(f"the fold and its unfolding differ on {len(differing)} of {count} sectors")
    print(f"equal on all {count} sectors, {len(plain)} blocks of width {n}", flush=True)
    points, sectors, rays = _circle(folded.rays)
    rows: list[dict[str, Any]] = []
    values = np.array(points, dtype=object)
    for block in range(len(plain) + 1):
        if block:
            values = plain[block - 1].rational(values)
        for k, (x, y) in enumerate(values.astype(float).tolist()):
            rows.append({"block": block, "point": k, "sector": sectors[k], "ray": rays[k], "x": x, "y": y})
    return pd.DataFrame(rows)


def _circle(rays: Sequence[Vector]) -> tuple[list[Vector], list[int], list[bool]]:
    """Return rational points near the unit circle, on and between the rays, with their sectors."""
    angles = [atan2(float(y), float(x)) for x, y in rays]
    points, sectors, on = [], [], []
    for sector, (start, end) in enumerate(zip(angles, [*angles[1:], angles[0]], strict=True)):
        turn = (end - start) % (2 * pi)
        x, y = rays[sector]
        length = Fraction(round(float(x * x + y * y) ** 0.5 * _GRID), _GRID)
        for step in range(_ARC):
            angle = start + turn * step / _ARC
            between = (Fraction(round(cos(angle) * _GRID), _GRID), Fraction(round(sin(angle) * _GRID), _GRID))
            points.append((x / length, y / length) if step == 0 else between)
            sectors.append(sector)
            on.append(step == 0)
    return points, sectors, on
