"""X6: for analytic σ, almost no residual composition is a residual-free one with fewer dimensions.

F has D = 2dΣN_l weights and, at almost every θ, a Jacobian of rank D; H has one of rank at most k_H. Where
k_H < D, and so at equal widths and depths L ≥ 2, almost no F is an H.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.claims.series import GELU, GELU_TANH, SILU, Series
from skip_absorption.depth.analytic import draw_layers, draw_points, prove_minor, prove_rank
from skip_absorption.depth.certificate import Certificate, digest, to_json
from skip_absorption.depth.checker import check as recheck
from skip_absorption.depth.counts import is_excluded, naive_dimension, plain_dimension, residual_dimension
from skip_absorption.depth.interfaces import interface_rank
from skip_absorption.depth.jacobian import Layer, jacobian
from skip_absorption.exact.rational import ExactArray, rank, to_fmpq_mat, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, integers
from skip_absorption.networks.activations import activation

CLAIM = "x6"
EVIDENCE = "enclosure"
HYPOTHESES = (
    "σ real-analytic, not a polynomial, in F; any of countably many locally Lipschitz functions in H",
    "d ≥ 1, any widths and depths with k_H < 2dΣN_l; at equal ones, L ≥ 2",
    "skips that are identities or other fixed invertible matrices",
    "Lebesgue-almost every θ",
)
METHOD = (
    "GELU, tanh-GELU and SiLU; L = 2 and 3 at each (d, N). At a random dyadic θ a minor of size 2dLN of F's "
    "Jacobian excludes 0 in balls, and a checker that shares no arithmetic with the prover confirms it in "
    "integers; the same for random widths, some below d, and invertible skips. For random residual-free H, "
    "widths 1 to d + 2, up to 4 blocks: the rank over Q of the derivative of its interfaces is k_H, and so "
    "is, in balls, that of its Jacobian. For the limit W_down → 0: the confluent Vandermonde determinant of "
    "the neurons' α_j, over Q, at exponents with nonzero Taylor coefficients."
)
ACTIVATIONS = (("gelu", GELU), ("gelu_tanh", GELU_TANH), ("silu", SILU))
DEPTHS = (2, 3)
ATTEMPTS = 8  # draws of weights before a rank stays UNKNOWN
CONTROL_BITS = 256  # the precision up to which a false variant is given a chance


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random weights, and its false variants; see `METHOD`."""
    tally, largest = Tally(), 0
    kinds = [(*act, depth) for depth in DEPTHS for act in ACTIVATIONS]
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(kinds)):
        act, series, depth = kinds[case.number % len(kinds)]
        widths = [case.n] * depth
        mixed = case.rng.integers(1, case.d + 2, size=depth).tolist()
        count = int(case.rng.integers(1, 5))  # scalar bottlenecks in deep H are exact but ill-conditioned
        others = case.rng.integers(1 if count < 3 else 2, case.d + 3, size=count).tolist()
        verdicts = [
            Verdict.of(is_excluded(case.d, widths, widths)),
            has_full_rank(case, act, widths),
            has_full_rank(case, act, mixed, skips=[_invertible(case) for _ in mixed]),
            has_dimension(case, act, others, plain_dimension(case.d, others)),
            limit_is_injective(case, series, sum(widths)),
        ]
        largest = max(largest, residual_dimension(case.d, widths))
        tally.add(all_of(verdicts), f"case {case.number}, {act}, (d, N, L) = {(case.d, case.n, depth)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} Jacobians of up to {largest} weights have full rank, "
            f"re-checked, and as many of residual-free ones rank k_H{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def has_full_rank(
    case: Case, act: str, widths: Sequence[int], *, skips: Sequence[ExactArray] | None = None
) -> Verdict:
    """Decide that some θ has a Jacobian of full rank; the certificate must pass the checker."""
    total = residual_dimension(case.d, widths)
    for _ in range(ATTEMPTS):
        layers = draw_layers(case.d, widths, rng=case.rng, skips=skips)
        certificate = prove_rank(layers, act, total, rng=case.rng)
        if certificate is not None and recheck(to_json(certificate)).is_full:
            return Verdict.PROVED
    return Verdict.UNKNOWN


def _invertible(case: Case) -> ExactArray:
    while True:
        skip = to_fractions(integers((case.d, case.d), rng=case.rng, bound=2))
        if rank(skip) == case.d:
            return skip


def has_dimension(case: Case, act: str, widths: Sequence[int], expected: int) -> Verdict:
    """Decide that the Jacobian of a random residual-free H has the rank expected, over Q and in balls."""
    verdict = Verdict.UNKNOWN
    for _ in range(ATTEMPTS):
        layers = draw_layers(case.d, widths, rng=case.rng, skips=[None] * len(widths), small=0.75)
        bound = interface_rank(layers)
        if bound > expected:
            return Verdict.REFUTED
        certificate = prove_rank(layers, act, bound, rng=case.rng)
        if certificate is not None and recheck(to_json(certificate)).rank == bound:
            if bound == expected:
                return Verdict.PROVED
            verdict = Verdict.REFUTED  # unless another draw reaches it
    return verdict


