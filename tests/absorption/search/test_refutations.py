"""Refutations are proofs: every changed one is rejected by the expansion."""

import copy
from fractions import Fraction

import numpy as np
import pytest

from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.search import search_subset
from skip_absorption.exact.rational import exact_matmul


def refuted(seed, kind):
    """Search random weights that this kind of refutation decides."""
    random = np.random.default_rng(seed)
    if kind == "quadratic":
        w_up, w_down = random.standard_normal((11, 3)), random.standard_normal((3, 11))
        instance = w_up, w_down, exact_matmul(w_down, w_up) / 2  # in the convex hull: no Farkas refutation
    elif kind == "inconsistent":
        instance = random.standard_normal((3, 2)), random.standard_normal((2, 3)), -np.eye(2)
    elif kind == "farkas":
        instance = random.standard_normal((12, 2)), random.standard_normal((2, 12)), -40 * np.eye(2)
    else:  # one equation in three units of which no sum is the target, inside the convex hull
        instance = np.array([[2], [3], [7]]), np.array([[1, 1, 1]]), np.array([[4]])
    outcome = search_subset(*instance, rng=random, budget=Budget())
    return instance, outcome.refutation


def places(value, path=()):
    """Yield the path of every number in nested lists and dictionaries."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "kind":
                yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from places(inner, (*path, k))
    else:
        yield path


def changed(refutation, path):
    """Add 1 to the number at a path; a farkas entry becomes large and positive, against a negative target."""
    out = copy.deepcopy(refutation)
    holder = out
    for key in path[:-1]:
        holder = holder[key]
    old = holder[path[-1]]
    holder[path[-1]] = str(1000 + 1000 * abs(Fraction(old))) if isinstance(old, str) else old + 1
    return out


@pytest.mark.parametrize("kind", ["quadratic", "inconsistent", "farkas", "support"])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_changed_number_is_rejected(oracle, kind, seed):
    instance, refutation = refuted(seed, kind)
    assert refutation["kind"] == ("quadratic" if kind == "inconsistent" else kind)
    assert oracle.holds(refutation, *instance)
    for path in places(refutation):
        if kind == "support" and path[0] == "Y":
            continue  # any Y may happen to prove the same; see the next test
        if path == ("p",):
            continue
        assert not oracle.holds(changed(refutation, path), *instance), path


@pytest.mark.parametrize("kind", ["quadratic", "inconsistent", "farkas", "support"])
def test_no_refutation_survives_a_target_that_is_solved(oracle, kind):
    (w_up, w_down, _), refutation = refuted(3, kind)
    solved = exact_matmul(w_down[:, :2], w_up[:2])
    assert not oracle.holds(refutation, w_up, w_down, solved)
