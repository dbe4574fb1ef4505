import pandas as pd
import pytest

from skip_absorption.figures import style, width_threshold


def make_table() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "activation": activation,
                "d": d,
                "N": n,
                "target": target,
                "extra": d,
                "linear_terms": 0,
                "width_minus_N": extra,
                "best_heldout": 0.0 if extra > d else 10.0 ** -(2 + extra),
            }
            for activation in ("gelu", "relu")
            for d, n in ((2, 4), (3, 6))
            for target in range(9)
            for extra in range(-1, d + 2)
        ]
    )


def test_one_panel_a_size_and_one_line_a_target() -> None:
    fig = width_threshold.plot(make_table())
    assert [ax.get_title() for ax in fig.axes] == ["ReLU", "GELU", "", ""]
    assert [ax.get_ylabel().splitlines()[0] for ax in fig.axes[::2]] == ["$d=2$, $N=4$", "$d=3$, $N=6$"]
    assert "9 targets" in fig.get_supxlabel()
    for ax, d in zip(fig.axes, (2, 2, 3, 3), strict=True):
        threshold, floor, *targets = ax.get_lines()
        assert list(threshold.get_xdata()) == [d, d]
        assert list(floor.get_ydata()) == [width_threshold.SUCCESS_FLOOR] * 2
        lines = [line for line in targets if len(line.get_xdata())]
        assert len(lines) == 9
        assert all(min(line.get_ydata()) > 0 for line in lines), "zero cannot be drawn on a logarithmic axis"
        assert ax.get_yscale() == "log"


def test_planted_targets_are_left_out_and_linear_terms_are_crosses() -> None:
    table = make_table()
    planted = table.assign(target=table["target"] + 100, extra=0)
    linear = table[table["width_minus_N"] == table["d"] - 2].assign(linear_terms=1)
    fig = width_threshold.plot(pd.concat([table, planted, linear]))
    crosses = [line for line in fig.axes[0].get_lines() if line.get_marker() == "x" and len(line.get_xdata())]
    assert len(crosses) == 9
    assert "9 targets" in fig.get_supxlabel()


def test_the_floor_is_the_experiments() -> None:
    from skip_absorption.experiments.width_threshold import LOSS_LIMIT

    assert width_threshold.SUCCESS_FLOOR == LOSS_LIMIT


@pytest.mark.parametrize("size", [(2, 4), (3, 6)])
def test_a_single_panel_is_drawn(size: tuple[int, int]) -> None:
    table = make_table()
    one = table[(table["activation"] == "relu") & (table["d"] == size[0])]
    assert style.render(width_threshold.plot(one), "pdf").startswith(b"%PDF")
