"""The residual stream of hyper-connections and mHC: n streams of dimension d, mixed, read and written.

The skip is M ⊗ I_d; the block reads H_pre ⊗ I and writes H_post ⊗ I. In mHC, M is doubly stochastic.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from skip_absorption.exact.rational import ExactArray, identity, is_zero, rank, to_fractions
from skip_absorption.measures import rationals

STREAMS = 4


def stream(kind: str, d: int, *, rng: np.random.Generator) -> tuple[ExactArray, ExactArray, ExactArray]:
    """Return the skip, and how a block on R^d reads and writes the stream: M ⊗ I, H_pre ⊗ I, H_post ⊗ I.

    ``kind`` is "identity" for a single stream, "mixing" for a random invertible M or "doubly stochastic".
    """
    if kind == "identity":
        return identity(d), identity(d), identity(d)
    draw = {"mixing": _random, "doubly stochastic": doubly_stochastic}[kind]
    while True:
        mixing = draw(STREAMS, rng=rng)
        reads, writes = rationals((1, STREAMS), rng=rng), rationals((STREAMS, 1), rng=rng)
        if rank(mixing) == STREAMS and not is_zero(reads) and not is_zero(writes):
            break
    mixed, read, written = (np.kron(to_fractions(h), identity(d)) for h in (mixing, reads, writes))
    return mixed, read, written


def _random(n: int, *, rng: np.random.Generator) -> ExactArray:
    return rationals((n, n), rng=rng)


def doubly_stochastic(n: int, *, rng: np.random.Generator, rounds: int = 50) -> ExactArray:
    """Project a random positive matrix by Sinkhorn's iteration, and make the result exact.

    The entries off the last row and column are rounded to multiples of 2⁻³⁰; those are set so that all rows
    and columns sum to 1.
    """
    scaled = np.exp(rng.standard_normal((n, n)))
    for _ in range(rounds):
        scaled /= scaled.sum(axis=1, keepdims=True)
        scaled /= scaled.sum(axis=0, keepdims=True)
    inner = [[Fraction(round(x * 2**30), 2**30) for x in row[:-1]] for row in scaled[:-1].tolist()]
    top = [[*row, 1 - sum(row, Fraction(0))] for row in inner]
    last = [1 - sum(column, Fraction(0)) for column in zip(*top, strict=True)]
    out = np.array([*top, last], dtype=object)
    assert is_doubly_stochastic(out)
    return out


def is_doubly_stochastic(matrix: ExactArray) -> bool:
    """Whether no entry is negative and every row and column sums to 1, exactly."""
    return bool(np.all(matrix >= 0) and np.all(matrix.sum(axis=0) == 1) and np.all(matrix.sum(axis=1) == 1))
