"""Corollary 5, converse: V_down σ(V_up x) − x is an MLP of width N iff V_down[:, S] V_up[S, :] = I for an S.

It is Theorem 4 for the skip −I: subtracting the identity from V is what absorbing it into W undoes. Where S
exists, W = V with the rows in S negated is the MLP, and S satisfies (3) for W.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import Absorption
from skip_absorption.claims.agreement import agree_at_points
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import decide
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.exact.rational import identity, is_zero, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, generic_integers, planted
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Mlp
from skip_absorption.networks.canonical import canonical_form, equal_functions, hypotheses

CLAIM = "corollary_5_converse"
EVIDENCE = "exact"
HYPOTHESES = (
    "(G) for V: d ≥ 2, N ≥ d, rows of V_up nonzero and pairwise non-collinear, columns of V_down nonzero",
    "ReLU, leaky ReLU, GELU (erf and tanh forms) or SiLU",
)
METHOD = (
    "V with a set planted for +I or for −I, or none: twins of blocks that absorb, small integers, Gaussian "
    "dyadics. Three answers must agree: the decision for the skip −I, with its certificate checked again; "
    "all sets S in integers; V − x against the sign patterns of V as functions (all 2^N for N ≤ 4). Where S "
    "exists, W = V with S negated equals V − x, and W is decided to absorb +I."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
WEIGHTS = ("planted for +I", "a twin", "planted for −I", "integers", "gaussian")
ALL_PATTERNS = 4  # the width up to which all sign patterns are compared
SOME_PATTERNS = 8  # how many random ones beyond it
PLANTS = 10  # instances for a control


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, yes = Tally(), 0
    kinds = len(ACTIVATIONS) * len(WEIGHTS)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        weights = WEIGHTS[case.number // len(ACTIVATIONS) % len(WEIGHTS)]
        instance = _draw(case, act, weights)
        solution = instance.first_set(identity(case.d))
        yes += solution is not None
        verdict = agree(instance, solution, rng=case.rng)
        tally.add(verdict, f"case {case.number}, {act.name}, {weights}, (d, N) = {(case.d, case.n)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} instances agree, {yes} V − x are residual-free and "
            f"{tally.total - yes} not{tally.note}"
        ),
        expected=f"all {tally.total} agree",
    )


def _draw(case: Case, act: Activation, weights: str) -> Instance:
    """Draw V that satisfies (G), with the skip −I."""
    d, n, rng = case.d, case.n, case.rng
    if weights == "gaussian":
        return _minus_identity(gaussian((n, d), rng=rng), gaussian((d, n), rng=rng), act)
    if weights == "integers":
        return _minus_identity(*generic_integers(d, n, rng=rng, bound=n), act)
    plant = planted(d, n, rng=rng, skip=-identity(d) if weights == "planted for +I" else None, bound=n)
    instance = _minus_identity(plant.w_up, plant.w_down, act)
    instance = replace(instance, w_down=to_fractions(plant.w_down) / instance.odd)
    if weights == "a twin":
        instance = replace(instance, w_up=instance.flipped(plant.flip_set).w_up)
    return instance


def _minus_identity(v_up: Any, v_down: Any, act: Activation) -> Instance:
    return Instance(v_up, v_down, act, -identity(len(v_down)))


def agree(instance: Instance, solution: tuple[int, ...] | None, *, rng: np.random.Generator) -> Verdict:
    """Decide one instance by all routes, given what exhaustion found; PROVED if they agree."""
    residual, eye, n = instance.residual, identity(len(instance.w_down)), len(instance.w_up)
    if len(canonical_form(residual).classes) != n:  # (G) holds by construction
        return Verdict.REFUTED
    for units in _patterns(n, solution, rng=rng):
        holds = is_zero(instance.sum_over(units) - eye)
        if equal_functions(residual, instance.flipped(units)) != holds or (holds and solution is None):
            return Verdict.REFUTED
    decision = decide(instance.w_up, instance.w_down, activation=instance.act, skip=instance.skip, rng=rng)
    if decision.verdict is Absorption.UNKNOWN:
        return Verdict.UNKNOWN
    if (decision.verdict is Absorption.ABSORBABLE) != (solution is not None):
        return Verdict.REFUTED
    certificate = decision.certificate
    if certificate is not None:
        checked = check_certificate(certificate, instance.w_up, instance.w_down, skip=instance.skip)
        if not checked.valid:
            return Verdict.REFUTED
    return Verdict.PROVED if solution is None else undone(instance, decision.flip_set or (), rng=rng)


def undone(instance: Instance, units: tuple[int, ...], *, rng: np.random.Generator) -> Verdict:
    """Decide that W = V with the units negated equals V − x, and that W + x is absorbed by the same units."""
    found = instance.flipped(units)
    if not equal_functions(instance.residual, found) or not agree_at_points(
        instance.residual, found, rng=rng
    ):
        return Verdict.REFUTED
    forward = Instance(found.w_up, found.w_down, instance.act)
    back = is_zero(forward.sum_over(units) + identity(found.d_in))
    decision = decide(found.w_up, found.w_down, activation=instance.act, rng=rng)
    if decision.verdict is Absorption.UNKNOWN:
        return Verdict.UNKNOWN
    return Verdict.of(back and decision.verdict is Absorption.ABSORBABLE)


def _patterns(n: int, solution: tuple[int, ...] | None, *, rng: np.random.Generator) -> list[tuple[int, ...]]:
    if n <= ALL_PATTERNS:
        signs = list(product((False, True), repeat=n))
    else:
        signs = [tuple(row) for row in rng.integers(2, size=(SOME_PATTERNS, n)).astype(bool).tolist()]
    patterns = [tuple(i for i, negated in enumerate(row) if negated) for row in signs]
    return patterns if solution is None else [*patterns, solution]


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    return (
        Control("−I in place of +I", _wrong_sign_fails(rng=rng)),
        Control("opposed rows, d = N = 2", _iff_fails([[1, 0], [-1, 0]], [[1, -1], [0, 0]], _PAIR)),
        Control(
            "rows of the same direction, d = 2, N = 3",
            _iff_fails([[1, 0], [1, 0], [0, 1]], [[-1, -1, 0], [0, 0, 1]], _TRIPLE),
        ),
        Control(
            "a zero column, d = 2, N = 3",
            _iff_fails([[1, 0], [0, 1], [1, 1]], [[-2, 0, 0], [0, 1, 0]], _TRIPLE),
        ),
        Control("a set that is not the solution", _other_set_fails(rng=rng)),
    )


_PAIR = ([[0, 1], [0, -1]], [[0, 0], [-1, 1]])
_TRIPLE = ([[1, 0], [-1, 0], [0, -1]], [[-3, 1, 0], [0, 0, 1]])


def _iff_fails(v_up: Any, v_down: Any, found: tuple[Any, Any]) -> bool:
    """Whether, without (G), no set sums to +I and yet the given MLP of the same width is V − x."""
    instance = _minus_identity(np.array(v_up), np.array(v_down), activation("relu"))
    return (
        not hypotheses(instance.w_up, instance.w_down, "relu").generic
        and instance.first_set(identity(2)) is None
        and equal_functions(instance.residual, Mlp(*found, "relu"))
        and agree(instance, None, rng=np.random.default_rng(0)) is Verdict.REFUTED
    )


def _wrong_sign_fails(*, rng: np.random.Generator) -> bool:
    """Whether sets that sum to +I undo the skip although for one of them no set sums to −I."""
    signs = []
    for _ in range(PLANTS):
        plant = planted(2, 6, rng=rng, skip=-identity(2))
        instance = _minus_identity(plant.w_up, plant.w_down, activation("gelu"))
        if undone(instance, plant.flip_set, rng=rng) is not Verdict.PROVED:
            return False
        signs.append(instance.first_set(-identity(2)))
    return None in signs


def _other_set_fails(*, rng: np.random.Generator) -> bool:
    """Whether a planted set undoes the skip, and no longer does without one of its units."""
    plant = planted(3, 6, rng=rng, skip=-identity(3))
    instance = _minus_identity(plant.w_up, plant.w_down, activation("relu"))
    fewer = [tuple(i for i in plant.flip_set if i != out) for out in plant.flip_set]
    right = undone(instance, plant.flip_set, rng=rng) is Verdict.PROVED
    return right and all(undone(instance, units, rng=rng) is Verdict.REFUTED for units in fewer)
