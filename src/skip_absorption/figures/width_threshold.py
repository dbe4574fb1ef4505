"""Figure: best held-out loss against the number of extra units, one line a target, one panel a size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skip_absorption.figures import names, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUCCESS_FLOOR = 1e-20
"""Losses below it count as zero; the same number as in the experiment (a test compares them)."""

_SMALLEST = 1e-34  # a loss of exactly zero is drawn here, since the axis is logarithmic


def plot(table: pd.DataFrame) -> Figure:
    """Draw the random targets of the table ``width_threshold``.

    Parameters
    ----------
    table
        Columns ``activation``, ``d``, ``N``, ``target``, ``extra``, ``linear_terms``, ``width_minus_N`` and
        ``best_heldout``.

    Returns
    -------
    Figure
        One row of panels a size (d, N), one column an activation. The vertical line marks N + d units, the
        width at which Proposition 8 lets the loss vanish. A cross one unit before it is a fit with N + d − 2
        units and a free linear term of rank one.
    """
    table = table[table["extra"] == table["d"]]
    activations = names.in_order(table["activation"], names.ACTIVATIONS)
    sizes = sorted(set(zip(table["d"], table["N"], strict=True)))
    targets = table.groupby(["activation", "d", "N"])["target"].nunique().max()
    with style.paper_style():
        fig = style.figure(height=0.55 + (1.65 if len(sizes) < 3 else 1.12) * len(sizes))
        axes = fig.subplots(len(sizes), len(activations), sharey=True, squeeze=False)
        for row, (d, n) in enumerate(sizes):
            for column, activation in enumerate(activations):
                panel = table[(table["activation"] == activation) & (table["d"] == d) & (table["N"] == n)]
                _draw_panel(axes[row, column], panel, int(d))
            axes[row, 0].set_ylabel(f"$d={d}$, $N={n}$\nheld-out loss")
        for ax, activation in zip(axes[0], activations, strict=True):
            ax.set_title(names.ACTIVATIONS.get(activation, activation))
        fig.supxlabel(f"extra units $m-N$ ({targets} targets in each panel)", fontsize=9)
    return fig


def _draw_panel(ax: Axes, panel: pd.DataFrame, d: int) -> None:
    ax.axvline(d, color="0.55", linewidth=0.8, zorder=1)
    ax.axhline(SUCCESS_FLOOR, color="0.35", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    for index, (_, line) in enumerate(panel.sort_values("width_minus_N").groupby("target", sort=True)):
        colour = style.PALETTE[index % len(style.PALETTE)]
        losses = line["best_heldout"].clip(lower=_SMALLEST)
        plain = line["linear_terms"] == 0
        ax.semilogy(
            line.loc[plain, "width_minus_N"],
            losses[plain],
            color=colour,
            marker=style.MARKERS[index % len(style.MARKERS)],
            markerfacecolor="white",
            markeredgewidth=0.8,
            alpha=0.95,
            zorder=2,
        )
        ax.semilogy(
            line.loc[~plain, "width_minus_N"] + 1.3,
            losses[~plain],
            "x",
            color=colour,
            markersize=3.5,
            zorder=2,
        )
    if len(panel):
        ax.set_xticks(range(int(panel["width_minus_N"].min()), int(panel["width_minus_N"].max()) + 1))
    ax.set_ylim(_SMALLEST, 1e2)
    ax.set_yticks([10.0**k for k in range(-30, 1, 10)])
    ax.minorticks_off()
    ax.annotate(
        "$N+d$",
        (d, 1.0),
        xycoords=ax.get_xaxis_transform(),
        xytext=(3, -2),
        textcoords="offset points",
        va="top",
        fontsize=7,
    )
