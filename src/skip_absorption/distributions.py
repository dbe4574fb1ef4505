"""Named distributions over the weights of a block, drawn many at a time; every draw is an exact number.

All weights are float64 arrays, and each float stands for the dyadic rational that it stores: integers and
low-precision formats are among them. A new distribution is one more entry of `DISTRIBUTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput

Floats = NDArray[np.float64]
Draw = Callable[[tuple[int, int, int], np.random.Generator], tuple[Floats, Floats]]

MIXED, CONTINUOUS, DISCRETE = "mixed", "continuous", "discrete"


@dataclass(frozen=True)
class Distribution:
    """A distribution over W_up and W_down.

    Attributes
    ----------
    name
        How configuration and tables call it.
    kind
        "continuous" (before rounding to float64 it has a density on all matrices, or on those of one rank),
        "discrete" (finitely many values), or "mixed".
    meaning
        What it is, in a few words.
    draw
        From (count, d, N) and a generator to W_up (count, N, d) and W_down (count, d, N).
    values
        The values of the entries, where they are independent and uniform on few values.
    """

    name: str
    kind: str
    meaning: str
    draw: Draw
    values: tuple[int, ...] | None = None


def distribution(name: str) -> Distribution:
    """Return the distribution of a name; ``integers_B`` has entries uniform on −B..B.

    Raises
    ------
    InvalidInput
        For an unknown name, which lists the known ones.

    Examples
    --------
    >>> distribution("integers_2").values
    (-2, -1, 0, 1, 2)
    """
    family, _, bound = name.partition("_")
    if family == "integers" and bound.isdecimal() and 1 <= int(bound) <= 1 << 20:
        return _integers(name, int(bound))
    if name not in DISTRIBUTIONS:
        raise InvalidInput("distribution", f"be one of {', '.join(DISTRIBUTIONS)}, integers_B", name)
    return DISTRIBUTIONS[name]


def _independent(entries: Callable[[tuple[int, ...], np.random.Generator], Floats]) -> Draw:
    """Draw all entries independently, W_up first."""

    def draw(size: tuple[int, int, int], rng: np.random.Generator) -> tuple[Floats, Floats]:
        count, d, n = size
        return entries((count, n, d), rng), entries((count, d, n), rng)

    return draw


def _gaussian(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    return rng.standard_normal(shape)


def _student(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    return rng.standard_t(2.0, shape)


def _sparse(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    kept = rng.random(shape) < 0.5
    return np.where(kept, rng.standard_normal(shape), 0.0)


def _uniform(variance: Callable[[int, int], float]) -> Draw:
    """Draw uniform entries of variance ``variance(fan_in, fan_out)``, as initialisers of layers do."""

    def draw(size: tuple[int, int, int], rng: np.random.Generator) -> tuple[Floats, Floats]:
        count, d, n = size
        up, down = ((3 * variance(*fans)) ** 0.5 for fans in ((d, n), (n, d)))
        return rng.uniform(-up, up, (count, n, d)), rng.uniform(-down, down, (count, d, n))

    return draw


def _orthogonal(size: tuple[int, int, int], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return W_up with orthonormal columns, W_down with orthonormal rows, up to rounding."""
    count, d, n = size
    frames = []
    for _ in range(2):
        q, r = np.linalg.qr(rng.standard_normal((count, n, d)))
        frames.append(q * np.where(np.diagonal(r, axis1=1, axis2=2) < 0, -1.0, 1.0)[:, None, :])
    return frames[0], np.ascontiguousarray(frames[1].transpose(0, 2, 1))


def _low_rank(size: tuple[int, int, int], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return products of Gaussian factors of rank d − 1, rounded to 2⁻²⁰: their product is exact."""
    count, d, n = size

    def factor(*shape: int) -> Floats:
        return np.rint(rng.standard_normal((count, *shape)) * 2**20) / 2**20

    return factor(n, d - 1) @ factor(d - 1, d), factor(d, d - 1) @ factor(d - 1, n)


def _correlated(size: tuple[int, int, int], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return Gaussian rows of W_up, and columns of W_down, any two of correlation 1/2."""
    count, d, n = size
    up = (rng.standard_normal((count, n, d)) + rng.standard_normal((count, 1, d))) / np.sqrt(2)
    down = (rng.standard_normal((count, d, n)) + rng.standard_normal((count, d, 1))) / np.sqrt(2)
    return up, down


def _fixed_point(bits: int, step: float) -> Draw:
    """Round Gaussian entries to signed integers of so many bits, times a power of two."""
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1

    def entries(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        grid: Floats = np.clip(np.rint(rng.standard_normal(shape) / step), low, high) * step
        return grid

    return _independent(entries)


def _format(name: str) -> Draw:
    """Round Gaussian entries to a floating-point format of ml_dtypes."""

    def entries(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        import ml_dtypes

        kind: Any = getattr(ml_dtypes, name)
        return rng.standard_normal(shape).astype(kind).astype(np.float64)

    return _independent(entries)


def _integers(name: str, bound: int) -> Distribution:
    def entries(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        return rng.integers(-bound, bound + 1, shape).astype(np.float64)

    values = tuple(range(-bound, bound + 1))
    return Distribution(
        name, DISCRETE, f"uniform integers in -{bound}..{bound}", _independent(entries), values
    )


DISTRIBUTIONS = {
    entry.name: entry
    for entry in (
        Distribution("gaussian", CONTINUOUS, "standard normal", _independent(_gaussian)),
        Distribution("kaiming", CONTINUOUS, "Kaiming uniform", _uniform(lambda ins, outs: 2 / ins)),
        Distribution("lecun", CONTINUOUS, "LeCun uniform", _uniform(lambda ins, outs: 1 / ins)),
        Distribution("xavier", CONTINUOUS, "Xavier uniform", _uniform(lambda ins, outs: 2 / (ins + outs))),
        Distribution("orthogonal", CONTINUOUS, "orthonormal frames", _orthogonal),
        Distribution("student", CONTINUOUS, "Student's t, 2 degrees of freedom", _independent(_student)),
        Distribution("correlated", CONTINUOUS, "normal rows of correlation 1/2", _correlated),
        Distribution("low_rank", CONTINUOUS, "normal factors of rank d - 1", _low_rank),
        Distribution("sparse", MIXED, "0 with probability 1/2, else normal", _independent(_sparse)),
        Distribution("bfloat16", DISCRETE, "normal, rounded to bfloat16", _format("bfloat16")),
        Distribution("float8", DISCRETE, "normal, rounded to float8 (e4m3)", _format("float8_e4m3fn")),
        Distribution("int8", DISCRETE, "normal, rounded to 8 bits of step 1/32", _fixed_point(8, 1 / 32)),
        Distribution("int4", DISCRETE, "normal, rounded to 4 bits of step 1/4", _fixed_point(4, 1 / 4)),
        _integers("ternary", 1),
    )
}
"""All distributions but the family ``integers_B``, by name."""
