"""Condition (3) and the generic hypotheses for many small networks at once, each decided exactly.

Every float is mapped exactly into F_p, p = 2^61 − 1. For fixed probes l, r the equation ``sum_{i in S} a_i
w_i^T = -I`` implies ``sum_{i in S} (l . a_i)(w_i . r) = -(l . r)`` modulo p, and all 2^N subsets are checked
for the latter. So a network without such a subset does not satisfy (3), whatever the probes; a subset that
passes is verified over Q. Likewise rows that are not collinear modulo p are not collinear, and rows that look
collinear are compared over Q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.integral import flips_of
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import exact_matmul, identity, to_fractions

Floats = NDArray[np.float64]

MAX_UNITS = 40
"""Above, the 2^(N/2) sums of half the units would fill the memory."""

_P = (1 << 61) - 1
_CHUNK = 1 << 22  # entries whose residues are kept at a time
_GRID = 2.0**12  # of multiples of 1/_GRID up to _SMALL, MAX_UNITS products have an exact sum in float64
_SMALL = 2.0**8


@dataclass(frozen=True)
class BatchDecision:
    """Exact answers for a batch of networks, one entry a network.

    Attributes
    ----------
    condition
        Whether condition (3) holds with M = I: some S has ``sum_{i in S} a_i w_i^T = -I``.
    generic
        Whether (G) holds: rows nonzero and pairwise non-collinear, columns nonzero, d >= 2, N >= d.
    masks
        For networks that satisfy (3) one such S as a bit mask, else −1.
    """

    condition: NDArray[np.bool_]
    generic: NDArray[np.bool_]
    masks: NDArray[np.int64]


def decide_batch(w_up: Floats, w_down: Floats, *, rng: np.random.Generator) -> BatchDecision:
    """Decide condition (3) and the generic hypotheses for a batch of networks of one size.

    Parameters
    ----------
    w_up, w_down
        Finite float64 arrays of shapes (count, N, d) and (count, d, N), N <= 40.
    rng
        Draws the probes; the answers do not depend on it.

    Raises
    ------
    InvalidInput
        For other shapes, more units, or entries that are not finite.

    Examples
    --------
    >>> eye = np.eye(2)[None]
    >>> w_up, w_down = np.concatenate([eye, eye]), np.concatenate([-eye, eye])
    >>> found = decide_batch(w_up, w_down, rng=np.random.default_rng(0))
    >>> found.condition.tolist(), found.masks.tolist(), found.generic.tolist()
    ([True, False], [3, -1], [True, True])
    """
    count, n, d = w_up.shape
    if w_down.shape != (count, d, n):
        raise InvalidInput("w_down", f"have shape {(count, d, n)}", w_down.shape)
    if n > MAX_UNITS:
        raise InvalidInput("N", f"be at most {MAX_UNITS} in a batch", n)
    if not (np.isfinite(w_up).all() and np.isfinite(w_down).all()):
        raise InvalidInput("the weights", "be finite", "NaN or infinity")
    probes = rng.integers(1, _P, size=(4, d)).astype(np.uint64)
    step = max(1, _CHUNK // max(1, n * d))
    masks, pairs = [], []
    for first in range(0, count, step):
        part = slice(first, first + step)
        found = _modulo(w_up[part], w_down[part], probes)
        masks.append(found[0])
        pairs.append(found[1])
    verified = _verified(w_up, w_down, np.concatenate([*masks, np.zeros(0, dtype=np.int64)]), rng=rng)
    broken = _violated(w_up, np.concatenate([*pairs, np.zeros(0, dtype=np.int64)]))
    generic = ~(broken | (w_down == 0).all(axis=1).any(axis=1)) & (2 <= d <= n)
    return BatchDecision(verified >= 0, generic, verified)


def residues(weights: Floats) -> NDArray[np.uint64]:
    """Return the floats modulo 2^61 − 1, where m·2^e is m shifted e places around a ring of 61 bits.

    Examples
    --------
    >>> residues(np.array([3.0, 0.5, -1.0])) * np.uint64(1)
    array([                  3, 1152921504606846976, 2305843009213693950],
          dtype=uint64)
    """
    fractions, exponents = np.frexp(weights)
    mantissas = np.abs(fractions * 2.0**53).astype(np.uint64)
    places = ((exponents.astype(np.int64) - 53) % 61).astype(np.uint64)
    p = np.uint64(_P)
    turned = ((mantissas << places) & p) | (mantissas >> (np.uint64(61) - places))
    out: NDArray[np.uint64] = np.where((fractions < 0) & (turned > 0), p - turned, turned)
    return out


def _modulo(w_up: Floats, w_down: Floats, probes: NDArray[np.uint64]) -> tuple[Any, Any]:
    """Return for each network the subset and the pair of rows that pass modulo p, or −1."""
    from skip_absorption.absorption import _batch_kernels as kernels

    up, down = residues(w_up), residues(w_down)
    goal = -sum(int(x) * int(y) for x, y in zip(probes[0], probes[1], strict=True)) % _P
    terms = kernels.images(up, down, probes[0], probes[1])
    return kernels.subsets(terms, np.uint64(goal)), kernels.collinear_pairs(up, probes[2], probes[3])


def _verified(
    w_up: Floats, w_down: Floats, masks: NDArray[np.int64], *, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the masks that solve over Q; another one, or −1, where the first did not."""
    out = masks.copy()
    found = np.flatnonzero(masks >= 0)
    n, d = w_up.shape[1:]
    bits = (masks[found, None] >> np.arange(n)) & 1
    sums = (w_down[found] * bits[:, None, :]) @ w_up[found]
    exact = _on_grid(w_up[found]) & _on_grid(w_down[found])
    solved = exact & (sums == -np.eye(d)).all(axis=(1, 2))
    for b in found[~solved]:
        units = list(flips_of(int(masks[b])))
        product = exact_matmul(to_fractions(w_down[b][:, units]), to_fractions(w_up[b][units]))
        if not units or np.any(product != -identity(d)):
            out[b] = _by_search(w_up[b], w_down[b], rng=rng)
    return out


