"""decide() against slow oracles: all subsets in Fractions, all sign patterns, all (F, G) of X1."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption import measures
from skip_absorption.absorption import condition, linear, verification, width
from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import Absorption, decide
from skip_absorption.absorption.equations import Question
from skip_absorption.absorption.width import minimal_width
from skip_absorption.errors import InvalidInput, SkipAbsorptionError, Undecided
from skip_absorption.exact.rational import rank, to_fractions
from skip_absorption.networks.activations import activation as activation_of
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions, reduced

YES, NO = Absorption.ABSORBABLE, Absorption.NOT_ABSORBABLE
ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu", "leaky_relu:1/4", "leaky_relu:-3")


def flip_sets(w_up, w_down, skip=None, activation="relu"):
    """Every S with odd * sum_{i in S} a_i w_i^T = -M, by trying all of them."""
    up, down = to_fractions(np.asarray(w_up)), to_fractions(np.asarray(w_down))
    target = -to_fractions(np.eye(len(down), dtype=np.int64) if skip is None else np.asarray(skip))
    dyads = [activation_of(activation).odd * np.outer(down[:, i], up[i]) for i in range(len(up))]
    found = []
    for s in product((0, 1), repeat=len(up)):
        total = sum((x for x, chosen in zip(dyads, s, strict=True) if chosen), 0 * target)
        if np.all(total == target):
            found.append(tuple(i for i, chosen in enumerate(s) if chosen))
    return found


def small_values(rng, shape, kind):
    base = rng.integers(-2, 3, shape)
    if kind == "integers":
        return base
    if kind == "dyadics":
        return base * 2.0 ** rng.integers(-3, 4, shape)
    values = np.empty(shape, dtype=object)
    values.flat = [
        Fraction(int(x), int(q)) for x, q in zip(base.flat, rng.integers(1, 5, base.size), strict=True)
    ]
    return values


def small_instance(rng):
    """Random weights of any shape with ties, zeros and proportional dyads; one in three has a planted set."""
    d, n = int(rng.integers(1, 4)), int(rng.integers(1, 8))
    m = d if rng.random() < 0.7 else int(rng.integers(1, 4))
    kind, activation = str(rng.choice(["integers", "dyadics", "fractions"])), str(rng.choice(ACTIVATIONS))
    w_up, w_down = small_values(rng, (n, d), kind), small_values(rng, (m, n), kind)
    if n > 1 and rng.random() < 0.2:
        w_up[-1], w_down[:, -1] = 2 * w_up[0], -w_down[:, 0]
    skip = None
    if m != d or rng.random() < 0.5:
        k = int(rng.integers(0, min(m, d) + 1))
        skip = rng.integers(-2, 3, (m, k)) @ rng.integers(-2, 3, (k, d))
    if rng.random() < 0.33:
        chosen = np.flatnonzero(rng.random(n) < 0.5)
        odd, up, down = activation_of(activation).odd, to_fractions(w_up), to_fractions(w_down)
        skip = -odd * sum((np.outer(down[:, i], up[i]) for i in chosen), np.full((m, d), Fraction(0)))
    return w_up, w_down, skip, activation


def checked(decision, w_up, w_down, **question):
    """Return the decision after its certificate, if any, was accepted."""
    if decision.certificate is not None:
        result = check_certificate(decision.certificate, w_up, w_down, **question)
        assert result.valid, result.reason
    return decision


def test_condition_agrees_with_all_subsets():
    rng, kinds = np.random.default_rng(20), Counter()
    for _ in range(1500):
        w_up, w_down, skip, activation = small_instance(rng)
        question = {"skip": skip, "activation": activation}
        found = checked(decide(w_up, w_down, condition_only=True, **question), w_up, w_down, **question)
        expected = flip_sets(w_up, w_down, skip, activation)
        assert found.verdict is (YES if expected else NO)
        assert found.flip_set in expected if expected else found.flip_set is None
        assert found.about == "condition"
        assert found.hypotheses is None
        kinds[found.certificate.kind if found.certificate else None] += 1
    assert {"flip_set", "inconsistent", "not_binary"} <= set(kinds)


def least_width(w_up, w_down, skip, activation, b_up=None):
    """n0 + k* of X1, every pair (F, G) tried in Fractions."""
    form = reduced(w_up, w_down, activation, skip=skip, b_up=b_up)
    odd, n = activation_of(activation).odd, form.width
    if n == 0:
        return 2 * rank(form.M0)
    up, down, skip = to_fractions(form.u), to_fractions(form.P), to_fractions(form.M0)
    best = None
    for labels in product((0, 1, 2), repeat=n):  # 1: flipped, 2: doubled
        total = skip.copy()
        for i in (i for i, label in enumerate(labels) if label == 1):
            total = total + odd * np.outer(down[:, i], up[i])
        doubled = up[[i for i, label in enumerate(labels) if label == 2]]
        cost = len(doubled) + 2 * (rank(np.concatenate([total, doubled])) - rank(doubled))
        best = cost if best is None else min(best, cost)
    return n + best


@pytest.mark.parametrize(
    ("lower", "upper", "verdict"),
    [
        (1, 3, Absorption.ABSORBABLE),
        (1, 4, Absorption.UNKNOWN),
        (3, 4, Absorption.UNKNOWN),
        (4, 5, Absorption.NOT_ABSORBABLE),
    ],
)
def test_bounds_of_the_least_width_decide_only_beside_the_width(monkeypatch, lower, upper, verdict):
    def bounded(*args, **options):
        return replace(minimal_width(*args, **options), lower=lower, upper=upper)

    monkeypatch.setattr(width, "minimal_width", bounded)
    rows = [[1, 0], [-1, 0], [0, 1]]  # opposed, so the canonical form is asked; condition (3) fails
    found = decide(rows, [[1, 2, 0], [0, 1, 1]])
    assert (found.verdict, found.certificate) == (verdict, None)
    assert "canonical form" in found.proof


def test_absorption_agrees_with_the_formula_for_the_least_width():
    rng, outcomes = np.random.default_rng(21), Counter()
    for _ in range(200):
        w_up, w_down, skip, activation = small_instance(rng)
        w_up, w_down = w_up[:5], w_down[:, :5]
        question = {"skip": skip, "activation": activation}
        found = checked(decide(w_up, w_down, **question), w_up, w_down, **question)
        least = least_width(w_up, w_down, skip, activation)
        assert found.verdict is (YES if least <= len(w_up) else NO)
        if found.hypotheses:
            assert "canonical form" in found.proof or "condition (3) holds" in found.proof
        outcomes[found.verdict, bool(found.hypotheses), found.flip_set is None] += 1
    assert len(outcomes) >= 5


def test_a_sign_pattern_that_works_is_never_denied():
    rng, seen = np.random.default_rng(22), Counter()
    for _ in range(100):
        d, n = int(rng.integers(1, 3)), int(rng.integers(1, 5))
        w_up, w_down = rng.integers(-1, 2, (n, d)), rng.integers(-2, 3, (d, n))
        block = Mlp(w_up, w_down, "relu")
        works = any(
            equal_functions(Residual(block), Mlp(np.array(signs)[:, None] * w_up, w_down, "relu"))
            for signs in product((1, -1), repeat=n)
        )
        verdict = decide(w_up, w_down).verdict
        assert verdict is YES or not works
        generic = not decide(w_up, w_down).hypotheses
        assert not generic or (verdict is YES) == works
        seen[verdict, generic] += 1
    assert len(seen) == 4


@pytest.mark.parametrize("activation", ["relu", "gelu", "leaky_relu:1/4"])
def test_biases_leave_condition_3_alone(activation):
    rng = np.random.default_rng(23)
    drawn = measures.planted(3, 5, rng=rng)
    odd = activation_of(activation).odd
    w_down = to_fractions(drawn.w_down) / odd
    b_up, b_down = rng.integers(-2, 3, 5), rng.integers(-2, 3, 3)
    biases = {"b_up": b_up, "b_down": b_down, "activation": activation}
    found = checked(decide(drawn.w_up, w_down, **biases), drawn.w_up, w_down, **biases)
    assert found.verdict is YES
    flips = list(found.flip_set)
    signs = np.ones(5, dtype=np.int64)
    signs[flips] = -1
    shift = odd * (w_down[:, flips] @ b_up[flips])
    absorbed = Mlp(signs[:, None] * drawn.w_up, w_down, activation, signs * b_up, b_down + shift)
    assert equal_functions(Residual(Mlp(drawn.w_up, w_down, activation, b_up, b_down)), absorbed)


def test_rows_on_one_line_are_generic_when_their_hyperplanes_differ():
    w_up, w_down = [[1, 0], [2, 0], [0, 1]], [[1, 1, 0], [0, 0, 1]]
    assert decide(w_up, w_down).hypotheses
    found = checked(decide(w_up, w_down, b_up=[1, 0, 0]), w_up, w_down, b_up=[1, 0, 0])
    assert found.verdict is NO
    assert found.hypotheses == ()
    assert not decide(w_up, w_down, activation="gelu").hypotheses


@pytest.mark.parametrize(
    ("w_up", "w_down"),
    [
        ([[1, 0], [-1, 0]], [[-1, 1], [0, 0]]),
        ([[1, 0], [1, 0], [0, 1]], [[1, 1, 0], [0, 0, -1]]),
        ([[1, 0], [0, 1], [1, 1]], [[2, 0, 0], [0, -1, 0]]),
        ([[1, 0], [0, 1], [0, 0]], [[2, 0, 1], [0, -1, 1]]),
        ([[1], [1]], [[1, 1]]),
    ],
    ids=["opposed rows", "same-direction rows", "zero column", "zero row", "d = 1"],
)
def test_where_the_hypotheses_bite(w_up, w_down):
    """Condition (3) fails, absorption holds: the minimal examples of Section 3."""
    found = decide(w_up, w_down)
    assert found.verdict is YES
    assert found.flip_set is None
    assert found.certificate is None
    assert found.hypotheses
    assert found.proof.startswith("canonical form")
    assert decide(w_up, w_down, condition_only=True).verdict is NO


def test_no_subset_of_minus_twice_the_identity_absorbs():
    assert decide(np.eye(3), -2 * np.eye(3)).verdict is NO
    w_up = [[1, 0], [0, 1], [1, 1], [1, -1]]
    w_down = [[-1, 0, -0.5, -0.5], [0, -1, -0.5, 0.5]]
    assert decide(w_up, w_down).flip_set in ((0, 1), (2, 3))


def planted_large(rng, d, n):
    """Integer weights with a planted set of d units: a product of two triangles, and its negative inverse."""
    w_up, w_down = rng.integers(-9, 10, (n, d)), rng.integers(-9, 10, (d, n))
    units = np.sort(rng.permutation(n)[:d])
    half = d // 2
    block = rng.integers(-3, 4, (half, d - half))
    upper, lower = np.eye(d, dtype=np.int64), np.eye(d, dtype=np.int64)
    upper[:half, half:], lower[half:, :half] = block, block.T
    w_up[units] = upper @ lower
    w_down[:, units] = -((2 * np.eye(d, dtype=np.int64) - lower) @ (2 * np.eye(d, dtype=np.int64) - upper))
    return w_up, w_down, tuple(units.tolist())


@pytest.mark.parametrize("size", [(8, 16), (16, 64), (128, 512)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_planted_set_is_found_and_one_ulp_destroys_it(size, dtype):
    d, n = size
    w_up, w_down, planted = planted_large(np.random.default_rng(d), d, n)
    w_up, w_down = w_up.astype(dtype), w_down.astype(dtype)
    found = checked(decide(w_up, w_down), w_up, w_down)
    assert found.flip_set == planted
    outside = next(i for i in range(n) if i not in planted)
    for unit, verdict in ((planted[0], NO), (outside, YES)):
        moved = w_up.copy()
        column = int(np.flatnonzero(moved[unit])[0])
        moved[unit, column] = np.nextafter(moved[unit, column], dtype(np.inf))
        assert checked(decide(moved, w_down), moved, w_down).verdict is verdict


def test_random_weights_at_n_512():
    rng = np.random.default_rng(512)
    w_up, w_down = rng.standard_normal((512, 128)), rng.standard_normal((128, 512))
    found = checked(decide(w_up, w_down), w_up, w_down)
    assert found.verdict is NO
    assert found.certificate.size <= 512 + 8


def test_permutation_and_positive_rescaling_keep_the_answer():
    rng = np.random.default_rng(5)
    drawn = measures.planted(4, 10, rng=rng, size=4)
    order, scale = rng.permutation(10), 2.0 ** rng.integers(-3, 4, 10)
    w_up, w_down = scale[:, None] * drawn.w_up[order], drawn.w_down[:, order] / scale
    found = checked(decide(w_up, w_down), w_up, w_down)
    assert sorted(order[list(found.flip_set)].tolist()) == list(drawn.flip_set)
    w_down[:, 0] *= 3
    found = decide(w_up, w_down)
    assert found.verdict is (NO if order[0] in drawn.flip_set else YES)


def test_skips_of_every_rank_and_rectangular_ones():
    rng = np.random.default_rng(6)
    for k in range(4):
        skip = rng.integers(-2, 3, (4, k)) @ rng.integers(-2, 3, (k, 4))
        drawn = measures.planted(4, 9, rng=rng, skip=skip)
        found = checked(decide(drawn.w_up, drawn.w_down, skip=skip), drawn.w_up, drawn.w_down, skip=skip)
        assert found.verdict is YES
        changed = skip + np.eye(4, dtype=np.int64) * 11
        found = checked(
            decide(drawn.w_up, drawn.w_down, skip=changed), drawn.w_up, drawn.w_down, skip=changed
        )
        assert found.verdict is NO
    w_up, w_down = rng.integers(-3, 4, (7, 3)), rng.integers(-3, 4, (5, 7))
    skip = -(w_down[:, [1, 4]] @ w_up[[1, 4]])
    found = checked(decide(w_up, w_down, skip=skip), w_up, w_down, skip=skip)
    assert found.flip_set in flip_sets(w_up, w_down, skip)


def test_the_zero_skip_is_absorbed_by_flipping_nothing():
    w_up, w_down = [[1, 2], [3, 4]], [[1, 1], [0, 1]]
    found = checked(decide(w_up, w_down, skip=[[0, 0], [0, 0]]), w_up, w_down, skip=[[0, 0], [0, 0]])
    assert found.verdict is YES
    assert not any((np.array(w_down)[:, list(found.flip_set)] @ np.array(w_up)[list(found.flip_set)]).flat)


@pytest.mark.parametrize(("n", "kind"), [(16, "not_binary"), (15, "inconsistent"), (12, "inconsistent")])
def test_which_certificate_decides_at_d_squared(n, kind):
    rng = np.random.default_rng(n)
    w_up, w_down = rng.standard_normal((n, 4)), rng.standard_normal((4, n))
    found = checked(decide(w_up, w_down), w_up, w_down)
    assert (found.verdict, found.certificate.kind) == (NO, kind)


def test_fewer_units_than_the_rank_of_the_skip():
    w_up, w_down = np.eye(5)[:3], np.ones((5, 3))
    assert checked(decide(w_up, w_down), w_up, w_down).verdict is NO


@pytest.mark.parametrize("p", [3, 5, 7, 11])
def test_a_bad_prime_never_gives_a_wrong_verdict(monkeypatch, p):
    monkeypatch.setattr(linear, "_draw_prime", lambda rng: p)
    rng, unknown = np.random.default_rng(p), 0
    for _ in range(300):
        w_up, w_down, skip, activation = small_instance(rng)
        question = {"skip": skip, "activation": activation}
        found = checked(decide(w_up, w_down, condition_only=True, **question), w_up, w_down, **question)
        if found.verdict is Absorption.UNKNOWN:
            unknown += 1
        else:
            assert found.verdict is (YES if flip_sets(w_up, w_down, skip, activation) else NO)
    assert unknown == 0


def test_a_candidate_right_modulo_every_prime_tried_is_refused(monkeypatch):
    monkeypatch.setattr(linear, "_draw_prime", lambda rng: 7)
    found = decide(np.eye(2, dtype=np.int64), np.array([[-1, 0], [0, 6]]))
    assert (found.verdict, found.certificate) == (NO, None)
    assert found.tried[-1] == "every solution equals that candidate modulo p, so there is none"


def test_a_candidate_right_modulo_the_prime_alone_is_refused(monkeypatch):
    """1 - 7 = -6 is 1 modulo 7, so that S looks right modulo 7 and is not."""
    primes = iter([7, 11, 13])
    monkeypatch.setattr(linear, "_draw_prime", lambda rng: next(primes))
    w_up, w_down = np.eye(2, dtype=np.int64), np.array([[-1, 0], [0, 6]])
    found = checked(decide(w_up, w_down), w_up, w_down)
    assert found.verdict is NO
    assert any("agrees modulo 7 but not over Q" in line for line in found.tried)


@pytest.mark.parametrize("shift", [-1000, 1000])
def test_extreme_exponents(shift):
    drawn = measures.planted(3, 6, rng=np.random.default_rng(1), size=3)
    w_up, w_down = drawn.w_up * 2.0**shift, drawn.w_down * 2.0**-shift
    found = checked(decide(w_up, w_down), w_up, w_down)
    assert found.flip_set == drawn.flip_set
    assert checked(decide(w_up, 2 * w_down), w_up, 2 * w_down).verdict is NO


def test_denormals_count():
    w_up, w_down = np.eye(2), -np.eye(2)
    assert decide(w_up, w_down).verdict is YES
    w_up[0, 1] = 5e-324
    assert checked(decide(w_up, w_down), w_up, w_down).verdict is NO
    single = np.eye(2, dtype=np.float32)
    single[0, 1] = np.float32(1e-45)
    assert checked(decide(single, -np.eye(2)), single, -np.eye(2)).verdict is NO


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.int8, np.uint64, object])
def test_number_formats(dtype):
    w_up = np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype)
    w_down = np.array([[-1, 0, 3], [0, -1, 2]]).astype(np.float32)
    assert checked(decide(w_up, w_down), w_up, w_down).flip_set == (0, 1)


def test_decisions_repeat_themselves():
    rng = np.random.default_rng(0)
    w_up, w_down = rng.standard_normal((12, 4)), rng.standard_normal((4, 12))
    first, second = decide(w_up, w_down), decide(w_up, w_down)
    assert replace(first, seconds=0.0) == replace(second, seconds=0.0)
    assert decide(w_up, w_down, rng=np.random.default_rng(3)).certificate != first.certificate


def test_unknown_says_what_was_tried_and_has_no_truth_value():
    rng = np.random.default_rng(2)
    w_up, w_down = rng.standard_normal((60, 2)), rng.standard_normal((2, 60))
    found = decide(w_up, w_down, budget=Budget(seconds=0))
    assert found.verdict is Absorption.UNKNOWN
    assert found.tried
    with pytest.raises(Undecided, match="no truth value"):
        bool(found.verdict)
    assert bool(YES)
    assert not bool(NO)


def test_structured_weights_need_mixed_equations(monkeypatch):
    """Sparse weights starve single entries; mixtures of entries still determine every unit."""
    monkeypatch.setattr(linear, "_FULL", 0)
    rng = np.random.default_rng(4)
    d = 12
    w_up = np.concatenate([np.eye(d), np.eye(d) + np.roll(np.eye(d), 1, axis=1)])
    w_down = np.concatenate([-np.eye(d), np.eye(d)[rng.permutation(d)]], axis=1)
    found = checked(decide(w_up, w_down), w_up, w_down)
    assert found.flip_set == tuple(range(d))
    assert len(found.tried) > 2
    w_down[0, 0] = -2
    assert checked(decide(w_up, w_down), w_up, w_down).verdict is NO


def test_idle_units_do_not_keep_a_planted_set_open():
    w_up, w_down, planted = planted_large(np.random.default_rng(3), 16, 40)
    first, second = [i for i in range(40) if i not in planted][:2]
    w_up[first], w_down[:, second] = 0, 0
    found = checked(decide(w_up, w_down), w_up, w_down)
    assert (found.verdict, found.flip_set) == (YES, planted)
    assert len(found.hypotheses) == 2
    assert found.tried[-1].startswith("the only candidate")


def test_a_size_beyond_search_is_unknown(monkeypatch):
    monkeypatch.setattr(condition, "_SEARCH_LIMIT", 0)
    found = decide(np.eye(2)[[0, 1, 0]], -np.eye(2)[:, [0, 1, 0]], condition_only=True)
    assert found.verdict is Absorption.UNKNOWN
    assert "beyond search" in found.proof


def test_units_left_open_at_a_large_size_are_searched_alone(monkeypatch):
    monkeypatch.setattr(condition, "_SEARCH_WHOLE", 0)
    drawn = measures.planted(4, 9, rng=np.random.default_rng(8), size=4)
    w_up = np.concatenate([drawn.w_up, 2 * drawn.w_up[:1]])
    w_down = np.concatenate([drawn.w_down, drawn.w_down[:, :1]], axis=1)
    found = decide(w_up, w_down, condition_only=True)
    assert found.verdict is YES
    assert any("fixed by linear algebra" in line for line in found.tried)
    w_down[0, drawn.flip_set[1]] += 1
    assert decide(w_up, w_down, condition_only=True).verdict is NO


def test_a_candidate_that_fails_at_an_unsampled_entry_is_refuted():
    """The sampled equations see no fault in S; the entry at which it fails makes them inconsistent."""
    rng, lines = np.random.default_rng(9), []
    for _ in range(5):
        drawn = measures.planted(12, 14, rng=rng, skip=rng.integers(-9, 10, (12, 12)), size=12)
        skip = drawn.skip.copy()
        skip[tuple(np.argwhere(skip)[rng.integers(100)])] = 0
        found = checked(decide(drawn.w_up, drawn.w_down, skip=skip), drawn.w_up, drawn.w_down, skip=skip)
        assert (found.verdict, found.certificate.kind) == (NO, "inconsistent")
        lines += found.tried
    assert any("fails at entry" in line for line in lines)


def test_large_products_are_compared_exactly(monkeypatch):
    monkeypatch.setattr(verification, "_SMALL", 0)
    rng, seen = np.random.default_rng(10), Counter()
    for _ in range(200):
        w_up, w_down, skip, activation = small_instance(rng)
        chosen = np.flatnonzero(rng.random(len(w_up)) < 0.3)
        odd = activation_of(activation).odd
        exact = skip is not None and rng.random() < 0.5
        if exact:
            up, down = to_fractions(np.asarray(w_up)), to_fractions(np.asarray(w_down))
            zero = np.full(skip.shape, Fraction(0))
            skip = -odd * sum((np.outer(down[:, i], up[i]) for i in chosen), zero)
            if rng.random() < 0.5:
                skip[0, 0] += Fraction(
                    1, int(rng.integers(1, 10**6)) * 4194301
                )  # seen modulo few primes only
                exact = False
        question = Question(w_up, w_down, skip, odd)
        found = verification.satisfies(question, chosen, rng=rng)
        assert found == verification._satisfies_by_fractions(question, chosen)
        assert found or not exact
        seen[found] += 1
    assert min(seen.values()) > 20


@pytest.mark.parametrize("scale", [1.0, 2.0**-60, 2.0**900])
def test_a_difference_that_many_primes_divide_is_seen(monkeypatch, scale):
    """The bound on the entries asks for a third prime, which sees what the first two divide."""
    monkeypatch.setattr(verification, "_SMALL", 0)
    primes = iter(
        [4194301, 4194287, 4194277, 4194271, 4194247, 4194217] * 2 + [4194199, 4194191, 4194187] * 40
    )
    drawn = []

    def recorded(*, rng, bits):
        drawn.append(next(primes))
        return drawn[-1]

    monkeypatch.setattr(verification, "random_prime", recorded)
    w_up = np.eye(2) * scale
    w_down = np.array(
        [[Fraction(-1) / Fraction(scale), 0], [0, Fraction(-1) / Fraction(scale)]], dtype=object
    )
    w_down[1, 1] += Fraction(4194301 * 4194287) / Fraction(scale)
    question = Question(w_up, w_down, None, Fraction(1))
    assert not verification.satisfies(question, np.array([0, 1]), rng=np.random.default_rng(0))
    assert drawn[:3] == [4194301, 4194287, 4194277]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(0, 6))
def test_planted_instances_are_absorbable(seed, d, spare):
    drawn = measures.planted(d, d + spare, rng=np.random.default_rng(seed))
    found = checked(decide(drawn.w_up, drawn.w_down), drawn.w_up, drawn.w_down)
    assert found.verdict is YES
    chosen = list(found.flip_set)
    assert np.array_equal(drawn.w_down[:, chosen] @ drawn.w_up[chosen], -np.eye(d))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"w_up": [[1, 2], [3]]}, "w_up must have 2 dimensions"),
        ({"w_up": [[1.0, float("nan")]]}, "w_up must hold finite numbers"),
        ({"w_up": np.zeros((0, 2))}, "w_up must not be empty"),
        ({"w_up": [[1j, 2]]}, "w_up"),
        ({"w_down": [[1, 2]]}, "w_down must have shape (m, 1)"),
        ({"skip": [[1]]}, "skip must have shape (2, 2)"),
        ({"w_down": [[1]]}, "skip must be given"),
        ({"b_up": [1, 2]}, "b_up must have shape (1,)"),
        ({"b_down": [[1, 2]]}, "b_down must have 1 dimension"),
        ({"activation": "relu_squared"}, "activation must be one of"),
        ({"activation": "leaky_relu:1"}, "activation must be one of"),
    ],
)
def test_misuse_is_one_clear_line(arguments, message):
    question = {"w_up": [[1, 2]], "w_down": [[1], [2]], **arguments}
    with pytest.raises(InvalidInput) as error:
        decide(question.pop("w_up"), question.pop("w_down"), **question)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert isinstance(error.value, SkipAbsorptionError)


def test_the_proof_says_what_becomes_of_the_output_bias():
    w_up, w_down = [[1, 0], [0, 1], [1, 1]], [[-1, 0, 5], [0, -1, 7]]
    assert "output bias" in decide(w_up, w_down, b_up=[1, 2, 3]).proof
    assert "output bias" not in decide(w_up, w_down).proof
    assert "output bias" not in decide(w_up, w_down, b_up=[1, 2, 3], condition_only=True).proof
