"""Figures inside a notebook, drawn as for the paper, with a description for those who do not see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skip_absorption.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PIXELS = 720
"""The width at which a figure is shown."""


def show(figure: Figure, alt: str) -> None:
    """Show a figure in the notebook that is running.

    Parameters
    ----------
    alt
        What the figure looks like and what it says, in a sentence or two.
    """
    from IPython.display import Image, display

    data = style.render(figure, "png")
    image = Image(data, width=PIXELS, alt=alt)  # type: ignore[no-untyped-call]  # not annotated
    display(image)  # type: ignore[no-untyped-call]  # not annotated
