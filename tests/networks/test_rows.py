from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.networks._rows import integer_vector, opposed, primitive_vector, row_classes, with_bias


def collinear(v: list[Fraction], w: list[Fraction]) -> bool:
    k = next(i for i, x in enumerate(v) if x)
    return w[k] != 0 and [w[k] / v[k] * x for x in v] == w


def signed(v: list[Fraction], w: list[Fraction]) -> bool:
    return v == w or v == [-x for x in w]


def classes_by_pairs(rows: list[list[Fraction]], *, lines: bool) -> list[list[int]]:
    """Compare every row with the first row of every class; the slow oracle."""
    related = collinear if lines else signed
    found: list[list[int]] = []
    for i, row in enumerate(rows):
        home = next((members for members in found if related(rows[members[0]], row)), None)
        if home is None:
            found.append([i])
        else:
            home.append(i)
    return found


def fractions(rows: np.ndarray) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in rows.tolist()]


entries = st.sampled_from([-2, -1, 0, 1, 2, 3, 6])


@settings(deadline=None, max_examples=150)
@given(
    rows=st.lists(st.lists(entries, min_size=6, max_size=6).filter(any), min_size=1, max_size=12),
    scale=st.sampled_from([1, 2.0**-30, 2.0**40, 5e-324]),
    kind=st.sampled_from(["float64", "float32", "int64", "object"]),
    lines=st.booleans(),
)
def test_classes_against_all_pairs(rows, scale, kind, lines):
    if kind == "object":
        array = np.array([[Fraction(x, 7) for x in row] for row in rows], dtype=object)
    elif kind == "int64" or (kind == "float32" and scale == 5e-324):
        array = np.array(rows, dtype=np.int64)
    else:
        array = (np.array(rows) * scale).astype(kind)
    assert row_classes(array, lines=lines) == classes_by_pairs(fractions(array), lines=lines)


def test_multiples_of_every_kind_are_found():
    base = np.array([3.0, -0.1, 1e-300, 7.0])
    rows = np.stack([base, base * 2**60, -base / 8, base, -base])
    assert row_classes(rows, lines=True) == [[0, 1, 2, 3, 4]]
    assert row_classes(rows, lines=False) == [[0, 3, 4], [1], [2]]
    wide = np.array([[1e300, 1e-300], [-1e300, -1e-300], [1e300, np.nextafter(1e-300, 1)]])
    assert row_classes(wide, lines=True) == [[0, 1], [2]]


def test_odd_multiples_that_a_prime_would_hide():
    p = 4194301
    rows = np.array([[1.0, 2.0], [float(p), 2.0 * p], [p + 1.0, 2.0]])
    assert row_classes(rows, lines=True) == [[0, 1], [2]]


def test_integers_near_the_ends_of_int64():
    rows = np.array([[-(2**63), 2**62], [2, -1], [2**63 - 1, 1], [2**62, -(2**61)]], dtype=np.int64)
    assert row_classes(rows, lines=True) == [[0, 1, 3], [2]]
    big = np.array([[2**70, 2**69], [2, 1], [2**70 + 1, 2**69]], dtype=object)
    assert row_classes(big, lines=True) == [[0, 1], [2]]


@pytest.mark.parametrize("kind", ["float32", "float64", "int64"])
@pytest.mark.parametrize("lines", [True, False])
def test_rows_that_differ_only_beyond_every_prefix(kind: str, lines: bool):
    rng = np.random.default_rng(1)
    rows = np.zeros((40, 100), dtype=kind)
    rows[:, :3] = [1, 2, -1]
    rows[:, 70:] = rng.integers(-1, 2, size=(40, 30))
    rows[1] = -rows[0]
    rows[2] = 3 * rows[5]
    rows[10:, :3] = 0
    rows[20] = -rows[30]
    assert row_classes(rows, lines=lines) == classes_by_pairs(fractions(rows), lines=lines)


def test_lines_at_the_edge_of_the_fast_path():
    edge = np.array([2.0**62, 1.0])
    for least in (2.0**-3, 1.0, 2.0**5):
        rows = np.stack([edge, 3 * edge, -5 * edge * least, edge / [2, 1], 7 * edge / [2, 1], edge * [2, 1]])
        assert row_classes(rows, lines=True) == [[0, 1, 2], [3, 4], [5]]


def test_negative_zero_is_zero():
    rows = np.array([[0.0, 1.0], [-0.0, 1.0], [-0.0, -1.0]])
    assert row_classes(rows, lines=False) == [[0, 1, 2]]
    assert row_classes(rows, lines=True) == [[0, 1, 2]]


@given(st.lists(st.fractions(max_denominator=50), min_size=1, max_size=6).filter(any), st.fractions())
def test_primitive_vector(values, factor):
    vector, scale = primitive_vector(values)
    assert [scale * n for n in vector] == values
    assert math.gcd(*vector) == 1
    assert not opposed(vector)
    if factor:
        assert primitive_vector([factor * v for v in values])[0] == vector


def test_integer_vector_and_bias():
    assert integer_vector([0.75, 2, Fraction(-1, 6)]) == ([9, 24, -2], 12)
    mixed = with_bias(np.array([[2**60 + 1, 1]]), np.array([0.5]))
    assert mixed.tolist() == [[2**60 + 1, 1, Fraction(1, 2)]]
    assert with_bias(np.eye(2), np.ones(2, dtype=np.float32)).dtype == np.float64
