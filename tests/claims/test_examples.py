import numpy as np
import pytest

from skip_absorption.absorption.width import minimal_width
from skip_absorption.claims import hypotheses
from skip_absorption.claims.examples import BROKEN, Frame, absorbs_without_a_set, further_units, spread
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.running import Case
from skip_absorption.exact.rational import identity
from skip_absorption.measures import generator, generic_integers
from skip_absorption.networks.activations import activation


def plain(d):
    """The frame in which examples are as they are written."""
    return Frame(identity(d), identity(d), activation("relu"))


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.name)
def test_the_examples_as_they_are_written(broken):
    case = Case(0, 2, 3, generator("test examples", broken.name))
    frame = plain(len(broken.w_down))
    block, twin = frame.instance(broken.w_up, broken.w_down).residual, frame.mlp(*broken.twin)
    for x in case.rng.integers(-5, 6, size=(20, len(broken.w_down))):
        assert block.rational(x).tolist() == twin.rational(x).tolist()
    assert absorbs_without_a_set(broken, frame, case)


@pytest.mark.parametrize("seed", range(8))
def test_further_units_agree_with_the_least_width(seed):
    rng = generator("test examples", "units", seed)
    act = activation(("relu", "leaky_relu:1/5")[seed % 2])
    w_up, w_down = generic_integers(2, 4, rng=rng, bound=2)
    found = minimal_width(w_up, w_down, activation=act)
    assert found.width == 4 + further_units(Instance(w_up, w_down, act))


def test_frames_keep_the_question():
    rng = generator("test examples", "frames")
    frame = Frame.drawn(2, activation("leaky_relu:1/5"), rng=rng)
    assert (frame.q @ frame.inverse).tolist() == identity(2).tolist()
    instance = frame.instance(identity(2), -identity(2))
    assert instance.sum_over((0, 1)).tolist() == (-identity(2)).tolist()


def test_scales_are_distinct_and_positive():
    values = spread(range(6), rng=generator("test examples", "spread"))
    assert all(value > 0 for value in values)
    assert len(set(values)) == 6


@pytest.mark.parametrize("name", [name for name, _ in hypotheses.EXAMPLES])
@pytest.mark.parametrize("act", hypotheses.ACTIVATIONS)
def test_every_example_holds_with_every_activation(name, act):
    example = dict(hypotheses.EXAMPLES)[name]
    assert example(Case(0, 3, 5, generator("test examples", f"{name} {act}")), activation(act))


def test_each_example_is_run_however_few_cases_are_asked_for():
    assert hypotheses.check(cases=1, dims=[(2, 3)], seed=0).cases == len(hypotheses.EXAMPLES)
    assert len({name for name, _ in hypotheses.EXAMPLES}) == len(hypotheses.EXAMPLES)


def test_opposed_rows_are_recognised():
    assert hypotheses._opposed(np.array([1, -2]), np.array([-2, 4]))
    assert not hypotheses._opposed(np.array([1, -2]), np.array([2, -4]))
    assert not hypotheses._opposed(np.array([1, 0]), np.array([-1, 1]))
