"""The experiments' figures: what they must show, on small invented tables."""

import pandas as pd
import pytest

from skip_absorption.figures import (
    distance,
    homogeneous,
    minimal_width,
    names,
    random_measures,
    style,
    width_success,
)


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def fits(*, missed: bool) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "activation": "gelu",
                "d": 2,
                "N": 4,
                "target": extra,
                "extra": extra,
                "linear_terms": 0,
                "width_minus_N": more,
                "success": more >= extra + (missed and extra == 1),
            }
            for extra in range(3)
            for more in range(-1, 4)
        ]
    )


def test_the_map_of_successes_counts_and_marks_the_threshold() -> None:
    left, right, *_ = width_success.plot(fits(missed=False)).axes
    assert texts(left).count("1/1") == 4 + 3 + 2
    assert texts(left).count("0/1") == 1 + 2 + 3
    assert right.get_title() == "3 of 3 targets agree"
    assert not any("no start" in text for text in texts(right))


def test_a_disagreement_is_counted_and_explained() -> None:
    right = width_success.plot(fits(missed=True)).axes[1]
    assert right.get_title() == "2 of 3 targets agree"
    assert any("1 above or never" in text for text in texts(right))


def test_a_target_that_is_never_fitted_disagrees() -> None:
    table = fits(missed=False)
    table.loc[table["target"] == 2, "success"] = False
    assert width_success.plot(table).axes[1].get_title() == "2 of 3 targets agree"


def test_homogeneous_errors_and_their_bound() -> None:
    table = pd.DataFrame(
        [
            {"activation": a, "d": 2, "N": 4, "target": t, "width": 4 * f, "greatest": 1 / f, "bound": 0.2}
            for a in ("relu_squared", "reglu")
            for t in range(2)
            for f in (1, 2, 4)
        ]
    )
    fig = homogeneous.plot(table)
    assert [ax.get_title() for ax in fig.axes] == ["ReLU$^2$", "ReGLU"]
    for ax in fig.axes:
        *lines, bound = ax.get_lines()
        assert len(lines) == 2
        assert list(bound.get_ydata()) == [0.2, 0.2]


def widths() -> pd.DataFrame:
    known = [
        {"family": f, "d": 2, "N": 4, "predicted": k, "lower": k, "upper": k, "count": 7, "draws": 7}
        for f in names.FAMILIES
        for k in range(3)
    ]
    measured = [
        {"family": f, "d": 2, "N": n, "predicted": None, "lower": k, "upper": k, "count": 5, "draws": 10}
        for f in ("ternary", "gaussian", "integers_4")
        for n in (2, 4)
        for k in (-1, 2)
    ]
    return pd.DataFrame([*known, *measured])


def test_least_widths_are_drawn_for_families_and_measures() -> None:
    fig = minimal_width.plot(widths())
    titles = [ax.get_title() for ax in fig.axes]
    assert titles[:4] == list(names.FAMILIES.values())
    assert titles[4:6] == ["$d=2$, $N=2$", "$d=2$, $N=4$"]
    assert texts(fig.axes[0]) == ["7"] * 3
    labels = [tick.get_text() for tick in fig.axes[4].get_yticklabels()]
    assert labels == ["integers to 4", "ternary", "Gaussian"]
    assert all(sum(bar.get_width() for bar in ax.patches) == pytest.approx(3) for ax in fig.axes[4:6])


def test_a_wrong_least_width_stands_out() -> None:
    table = widths()
    table.loc[0, ["lower", "upper"]] = 1
    colours = {line.get_color() for line in minimal_width.plot(table).axes[0].get_lines()}
    assert style.PALETTE[1] in colours


def decisions(sizes: int) -> pd.DataFrame:
    counts = {"draws": 1000, "condition_low": 0.0, "condition_high": 0.003, "low": 0.0, "high": 0.003}
    rows = [
        {
            "measure": m,
            "d": 2,
            "N": 2 + n,
            "method": "sampling",
            "condition": hits,
            "fraction": hits / 1000,
            **counts,
        }
        for m, hits in (("gaussian", 0), ("ternary", 50), ("integers_2", 5))
        for n in range(sizes)
    ]
    rows.append({**rows[-1], "measure": "ternary", "method": "enumeration"})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("sizes", [1, 3, 7])
def test_probabilities_have_a_panel_a_size_and_one_for_the_decay(sizes) -> None:
    fig = random_measures.plot(decisions(sizes))
    drawn = [ax for ax in fig.axes if ax.axison]
    assert len(drawn) == sizes + 1
    assert drawn[-1].get_title() == "condition (3)"
    assert len(drawn[-1].get_lines()) == sizes
    assert "1 000 networks" in fig.get_suptitle()


def test_no_hit_is_an_arrow_and_no_point() -> None:
    table = decisions(1)
    ax = random_measures.plot(table[table["measure"] == "gaussian"]).axes[0]
    assert [line.get_marker() for line in ax.get_lines()].count("<") == 2
    assert "o" not in [line.get_marker() for line in ax.get_lines()]


def test_distances_are_relative_to_the_identity() -> None:
    table = pd.DataFrame(
        [
            {"measure": "lecun", "d": d, "N": r * d, "draw": k, "lower": 0.5 * d**0.5, "upper": 0.6 * d**0.5}
            for d in (2, 4)
            for r in (1, 2)
            for k in range(3)
        ]
    )
    fig = distance.plot(table)
    assert [ax.get_title() for ax in fig.axes] == ["LeCun uniform weights"]
    for line in fig.axes[0].get_lines():
        assert list(line.get_xdata()) == [1, 2]
        assert list(line.get_ydata()) == pytest.approx([0.6, 0.6])


@pytest.mark.parametrize(
    ("plot", "table"),
    [
        (width_success.plot, fits(missed=True)),
        (minimal_width.plot, widths()),
        (random_measures.plot, decisions(3)),
    ],
)
def test_they_render(plot, table) -> None:
    assert style.render(plot(table), "pdf").startswith(b"%PDF")