def limit_is_injective(case: Case, series: Series, neurons: int) -> Verdict:
    """Decide that Σ δ_j α_j^n + n γ_j α_j^(n−1) = 0 for all exponents n of σ implies δ = γ = 0."""
    rows = draw_points(neurons, case.d, rng=case.rng)
    scales = (rows @ draw_points(1, case.d, rng=case.rng)[0]).tolist()
    if 0 in scales or len({abs(x) for x in scales}) < neurons:  # y is not generic: choose a direction that is
        scales = [Fraction(2 * j + 1, 4) for j in range(neurons)]
    return confluent(scales, series.exponents(-1, 2 * neurons))


def confluent(scales: Sequence[Fraction], exponents: Sequence[int]) -> Verdict:
    """Decide over Q that the columns (α_j^n), (n α_j^(n−1)) over the exponents n are independent."""
    if len(exponents) < 2 * len(scales):
        return Verdict.UNKNOWN
    columns = [[a**n for n in exponents] for a in scales]
    columns += [[n * a ** (n - 1) for n in exponents] for a in scales]
    return Verdict.of(to_fmpq_mat(np.array(columns, dtype=object)).det() != 0)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    layers = draw_layers(2, [3, 2], rng=rng)
    case = Case(0, 2, 4, rng)
    good = prove_rank(layers, "gelu", 20, rng=rng)
    assert good is not None
    half, one = Fraction(1, 2), Fraction(1)
    even = GELU.exponents(-1, 6)
    return (
        Control("two equal rows in one layer", _is_refused(_with_row(layers, 1, layers[0].w_up[0]), rng=rng)),
        Control(
            "a zero column of W_down",
            _is_refused(_with_column(layers, 1, 0 * layers[0].w_down[:, 0]), rng=rng),
        ),
        Control("σ(z) = z²: rank below the number of weights, over Q", _square_is_deficient(rng=rng)),
        Control(
            "k_H larger or smaller by one",
            all(
                has_dimension(case, "gelu", [2, 3], plain_dimension(2, [2, 3]) + e) is Verdict.REFUTED
                for e in (-1, 1)
            ),
        ),
        Control(
            "weights less d² an interface, at N < d",
            all(
                has_dimension(replace(case, d=d), "silu", [n, n], naive_dimension(d, [n, n]))
                is Verdict.REFUTED
                for d, n in ((2, 1), (3, 2))
            ),
        ),
        Control("L = 1: the counts tie", not is_excluded(2, [4], [4])),
        Control("opposed neurons in the limit", confluent([half, -half, one], even) is not Verdict.PROVED),
        Control("certificates with one change", all(not recheck(x).accepted for x in _forgeries(good))),
    )


def _with_row(layers: Sequence[Layer], i: int, row: ExactArray) -> list[Layer]:
    up = layers[0].w_up.copy()
    up[i] = row
    return [replace(layers[0], w_up=up), *layers[1:]]


def _with_column(layers: Sequence[Layer], i: int, column: ExactArray) -> list[Layer]:
    down = layers[0].w_down.copy()
    down[:, i] = column
    return [replace(layers[0], w_down=down), *layers[1:]]


def _is_refused(layers: Sequence[Layer], *, rng: np.random.Generator) -> bool:
    """Whether full rank is not certified, neither as the prover goes about it nor at rows chosen blindly."""
    total = sum(2 * layer.w_up.size for layer in layers)
    points = draw_points(total, 2, rng=rng)
    blind = prove_minor(layers, activation("gelu"), points, range(total), range(total), limit=CONTROL_BITS)
    led = prove_rank(layers, "gelu", total, rng=rng, limit=CONTROL_BITS)
    return led is None and blind is None


def _square_is_deficient(*, rng: np.random.Generator) -> bool:
    """Whether σ(z) = z² has a deficient Jacobian at (d, N, L) = (2, 4, 2), at more values than weights.

    Quadratic forms in two variables have three coefficients, so that four neurons are dependent.
    """
    layers = draw_layers(2, [4, 4], rng=rng)
    points = draw_points(40, 2, rng=rng)
    table = jacobian(layers, points, lambda z: z * z, lambda z: 2 * z)
    return rank(to_fractions(table)) < residual_dimension(2, [4, 4])


def _forgeries(good: Certificate) -> list[dict[str, Any]]:
    """Return false variants of an accepted certificate; all but the first carry a fresh digest."""
    data = to_json(good)
    other = [*data["points"][:-1], ["1/3"] * 2]
    twin = to_json(good)["layers"]
    twin[0]["w_up"][1] = twin[0]["w_up"][0]
    return [
        data | {"points": other},
        *(
            changed | {"sha256": digest(changed)}
            for changed in (
                data | {"points": other},
                data | {"layers": twin},
                data | {"rows": [data["rows"][1], *data["rows"][1:]]},
                data | {"activation": "silu"},
                data | {"rank": good.rank - 1},
                data | {"log10_determinant": ["0.000000", "0.000001"]},
            )
        ),
    ]
