from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from skip_absorption.checkpoints.block import TensorRef, exact_product, map_in_words, squeezed
from skip_absorption.checkpoints.tensors import open_tensors

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


def test_a_reference_transposes_before_it_cuts(tmp_path):
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    save_file({"a": matrix, "c": matrix[:, :, None, None]}, tmp_path / "x.safetensors")
    with open_tensors(tmp_path / "x.safetensors") as tensors:
        for ref, expected in (
            (TensorRef("a"), matrix),
            (TensorRef("a", transposed=True), matrix.T),
            (TensorRef("a", rows=(1, 3)), matrix[1:3]),
            (TensorRef("a", transposed=True, rows=(1, 3)), matrix.T[1:3]),
            (TensorRef("c"), matrix),
        ):
            assert np.array_equal(ref.read(tensors), expected)
            assert ref.shape(tensors) == expected.shape


def test_only_kernels_of_size_one_are_matrices():
    assert squeezed((3, 4, 1, 1)) == (3, 4)
    assert squeezed((3, 4, 1)) == (3, 4)
    assert squeezed((3, 1)) == (3, 1)
    assert squeezed((3, 4, 1, 7)) == (3, 4, 1, 7)
    assert squeezed((3,)) == (3,)


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=8), st.sampled_from([np.float32, np.float64]))
@settings(max_examples=60, deadline=None)
def test_products_are_exact(pairs, kind):
    left, right = (np.array(side, kind) for side in zip(*pairs, strict=True))
    found = exact_product(left, right)
    assert found.dtype == (np.float64 if kind is np.float32 else object)
    for x, y, z in zip(left, right, found, strict=True):
        assert Fraction(z if kind is np.float64 else float(z)) == Fraction(float(x)) * Fraction(float(y))


@pytest.mark.parametrize("norm", ["pre", "post", "none", "unknown"])
def test_the_map_is_one_line_that_names_it(norm):
    words = map_in_words(norm)
    assert words.startswith("r(z) = z + MLP(z)" if norm == "pre" else "r(x) = x + MLP(x)")
    assert "\n" not in words


def test_a_skip_past_a_norm_is_replaced_by_no_mlp():
    # The claim in the words for "pre": V(Norm(x)) stays bounded along a ray, and x + MLP(Norm(x)) does not.
    rng = np.random.default_rng(0)
    up, down, x = rng.standard_normal((8, 4)), rng.standard_normal((4, 8)), rng.standard_normal(4)

    def behind_norm(t):
        z = t * x - (t * x).mean()
        return down @ np.maximum(up @ (z / np.sqrt((z**2).mean() + 1e-5)), 0)

    sizes = [np.abs(behind_norm(10.0**k)).max() for k in range(8)]
    bound = np.abs(down).sum(axis=1).max() * np.abs(up).sum(axis=1).max() * np.sqrt(4)
    assert max(sizes) <= bound
    assert np.abs(1e7 * x + behind_norm(1e7)).max() > bound
