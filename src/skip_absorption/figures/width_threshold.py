"""Figure: best held-out loss against the number of extra units, one line a target, one panel a size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skip_absorption.figures import style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUCCESS_FLOOR = 1e-20
"""Losses below it count as zero; the same number as in the experiment (a test compares them)."""

_SMALLEST = 1e-34  # a loss of exactly zero is drawn here, since the axis is logarithmic
_NAMES = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "tanh-GELU", "silu": "SiLU"}


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``width_threshold``.

    Parameters
    ----------
    table
        Columns ``activation``, ``d``, ``N``, ``target``, ``width_minus_N`` and ``best_heldout``.

    Returns
    -------
    Figure
        One row of panels an activation, one column a size (d, N). The vertical line marks N + d units, the
        width at which Proposition 8 lets the loss vanish.
    """
    present = set(table["activation"])
    activations = [name for name in _NAMES if name in present] + sorted(present - set(_NAMES))
    sizes = sorted(set(zip(table["d"], table["N"], strict=True)))
    with style.paper_style():
        fig = style.figure(height=0.35 + 1.65 * len(activations))
        axes = fig.subplots(len(activations), len(sizes), sharey=True, squeeze=False)
        for row, activation in enumerate(activations):
            for column, (d, n) in enumerate(sizes):
                panel = table[(table["activation"] == activation) & (table["d"] == d) & (table["N"] == n)]
                _draw_panel(axes[row, column], panel, int(d))
                axes[row, column].set_title(f"{_NAMES.get(activation, activation)}, $d={d}$, $N={n}$")
        for ax in axes[-1, :]:
            ax.set_xlabel("extra units $m-N$")
        for ax in axes[:, 0]:
            ax.set_ylabel("best held-out loss")
    return fig


def _draw_panel(ax: Axes, panel: pd.DataFrame, d: int) -> None:
    ax.axvline(d, color="0.55", linewidth=0.8, zorder=1)
    ax.axhline(SUCCESS_FLOOR, color="0.35", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    for index, (_, line) in enumerate(panel.sort_values("width_minus_N").groupby("target", sort=True)):
        ax.semilogy(
            line["width_minus_N"],
            line["best_heldout"].clip(lower=_SMALLEST),
            color=style.PALETTE[index % len(style.PALETTE)],
            marker=style.MARKERS[index % len(style.MARKERS)],
            markerfacecolor="white",
            markeredgewidth=0.8,
            alpha=0.95,
            zorder=2,
        )
    if len(panel):
        ax.set_xticks(range(int(panel["width_minus_N"].min()), int(panel["width_minus_N"].max()) + 1))
    ax.set_ylim(_SMALLEST, 1e2)
    ax.set_yticks([10.0**k for k in range(-30, 1, 10)])
    ax.minorticks_off()
    ax.annotate(
        "$m=N+d$",
        (d, 1.0),
        xycoords=ax.get_xaxis_transform(),
        xytext=(3, -2),
        textcoords="offset points",
        va="top",
        fontsize=7,
    )
