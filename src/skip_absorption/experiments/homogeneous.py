"""How near do wide homogeneous blocks without a skip come to one with it? Compared with the bound of X3.

For blocks of degree k ≠ 1 some point of every segment from 0 to x has an error of at least c_k |x|, at any
width. The least error that is possible on the unit ball belongs to a difference of −λ|x|^{k−1} x. Here that
difference is fitted, by least squares in the columns over rows of the target and random rows, so the errors
show how near the bound one gets; no fit can pass it.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skip_absorption.claims.homogeneous import REGLU, RELU_SQUARED, Kind
from skip_absorption.errors import InvalidInput
from skip_absorption.measures import gaussian, generator

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

EXPERIMENT = "homogeneous"
KINDS = {"relu_squared": RELU_SQUARED, "reglu": REGLU}
"""The blocks tried, all of degree > 1."""

_POINTS = 1500
_SEGMENT = np.linspace(0.0, 1.0, 1001)  # the error of a degree above 1 is greatest at 1 or well inside


def run_size(d: int, n: int, *, targets: int, factors: Sequence[int], seed: int = 0) -> pd.DataFrame:
    """Return rows of ``homogeneous`` for random targets of width N.

    Parameters
    ----------
    d, n
        Input dimension and width of the targets.
    factors
        The fits have these multiples of N for widths.
    """
    import pandas as pd

    if min(factors) < 1:
        raise InvalidInput("factors", "be at least 1", min(factors))
    rows = []
    for name, kind in KINDS.items():
        for target in range(targets):
            rng = generator(EXPERIMENT, f"{name}/{d}/{n}/{target}", seed)
            gate, value = gaussian((n, d), rng=rng), gaussian((n, d), rng=rng)
            down = gaussian((d, n), rng=rng)
            points = [gaussian((_POINTS, d), rng=rng) for _ in range(2)]
            spheres = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in points]
            for factor in factors:
                started = perf_counter()
                more = (factor - 1) * n
                gates, values = (np.concatenate([x, gaussian((more, d), rng=rng)]) for x in (gate, value))
                columns = _columns(kind, (gates, values), (gate, value, down), spheres[0])
                difference = _features(kind, gate, value, spheres[1]) @ down.T
                difference -= _features(kind, gates, values, spheres[1]) @ columns
                errors = segment_errors(spheres[1], difference, float(kind.k))
                bound = float(kind.constant())
                rows.append(
                    {
                        "activation": name,
                        "d": d,
                        "N": n,
                        "target": target,
                        "width": factor * n,
                        "greatest": float(errors.max()),
                        "least": float(errors.min()),
                        "bound": bound,
                        "seconds": perf_counter() - started,
                    }
                )
    return pd.DataFrame(rows)


def segment_errors(directions: Floats, difference: Floats, k: float) -> Floats:
    """Return for each unit vector u the greatest |t u + t^k f(u)| over t in [0, 1].

    Parameters
    ----------
    directions, difference
        The vectors u and the values f(u), shape (P, d), of a homogeneous f of degree k.
    """
    inner = (directions * difference).sum(axis=1)[:, None]
    size = (difference**2).sum(axis=1)[:, None]
    squares = _SEGMENT**2 + 2 * _SEGMENT ** (1 + k) * inner + _SEGMENT ** (2 * k) * size
    greatest: Floats = np.sqrt(squares.max(axis=1))
    return greatest


def _features(kind: Kind, gates: Floats, values: Floats, x: Floats) -> Floats:
    return kind.build(gates, values, np.eye(len(gates))).float(x)


def _columns(
    kind: Kind, rows: tuple[Floats, Floats], target: tuple[Floats, Floats, Floats], x: Floats
) -> Floats:
    """Return the columns for which target − fit is nearest to −λ x on the sphere, in least squares."""
    gate, value, down = target
    wanted = _features(kind, gate, value, x) @ down.T + (1 + float(kind.constant())) * x
    found = np.linalg.lstsq(_features(kind, *rows, x), wanted, rcond=1e-12)[0]
    return np.asarray(found, dtype=np.float64)
