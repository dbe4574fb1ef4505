"""Figure: how near random networks come to absorbing their skip, against N/d, with proved bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skip_absorption.figures import names, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``distance``: one panel a measure, one line an input dimension.

    Returns
    -------
    Figure
        The least norm divided by that of the identity, √d. Lines join the means of the upper bounds; bars
        reach from the mean lower bound to the mean upper bound; bands from quartile to quartile of the
        upper bounds.
    """
    measures = names.in_order(table["measure"], names.MEASURES)
    with style.paper_style():
        fig = style.figure(height=2.7)
        axes = fig.subplots(1, len(measures), sharey=True, squeeze=False)[0]
        for ax, measure in zip(axes, measures, strict=True):
            _draw_measure(ax, table[table["measure"] == measure])
            ax.set_title(f"{names.measure(measure)} weights")
        axes[0].set_ylabel("least $\\|W_{down}[:,S]\\,W_{up}[S,:]+I\\|_F\\;/\\sqrt{d}$")
        draws = table.groupby(["measure", "d", "N"]).size().max()
        axes[0].legend(frameon=False, title=f"{draws} networks a point", title_fontsize=8, loc="lower left")
    return fig


def _draw_measure(ax: Axes, rows: pd.DataFrame) -> None:
    for index, d in enumerate(sorted(set(rows["d"]))):
        scale = float(d) ** 0.5
        groups: Any = rows[rows["d"] == d].groupby("N")
        ratios = [n / d for n in groups.groups]
        upper, lower = (groups[name].mean() / scale for name in ("upper", "lower"))
        colour = style.PALETTE[index % len(style.PALETTE)]
        ax.plot(
            ratios,
            upper,
            color=colour,
            marker=style.MARKERS[index % len(style.MARKERS)],
            markerfacecolor="white",
            label=f"$d={d}$",
        )
        ax.vlines(ratios, lower, upper, color=colour, linewidth=2.2, alpha=0.7)
        low, high = (groups["upper"].quantile(q) / scale for q in (0.25, 0.75))
        ax.fill_between(ratios, low, high, color=colour, alpha=0.12, linewidth=0)
    ax.set_xscale("log", base=2)
    ax.set_xticks(sorted(set(rows["N"] / rows["d"])))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    ax.set(xlabel="$N/d$", ylim=(0, 1.05))
