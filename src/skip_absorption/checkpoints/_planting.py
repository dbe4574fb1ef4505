"""Small random weights in a stored type: generic, or such that the absorption condition holds exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def generic(shape: tuple[int, ...], dtype: np.dtype[Any], *, rng: np.random.Generator) -> NDArray[Any]:
    """Return standard normal numbers rounded to a type."""
    return rng.standard_normal(shape).astype(dtype)


def planted_in(
    dtype: np.dtype[Any], d: int, n: int, *, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any], tuple[int, ...]]:
    """Return W_up (N, d), W_down (d, N) and S with W_down[:, S] W_up[S, :] = −I exactly in the type.

    The rows of S are an integer matrix of determinant 1, a product of elementary ones, and its columns are
    the negative inverse; the other units are random. Rows are pairwise non-collinear with probability 1, and
    the integers are at most 3, so that every type holds them.
    """
    lower = np.eye(d, dtype=np.int64) - np.eye(d, k=-1, dtype=np.int64)
    inverse = np.tril(np.ones((d, d), dtype=np.int64))
    signs = rng.choice(np.array([-1, 1]), size=d)
    order = rng.permutation(d)
    basis = (lower * signs[:, None])[:, order]
    dual = (inverse * signs[None, :])[order]
    units = np.sort(rng.permutation(n)[:d])
    w_up, w_down = generic((n, d), dtype, rng=rng), generic((d, n), dtype, rng=rng)
    w_up[units], w_down[:, units] = basis.astype(dtype), -dual.astype(dtype)
    return w_up, w_down, tuple(int(i) for i in units)
