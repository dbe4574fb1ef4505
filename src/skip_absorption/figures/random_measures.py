"""Figure: the probability that random weights absorb their skip, with intervals, and how it decays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skip_absorption.figures import names, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 4
_LEAST = 1e-6
_TICKS = [1e-6, 1e-4, 1e-2, 1]


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``random_measures``.

    Returns
    -------
    Figure
        One panel a size: absorbable (filled) and condition (3) alone (hollow), bars for the intervals; an
        arrow to the left and a bar to the upper bound where nothing was found. Crosses are enumerated. The
        last panel shows how the probability of (3) decays with the bound of uniform integers.
    """
    sampled = table[table["method"] == "sampling"]
    sizes = sorted(set(zip(sampled["d"], sampled["N"], strict=True)))
    measures = names.in_order(table["measure"], names.MEASURES)
    panels = len(sizes) + 1
    columns = min(panels, _COLUMNS)
    rows = -(-panels // columns)
    with style.paper_style():
        fig = style.figure(height=0.4 + rows * (0.7 + 0.115 * len(measures)))
        axes = fig.subplots(rows, columns, squeeze=False)
        for place, ax in enumerate(axes.ravel()):
            if place < len(sizes):
                d, n = sizes[place]
                _draw_size(ax, table[(table["d"] == d) & (table["N"] == n)], measures)
                ax.set_title(f"$d={d}$, $N={n}$")
                labels = [names.measure(name) if place % columns == 0 else "" for name in reversed(measures)]
                ax.set_yticks(range(len(measures)), labels, fontsize=6.5)
                if place + columns >= len(sizes):
                    ax.set_xlabel("probability")
            elif place == len(sizes):
                _draw_decay(ax, table)
            else:
                ax.set_axis_off()
        fig.suptitle(
            f"{sampled['draws'].max():,} networks of each measure and size".replace(",", " "), fontsize=9
        )
    return fig


def _draw_size(ax: Axes, rows: pd.DataFrame, measures: list[str]) -> None:
    for place, measure in enumerate(reversed(measures)):
        for row in rows[rows["measure"] == measure].to_dict("records"):
            shares = row["fraction"], row["condition"] / row["draws"]
            if row["method"] == "enumeration":
                ax.plot(
                    shares, [place + 0.17, place - 0.17], "x", color=style.PALETTE[1], markersize=4, zorder=3
                )
                continue
            _draw_interval(ax, place + 0.17, (shares[0], row["low"], row["high"]), filled=True)
            both = (shares[1], row["condition_low"], row["condition_high"])
            _draw_interval(ax, place - 0.17, both, filled=False)
    ax.set_xscale("log")
    ax.set(xlim=(_LEAST, 2), ylim=(-0.7, len(measures) - 0.3), xticks=_TICKS)
    ax.minorticks_off()
    ax.tick_params(axis="x", labelsize=7)
    ax.grid(axis="y", color="0.9", linewidth=0.5)
    ax.set_axisbelow(True)


def _draw_interval(ax: Axes, place: float, estimate: tuple[float, float, float], *, filled: bool) -> None:
    share, low, high = estimate
    look: dict[str, Any] = {"color": style.PALETTE[0 if filled else 2]}
    ax.plot([max(low, _LEAST), high], [place, place], linewidth=0.8, **look)
    if share:
        face = style.PALETTE[0] if filled else "white"
        ax.plot(share, place, "o", markerfacecolor=face, markersize=2.8, markeredgewidth=0.7, **look)
    else:
        ax.plot(high, place, "|", markersize=3.5, **look)
        ax.plot(_LEAST * 1.3, place, "<", markersize=2.5, clip_on=False, **look)


def _draw_decay(ax: Axes, table: pd.DataFrame) -> None:
    bounds = {"ternary": 1} | {
        name: int(name.partition("_")[2]) for name in table["measure"] if name.startswith("integers_")
    }
    rows = table[(table["method"] == "sampling") & (table["condition"] > 0) & table["measure"].isin(bounds)]
    rows = rows.assign(bound=rows["measure"].map(bounds)).sort_values("bound")
    for index, ((d, n), line) in enumerate(rows.groupby(["d", "N"])):
        ax.loglog(
            line["bound"],
            line["condition"] / line["draws"],
            color=style.PALETTE[index % len(style.PALETTE)],
            marker=style.MARKERS[index % len(style.MARKERS)],
            markerfacecolor="white",
            label=f"{d}, {n}",
        )
    ticks = sorted(set(bounds.values()))
    ax.set(xlabel="integers up to", title="condition (3)", ylim=(_LEAST, 2), yticks=_TICKS)
    ax.set_xlim(min(ticks) / 1.3, max(ticks) * 1.3)
    ax.set_xscale("log")
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.minorticks_off()
    ax.tick_params(labelsize=7)
    if len(rows):
        ax.legend(title="$d$, $N$", fontsize=6, title_fontsize=6.5, frameon=False, handlelength=1.2)
