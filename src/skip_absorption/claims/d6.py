"""D6: compositions of skip-free ungated blocks may have any linear part at the origin, the identity included.

For smooth σ, σ(z) − σ(−z) = z gives σ'(0) = 1/2, so the derivative of V_down σ(V_up x) at 0 is V_down V_up/2,
which is any matrix once V_up has rank d. The blocks of Corollary 3 have derivative 0 there, and that is what
tells them from residual ones. Here the same argument says nothing, even where the two functions do differ.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from skip_absorption.claims.derivatives import quotient_is
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, any_of, each_case
from skip_absorption.exact.balls import decide_nonzero
from skip_absorption.exact.rational import (
    ExactArray,
    exact_matmul,
    from_fmpq_mat,
    identity,
    is_zero,
    rank,
    to_fmpq_mat,
)
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, rationals
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Block, Composition, GatedMlp, Mlp, Residual

if TYPE_CHECKING:
    import flint

CLAIM = "d6"
EVIDENCE = "enclosure"
HYPOTHESES = (
    "GELU (erf or tanh form) or SiLU, N ≥ d, any depth",
    "compared: residual blocks F, and skip-free H of the same widths with DH(0) = DF(0) or DH(0) = I",
)
METHOD = (
    "Two or three random residual blocks; skip-free blocks whose derivatives at 0 are those of the residual "
    "ones, or the identity, by solving for d columns over Q. Exact: the products of derivatives agree. In "
    "balls: difference quotients of H at 0 lie within 2⁻⁶⁰ of the product; and F ≠ H at a point all the "
    "same."
)
ACTIVATIONS = ("gelu", "silu", "gelu_tanh")
POINTS = 4  # points at which two compositions are told apart


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally = Tally()
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=4 * len(ACTIVATIONS)):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        depth, to_identity = (
            2 + case.number // len(ACTIVATIONS) % 2,
            case.number // (2 * len(ACTIVATIONS)) % 2,
        )
        layers = [_random_mlp(case, act) for _ in range(depth)]
        wanted = [identity(case.d) if to_identity else identity(case.d) + slope(layer) for layer in layers]
        residual = Composition([Residual(layer) for layer in layers])
        plain = Composition([with_slope(case, act, matrix) for matrix in wanted])
        verdicts = [
            has_linear_part(plain, product(wanted), rng=case.rng),
            differ(residual, plain, rng=case.rng),
        ]
        description = f"case {case.number}, {act.name}, depth {depth}, (d, N) = {(case.d, case.n)}"
        tally.add(all_of(verdicts), description)
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} skip-free compositions have the derivative I or DF(0) at 0, "
            f"and differ from F{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _random_mlp(case: Case, act: Activation) -> Mlp:
    return Mlp(rationals((case.n, case.d), rng=case.rng), rationals((case.d, case.n), rng=case.rng), act)


def slope(mlp: Mlp) -> ExactArray:
    """Return the derivative of a bias-free smooth MLP at 0, σ'(0) W_down W_up with σ'(0) = c."""
    assert mlp.activation.odd is not None
    derivative: ExactArray = mlp.activation.odd / 2 * exact_matmul(mlp.w_down, mlp.w_up)
    return derivative


def product(matrices: list[ExactArray]) -> ExactArray:
    """Return the product M_L ⋯ M_1 of matrices listed from the first block to the last."""
    total = matrices[0]
    for matrix in matrices[1:]:
        total = exact_matmul(matrix, total)
    return total


def with_slope(case: Case, act: Activation, wanted: ExactArray) -> Mlp:
    """Return a random MLP of width N whose derivative at 0 is the wanted one: d columns are solved for."""
    d, n = case.d, case.n
    assert act.odd is not None
    while True:
        w_up = rationals((n, d), rng=case.rng)
        if rank(w_up[:d]) == d:
            break
    rest = rationals((d, n - d), rng=case.rng)
    missing = wanted * (2 / act.odd) - exact_matmul(rest, w_up[d:])
    solved = exact_matmul(missing, from_fmpq_mat(to_fmpq_mat(w_up[:d]).inv()))
    return Mlp(w_up, np.concatenate([solved, rest], axis=1), act)


def has_linear_part(block: Composition, wanted: ExactArray, *, rng: np.random.Generator) -> Verdict:
    """Decide that a composition has the wanted derivative J at 0: by the chain rule over Q, and by quotients.

    All σ are odd·z/2 plus an even function, so (H(tx) − H(−tx))/2t − Jx is O(t²); at t = 2⁻⁶⁰ an enclosure
    must lie within 2⁻⁶⁰ of 0.
    """
    mlps = [layer for layer in block.blocks if isinstance(layer, Mlp)]
    if len(mlps) != len(block.blocks) or not is_zero(product([slope(mlp) for mlp in mlps]) - wanted):
        return Verdict.REFUTED
    return quotient_is(block, wanted, rationals((block.d_in,), rng=rng))


def differ(left: Block, right: Block, *, rng: np.random.Generator) -> Verdict:
    """Decide that two functions differ, by a point at which they do."""

    def gap(x: ExactArray, entry: int) -> flint.arb:
        value: flint.arb = left.ball(x)[entry] - right.ball(x)[entry]
        return value

    points = [rationals((left.d_in,), rng=rng) for _ in range(POINTS)]
    found = any_of(decide_nonzero(partial(gap, x, 0), limit=512) for x in points)
    return found if found is Verdict.PROVED else Verdict.UNKNOWN


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    eye, x = identity(2), rationals((2,), rng=rng) + 10
    gelu = activation("gelu")
    rows, values = rationals((4, 2), rng=rng), rationals((4, 2), rng=rng)
    gated = Composition([GatedMlp(rows, values, rationals((2, 4), rng=rng), "silu")] * 2)
    undone = Composition([Mlp(eye, eye, gelu), Mlp(eye, eye, gelu)])
    narrow = Composition([Mlp(eye[:1], rationals((2, 1), rng=rng), gelu), Mlp(eye, 2 * eye, gelu)])
    squares = Composition([Mlp(rows, rationals((2, 4), rng=rng), "relu_squared")] * 2)

    def rejected(block: Composition, wanted: ExactArray) -> bool:
        return quotient_is(block, wanted, x) is Verdict.REFUTED

    return (
        Control(
            "SwiGLU: the derivative at 0 is not I", rejected(gated, eye) and not rejected(gated, 0 * eye)
        ),
        Control(
            "ReLU²: the derivative at 0 is not I", rejected(squares, eye) and not rejected(squares, 0 * eye)
        ),
        Control("σ'(0) = 1 for 1/2", rejected(undone, eye) and not rejected(undone, eye / Fraction(4))),
        Control("a first block of width N < d", rejected(narrow, eye)),
        Control("one function twice is not told apart", differ(undone, undone, rng=rng) is Verdict.UNKNOWN),
    )
