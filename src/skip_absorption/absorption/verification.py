"""Whether a given set of units satisfies condition (3), over Q and at the size of real layers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.equations import Question
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.prime_field import matmul_mod, random_prime, reduce_mod
from skip_absorption.exact.rational import ExactArray, exact_matmul, to_fractions

_SMALL = 1 << 18  # multiplications up to which plain fractions are fast
_BLOCK_ROWS = 512


def mismatch_mod(question: Question, units: NDArray[np.int64], p: int) -> tuple[int, int] | None:
    """Return an entry at which odd * sum_{i in S} a_i w_i^T and -M differ modulo p, or None.

    Raises
    ------
    InvalidInput
        If p divides a denominator.
    """
    _, m, d = question.shape
    factor = int(reduce_mod(np.array([question.odd], dtype=object), p)[0])
    up = reduce_mod(question.w_up[units], p)
    for begin in range(0, m, _BLOCK_ROWS):
        rows = np.arange(begin, min(m, begin + _BLOCK_ROWS))
        total = np.zeros((len(rows), d), dtype=np.int64)
        if len(units):
            down = reduce_mod(question.w_down[np.ix_(rows, units)], p)
            total = matmul_mod(down, up, p).astype(np.int64)
        grid = np.repeat(rows, d), np.tile(np.arange(d), len(rows))
        skip = reduce_mod(question.skip_entries(*grid), p).astype(np.int64).reshape(len(rows), d)
        wrong = np.argwhere((total * factor + skip) % p)
        if len(wrong):
            return begin + int(wrong[0, 0]), int(wrong[0, 1])
    return None


def satisfies(question: Question, units: NDArray[np.int64], *, rng: np.random.Generator) -> bool:
    """Whether odd * sum_{i in S} a_i w_i^T = -M over Q, decided exactly (condition (3)).

    Notes
    -----
    Large products are taken modulo distinct primes p that divide no denominator. Scaled by the common
    denominators the difference of the two sides is an integer matrix with entries at most H; when every
    residue vanishes and the product of the primes exceeds H, it is 0.
    """
    _, m, d = question.shape
    if m * d * max(len(units), 1) <= _SMALL:
        return _satisfies_by_fractions(question, units)
    bound = _height(question, units)
    product, used = 1, set[int]()
    while product <= bound:
        p = random_prime(rng=rng, bits=22)
        if p in used:
            continue
        used.add(p)
        try:
            if mismatch_mod(question, units, p) is not None:
                return False
        except InvalidInput:  # p divides a denominator
            continue
        product *= p
    return True


def _satisfies_by_fractions(question: Question, units: NDArray[np.int64]) -> bool:
    _, m, d = question.shape
    rows, columns = np.divmod(np.arange(m * d), d)
    skip = to_fractions(question.skip_entries(rows, columns).reshape(m, d))
    total = exact_matmul(question.w_down[:, units], question.w_up[units])
    return bool((total * question.odd == -skip).all())


def _height(question: Question, units: NDArray[np.int64]) -> int:
    """Return a bound H on the integers that common denominators make of odd * sum_{i in S} a_i w_i^T + M."""
    scale_up, size_up = _scale_and_size(question.w_up[units])
    scale_down, size_down = _scale_and_size(question.w_down[:, units])
    scale_skip, size_skip = (1, 1) if question.skip is None else _scale_and_size(question.skip)
    top, bottom = abs(question.odd.numerator), question.odd.denominator
    return top * scale_skip * len(units) * size_up * size_down + bottom * scale_up * scale_down * size_skip


def _scale_and_size(array: ExactArray) -> tuple[int, int]:
    """Return a common denominator, and a bound on the integers that it makes of the entries."""
    if array.size == 0:
        return 1, 0
    if array.dtype.kind == "f":
        _, exponents = np.frexp(array[array != 0])
        if not exponents.size:
            return 1, 0
        digits = 24 if array.dtype == np.float32 else 53
        scale = 1 << max(0, digits - int(exponents.min()))
        return scale, _ceiling(Fraction(float(np.abs(array).max())) * scale)
    fractions = to_fractions(array).reshape(-1)
    scale = int(np.lcm.reduce([1, *(x.denominator for x in fractions)], dtype=object))
    return scale, _ceiling(max(abs(x) for x in fractions) * scale)


def _ceiling(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)
