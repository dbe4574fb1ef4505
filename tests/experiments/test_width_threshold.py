import numpy as np
import pytest

from skip_absorption.absorption.width import minimal_width
from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.targets import LEAST_ANGLE, constructed_rows, draw_target
from skip_absorption.experiments.variable_projection import Model
from skip_absorption.experiments.width_threshold import (
    LOSS_LIMIT,
    Fit,
    Problem,
    Shape,
    measure,
    run_cell,
    run_target,
    shapes,
)
from skip_absorption.measures import generator
from skip_absorption.networks.activations import activation
from skip_absorption.results.schema import validate_table


@pytest.mark.parametrize("name", ["relu", "gelu", "silu", "gelu_tanh"])
def test_the_threshold_is_at_n_plus_d(name):
    frame = validate_table("width_threshold", run_target(name, 2, 3, 0, restarts=12, long_steps=20))
    assert frame["width"].tolist() == [2, 3, 4, 5, 6, 3]
    assert frame["linear_terms"].tolist() == [0, 0, 0, 0, 0, 1]
    assert frame["success"].tolist() == [False, False, False, True, True, False]
    below = frame[~frame["success"]]
    assert (below["restarts"] == 12).all()
    assert (below["best_train"] > LOSS_LIMIT).all()
    assert frame["long_steps"].tolist() == [0, 0, 20, 0, 0, 20]
    assert frame["halfway_train"].notna().tolist() == [False, False, True, False, False, True]


@pytest.mark.parametrize("name", ["relu", "gelu"])
@pytest.mark.parametrize("extra", [0, 1])
def test_a_planted_threshold_is_found_where_it_is(name, extra):
    frame = run_target(name, 2, 3, 5, planted=extra, restarts=24)
    frame = frame[frame["linear_terms"] == 0]
    assert (frame["extra"] == extra).all()
    assert frame["success"].tolist() == [w >= 3 + extra for w in frame["width"]]


def test_a_cell_has_random_and_planted_targets(capsys):
    frame = run_cell("gelu", 2, 2, targets=2, restarts=2, long_steps=0)
    assert sorted(set(frame["target"])) == [0, 1, 2, 3]
    assert frame.groupby("target")["extra"].first().tolist() == [2, 2, 0, 1]
    assert "target 4 of 4" in capsys.readouterr().out


def test_a_target_is_reproducible_and_its_shapes_are_independent():
    whole = run_target("gelu", 2, 3, 1, restarts=4).drop(columns="seconds")
    part = run_target("gelu", 2, 3, 1, restarts=4, fitted=[Shape(4)]).drop(columns="seconds")
    assert whole[whole["width"] == 4].to_dict("records") == part.to_dict("records")


def test_the_shapes():
    assert shapes(2, 4) == [*(Shape(m) for m in (3, 4, 5, 6, 7)), Shape(4, 1)]


@pytest.mark.parametrize(("d", "n", "planted"), [(2, 5, None), (2, 5, 0), (3, 6, 1), (3, 4, 2)])
def test_targets_keep_their_rows_apart_and_know_their_width(d, n, planted):
    target = draw_target(d, n, planted=planted, rng=generator("test", "apart"))
    assert target.w_up.shape == (n, d)
    assert target.w_down.shape == (d, n)
    assert target.extra == (d if planted is None else planted)
    for i in range(n):
        for j in range(i):
            x, y = target.w_up[i], target.w_up[j]
            assert np.arccos(abs(x @ y) / np.linalg.norm(x) / np.linalg.norm(y)) >= LEAST_ANGLE
    if planted is None:
        assert minimal_width(target.w_up, target.w_down).extra == d


@pytest.mark.parametrize("name", ["relu", "gelu"])
@pytest.mark.parametrize("planted", [None, 0, 1, 2])
def test_the_constructed_rows_compute_the_target(name, planted):
    act, rng = activation(name), generator("test", "constructed")
    target = draw_target(3, 6, planted=planted, rng=rng)
    rows = constructed_rows(target)
    assert len(rows) == 6 + target.extra
    x = tuple(rng.standard_normal((300, 3)) for _ in range(2))
    y = tuple(z + act.float(z @ target.w_up.T) @ target.w_down.T for z in x)
    assert measure(Problem(act, target, x, y), Model(act), rows).success


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
        (("gelu", 2, 3, 0), {"fitted": [Shape(0)]}, "width must be at least 1; got 0"),
        (("gelu", 2, 40, 0), {}, "N must leave room for rows 0.2 rad apart in dimension 2; got 40"),
    ],
)
def test_misuse_is_one_clear_error(arguments, keywords, message):
    with pytest.raises(InvalidInput, match=message):
        run_target(*arguments, **keywords)
