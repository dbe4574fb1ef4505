"""Products, elimination and its certificates against FLINT and Gaussian elimination in plain Python."""

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.errors import InvalidInput
from skip_absorption.exact import _elimination
from skip_absorption.exact.prime_field import det_mod, eliminate, matmul_mod, random_prime

PRIMES = [3, 5, 7, 101, 4194301, 16777213]


@pytest.fixture(autouse=True, params=[2, 5, 64])
def leaf(request, monkeypatch):
    """Small leaves send small matrices through the whole recursion."""
    monkeypatch.setattr(_elimination, "LEAF", request.param)


def echelon_columns(matrix, p):
    """The pivot columns of an integer matrix modulo p: the slow, obvious elimination."""
    rows = [[int(x) % p for x in row] for row in matrix]
    pivots = []
    for column in range(matrix.shape[1]):
        row = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if row is None:
            continue
        top = len(pivots)
        rows[top], rows[row] = rows[row], rows[top]
        inverse = pow(rows[top][column], -1, p)
        for i in range(top + 1, len(rows)):
            factor = rows[i][column] * inverse % p
            rows[i] = [(x - factor * y) % p for x, y in zip(rows[i], rows[top], strict=True)]
        pivots.append(column)
    return pivots


def to_flint(matrix, p):
    return flint.nmod_mat(*matrix.shape, [int(x) for x in matrix.flat], p)


def product(left, right, p):
    """The product modulo p in Python integers."""
    return left.astype(object) @ right.astype(object) % p


@st.composite
def matrices(draw, size=9):
    """Matrices of every shape and rank modulo a prime, with zero blocks and repeated rows and columns."""
    p = draw(st.sampled_from(PRIMES))
    rows, columns = draw(st.integers(1, size)), draw(st.integers(1, size))
    rank = draw(st.integers(0, min(rows, columns)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    factors = [rng.integers(0, p, shape) for shape in ((rows, rank), (rank, columns))]
    factors = [np.where(rng.random(f.shape) < draw(st.sampled_from([0.0, 0.6])), 0, f) for f in factors]
    matrix = product(*factors, p).astype(np.int64) if rank else np.zeros((rows, columns), dtype=np.int64)
    match draw(st.sampled_from(["plain", "zero block", "same rows", "same columns", "permuted"])):
        case "zero block":
            matrix[: draw(st.integers(0, rows)), : draw(st.integers(0, columns))] = 0
        case "same rows":
            matrix = matrix[rng.integers(0, rows, rows)]
        case "same columns":
            matrix = matrix[:, rng.integers(0, columns, columns)]
        case "permuted":
            matrix = matrix[rng.permutation(rows)][:, rng.permutation(columns)]
    return matrix, p, rng


def check_everything(matrix, p, rng):
    """Compare every answer about one matrix with its defining equation and with the oracles."""
    rows, columns = matrix.shape
    found = eliminate(matrix, p)
    oracle = to_flint(matrix, p)
    pivots = echelon_columns(matrix, p)
    assert (found.p, found.shape) == (p, matrix.shape)
    assert found.rank == len(pivots) == oracle.rank()
    assert found.pivot_columns.tolist() == pivots
    minor = matrix[found.pivot_rows][:, found.pivot_columns]
    assert found.rank == 0 or int(to_flint(minor, p).det()) != 0

    kernel, left_kernel = found.kernel(), found.left_kernel()
    for basis in (kernel, left_kernel):
        assert basis.dtype == np.int64
        assert ((basis >= 0) & (basis < p)).all()
    assert kernel.shape == (columns, columns - found.rank)
    assert left_kernel.shape == (rows - found.rank, rows)
    assert not product(matrix, kernel, p).any()
    assert not product(left_kernel, matrix, p).any()
    assert kernel.size == 0 or to_flint(kernel, p).rank() == columns - found.rank
    assert left_kernel.size == 0 or to_flint(left_kernel, p).rank() == rows - found.rank

    solvable = product(matrix, rng.integers(0, p, columns), p)
    check_system(found, matrix, solvable, p)
    assert found.solve(solvable) is not None
    check_system(found, matrix, rng.integers(0, p, rows), p)

    determined = found.determined()
    assert determined.tolist() == [not kernel[j].any() for j in range(columns)]
    for j in range(columns):
        y = found.row_combination(j)
        assert (y is not None) == determined[j]
        if y is not None:
            assert product(y, matrix, p).tolist() == [int(i == j) for i in range(columns)]
            assert not np.delete(y, found.pivot_rows).any()
    if rows == columns:
        assert found.determinant() == det_mod(matrix, p) == int(oracle.det())


def check_system(found, matrix, b, p):
    x, y = found.solve(b), found.inconsistency(b)
    assert (x is None) != (y is None)
    if x is not None:
        assert product(matrix, x, p).tolist() == (b % p).tolist()
        assert not np.delete(x, found.pivot_columns).any()
        assert ((x >= 0) & (x < p)).all()
    else:
        assert not product(y, matrix, p).any()
        assert product(y, b, p) != 0
        assert np.count_nonzero(y) <= found.rank + 1
        augmented = np.concatenate([matrix, b[:, None].astype(np.int64)], axis=1)
        assert len(echelon_columns(augmented, p)) == found.rank + 1


@settings(deadline=None, max_examples=120)
@given(matrices())
def test_small_matrices(case):
    check_everything(*case)


@settings(deadline=None, max_examples=5)
@given(matrices(size=80))
def test_larger_matrices(case):
    check_everything(*case)


@pytest.mark.parametrize("p", [3, 4194301])
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (0, 3), (3, 0), (0, 0), (7, 7), (70, 66)])
def test_zero_matrices(shape, p):
    found = eliminate(np.zeros(shape), p)
    assert found.rank == 0
    assert found.kernel().tolist() == np.eye(shape[1]).tolist()
    assert found.left_kernel().tolist() == np.eye(shape[0]).tolist()
    assert not found.determined().any()
    assert found.solve(np.zeros(shape[0])).tolist() == [0] * shape[1]
    if shape[0]:
        assert found.solve(np.ones(shape[0])) is None
        assert found.inconsistency(np.ones(shape[0])).tolist() == [1] + [0] * (shape[0] - 1)


