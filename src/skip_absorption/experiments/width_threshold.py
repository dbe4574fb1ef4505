"""At which width can a residual-free MLP be fitted to x + W_down σ(W_up x)? Numerical, not a proof.

Proposition 8 predicts N + d for random weights. Each fit minimises the squared error over the rows V_up
alone: the columns V_down enter linearly and are eliminated by least squares (variable projection), with
Kaufman's Jacobian for Levenberg–Marquardt. Success needs more than a small training error, because a
nearly singular basis can imitate one: the error of the final weights on fresh points must be as small,
and no weight may be large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.measures import gaussian, generator
from skip_absorption.networks.activations import Activation, absorbing

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

EXPERIMENT = "width_threshold"
LOSS_LIMIT = 1e-20  # squared error that counts as zero
WEIGHT_LIMIT = 1e4
LEAST_ANGLE = 0.2  # radians between the lines of a target's rows; nearer rows give tiny floors
EVALUATIONS = 60  # of the residual, for each start
SINGULAR = 1e-10  # relative cut-off for the singular values of the features
TOLERANCE = 1e-15
NOISE = (0.0, 0.03, 0.1)  # perturbations of informed starts


@dataclass(frozen=True)
class Problem:
    """A target with points: inputs and outputs for training, then those held out."""

    act: Activation
    w_up: Floats
    inputs: tuple[Floats, Floats]
    outputs: tuple[Floats, Floats]


@dataclass(frozen=True)
class Fit:
    """A fitted network, measured on its final weights.

    Attributes
    ----------
    train, heldout
        Mean squared error per output on the training points and on fresh points.
    max_weight
        The largest entry of V_up and V_down in absolute value; for a kink, after rows are scaled to length 1.
    """

    train: float
    heldout: float
    max_weight: float

    @property
    def admissible(self) -> bool:
        """Whether the weights stay below the limit."""
        return self.max_weight < WEIGHT_LIMIT

    @property
    def success(self) -> bool:
        """Whether the network counts as equal to its target, numerically."""
        return self.admissible and max(self.train, self.heldout) < LOSS_LIMIT


def widths(d: int, n: int) -> range:
    """Return the widths that a threshold at N + d is judged by: N − 1, …, N + d + 1."""
    return range(n - 1, n + d + 2)


def draw_target(d: int, n: int, *, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw Gaussian W_up (N, d) and W_down (d, N), W_up conditioned on lines at least 0.2 rad apart.

    Raises
    ------
    InvalidInput
        Unless 2 <= d <= N, or if 10000 draws give no such rows.
    """
    if not 2 <= d <= n:
        raise InvalidInput("(d, N)", "satisfy 2 <= d <= N", (d, n))
    for _ in range(10_000):
        w_up = gaussian((n, d), rng=rng)
        unit = w_up / np.linalg.norm(w_up, axis=1, keepdims=True)
        if np.abs(np.triu(unit @ unit.T, 1)).max() <= np.cos(LEAST_ANGLE):
            return w_up, gaussian((d, n), rng=rng)
    raise InvalidInput("N", f"leave room for rows {LEAST_ANGLE} rad apart in dimension {d}", n)


