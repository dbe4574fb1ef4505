"""X5: two ungated networks are the same function iff their canonical forms are equal.

Two routes do not know canonical forms. Kinks: on a line a network is piecewise linear in one variable, so two
of them agree there iff they agree at all their breakpoints and once beyond each end; d + 1 random lines see
everything. Analytic σ, no biases: f − g vanishes iff its odd part does and Σ c_j (v_j·x)^2n for all n ≥ 1; at
one x that keeps the classes ±v apart, as many n as classes suffice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, any_of, each_case
from skip_absorption.exact.balls import decide_nonzero
from skip_absorption.exact.rational import ExactArray, exact_matmul, identity, is_zero, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, integers, rationals
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import canonical_form, difference, equal_functions

CLAIM = "x5"
EVIDENCE = "exact"
HYPOTHESES = (
    "f(x) = Lx + Σ c_j σ(v_j·x + b_j) + c, any d ≥ 1, any units: zero, repeated, collinear ones too",
    "ReLU, leaky ReLU, GELU (erf and tanh forms) or SiLU; v_j ≠ 0 where b_j ≠ 0 for the last three",
)
METHOD = (
    "A network with many coincidences, and one made from it by moves that keep the function (units permuted, "
    "split, rescaled, flipped, opposed pairs and idle units added), then perhaps by a change: a weight, a "
    "column, the skip, a flip without its linear map, a wrong rescaling. Canonical forms agree with exact "
    "values on lines (kinks) or with power sums (analytic, no biases). Unequal functions differ at a point, "
    "over Q or in balls; equal ones agree at random points."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:-1/3", "silu", "gelu_tanh")
CHANGES = ("none", "weight", "none", "column", "bare flip", "skip", "wrong rescaling")
MOVES = 5  # moves from one network to the other
POINTS = 24  # random points at which functions are compared
FAR = 10**4  # the factor for every second one
LIMIT = 256  # the precision at which they are


@dataclass(frozen=True)
class Parts:
    """A network Lx + Σ c_j σ(v_j·x + b_j) + c over Q: v (N, d), c_j (m, N), b (N,), L (m, d), c (m,)."""

    rows: NDArray[np.object_]
    columns: NDArray[np.object_]
    hidden: NDArray[np.object_]
    skip: NDArray[np.object_]
    output: NDArray[np.object_]
    act: Activation

    @property
    def odd(self) -> Fraction:
        """The number 2c with σ(z) − σ(−z) = 2cz."""
        assert self.act.odd is not None
        return self.act.odd

    @property
    def block(self) -> Residual:
        """The network as the library's object, without biases that are all zero."""
        hidden, output = (None if is_zero(b) else b for b in (self.hidden, self.output))
        return Residual(Mlp(self.rows, self.columns, self.act, hidden, output), self.skip)

    def with_units(self, rows: ExactArray, columns: ExactArray, hidden: ExactArray) -> Parts:
        """Add units."""
        return replace(
            self,
            rows=np.concatenate([self.rows, to_fractions(rows)]),
            columns=np.concatenate([self.columns, to_fractions(columns)], axis=1),
            hidden=np.concatenate([self.hidden, to_fractions(hidden)]),
        )

    def scaled(self, j: int, row: Fraction, column: Fraction) -> Parts:
        """Multiply row and hidden bias of unit j by one number and its column by another."""
        rows, columns, hidden = self.rows.copy(), self.columns.copy(), self.hidden.copy()
        rows[j], hidden[j], columns[:, j] = row * rows[j], row * hidden[j], column * columns[:, j]
        return replace(self, rows=rows, columns=columns, hidden=hidden)

    def plus_affine(self, column: ExactArray, row: ExactArray, bias: Fraction) -> Parts:
        """Add the affine map a(w·x + b)."""
        return replace(self, skip=self.skip + np.outer(column, row), output=self.output + column * bias)


