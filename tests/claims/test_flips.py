from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.claims.flips import Instance
from skip_absorption.exact.rational import identity, to_fractions
from skip_absorption.measures import gaussian, generator, integers, planted
from skip_absorption.networks.activations import activation

RELU, LEAKY = activation("relu"), activation("leaky_relu:1/3")


def plain_sum(instance, units):
    d = instance.w_up.shape[1]
    rows, columns = to_fractions(instance.w_up), to_fractions(instance.w_down)
    return [
        [instance.odd * sum((columns[r, i] * rows[i, c] for i in units), Fraction(0)) for c in range(d)]
        for r in range(d)
    ]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([RELU, LEAKY]), st.booleans())
def test_the_search_agrees_with_trying_every_set(seed, n, act, from_a_set):
    rng = generator("test flips", f"{n}", seed)
    instance = Instance(integers((n, 2), rng=rng, bound=1), integers((2, n), rng=rng, bound=1), act)
    target = -identity(2)
    if from_a_set:
        target = np.array(plain_sum(instance, np.flatnonzero(rng.integers(2, size=n)).tolist()), dtype=object)
    wanted = to_fractions(target).tolist()
    sets = [s for size in range(n + 1) for s in combinations(range(n), size)]
    solutions = [s for s in sets if plain_sum(instance, s) == wanted]
    found = instance.first_set(target)
    assert (found is None) == (not solutions)
    assert found is None or tuple(sorted(found)) in solutions
    assert not (from_a_set and found is None)


def test_sums_are_exact_for_floats():
    rng = generator("test flips", "floats")
    instance = Instance(gaussian((3, 2), rng=rng), gaussian((2, 3), rng=rng), LEAKY)
    assert instance.sum_over((0, 2)).tolist() == plain_sum(instance, (0, 2))


def test_flipping_a_planted_set_absorbs_at_every_point():
    plant = planted(2, 4, rng=generator("test flips", "plant"))
    instance = Instance(plant.w_up, plant.w_down, RELU)
    assert instance.first_set(-identity(2)) is not None
    for x in ([1, 0], [-3, 2], [Fraction(1, 7), Fraction(-5, 3)], [0, -1]):
        value = instance.residual.rational(x)
        assert value.tolist() == instance.flipped(plant.flip_set).rational(x).tolist()
        assert value.tolist() != instance.flipped(()).rational(x).tolist()


@pytest.mark.parametrize("name", ["gelu", "silu", "relu"])
def test_the_odd_factor_is_one_for_the_paper_s_activations(name):
    assert Instance(identity(2), identity(2), activation(name)).odd == 1
