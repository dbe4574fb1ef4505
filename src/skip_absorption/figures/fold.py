"""Figure: a residual ReLU composition that folds the plane, and the residual-free one that does the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skip_absorption.figures import style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GROUP = 4  # blocks that move one ray
_COLUMNS = 2 * _GROUP
_STRIP = 1.05  # inches
_BELOW = 0.62  # the size at which the lower half-plane's layer is drawn on top of the other


def plot(table: pd.DataFrame) -> Figure:
    """Draw the table ``fold``.

    Returns
    -------
    Figure
        Above, the unit disc with the sectors on which F is linear; the disc after all blocks of H but the
        last, with the sectors' old rays dashed; and its image, which lies in a cone and is covered twice: the
        image of the lower half is drawn smaller, on top. Below, the disc after each of the other blocks, four
        to a ray; the ray that they move is drawn black.
    """
    last = int(table["block"].max())
    images = {k: table[table["block"] == k].sort_values("point") for k in range(last + 1)}
    strips = -(-(last - 1) // _COLUMNS)
    sectors = sorted(int(s) for s in images[0]["sector"].unique())
    lower = set(sectors[len(sectors) // 2 :])
    with style.paper_style():
        fig = style.figure(height=1.85 + _STRIP * strips)
        engine: Any = fig.get_layout_engine()
        engine.set(w_pad=0.0, h_pad=0.02, wspace=0.02, hspace=0.0)
        halves: Any = fig.subfigures(2, 1, height_ratios=(1.85, _STRIP * strips))
        above, below = halves
        axes = above.subplots(1, 3)
        wide = (1.1, 1.1)
        _draw(axes[0], images[0], sectors, reach=wide)
        _draw(axes[1], images[last - 1], sectors, reach=wide)
        for x, y in images[0].loc[images[0]["ray"], ["x", "y"]].to_numpy():
            axes[1].plot([0, x], [0, y], color="black", linewidth=0.7, linestyle=(0, (2, 2)), zorder=4)
        _draw(axes[2], images[last], sectors, reach=wide, on_top=lower)
        titles = (
            "the sectors of $F$",
            rf"$h=h_{{{last - 1}}}\circ\cdots\circ h_1$",
            rf"$h_{{{last}}}\circ h=F$, a fold",
        )
        for ax, title in zip(axes, titles, strict=True):
            ax.set_title(title, pad=3)
        right, top = (0.03 + max(1.0, float(table[name].abs().max())) for name in ("x", "y"))
        gap = [1.0] * _GROUP + [0.2] + [1.0] * _GROUP
        grid = below.add_gridspec(strips, len(gap), width_ratios=gap)
        for block in range(1, last):
            row, column = divmod(block - 1, _COLUMNS)
            ax = below.add_subplot(grid[row, column + (column >= _GROUP)])
            _draw(ax, images[block], sectors, reach=(right, top))
            _draw_circle(ax)
            _draw_moved(ax, images, block)
            ax.set_title(f"$h_{{{block}}}$", fontsize=7.5, pad=1)
    return fig


def _draw(
    ax: Axes,
    rows: pd.DataFrame,
    sectors: list[int],
    *,
    reach: tuple[float, float],
    on_top: set[int] | None = None,
) -> None:
    import matplotlib as mpl
    from matplotlib.patches import Polygon

    colours = mpl.colormaps["twilight"]
    points, owner = rows[["x", "y"]].to_numpy(), rows["sector"].to_numpy()
    for sector in sectors:
        places = (owner == sector).nonzero()[0].tolist()
        above = on_top is not None and sector in on_top
        outline = points[[*places, (places[-1] + 1) % len(points)]] * (_BELOW if above else 1.0)
        shade = colours(0.1 + 0.8 * (sector + 0.5) / len(sectors))
        look: Any = {"facecolor": shade, "edgecolor": "white", "linewidth": 0.6, "zorder": 3 if above else 2}
        ax.add_patch(Polygon([(0.0, 0.0), *map(tuple, outline)], closed=True, joinstyle="round", **look))
    ax.set(xlim=(-reach[0], reach[0]), ylim=(-reach[1], reach[1]), aspect="equal")
    ax.set_axis_off()


def _draw_circle(ax: Axes) -> None:
    from matplotlib.patches import Circle

    ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor="0.7", linewidth=0.5, zorder=1))


def _draw_moved(ax: Axes, images: dict[int, pd.DataFrame], block: int) -> None:
    """Draw the ray that the block's group of four moves."""
    first = (block - 1) // _GROUP * _GROUP
    start, end = (images[k].loc[images[k]["ray"], ["x", "y"]].to_numpy() for k in (first, first + _GROUP))
    moved = int(((end - start) ** 2).sum(axis=1).argmax())
    x, y = images[block].loc[images[block]["ray"], ["x", "y"]].to_numpy()[moved]
    ax.plot([0, x], [0, y], color="black", linewidth=1.1, solid_capstyle="round", zorder=5)
