"""Figure: exact least widths: as predicted for four families, and their distribution for random measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skip_absorption.figures import names, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZES = 3  # panels of distributions


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``minimal_width``.

    Returns
    -------
    Figure
        Above, the least width minus N against the predicted k*, one panel a family, with the number of
        networks. Below, for the sizes with the most different values, the share of each least width minus N
        among the networks of each random measure; undecided networks are hatched.
    """
    known = table[table["family"].isin(names.FAMILIES)]
    measured = table[~table["family"].isin(names.FAMILIES)]
    families = names.in_order(known["family"], names.FAMILIES)
    measures = names.in_order(measured["family"], names.MEASURES)
    with style.paper_style():
        fig = style.figure(height=2.8 + 0.17 * len(measures))
        halves: Any = fig.subfigures(2, 1, height_ratios=(1.8, 1.0 + 0.17 * len(measures)))
        above, below = halves
        axes = above.subplots(1, len(families), sharey=True, sharex=True, squeeze=False)[0]
        top = max(int(x) for name in ("predicted", "upper") for x in known[name])
        for ax, family in zip(axes, families, strict=True):
            _draw_family(ax, known[known["family"] == family], top)
            ax.set_title(names.FAMILIES[family], fontsize=8)
        axes[0].set_ylabel("least width $-\\,N$")
        above.supxlabel("predicted $k^*$", fontsize=9)
        _draw_measures(below, measured, measures)
    return fig


def _draw_family(ax: Axes, rows: pd.DataFrame, top: int) -> None:
    ax.plot([-0.5, top + 0.5], [-0.5, top + 0.5], color="0.6", linewidth=0.8, zorder=1)
    counts: Any = rows.groupby(["predicted", "lower", "upper"])["count"].sum()
    for (predicted, lower, upper), count in counts.items():
        agrees = predicted == lower == upper
        ax.plot(
            [predicted, predicted],
            [lower, upper],
            "o" if agrees else "X-",
            color=style.PALETTE[0] if agrees else style.PALETTE[1],
            markersize=4.5,
            zorder=2,
        )
        place: Any = {"xytext": (3, -8), "textcoords": "offset points", "fontsize": 6.5, "color": "0.2"}
        ax.annotate(str(count), (predicted, upper), **place)
    ax.set(xticks=range(top + 1), yticks=range(top + 1), xlim=(-0.5, top + 1.2), ylim=(-0.8, top + 0.7))


def _draw_measures(fig: Any, rows: pd.DataFrame, measures: list[str]) -> None:
    import matplotlib as mpl

    sizes = _varied_sizes(rows)
    axes = fig.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
    low, high = int(rows["upper"].min()), int(rows["upper"].max())
    colours = mpl.colormaps["cividis"].resampled(max(2, high - low + 1))
    for ax, (d, n) in zip(axes, sizes, strict=True):
        for place, measure in enumerate(reversed(measures)):
            part = rows[(rows["family"] == measure) & (rows["d"] == d) & (rows["N"] == n)]
            start = 0.0
            for row in part.sort_values("upper").to_dict("records"):
                share = row["count"] / row["draws"]
                look = {"color": colours(int(row["upper"]) - low), "edgecolor": "white", "linewidth": 0.3}
                hatch = None if row["lower"] == row["upper"] else "////"
                ax.barh(place, share, left=start, height=0.8, hatch=hatch, **look)
                start += share
        ax.set(title=f"$d={d}$, $N={n}$", xlim=(0, 1), xticks=[0, 0.5, 1])
        ax.xaxis.set_major_formatter("{x:g}")
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks(range(len(measures)), map(names.measure, reversed(measures)), fontsize=7)
    fig.supxlabel(f"share of {int(rows['draws'].max())} networks each", fontsize=9)
    norm = mpl.colors.BoundaryNorm([x - 0.5 for x in range(low, high + 2)], colours.N)
    shades = mpl.cm.ScalarMappable(norm, colours)
    bar = fig.colorbar(shades, ax=list(axes), ticks=range(low, high + 1), fraction=0.04, pad=0.02)
    bar.set_label("least width $-\\,N$")
    bar.minorticks_off()


def _varied_sizes(rows: pd.DataFrame) -> list[tuple[int, int]]:
    """Return the sizes at which the least width takes the most values, in order."""
    variety = rows.groupby(["d", "N"])["upper"].nunique().sort_values(ascending=False, kind="stable")
    return sorted((int(d), int(n)) for d, n in variety.index[:_SIZES])
