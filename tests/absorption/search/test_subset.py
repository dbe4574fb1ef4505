import subprocess
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.search import affine, search_subset
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import exact_matmul, to_fractions
from skip_absorption.exact.verdict import Verdict

BUDGET = Budget(seconds=60)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(3))
def test_every_verdict_agrees_with_all_subsets(oracle, seed):
    random, kinds = rng(seed), Counter()
    for _ in range(1000):
        w_up, w_down, target = oracle.small_instance(random)
        outcome = search_subset(w_up, w_down, target, rng=random, budget=BUDGET)
        expected = oracle.solutions(w_up, w_down, target)
        if expected:
            assert outcome.verdict is Verdict.PROVED
            assert outcome.subset in expected
            assert outcome.refutation is None
        else:
            assert outcome.verdict is Verdict.REFUTED, (w_up, w_down, target, outcome)
            assert outcome.subset is None
            kinds[outcome.refutation["kind"]] += 1
            if outcome.refutation["kind"] != "exhausted":
                assert oracle.holds(outcome.refutation, w_up, w_down, target)
    assert kinds["quadratic"] and kinds["farkas"] and kinds["support"]


def test_larger_instances_with_coincidences_agree_with_all_subsets(oracle):
    random, verdicts = rng(5), Counter()
    for _ in range(60):
        n, d = int(random.integers(12, 17)), int(random.integers(2, 4))
        w_up, w_down = random.integers(-2, 3, (n, d)), random.integers(-2, 3, (d, n))
        target = random.integers(-2, 3, (d, d)) if random.random() < 0.7 else -3 * np.eye(d, dtype=np.int64)
        outcome = search_subset(w_up, w_down, target, rng=random, budget=BUDGET)
        expected = oracle.solutions(w_up, w_down, target)
        assert outcome.verdict is Verdict.of(bool(expected))
        assert outcome.subset is None or outcome.subset in expected
        verdicts[outcome.verdict] += 1
    assert len(verdicts) == 2


