"""Lemma 6: kinks along distinct hyperplanes are linearly independent, even modulo linear maps.

For φ = Σ c_j|ℓ_j| + L and a point x₀ of ker ℓ_r off every other kernel, all |ℓ_j| with j ≠ r are linear on a
segment x₀ ± te, so the second difference there is 2t|ℓ_r(e)|c_r: an exact functional that reads c_r off φ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.prime_field import eliminate, random_prime, reduce_mod
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    identity,
    is_zero,
    stack_rows,
    to_fractions,
)
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, generic_integers, integers, rationals
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

CLAIM = "lemma_6"
EVIDENCE = "exact"
HYPOTHESES = ("d ≥ 2", "the linear forms ℓ_j are nonzero and pairwise non-collinear", "any coefficients c_j")
METHOD = (
    "Forms with integer, rational and Gaussian dyadic entries; vector coefficients, a third of them 0. For "
    "each form a point of its kernel off the other kernels is found, and its coefficient is read off the "
    "values of φ at three points, over Q. Second route: the N + d functions |ℓ_j| and x_k, evaluated at "
    "those 3N points, form a matrix of full rank modulo a prime. Third: φ equals a linear map only if c = 0, "
    "by canonical forms."
)
WEIGHTS = ("integers", "gaussian", "rationals")
TRIES = 200  # random points of a kernel; each misses the other kernels with high probability
ABSOLUTE_VALUE = "leaky_relu:-1"


@dataclass(frozen=True)
class Kinks:
    """The function φ(x) = Σ c_j|ℓ_j(x)| + Lx: rows ℓ_j (N, d), columns c_j (q, N), linear part L (q, d)."""

    rows: ExactArray
    columns: ExactArray
    linear: ExactArray

    def __call__(self, points: NDArray[Any]) -> NDArray[Any]:
        """Return the exact values at a batch of points."""
        return Residual(Mlp(self.rows, self.columns, ABSOLUTE_VALUE), self.linear).rational(points)


@dataclass(frozen=True)
class Probe:
    """A point x₀ of ker ℓ_r, a direction e with ℓ_r(e) ≠ 0, and a step t that crosses no other kernel."""

    point: NDArray[Any]
    direction: NDArray[Any]
    step: Fraction

    @property
    def points(self) -> NDArray[Any]:
        """The three points x₀ + te, x₀, x₀ − te."""
        shift = self.step * self.direction
        return np.array([self.point + shift, self.point, self.point - shift])


def probe(rows: NDArray[Any], r: int, *, rng: np.random.Generator) -> Probe | None:
    """Find a probe for form r among rows of ``Fraction``; None if another kernel contains ker ℓ_r.

    Points of the kernel come from random integers by one step along e, the axis of the first nonzero entry.
    """
    pivots = np.flatnonzero(rows[r] != 0)
    others = np.delete(rows, r, axis=0)
    if not pivots.size or any(_collinear(rows[r], other) for other in others):
        return None
    along = int(pivots[0])
    direction = to_fractions(identity(rows.shape[1]))[along]
    for _ in range(TRIES):
        point = to_fractions(integers((rows.shape[1],), rng=rng, bound=99))
        point[along] -= (rows[r] @ point) / rows[r, along]
        heights = others @ point
        if np.all(heights != 0):
            slopes = others[:, along]
            reach = [abs(h / s) for h, s in zip(heights, slopes, strict=True) if s]
            return Probe(point, direction, min(reach, default=Fraction(2)) / 2)
    raise AssertionError("random points of a hyperplane keep meeting finitely many smaller subspaces")


def _collinear(x: NDArray[Any], y: NDArray[Any]) -> bool:
    """Whether two rows are linearly dependent; a zero row is dependent on every other."""
    j = int(np.argmax(x != 0))
    return is_zero(x[j] * y - y[j] * x)


def read_off(kinks: Kinks, probes: list[Probe]) -> NDArray[Any]:
    """Return the second differences φ(x₀ + te) − 2φ(x₀) + φ(x₀ − te) over 2t|ℓ_r(e)|, a column a form."""
    rows = to_fractions(kinks.rows)
    values = kinks(np.concatenate([found.points for found in probes]))
    sizes = [2 * found.step * abs(row @ found.direction) for row, found in zip(rows, probes, strict=True)]
    read: NDArray[Any] = (values[::3] - 2 * values[1::3] + values[2::3]).T / np.array(sizes, dtype=object)
    return read


def independent(kinks: Kinks, *, rng: np.random.Generator, told: ExactArray | None = None) -> Verdict:
    """Decide that φ gives back the coefficients ``told`` (by default its own), and no other sum vanishes."""
    rows, columns = to_fractions(kinks.rows), to_fractions(kinks.columns if told is None else told)
    probes = [found for r in range(len(rows)) if (found := probe(rows, r, rng=rng)) is not None]
    if len(probes) < len(rows) or not is_zero(read_off(kinks, probes) - columns):
        return Verdict.REFUTED
    by_forms = Verdict.of(vanishes(kinks) == is_zero(columns))
    return all_of([by_forms, full_rank(rows, np.concatenate([p.points for p in probes]), rng=rng)])


def vanishes(kinks: Kinks) -> bool:
    """Whether Σ c_j|ℓ_j| = 0, by canonical forms: Σ c_j ReLU(ℓ_j) is then the linear map ½ Σ c_j ℓ_j."""
    half = exact_matmul(kinks.columns, kinks.rows) / 2
    nothing = Mlp(0 * kinks.rows, kinks.columns, "relu")
    return equal_functions(Mlp(kinks.rows, kinks.columns, "relu"), Residual(nothing, half))


def full_rank(rows: NDArray[Any], points: NDArray[Any], *, rng: np.random.Generator) -> Verdict:
    """Decide that no nonzero combination of the |ℓ_j| and the coordinates vanishes at all the points.

    Full rank modulo p proves it; a deficit proves nothing and is UNKNOWN.
    """
    values = stack_rows([abs(exact_matmul(rows, points.T)), points.T])
    p = random_prime(rng=rng)
    complete = eliminate(reduce_mod(values, p), p).rank == len(values)
    return Verdict.PROVED if complete else Verdict.UNKNOWN


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random forms, and its false variants; see `METHOD`."""
    tally, read = Tally(), 0
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(WEIGHTS)):
        weights = WEIGHTS[case.number % len(WEIGHTS)]
        tally.add(
            independent(_draw(case, weights), rng=case.rng),
            f"case {case.number}, {weights}, (d, N) = {(case.d, case.n)}",
        )
        read += case.n
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{tally.proved} of {tally.total} sums give back their coefficients, {read} in all{tally.note}",
        expected=f"all {tally.total}",
    )


