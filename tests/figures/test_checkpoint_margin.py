"""The figure of margins: what it must show, on a small invented table."""

import pandas as pd

from skip_absorption.figures import checkpoint_margin, style


def margins() -> pd.DataFrame:
    kinds = [("trained", 0, 0.6, 0.7), ("random", 0, 0.997, 1.0), ("random", 1, 0.999, 1.0)]
    return pd.DataFrame(
        [
            {"model": model, "number": number, "weights": weights, "draw": draw, "units": 3}
            | {"lower": low, "relaxed": low, "upper": high}
            for model, numbers in (("encoder", (0, 1)), ("other", (8,)))
            for number in numbers
            for weights, draw, low, high in kinds
        ]
    )


def test_a_panel_a_model_with_its_blocks_on_a_logarithmic_scale() -> None:
    figure = checkpoint_margin.plot(margins())
    left, right = figure.axes
    assert (left.get_title(), right.get_title()) == ("encoder", "other")
    assert [label.get_text() for label in right.get_xticklabels()] == ["8"]
    assert (left.get_xlabel(), left.get_yscale()) == ("block", "log")
    assert "sqrt{d}" in left.get_ylabel()


def test_markers_are_the_mean_shortfall_and_dashes_the_best_set() -> None:
    left, _ = checkpoint_margin.plot(margins()).axes
    shown = {line.get_label(): list(line.get_ydata()) for line in left.lines}
    assert shown["trained"] == [0.4, 0.4]
    assert all(abs(value - 0.002) < 1e-12 for value in shown["random, same shape"])
    assert all(abs(value - 0.3) < 1e-12 for value in shown["best set found"])
    assert len(shown["best set found"]) == 2


def test_a_dash_is_the_nearest_set_of_the_draws_and_none_is_drawn_for_the_empty_set() -> None:
    def dashes(table: pd.DataFrame) -> list[list[float]]:
        left, _ = checkpoint_margin.plot(table).axes
        return [list(line.get_ydata()) for line in left.lines if line.get_marker() == "_"]

    table = margins()
    random, trained = dashes(table)
    assert (random, len(trained)) == ([], 2)
    table.loc[(table["draw"] == 1) & (table["number"] == 1), "upper"] = 0.75
    assert dashes(table)[0] == [0.25]


def test_without_a_checkpoint_it_says_so() -> None:
    figure = checkpoint_margin.plot(margins().iloc[:0])
    assert [text.get_text() for text in figure.texts] == ["no checkpoint could be had"]
    assert style.render(figure, "png")