def moved(parts: Parts, *, rng: np.random.Generator) -> Parts:
    """Apply one random move that keeps the function."""
    n, d = parts.rows.shape
    j, m = int(rng.integers(n)), len(parts.columns)
    row, column, bias = parts.rows[j], parts.columns[:, j], parts.hidden[j]
    move = int(rng.integers(6))
    if move == 0:  # aσ(z) = (a/3)σ(z) + (2a/3)σ(z)
        split = parts.scaled(j, Fraction(1), Fraction(1, 3))
        return split.with_units(row[None], Fraction(2, 3) * column[:, None], np.array([bias]))
    if move == 1:  # aσ(z) = aσ(−z) + 2caz
        return parts.scaled(j, Fraction(-1), Fraction(1)).plus_affine(parts.odd * column, row, bias)
    if move == 2:  # hσ(z) − hσ(−z) − 2chz = 0
        u, h = to_fractions(integers((1, d), rng=rng, bound=2)), to_fractions(integers((m, 1), rng=rng))
        b = np.array([bias]) if np.any(u != 0) else 0 * np.array([bias])
        pair = parts.with_units(
            np.concatenate([u, -u]), np.concatenate([h, -h], axis=1), np.concatenate([b, -b])
        )
        return pair.plus_affine(-parts.odd * h[:, 0], u[0], b[0])
    if move == 3:  # a zero column, and a zero row
        idle = np.concatenate([integers((1, d), rng=rng), np.zeros((1, d), dtype=np.int64)])
        columns = np.concatenate([np.zeros((m, 1), dtype=np.int64), integers((m, 1), rng=rng)], axis=1)
        return parts.with_units(idle, columns, np.zeros(2, dtype=np.int64))
    if move == 4 and parts.act.even == "kink":
        factor = Fraction(int(rng.integers(1, 5)), int(rng.integers(1, 5)))
        return parts.scaled(j, factor, 1 / factor)
    order = rng.permutation(n)
    return replace(parts, rows=parts.rows[order], columns=parts.columns[:, order], hidden=parts.hidden[order])


def changed(parts: Parts, change: str, *, rng: np.random.Generator) -> Parts:
    """Apply a change that in general makes another function."""
    n, d = parts.rows.shape
    i, j, k = int(rng.integers(len(parts.columns))), int(rng.integers(n)), int(rng.integers(d))
    tiny = Fraction(1, 1000)
    if change == "bare flip":
        return parts.scaled(j, Fraction(-1), Fraction(1))
    if change == "wrong rescaling":
        return parts.scaled(j, Fraction(-2 if parts.act.even == "kink" else 2), Fraction(1, 2))
    rows, columns, skip = parts.rows.copy(), parts.columns.copy(), parts.skip.copy()
    if change == "weight":
        rows[j, k] += tiny
    elif change == "column":
        columns[i, j] += tiny
    elif change == "skip":
        skip[i, k] += tiny
    return replace(parts, rows=rows, columns=columns, skip=skip)


def same_on_lines(f: Parts, g: Parts, *, rng: np.random.Generator) -> bool:
    """Whether networks with kinks agree on d + 1 random lines, each decided by finitely many exact values."""
    d = f.rows.shape[1]
    rows, hidden = np.concatenate([f.rows, g.rows]), np.concatenate([f.hidden, g.hidden])
    for _ in range(d + 1):
        start, along = (to_fractions(integers((d,), rng=rng, bound=99)) for _ in range(2))
        heights, slopes = rows @ start + hidden, rows @ along
        breaks = sorted({-h / s for h, s in zip(heights, slopes, strict=True) if s} | {Fraction(0)})
        points = np.array([start + s * along for s in (breaks[0] - 1, *breaks, breaks[-1] + 1)])
        if not is_zero(f.block.rational(points) - g.block.rational(points)):
            return False
    return True


def same_power_sums(f: Parts, g: Parts, *, rng: np.random.Generator) -> bool:
    """Whether bias-free analytic networks have equal odd parts, and equal Taylor terms at a random point."""
    odd = [2 * p.skip + p.odd * exact_matmul(p.columns, p.rows) for p in (f, g)]
    rows, columns = np.concatenate([f.rows, g.rows]), np.concatenate([f.columns, -g.columns], axis=1)
    classes = {max(tuple(row), tuple(-row)) for row in rows}
    while True:
        x = to_fractions(integers((rows.shape[1],), rng=rng, bound=10**6))
        squares = (rows @ x) ** 2
        if len(set(squares)) == len(classes):  # equal squares mean the same class
            break
    powers, same = squares, is_zero(odd[0] - odd[1])
    for _ in classes:
        same &= is_zero(columns @ powers)
        powers = powers * squares
    return same


def differ_somewhere(f: Parts, g: Parts, *, rng: np.random.Generator) -> Verdict:
    """Decide that networks differ at one of some random points; REFUTED if all values are equal over Q."""
    points = rationals((POINTS, f.rows.shape[1]), rng=rng)
    points[::2] *= FAR  # a kink may lie far out
    left, right = f.block, g.block
    if f.act.is_rational and g.act.is_rational:
        return Verdict.of(not is_zero(left.rational(points) - right.rational(points)))

    def differ_at(x: ExactArray) -> Verdict:
        return decide_nonzero(lambda: sum(gap * gap for gap in left.ball(x) - right.ball(x)), limit=LIMIT)

    return any_of(differ_at(x) for x in points)


