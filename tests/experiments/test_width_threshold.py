import numpy as np
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.width_threshold import (
    LEAST_ANGLE,
    LOSS_LIMIT,
    Fit,
    draw_target,
    fit_rows,
    run_cell,
    widths,
)
from skip_absorption.measures import generator
from skip_absorption.networks.activations import activation
from skip_absorption.results.schema import validate_table


@pytest.mark.parametrize("name", ["relu", "gelu"])
def test_the_threshold_is_at_n_plus_d(name):
    frame = validate_table("width_threshold", run_cell(name, 2, 3, 0, restarts=12))
    assert frame["width"].tolist() == list(widths(2, 3)) == [2, 3, 4, 5, 6]
    assert frame["success"].tolist() == [False, False, False, True, True]
    below = frame[~frame["success"]]
    assert (below["restarts"] == 12).all()
    assert (below["best_train"] > LOSS_LIMIT).all()


def test_a_cell_is_reproducible_and_its_widths_are_independent():
    whole = run_cell("gelu", 2, 3, 1, restarts=4).drop(columns="seconds")
    part = run_cell("gelu", 2, 3, 1, restarts=4, fit_widths=[4]).drop(columns="seconds")
    assert whole[whole["width"] == 4].to_dict("records") == part.to_dict("records")


def test_targets_keep_their_rows_apart():
    w_up, w_down = draw_target(2, 5, rng=generator("test", "apart"))
    assert w_up.shape == (5, 2)
    assert w_down.shape == (2, 5)
    for i in range(5):
        for j in range(i):
            cosine = abs(w_up[i] @ w_up[j]) / np.linalg.norm(w_up[i]) / np.linalg.norm(w_up[j])
            assert np.arccos(cosine) >= LEAST_ANGLE


def test_the_fit_descends_and_finds_an_exact_network_nearby():
    act = activation("gelu")
    rng = generator("test", "descent")
    w_up, w_down = rng.standard_normal((2, 2)), rng.standard_normal((3, 2))
    x = rng.standard_normal((80, 2))
    y = act.float(x @ w_up.T) @ w_down.T
    start = w_up + 0.05 * rng.standard_normal((2, 2))
    found = fit_rows(act, x, y, start)

    def error(rows):
        features = act.float(x @ rows.T)
        return np.mean((features @ np.linalg.lstsq(features, y, rcond=None)[0] - y) ** 2)

    assert error(start) > 1e-8
    assert error(found) < LOSS_LIMIT


@pytest.mark.parametrize(
    ("fit", "success"),
    [
        (Fit(1e-25, 1e-25, 3.0), True),
        (Fit(1e-25, 1e-15, 3.0), False),
        (Fit(1e-15, 1e-25, 3.0), False),
        (Fit(1e-29, 1e-29, 1e5), False),
    ],
)
def test_success_needs_both_errors_and_small_weights(fit, success):
    assert fit.success is success


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        (("relu", 3, 2, 0), {}, r"\(d, N\) must satisfy 2 <= d <= N; got \(3, 2\)"),
        (("sigmoid", 2, 3, 0), {}, "activation must be one of relu"),
        (("gelu", 2, 3, 0), {"restarts": 0}, "restarts must be at least 1; got 0"),
        (("gelu", 2, 3, 0), {"fit_widths": [0]}, "width must be at least 1; got 0"),
        (("gelu", 2, 40, 0), {}, "N must leave room for rows 0.2 rad apart in dimension 2; got 40"),
    ],
)
def test_misuse_is_one_clear_error(arguments, keywords, message):
    with pytest.raises(InvalidInput, match=message):
        run_cell(*arguments, **keywords)
