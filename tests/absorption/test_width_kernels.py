"""The compiled loops, run as the Python that they are written in: same answers, line by line."""

from fractions import Fraction

import numpy as np
import pytest

from skip_absorption.absorption import _doubling_kernels, _minor_kernels, exact_width
from skip_absorption.absorption.minors import zero_minors
from skip_absorption.absorption.width import minimal_width


def interpret(monkeypatch):
    """Replace every compiled function of the two modules by its source."""
    for module in (_minor_kernels, _doubling_kernels):
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)


def instance(seed):
    """A small network with coincidences; large entries take several primes to decide."""
    rng = np.random.default_rng(seed)
    d, n = 2 + seed % 3, 4 + seed % 2
    up, down = rng.integers(-1, 2, (n, d)), rng.integers(-1, 2, (d, n))
    up[-1] = up[0] + up[1]
    return 10**6 * up, down, 10**6 * rng.integers(-1, 2, (d, d))


def answers(seed):
    up, down, skip = instance(seed)
    minors = zero_minors(up, down, skip=skip, odd=Fraction(1, 2), rng=np.random.default_rng(seed))
    return minors.flips, minors.count, minimal_width(up, down, skip=skip).width


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("nodes", [1, 1000])
def test_interpreted_loops_agree(monkeypatch, seed, nodes):
    compiled = answers(seed)
    monkeypatch.setattr(exact_width, "_NODES", nodes)  # a search that pauses goes on
    interpret(monkeypatch)
    with np.errstate(over="ignore"):  # x - p wraps on purpose
        assert answers(seed) == compiled


@pytest.mark.parametrize("seed", range(6))
def test_interpreted_doublings_agree(monkeypatch, seed):
    rng = np.random.default_rng([seed, 3])
    p, masks = 10007, np.arange(16, dtype=np.uint32)
    skip, down, up = (rng.integers(-1, 2, shape) % p for shape in ((3, 4), (3, 4), (4, 4)))
    calls = [(first, best, nodes) for first in (0, 7) for best in (1, 2, 3, 5) for nodes in (1, 3, 1000)]

    def found():
        search = _doubling_kernels.cheaper_doubling
        return [search(masks, first, (skip, down, up), p, (best, nodes)) for first, best, nodes in calls]

    compiled = found()
    interpret(monkeypatch)
    assert found() == compiled


def test_a_full_list_of_dependent_sets_is_reported(monkeypatch):
    interpret(monkeypatch)
    rows, out = np.array([[1, 0], [2, 0], [3, 0]]), np.zeros(1, dtype=np.uint32)
    bases = np.zeros((3, 2), dtype=np.int64), np.zeros(3, dtype=np.int64)
    walk = tuple(np.zeros(length, dtype=np.int64) for length in (3, 3, 2))
    _doubling_kernels.dependent_sets((rows, 101), out, bases, walk, 1)
    assert walk[-1].tolist() == [1, 0]  # row 0 alone is independent
    _doubling_kernels.dependent_sets((rows, 101), out, bases, walk, 100)
    assert walk[-1].tolist() == [-1, 2]
    assert out.tolist() == [0b011]


@pytest.mark.parametrize("p", [2**30 + 3, 2147483647])
def test_montgomery_reduction_divides_by_2_to_the_32(monkeypatch, p):
    interpret(monkeypatch)
    negative_inverse = np.uint64(-pow(p, -1, 1 << 32) % (1 << 32))
    for x in (0, 1, p - 1, p, 12345678987654321 % (p << 32), (p - 1) ** 2, (p << 32) - 1):
        reduced = _minor_kernels._reduce(np.uint64(x), np.uint64(p), negative_inverse)
        assert (int(reduced) << 32) % p == x % p
        assert 0 <= reduced < p


def test_inverses_and_bit_counts(monkeypatch):
    interpret(monkeypatch)
    for x in (1, 2, 1000, 2147483646):
        assert x * int(_minor_kernels.inverse_mod(x, 2147483647)) % 2147483647 == 1
    assert [int(_minor_kernels.popcount(x)) for x in (0, 1, 6, 255)] == [0, 1, 2, 8]
