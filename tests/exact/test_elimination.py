"""The machinery of the elimination: its factors, exact sums in float64, BLAS on parts of matrices."""

import numpy as np
import pytest

from skip_absorption.exact import _blas, _elimination, _kernels
from skip_absorption.exact._blas import gemm
from skip_absorption.exact._elimination import Factors, capacity, subtract_product
from skip_absorption.exact.prime_field import matmul_mod

PRIMES = [3, 5, 7, 101, 65537, 786433, 2097169, 4194301, 16777213]


def expanded(factors):
    """L and E of P A = L E as integer matrices."""
    packed, rank = factors.packed, factors.rank
    lower = np.tril(packed[:, :rank], -1) + np.eye(len(packed), rank)
    columns = np.arange(packed.shape[1])
    echelon = np.where(columns >= factors.pivots[:, None], packed[:rank], 0)
    return lower.astype(np.int64).astype(object), echelon.astype(np.int64).astype(object)


def broken_identities(factors, original):
    lower, echelon = expanded(factors)
    return np.count_nonzero((lower @ echelon - original[factors.order]) % factors.p)


def instances(rng, p):
    """Matrices whose rank is full, falls short in the end, and falls short before it rises again."""
    for shape, rank in (((90, 70), 70), ((70, 90), 70), ((80, 80), 33), ((100, 20), 5), ((20, 100), 0)):
        product = rng.integers(0, p, (shape[0], rank)).astype(object) @ rng.integers(0, p, (rank, shape[1]))
        yield (product % p).astype(np.int64) if rank else np.zeros(shape, dtype=np.int64)
    early = rng.integers(0, p, (150, 140))
    early[:, 3:40:2] = early[:, 2:39:2]
    yield early


@pytest.mark.parametrize("leaf", [2, 7, 64])
@pytest.mark.parametrize("p", PRIMES)
def test_factors_multiply_back(monkeypatch, leaf, p):
    monkeypatch.setattr(_elimination, "LEAF", leaf)
    rng = np.random.default_rng([leaf, p])
    for matrix in instances(rng, p):
        factors = Factors(matrix.astype(float), p)
        assert broken_identities(factors, matrix) == 0
        assert sorted(factors.order) == list(range(len(matrix)))
        assert (np.diff(factors.pivots) > 0).all()
        assert np.abs(expanded(factors)[0]).max(initial=0) <= p // 2 + 2


def test_control_a_changed_factor_breaks_the_identity():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 4194301, (80, 80))
    factors = Factors(matrix.astype(float), 4194301)
    for where in ((0, 0), (79, 79), (60, 3), (3, 60)):
        before = factors.packed[where]
        factors.packed[where] += 1
        assert broken_identities(factors, matrix) > 0
        factors.packed[where] = before
    assert broken_identities(factors, matrix) == 0


@pytest.mark.parametrize("p", PRIMES)
def test_the_longest_sums_are_exact(p):
    h, terms = p // 2 + 2, capacity(p)
    assert terms * h * h + 2 * p <= 2**53
    assert terms == 1 << 16 or (terms + 1) * h * h + 2 * p > 2**53
    left = np.full((3, terms), float(h))
    right = np.full((terms, 2), float(h))
    left[1] = -h
    right[::2, 1] = -(h - 1)
    out = np.zeros((3, 2))
    assert subtract_product(out, (0, 3), (0, 2), left, right, p=p, load=0) == terms
    row, column = [h] * terms, [-(h - 1) if i % 2 == 0 else h for i in range(terms)]
    mixed = sum(x * y for x, y in zip(row, column, strict=True))
    expected = [[-terms * h * h, -mixed], [terms * h * h, mixed], [-terms * h * h, -mixed]]
    assert [[int(x) for x in line] for line in out] == expected
    _kernels.balance(out, (0, 3), (0, 2), float(p))
    assert all(
        (int(x) - y) % p == 0
        for line, other in zip(out, expected, strict=True)
        for x, y in zip(line, other, strict=True)
    )
    assert np.abs(out).max() <= h


def test_control_longer_sums_are_not_exact_and_are_refused(monkeypatch):
    p = 4194301
    h, terms = p // 2 + 2, 4 * capacity(p) + 1
    long = np.full((1, terms), float(h - 1))  # odd or even alike, the exact sum needs more than 53 bits
    long[0, 0] = 1.0
    out = np.zeros((1, 1))
    gemm(out, long, long.T, alpha=1.0, beta=0.0)
    assert int(out[0, 0]) != (terms - 1) * (h - 1) ** 2 + 1
    monkeypatch.setattr(_elimination, "capacity", lambda p: 1 << 16)
    with pytest.raises(AssertionError, match="would not be exact"):
        subtract_product(out, (0, 1), (0, 1), long, long.T, p=p, load=0)


