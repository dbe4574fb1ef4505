"""Targets of the fits: random weights, or weights with a planted k*, whose exact least width is known."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.width import minimal_width
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray
from skip_absorption.measures import gaussian, planted_width

Floats = NDArray[np.float64]

LEAST_ANGLE = 0.2  # radians between the lines of a target's rows; nearer rows give tiny floors
LARGEST_WEIGHT = 10.0  # of W_down: larger ones hide small errors elsewhere
_SCALE = 64


@dataclass(frozen=True)
class Target:
    """Weights, and what is known exactly of them: k*, and sets F and G that reach it (X1)."""

    w_up: Floats
    w_down: Floats
    extra: int
    flipped: tuple[int, ...]
    doubled: tuple[int, ...]


def draw_target(d: int, n: int, *, planted: int | None = None, rng: np.random.Generator) -> Target:
    """Draw W_up (N, d) with lines at least 0.2 rad apart, and W_down (d, N).

    Gaussian weights, or, for a planted k*, multiples of 1/64 with columns opposed to a dual basis; in both
    cases k* is computed exactly.

    Raises
    ------
    InvalidInput
        Unless 2 <= d <= N, or if 10000 draws give no such rows.
    """
    if not 2 <= d <= n:
        raise InvalidInput("(d, N)", "satisfy 2 <= d <= N", (d, n))
    for _ in range(10_000):
        if planted is None:
            w_up, w_down = gaussian((n, d), rng=rng), gaussian((d, n), rng=rng)
        else:
            w_up, w_down = _planted(d, n, planted, rng=rng)
        unit = w_up / np.linalg.norm(w_up, axis=1, keepdims=True)
        columns = w_down.astype(np.float64)
        if (
            np.abs(np.triu(unit @ unit.T, 1)).max() > np.cos(LEAST_ANGLE)
            or np.abs(columns).max() > LARGEST_WEIGHT
        ):
            continue
        least = minimal_width(w_up, w_down, rng=rng)
        if least.extra is not None and planted in (None, least.extra):
            return Target(w_up, columns, least.extra, least.flipped, least.doubled)
    raise InvalidInput("N", f"leave room for rows {LEAST_ANGLE} rad apart in dimension {d}", n)


def _planted(d: int, n: int, extra: int, *, rng: np.random.Generator) -> tuple[Floats, ExactArray]:
    """Return `planted_width` with rows divided by 64, and columns times 64 where they are a dual basis."""
    w_up, w_down = planted_width(d, n, extra, rng=rng, bound=_SCALE)
    factors = [Fraction(_SCALE) if i < d - extra else Fraction(2, _SCALE) for i in range(n)]
    return w_up.astype(np.float64) / _SCALE, w_down * np.array(factors, dtype=object)


def constructed_rows(target: Target) -> Floats:
    """Return rows of N + k* units that compute the target: F flipped, G doubled, opposed pairs."""
    n, d = target.w_up.shape
    signs = np.ones((n, 1))
    signs[list(target.flipped)] = -1.0
    rows = signs * target.w_up
    pairs = np.eye(d)[: (target.extra - len(target.doubled)) // 2]
    return np.concatenate([rows, -rows[list(target.doubled)], pairs, -pairs])
