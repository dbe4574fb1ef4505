"""Each method on its own, where it claims something, against all subsets."""

import numpy as np
import pytest

from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.search import meet_in_the_middle as middle
from skip_absorption.absorption.search.affine import inconsistent_refutation, solve_affine
from skip_absorption.absorption.search.brute_force import all_solutions, brute_force
from skip_absorption.absorption.search.cp_sat import cp_sat
from skip_absorption.absorption.search.farkas import farkas, separates
from skip_absorption.absorption.search.kernel_enumeration import enumerate_kernel
from skip_absorption.absorption.search.lattice import lattice
from skip_absorption.absorption.search.problem import SubsetProblem
from skip_absorption.absorption.search.quadratic import quadratic


def clock():
    return Budget(seconds=60).start()


def cases(oracle, seed, count, **kwargs):
    """Yield small instances whose equations are consistent mod p, with their solutions."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        instance = oracle.small_instance(random, **kwargs)
        problem = SubsetProblem.of(*instance)
        equations, affine = solve_affine(problem, rng=random)
        expected = oracle.solutions(*instance)
        if affine is None:
            assert not expected
            assert oracle.holds(inconsistent_refutation(equations, problem.n), *instance)
        else:
            yield instance, problem, affine, expected, random


def test_the_affine_set_holds_every_solution_and_splits_into_its_parts(oracle):
    for _, problem, affine, expected, _ in cases(oracle, 1, 500):
        parts = affine.components()
        assert sorted(int(i) for part in parts for i in part.pivots) == sorted(affine.pivots)
        for subset in expected:
            s = np.isin(np.arange(problem.n), subset)
            ones = affine.ones(s[affine.free])
            assert ones is not None and tuple(sorted(ones)) == subset
            for part in parts:
                ones = part.ones(s[part.free])
                assert ones is not None
                assert sorted(ones) == [i for i in subset if i in part.pivots or i in part.free]


def test_brute_force_yields_exactly_the_solutions(oracle):
    random = np.random.default_rng(2)
    for _ in range(150):
        instance = oracle.small_instance(random, most_units=8)
        problem, expected = SubsetProblem.of(*instance), oracle.solutions(*instance)
        assert set(all_solutions(problem)) == expected
        reached = brute_force(problem, clock=clock())
        assert (reached.subset in expected) if expected else (reached.refutation is not None)


def test_brute_force_stops_when_the_time_is_up():
    problem = SubsetProblem.of(np.ones((30, 1)), np.ones((1, 30)), np.array([[31]]))
    reached = brute_force(problem, clock=Budget(seconds=0).start())
    assert not reached.decided
    assert "of 2^30" in reached.note


def collected(search):
    """Run a search that accepts nothing, and return all points it offered."""
    seen = []

    def accept(ones):
        seen.append(tuple(sorted(ones)))
        return False

    return search(accept), seen


def test_enumeration_offers_every_solution_once_and_refutes_when_there_is_none(oracle):
    for _, problem, affine, expected, _ in cases(oracle, 3, 400):
        if affine.dimension == 0:
            continue
        reached, seen = collected(
            lambda accept, affine=affine: enumerate_kernel(affine, accept, clock=clock(), node_limit=1 << 20)
        )
        assert reached.exhausted
        assert len(seen) == len(set(seen))
        assert {x for x in seen if problem.solves(x)} == expected
        first = enumerate_kernel(affine, problem.solves, clock=clock(), node_limit=1 << 20)
        assert first.exhausted is not bool(expected)


def test_enumeration_stopped_early_claims_nothing(oracle):
    stopped = 0
    for _, problem, affine, expected, _ in cases(oracle, 4, 200):
        if affine.dimension:
            reached = enumerate_kernel(affine, problem.solves, clock=clock(), node_limit=3)
            assert not (reached.exhausted and expected)
            stopped += not reached.exhausted and reached.ones is None
    assert stopped


@pytest.mark.parametrize(
    "settings", [{}, {"_FALSE_MATCHES": -(10**9)}, {"_ROOM_BITS": 3}, {"_CHECKED_ROWS": 2}]
)
def test_meet_in_the_middle_agrees_with_all_subsets(oracle, monkeypatch, settings):
    """Also where every match forces more rows, intervals overflow, or only two rows are checked inside."""
    for name, value in settings.items():
        monkeypatch.setattr(middle, name, value)
    decided = 0
    for _, problem, affine, expected, random in cases(oracle, 5, 500):
        if affine.dimension == 0:
            continue
        reached = middle.meet_in_the_middle(
            affine, problem.solves, rng=random, clock=clock(), memory_bytes=1 << 30
        )
        assert not (reached.exhausted and expected)
        assert reached.ones is None or tuple(sorted(reached.ones)) in expected
        decided += reached.exhausted or reached.ones is not None
        if not settings:
            assert reached.exhausted is not bool(expected)
    assert decided > 50


def test_the_compiled_loops_agree_with_the_interpreted_ones(oracle, monkeypatch):
    from skip_absorption.absorption.search import _enumeration_kernel, _middle_kernel

    def both(affine, problem, seed):
        random = np.random.default_rng(seed)
        found = middle.meet_in_the_middle(
            affine, problem.solves, rng=random, clock=clock(), memory_bytes=1 << 20
        )
        return found, enumerate_kernel(affine, problem.solves, clock=clock(), node_limit=1 << 20)

    instances = [(problem, affine) for _, problem, affine, _, _ in cases(oracle, 12, 60) if affine.dimension]
    compiled = [both(affine, problem, k) for k, (problem, affine) in enumerate(instances)]
    monkeypatch.setattr(_enumeration_kernel, "walk", _enumeration_kernel.walk.py_func)
    monkeypatch.setattr(_middle_kernel, "join", _middle_kernel.join.py_func)
    monkeypatch.setattr(_middle_kernel, "_collect", _middle_kernel._collect.py_func)
    assert compiled == [both(affine, problem, k) for k, (problem, affine) in enumerate(instances)]


def test_meet_in_the_middle_loses_no_solution(oracle):
    """With nothing accepted and, as only two rows are checked inside, no sums merged, all are offered."""
    several = 0
    for _, problem, affine, expected, random in cases(oracle, 6, 500):
        if affine.dimension == 0 or len(affine.pivots) < 3:
            continue
        reached, seen = collected(
            lambda accept, affine=affine, random=random: middle._search(
                affine, 2, 2, accept, rng=random, clock=clock(), memory_bytes=1 << 30
            )
        )
        if reached.exhausted:
            assert len(seen) == len(set(seen))
            assert {x for x in seen if problem.solves(x)} == expected
            several += len(expected) > 1
    assert several > 10


def test_meet_in_the_middle_refuses_lists_that_do_not_fit():
    random = np.random.default_rng(0)
    problem = SubsetProblem.of(random.standard_normal((60, 2)), random.standard_normal((2, 60)), np.eye(2))
    _, affine = solve_affine(problem, rng=random)
    reached = middle.meet_in_the_middle(
        affine, problem.solves, rng=random, clock=clock(), memory_bytes=1 << 16
    )
    assert not reached.exhausted and "memory" in reached.note


def test_meet_in_the_middle_out_of_time_claims_nothing():
    random = np.random.default_rng(0)
    problem = SubsetProblem.of(random.standard_normal((50, 2)), random.standard_normal((2, 50)), np.eye(2))
    _, affine = solve_affine(problem, rng=random)
    stopped = Budget(seconds=0).start()
    reached = middle.meet_in_the_middle(
        affine, problem.solves, rng=random, clock=stopped, memory_bytes=1 << 30
    )
    assert not reached.exhausted and reached.ones is None and reached.note == "out of time"


def test_farkas_and_quadratic_refute_only_what_has_no_solution(oracle):
    counts = {"farkas": 0, "quadratic": 0, "support": 0}
    for instance, problem, affine, expected, _ in cases(oracle, 7, 600):
        entries = affine.equations.entries
        found = [farkas(problem, entries, clock=clock()).refutation, affine.refuted_row()]
        found += [quadratic(part, problem.n).refutation for part in affine.components()]
        for refutation in filter(None, found):
            assert not expected
            assert oracle.holds(refutation, *instance)
            counts[refutation["kind"]] += 1
    assert min(counts.values()) > 20


def test_quadratic_refutes_generic_weights_up_to_the_generic_count():
    """delta (delta + 1) / 2 <= d^2 - 1: at d = 3, delta = 3 is refuted and delta = 4 is not."""
    random = np.random.default_rng(8)
    for n, refuted in [(9, True), (12, True), (13, False)]:
        problem = SubsetProblem.of(random.standard_normal((n, 3)), random.standard_normal((3, n)), -np.eye(3))
        _, affine = solve_affine(problem, rng=random)
        assert quadratic(affine, n).decided is refuted


def test_the_farkas_program_is_left_out_where_it_is_too_large(monkeypatch):
    from skip_absorption.absorption.search import farkas as module

    problem = SubsetProblem.of(np.eye(3), np.eye(3), 2 * np.eye(3))
    monkeypatch.setattr(module, "_LARGEST_PROGRAM", 5)
    assert "not tried" in farkas(problem, [(0, 0), (1, 1)], clock=clock()).note


def test_the_separation_is_strict():
    problem = SubsetProblem.of(np.eye(2), np.eye(2), np.eye(2))
    assert not separates(problem, [[1, 0], [0, 1]])
    assert separates(SubsetProblem.of(np.eye(2), np.eye(2), 1.25 * np.eye(2)), [[1, 0], [0, 1]])


def test_the_lattice_finds_only_solutions(oracle):
    found = 0
    for _, problem, affine, expected, random in cases(oracle, 9, 150):
        reached = lattice(problem, affine.equations.entries, rng=random, clock=clock())
        assert reached.refutation is None
        if reached.subset is not None:
            assert reached.subset in expected
            found += 1
    assert found > 20


def test_the_lattice_finds_a_low_density_plant(oracle):
    *instance, subset = oracle.planted(np.random.default_rng(10), 60, 2, 25)
    problem = SubsetProblem.of(*instance)
    entries = [(r, c) for r in range(2) for c in range(2)]
    assert lattice(problem, entries, rng=np.random.default_rng(0), clock=clock()).subset == subset


def test_cp_sat_agrees_with_all_subsets(oracle):
    for _, problem, affine, expected, random in cases(oracle, 11, 60):
        reached = cp_sat(problem, affine.equations.entries, rng=random, clock=clock(), seconds=60)
        if expected:
            assert reached.subset in expected
        else:
            assert reached.refutation["method"] == "CP-SAT"


def test_cp_sat_is_not_used_beyond_its_domain():
    """2^62 s = 2^62 + 1 overflows in no step here, because it is never asked."""
    problem = SubsetProblem.of(
        np.array([[2**62], [3]]), np.array([[1, 1]]), np.array([[2**62 + 1]], dtype=object)
    )
    reached = cp_sat(problem, [(0, 0)], rng=np.random.default_rng(0), clock=clock(), seconds=9)
    assert not reached.decided and "64-bit" in reached.note


def test_cp_sat_is_given_some_equations_and_its_answer_is_checked_on_all():
    problem = SubsetProblem.of(np.eye(2), np.eye(2), np.array([[1, 0], [0, 5]]))
    reached = cp_sat(problem, [(0, 0)], rng=np.random.default_rng(0), clock=clock(), seconds=9)
    assert not reached.decided
