"""Least-squares fits of an MLP in its rows alone: the columns enter linearly and are eliminated.

With features Φ = σ(X V_upᵀ) and C = Φ⁺Y the residual is ΦC − Y. Kaufman's approximation of its derivative
keeps (1 − ΦΦ⁺) ∂Φ C and drops the term that vanishes with the residual. All outputs share one ∂Φ, so the
normal matrix of the outputs together is the Gram matrix of (1 − ΦΦ⁺) ∂Φ times, block by block, that of the
rows of C: it costs no more than one output, and the damped steps of Levenberg and Marquardt need nothing
else. The residual itself comes from a QR factorisation of Φ, so small losses stay accurate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skip_absorption.networks.activations import Activation

Floats = NDArray[np.float64]

SINGULAR = 1e-10  # relative cut-off for the singular values of the features
_SMALLEST = 1e-30  # mean squared error that no rounding lets fall much further
_DAMPING = (1e-10, 1e-2, 1e10)  # least, first and greatest
_PATIENCE = 8  # steps between two looks at the progress


@dataclass(frozen=True)
class Model:
    """Units σ(v·x), the last `linear` of which have the identity for σ."""

    act: Activation
    linear: int = 0

    def features(self, v_up: Floats, x: Floats) -> Floats:
        """Return Φ of shape (P, m) for rows (m, d) and inputs (P, d)."""
        images: Floats = x @ v_up.T
        count = len(v_up) - self.linear
        images[:, :count] = self.act.float(images[:, :count])
        return images

    def slopes(self, v_up: Floats, x: Floats) -> Floats:
        """Return σ'(v·x), shape (P, m)."""
        count = len(v_up) - self.linear
        out = np.ones((len(x), len(v_up)))
        out[:, :count] = self.act.derivative_float(x @ v_up[:count].T)
        return out


@dataclass(frozen=True)
class Descent:
    """Rows where the descent ended, their loss, the steps tried, and the rows reached half-way."""

    v_up: Floats
    loss: float
    steps: int
    halfway: Floats


class Projected(NamedTuple):
    """A basis of the features (P, m), the best columns (m, q), and what they leave (P, q)."""

    basis: Floats
    columns: Floats
    error: Floats


def eliminate(features: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return an orthonormal basis of the features (P, m) and the least-squares coefficients (m, q)."""
    basis, triangle = np.linalg.qr(features)
    return basis, np.linalg.lstsq(triangle, basis.T @ y, rcond=SINGULAR)[0]


def descend(
    model: Model, x: Floats, y: Floats, start: Floats, *, steps: int, least_progress: float = 0.0
) -> Descent:
    """Return rows V_up that locally minimise the mean squared error of the best V_down for them.

    Parameters
    ----------
    x, y
        Inputs (P, d) and outputs (P, q).
    start
        Initial rows (m, d).
    steps
        At most so many are tried.
    least_progress
        The descent ends when several steps together lower the loss by less than this fraction.
    """
    v_up, damping, growth = start.copy(), _DAMPING[1], 2.0
    state = project(model, v_up, x, y)
    loss = float(np.mean(state.error**2))
    seen, halfway, tried, fresh = loss, v_up, 0, True
    while tried < steps and loss > _SMALLEST and damping < _DAMPING[2]:
        if fresh:
            normal, slope = normal_equations(model, v_up, x, state)
            scale = np.maximum(normal.diagonal(), 1e-12 * max(normal.diagonal().max(), 1e-300))
        tried += 1
        if 2 * tried <= steps:
            halfway = v_up
        moved = _solved(normal + damping * np.diag(scale), slope).reshape(v_up.shape)
        trial = v_up - moved
        candidate = project(model, trial, x, y)
        after = float(np.mean(candidate.error**2))
        fresh = bool(after < loss)
        if fresh:
            v_up, loss, state = trial, after, candidate
            damping, growth = max(_DAMPING[0], damping / 5), 2.0
        else:
            damping, growth = damping * growth, growth * 2
        if tried % _PATIENCE == 0:
            if loss > (1 - least_progress) * seen:
                break
            seen = loss
    return Descent(v_up, loss, tried, halfway)


def project(model: Model, v_up: Floats, x: Floats, y: Floats) -> Projected:
    """Return what the best columns for these rows leave of the outputs."""
    features = model.features(v_up, x)
    basis, columns = eliminate(features, y)
    return Projected(basis, columns, features @ columns - y)


def normal_equations(model: Model, v_up: Floats, x: Floats, state: Projected) -> tuple[Floats, Floats]:
    """Return JᵀJ (md, md) and Jᵀr (md,) for Kaufman's J and the residual r of all outputs."""
    m, d = v_up.shape
    moved = (model.slopes(v_up, x)[:, :, None] * x[:, None, :]).reshape(len(x), m * d)
    moved -= state.basis @ (state.basis.T @ moved)
    normal = (moved.T @ moved).reshape(m, d, m, d) * (state.columns @ state.columns.T)[:, None, :, None]
    slope = ((moved.T @ state.error).reshape(m, d, -1) * state.columns[:, None, :]).sum(axis=2)
    return normal.reshape(m * d, m * d), slope.ravel()


def _solved(matrix: Floats, right: Floats) -> Floats:
    """Solve a positive definite system; where rounding made it singular, in the least-squares sense."""
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0], dtype=np.float64)
