"""Primes and residues against Fraction arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.errors import InvalidInput
from skip_absorption.exact._kernels import row_products
from skip_absorption.exact.prime_field import eliminate, matmul_mod, random_prime, reduce_mod

PRIMES = st.sampled_from([3, 5, 7, 101, 65537, 4194301, 16777213, 2147483647])
EDGES = [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 2.0**-1000, -(2.0**1000), 1.7976931348623157e308, 0.1]


def oracle(entry, p):
    value = Fraction(*entry.as_integer_ratio()) if isinstance(entry, float) else Fraction(int(entry))
    return value.numerator * pow(value.denominator, -1, p) % p


def trial_division(n):
    return n > 1 and all(n % q for q in range(2, int(n**0.5) + 1))


@pytest.mark.parametrize("bits", [3, 5, 12, 22, 24])
def test_random_primes_are_prime_and_have_their_size(bits):
    rng = np.random.default_rng(bits)
    for _ in range(10):
        p = random_prime(rng=rng, bits=bits)
        assert p.bit_length() == bits
        assert trial_division(p)


def test_random_primes_follow_their_generator():
    draws = [[random_prime(rng=np.random.default_rng(seed)) for _ in range(2)] for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


@pytest.mark.parametrize("bits", [-1, 2, 63])
def test_random_prime_refuses_other_sizes(bits):
    with pytest.raises(InvalidInput, match="bits must be from 3 to 62"):
        random_prime(rng=np.random.default_rng(0), bits=bits)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8), PRIMES)
def test_floats_are_the_dyadic_rationals_they_store(values, p):
    array = np.array(values + EDGES)
    residues = reduce_mod(array, p)
    assert residues.dtype == np.float64
    assert residues.tolist() == [oracle(x, p) for x in array.tolist()]


@settings(deadline=None, max_examples=80)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=8), PRIMES)
def test_narrow_floats(values, p):
    single = np.array([*values, 1e-45, -3.4028234e38], dtype=np.float32)
    assert reduce_mod(single, p).tolist() == [oracle(x, p) for x in single.tolist()]
    with np.errstate(over="ignore"):
        half = single.astype(np.float16)
    half = half[np.isfinite(half)]
    assert reduce_mod(half, p).tolist() == [oracle(x, p) for x in half.tolist()]


@settings(deadline=None, max_examples=80)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8), PRIMES)
def test_integers(values, p):
    wide = np.array([*values, -(2**63), 2**63 - 1], dtype=np.int64)
    assert reduce_mod(wide, p).tolist() == [x % p for x in wide.tolist()]
    unsigned = wide.view(np.uint64)
    assert reduce_mod(unsigned, p).tolist() == [x % p for x in unsigned.tolist()]
    small = wide.astype(np.int8)
    assert reduce_mod(small, p).tolist() == [x % p for x in small.tolist()]


@settings(deadline=None, max_examples=80)
@given(st.lists(st.one_of(st.integers(), st.fractions()), min_size=1, max_size=8))
def test_objects(values):
    p = 4194301
    array = np.array(values, dtype=object)
    if any(Fraction(x).denominator % p == 0 for x in values):
        return
    expected = [Fraction(x).numerator * pow(Fraction(x).denominator, -1, p) % p for x in values]
    assert reduce_mod(array, p).tolist() == expected


def test_layouts_and_chunks():
    rng = np.random.default_rng(0)
    p = 4194301
    wide = rng.standard_normal((3, 300_000)).astype(np.float32)  # more than a chunk
    for view in (wide, wide.T, wide[:, ::7], wide[::-1], wide[:, :0], wide[:0]):
        residues = reduce_mod(view, p)
        assert residues.shape == view.shape
        assert residues.flags.c_contiguous
        for where in [(0, 0), (-1, -1)] if view.size else []:
            assert residues[where] == oracle(float(view[where]), p)
    assert reduce_mod(wide.T, p).tobytes() == reduce_mod(wide, p).T.copy().tobytes()
    assert reduce_mod(np.float64(0.5), 7).shape == ()
    assert reduce_mod(np.zeros((2, 3, 4)), 7).shape == (2, 3, 4)


@pytest.mark.parametrize("p", [1, 2, 4, 9, 4194303, 2147483649, -3, 0, 7.0, np.int64(9)])
def test_only_odd_primes_are_moduli(p):
    for function in (
        lambda: reduce_mod(np.ones(2), p),
        lambda: eliminate(np.ones((2, 2)), p),
        lambda: matmul_mod(np.ones((1, 1)), np.ones((1, 1)), p),
    ):
        with pytest.raises(InvalidInput, match="p must be an odd prime"):
            function()


def test_primes_too_large_for_float_products_are_refused():
    assert reduce_mod(np.array([-1]), 2147483647).tolist() == [2147483646]
    with pytest.raises(InvalidInput, match=r"p must be an odd prime below 2\^24; got 2147483647"):
        eliminate(np.ones((1, 1)), 2147483647)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1.0, np.nan]), "array must hold finite numbers"),
        (np.array([-np.inf]), "array must hold finite numbers"),
        (
            np.array([Fraction(1, 14)], dtype=object),
            "array must have no denominator that 7 divides; got 1/14",
        ),
        (np.array([True]), "array must hold real numbers"),
        (np.array([1j]), "array must hold real numbers"),
        (np.array(["1"]), "array must hold real numbers"),
        (np.array([0.5], dtype=object), "array must hold integers and fractions"),
        (np.array([True], dtype=object), "array must hold integers and fractions"),
    ],
)
def test_other_entries_are_refused(array, message):
    with pytest.raises(InvalidInput, match=message):
        reduce_mod(array, 7)


@pytest.mark.parametrize("p", [3, 7, 101, 4194301, 16777213])
def test_products_of_rows_are_exact_next_to_every_multiple(p: int) -> None:
    rng = np.random.default_rng(p)
    left = np.concatenate([[p - 1, p - 1, 1, 0], rng.integers(1, p, 4096)]) % p
    near = np.array([pow(int(a), -1, p) if a else 0 for a in left])  # products 1 and p - 1 modulo p
    right = np.stack([near, (p - near) % p, np.full(len(left), p - 1)])
    out = np.empty((3, len(left)))
    rows = np.zeros(3, dtype=np.int64), np.arange(3)
    sides = (left[None].astype(np.float64), rows[0]), (right.astype(np.float32), rows[1])
    row_products(out, *sides, float(p))
    assert out.astype(int).tolist() == [
        [a * b % p for a, b in zip(left.tolist(), r, strict=True)] for r in right.tolist()
    ]
