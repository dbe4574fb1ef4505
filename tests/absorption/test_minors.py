"""All 2^N determinants at once, against one determinant after another."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.absorption import minors
from skip_absorption.absorption.budget import Budget, Clock
from skip_absorption.absorption.integral import IntegralNetwork, flips_of, word_prime
from skip_absorption.absorption.minors import compressed, zero_masks, zero_minors
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import rank, to_fmpq_mat, to_fractions
from skip_absorption.exact.verdict import Verdict

LONG = Budget(seconds=600)


def subsets(n):
    return [f for size in range(n + 1) for f in combinations(range(n), size)]


def flipped_skip(up, down, skip, odd, flips):
    """M + odd * A_F B_F in Fractions."""
    chosen = list(flips)
    product = to_fractions(down)[:, chosen].dot(to_fractions(up)[chosen]) if flips else 0
    return to_fractions(skip) + Fraction(odd) * product


def oracle(up, down, skip, odd=1):
    """The sets F with a vanishing determinant, one exact determinant each."""
    return {f for f in subsets(len(up)) if to_fmpq_mat(flipped_skip(up, down, skip, odd, f)).det() == 0}


@pytest.mark.parametrize(("d", "n"), [(1, 1), (1, 4), (2, 1), (2, 3), (2, 8), (3, 5), (3, 9), (4, 7), (5, 6)])
@pytest.mark.parametrize("seed", range(3))
def test_zeros_are_those_of_one_determinant_each(d, n, seed):
    rng = np.random.default_rng([d, n, seed])
    up, down = rng.integers(-2, 3, (n, d)), rng.integers(-2, 3, (d, n))
    skip = rng.integers(-1, 2, (d, d)) if seed else np.eye(d, dtype=int)
    odd = (1, Fraction(3, 2), -2)[seed]
    found = zero_minors(up, down, skip=skip, odd=odd, rng=rng, budget=LONG, limit=10**6)
    expected = oracle(up, down, skip, odd)
    assert set(found.flips) == expected
    assert found.count == len(found.flips) == len(expected)
    assert found.verdict is Verdict.of(not expected)
    assert found.subsets == 2**n


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_small_rationals(data):
    d, n = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 5))
    entry = st.sampled_from([Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 3), Fraction(-5, 2)])
    up, down, skip = (
        np.array(data.draw(st.lists(entry, min_size=r * c, max_size=r * c)), dtype=object).reshape(r, c)
        for r, c in ((n, d), (d, n), (d, d))
    )
    found = zero_minors(up, down, skip=skip, rng=np.random.default_rng(0), limit=100)
    assert set(found.flips) == oracle(up, down, skip)


def test_generic_floats_have_no_zero_and_one_planted_set_is_found():
    rng = np.random.default_rng(3)
    up, down = rng.standard_normal((12, 3)), rng.standard_normal((3, 12))
    assert zero_minors(up, down, rng=rng, budget=LONG).verdict is Verdict.PROVED
    up[[2, 5, 7]], down[:, [2, 5, 7]] = np.eye(3), -np.eye(3)
    up[2:3] *= 2.0**-900  # exact dyadics of any exponent
    down[:, 2] *= 2.0**900
    planted = zero_minors(up, down, rng=rng, budget=LONG)
    assert planted.verdict is Verdict.REFUTED
    assert (2, 5, 7) in planted.flips
    assert (2,) in planted.flips  # I - e1 e1^T is singular already
    changed = down.copy()
    changed[0, 2] = np.nextafter(changed[0, 2], 0)
    assert (2,) not in zero_minors(up, changed, rng=rng, budget=LONG).flips


def test_a_zero_modulo_the_first_prime_is_not_a_zero(monkeypatch):
    rng = np.random.default_rng(0)
    p = word_prime(rng=rng)
    primes = iter([p, p, *(word_prime(rng=rng) for _ in range(20))])
    monkeypatch.setattr(minors, "word_prime", lambda *, rng: next(primes))
    found = zero_minors(np.array([[1], [1]]), np.array([[p - 1, -1]]), rng=rng)
    assert found.flips == ((1,),)  # 1 + (p - 1) vanishes modulo p only
    assert found.count == 1


def test_many_chunks_are_counted_and_the_list_is_capped():
    ones = np.ones((22, 1), dtype=int)
    found = zero_minors(ones, -ones.T, rng=np.random.default_rng(0), budget=LONG, limit=3)
    assert found.count == 22
    assert len(found.flips) == 3
    assert all(len(f) == 1 for f in found.flips)


def test_a_budget_that_ends_leaves_unknown():
    rng = np.random.default_rng(0)
    ended = zero_minors(np.eye(2), np.eye(2), rng=rng, budget=Budget(seconds=0))
    assert (ended.verdict, ended.count, ended.flips) == (Verdict.UNKNOWN, None, ())
    assert ended.tried.startswith("0 of 4 determinants")
    for n, d in ((31, 2), (12, 11)):
        big = zero_minors(rng.integers(-9, 9, (n, d)), rng.integers(-9, 9, (d, n)), rng=rng)
        assert (big.verdict, big.count) == (Verdict.UNKNOWN, None)
        assert "not tried" in big.tried


def test_a_budget_of_memory_is_kept():
    rng = np.random.default_rng(0)
    small = zero_minors(np.eye(3), np.eye(3), rng=rng, budget=Budget(memory_bytes=100))
    assert small.verdict is Verdict.UNKNOWN
    assert small.tried == "not tried: it takes 320 bytes and the budget has 100"


def test_the_skip_must_be_square():
    with pytest.raises(InvalidInput, match="skip must be square"):
        zero_minors(np.ones((2, 3)), np.ones((1, 2)), skip=np.ones((1, 3)), rng=np.random.default_rng(0))
    with pytest.raises(InvalidInput, match=r"w_down must have shape \(m, 2\)"):
        zero_minors(np.ones((2, 2)), np.ones((2, 3)), rng=np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="skip must be given"):
        zero_minors(np.ones((2, 3)), np.ones((1, 2)), rng=np.random.default_rng(0))
    with pytest.raises(InvalidInput, match=r"skip must have shape \(2, 2\)"):
        zero_minors(np.eye(2), np.eye(2), skip=np.ones((2, 3)), rng=np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(4))
def test_compression_keeps_every_set_of_small_rank(seed):
    rng = np.random.default_rng(seed)
    m, d, n = 4, 3, 7
    up, down = rng.integers(-1, 2, (n, d)), rng.integers(-1, 2, (m, n))
    skip = rng.integers(-1, 2, (m, 1)) * rng.integers(-1, 2, (1, d))
    network = IntegralNetwork.of(up, down, skip, 1)
    p = word_prime(rng=rng)
    for size in (1, 2, 3):
        chunks = list(zero_masks(*compressed(network, size, p, rng=rng), p, clock=LONG.start()))
        assert chunks[-1][0] == 2**n
        found = {flips_of(mask) for _, masks in chunks for mask in masks}
        assert found == {f for f in subsets(n) if rank(flipped_skip(up, down, skip, 1, f)) < size}


@pytest.mark.parametrize("asked", range(7))
def test_a_clock_that_ends_leaves_only_what_was_proved(monkeypatch, asked):
    """Whenever the clock is looked at last: no count, and every zero listed is one."""
    monkeypatch.setattr(minors, "_PIECE", 3)
    looks = iter(range(1000))
    monkeypatch.setattr(Clock, "expired", lambda self: next(looks) >= asked)
    rows = np.array([[1, 0], [0, 1], [1, 1], [1, -1]])
    found = zero_minors(rows, -rows.T, rng=np.random.default_rng(0))
    assert found.count is None
    assert found.verdict is (Verdict.REFUTED if found.flips else Verdict.UNKNOWN)
    whole = np.eye(4, dtype=int) - rows @ rows.T
    assert all(round(np.linalg.det(whole[np.ix_(f, f)])) == 0 for f in found.flips)
