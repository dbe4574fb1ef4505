"""The compiled loops of the elimination, run as the Python that they are written in: same answers."""

import numpy as np
import pytest

from skip_absorption.exact import _elimination, _kernels
from skip_absorption.exact.prime_field import eliminate, reduce_mod


def interpret(monkeypatch, *modules):
    """Replace every compiled function that the modules see by its source."""
    for module in modules:
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)


def matrices(p):
    rng = np.random.default_rng(p)
    full, short = rng.integers(0, p, (9, 7)), rng.integers(0, p, (9, 3)) @ rng.integers(0, p, (3, 8)) % p
    short[:, 2] = 0
    return [full, short, np.zeros((4, 5), dtype=int), np.eye(6, dtype=int)[::-1]]


def factors(p):
    found = [eliminate(matrix.astype(np.float64), p) for matrix in matrices(p)]
    return [(e.rank, e.pivot_columns.tolist(), e.determined().tolist(), e.kernel().tolist()) for e in found]


@pytest.mark.parametrize("p", [3, 101, 4194301])
def test_interpreted_elimination_agrees(monkeypatch, p):
    compiled = factors(p)
    interpret(monkeypatch, _kernels, _elimination)
    assert factors(p) == compiled


def test_interpreted_residues_agree(monkeypatch):
    values = np.array([0.0, -0.0, 0.5, -3.25, 5e-324, -(2.0**1000)])
    compiled = reduce_mod(values, 4194301)
    interpret(monkeypatch, _kernels)
    assert np.array_equal(reduce_mod(values, 4194301), compiled)
    assert not _kernels.reduce_floats(np.zeros(1), np.array([np.inf]).view(np.int64), np.zeros(2047), 7)
    out = np.zeros((1, 3))
    _kernels.row_products(out, (np.full((1, 3), 6.0), np.zeros(1, int)), (np.eye(3), np.array([1])), 7.0)
    assert out.tolist() == [[0.0, 6.0, 0.0]]
