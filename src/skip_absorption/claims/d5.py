"""D5: which changes of W leave W_down σ(W_up x) alone, and that negating rows is none of them.

Permuting units does, and for ReLU multiplying row i by r > 0 and dividing column i by it. Negating the rows
in S subtracts the linear map 2c·W_down[:, S] W_up[S, :]. So the function stays iff that sum is zero, which
almost no weights allow for any S but the empty set.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

from skip_absorption.claims.flips import Instance
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.balls import decide_nonzero
from skip_absorption.exact.rational import exact_matmul, is_zero
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, generic_integers, is_generic, rationals
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Mlp
from skip_absorption.networks.canonical import equal_functions
from skip_absorption.networks.symmetry import permuted, rescaled

CLAIM = "d5"
EVIDENCE = "exact"
HYPOTHESES = (
    "(G), σ(z) = cz + E(z), c ≠ 0: ReLU, leaky ReLU, GELU (erf and tanh forms), SiLU",
    "positive rescaling: σ homogeneous of degree 1 (ReLU, leaky ReLU)",
    "flips: almost every W; W_down[:, S] W_up[S, :] ≠ 0 for the flipped set S ≠ ∅",
)
METHOD = (
    "Random permutations and positive factors: equal functions over Q, where a rescaled GELU or SiLU network "
    "is another function. Flips of all sets S (N ≤ 5, beyond it random ones, and a planted one with sum 0): "
    "the flipped network equals the given one iff the sum over S vanishes, by canonical forms; second route: "
    "the two differ at a point by the value of that sum there, over Q or in balls."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
ALL_SETS = 5  # the width up to which all sets are flipped
SOME_SETS = 12  # how many random ones beyond it
KINDS = ("gaussian", "integers", "sum zero")
BOUND = 4  # of the integers


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, flips, kept = Tally(), 0, 0
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(KINDS) * len(ACTIVATIONS)):
        kind = KINDS[case.number // len(ACTIVATIONS) % len(KINDS)]
        instance = _draw(case, kind)
        verdicts = [symmetric(instance, rng=case.rng)]
        for units in _sets(case):
            vanishes = is_zero(instance.sum_over(units))
            verdicts.append(flip_changes(instance, units, vanishes=vanishes, rng=case.rng))
            verdicts.append(Verdict.of(not (kind == "gaussian" and vanishes)))
            flips, kept = flips + 1, kept + vanishes
        description = f"case {case.number}, {instance.act.name}, {kind}, (d, N) = {(case.d, case.n)}"
        tally.add(all_of(verdicts), description)
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} networks keep their function when permuted and, with kinks, "
            f"rescaled; of {flips} flips {kept} keep it, those with sum 0{tally.note}"
        ),
        expected=f"all {tally.total}; a flip keeps it iff its sum is 0",
    )


def _draw(case: Case, kind: str) -> Instance:
    """Draw Gaussian dyadics, small integers that satisfy (G), or those with the sum over 0, 1, 2 zero."""
    d, n, rng = case.d, case.n, case.rng
    act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
    if kind == "gaussian":
        return Instance(gaussian((n, d), rng=rng), gaussian((d, n), rng=rng), act)
    while True:
        w_up, w_down = generic_integers(d, n, rng=rng, bound=BOUND)
        if kind == "sum zero" and n >= 3:  # a(w₁ + w₂)ᵀ − a w₁ᵀ − a w₂ᵀ
            w_up[2] = w_up[0] + w_up[1]
            w_down[:, 1], w_down[:, 2] = w_down[:, 0], -w_down[:, 0]
        if is_generic(w_up, w_down):
            return Instance(w_up, w_down, act)


def _sets(case: Case) -> list[tuple[int, ...]]:
    """Return nonempty sets of units: all of them, or the first three units and random ones."""
    if case.n <= ALL_SETS:
        rows = list(product((False, True), repeat=case.n))
    else:
        rows = [tuple(row) for row in case.rng.integers(2, size=(SOME_SETS, case.n)).astype(bool).tolist()]
    first = [(0, 1, 2)] if case.n >= 3 else []
    return [*first, *(tuple(i for i, inside in enumerate(row) if inside) for row in rows if any(row))]


def symmetric(instance: Instance, *, rng: np.random.Generator) -> Verdict:
    """Decide that a permutation keeps the function, and a rescaling iff σ has degree 1."""
    mlp = Mlp(instance.w_up, instance.w_down, instance.act)
    n = mlp.width
    factors = [Fraction(int(p), int(q)) for p, q in zip(*rng.integers(1, 8, size=(2, n)), strict=True)]
    if factors[0] == 1:
        factors[0] = Fraction(3, 2)
    twin, scaled = permuted(mlp, rng.permutation(n).tolist()), rescaled(mlp, factors)
    points = rationals((2, mlp.d_in), rng=rng)
    kept = instance.act.degree == 1
    if instance.act.is_rational:
        values = mlp.rational(points)
        if not is_zero(values - twin.rational(points)) or not is_zero(values - scaled.rational(points)):
            return Verdict.REFUTED
    return Verdict.of(equal_functions(mlp, twin) and equal_functions(mlp, scaled) == kept)


def flip_changes(
    instance: Instance, units: tuple[int, ...], *, vanishes: bool, rng: np.random.Generator
) -> Verdict:
    """Decide that negating the rows in S keeps the function iff the sum over S is zero."""
    mlp, flipped = Mlp(instance.w_up, instance.w_down, instance.act), instance.flipped(units)
    if equal_functions(mlp, flipped) != vanishes:
        return Verdict.REFUTED
    if vanishes:
        return Verdict.PROVED
    while True:
        x = rationals((mlp.d_in,), rng=rng)
        change = exact_matmul(instance.sum_over(units), x[:, None])[:, 0]
        if not is_zero(change):
            break
    if instance.act.is_rational:
        return Verdict.of(is_zero(mlp.rational(x) - flipped.rational(x) - change))
    entry = int(np.flatnonzero(change)[0])
    return decide_nonzero(lambda: mlp.ball(x)[entry] - flipped.ball(x)[entry])


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    w_up, w_down = gaussian((4, 2), rng=rng), gaussian((2, 4), rng=rng)
    relu, gelu = (Mlp(w_up, w_down, name) for name in ("relu", "gelu"))
    triangle = Instance(
        np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1, 1, -1], [2, 2, -2]]), relu.activation
    )
    mlp = Mlp(triangle.w_up, triangle.w_down, triangle.act)
    turned = Mlp(w_up[[1, 0, 2, 3]], w_down, "relu")
    return (
        Control("ReLU: a negative factor", not equal_functions(relu, rescaled(relu, [-2, 1, 1, 1]))),
        Control("GELU: a positive factor", not equal_functions(gelu, rescaled(gelu, [2, 1, 1, 1]))),
        Control("rows permuted and columns not", not equal_functions(relu, turned)),
        Control(
            "without a sum ≠ 0: rows e₁, e₂, e₁ + e₂ with columns a, a, −a may all be negated",
            equal_functions(mlp, triangle.flipped((0, 1, 2)))
            and not any(
                equal_functions(mlp, triangle.flipped(s)) for s in ((0,), (1,), (2,), (0, 1), (0, 2))
            ),
        ),
    )
