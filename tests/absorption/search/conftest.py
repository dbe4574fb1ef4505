"""Independent oracles: all subsets by one integer product, and refutations by expansion over Q."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from skip_absorption.exact.rational import to_fractions


def solutions(w_up, w_down, target):
    """All solving subsets of integer weights, from the (2^N, m d) table of all subset sums."""
    n = len(w_up)
    bits = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    dyads = np.einsum("ri,ic->irc", w_down, w_up).reshape(n, -1)
    hits = np.all(bits @ dyads == np.asarray(target).reshape(-1), axis=1)
    return {tuple(int(i) for i in np.flatnonzero(row)) for row in bits[hits]}


def holds(refutation, w_up, w_down, target):
    """Whether a refutation proves that no subset solves, by writing everything out."""
    up, down, goal = (to_fractions(np.asarray(x)).tolist() for x in (w_up, w_down, target))
    m, n, d = len(down), len(up), len(up[0])

    def form(y):
        values = [sum(down[r][i] * y[r][c] * up[i][c] for r in range(m) for c in range(d)) for i in range(n)]
        return values, sum(y[r][c] * goal[r][c] for r in range(m) for c in range(d))

    if refutation["kind"] == "farkas":
        values, right = form([[Fraction(x) for x in row] for row in refutation["Y"]])
        return right > sum(max(x, 0) for x in values)
    p = refutation["p"]

    def residue(x):
        return Fraction(x).numerator * pow(Fraction(x).denominator, -1, p) % p

    if refutation["kind"] == "support":
        values, right = form(refutation["Y"])
        values = [residue(x) for x in values if residue(x)]
        choices = product((0, 1), repeat=len(values))
        sums = {sum(v * b for v, b in zip(values, bits, strict=True)) % p for bits in choices}
        return residue(right) not in sums
    assert refutation["kind"] == "quadratic"
    polynomial = Counter()
    for i, factor in enumerate(refutation["mu"]):
        polynomial[(i, i)] += factor
        polynomial[(i,)] -= factor
    for ell, y in zip(refutation["ell"], refutation["Y"], strict=True):
        values, right = form(y)
        line = [-residue(right), *(residue(v) for v in values)]
        for i, j in product(range(n + 1), repeat=2):
            polynomial[tuple(sorted(k - 1 for k in (i, j) if k))] += ell[i] * line[j]
    return {monomial: c % p for monomial, c in polynomial.items() if c % p} == {(): 1}


def small_instance(rng, *, most_units=10):
    """Small integer weights with many coincidences; some with proportional dyads, low rank, or planted."""
    m, d = (int(x) for x in rng.integers(1, 4, size=2))
    n, size = int(rng.integers(1, most_units + 1)), int(rng.integers(1, 3))
    w_down, w_up = rng.integers(-size, size + 1, (m, n)), rng.integers(-size, size + 1, (n, d))
    if n > 2 and rng.random() < 0.3:
        w_up[1], w_down[:, 1] = w_up[0] * int(rng.integers(-2, 3)), w_down[:, 0]
        w_up[2], w_down[:, 2] = w_up[0], w_down[:, 0] * int(rng.integers(-2, 3))
    if rng.random() < 0.5:
        target = w_down @ (rng.integers(0, 2, n)[:, None] * w_up)
        if rng.random() < 0.4:
            target[rng.integers(m), rng.integers(d)] += int(rng.integers(-1, 2))
    else:
        target = rng.integers(-size, size + 1, (m, d)) * (rng.random() < 0.9)
    return w_up, w_down, target


def planted(rng, n, d, size, dtype=np.float64):
    """Random float weights and the exact target of a random subset of `size` units."""
    from skip_absorption.exact.rational import exact_matmul

    w_up, w_down = rng.standard_normal((n, d)).astype(dtype), rng.standard_normal((d, n)).astype(dtype)
    subset = tuple(sorted(int(i) for i in rng.choice(n, size=size, replace=False)))
    return w_up, w_down, exact_matmul(w_down[:, list(subset)], w_up[list(subset)]), subset


@pytest.fixture
def oracle():
    return SimpleNamespace(solutions=solutions, holds=holds, small_instance=small_instance, planted=planted)
