"""A figure in a notebook is a PNG with a description."""

from typing import Any

import pytest

from skip_absorption.figures import style
from skip_absorption.figures.inline import PIXELS, show


def test_a_figure_is_shown_with_its_description(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    with style.paper_style():
        fig = style.figure()
        fig.subplots().plot([0, 1])
    show(fig, "a line that rises")
    (image,) = shown
    assert image.data.startswith(b"\x89PNG")
    _, metadata = image._repr_mimebundle_()
    assert metadata["image/png"] == {"width": PIXELS, "alt": "a line that rises"}
