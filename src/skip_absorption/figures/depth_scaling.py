"""Figure: compositions without skips die out along a ray, by a power of the scale that depth raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skip_absorption.figures import names, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_ORDER = ("relu_squared", "swiglu", "relu_root")
_TITLES = {
    "relu_squared": "ReLU$^2$, $k=2$",
    "swiglu": "SwiGLU",
    "relu_root": r"$\sqrt{\mathrm{ReLU}}$, $k=1/2$",
}


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``depth_scaling``: a panel an activation, a line a depth, predicted slopes dashed."""
    activations = names.in_order(table["activation"], _ORDER)
    with style.paper_style():
        fig = style.figure(height=2.3)
        axes = fig.subplots(1, len(activations), squeeze=False)[0]
        for ax, activation in zip(axes, activations, strict=True):
            panel = table[table["activation"] == activation]
            for index, (depth, line) in enumerate(panel.groupby("L")):
                small = bool(line["slope"].iloc[0] > 0)
                ordered = line.sort_values("t", ascending=not small)  # towards the limit
                slope, (t, ratio) = float(ordered["slope"].iloc[-1]), ordered[["t", "ratio"]].iloc[-1]
                ends = [float(ordered["t"].iloc[len(ordered) // 3]), float(t)]
                ax.loglog(
                    ordered["t"],
                    ordered["ratio"],
                    color=style.PALETTE[index],
                    label=f"$L={depth}$, slope ${slope:g}$",
                )
                ax.loglog(
                    ends,
                    [2 * float(ratio) * (end / float(t)) ** slope for end in ends],
                    color=style.PALETTE[index],
                    linewidth=0.8,
                    linestyle=(0, (3, 2)),
                )
            ax.set_title(_TITLES.get(activation, activation))
            ax.set_xlabel("$t$")
            if (panel["slope"] < 0).all():
                ax.set_ylim(bottom=float(panel["ratio"].min()) / 300)  # room for the legend
            ax.minorticks_off()
            place = "lower left" if (panel["slope"] < 0).all() else "lower right"
            ax.legend(frameon=False, fontsize=6.5, handlelength=1.2, borderaxespad=0.1, loc=place)
        axes[0].set_ylabel("$|H(tx)|/|F(tx)|$")
    return fig
