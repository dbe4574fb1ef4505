"""X3: how far homogeneous blocks of degree k ≠ 1 stay from the skip, with the best constant.

On a ball of radius R the sup of |Mx + f(x)|, f homogeneous of degree k, is at least c_k R‖M‖₂, and f(x) =
−λ R^(1−k)|x|^(k−1) Mx attains it, λ = 1 + c_k for k > 1 and 1 − c_k for k < 1: both facts come down to
min over λ of max over [0, 1] of |t − λt^k| = c_k = max over [0, 1] of |t − t^k|/(1 + t^k).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.claims.distance import LOOSE, SLACK, Constant, constant, is_minimax, power, stays_below
from skip_absorption.claims.homogeneous import (
    KINDS,
    Kind,
    carried,
    segment_bound,
    squared,
    squared_gap,
    two_point_bound,
)
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.balls import ball
from skip_absorption.exact.rational import ExactArray, exact_matmul, identity, to_fmpq_mat, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, rationals
from skip_absorption.networks.blocks import Block, Mlp, Residual

if TYPE_CHECKING:
    import flint

CLAIM = "x3"
EVIDENCE = "enclosure"
HYPOTHESES = ("all blocks homogeneous of one degree k > 0, k ≠ 1, continuous", "any skip M, any widths")
METHOD = (
    "Degrees k = n/8 up to 5 with c_k enclosed to 60 bits. For each k, in balls over all of [0, 1]: the "
    "optimal λ keeps |t − λt^k| at c_k, and so does the dual quotient; other λ do worse. For random M, W and "
    "V, random or fitted: both bounds along the top singular direction of M, with ‖M‖₂ bounded over Q; the "
    "extremal f stays below c_k R‖M‖₂ at points of the ball and reaches it; one extremal unit does on a ray."
)
EIGHTHS = tuple(Fraction(n, 8) for n in range(1, 41) if n != 8)
POINTS = 4


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, degrees = Tally(), set()
    known = Verdict.of(_known_values_are_right())
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=2):
        k = EIGHTHS[int(case.rng.integers(len(EIGHTHS)))]
        degrees.add(k)
        verdict = all_of([known, Verdict.of(is_minimax(k)), distance_holds(case, constant(k))])
        tally.add(verdict, f"case {case.number}, k = {k}, (d, N) = {(case.d, case.n)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} pairs keep the distance c_k R‖M‖₂, which is attained; "
            f"{len(degrees)} degrees{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _known_values_are_right() -> bool:
    """Whether the closed forms of c_2, c_3 and c_{1/2} lie within the bisected bounds."""
    import flint

    with flint.ctx.workprec(256):
        return all(
            ball(const.low) <= kind.constant() <= ball(const.high)
            for kind, const in ((kind, constant(kind.k)) for kind in KINDS)
        )


def distance_holds(case: Case, const: Constant) -> Verdict:
    """Decide the bounds for one random pair, and that the extremal functions attain them."""
    skip, v, norm = draw_skip(case)
    left, right = draw_pair(case, const.kind, skip)
    verdicts = [two_point_bound(left, right, v, const.kind), segment_bound(left, right, v, const.kind)]
    verdicts.append(Verdict.of(norm_is(skip, v, norm) and is_attained(skip, v, norm, const, rng=case.rng)))
    return all_of(verdicts)


def draw_skip(case: Case) -> tuple[ExactArray, ExactArray, Fraction]:
    """Draw M ≠ 0, a rational v near its top singular direction, and a rational just above ‖M‖₂."""
    while True:
        skip = rationals((case.d, case.d), rng=case.rng)
        if case.rng.integers(2):
            skip[1:] = Fraction(0)  # a skip of rank at most 1
        if np.any(skip != 0):
            break
    singular = np.linalg.svd(skip.astype(np.float64))
    return skip, to_fractions(singular.Vh[0]), Fraction(float(singular.S[0])) * (1 + SLACK / 1000)


def norm_is(skip: ExactArray, v: ExactArray, norm: Fraction) -> bool:
    """Whether ‖M‖₂ < norm and |Mv| > (1 − SLACK)·norm·|v|, over Q: norm²I − MᵀM is positive definite."""
    gap = norm**2 * to_fractions(identity(len(v))) - exact_matmul(skip.T, skip)
    definite = all(to_fmpq_mat(gap[:i, :i]).det() > 0 for i in range(1, len(v) + 1))
    return definite and bool(squared(skip @ v) > (1 - SLACK) ** 2 * norm**2 * squared(v))


def draw_pair(case: Case, kind: Kind, skip: ExactArray) -> tuple[Residual, Block]:
    """Draw r and V; in every second case V is the least-squares fit to r on its rows."""
    d, rng = case.d, case.rng
    up, down = rationals((case.n, d), rng=rng), rationals((d, case.n), rng=rng)
    left = Residual(kind.build(up, up, down), skip)
    width = int(rng.integers(1, 2 * case.n + 1))
    up, down = rationals((width, d), rng=rng), rationals((d, width), rng=rng)
    if case.number % 2:
        points = gaussian((20 * width, d), rng=rng)
        features = kind.build(up, up, identity(width)).float(points)
        down = np.linalg.lstsq(features, left.float(points), rcond=None)[0].T
    return left, kind.build(up, up, down)


def is_attained(
    skip: ExactArray, v: ExactArray, norm: Fraction, const: Constant, *, rng: np.random.Generator
) -> bool:
    """Whether f(x) = −λR^(1−k)|x|^(k−1)Mx, R = |v|, comes to c_k R‖M‖₂, not beyond, and a unit too."""
    import flint

    with flint.ctx.workprec(128):
        radius, size = ball(squared(v)).sqrt(), ball(norm)
        below = ball(const.high * (1 + SLACK)) * radius * size
        above = ball(const.low * (1 - SLACK) ** 2) * radius * size

        def error(length: flint.arb, image: flint.arb) -> flint.arb:
            """Enclose |Mx + f(x)| from |x| and |Mx|."""
            t = length / radius
            return image * abs(1 - const.scale() * t ** ball(const.k - 1))

        inside = True
        for point in rationals((POINTS, len(v)), rng=rng):
            x = point * Fraction(1, 1 + int(squared(point) / squared(v)))  # |x|² ≤ |v|², as 1 + s ≥ √s
            if np.any(x != 0):
                inside &= bool(error(ball(squared(x)).sqrt(), ball(squared(skip @ x)).sqrt()) < below)
        image = ball(squared(skip @ v)).sqrt()
        ends = [error(t * radius, t * image) for t in (const.inner(), flint.arb(1))]
        reached = all(bool(end < below) and bool(end > above) for end in ends)
        return inside and reached and on_ray(skip, v, const, rng=rng)


def on_ray(skip: ExactArray, v: ExactArray, const: Constant, *, rng: np.random.Generator) -> bool:
    """Whether one unit of the library, −λMv·ReLU(v·x/|v|²)^k, keeps |Mx − V(x)| below c_k|Mv| for x = tv."""
    import flint

    zero = 0 * identity(len(v))
    left = Residual(const.kind.build(zero, zero, zero), skip)
    scale = Fraction(1) + (const.low if const.k > 1 else -const.low)
    unit = np.array([v / squared(v)])
    right = const.kind.build(unit, unit, scale * carried(left, v).reshape(-1, 1))
    limit = (const.high * (1 + SLACK)) ** 2 * squared(carried(left, v))
    times = [Fraction(int(n), 1000) for n in rng.integers(1, 1001, size=POINTS)]
    with flint.ctx.workprec(128):
        return all(squared_gap(left, right, v, ball(t)) < ball(limit) for t in times)


def _controls(seed: int) -> tuple[Control, ...]:
    import flint

    rng = generator(CLAIM, "controls", seed)
    ones = to_fractions(np.array([1, 1]))
    zero, eye = 0 * identity(2), identity(2)
    two = constant(Fraction(2))
    random = two.kind.build(*(rationals((2, 2), rng=rng) for _ in range(3)))
    case = Case(1, 3, 4, rng)
    skip, v, norm = draw_skip(case)
    while np.linalg.matrix_rank(skip.astype(np.float64)) < 2:
        skip, v, norm = draw_skip(case)
    frobenius = Fraction(float(np.linalg.norm(skip.astype(np.float64))))

    def raised(k: Fraction) -> bool:
        """Whether an extremal unit stays below a constant that is 1/20 too large: that one is no bound."""
        const = constant(k)
        with flint.ctx.workprec(128):
            scale, limit = const.scale(), ball(const.high * Fraction(21, 20))
            return stays_below(lambda t: abs(t - scale * power(k).ball(t)), limit)

    def bounded(left: Residual, right: Block) -> bool:
        verdicts = (bound(left, right, ones, two.kind) for bound in (two_point_bound, segment_bound))
        return Verdict.PROVED in verdicts

    with flint.ctx.workprec(128):
        plain = stays_below(lambda t: abs(t - power(two.k).ball(t)), ball(two.high * (1 + LOOSE)))
    linear = Residual(Mlp(eye, -eye, "relu")), Mlp(-eye, -eye, "relu")
    smooth = Mlp(np.concatenate([eye, -eye]), np.concatenate([eye, -eye], axis=1), "gelu")
    return (
        Control("c_k too large by a twentieth, k = 2, 3 and 1/2", all(raised(kind.k) for kind in KINDS)),
        Control("λ = 1 in place of 1 + c_k", not plain),
        Control("k = 1: x − ReLU(x) = −ReLU(−x)", not bounded(*linear)),
        Control(
            "no homogeneity: x = GELU(x) − GELU(−x)", not bounded(Residual(Mlp(zero, zero, "gelu")), smooth)
        ),
        Control("M = 0: V = W", not bounded(Residual(random, zero), random)),
        Control(
            "the Frobenius norm of M in place of ‖M‖₂",
            norm_is(skip, v, norm)
            and is_attained(skip, v, norm, two, rng=rng)
            and not is_attained(skip, v, frobenius, two, rng=rng),
        ),
    )
