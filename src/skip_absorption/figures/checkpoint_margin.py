"""Figure: how near trained blocks come to absorbing their skip, beside random blocks of the same shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skip_absorption.figures import style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KINDS = (("random", "random, same shape", style.PALETTE[0]), ("trained", "trained", style.PALETTE[1]))
_APART = 0.14


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``checkpoint_margin``: one panel a model, blocks across, on a logarithmic scale.

    Returns
    -------
    Figure
        By how much the distance to (3) falls short of 1, that of the empty set. Open markers: for weights in
        [0, 1], no set is nearer; the mean of the random blocks, with a bar over their range. Dashes: the best
        set found, where one is nearer than the empty set, joined to the marker by a thin line.
    """
    models = list(dict.fromkeys(table["model"]))
    with style.paper_style():
        fig = style.figure(height=2.8)
        if not models:
            fig.text(0.5, 0.5, "no checkpoint could be had", ha="center", va="center")
            return fig
        sizes = [table.loc[table["model"] == model, "number"].nunique() for model in models]
        axes = fig.subplots(
            1, len(models), sharey=True, squeeze=False, width_ratios=[max(size, 2) for size in sizes]
        )[0]
        for ax, model in zip(axes, models, strict=True):
            _draw(ax, table[table["model"] == model])
            ax.set_title(model)
        axes[0].set_ylabel("$1-\\|A_S B_S+I\\|_F\\,/\\sqrt{d}$")
        handles, labels = axes[0].get_legend_handles_labels()
        fig.legend(handles, labels, frameon=False, loc="outside lower center", ncols=3)
    return fig


def _draw(ax: Axes, rows: pd.DataFrame) -> None:
    numbers = sorted(set(rows["number"]))
    for index, (kind, label, colour) in enumerate(_KINDS):
        groups = rows[rows["weights"] == kind].groupby("number")
        places = [numbers.index(number) + (2 * index - 1) * _APART for number in groups.groups]
        least, most = 1 - groups["relaxed"].max(), 1 - groups["relaxed"].min()
        ax.vlines(places, least, most, color=colour, linewidth=2.2)
        ax.plot(
            places,
            1 - groups["relaxed"].mean(),
            linestyle="none",
            marker=style.MARKERS[index],
            color=colour,
            markerfacecolor="white",
            label=label,
        )
        sets = 1 - groups["upper"].min().to_numpy()
        found = [(place, low, high) for place, low, high in zip(places, sets, most, strict=True) if low > 0]
        for place, low, high in found:
            ax.vlines(place, low, high, color=colour, linewidth=0.6)
        ax.plot(
            [place for place, *_ in found],
            [low for _, low, _ in found],
            linestyle="none",
            marker="_",
            markersize=6,
            color=colour,
            label="best set found" if kind == "trained" else None,
        )
    ax.set_yscale("log")
    ax.set_xticks(range(len(numbers)), [str(number) for number in numbers])
    ax.set(xlabel="block", xlim=(-0.6, len(numbers) - 0.4))
