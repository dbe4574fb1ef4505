from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.errors import InvalidInput
from skip_absorption.networks.hypotheses import hypotheses

ACTIVATIONS = ["relu", "leaky_relu:1/10", "gelu", "gelu_tanh", "silu"]
small = st.integers(-2, 2)


def by_definition(w_up, w_down, activation, b_up) -> bool:
    """Compare all pairs by 2 x 2 minors, or by equality up to sign."""
    rows = [[*map(int, row)] for row in w_up]
    if not all(any(row) for row in rows) or not all(any(column) for column in np.transpose(w_down)):
        return False
    units = rows if b_up is None else [[*row, int(b)] for row, b in zip(rows, b_up, strict=True)]
    for i, v in enumerate(units):
        for w in units[:i]:
            if activation in ("gelu", "gelu_tanh", "silu"):
                if v == w or v == [-x for x in w]:
                    return False
            elif all(v[k] * w[j] == v[j] * w[k] for k in range(len(v)) for j in range(k)):
                return False
    return True


@pytest.mark.parametrize("activation", ACTIVATIONS)
@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_against_all_pairs(activation: str, data):
    n, d, m = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2))
    w_up = data.draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=n, max_size=n))
    w_down = data.draw(st.lists(st.lists(small, min_size=n, max_size=n), min_size=m, max_size=m))
    b_up = data.draw(st.none() | st.lists(small, min_size=n, max_size=n))
    kind = data.draw(st.sampled_from([np.float32, np.float64, np.int64, object]))
    arrays = [np.array(a, dtype=kind) for a in (w_up, w_down)]
    found = hypotheses(*arrays, activation, b_up)
    assert found.generic == by_definition(w_up, w_down, activation, b_up)
    assert found.generic == (not found.violations)


@pytest.mark.parametrize(
    ("w_up", "w_down", "activation", "b_up", "lines"),
    [
        ([[1, 0], [0, 0]], [[1, 1]], "relu", None, ["row 1 of w_up is zero"]),
        ([[1, 0], [0, 0]], [[1, 1]], "gelu", [0, 1], ["row 1 of w_up is zero"]),
        ([[1, 0], [0, 1]], [[1, 0], [0, 0]], "gelu", None, ["column 1 of w_down is zero"]),
        ([[1, 0], [0, 1], [-3, 0]], [[1, 1, 1]], "relu", None, ["rows 0 and 2 of w_up are collinear"]),
        ([[1, 0], [0, 1], [-3, 0]], [[1, 1, 1]], "gelu", None, []),
        ([[1, 0], [0, 1], [-1, 0]], [[1, 1, 1]], "silu", None, ["rows 0 and 2 of w_up are opposed"]),
        ([[1, 0], [1, 0]], [[1, 1]], "gelu_tanh", None, ["rows 0 and 1 of w_up are equal"]),
        ([[1], [1], [-1]], [[1, 1, 1]], "gelu", None, ["rows 0, 1 and 2 of w_up are equal or opposed"]),
        ([[1, 0], [2, 0]], [[1, 1]], "relu", [1, 1], []),
        ([[1, 0], [2, 0]], [[1, 1]], "relu", [1, 2], ["rows 0 and 1 of (w_up, b_up) are collinear"]),
        ([[1, 0], [-1, 0]], [[1, 1]], "gelu", [1, 1], []),
        ([[1, 0], [-1, 0]], [[1, 1]], "gelu", [1, -1], ["rows 0 and 1 of (w_up, b_up) are opposed"]),
        ([[1], [2]], [[1, 1]], "gelu", None, []),
    ],
)
def test_violations_are_named(w_up, w_down, activation, b_up, lines):
    found = hypotheses(w_up, w_down, activation, b_up)
    assert list(found.violations) == lines
    assert found.generic == (not lines)


def test_long_lists_are_shortened():
    found = hypotheses(np.ones((30, 2)), np.zeros((1, 30)), "relu")
    assert found.violations[-1] == "rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 20 others of w_up are collinear"
    assert found.violations[9:11] == ("column 9 of w_down is zero", "20 more zero columns of w_down")
    pairs = np.repeat(np.arange(1, 13), 2)
    many = hypotheses(np.stack([pairs, pairs**2], axis=1), np.ones((1, 24)), "gelu")
    assert len(many.violations) == 11
    assert many.violations[-1] == "2 more such sets of rows of w_up"


def test_one_ulp_separates_two_rows_of_a_real_layer():
    rng = np.random.default_rng(7)
    w_up = rng.standard_normal((300, 80), dtype=np.float32)
    w_down = rng.standard_normal((80, 300), dtype=np.float32)
    assert hypotheses(w_up, w_down, "relu").generic
    w_up[11] = -4 * w_up[250]
    assert hypotheses(w_up, w_down, "relu").violations == ("rows 11 and 250 of w_up are collinear",)
    assert hypotheses(w_up, w_down, "gelu").generic
    w_up[11, 79] = np.nextafter(w_up[11, 79], np.float32(0))
    assert hypotheses(w_up, w_down, "relu").generic


def test_misuse():
    with pytest.raises(InvalidInput, match=r"w_down must have shape \(m, 2\); got \(1, 3\)"):
        hypotheses([[1], [2]], [[1, 2, 3]], "relu")
    with pytest.raises(InvalidInput, match=r"b_up must have shape \(2,\); got \(1,\)"):
        hypotheses([[1], [2]], [[1, 2]], "relu", [1])
    with pytest.raises(InvalidInput, match="Proposition 1"):
        hypotheses([[1], [2]], [[1, 2]], "relu_squared")
    assert not hypotheses([[Fraction(1, 3)], [1]], [[1, 2]], "relu").generic
