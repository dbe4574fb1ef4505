"""Which widths and depths of residual-free compositions are ruled out, and which suffice (X6, X7a)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skip_absorption.depth.counts import is_excluded, plain_dimension, residual_dimension

if TYPE_CHECKING:
    import pandas as pd


def region(sizes: Sequence[Sequence[int]], *, more: int, depths: int) -> pd.DataFrame:
    """Return the rows of ``depth_excluded``.

    Parameters
    ----------
    sizes
        Triples (d, N, L) of residual compositions.
    more
        Widths N' from 1 to N + d + more.
    depths
        Depths L' from 1 to this.

    Notes
    -----
    Ruled out is what counting excludes (X6), and widths below 2d at any depth (X7a, for ReLU and with it for
    GELU and SiLU). Widths from N + d on suffice where L' ≥ L and N ≥ d, for weights with rank W_up = d: by
    Proposition 8(i) block for block, and further blocks of width 2d ≤ N + d pass x on as σ(x) − σ(−x).

    Examples
    --------
    >>> frame = region([(2, 2, 2)], more=0, depths=2)
    >>> frame[frame["depth"] == 2]["status"].tolist()
    ['excluded', 'excluded', 'excluded', 'suffices']
    """
    import pandas as pd

    rows = []
    for d, n, depth in sizes:
        for width in range(1, n + d + more + 1):
            for other in range(1, depths + 1):
                widths, others = [n] * depth, [width] * other
                status = "open"
                if is_excluded(d, widths, others) or width < 2 * d:
                    status = "excluded"
                elif other >= depth and width >= n + d and n >= d:
                    status = "suffices"
                rows.append(
                    {
                        "d": d,
                        "N": n,
                        "L": depth,
                        "width": width,
                        "depth": other,
                        "k_H": plain_dimension(d, others),
                        "parameters": residual_dimension(d, widths),
                        "status": status,
                    }
                )
    return pd.DataFrame(rows)