@pytest.mark.parametrize("load", [0, 1, 900, 2000])
@pytest.mark.parametrize("inner", [1, 100, 2047, 2048, 5000])
def test_products_longer_than_the_capacity_are_split(inner, load):
    p = 4194301
    rng = np.random.default_rng(inner)
    left, right = (rng.integers(-(p // 2), p // 2 + 1, shape) for shape in ((2, inner), (inner, 3)))
    start = rng.integers(-load, load + 1, (4, 5)) * (p // 2) ** 2
    out = start.astype(float)
    after = subtract_product(out, (1, 3), (2, 5), left.astype(float), right.astype(float), p=p, load=load)
    assert (
        after == load + inner if load + inner <= capacity(p) else inner / capacity(p) <= after <= capacity(p)
    )
    exact = start[1:3, 2:].astype(object) - left.astype(object) @ right.astype(object)
    assert not ((out[1:3, 2:].astype(np.int64) - exact) % p).any()
    untouched = np.ones((4, 5), dtype=bool)
    untouched[1:3, 2:] = False
    assert (out[untouched] == start[untouched]).all()


@pytest.mark.parametrize("p", PRIMES)
def test_balancing_at_the_edges(p):
    h = p // 2 + 2
    limit = min(2**53 - p, (1 << 16) * h * h + 2 * p)
    multiples = [0, p, 7 * p, limit // p * p]
    near = [m + d for m in multiples for d in (-1, 0, 1, p // 2, -(p // 2), p // 2 + 1) if m + d <= limit]
    values = np.array([near + [-x for x in near]], dtype=float)
    balanced = values.copy()
    _kernels.balance(balanced, (0, 1), (0, values.size), float(p))
    for x, r in zip(values[0].tolist(), balanced[0].tolist(), strict=True):
        assert (int(x) - int(r)) % p == 0
        assert abs(r) <= h
        assert (r == 0) == (int(x) % p == 0)
    _kernels.normalize(values, float(p))
    assert ((values >= 0) & (values < p)).all()


def test_gemm_on_every_layout():
    rng = np.random.default_rng(0)
    for m, n, k in ((3, 4, 5), (1, 4, 5), (3, 1, 5), (3, 4, 1), (1, 1, 1), (1, 1, 6), (2, 3, 0)):
        left, right = rng.integers(-9, 10, (m, k)).astype(float), rng.integers(-9, 10, (k, n)).astype(float)
        wide_left, wide_right = np.pad(left, ((0, 0), (2, 3))), np.pad(right, ((0, 0), (1, 4)))
        lefts = (left, np.asfortranarray(left), wide_left[:, 2 : 2 + k], np.pad(left.T, 2)[2:-2, 2:-2].T)
        rights = (right, np.asfortranarray(right), wide_right[:, 1 : 1 + n], np.pad(right.T, 2)[2:-2, 2:-2].T)
        for a in lefts:
            for b in rights:
                whole = np.ones((m + 2, n + 3))
                gemm(whole[1 : m + 1, 2 : n + 2], a, b, alpha=-2.0, beta=3.0)
                expected = np.ones((m + 2, n + 3))
                expected[1 : m + 1, 2 : n + 2] = 3.0 - 2.0 * (left @ right)
                assert (whole == expected).all()
    empty = np.full((2, 3), np.nan)
    gemm(empty, np.ones((2, 0)), np.ones((0, 3)), alpha=1.0, beta=0.0)
    assert not empty.any()


def test_gemm_refuses_what_blas_cannot_read():
    square = np.ones((6, 6))
    with pytest.raises(AssertionError):
        gemm(np.zeros((3, 3)), square[::2, ::2], np.ones((3, 3)), alpha=1.0, beta=0.0)
    with pytest.raises(AssertionError):
        gemm(np.zeros((3, 3)).T, square[:3, :3], square[:3, :3], alpha=1.0, beta=0.0)
    with pytest.raises(AssertionError):
        gemm(np.zeros((3, 3)), square[:3, :4], square[:3, :3], alpha=1.0, beta=0.0)


def test_small_products_leave_the_number_of_threads_as_it_was(monkeypatch):
    seen = []

    class Library:
        threads = 4

        def scipy_openblas_get_num_threads(self):
            return self.threads

        def scipy_openblas_set_num_threads(self, threads):
            self.threads = threads

    library = Library()
    monkeypatch.setattr(_blas, "openblas", lambda: library)
    monkeypatch.setattr(_blas, "_call", lambda *_: seen.append(library.threads))
    side = 1 + round(_blas._SMALL ** (1 / 3))
    for size in (3, side):
        _blas.gemm(*[np.ones((size, size))] * 3, alpha=1.0, beta=1.0)
        assert library.threads == 4
    assert seen == [1, 4]
    monkeypatch.setattr(_blas, "openblas", lambda: None)
    _blas.gemm(*[np.ones((3, 3))] * 3, alpha=1.0, beta=1.0)
    assert seen == [1, 4, 4]


def test_the_number_of_threads_is_restored_after_a_failure():
    library = _blas.openblas()
    before = library.scipy_openblas_get_num_threads() if library else None
    with pytest.raises(AssertionError):
        gemm(np.zeros((3, 3)), np.ones((6, 6))[::2, ::2], np.ones((3, 3)), alpha=1.0, beta=0.0)
    assert before == (library.scipy_openblas_get_num_threads() if library else None)


class Shadow:
    """The largest absolute value that each entry could have while a matrix is factored.

    It stands in for the matrix in every step of the elimination and checks, step by step, that factors of
    products are balanced and that no sum could reach 2^53.
    """

    def __init__(self, packed, p, monkeypatch):
        self.packed, self.p, self.h = packed, p, p // 2 + 2
        self.bound = np.full(packed.shape, p - 1, dtype=np.int64)
        self.steps = 0
        for name in ("gemm", "balance", "balanced_copy", "factor_panel"):
            step = getattr(self, name)
            monkeypatch.setattr(_elimination, name, self.before(step, getattr(_elimination, name)))

    @staticmethod
    def before(step, function):
        def both(*arguments, **options):
            step(*arguments, **options)
            return function(*arguments, **options)

        return both

    def view(self, part):
        """The bounds of a part of the matrix; None for scratch memory, which holds balanced residues."""
        if not np.shares_memory(part, self.packed):
            return None
        row, column = divmod((part.ctypes.data - self.packed.ctypes.data) // 8, self.packed.shape[1])
        return self.bound[row : row + part.shape[0], column : column + part.shape[1]]

    def gemm(self, out, left, right, *, alpha, beta):
        self.steps += 1
        assert abs(alpha) == 1.0
        for factor in (left, right):
            bounds = self.view(factor) if factor.size else None
            assert bounds is None or bounds.max() <= self.h
        if out.size:
            bounds = self.view(out)
            bounds[...] = beta * bounds + left.shape[1] * self.h**2
            assert bounds.max() <= 2**53 - self.p

    def balance(self, a, rows, columns, p):
        assert a is self.packed
        self.bound[slice(*rows), slice(*columns)] = self.h

    def balanced_copy(self, out, a, rows, columns, p):
        assert self.bound[slice(*rows), slice(*columns)].max(initial=0) <= 2**53 - self.p

    def factor_panel(self, a, first, columns, p, order):
        assert self.bound[first:, slice(*columns)].max(initial=0) <= self.h
        self.bound[first:, first : columns[1]] = self.h


@pytest.mark.parametrize("leaf", [8, 64])
@pytest.mark.parametrize("p", [4194301, 16777213])
def test_no_sum_can_overflow_and_every_factor_is_balanced(monkeypatch, leaf, p):
    monkeypatch.setattr(_elimination, "LEAF", leaf)
    rng = np.random.default_rng(leaf)
    square = rng.integers(0, p, (700, 700))
    deficient = square.copy()
    deficient[:, 20:400:3] = deficient[:, 19:399:3]
    deficient[300:330] = deficient[100:130]
    for matrix in (square, deficient, square[:300], square[:, :300]):
        packed = matrix.astype(float)
        with monkeypatch.context() as patch:
            shadow = Shadow(packed, p, patch)
            factors = Factors(packed, p)
        assert shadow.steps > 10
        lower, echelon = (x.astype(np.int64) for x in expanded(factors))
        assert ((matmul_mod(lower % p, echelon % p, p) - matrix[factors.order]) % p == 0).all()
