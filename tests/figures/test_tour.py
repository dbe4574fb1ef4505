import numpy as np

from skip_absorption.figures import style, tour


def test_panels_kinks_and_directions() -> None:
    ticks = np.linspace(-2.0, 2.0, 11)
    values = np.abs(ticks)[:, None] + ticks[None, :]
    rows = np.array([[0.0, 1.0], [3.0, 4.0]])
    fig = tour.plot({"left": values, "right": -values}, rows, extent=2.0, flipped=[1])
    left, right, bar = fig.axes
    assert (left.get_title(), right.get_title()) == ("left", "right")
    assert bar.get_ylim() == (-4.0, 4.0)
    plain, flipped = left.get_lines()
    assert plain.get_color() != flipped.get_color()
    assert (plain.get_linestyle(), flipped.get_linestyle()) == ("-", "--")
    for annotation, row in zip(left.texts, rows, strict=True):
        foot, tip = np.array(annotation.xyann), np.array(annotation.xy)
        assert abs(row @ foot) < 1e-12, "an arrow starts on the kink"
        assert row @ (tip - foot) > 0, "and points to the active side"
    opposite = tour.plot({"left": values}, -rows, extent=2.0).axes[0].texts
    assert np.allclose([a.xyann for a in opposite][1], left.texts[1].xyann)
    assert style.render(fig, "png").startswith(b"\x89PNG")
