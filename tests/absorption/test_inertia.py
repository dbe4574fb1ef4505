"""The bound of all nullities at once, against every principal submatrix."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from skip_absorption.absorption import inertia
from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.inertia import nullity_bound
from skip_absorption.exact.rational import rank, to_fractions

CLOCK = Budget(seconds=float("inf")).start()  # it would be spent before a slow machine came to these tests


def largest_nullity(left, right):
    n = len(left)
    whole = to_fractions(np.eye(n)) + to_fractions(left).dot(to_fractions(right))
    sets = [list(f) for size in range(1, n + 1) for f in combinations(range(n), size)]
    return max(len(f) - rank(whole[np.ix_(f, f)]) for f in sets)


@pytest.mark.parametrize(("n", "d"), [(2, 1), (4, 2), (6, 2), (7, 3), (5, 4)])
@pytest.mark.parametrize("seed", range(6))
def test_it_bounds_every_nullity(n, d, seed):
    rng = np.random.default_rng([n, d, seed])
    left = rng.integers(-2, 3, (n, d)) / 2
    right = rng.integers(-2, 3, (d, n)) / (4 if seed % 2 else 1)
    bound = nullity_bound(left, right, clock=CLOCK)
    assert largest_nullity(left, right) <= bound <= min(n, d)


@pytest.mark.parametrize(
    ("n", "d", "r"), [(4, 2, 1), (6, 3, 1), (6, 3, 2), (6, 4, 2), (8, 4, 2), (7, 3, 2), (9, 4, 1)]
)
@pytest.mark.parametrize("seed", range(6))
def test_it_bounds_every_nullity_of_matrices_of_known_rank(n, d, r, seed):
    """Both below and above N = 2d, for weights of rank r."""
    rng = np.random.default_rng([n, d, r, seed])
    left = rng.integers(-2, 3, (n, r)) @ rng.integers(-2, 3, (r, d)) / 2
    right = rng.integers(-2, 3, (d, r)) @ rng.integers(-2, 3, (r, n)) / (8 if seed % 2 else 1)
    bound = nullity_bound(left, right, clock=CLOCK, ranks=rank(left) + rank(right))
    assert 0 <= largest_nullity(left, right) <= bound <= min(n, d)


def test_a_small_perturbation_of_the_identity_is_regular_at_any_size():
    rng = np.random.default_rng(0)
    for n, d in ((10, 4), (40, 30), (90, 12)):
        left, right = rng.standard_normal((n, d)), 0.3 * rng.standard_normal((d, n)) / n
        assert nullity_bound(left.astype(np.float32), right, clock=CLOCK) == 0


def test_rescaled_units_give_the_same_bound():
    rng = np.random.default_rng(1)
    left, right = rng.standard_normal((30, 5)), 0.05 * rng.standard_normal((5, 30))
    scales = np.ldexp(1.0, rng.integers(-40, 40, 30))
    bound = nullity_bound(left, right, clock=CLOCK)
    assert bound < 5
    assert nullity_bound(left * scales[:, None], right / scales, clock=CLOCK) == bound
    for power in (-60, 60):  # of one unit only, so that powers on one side outweigh the others
        scales = np.ldexp(1.0, [power] + [0] * 29)
        assert nullity_bound(left * scales[:, None], right / scales, clock=CLOCK) == bound


def test_a_singular_minor_is_never_called_regular():
    # minor {0} is 1 - 1 = 0: the bound must not be 0, however the rest looks
    for n in (2, 30):
        left, right = np.zeros((n, 2)), np.zeros((2, n))
        left[0, 0], right[0, 0] = 1, -1
        left[1, 1], right[1, 1] = 1, 0.5
        assert nullity_bound(left, right, clock=CLOCK) >= 1


def test_floats_only_propose(monkeypatch):
    """With nonsense for a basis the bound is weaker, never wrong."""
    left, right = np.eye(4), -np.eye(4)  # every minor is 0
    monkeypatch.setattr(inertia, "_positive_vectors", lambda *_: np.eye(4))
    assert nullity_bound(left, right, clock=CLOCK) == 4
    monkeypatch.setattr(inertia, "_positive_vectors", lambda *_: np.ones((4, 4)))
    assert nullity_bound(np.eye(4), np.eye(4), clock=CLOCK) == 4


def test_without_time_or_finite_floats_the_bound_is_trivial():
    assert nullity_bound(np.eye(3), np.eye(3), clock=Budget(seconds=0).start()) == 3
    huge = np.array([[1e200, 0], [0, 1e200], [1, 1]])
    assert nullity_bound(huge, huge.T, clock=CLOCK) <= 2
    beyond = np.array([[10**400]], dtype=object)
    assert nullity_bound(beyond, beyond, clock=CLOCK) == 1
    assert nullity_bound(np.zeros((3, 1)), np.ones((1, 3)), clock=CLOCK) <= 1


@pytest.mark.parametrize(("n", "d"), [(3, 1), (3, 3), (5, 2)])
@pytest.mark.parametrize("powers", [(-1074, -1060), (-1074, -1074), (-1060, 0), (1021, 1021), (1000, -1022)])
def test_floats_at_the_ends_of_their_range_give_a_bound_and_no_warning(n, d, powers):
    left, right = np.ldexp(np.ones((n, d)), powers[0]), np.ldexp(np.ones((d, n)), powers[1])
    assert 0 <= nullity_bound(left, right, clock=CLOCK) <= min(n, d)


def test_vectors_too_small_for_floats_are_not_proposed():
    """A zero row stops the balancing of units whose sizes differ by 2^900."""
    left = np.array([[4, 0, 2], [3, 1, 2], [1, -3, -1], [2, -2, 0], [-2, 0, -1], [4, 0, 2], [0, 0, 0]])
    right = np.array([[2, -2, -2, -2, -2, 2, -2], [-1, 1, 1, 1, 1, -1, 1], [-1, 1, 1, 1, 1, -1, 1]])
    powers = np.array([0, 40, 900, 900, 0, 3, 0])
    left, right = np.ldexp(left.astype(float), powers[:, None]), np.ldexp(right.astype(float), -powers)
    assert largest_nullity(left, right) <= nullity_bound(left, right, clock=CLOCK) <= 3


@pytest.mark.parametrize("n", [1, 3])
def test_fractions_too_small_for_floats_give_the_trivial_bound(n):
    left = np.full((n, 1), Fraction(1, 10**400), dtype=object)
    assert nullity_bound(left, left.T, clock=CLOCK) <= 1
