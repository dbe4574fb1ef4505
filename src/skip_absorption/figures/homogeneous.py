"""Figure: the error of fitted homogeneous blocks against their width, and the bound that none passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skip_absorption.figures import names, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``homogeneous``: one panel an activation, one line a target, the bound c_k dashed."""
    activations = names.in_order(table["activation"], names.ACTIVATIONS)
    sizes = sorted(set(zip(table["d"], table["N"], strict=True)))
    with style.paper_style():
        fig = style.figure(height=2.2)
        axes = fig.subplots(1, len(activations), sharey=True, squeeze=False)[0]
        for ax, activation in zip(axes, activations, strict=True):
            panel = table[table["activation"] == activation]
            bound = float(panel["bound"].max())
            for index, (d, n) in enumerate(sizes):
                part = panel[(panel["d"] == d) & (panel["N"] == n)]
                for number, (_, line) in enumerate(part.sort_values("width").groupby("target")):
                    ax.loglog(
                        line["width"] / n,
                        line["greatest"],
                        color=style.PALETTE[index],
                        marker=style.MARKERS[index],
                        markerfacecolor="white",
                        label=f"$d={d}$, $N={n}$" if number == 0 else None,
                    )
            ax.axhline(bound, color="black", linewidth=1, linestyle=(0, (4, 3)))
            ax.annotate("$c_2$", (1, bound), xytext=(0, -3), textcoords="offset points", va="top")
            ax.set_title(names.ACTIVATIONS.get(activation, activation))
            ax.set_xlabel("width of the fit $m/N$")
            ax.set_xticks(sorted(set(panel["width"] / panel["N"])))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.set_ylim(0.15, 2)
            ax.set_yticks([0.2, 0.5, 1, 2])
            ax.yaxis.set_major_formatter("{x:g}")
            ax.minorticks_off()
        axes[0].set_ylabel("greatest error for $|x|\\leq 1$")
        targets = table.groupby(["activation", "d", "N"])["target"].nunique().max()
        axes[-1].legend(frameon=False, title=f"{targets} targets each", title_fontsize=8)
    return fig
