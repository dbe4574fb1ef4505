"""The figures on depth, analytic part: what they must show, on small invented tables."""

import pandas as pd

from skip_absorption.figures import depth_excluded, depth_fits, depth_scaling


def test_scaling_has_a_line_and_a_slope_for_each_depth():
    table = pd.DataFrame(
        [
            {"activation": a, "L": depth, "t": t, "ratio": t**slope, "slope": slope}
            for a, slope, ts in (
                ("relu_root", -0.5, (1, 10, 100, 1000)),
                ("relu_squared", 3.0, (1, 0.1, 0.01)),
            )
            for depth in (1, 2)
            for t in map(float, ts)
        ]
    )
    fig = depth_scaling.plot(table)
    assert fig.axes[0].get_title().startswith("ReLU$^2$")
    for ax, slope in zip(fig.axes, (3.0, -0.5), strict=True):
        assert len(ax.get_lines()) == 4
        drawn = ax.get_lines()[0]
        assert all(y == t**slope for t, y in zip(*drawn.get_data(), strict=True))
        (t, end), (ratio, last) = (ax.get_lines()[1].get_data()[i] for i in (0, 1))
        assert abs(last / ratio - (end / t) ** slope) < 1e-9


def test_each_cell_of_the_region_is_drawn_by_its_status():
    table = pd.DataFrame(
        [
            {"d": 2, "N": 3, "L": 2, "width": width, "depth": 1, "status": status}
            for width, status in enumerate(("excluded", "open", "suffices", "excluded"), start=1)
        ]
    )
    fig = depth_excluded.plot(table)
    (ax,) = fig.axes
    colours = [patch.get_facecolor() for patch in ax.patches]
    assert len(colours) == 4
    assert colours[0] == colours[3]
    assert len(set(colours)) == 3
    assert [round(patch.get_center()[0], 9) for patch in ax.patches] == [1, 2, 3, 4]
    assert {round(patch.get_center()[1], 9) for patch in ax.patches} == {1}
    (star,) = ax.lines
    assert (list(star.get_xdata()), list(star.get_ydata())) == ([3], [2])
    assert ax.get_title() == "$d=2$, $N=3$, $L=2$"


def test_fits_are_shaded_only_where_counting_rules_them_out():
    table = pd.DataFrame(
        [
            {"activation": a, "d": 2, "N": 3, "L": 2, "target": 0, "k_H": k, "parameters": 24}
            | {"best_train": 10.0 ** (-k)}
            for a in ("gelu", "relu")
            for k in (20, 24, 36)
        ]
    )
    relu, gelu = depth_fits.plot(table).axes
    assert (relu.get_title(), gelu.get_title()) == ("ReLU", "GELU")
    assert not relu.patches
    assert len(gelu.patches) == 1
    assert list(gelu.get_lines()[0].get_xdata()) == [-4, 0, 12]
    assert min(gelu.get_lines()[0].get_ydata()) == 1e-30