@pytest.mark.parametrize("shape", [(200, 130), (130, 200), (200, 200), (137, 137)])
@pytest.mark.parametrize("kind", ["random", "low rank", "zeros in front", "repeated", "identity mixed"])
def test_structures_across_leaves(shape, kind):
    rng = np.random.default_rng([*shape, len(kind)])
    p = random_prime(rng=rng)
    rows, columns = shape
    matrix = rng.integers(0, p, shape)
    match kind:
        case "low rank":
            matrix = product(rng.integers(0, p, (rows, 20)), rng.integers(0, p, (20, columns)), p).astype(int)
        case "zeros in front":
            matrix[:100, :75] = 0
        case "repeated":
            matrix = matrix[rng.integers(0, 90, rows)][:, rng.integers(0, 90, columns)]
        case "identity mixed":
            matrix = np.eye(*shape, dtype=np.int64)[rng.permutation(rows)]
    found, oracle = eliminate(matrix, p), to_flint(matrix, p)
    assert found.rank == oracle.rank()
    assert not np.asarray(matmul_mod(matrix, found.kernel(), p)).any()
    assert not np.asarray(matmul_mod(found.left_kernel(), matrix, p)).any()
    b = product(matrix, rng.integers(0, p, columns), p)
    check_system(found, matrix, b, p)
    b[rng.integers(rows)] += 1
    check_system(found, matrix, b, p)
    if rows == columns:
        assert found.determinant() == int(oracle.det())


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(PRIMES), st.tuples(*[st.integers(0, 6)] * 3), st.integers(0, 2**32))
def test_products(p, shape, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, p, shape[:2]), rng.integers(0, p, shape[1:])
    assert matmul_mod(a, b, p).tolist() == product(a, b, p).tolist()
    assert matmul_mod(b.T.astype(float), a.T, p).tolist() == product(a, b, p).T.tolist()


