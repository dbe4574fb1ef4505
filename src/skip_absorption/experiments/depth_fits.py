"""Fits of residual-free compositions to residual ones of equal depth, from width N up: numerical, no proof.

All weights are fitted by least squares (a trust-region method) from several starts: random ones, and ones
near rows of the target, some of them negated; at widths N + d, near the exact solution. Extra units go to
the last blocks first, so that k_H grows in steps of 2d from one fit to the next, from below D = 2dLN to where
Proposition 8(i) gives an exact fit block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skip_absorption.depth.counts import plain_dimension, residual_dimension
from skip_absorption.depth.jacobian import Layer, forward, jacobian
from skip_absorption.measures import gaussian, generator
from skip_absorption.networks.activations import Activation, activation

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

EXPERIMENT = "depth_fits"

_POINTS = 150
_NOISE = 0.03  # of informed starts
_SMALL_NOISE = 0.001  # of those near an exact solution
_SMALLEST = 1e-24  # mean squared error at which no further start is tried


def run_size(
    act: str, d: int, n: int, depth: int, *, targets: int, restarts: int, steps: int, seed: int = 0
) -> pd.DataFrame:
    """Return rows of ``depth_fits`` for random targets of one size.

    Parameters
    ----------
    act
        The activation of targets and fits.
    d, n, depth
        Input dimension, width N and number L of the target's blocks.
    restarts
        Starting points of a fit.
    steps
        Evaluations of the Jacobian for each start.
    """
    import pandas as pd

    rows, sigma = [], activation(act)
    for target in range(targets):
        rng = generator(EXPERIMENT, f"{act}/{d}/{n}/{depth}/{target}", seed)
        layers = [
            Layer(gaussian((n, d), rng=rng), gaussian((d, n), rng=rng) / n**0.5, np.eye(d))
            for _ in range(depth)
        ]
        train, fresh = gaussian((_POINTS, d), rng=rng), gaussian((_POINTS, d), rng=rng)
        wanted, held = (forward(layers, x, sigma.float) for x in (train, fresh))
        for widths in growing_widths(n, d, depth):
            started = perf_counter()
            losses = [float("inf"), float("inf")]
            for number in range(restarts):
                start = _start(layers, widths, informed=number % 2 == 0, rng=rng)
                fitted = fit(start, train, wanted, sigma, steps=steps)
                loss = _loss(fitted, train, wanted, sigma)
                if loss < losses[0]:
                    losses = [loss, _loss(fitted, fresh, held, sigma)]
                if loss < _SMALLEST:
                    break
            rows.append(
                {
                    "activation": act,
                    "d": d,
                    "N": n,
                    "L": depth,
                    "target": target,
                    "widths": " ".join(map(str, widths)),
                    "k_H": plain_dimension(d, widths),
                    "parameters": residual_dimension(d, [n] * depth),
                    "best_train": losses[0],
                    "best_heldout": losses[1],
                    "restarts": number + 1,
                    "seconds": perf_counter() - started,
                }
            )
    return pd.DataFrame(rows)


def growing_widths(n: int, d: int, depth: int) -> list[tuple[int, ...]]:
    """Return widths from N − 1 in the last block (if N > 1), then N, up to N + d in all, a unit at a time.

    Examples
    --------
    >>> growing_widths(3, 1, 2)
    [(3, 2), (3, 3), (3, 4), (4, 4)]
    """
    widths = [n] * depth
    grown = [tuple(widths)] if n == 1 else [(*widths[:-1], n - 1), tuple(widths)]
    for _ in range(d):
        for block in reversed(range(depth)):
            widths[block] += 1
            grown.append(tuple(widths))
    return grown


def fit(start: Sequence[Layer], x: Floats, y: Floats, sigma: Activation, *, steps: int) -> list[Layer]:
    """Return the weights to which a trust-region method leads from a start, the same in every run.

    Parameters
    ----------
    start
        Blocks without skips.
    x, y
        Inputs and wanted outputs, shape (P, d).
    """
    from scipy.optimize import least_squares

    shapes = [layer.w_up.shape for layer in start]

    def residual(flat: Floats) -> Floats:
        return (forward(_unpacked(flat, shapes), x, sigma.float) - y).ravel()

    def slopes(flat: Floats) -> Floats:
        return jacobian(_unpacked(flat, shapes), x, sigma.float, sigma.derivative_float)

    found = least_squares(  # not method="lm": SciPy's MINPACK may end elsewhere when called again
        residual, _packed(start), slopes, method="trf", max_nfev=steps, xtol=1e-15, ftol=1e-15, gtol=1e-15
    )
    return _unpacked(found.x, shapes)


def _packed(layers: Sequence[Layer]) -> Floats:
    return np.concatenate([part.ravel() for layer in layers for part in (layer.w_up, layer.w_down)])


def _unpacked(flat: Floats, shapes: Sequence[tuple[int, ...]]) -> list[Layer]:
    layers, place = [], 0
    for n, d in shapes:
        up = flat[place : place + n * d].reshape(n, d)
        layers.append(Layer(up, flat[place + n * d : place + 2 * n * d].reshape(d, n)))
        place += 2 * n * d
    return layers


def _start(
    layers: Sequence[Layer], widths: Sequence[int], *, informed: bool, rng: np.random.Generator
) -> list[Layer]:
    """Draw a start; an informed one is near the target's rows, the extra ones negated, and their columns.

    At widths N + d it is near the blocks of Proposition 8(i), which are exact.
    """
    start = []
    for layer, width in zip(layers, widths, strict=True):
        n, d = layer.w_up.shape
        up, down = gaussian((width, d), rng=rng), gaussian((d, width), rng=rng) / width**0.5
        if informed:
            order = np.concatenate([rng.permutation(n), rng.permutation(n)])[:width]
            signs = np.where(np.arange(width) < n, 1.0, -1.0)
            columns, noise = layer.w_down[:, order], _NOISE
            if width == n + d:
                order = np.concatenate([np.arange(n), np.arange(d)])
                carried = np.linalg.inv(layer.w_up[:d])
                columns = np.concatenate([layer.w_down, -carried], axis=1)
                columns[:, :d] += carried
                noise = _SMALL_NOISE
            up = layer.w_up[order] * signs[:, None] + noise * up
            down = columns + noise * down
        start.append(Layer(up, down))
    return start


def _loss(layers: Sequence[Layer], x: Floats, y: Floats, sigma: Activation) -> float:
    return float(((forward(layers, x, sigma.float) - y) ** 2).mean())
