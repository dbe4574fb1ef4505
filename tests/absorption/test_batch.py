from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.absorption import _batch_kernels, batch
from skip_absorption.absorption.batch import decide_batch, residues
from skip_absorption.absorption.condition import Absorption, decide
from skip_absorption.distributions import distribution
from skip_absorption.errors import InvalidInput
from skip_absorption.measures import generator, is_generic, planted

P = (1 << 61) - 1
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def stream(name: str) -> np.random.Generator:
    return generator("test batch", name)


@given(st.lists(FLOATS, min_size=1, max_size=20))
@settings(deadline=None, max_examples=100)
def test_residues_are_those_of_the_rationals(values):
    for value, residue in zip(values, residues(np.array(values)).tolist(), strict=True):
        exact = Fraction(value)
        assert residue == exact.numerator * pow(exact.denominator, -1, P) % P


@given(st.integers(0, P - 1), st.integers(0, P - 1))
@settings(deadline=None, max_examples=300)
def test_products_modulo_p(x, y):
    from skip_absorption.absorption._batch_kernels import images

    one = np.ones(1, dtype=np.uint64)
    up, down = (np.array([[[z]]], dtype=np.uint64) for z in (x, y))
    assert int(images(up, down, one, one)[0, 0]) == x * y % P


@pytest.mark.parametrize("edge", [0, 1, P - 1, (1 << 31) - 1, 1 << 31, (1 << 60) - 1, 1 << 60])
def test_products_at_the_edges(edge):
    from skip_absorption.absorption._batch_kernels import images

    one = np.ones(1, dtype=np.uint64)
    for other in (0, 1, 2, P - 1, P - 2, 1 << 60):
        up, down = (np.array([[[z]]], dtype=np.uint64) for z in (edge, other))
        assert int(images(up, down, one, one)[0, 0]) == edge * other % P


@pytest.mark.parametrize("name", ["ternary", "integers_2", "int4", "sparse", "gaussian", "low_rank"])
@pytest.mark.parametrize(("d", "n"), [(2, 2), (2, 5), (3, 4)])
def test_the_batch_agrees_with_the_decision_one_by_one(name, d, n):
    rng = stream(f"{name}{d}{n}")
    w_up, w_down = distribution(name).draw((40, d, n), rng)
    found = decide_batch(w_up, w_down, rng=rng)
    for b in range(40):
        one = decide(w_up[b], w_down[b], condition_only=True, rng=rng)
        assert found.condition[b] == (one.verdict is Absorption.ABSORBABLE)
        assert found.generic[b] == is_generic(w_up[b], w_down[b])
        units = [i for i in range(n) if found.masks[b] >> i & 1 and found.masks[b] >= 0]
        if found.condition[b]:
            assert (w_down[b][:, units] @ w_up[b][units] == -np.eye(d)).all()


@pytest.mark.parametrize(("d", "n"), [(2, 2), (2, 7), (3, 8), (4, 12)])
def test_planted_sets_are_found_and_one_ulp_destroys_them(d, n):
    rng = stream(f"plant{d}{n}")
    plants = [planted(d, n, rng=rng) for _ in range(20)]
    w_up, w_down = (np.array([getattr(x, k) for x in plants], dtype=np.float64) for k in ("w_up", "w_down"))
    assert decide_batch(w_up, w_down, rng=rng).condition.all()
    entries = w_down[np.arange(20), :, [x.flip_set[0] for x in plants]]
    w_down[np.arange(20), :, [x.flip_set[0] for x in plants]] = np.nextafter(entries, np.inf)
    again = decide_batch(w_up, w_down, rng=rng)
    for b in range(20):
        one = decide(w_up[b], w_down[b], condition_only=True, rng=rng)
        assert again.condition[b] == (one.verdict is Absorption.ABSORBABLE)
    assert again.condition.sum() < 20


def test_false_alarms_of_the_filter_are_refuted_over_q(monkeypatch):
    def blind(w_up, w_down, probes):
        return np.zeros(len(w_up), dtype=np.int64), np.full(len(w_up), w_up.shape[1], dtype=np.int64)

    rng = stream("blind")
    eye = np.eye(2)[None]
    w_up = np.concatenate([eye, eye, 0 * eye])
    w_down = np.concatenate([-eye, -2 * eye, eye])
    monkeypatch.setattr(batch, "_modulo", blind)
    found = decide_batch(w_up, w_down, rng=rng)
    assert found.condition.tolist() == [True, False, False]
    assert found.masks.tolist() == [3, -1, -1]
    assert found.generic.tolist() == [True, True, False]


def test_float_products_are_not_trusted():
    third = 1 / 3
    w_up, w_down = np.diag([third, 1.0])[None], np.diag([-3.0, -1.0])[None]
    assert (w_down[0] @ w_up[0] == -np.eye(2)).all()  # rounded: 3 times a float is never 1
    assert not decide_batch(w_up, w_down, rng=stream("third")).condition.any()


@pytest.mark.parametrize(
    ("w_up", "w_down", "generic"),
    [
        ([[1, 0], [0, 1], [3, 0]], [[1, 1, 1], [1, 1, 1]], False),
        ([[1, 0], [0, 1], [0, 0]], [[1, 1, 1], [1, 1, 1]], False),
        ([[1, 0], [0, 1], [1, 1]], [[1, 1, 0], [1, 1, 0]], False),
        ([[1, 0], [0, 1], [1, 1]], [[1, 1, 1], [1, 1, 0]], True),
        ([[0.1, 0.3], [0.3, 0.9]], [[1, 1], [1, 1]], False),  # not collinear: 0.3 · 0.3 is not 0.9 · 0.1
    ],
)
def test_hypotheses(w_up, w_down, generic):
    up, down = np.array([w_up], dtype=np.float64), np.array([w_down], dtype=np.float64)
    expected = is_generic(up[0], down[0])
    assert decide_batch(up, down, rng=stream("hypotheses")).generic.tolist() == [expected]
    assert expected == generic or w_up[0][0] == 0.1


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((1, 3, 2), (1, 3, 2)), r"w_down must have shape \(1, 2, 3\); got \(1, 3, 2\)"),
        (((1, 41, 2), (1, 2, 41)), "N must be at most 40 in a batch; got 41"),
    ],
)
def test_misuse(shapes, message):
    with pytest.raises(InvalidInput, match=message):
        decide_batch(*(np.ones(shape) for shape in shapes), rng=stream("misuse"))


def test_infinite_weights_are_refused():
    with pytest.raises(InvalidInput, match="the weights must be finite"):
        decide_batch(np.full((1, 2, 2), np.inf), np.ones((1, 2, 2)), rng=stream("misuse"))


def test_an_empty_batch():
    assert decide_batch(np.ones((0, 3, 2)), np.ones((0, 2, 3)), rng=stream("empty")).condition.shape == (0,)


def test_interpreted_loops_agree(monkeypatch):
    rng = np.random.default_rng(0)
    up, down = rng.integers(-1, 2, (60, 4, 2)).astype(float), rng.integers(-1, 2, (60, 2, 4)).astype(float)
    compiled = decide_batch(up, down, rng=np.random.default_rng(1))
    for name, value in list(vars(_batch_kernels).items()):
        if hasattr(value, "py_func"):
            monkeypatch.setattr(_batch_kernels, name, value.py_func)
    interpreted = decide_batch(up, down, rng=np.random.default_rng(1))
    for name in ("condition", "generic", "masks"):
        assert np.array_equal(getattr(interpreted, name), getattr(compiled, name))
    assert 0 < compiled.condition.sum() < 60
