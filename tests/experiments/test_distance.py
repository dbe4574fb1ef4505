from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.distributions import distribution
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import exact_matmul, identity, to_fractions
from skip_absorption.experiments.distance import GRID, nearest_set, run_sizes
from skip_absorption.measures import generator, planted
from skip_absorption.results.schema import validate_table


def weights(name: str, d: int, n: int, seed: int = 0):
    drawn = distribution(name).draw((1, d, n), generator("test distance", f"{name}{d}{n}", seed))
    return (np.rint(x[0] * GRID) / GRID for x in drawn)


def squared_norm(w_up, w_down, units) -> Fraction:
    chosen = list(units)
    rest = to_fractions(identity(len(w_down))) + (
        exact_matmul(to_fractions(w_down[:, chosen]), to_fractions(w_up[chosen])) if chosen else 0
    )
    return sum((Fraction(x) ** 2 for x in rest.flat), Fraction(0))


def exact_least(w_up, w_down) -> Fraction:
    n = len(w_up)
    return min(squared_norm(w_up, w_down, s) for k in range(n + 1) for s in combinations(range(n), k))


@pytest.mark.parametrize("name", ["lecun", "gaussian", "ternary"])
@pytest.mark.parametrize(("d", "n"), [(2, 2), (2, 6), (3, 7), (4, 5)])
@pytest.mark.parametrize("listed", [0, 20])
def test_both_methods_enclose_the_least_norm_over_q(name, d, n, listed):
    w_up, w_down = weights(name, d, n)
    found = nearest_set(w_up, w_down, listed=listed, nodes=10_000, rng=generator("test", "search"))
    least = exact_least(w_up, w_down)
    assert Fraction(found.lower) ** 2 <= least <= Fraction(found.upper) ** 2
    assert Fraction(found.relaxed) ** 2 <= least
    assert squared_norm(w_up, w_down, found.units) == least
    assert found.method == ("enumeration" if listed else "branch and bound")
    assert found.upper - found.lower <= 1e-10


@pytest.mark.parametrize("nodes", [1, 3, 11])
def test_a_small_allowance_leaves_true_bounds(nodes):
    for seed in range(5):
        w_up, w_down = weights("lecun", 3, 12, seed)
        rough = nearest_set(w_up, w_down, listed=0, nodes=nodes, rng=generator("test", "rough"))
        least = nearest_set(w_up, w_down, rng=generator("test", "all"))
        assert rough.lower <= least.upper
        assert rough.upper >= least.lower
        assert rough.relaxed <= rough.lower <= rough.upper


@pytest.mark.parametrize("listed", [0, 20])
def test_a_planted_set_is_at_distance_zero(listed):
    plant = planted(3, 10, rng=generator("test", "plant"), size=4, bound=1)
    found = nearest_set(plant.w_up / 1.0, plant.w_down / 1.0, listed=listed, rng=generator("test", "plant"))
    assert (found.lower, found.upper) == (0, 0)


@given(st.integers(0, 10_000), st.floats(0, 1), st.integers(-1, 3))
@settings(deadline=None, max_examples=60)
def test_any_direction_gives_a_true_bound(seed, weight, fixed_units):
    """Weights far from the best ones give a worse bound, never a wrong one; a bound above would be a bug."""
    from skip_absorption.experiments._distance_kernels import dual_bound

    w_up, w_down = weights("gaussian", 2, 6, seed)
    terms = np.einsum("ri,ic->irc", w_down, w_up).reshape(6, 4)
    fixed = np.full(6, -1, dtype=np.int8)
    fixed[: fixed_units + 1] = 1
    bound = dual_bound(np.eye(2).ravel(), terms, fixed, np.full(6, weight))
    free = range(fixed_units + 1, 6)
    inside = tuple(range(fixed_units + 1))
    least = min(
        squared_norm(w_up, w_down, inside + s) for k in range(len(free) + 1) for s in combinations(free, k)
    )
    assert Fraction(float(bound)) ** 2 <= least


def test_the_relaxation_is_tight_where_the_box_is_a_point():
    from skip_absorption.experiments._distance_kernels import dual_bound

    w_up, w_down = weights("gaussian", 3, 4)
    terms = np.einsum("ri,ic->irc", w_down, w_up).reshape(4, 9)
    fixed = np.array([1, 0, 1, 1], dtype=np.int8)
    bound = float(dual_bound(np.eye(3).ravel(), terms, fixed, fixed.astype(np.float64)))
    norm = float(squared_norm(w_up, w_down, (0, 2, 3))) ** 0.5
    assert norm * (1 - 1e-10) <= bound <= norm


def test_rows_are_valid_and_cells_independent():
    options = {"draws": 2, "listed": 6, "nodes": 50}
    table = validate_table("distance", run_sizes("lecun", 2, [4, 8], **options))
    assert (table["lower"] <= table["upper"]).all()
    alone = pd.concat([run_sizes("lecun", 2, [n], **options) for n in (4, 8)], ignore_index=True)
    pd.testing.assert_frame_equal(table.drop(columns="seconds"), alone.drop(columns="seconds"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"w_up": np.full((3, 2), 0.1)}, r"w_up must hold multiples of 2\^-20; got others"),
        ({"w_down": np.full((2, 3), 2.0**12)}, r"the weights must keep sums of products below 2\^12; got"),
        ({"w_down": np.ones((3, 2))}, r"w_down must have shape \(2, 3\)"),
        ({"listed": 27}, "listed must be at most 26; got 27"),
    ],
)
def test_misuse(change, message):
    good = {"w_up": np.ones((3, 2)), "w_down": np.ones((2, 3)), "rng": generator("test", "misuse")}
    with pytest.raises(InvalidInput, match=message):
        nearest_set(**{**good, **change})


def test_sums_near_the_limit_are_exact():
    rng = generator("test", "exact sums")
    w_up, w_down = (np.rint(15 * rng.standard_normal(shape) * GRID) / GRID for shape in ((8, 2), (2, 8)))
    w_up *= 1 + 2.0**-10  # more bits, still on the grid after rounding
    w_up = np.rint(w_up * GRID) / GRID
    found = nearest_set(w_up, w_down, rng=rng)
    assert squared_norm(w_up, w_down, found.units) == exact_least(w_up, w_down)
