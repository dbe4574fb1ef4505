import numpy as np
import pytest

from skip_absorption.experiments.variable_projection import (
    Model,
    descend,
    normal_equations,
    project,
)
from skip_absorption.measures import generator
from skip_absorption.networks.activations import activation

CASES = [("gelu", 0), ("silu", 0), ("relu", 0), ("gelu", 1), ("relu", 2)]


def problem(name: str, linear: int):
    rng = generator("test projection", f"{name}{linear}")
    model, rows = Model(activation(name), linear), rng.standard_normal((4, 3))
    x = rng.standard_normal((60, 3))
    columns = rng.standard_normal((4, 2))
    return model, rows, x, model.features(rows, x) @ columns, rng


@pytest.mark.parametrize(("name", "linear"), CASES)
def test_the_slopes_are_the_derivative_of_the_features(name, linear):
    model, rows, x, _, rng = problem(name, linear)
    step, moved = 1e-6, rng.standard_normal(rows.shape)
    difference = (model.features(rows + step * moved, x) - model.features(rows - step * moved, x)) / (
        2 * step
    )
    assert np.allclose(difference, model.slopes(rows, x) * (x @ moved.T), atol=1e-7)


@pytest.mark.parametrize(("name", "linear"), CASES)
def test_the_normal_equations_are_those_of_the_whole_jacobian(name, linear):
    model, rows, x, y, rng = problem(name, linear)
    y = y + rng.standard_normal(y.shape)
    state = project(model, rows, x, y)
    basis, columns, error = state
    normal, slope = normal_equations(model, rows, x, state)
    slopes = model.slopes(rows, x)
    jacobian = np.zeros((*y.shape, *rows.shape))
    for j in range(4):
        for k in range(3):
            inner = np.zeros((60, 4))
            inner[:, j] = slopes[:, j] * x[:, k]
            jacobian[:, :, j, k] = (inner - basis @ (basis.T @ inner)) @ columns
    whole = jacobian.reshape(-1, 12)
    assert np.allclose(normal, whole.T @ whole)
    assert np.allclose(slope, whole.T @ error.ravel())


@pytest.mark.parametrize(("name", "linear"), CASES)
def test_the_gradient_is_that_of_the_projected_loss(name, linear):
    model, rows, x, y, rng = problem(name, linear)
    y = y + 0.1 * rng.standard_normal(y.shape)
    slope = normal_equations(model, rows, x, project(model, rows, x, y))[1].reshape(rows.shape)
    moved, step = rng.standard_normal(rows.shape), 1e-6
    losses = [np.sum(project(model, rows + sign * step * moved, x, y)[2] ** 2) / 2 for sign in (1, -1)]
    assert (losses[0] - losses[1]) / (2 * step) == pytest.approx(np.sum(slope * moved), rel=1e-4)


@pytest.mark.parametrize(("name", "linear"), CASES)
def test_a_network_nearby_is_found(name, linear):
    model, rows, x, y, rng = problem(name, linear)
    start = rows + 0.03 * rng.standard_normal(rows.shape)
    end = descend(model, x, y, start, steps=100)
    assert np.mean(project(model, start, x, y)[2] ** 2) > 1e-8
    assert end.loss < 1e-24
    assert end.loss == pytest.approx(np.mean(project(model, end.v_up, x, y)[2] ** 2), rel=1e-6)


def test_the_loss_never_rises_and_agrees_with_an_independent_optimiser():
    from scipy.optimize import least_squares

    model, rows, x, y, rng = problem("gelu", 0)
    y = y + 0.3 * rng.standard_normal(y.shape)
    start = rows + 0.1 * rng.standard_normal(rows.shape)
    losses = [descend(model, x, y, start, steps=steps).loss for steps in (0, 1, 3, 10, 200)]
    assert losses == sorted(losses, reverse=True)
    found = least_squares(
        lambda v: project(model, v.reshape(4, 3), x, y)[2].ravel(), start.ravel(), method="lm"
    )
    assert losses[-1] == pytest.approx(2 * found.cost / y.size, rel=1e-6)


def test_the_descent_stops_where_progress_does():
    model, rows, x, y, rng = problem("gelu", 0)
    y = y + rng.standard_normal(y.shape)
    end = descend(model, x, y, rows, steps=500, least_progress=1e-2)
    assert end.steps < 100
    short = descend(model, x, y, rows, steps=10)
    assert short.steps == 10
    assert not np.array_equal(short.halfway, short.v_up)


def test_dead_units_do_not_stop_the_descent():
    model, rows, x, y, _ = problem("relu", 0)
    rows = rows.copy()
    rows[0] = 0.0
    end = descend(model, np.abs(x), y, np.concatenate([rows, -np.ones((1, 3))]), steps=30)
    assert np.isfinite(end.loss)
