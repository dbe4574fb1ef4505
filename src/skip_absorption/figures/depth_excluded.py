"""Figure: which widths and depths of residual-free compositions are ruled out, suffice, or are open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skip_absorption.figures import style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "excluded": ("ruled out: $k_H<2dLN$ or $N'<2d$", {"facecolor": style.PALETTE[0], "alpha": 0.85}),
    "open": ("not settled", {"facecolor": "0.88"}),
    "suffices": ("suffices", {"facecolor": style.PALETTE[4], "hatch": "///", "edgecolor": "white"}),
}


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``depth_excluded``: one panel a residual composition, one cell a width and depth."""
    from matplotlib.patches import Patch, Rectangle

    sizes = sorted(set(zip(table["d"], table["N"], table["L"], strict=True)))
    with style.paper_style():
        fig = style.figure(height=2.4)
        spans = [int(table[(table["d"] == d) & (table["N"] == n)]["width"].max()) for d, n, _ in sizes]
        axes = fig.subplots(1, len(sizes), squeeze=False, width_ratios=spans, sharey=True)[0]
        for ax, (d, n, depth), span in zip(axes, sizes, spans, strict=True):
            panel = table[(table["d"] == d) & (table["N"] == n) & (table["L"] == depth)]
            for row in panel.to_dict("records"):
                corner = (row["width"] - 0.46, row["depth"] - 0.46)
                ax.add_patch(Rectangle(corner, 0.92, 0.92, linewidth=0, **_LOOKS[row["status"]][1]))
            ax.plot([n], [depth], marker="*", color="white", markeredgecolor="black", markersize=7)
            deepest = int(panel["depth"].max())
            ax.set(xlim=(0.3, span + 0.7), ylim=(0.3, deepest + 0.7), xlabel="width $N'$")
            ax.set_xticks(range(2, span + 1, 2))
            ax.set_yticks(range(1, deepest + 1))
            ax.set_title(f"$d={d}$, $N={n}$, $L={depth}$")
            ax.tick_params(length=0)
        axes[0].set_ylabel("depth $L'$")
        handles = [Patch(label=label, **look) for label, look in _LOOKS.values()]
        fig.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return fig
