"""Figure of the tour: a map of the plane split into its linear and its even part, with its kinks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from skip_absorption.figures import style

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


def plot(
    panels: Mapping[str, NDArray[np.float64]],
    rows: NDArray[np.float64],
    *,
    extent: float,
    flipped: Collection[int] = (),
) -> Figure:
    """Draw functions on a square as filled contours, and over each the kinks w_i · x = 0.

    Parameters
    ----------
    panels
        Title → values (n, n) on the grid of [−extent, extent]², first index x₂.
    rows
        The rows w_i, shape (N, 2); an arrow shows the side on which unit i is active.
    extent
        Half the side of the square.
    flipped
        Units to show in the second colour, with a dashed kink.
    """
    largest = max(float(abs(values).max()) for values in panels.values())
    with style.paper_style():
        fig = style.figure(height=style.COLUMN / len(panels) + 0.45)
        axes = fig.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        shades: Any = None
        for ax, (title, values) in zip(axes, panels.items(), strict=True):
            shades = ax.imshow(
                values,
                extent=(-extent, extent, -extent, extent),
                origin="lower",
                cmap="PuOr",
                vmin=-largest,
                vmax=largest,
            )
            ax.contour(
                values,
                levels=9,
                colors="0.35",
                linewidths=0.4,
                linestyles="solid",
                extent=(-extent, extent, -extent, extent),
            )
            for unit, row in enumerate(rows):
                _draw_kink(ax, row, extent, flipped=unit in flipped)
            ax.set(title=title, xlabel="$x_1$", xlim=(-extent, extent), ylim=(-extent, extent))
        axes[0].set_ylabel("$x_2$")
        fig.colorbar(shades, ax=list(axes), shrink=0.8, aspect=25)
    return fig


def _draw_kink(ax: Axes, row: NDArray[np.float64], extent: float, *, flipped: bool) -> None:
    length = float((row**2).sum()) ** 0.5
    right, up = float(row[0]) / length, float(row[1]) / length
    colour = style.PALETTE[1] if flipped else style.PALETTE[6]
    ax.axline((0, 0), (-up, right), color=colour, linewidth=1.1, linestyle="dashed" if flipped else "solid")
    side = 1 if right >= 0 else -1  # the arrows of w and −w start at the same point
    foot = (-0.62 * side * extent * up, 0.62 * side * extent * right)
    tip = (foot[0] + 0.22 * extent * right, foot[1] + 0.22 * extent * up)
    ax.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 0.8})