def _by_search(w_up: Floats, w_down: Floats, *, rng: np.random.Generator) -> int:
    """Decide one network whose subset modulo p is none over Q, by listing all of them over Q."""
    from skip_absorption.absorption.condition import Absorption, decide

    found = decide(w_up, w_down, condition_only=True, rng=rng)
    if found.verdict is Absorption.UNKNOWN:
        raise InvalidInput("a network of the batch", "be decided within the time of one search", found.proof)
    return sum(1 << i for i in found.flip_set) if found.flip_set else -1


def _violated(w_up: Floats, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which networks have a zero row or two collinear rows, over Q."""
    n = w_up.shape[1]
    broken: NDArray[np.bool_] = (w_up == 0).all(axis=2).any(axis=1)
    for b in np.flatnonzero((pairs >= 0) & ~broken):
        i, j = divmod(int(pairs[b]), n)
        broken[b] = _collinear(w_up[b, i], w_up[b, j]) or any(
            _collinear(w_up[b, i], w_up[b, j]) for i in range(n) for j in range(i)
        )
    return broken


def _collinear(x: Floats, y: Floats) -> bool:
    """Whether two rows are collinear over Q; products of floats are taken as rationals."""
    k = int(np.argmax(np.abs(x)))
    (xs, ys) = ([value.as_integer_ratio() for value in row.tolist()] for row in (x, y))
    return all(
        xs[k][0] * ys[j][0] * xs[j][1] * ys[k][1] == xs[j][0] * ys[k][0] * xs[k][1] * ys[j][1]
        for j in range(len(x))
    )


def _on_grid(weights: Floats) -> NDArray[np.bool_]:
    """Return for which networks sums of products of entries are exact in float64."""
    scaled = weights * _GRID
    inside: NDArray[np.bool_] = ((scaled == np.rint(scaled)) & (np.abs(weights) <= _SMALL)).all(axis=(1, 2))
    return inside
