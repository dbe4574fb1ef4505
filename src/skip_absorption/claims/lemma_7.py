"""Lemma 7: dilations of an analytic function that is no polynomial are independent modulo polynomials.

Σ c_k ψ(α_k t) is a polynomial of degree at most D iff Σ c_k α_k^n = 0 for every n > D at which ψ has a
nonzero Taylor coefficient. Any m such exponents give a generalised Vandermonde matrix [α_k^n], whose
determinant is positive when scales and exponents both increase; so c = 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.claims.series import (
    FUNCTIONS,
    GELU,
    GELU_TANH,
    LONGEST,
    SILU,
    Series,
    is_described,
)
from skip_absorption.exact.balls import LIMIT, ball, decide_nonzero
from skip_absorption.exact.rational import is_zero, to_fmpq_mat
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator

if TYPE_CHECKING:
    import flint

CLAIM = "lemma_7"
EVIDENCE = "enclosure"
HYPOTHESES = ("ψ real-analytic, not a polynomial", "scales α_k > 0, distinct", "polynomials of any degree")
METHOD = (
    "ψ is the even part of GELU (erf and tanh forms) or of SiLU, exp, or a lacunary series; m = N random "
    "rational scales, a random degree D. Over Q, the generalised Vandermonde determinant at m exponents "
    "beyond D with nonzero Taylor coefficients is positive; in balls, the same determinant times the "
    "coefficients, from power series of the definition, excludes 0. Second route, m ≤ 4: values at rational "
    "points, in balls, of the m dilations and D + 1 monomials have a nonzero determinant."
)
DEGREES = 7  # D < DEGREES
VALUES = 4  # the number of scales up to which values are compared
CONTROL_BITS = 512  # the precision up to which a false variant is given a chance


def vandermonde(scales: list[Fraction], exponents: list[int]) -> NDArray[np.object_]:
    """Return the matrix [α_k^n] over Q, a row for each scale."""
    return np.array([[scale**n for n in exponents] for scale in scales], dtype=object)


def independent(psi: Series, scales: list[Fraction], degree: int) -> Verdict:
    """Decide that no nonzero Σ c_k ψ(α_k t) is a polynomial of degree at most ``degree``; scales increase."""
    import flint

    exponents = psi.exponents(degree, len(scales))
    if len(exponents) < len(scales):
        return Verdict.UNKNOWN
    powers = vandermonde(scales, exponents)

    def determinant() -> flint.arb:
        terms = psi.series()
        rows = [[ball(x) * terms[n] for x, n in zip(row, exponents, strict=True)] for row in powers]
        return flint.arb_mat(rows).det()

    positive = Verdict.of(to_fmpq_mat(powers).det() > 0)
    return positive if positive is Verdict.REFUTED else decide_nonzero(determinant)


def independent_values(
    psi: Series, scales: list[Fraction], degree: int, *, rng: np.random.Generator, limit: int = LIMIT
) -> Verdict:
    """Decide the same from the values of ψ at as many rational points as there are functions."""
    import flint

    size = len(scales) + degree + 1
    sizes = rng.choice(np.arange(1, 4 * size + 1), size=size, replace=False)  # ψ may be even: no t with −t
    numerators = (sizes * rng.choice([-1, 1], size=size)).tolist()
    points = [Fraction(n, 4 * size) / max(Fraction(1), *scales) for n in numerators]

    def determinant() -> flint.arb:
        rows = [
            [psi.value(ball(scale * t)) for scale in scales] + [ball(t**n) for n in range(degree + 1)]
            for t in points
        ]
        return flint.arb_mat(rows).det()

    return decide_nonzero(determinant, limit=limit)


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random scales, and its false variants; see `METHOD`."""
    tally, largest = Tally(), 0
    described = Verdict.of(all(is_described(psi) for psi in FUNCTIONS))
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(FUNCTIONS)):
        psi = FUNCTIONS[case.number % len(FUNCTIONS)]
        degree = int(case.rng.integers(DEGREES))
        scales = _draw(case, len(psi.exponents(degree, case.n)))
        verdicts = [described, independent(psi, scales, degree)]
        if len(scales) <= VALUES:
            verdicts.append(independent_values(psi, scales, degree, rng=case.rng))
        largest = max(largest, len(scales))
        tally.add(all_of(verdicts), f"case {case.number}, {psi.name}, {len(scales)} scales, degree {degree}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{tally.proved} of {tally.total} sets of up to {largest} scales are independent{tally.note}",
        expected=f"all {tally.total}",
    )


def _draw(case: Case, count: int) -> list[Fraction]:
    """Draw distinct positive rationals in increasing order."""
    drawn: set[Fraction] = set()
    while len(drawn) < count:
        drawn.add(Fraction(int(case.rng.integers(1, 100)), int(case.rng.integers(1, 20))))
    return sorted(drawn)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    half, one, two, three = Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)

    def dependent(psi: Series, scales: list[Fraction], combination: list[int], degree: int = 2) -> bool:
        """Whether the combination vanishes beyond the degree, and both routes fail to prove independence."""
        exponents = psi.exponents(degree, LONGEST)
        by_values = independent_values(psi, scales, degree, rng=rng, limit=CONTROL_BITS)
        return (
            is_zero(np.array(combination, dtype=object) @ vandermonde(scales, exponents))
            and independent(psi, scales, degree) is not Verdict.PROVED
            and by_values is not Verdict.PROVED
        )

    polynomial = Series(
        "t² + t⁴",
        lambda: [ball(int(n in (2, 4))) for n in range(LONGEST)],
        lambda n: Fraction(n in (2, 4)),
        lambda t: t**2 + t**4,
    )
    return (
        Control("a repeated scale", dependent(GELU, [one, two, two], [0, 1, -1])),
        Control(
            "ψ polynomial: 15ψ(t) − 6ψ(2t) + ψ(3t) = 0",
            dependent(polynomial, [one, two, three], [15, -6, 1], 1),
        ),
        Control("ψ polynomial of degree D", dependent(polynomial, [half], [1], 4)),
        Control("scales of both signs, ψ even: ψ(−t) = ψ(t)", dependent(SILU, [-one, one], [1, -1])),
        Control("a scale of 0", dependent(GELU_TANH, [0 * one, one], [1, 0])),
    )
