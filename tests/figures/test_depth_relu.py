"""The figures of ReLU compositions: what they must show."""

import math

import pandas as pd

from skip_absorption.figures import depth_relu, fold, style


def circles() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "block": block,
                "point": k,
                "sector": k // 3,
                "ray": k % 3 == 0,
                "x": math.cos(math.pi * k / 12) + (block in (1, 2, 3, 4) and k == 3) * block / 8,
                "y": math.sin(math.pi * k / 12) if block < 5 else abs(math.sin(math.pi * k / 12)),
            }
            for block in range(6)
            for k in range(24)
        ]
    )


def test_the_fold_shows_all_blocks_and_the_ray_that_moves() -> None:
    fig = fold.plot(circles())
    titles = [ax.get_title() for ax in fig.axes]
    assert titles[:3] == ["the sectors of $F$", r"$h=h_{4}\circ\cdots\circ h_1$", r"$h_{5}\circ h=F$, a fold"]
    assert titles[3:] == [f"$h_{{{k}}}$" for k in range(1, 5)]
    table = circles()
    for k, ax in enumerate(fig.axes[3:], start=1):
        (line,) = ax.lines
        moved = table[(table["block"] == k) & (table["point"] == 3)].iloc[0]
        assert [line.get_xdata()[1], line.get_ydata()[1]] == [moved["x"], moved["y"]]
    assert len(fig.axes[0].patches) == 8
    assert len(fig.axes[1].lines) == 8
    assert style.render(fig, "png") == style.render(fold.plot(circles()), "png")


def test_excluded_shares_stand_beside_their_intervals() -> None:
    rows = [
        {"measure": measure, "d": 2, "N": n, "L": 2, "scale": scale, "fraction": 0.8, "low": 0.7, "high": 0.9}
        for measure in ("lecun", "gaussian")
        for n in (4, 8)
        for scale in (0.5, 4.0)
    ]
    fig = depth_relu.plot(pd.DataFrame(rows))
    assert [ax.get_title() for ax in fig.axes] == ["Gaussian", "LeCun uniform"]
    assert [text.get_text() for text in fig.legends[0].texts] == [
        "$d=2$, $N=4$, $L=2$",
        "$d=2$, $N=8$, $L=2$",
    ]
    assert all(len(ax.containers) == 2 for ax in fig.axes)
    assert [text.get_text() for text in fig.axes[0].get_xticklabels()] == ["0.5", "4"]
    for container in fig.axes[0].containers:
        line, _, (bars,) = container
        assert list(line.get_ydata()) == [0.8, 0.8]
        ends = [[round(float(y), 9) for _, y in bar] for bar in bars.get_segments()]
        assert ends == [[0.7, 0.9]] * 2
