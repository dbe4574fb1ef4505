"""How compositions with and without skips scale along a ray (Corollary 3): |H(tx)|/|F(tx)| against t.

F(tx) is t times the product of the skips to leading order, and H(tx) has order t^(k^L): the exponent of the
ratio is k^L − 1. Gated blocks with g(0) = 0 and g'(0) ≠ 0 behave as if k = 2. Where k < 1 the limit is t → ∞.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.claims.compositions import FAMILIES
from skip_absorption.measures import gaussian, generator
from skip_absorption.networks.blocks import Composition, Residual

if TYPE_CHECKING:
    import pandas as pd

EXPERIMENT = "depth_scaling"
KINDS = {"relu_squared": "ReLU²", "swiglu": "gate silu", "relu_root": "√ReLU"}
"""The activations drawn, by their names in the table, and the families of `claims.compositions` they are."""

_POINTS = 41
_DECADES = {"relu_squared": 3, "swiglu": 3, "relu_root": 6}


def run(d: int, n: int, *, depths: Sequence[int], seed: int = 0) -> pd.DataFrame:
    """Return the rows of ``depth_scaling``: random Gaussian weights, scaled to order one, at one random ray.

    Parameters
    ----------
    d, n
        Input dimension and hidden width of all blocks.
    depths
        The numbers L of blocks, the same for both compositions.
    """
    import pandas as pd

    families, rows = {family.name: family for family in FAMILIES}, []
    for activation, name in KINDS.items():
        family = families[name]
        degree = float(family.degree) if family.degree is not None else 2.0
        for depth in depths:
            rng = generator(EXPERIMENT, f"{activation}/{d}/{n}/{depth}", seed)
            blocks = [
                [
                    family.build(
                        gaussian((n, d), rng=rng) / d**0.5,
                        gaussian((n, d), rng=rng) / d**0.5,
                        gaussian((d, n), rng=rng) / n**0.5,
                    )
                    for _ in range(depth)
                ]
                for _ in range(2)
            ]
            residual, plain = Composition([Residual(b) for b in blocks[0]]), Composition(blocks[1])
            direction = gaussian((d,), rng=rng)
            sign = 1 if degree < 1 else -1
            for t in np.logspace(0, sign * _DECADES[activation], _POINTS).tolist():
                point = t * direction
                ratio = np.linalg.norm(plain.float(point)) / np.linalg.norm(residual.float(point))
                rows.append(
                    {
                        "activation": activation,
                        "L": depth,
                        "t": t,
                        "ratio": float(ratio),
                        "slope": degree**depth - 1,
                    }
                )
    return pd.DataFrame(rows)