@pytest.mark.parametrize("p", [3, 4194301, 16777213])
def test_long_products_of_the_largest_residues_are_exact(p):
    inner = 5000
    a = np.full((2, inner), p - 1)
    assert matmul_mod(a, a.T, p).tolist() == [[inner % p] * 2] * 2


def test_overwriting_uses_the_memory_given():
    rng = np.random.default_rng(3)
    matrix = rng.integers(0, 101, (40, 30)).astype(float)
    original = matrix.copy()
    kept = eliminate(matrix, 101)
    assert matrix.tolist() == original.tolist()
    found = eliminate(matrix, 101, overwrite=True)
    assert matrix.tolist() != original.tolist()
    assert found.pivot_columns.tolist() == kept.pivot_columns.tolist()
    original.flags.writeable = False
    assert eliminate(original, 101, overwrite=True).rank == kept.rank


def test_progress_rises_to_one():
    seen = []
    eliminate(np.random.default_rng(0).integers(0, 101, (300, 200)), 101, progress=seen.append)
    assert seen == sorted(seen)
    assert len(seen) > 2
    assert seen[-1] == 1.0
    assert 0 < seen[0] < 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: eliminate(np.array([[7]]), 7), r"matrix must hold residues in \[0, 7\)"),
        (lambda: eliminate(np.array([[-1]]), 7), r"matrix must hold residues in \[0, 7\)"),
        (lambda: eliminate(np.array([[0.5]]), 7), r"matrix must hold residues in \[0, 7\)"),
        (lambda: eliminate(np.array([[np.nan]]), 7), r"matrix must hold residues in \[0, 7\)"),
        (lambda: eliminate(np.zeros(3), 7), "matrix must be a matrix of residues"),
        (lambda: eliminate(np.zeros((1, 1), dtype=object), 7), "matrix must be a matrix of residues"),
        (lambda: matmul_mod(np.ones((2, 3)), np.ones((2, 3)), 7), "b must have 3 rows"),
        (lambda: matmul_mod(np.ones((2, 3)), np.full((3, 1), 9), 7), r"b must hold residues in \[0, 7\)"),
        (lambda: eliminate(np.ones((2, 3)), 7).solve(np.ones(3)), r"b must have shape \(2,\)"),
        (lambda: eliminate(np.ones((2, 3)), 7).inconsistency(np.ones((2, 1))), r"b must have shape \(2,\)"),
        (lambda: eliminate(np.ones((2, 3)), 7).row_combination(3), "j must be a column index from 0 to 2"),
        (lambda: eliminate(np.ones((2, 3)), 7).row_combination(-1), "j must be a column index"),
        (lambda: det_mod(np.ones((2, 3)), 7), "matrix must be square"),
    ],
)
def test_misuse_is_one_line(call, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_controls_a_changed_answer_breaks_its_equation():
    rng = np.random.default_rng(5)
    p = 4194301
    matrix = product(rng.integers(0, p, (30, 20)), rng.integers(0, p, (20, 25)), p).astype(int)
    b = rng.integers(0, p, 30)
    found = eliminate(matrix, p)
    y, kernel, x = found.inconsistency(b), found.kernel(), found.solve(matrix[:, 0])
    for answer, violated in (
        (y, lambda: product(y, matrix, p).any()),
        (kernel, lambda: product(matrix, kernel, p).any()),
        (x, lambda: np.any(product(matrix, x, p) != matrix[:, 0])),
    ):
        assert not violated()
        where = tuple(rng.integers(answer.shape))
        answer[where] = (answer[where] + 1) % p
        assert violated()
    changed = matrix.copy()
    changed[found.pivot_rows[0]] = 0
    assert eliminate(changed, p).rank == found.rank  # 30 rows of rank 20: any 20 of the other 29 still span
    changed[found.pivot_rows] = 0
    assert eliminate(changed, p).rank == 10
