"""X7a: a first block narrower than 2d absorbs no skip, at any depth and whatever follows (ReLU).

F is a composition of residual blocks, H one of residual-free blocks whose first has N'_1 < 2d units. At x and
−x disjoint sets of these units are active, so at one of the points, y, fewer than d are, and H is constant in
some direction u there. F is not, if every I + W_down[:, S] W_up[S, :] of its blocks is invertible.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from skip_absorption.claims.patient import zero_minors
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    from_fmpq_mat,
    identity,
    is_zero,
    rank,
    to_fmpq_mat,
    to_fractions,
)
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, integers
from skip_absorption.networks.blocks import Composition, Mlp, Residual

CLAIM = "x7a"
EVIDENCE = "exact"
HYPOTHESES = (
    "ReLU; bias-free blocks with identity skips, any number of them and any widths",
    "every I + W_down[:, S] W_up[S, :] of every block is invertible, as for almost every θ",
    "the first residual-free block has fewer than 2d units; the later ones have any widths",
)
METHOD = (
    "Gaussian dyadics and integers up to 1000, 1 to 4 blocks on either side. All 2^N determinants of each "
    "block are decided. H starts with 1 to 2d − 1 random rows, or rows of F with random signs. At random x "
    "the ranks of the derivatives at x and −x are computed over Q: d for F, at most the active units for H. "
    "A point y and a direction u are exhibited with H(y + tu) = H(y) and F(y + tu) ≠ F(y) for a t > 0, "
    "evaluated over Q."
)
DEPTH = 4  # the largest number of blocks
BOUND = 1000
Blocks = Sequence[Residual | Mlp]


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random compositions, and its false variants; see `METHOD`."""
    tally = Tally()
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=4):
        residual, plain = _draw(case)
        minors = [_regular(block, rng=case.rng) for block in residual]
        verdict = all_of(
            [*minors, Verdict.of(told_apart(residual, plain, _generic_point(case, residual, plain)))]
        )
        tally.add(verdict, f"case {case.number}, L = {len(residual)}, (d, N) = {(case.d, case.n)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{tally.proved} of {tally.total} pairs differ where H is constant{tally.note}",
        expected=f"all {tally.total}",
    )


def _draw(case: Case) -> tuple[list[Residual], list[Mlp]]:
    """Draw F of width N, and H of any widths but the first below 2d."""
    rng, d, n = case.rng, case.d, case.n
    continuous = bool(case.number % 2)

    def weights(*shape: int) -> ExactArray:
        return gaussian(shape, rng=rng) if continuous else integers(shape, rng=rng, bound=BOUND)

    depths = rng.integers(1, DEPTH + 1, 2)
    residual = [Residual(Mlp(weights(n, d), weights(d, n), "relu")) for _ in range(depths[0])]
    widths = [int(rng.integers(1, 2 * d)), *rng.integers(1, 2 * n + 1, depths[1] - 1).tolist()]
    rows = weights(widths[0], d)
    if case.number // 2 % 2:  # rows of F's first block, some turned round
        first = _mlp(residual[0])
        signs = 2 * rng.integers(0, 2, (widths[0], 1)) - 1
        rows = first.w_up[rng.integers(0, n, widths[0])] * signs
    plain = [Mlp(rows, weights(d, widths[0]), "relu")]
    plain += [Mlp(weights(width, d), weights(d, width), "relu") for width in widths[1:]]
    return residual, plain


def _mlp(block: Residual | Mlp) -> Mlp:
    inner = block.block if isinstance(block, Residual) else block
    assert isinstance(inner, Mlp)
    return inner


def _regular(block: Residual, *, rng: np.random.Generator) -> Verdict:
    """Decide that every I + W_down[:, S] W_up[S, :] is invertible."""
    mlp = _mlp(block)
    return zero_minors(mlp.w_up, mlp.w_down, rng=rng).verdict


def _generic_point(case: Case, residual: Blocks, plain: Blocks) -> ExactArray:
    """Draw an x such that neither F, at x and −x, nor the first block of H meets a kink."""
    while True:
        x = to_fractions(integers((case.d,), rng=case.rng, bound=BOUND))
        if all(derivative(blocks, y) is not None for blocks in (residual, plain[:1]) for y in (x, -x)):
            return x


def derivative(blocks: Blocks, x: ExactArray) -> ExactArray | None:
    """Return the derivative of a composition of ReLU blocks at x over Q, or None where a kink is met."""
    total, y = to_fractions(identity(len(x))), x
    for block in blocks:
        mlp = _mlp(block)
        rows = to_fractions(mlp.w_up)
        pre = rows.dot(y)
        if np.any((pre == 0) & np.any(rows != 0, axis=1)):
            return None
        on = pre > 0
        matrix = exact_matmul(mlp.w_down[:, on], rows[on])
        matrix = matrix + identity(len(x)) if isinstance(block, Residual) else matrix
        total, y = exact_matmul(matrix, total), block.rational(y)
    return total


