"""Figure: the best fit of residual-free compositions against what counting leaves them, k_H − D."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skip_absorption.figures import names, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_ANALYTIC = ("gelu", "gelu_tanh", "silu")  # counting rules fits out for these
_FLOOR = 1e-30  # errors are drawn no lower


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``depth_fits``: one panel an activation, one line a target, shaded where ruled out."""
    activations = names.in_order(table["activation"], names.ACTIVATIONS)
    sizes = sorted(set(zip(table["d"], table["N"], table["L"], strict=True)))
    surplus = table["k_H"] - table["parameters"]
    with style.paper_style():
        fig = style.figure(height=2.4)
        axes = fig.subplots(1, len(activations), sharey=True, squeeze=False)[0]
        for ax, activation in zip(axes, activations, strict=True):
            for index, (d, n, depth) in enumerate(sizes):
                chosen = (table["d"] == d) & (table["N"] == n) & (table["L"] == depth)
                part = table[chosen & (table["activation"] == activation)]
                for number, (_, line) in enumerate(part.groupby("target")):
                    ordered = line.assign(surplus=surplus).sort_values("surplus")
                    ax.semilogy(
                        ordered["surplus"],
                        ordered["best_train"].clip(lower=_FLOOR),
                        color=style.PALETTE[index],
                        marker=style.MARKERS[index],
                        markerfacecolor="white",
                        label=f"$d={d}$, $N={n}$, $L={depth}$" if number == 0 else None,
                    )
            left = float(surplus.min()) - 1
            if activation in _ANALYTIC:
                ax.axvspan(left, -0.5, color="0.92", linewidth=0, zorder=0)
            ax.set_xlim(left, float(surplus.max()) + 1)
            ax.set_title(names.ACTIVATIONS.get(activation, activation))
            ax.set_xlabel("$k_H-2dLN$")
        axes[0].set_ylabel("best training loss")
        axes[0].legend(frameon=False)
    return fig