def agrees(f: Parts, g: Parts, *, rng: np.random.Generator) -> tuple[Verdict, bool]:
    """Decide that all routes agree on two networks, and return whether they are equal by canonical forms."""
    claimed = equal_functions(f.block, g.block)
    forms = canonical_form(f.block) == canonical_form(g.block)
    if claimed != forms or claimed != (difference(f.block, g.block) is None):
        return Verdict.REFUTED, claimed
    if f.act == g.act:
        free = is_zero(f.hidden) and is_zero(g.hidden) and is_zero(f.output) and is_zero(g.output)
        if f.act.even == "kink" and same_on_lines(f, g, rng=rng) != claimed:
            return Verdict.REFUTED, claimed
        if f.act.even == "analytic" and free and same_power_sums(f, g, rng=rng) != claimed:
            return Verdict.REFUTED, claimed
    apart = differ_somewhere(f, g, rng=rng)
    if claimed:
        return Verdict.of(apart is not Verdict.PROVED), claimed
    return apart, claimed


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random pairs, and its false variants; see `METHOD`."""
    tally, equal = Tally(), 0
    kinds = len(ACTIVATIONS) * len(CHANGES)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        change = CHANGES[case.number // len(ACTIVATIONS) % len(CHANGES)]
        f = _draw(case, act)
        g = f
        for _ in range(MOVES):
            g = moved(g, rng=case.rng)
        g = changed(g, change, rng=case.rng)
        verdict, same = agrees(f, g, rng=case.rng)
        if change == "none" and not same:
            verdict = Verdict.REFUTED
        equal += same
        tally.add(verdict, f"case {case.number}, {act.name}, {change}, (d, N) = {f.rows.shape[::-1]}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} pairs as predicted, {equal} equal and {tally.total - equal} "
            f"not{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _draw(case: Case, act: Activation) -> Parts:
    """Draw a network with many coincidences: small integers, d = 1 now and then, biases in half the cases."""
    rng, n = case.rng, case.n
    d = 1 if rng.integers(5) == 0 else case.d
    m = int(rng.integers(1, 4))
    hidden, output = integers((n,), rng=rng, bound=1), integers((m,), rng=rng)
    rows = integers((n, d), rng=rng, bound=1) * integers((n, 1), rng=rng, bound=2)
    if rng.integers(2):
        hidden, output = 0 * hidden, 0 * output
    elif act.even == "analytic":
        hidden[~rows.any(axis=1)] = 0
    columns, skip = integers((m, n), rng=rng, bound=1), integers((m, d), rng=rng, bound=1)
    exact = [to_fractions(array) for array in (rows, columns, hidden, skip, output)]
    return Parts(exact[0], exact[1], exact[2], exact[3], exact[4], act)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)

    def network(name: str, rows: object, columns: object) -> Parts:
        up, down = to_fractions(np.array(rows)), to_fractions(np.array(columns))
        zero = to_fractions(np.zeros(len(up) + len(down), dtype=np.int64))
        skip = 0 * exact_matmul(down, up)
        return Parts(up, down, zero[: len(up)], skip, zero[len(up) :], activation(name))

    def told_apart(f: Parts, g: Parts) -> bool:
        """Whether the pair, taken for equal by a false variant, differs by every route."""
        return agrees(f, g, rng=rng) == (Verdict.PROVED, False)

    relu, gelu = (network(name, [[1, 2], [3, -1]], [[1, 2], [0, 1]]) for name in ("relu", "gelu"))
    one, two = Fraction(1), Fraction(2)
    split = gelu.scaled(0, one, 1 / two).with_units(gelu.rows[:1], gelu.columns[:, :1] / 2, gelu.hidden[:1])
    carried = replace(gelu, skip=gelu.skip + identity(2))
    return (
        Control("flips as symmetries", told_apart(gelu, gelu.scaled(0, -one, one))),
        Control("positive rescaling for GELU", told_apart(gelu, gelu.scaled(0, two, 1 / two))),
        Control("negative rescaling for ReLU", told_apart(relu, relu.scaled(0, -two, 1 / two))),
        Control("classes without Λ: f and f + x", told_apart(gelu, carried)),
        Control("units one by one: a split unit", agrees(gelu, split, rng=rng) == (Verdict.PROVED, True)),
        Control("equal weights under ReLU and GELU", told_apart(relu, gelu)),
        Control("E(z) = z²: x² + y² = ½(x + y)² + ½(x − y)²", _squares_have_two_forms()),
    )


def _squares_have_two_forms() -> bool:
    """Whether sums over different classes are one polynomial, at enough points to decide it."""
    grid = np.array([[x, y] for x in range(3) for y in range(3)])
    left, right = grid**2 @ np.array([2, 2]), (grid @ np.array([[1, 1], [1, -1]])) ** 2 @ np.array([1, 1])
    return is_zero(left - right)