def _draw(case: Case, weights: str) -> Kinks:
    """Draw forms that satisfy the hypotheses, with coefficients of which a third vanish."""
    d, n, rng = case.d, case.n, case.rng
    rows: ExactArray
    if weights == "gaussian":
        rows = gaussian((n, d), rng=rng)
    else:
        rows, _ = generic_integers(d, n, rng=rng, bound=n)
    if weights == "rationals":
        rows = to_fractions(rows) / rng.integers(1, 8, size=(n, 1)).astype(object)
    columns = rationals((2, n), rng=rng)
    columns[:, rng.integers(3, size=n) == 0] = Fraction(0)
    return Kinks(rows, columns, rationals((2, d), rng=rng))


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    d, n = 2, 5
    good = Kinks(*generic_integers(d, n, rng=rng, bound=n), rationals((2, d), rng=rng))
    collinear = _vanishing([[1, 2], [-2, -4]], [[2, -1]])
    zero = _vanishing([[1, 2], [0, 0]], [[0, 1]])
    line = _vanishing([[1], [3]], [[3, -1]])
    return (
        Control("collinear forms: 2|ℓ| − |−2ℓ| = 0", _is_refuted(collinear, rng=rng)),
        Control("a zero form", _is_refuted(zero, rng=rng)),
        Control("d = 1: 3|x| − |3x| = 0", _is_refuted(line, rng=rng)),
        Control("squares in place of absolute values", _squares_are_dependent()),
        Control("a step that crosses another kernel", _crossing_fails(good, rng=rng)),
        Control("one coefficient misread", _is_misread(good, rng=rng)),
    )


def _vanishing(rows: Any, columns: Any) -> Kinks:
    up, down = np.array(rows), np.array(columns)
    return Kinks(up, down, np.zeros((len(down), up.shape[1]), dtype=np.int64))


def _is_refuted(kinks: Kinks, *, rng: np.random.Generator) -> bool:
    """Whether φ vanishes identically although c ≠ 0, and the check and each of its routes notice it."""
    points = rationals((9, kinks.rows.shape[1]), rng=rng)
    return (
        is_zero(kinks(points))
        and not is_zero(kinks.columns)
        and vanishes(kinks)
        and full_rank(to_fractions(kinks.rows), points, rng=rng) is not Verdict.PROVED
        and independent(kinks, rng=rng) is Verdict.REFUTED
    )


def _squares_are_dependent() -> bool:
    """Whether x² + y² = ½(x + y)² + ½(x − y)² for four non-collinear forms, at enough points to decide it."""
    rows, columns = np.array([[1, 0], [0, 1], [1, 1], [1, -1]]), np.array([[2, 2, -1, -1]])
    grid = np.array([[x, y] for x in range(3) for y in range(3)])  # decides polynomials of degree 2 in each
    return is_zero(columns @ (rows @ grid.T) ** 2)


def _crossing_fails(kinks: Kinks, *, rng: np.random.Generator) -> bool:
    """Whether some coefficient comes out wrong when the steps are not limited."""
    rows = to_fractions(kinks.rows)
    probes = [found for r in range(len(rows)) if (found := probe(rows, r, rng=rng)) is not None]
    far = [replace(found, step=1000 * found.step) for found in probes]
    right = is_zero(read_off(kinks, probes) - kinks.columns)
    return right and not is_zero(read_off(kinks, far) - kinks.columns)


def _is_misread(kinks: Kinks, *, rng: np.random.Generator) -> bool:
    """Whether the check accepts a sum, and refuses it when it is told another coefficient."""
    told = to_fractions(kinks.columns)
    told[0, 0] += 1
    accepted = independent(kinks, rng=rng) is Verdict.PROVED
    return accepted and independent(kinks, rng=rng, told=told) is Verdict.REFUTED
