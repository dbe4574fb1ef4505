import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from skip_absorption import measures
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import exact_array, exact_matmul, identity, rank, to_fractions


def test_a_stream_depends_on_its_names_and_seed_alone():
    first = measures.generator("theorem_4", "planted", 0).integers(0, 2**32, size=4).tolist()
    assert first == measures.generator("theorem_4", "planted", 0).integers(0, 2**32, size=4).tolist()
    others = [("theorem_4", "planted", 1), ("theorem_4", "random", 0), ("theorem_4planted", "", 0)]
    for name, cell, seed in others:
        assert first != measures.generator(name, cell, seed).integers(0, 2**32, size=4).tolist()


def test_a_stream_is_the_same_in_another_process_with_another_hash_seed():
    code = "from skip_absorption.measures import generator; print(generator('a', 'b', 5).integers(2**60))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert runs == {f"{measures.generator('a', 'b', 5).integers(2**60)}\n"}


@pytest.mark.parametrize("draw", [measures.gaussian, measures.integers, measures.rationals])
def test_draws_are_exact_arrays_of_the_shape_asked_for(draw):
    weights = draw((4, 3), rng=measures.generator("test", draw.__name__))
    assert weights.shape == (4, 3)
    assert (exact_array(weights, name="w", ndim=2) == weights).all()
    assert len({Fraction(x) for x in to_fractions(weights).flat}) > 3


def test_rationals_stay_in_their_bounds():
    weights = measures.rationals((50, 4), rng=measures.generator("test", "bounds"), bound=2, denominator=3)
    assert all(abs(x) <= 2 and x.denominator <= 3 for x in weights.flat)
    assert {x.denominator for x in weights.flat} == {1, 2, 3}


@pytest.mark.parametrize(("d", "n"), [(2, 2), (2, 6), (3, 3), (4, 9)])
def test_generic_integers_satisfy_the_hypotheses_by_rank(d, n):
    w_up, w_down = measures.generic_integers(d, n, rng=measures.generator("test", f"{d}-{n}"))
    assert all(rank(w_up[[i, j]]) == 2 for i in range(n) for j in range(i))
    assert all(w_down[:, i].any() for i in range(n))
    assert measures.is_generic(w_up, w_down)


@pytest.mark.parametrize(
    ("w_up", "w_down"),
    [
        ([[1, 0], [-2, 0]], [[1, 0], [0, 1]]),  # opposed rows
        ([[1, 0], [0, 0]], [[1, 0], [0, 1]]),  # a zero row
        ([[1, 0], [0, 1]], [[1, 0], [1, 0]]),  # a zero column
        ([[1, 0, 0], [0, 1, 0]], [[1, 1]] * 3),  # N < d
        ([[1], [2]], [[1, 1]]),  # d = 1
    ],
)
def test_what_breaks_the_hypotheses_is_not_generic(w_up, w_down):
    assert not measures.is_generic(np.array(w_up), np.array(w_down))


@pytest.mark.parametrize(("d", "n"), [(2, 2), (2, 6), (3, 5), (5, 9)])
@pytest.mark.parametrize("seed", range(5))
def test_planted_sets_satisfy_the_condition(d, n, seed):
    rng = measures.generator("test", f"plant-{d}-{n}", seed)
    plant = measures.planted(d, n, rng=rng)
    units = list(plant.flip_set)
    assert d <= len(units) <= n
    assert (plant.w_down[:, units] @ plant.w_up[units] == -np.eye(d)).all()
    assert measures.is_generic(plant.w_up, plant.w_down)


def test_a_general_skip_can_be_planted():
    skip = np.array([[1, 2], [0, 0]])
    plant = measures.planted(2, 5, rng=measures.generator("test", "skip"), size=3, skip=skip)
    units = list(plant.flip_set)
    assert len(units) == 3
    assert (plant.w_down[:, units] @ plant.w_up[units] == -skip).all()


@pytest.mark.parametrize("extra", range(4))
def test_planted_width_leaves_a_residual_of_the_rank_asked_for(extra):
    rng = measures.generator("test", "planted width", extra)
    w_up, w_down = measures.planted_width(3, 5, extra, rng=rng)
    flipped = list(range(3 - extra))
    residual = identity(3) + exact_matmul(w_down[:, flipped], w_up[flipped])
    assert rank(residual) == extra
    assert measures.is_generic(w_up, w_down)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rng: measures.planted(3, 2, rng=rng), r"\(d, N\) must satisfy 2 <= d <= N; got \(3, 2\)"),
        (lambda rng: measures.planted(2, 4, rng=rng, size=5), r"size must lie in 2\.\.4; got 5"),
        (lambda rng: measures.planted_width(2, 4, 3, rng=rng), r"extra must lie in 0\.\.2; got 3"),
        (
            lambda rng: measures.generic_integers(2, 9, rng=rng, bound=1),
            "bound must leave room for 9 pairwise",
        ),
    ],
)
def test_misuse_is_one_clear_error(call, message):
    with pytest.raises(InvalidInput, match=message):
        call(measures.generator("test", "misuse"))