def run_cell(
    spec: str | Activation,
    d: int,
    n: int,
    target: int,
    *,
    fit_widths: Sequence[int] | None = None,
    restarts: int = 64,
    points: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Fit one target at the given widths and return one row of ``width_threshold`` for each.

    Parameters
    ----------
    spec
        The activation, one with a parity split.
    d, n
        Input dimension and width N of the target.
    target
        Its index; target and starts are drawn from streams named by it.
    fit_widths
        The widths to fit; `widths` when None.
    restarts
        Starting points at most: random and informed ones in turn, until one succeeds.
    points
        Training points, and as many held out; 1000·d for kinks and 100·d otherwise when None.
    """
    import pandas as pd

    act = absorbing(spec)
    if restarts < 1:
        raise InvalidInput("restarts", "be at least 1", restarts)
    cell = f"{act.name}/{d}/{n}/{target}"
    rng = generator(EXPERIMENT, cell, seed)
    w_up, w_down = draw_target(d, n, rng=rng)
    points = points or (1000 if act.even == "kink" else 100) * d
    train, heldout = gaussian((points, d), rng=rng), gaussian((points, d), rng=rng)
    exact = [x + act.float(x @ w_up.T) @ w_down.T for x in (train, heldout)]
    problem = Problem(act, w_up, (train, heldout), (exact[0], exact[1]))
    rows = []
    for width in widths(d, n) if fit_widths is None else fit_widths:
        started = perf_counter()
        stream = generator(EXPERIMENT, f"{cell}/{width}", seed)
        best, tried = _best_fit(problem, width, restarts, rng=stream)
        rows.append(
            {
                "activation": act.name,
                "d": d,
                "N": n,
                "target": target,
                "width": width,
                "width_minus_N": width - n,
                "best_train": best.train,
                "best_heldout": best.heldout,
                "max_weight": best.max_weight,
                "success": best.success,
                "restarts": tried,
                "seconds": perf_counter() - started,
            }
        )
    return pd.DataFrame(rows)


def _best_fit(problem: Problem, width: int, restarts: int, *, rng: np.random.Generator) -> tuple[Fit, int]:
    """Return the best fit and how many starts it took; fits with small weights come first."""
    fits: list[Fit] = []
    for start in _starts(problem.w_up, width, restarts, rng=rng):
        v_up = fit_rows(problem.act, problem.inputs[0], problem.outputs[0], start)
        fits.append(_measure(problem, v_up))
        if fits[-1].success:
            break
    return min(fits, key=lambda fit: (not fit.admissible, fit.train)), len(fits)


def _starts(w_up: Floats, width: int, restarts: int, *, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield random rows, and in turn the target's rows with random signs, opposed copies after the N-th."""
    n, d = w_up.shape
    if width < 1:
        raise InvalidInput("width", "be at least 1", width)
    for number in range(restarts):
        rows = gaussian((width, d), rng=rng)
        if number % 2:
            signed = (w_up * rng.choice([-1.0, 1.0], size=(n, 1)))[rng.permutation(n)]
            informed = np.concatenate([signed, -signed[rng.permutation(n)]])[:width]
            rows[: len(informed)] = informed
            rows += rng.choice(NOISE) * gaussian((width, d), rng=rng)
        yield rows


def fit_rows(act: Activation, x: Floats, y: Floats, start: Floats) -> Floats:
    """Return rows V_up of shape (m, d) that locally minimise the error of the best V_down for them.

    Parameters
    ----------
    x, y
        Inputs (P, d) and outputs (P, q).
    start
        Initial rows (m, d).

    Notes
    -----
    With features Φ = σ(X V_upᵀ) and C = Φ⁺Y the residual is ΦC − Y. Kaufman's approximation of its derivative
    keeps (1 − ΦΦ⁺) ∂Φ C and drops the term that vanishes with the residual.
    """
    from scipy.optimize import least_squares

    m, d = start.shape
    state: dict[str, Any] = {}

    def residual(rows: Floats) -> Floats:
        v_up = rows.reshape(m, d)
        features = act.float(x @ v_up.T)
        basis, coefficients = _eliminate(features, y)
        state.update(rows=rows.copy(), basis=basis, coefficients=coefficients)
        error: Floats = (features @ coefficients - y).ravel()
        return error

    def jacobian(rows: Floats) -> Floats:
        if not np.array_equal(rows, state["rows"]):
            residual(rows)
        basis, coefficients = state["basis"], state["coefficients"]
        slopes = act.derivative_float(x @ rows.reshape(m, d).T)
        moved = (slopes[:, :, None] * x[:, None, :]).reshape(len(x), m * d)
        moved -= basis @ (basis.T @ moved)
        full = moved.reshape(len(x), 1, m, d) * coefficients.T[None, :, :, None]
        columns: Floats = full.reshape(-1, m * d)
        return columns

    found = least_squares(
        residual,
        start.ravel(),
        jac=jacobian,
        method="lm",
        xtol=TOLERANCE,
        ftol=TOLERANCE,
        gtol=TOLERANCE,
        max_nfev=EVALUATIONS,
    )
    return np.asarray(found.x, dtype=np.float64).reshape(m, d)


def _eliminate(features: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return an orthonormal basis of the features (P, m) and the least-squares coefficients (m, q)."""
    basis, triangle = np.linalg.qr(features)
    return basis, np.linalg.lstsq(triangle, basis.T @ y, rcond=SINGULAR)[0]


def _measure(problem: Problem, v_up: Floats) -> Fit:
    act = problem.act
    if act.even == "kink":  # positive rescaling is a symmetry: compare weights on rows of length 1
        lengths = np.linalg.norm(v_up, axis=1, keepdims=True)
        v_up = v_up / np.where(lengths > 0, lengths, 1.0)
    v_down = _eliminate(act.float(problem.inputs[0] @ v_up.T), problem.outputs[0])[1].T
    train, heldout = (
        float(np.mean((act.float(x @ v_up.T) @ v_down.T - y) ** 2))
        for x, y in zip(problem.inputs, problem.outputs, strict=True)
    )
    return Fit(train, heldout, float(max(np.abs(v_up).max(), np.abs(v_down).max())))