def narrow_side(plain: Blocks, x: ExactArray) -> tuple[ExactArray, ExactArray] | None:
    """Return y = ±x and u ≠ 0 at which the rows active at y vanish, or None if there are none."""
    rows = to_fractions(_mlp(plain[0]).w_up)
    for y in (x, -x):
        active = rows[rows.dot(y) > 0]
        if rank(active) < len(x):
            return y, kernel_vector(active, len(x))
    return None


def kernel_vector(rows: ExactArray, d: int) -> ExactArray:
    """Return a nonzero u with rows·u = 0, for rows of rank below d."""
    if len(rows) == 0:
        return to_fractions(identity(d)[0])
    reduced, r = to_fmpq_mat(rows).rref()
    table = from_fmpq_mat(reduced)
    pivots = [int(np.flatnonzero(table[k] != 0)[0]) for k in range(r)]
    free = next(k for k in range(d) if k not in pivots)
    u = to_fractions(np.zeros(d, dtype=np.int64))
    u[free] = Fraction(1)
    for k, pivot in enumerate(pivots):
        u[pivot] = -table[k, free]
    return u


def told_apart(residual: Blocks, plain: Blocks, x: ExactArray) -> bool:
    """Whether the argument at x and −x shows that the compositions differ; see `METHOD`."""
    d, first = len(x), _mlp(plain[0])
    active = [int((to_fractions(first.w_up).dot(y) > 0).sum()) for y in (x, -x)]
    for y, units in zip((x, -x), active, strict=True):
        full, narrow = derivative(residual, y), derivative(plain[:1], y)
        if full is None or narrow is None or rank(full) < d or rank(narrow) > units:
            return False
    if sum(active) > first.width:
        return False
    side = narrow_side(plain, x)
    if side is None:
        return False
    y, u = side
    f, h = Composition(residual), Composition(plain)
    f_y, h_y = f.rational(y), h.rational(y)
    for step in range(200):  # as soon as no kink lies between y and y + tu
        z = y + Fraction(1, 2**step) * u
        if not is_zero(f.rational(z) - f_y) and is_zero(h.rational(z) - h_y):
            return True
    return False


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    eye = identity(2)
    points = to_fractions(np.array([[3, 1], [-2, 5], [1, -4], [-3, -2]]))
    deep = [Residual(Mlp(integers((3, 2), rng=rng), integers((2, 3), rng=rng), "relu")) for _ in range(3)]
    wide = [Mlp(np.concatenate([eye, -eye]), np.concatenate([eye, -eye], axis=1), "relu")]
    # I + a₁w₁ᵀ = [0 0; 1 1]
    singular = Residual(Mlp(eye, np.array([[-1, 3], [1, 5]]), "relu"))
    kinks, twin = [Residual(Mlp(eye, -eye, "relu"))] * 2, [Mlp(-eye, -eye, "relu")] * 2
    line = [Residual(Mlp(integers((2, 1), rng=rng), integers((1, 2), rng=rng), "relu")) for _ in range(3)]
    slopes = [Composition(line).rational([sign])[0] for sign in (1, -1)]
    two = [Mlp([[1], [-1]], [slopes], "relu")]
    ends = to_fractions(np.array([[1], [-1], [5], [-7]]))
    return (
        Control(
            "N'_1 = 2d: rows ±e_i leave no direction unseen at x or −x",
            all(narrow_side(wide, x) is None and not told_apart(deep, wide, x) for x in points),
        ),
        Control(
            "a θ with one singular I + W_down[:, S] W_up[S, :]",
            _regular(singular, rng=rng) is Verdict.REFUTED,
        ),
        Control(
            "no invertibility: x − ReLU(x) = −ReLU(−x), two blocks",
            all(
                is_zero(Composition(kinks).rational(x) - Composition(twin).rational(x))
                and not told_apart(kinks, twin, x)
                for x in points
            ),
        ),
        Control(
            "N'_1 = 2 at d = 1: two slopes absorb every θ",
            is_zero(Composition(line).rational(ends) - Composition(two).rational(ends))
            and not any(told_apart(line, two, x) for x in ends[:2]),
        ),
        Control(
            "derivatives of rank d on one side only",
            [rank(_require(derivative([Mlp(eye, eye, "relu")], to_fractions(np.array(x))))) for x in _SIGNS]
            == [2, 1, 1, 0],
        ),
    )


_SIGNS = list(product((1, -1), repeat=2))


def _require(slope: ExactArray | None) -> ExactArray:
    assert slope is not None
    return slope
