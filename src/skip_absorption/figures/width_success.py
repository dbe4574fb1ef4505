"""Figure: which widths are fitted, against the exact k*; and the fitted threshold against the exact one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skip_absorption.figures import style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``width_threshold``, all activations and sizes together.

    Returns
    -------
    Figure
        Left, the share of targets fitted with m units, by m − N and k*: the number in a cell says how many of
        how many. Right, the least fitted width against the least possible one, both minus N.
    """
    table = table[table["linear_terms"] == 0]
    with style.paper_style():
        fig = style.figure(height=2.5)
        left, right = fig.subplots(1, 2, width_ratios=(1.75, 1))
        _draw_shares(left, table)
        _draw_thresholds(right, table)
    return fig


def _draw_shares(ax: Axes, table: pd.DataFrame) -> None:
    import numpy as np

    groups: Any = table.groupby(["extra", "width_minus_N"])["success"]
    fitted, tried = groups.sum().astype(int), groups.size()
    rows, columns = (range(int(table[name].min()), int(table[name].max()) + 1) for name in tried.index.names)
    shares = np.full((len(rows), len(columns)), np.nan)
    for (extra, more), count in tried.items():
        share = shares[extra - rows[0], more - columns[0]] = fitted[extra, more] / count
        ax.text(
            more,
            extra,
            f"{fitted[extra, more]}/{count}",
            ha="center",
            va="center",
            fontsize=6,
            color="white" if share > 0.5 else "black",
        )
    extent = (columns[0] - 0.5, columns[-1] + 0.5, rows[0] - 0.5, rows[-1] + 0.5)
    shades = ax.imshow(shares, origin="lower", extent=extent, cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    edges = [x for extra in rows for x in (extra - 0.5, extra - 0.5)]
    heights = [y for extra in rows for y in (extra - 0.5, extra + 0.5)]
    ax.plot(edges, heights, color=style.PALETTE[1], linewidth=1.4)
    ax.set(xlabel="extra units $m-N$", ylabel="exact $k^*$", xlim=extent[:2], ylim=extent[2:])
    ax.set(xticks=list(columns), yticks=list(rows))
    ax.set_title("targets fitted (line: $m=N+k^*$)")
    ax.figure.colorbar(shades, ax=ax, ticks=[0, 0.5, 1], boundaries=np.linspace(0, 1, 41), pad=0.02)


def _draw_thresholds(ax: Axes, table: pd.DataFrame) -> None:
    keys = ["activation", "d", "N", "target", "extra"]
    least: Any = table[table["success"]].groupby(keys)["width_minus_N"].min()
    never = table.groupby(keys).size().index.difference(least.index)
    pairs: Any = least.reset_index().groupby(["extra", "width_minus_N"]).size()
    top = int(table["extra"].max())
    ax.plot([-0.5, top + 0.5], [-0.5, top + 0.5], color="0.6", linewidth=0.8, zorder=1)
    for (extra, fitted), count in pairs.items():
        agrees = extra == fitted
        ax.plot(
            extra,
            fitted,
            "o" if agrees else "X",
            color=style.PALETTE[0] if agrees else style.PALETTE[1],
            markersize=5,
            zorder=2,
        )
        ax.annotate(
            str(count), (extra, fitted), xytext=(5, -8), textcoords="offset points", fontsize=7, color="0.2"
        )
    missed = int(pairs[[extra != fitted for extra, fitted in pairs.index]].sum()) + len(never)
    targets = len(least) + len(never)
    ax.set_title(f"{targets - missed} of {targets} targets agree")
    if missed:
        note = f"{missed} above or never: no start\nof the search found the fit"
        ax.annotate(note, (0.03, 0.97), xycoords="axes fraction", va="top", fontsize=6.5)
    ax.set(xlabel="exact $k^*$", ylabel="least fitted $m-N$")
    ax.set(xticks=range(top + 1), yticks=range(top + 2), xlim=(-0.5, top + 0.7), ylim=(-0.6, top + 1.2))
