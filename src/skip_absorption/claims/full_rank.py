"""Weights with rank W_up = d, for Proposition 8."""

from __future__ import annotations

import numpy as np

from skip_absorption.claims.flips import Instance
from skip_absorption.claims.running import Case
from skip_absorption.exact.rational import ExactArray, rank, to_fractions
from skip_absorption.measures import gaussian, generic_integers, planted_width
from skip_absorption.networks.activations import Activation

ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
BOUND = 1000  # of the large integers


def draw(case: Case, act: Activation, weights: str, extra: int) -> Instance:
    """Draw weights with rank W_up = d; planted ones absorb at width N + extra for almost every draw."""
    d, n, rng = case.d, case.n, case.rng
    while True:
        w_up, w_down = _weights(d, n, weights, extra, rng=rng)
        if rank(w_up) == d:
            break
    if weights == "planted":  # the columns are planted for 2c = 1
        w_down = to_fractions(w_down) / Instance(w_up, w_down, act).odd
    return Instance(w_up, w_down, act)


def _weights(
    d: int, n: int, weights: str, extra: int, *, rng: np.random.Generator
) -> tuple[ExactArray, ExactArray]:
    if weights == "gaussian":
        return gaussian((n, d), rng=rng), gaussian((d, n), rng=rng)
    if weights == "integers":
        return generic_integers(d, n, rng=rng, bound=BOUND)
    if weights == "collinear":
        lines = rng.integers(-1, 2, size=(d, d))
        return lines[np.arange(n) % d] * rng.integers(-2, 3, size=(n, 1)), rng.integers(-1, 2, size=(d, n))
    return planted_width(d, n, extra, rng=rng, bound=BOUND)
