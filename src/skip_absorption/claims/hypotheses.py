"""Where each hypothesis bites: for every one a smallest example without it, in which the statement fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from skip_absorption.absorption.condition import Absorption
from skip_absorption.claims.examples import (
    BROKEN,
    Broken,
    Frame,
    absorbs_without_a_set,
    further_units,
    spread,
)
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import decide, minimal_width
from skip_absorption.claims.refusals import refused
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.exact.rational import identity, is_zero, rank, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, integers, planted, rationals
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import GatedMlp, Mlp, Residual
from skip_absorption.networks.canonical import canonical_form, equal_functions

CLAIM = "hypotheses"
EVIDENCE = "exact"
HYPOTHESES = ("none: each example drops one hypothesis of Propositions 1, 2, 8, Theorem 4, Lemmas 6, 7",)
METHOD = (
    "Each example in random rational bases and with five activations, some beside further random units. (3) "
    "is decided by the procedure and by trying all sets; absorption by the procedure and by comparing the V "
    "given here as a function; least widths by the library and by trying all F and G of X1; gated examples "
    "over Q, with a rational gate of the same kind."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
POINTS = 3  # points at which gated blocks are compared
PLANE = ([[1, 0, 0], [0, 1, 0], [1, 1, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
STAR = ([[1, 0], [0, 1], [1, 1], [1, -1]], [[-2, 0, -1, -1], [0, -2, -1, 1]])

Example = Callable[[Case, Activation], bool]


def _broken(broken: Broken) -> Example:
    def example(case: Case, act: Activation) -> bool:
        frame = Frame.drawn(len(broken.w_down), act, rng=case.rng)
        return absorbs_without_a_set(
            broken, frame, case, company=int(case.rng.integers(3)) if frame.q.size > 1 else 0
        )

    return example


def _line(case: Case, act: Activation) -> bool:
    """Show that at d = 1 two units absorb every W with a kink, while an analytic σ needs (3) (X1c)."""
    n = max(2, case.n)
    w_up, w_down = integers((n, 1), rng=case.rng), integers((1, n), rng=case.rng)
    if act.even == "kink":
        residual = Instance(w_up, w_down, act).residual
        assert act.odd is not None
        right, left = residual.rational([1])[0], -residual.rational([-1])[0]
        slope = act.odd - 1  # pσ(x) + qσ(−x) has the slopes p − sq and sp − q
        p, q = (right - slope * left) / (1 - slope**2), (slope * right - left) / (1 - slope**2)
        twin = Mlp([[1], [-1]], [[p, q]], act)
        decided = decide(w_up, w_down, activation=act, rng=case.rng).verdict
        return equal_functions(residual, twin) and decided is Absorption.ABSORBABLE
    rows = np.array([spread(range(n), rng=case.rng)], dtype=object).T
    columns = w_down + (w_down == 0)
    exists = Instance(rows, columns, act).first_set(-identity(1)) is not None
    decided = decide(rows, columns, activation=act, rng=case.rng).verdict
    return decided is (Absorption.ABSORBABLE if exists else Absorption.NOT_ABSORBABLE)


def _gate(rational: Callable[[Fraction], Fraction]) -> Activation:
    return replace(activation("sigmoid"), name="rational gate", _rational=rational)


STEP = _gate(lambda z: Fraction(int(z > 0)))
CURVE = _gate(lambda z: (1 + z / (1 + abs(z))) / 2)
"""Gates over Q: the unit step, and a curve with g(z) + g(−z) = 1 as the sigmoid has."""


def _open_gate(case: Case, act: Activation) -> bool:
    """Show, for g(0) ≠ 0, x − g(Wx) ⊙ x = g(−Wx) ⊙ x: exactly for the curve, in balls for the sigmoid."""
    d, rng = case.d, case.rng
    eye, gates, points = identity(d), rationals((d, d), rng=rng), rationals((POINTS, d), rng=rng)
    sides = [
        (Residual(GatedMlp(gates, eye, -eye, g)), GatedMlp(-gates, eye, eye, g))
        for g in (CURVE, activation("sigmoid"))
    ]
    exact = is_zero(sides[0][0].rational(points) - sides[0][1].rational(points))
    gaps = (sides[1][0].ball(points) - sides[1][1].ball(points)).flat
    return exact and all(gap.contains(0) and gap.rad() < 2.0**-40 for gap in gaps)


def _jumping_gate(case: Case, act: Activation) -> bool:
    """Show that a value gated by its own step is ReLU, and x − ReLU(x) = −ReLU(−x)."""
    d, eye = case.d, identity(case.d)
    points = rationals((POINTS, d), rng=case.rng)
    left, right = Residual(GatedMlp(eye, eye, -eye, STEP)), GatedMlp(-eye, -eye, -eye, STEP)
    relu = Mlp(eye, -eye, "relu")
    return (
        is_zero(left.rational(points) - Residual(relu).rational(points))
        and is_zero(left.rational(points) - right.rational(points))
        and equal_functions(Residual(relu), Mlp(-eye, -eye, "relu"))
    )


def _degree_one(case: Case, act: Activation) -> bool:
    """Show that for k = 1, and any σ with σ(z) − σ(−z) = 2cz: W_up = I, W_down = −I/2c absorbs at width d."""
    frame = Frame.drawn(case.d, act, rng=case.rng)
    eye = identity(case.d)
    instance = frame.instance(eye, -eye)
    holds = is_zero(instance.sum_over(range(case.d)) + eye)
    return holds and equal_functions(instance.residual, frame.mlp(-eye, -eye))


def _no_skip(case: Case, act: Activation) -> bool:
    """Show that for M = 0 V = W will do, for homogeneous, gated and ungated blocks alike."""
    d, n, rng = case.d, case.n, case.rng
    up, value, down = rationals((n, d), rng=rng), rationals((n, d), rng=rng), rationals((d, n), rng=rng)
    points = rationals((POINTS, d), rng=rng)
    blocks = (Mlp(up, down, "relu_squared"), GatedMlp(up, value, down, "relu"))
    zero, mlp = 0 * identity(d), Mlp(up, down, act)
    return equal_functions(Residual(mlp, zero), mlp) and all(
        is_zero(Residual(block, zero).rational(points) - block.rational(points)) for block in blocks
    )


def _collinear_forms(case: Case, act: Activation) -> bool:
    """Show, for Lemma 6, t|ℓ(x)| − |tℓ(x)| = 0 for t > 0, and non-collinear forms are independent."""
    form, other = case.rng.permutation(np.arange(1, case.d + 1)), np.eye(case.d, dtype=np.int64)[0]
    t = Fraction(int(case.rng.integers(2, 9)), int(case.rng.integers(1, 9)) + 9)
    sums = [
        Mlp(np.array([form, t * second]), np.array([[t, -1]]), "leaky_relu:-1") for second in (form, other)
    ]
    points = rationals((POINTS, case.d), rng=case.rng)
    dependent, independent = (canonical_form(f) for f in sums)
    return (
        not dependent.classes
        and is_zero(dependent.linear)
        and is_zero(sums[0].rational(points))
        and len(independent.classes) == 2
    )


def _degenerate_scales(case: Case, act: Activation) -> bool:
    """Show, for Lemma 7, that [α_k^n] is singular for ψ = t² (one exponent n) and with a scale repeated."""
    m = case.d
    scales = spread(range(m), rng=case.rng)

    def independent(alphas: list[Fraction], exponents: list[int]) -> bool:
        return rank(np.array([[a**n for n in exponents] for a in alphas], dtype=object)) == len(alphas)

    even = [2 * j + 2 for j in range(m)]  # exponents of the even part of GELU
    return (
        independent(scales, even)
        and not independent(scales, [2])
        and not independent([scales[0], *scales[: m - 1]], even)
    )


def _rank_below_d(case: Case, act: Activation) -> bool:
    """Show that rows e₁, e₂, e₁ + e₂ at d = 3, W_down = I need width 7, not N + d = 6."""
    instance = Frame.drawn(3, act, rng=case.rng).instance(*PLANE)
    return further_units(instance) == 4 and _least(instance) == 7 and _refused(instance, 6)


def _minus_two(case: Case, act: Activation) -> bool:
    """Show that a sum of −2I does not absorb: W_up = I, W_down = −2I needs d more units."""
    d = min(case.d, 4)
    instance = Frame.drawn(d, act, rng=case.rng).instance(identity(d), -2 * identity(d))
    total = is_zero(instance.sum_over(range(d)) + 2 * identity(d))
    none = instance.first_set(-identity(d)) is None
    return total and none and further_units(instance) == d and _least(instance) == 2 * d


def _minus_two_contains(case: Case, act: Activation) -> bool:
    """Show that a set with the sum −2I may contain one with the sum −I: e₁, e₂, (1, 1), (1, −1)."""
    rows, columns = STAR[0], np.array(STAR[1], dtype=object) / Fraction(2)
    instance = Frame.drawn(2, act, rng=case.rng).instance(rows, columns)
    decided = decide(instance.w_up, instance.w_down, activation=act, rng=case.rng)
    return (
        is_zero(instance.sum_over(range(4)) + 2 * identity(2))
        and is_zero(instance.sum_over((0, 1)) + identity(2))
        and decided.verdict is Absorption.ABSORBABLE
        and equal_functions(instance.residual, instance.flipped((0, 1)))
    )


def _one_ulp(case: Case, act: Activation) -> bool:
    """Show that one ulp in an entry of S destroys (3) for S; in an entry outside S it changes nothing."""
    d, n = case.d, max(case.n, case.d + 1)
    plant = planted(d, n, rng=case.rng, size=int(case.rng.integers(d, n)))
    outside = [i for i in range(n) if i not in plant.flip_set]
    holds = []
    for unit in (int(case.rng.choice(plant.flip_set)), int(case.rng.choice(outside))):
        rows = plant.w_up.astype(np.float64)
        entry = int(case.rng.integers(d))
        rows[unit, entry] = np.nextafter(rows[unit, entry], np.inf)
        moved = Instance(rows, to_fractions(plant.w_down) / Fraction(act.odd or 1), act)
        sums = is_zero(moved.sum_over(plant.flip_set) + identity(d))
        if equal_functions(moved.residual, moved.flipped(plant.flip_set)) != sums:
            return False
        holds.append(sums)
    return holds == [False, True]


def _square(case: Case, act: Activation) -> bool:
    """Show that at N = d a zero column or row, or two rows of one direction, do no harm: none absorbs."""
    d = case.d
    while True:
        w_up, w_down = integers((d, d), rng=case.rng), integers((d, d), rng=case.rng)
        if not any(_opposed(w_up[i], w_up[j]) for i in range(d) for j in range(i)):
            break
    kind = int(case.rng.integers(3))
    if kind == 0:
        w_down[:, 0] = 0
    elif kind == 1:
        w_up[0] = 0
    else:
        w_up[0] = w_up[1]
    none = Instance(w_up, w_down, act).first_set(-identity(d)) is None
    return none and decide(w_up, w_down, activation=act, rng=case.rng).verdict is Absorption.NOT_ABSORBABLE


def _opposed(one: np.ndarray, two: np.ndarray) -> bool:
    return rank(np.array([one, two])) == 1 and int(one @ two) < 0


EXAMPLES: tuple[tuple[str, Example], ...] = (
    *((broken.name, _broken(broken)) for broken in BROKEN),
    ("a line", _line),
    ("g(0) ≠ 0", _open_gate),
    ("g not continuous", _jumping_gate),
    ("k = 1", _degree_one),
    ("M = 0", _no_skip),
    ("collinear forms", _collinear_forms),
    ("degenerate scales", _degenerate_scales),
    ("rank W_up < d", _rank_below_d),
    ("−2I", _minus_two),
    ("−2I contains −I", _minus_two_contains),
    ("one ulp", _one_ulp),
    ("N = d", _square),
)


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Reproduce every example, at least once; and see repaired ones rejected. See `METHOD`."""
    tally = Tally()
    cases = max(cases, len(EXAMPLES))
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(EXAMPLES)):
        name, example = EXAMPLES[case.number % len(EXAMPLES)]
        act = activation(ACTIVATIONS[case.number // len(EXAMPLES) % len(ACTIVATIONS)])
        tally.add(Verdict.of(example(case, act)), f"{name}, case {case.number}, {act.name}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{len(EXAMPLES)} examples, {tally.proved} of {tally.total} instances as stated{tally.note}",
        expected=f"all {tally.total}",
    )


def _least(instance: Instance) -> int | None:
    return minimal_width(instance.w_up, instance.w_down, activation=instance.act).width


def _refused(instance: Instance, width: int) -> bool:
    return refused(Mlp(instance.w_up, instance.w_down, instance.act), width)


def _not_absorbed(broken: Broken, frame: Frame, case: Case) -> bool:
    """Whether the weights of an example, changed so that (G) holds, are absorbed by no V of their width."""
    instance = frame.instance(broken.w_up, broken.w_down)
    decided = decide(instance.w_up, instance.w_down, activation=frame.act, rng=case.rng)
    return decided.verdict is Absorption.NOT_ABSORBABLE and not absorbs_without_a_set(broken, frame, case)


def _controls(seed: int) -> tuple[Control, ...]:
    case = Case(0, 2, 4, generator(CLAIM, "controls", seed))
    relu = activation("relu")
    frame = Frame.drawn(2, relu, rng=case.rng)
    repaired = [
        replace(BROKEN[0], w_up=[[1, 0], [-1, 1]]),
        replace(BROKEN[1], w_up=[[1, 0], [1, 1], [0, 1]]),
        replace(BROKEN[2], w_down=[[2, 0, 1], [0, -1, 0]]),
        replace(BROKEN[3], w_up=[[1, 0], [0, 1], [1, 2]]),
    ]
    wrong = replace(BROKEN[1], twin=([[1, 0], [-1, 0], [0, -1]], [[3, 1, 0], [0, 0, -1]]))
    spatial = Frame.drawn(3, relu, rng=case.rng).instance([[1, 0, 0], [0, 1, 0], [1, 1, 1]], PLANE[1])
    gates, eye, x = rationals((2, 2), rng=case.rng), identity(2), np.array([Fraction(2), Fraction(3)])
    closed = _gate(lambda z: z / (1 + abs(z)))
    shut = Residual(GatedMlp(gates, eye, -eye, closed)).rational(x) - GatedMlp(
        -gates, eye, eye, closed
    ).rational(x)
    return (
        *(
            Control(f"{broken.name}: repaired, no V absorbs", _not_absorbed(broken, frame, case))
            for broken in repaired
        ),
        Control("rows of one direction: a sign in V wrong", not absorbs_without_a_set(wrong, frame, case)),
        Control(
            "rank W_up = 3 at d = 3: width 6 does", not (_refused(spatial, 6) or further_units(spatial) == 4)
        ),
        Control("a gate with g(0) = 0 in place of the sigmoid", not is_zero(shut)),
    )
