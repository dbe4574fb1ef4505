"""Figure: how many random ReLU compositions absorb nothing, by the count of their visible units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skip_absorption.figures import names, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``depth_relu``.

    Returns
    -------
    Figure
        The excluded fraction with its 95 % interval against the factor on W_down, one panel a distribution
        and one line a size (d, N, L).
    """
    measures = names.in_order(table["measure"], names.MEASURES)
    sizes: Any = sorted({(int(d), int(n), int(depth)) for d, n, depth in table[["d", "N", "L"]].to_numpy()})
    scales = sorted(float(scale) for scale in table["scale"].unique())
    with style.paper_style():
        fig = style.figure(height=2.3)
        axes = fig.subplots(1, len(measures), sharey=True, squeeze=False)[0]
        for ax, measure in zip(axes, measures, strict=True):
            for k, (d, n, depth) in enumerate(sizes):
                chosen = (table["d"] == d) & (table["N"] == n) & (table["L"] == depth)
                rows = table[chosen & (table["measure"] == measure)].sort_values("scale")
                shift = 2 ** (0.05 * (k - (len(sizes) - 1) / 2))  # so that the intervals stand side by side
                centre = rows["fraction"].to_numpy()
                ax.errorbar(
                    rows["scale"] * shift,
                    centre,
                    yerr=[centre - rows["low"].to_numpy(), rows["high"].to_numpy() - centre],
                    color=style.PALETTE[k % len(style.PALETTE)],
                    marker=style.MARKERS[k % len(style.MARKERS)],
                    label=f"$d={d}$, $N={n}$, $L={depth}$",
                    linewidth=0.9,
                    elinewidth=0.7,
                )
            ax.set_xscale("log", base=2)
            ax.set_xticks(scales, [f"{scale:g}" for scale in scales])
            ax.minorticks_off()
            ax.set(title=names.measure(measure), xlabel=r"factor on $W_{\mathrm{down}}$")
        low = float(table["low"].min())
        axes[0].set(ylim=(max(0.0, low - 0.05), 1.02), ylabel="excluded share")
        fig.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    return fig