@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-60, 60))
@settings(deadline=None, max_examples=60)
def test_scaling_and_permuting_change_no_verdict(seed, power):
    random = rng(seed)
    n = int(random.integers(2, 10))
    w_up, w_down = random.integers(-2, 3, (n, 2)), random.integers(-2, 3, (2, n))
    target = random.integers(-2, 3, (2, 2))
    first = search_subset(w_up, w_down, target, rng=random, budget=BUDGET)
    order = random.permutation(n)
    scaled = np.array(
        [[Fraction(int(x)) * Fraction(2) ** power for x in row] for row in w_up[order]], dtype=object
    )
    goal = np.array(
        [[Fraction(int(x)) * Fraction(2) ** power / 3 for x in row] for row in target], dtype=object
    )
    down = np.array([[Fraction(int(x), 3) for x in row] for row in w_down[:, order]], dtype=object)
    second = search_subset(scaled, down, goal, rng=random, budget=BUDGET)
    assert first.verdict is second.verdict is not Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("n", "d", "dtype"),
    [(24, 2, np.float64), (40, 3, np.float32), (50, 2, np.float64), (50, 3, np.float32), (80, 2, np.float64)],
)
def test_planted_subsets_are_found(oracle, n, d, dtype):
    w_up, w_down, target, subset = oracle.planted(rng(n), n, d, n // 2, dtype)
    outcome = search_subset(w_up, w_down, target, rng=rng(1), budget=BUDGET)
    assert outcome.subset == subset


@pytest.mark.parametrize("d", [2, 3])
def test_random_weights_with_fifty_units_are_refuted(d):
    random = rng(d)
    outcome = search_subset(
        random.standard_normal((50, d)),
        random.standard_normal((d, 50)),
        -np.eye(d),
        rng=random,
        budget=BUDGET,
    )
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.refutation["kind"] == "exhausted"
    assert outcome.refutation["method"] == "meet in the middle"


def test_one_ulp_turns_a_planted_yes_into_a_no(oracle):
    w_up, w_down, target, subset = oracle.planted(rng(3), 30, 2, 12)
    w_up[subset[0], 0] = np.nextafter(w_up[subset[0], 0], np.inf)
    assert search_subset(w_up, w_down, target, rng=rng(), budget=BUDGET).verdict is Verdict.REFUTED


def test_the_zero_target_is_solved_by_the_empty_subset():
    outcome = search_subset(np.eye(3), np.eye(3), np.zeros((3, 3)), rng=rng(), budget=Budget(seconds=0))
    assert outcome.subset == ()


@pytest.mark.parametrize("seconds", [0.0, 1e-4])
def test_a_tiny_budget_ends_as_unknown_and_says_what_was_tried(oracle, seconds):
    w_up, w_down, target, _ = oracle.planted(rng(1), 60, 2, 30)
    outcome = search_subset(w_up, w_down, target, rng=rng(), budget=Budget(seconds=seconds))
    assert outcome.verdict is Verdict.UNKNOWN
    assert outcome.subset is None and outcome.refutation is None
    assert outcome.tried


def test_too_little_memory_ends_as_unknown(oracle):
    w_up, w_down, target, _ = oracle.planted(rng(1), 60, 2, 30)
    outcome = search_subset(w_up, w_down, target, rng=rng(), budget=Budget(memory_bytes=1000))
    assert outcome.verdict is Verdict.UNKNOWN
    assert "exceed" in outcome.tried[-1]


def test_every_method_is_tried_and_noted_before_unknown():
    random = rng(8)
    w_up, w_down = random.integers(-99, 100, (100, 2)), random.integers(-99, 100, (2, 100))
    odd = 2 * w_down
    target = np.array([[1, 0], [0, 1]])
    outcome = search_subset(w_up, odd, target, rng=random, budget=Budget(seconds=3))
    assert outcome.verdict is not Verdict.PROVED  # all dyads are even, the target is odd
    for method in ("linear", "Farkas", "quadratic", "short rows", "enumeration", "lattice", "CP-SAT"):
        assert any(line.startswith(method) for line in outcome.tried), method


def test_many_proportional_pairs_are_decided_part_by_part():
    """N = 120 <= d^2 with 40 pairs a_j w_j^T = 2 a_i w_i^T: 40 free units, each in a part of its own."""
    random = rng(4)
    w_up, w_down = random.integers(-9, 10, (120, 11)), random.integers(-9, 10, (11, 120))
    w_up[80:], w_down[:, 80:] = 2 * w_up[:40], w_down[:, :40]
    chosen = random.integers(0, 2, 120)
    target = exact_matmul(w_down, chosen[:, None] * w_up)
    found = search_subset(w_up, w_down, target, rng=random, budget=BUDGET)
    assert found.subset == tuple(np.flatnonzero(chosen))
    broken = target + exact_matmul(w_down[:, :1], 4 * w_up[:1])
    refuted = search_subset(w_up, w_down, broken, rng=random, budget=BUDGET)
    assert refuted.verdict is Verdict.REFUTED


def test_equal_dyads_leave_a_choice_that_is_made():
    w_up, w_down = np.array([[1, 2], [1, 2], [3, 1]]), np.array([[1, 1, 2], [5, 5, 7]])
    target = w_down[:, :1] @ w_up[:1]
    assert search_subset(w_up, w_down, target, rng=rng(), budget=BUDGET).subset in {(0,), (1,)}


def test_sampled_equations_of_a_large_target_still_decide():
    random = rng(6)
    n, d = 40, 30
    w_up, w_down = random.standard_normal((n, d)), random.standard_normal((d, n))
    chosen = sorted(int(i) for i in random.choice(n, 17, replace=False))
    target = exact_matmul(w_down[:, chosen], w_up[chosen])
    assert search_subset(w_up, w_down, target, rng=random, budget=BUDGET).subset == tuple(chosen)
    for where in [(0, 0), (29, 29), (3, 17)]:
        wrong = to_fractions(target)
        wrong[where] += Fraction(1, 2**80)
        assert search_subset(w_up, w_down, wrong, rng=random, budget=BUDGET).verdict is Verdict.REFUTED


@pytest.mark.parametrize("exponent", [-1000, 1000])
def test_extreme_exponents_are_exact(exponent):
    w_up = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]) * 2.0**exponent
    w_down = np.array([[-1.0, 0.0, 3.0], [0.0, -1.0, 5.0]])
    target = -np.eye(2) * 2.0**exponent
    assert search_subset(w_up, w_down, target, rng=rng(), budget=BUDGET).subset == (0, 1)
    target[1, 1] = np.nextafter(target[1, 1], 0)
    assert search_subset(w_up, w_down, target, rng=rng(), budget=BUDGET).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("shapes", "name"),
    [
        (((3, 2), (2, 4), (2, 2)), "w_down"),
        (((3, 2), (2, 3), (2, 3)), "target"),
        (((3,), (2, 3), (2, 2)), "w_up"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(shapes, name):
    with pytest.raises(InvalidInput, match=f"^{name} must have"):
        search_subset(*(np.ones(shape) for shape in shapes), rng=rng(), budget=BUDGET)


def test_nan_is_refused():
    with pytest.raises(InvalidInput, match="finite"):
        search_subset(np.eye(2), np.array([[np.nan, 1.0], [1.0, 0.0]]), np.eye(2), rng=rng(), budget=BUDGET)


INTERRUPTED = """
import os, signal, sys, threading
import numpy as np
from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.search import search_subset

rng = np.random.default_rng(0)
draw = rng.integers if sys.argv[1] == "integers" else lambda low, high, shape: rng.standard_normal(shape)
weights = draw(-9, 10, (100, 3)), draw(-9, 10, (3, 100))
search_subset(*weights, -np.eye(3), rng=rng, budget=Budget(seconds=2))  # compiled loops are loaded now
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where a shell started us behind
threading.Timer(float(sys.argv[2]), os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    search_subset(*weights, -np.eye(3), rng=rng)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("kind", ["integers", "floats"])
def test_an_interrupt_ends_the_search_cleanly(kind):
    """Integers end up in CP-SAT, floats in the enumeration; neither would end on its own in a minute."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, kind, "3"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


@pytest.mark.parametrize("seed", range(4))
def test_a_unit_that_the_prime_divides_is_not_taken_for_idle(seed):
    prime = affine._prime(1, rng(seed))
    w_up = np.array([[1], [1], [prime], [3]], dtype=object)
    w_down = np.array([[2, 2, 1, 3]], dtype=object)
    for goal in (prime, prime + 2, prime + 4, prime + 13):
        outcome = search_subset(w_up, w_down, np.array([[goal]], dtype=object), rng=rng(seed), budget=BUDGET)
        assert outcome.verdict is not Verdict.REFUTED
    outcome = search_subset(w_up, w_down, np.array([[prime + 1]], dtype=object), rng=rng(seed), budget=BUDGET)
    assert outcome.verdict is Verdict.REFUTED  # by parity
