"""Theorem 4: generic weights absorb the skip at the same width iff W_down[:, S] W_up[S, :] = −I for some S.

Two routes share no code with the prover. *Sets*: every S is tried, its dyads added up in integers. *Signs*:
V = (C W_up, W_down) is compared with r as a function, C = diag(±1) with −1 on S. The second is the whole
question, not a part of it: where the canonical form of r has N classes, an MLP of width N that equals r has
exactly one unit in each, so it is, up to permutation and positive rescaling, W with some rows negated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from skip_absorption.absorption.certificate import Certificate
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import Absorption, Decision
from skip_absorption.claims.agreement import agree_at_points
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import decide
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.exact.rational import identity, is_zero, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import (
    gaussian,
    generator,
    generic_integers,
    planted,
)
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Mlp
from skip_absorption.networks.canonical import canonical_form, equal_functions, hypotheses

CLAIM = "theorem_4"
EVIDENCE = "exact"
HYPOTHESES = (
    "(G): d ≥ 2, N ≥ d, rows of W_up nonzero and pairwise non-collinear, columns of W_down nonzero",
    "σ(z) = cz + E(z), c ≠ 0, E a kink or analytic: ReLU, leaky ReLU, GELU (erf and tanh forms), SiLU",
)
METHOD = (
    "Weights with a planted S, with a set planted for +I, with a planted S and one entry moved by one ulp, "
    "small random integers, Gaussian dyadics. Three answers must agree: the decision procedure, with its "
    "certificate checked again by a second program; exhaustion of all sets S in integers; comparison of r "
    "with the sign patterns of V as functions (all 2^N for N ≤ 6; S and random ones beyond)."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
WEIGHTS = ("planted", "integers", "one ulp off", "planted for +I", "gaussian")
ALL_PATTERNS = 6  # the width up to which all sign patterns are compared
SOME_PATTERNS = 8  # how many random ones beyond it
PLANTS = 10  # instances for a control
BEYOND = (2, 6)  # their size: N > d², where linear algebra alone does not decide


@dataclass
class _Counts:
    absorbed: int = 0
    refuted: int = 0
    certificates: int = 0


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, counts = Tally(), _Counts()
    kinds = len(ACTIVATIONS) * len(WEIGHTS)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        weights = WEIGHTS[(case.number + case.number // len(ACTIVATIONS)) % len(WEIGHTS)]
        verdict = _agree(_draw(case, act, weights), counts, rng=case.rng)
        tally.add(verdict, f"case {case.number}, {act.name}, {weights}, (d, N) = {(case.d, case.n)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} instances agree, {counts.absorbed} absorbed and "
            f"{counts.refuted} not, {counts.certificates} certificates checked{tally.note}"
        ),
        expected=f"all {tally.total} agree",
    )


def _draw(case: Case, act: Activation, weights: str) -> Instance:
    """Draw weights that satisfy (G); a planted set satisfies (3) with the activation's own factor 2c."""
    d, n, rng = case.d, case.n, case.rng
    bound = next(b for b in range(1, 2 * n + 2) if ((2 * b + 1) ** d - 1) // 2 >= 2 * n)
    if weights == "gaussian":
        return Instance(gaussian((n, d), rng=rng), gaussian((d, n), rng=rng), act)
    if weights == "integers":
        return Instance(*generic_integers(d, n, rng=rng, bound=bound), act)
    sign = -1 if weights == "planted for +I" else 1
    plant = planted(d, n, rng=rng, skip=sign * identity(d), bound=bound)
    instance = Instance(
        plant.w_up, to_fractions(plant.w_down) / Instance(plant.w_up, plant.w_down, act).odd, act
    )
    return _one_ulp_off(instance, plant.flip_set, rng=rng) if weights == "one ulp off" else instance


def _one_ulp_off(instance: Instance, units: tuple[int, ...], *, rng: np.random.Generator) -> Instance:
    """Move one entry of one unit of the set to the next float64; the others keep their exact values."""
    unit, entry = int(rng.choice(units)), int(rng.integers(instance.w_up.shape[1]))
    rows = instance.w_up.astype(np.float64)
    rows[unit, entry] = np.nextafter(rows[unit, entry], np.inf)
    return replace(instance, w_up=rows)


def _agree(instance: Instance, counts: _Counts, *, rng: np.random.Generator) -> Verdict:
    """Decide one instance by all routes; PROVED if they agree, UNKNOWN if the procedure does not decide."""
    residual, minus_one = instance.residual, -identity(instance.w_up.shape[1])
    n = len(instance.w_up)
    stated = hypotheses(instance.w_up, instance.w_down, instance.act).generic
    if not stated or len(canonical_form(residual).classes) != n:  # (G) holds by construction
        return Verdict.REFUTED
    solution = instance.first_set(minus_one)
    for units in _patterns(n, solution, rng=rng):
        holds = is_zero(instance.sum_over(units) - minus_one)
        if equal_functions(residual, instance.flipped(units)) != holds or (holds and solution is None):
            return Verdict.REFUTED
    decision = decide(instance.w_up, instance.w_down, activation=instance.act, rng=rng)
    if decision.verdict is Absorption.UNKNOWN:
        return Verdict.UNKNOWN
    absorbed = decision.verdict is Absorption.ABSORBABLE
    if absorbed != (solution is not None) or not _grounds_hold(instance, decision, rng=rng):
        return Verdict.REFUTED
    counts.absorbed += absorbed
    counts.refuted += not absorbed
    counts.certificates += decision.certificate is not None
    return Verdict.PROVED


def _patterns(n: int, solution: tuple[int, ...] | None, *, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return the sets whose sign patterns are compared: all of them, or the solution and random ones."""
    if n <= ALL_PATTERNS:
        signs = list(product((False, True), repeat=n))
    else:
        signs = [tuple(row) for row in rng.integers(2, size=(SOME_PATTERNS, n)).astype(bool).tolist()]
    patterns = [tuple(i for i, negated in enumerate(row) if negated) for row in signs]
    return patterns if solution is None else [*patterns, solution]


def _grounds_hold(instance: Instance, decision: Decision, *, rng: np.random.Generator) -> bool:
    """Whether a decision's flip set absorbs the skip, and its certificate, where it has one, is accepted."""
    certificate = decision.certificate
    if certificate is not None and not check_certificate(certificate, instance.w_up, instance.w_down).valid:
        return False
    if decision.verdict is not Absorption.ABSORBABLE:
        return True
    units = decision.flip_set or ()
    residual, twin = instance.residual, instance.flipped(units)
    return equal_functions(residual, twin) and agree_at_points(residual, twin, rng=rng)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    return (
        Control("+I in place of −I", _wrong_sign_fails(rng=rng)),
        Control("opposed rows, d = N = 2", _iff_fails([[1, 0], [-1, 0]], [[-1, 1], [0, 0]], _PAIR)),
        Control(
            "rows of the same direction, d = 2, N = 3",
            _iff_fails([[1, 0], [1, 0], [0, 1]], [[1, 1, 0], [0, 0, -1]], _TRIPLE),
        ),
        Control(
            "a zero column, d = 2, N = 3",
            _iff_fails([[1, 0], [0, 1], [1, 1]], [[2, 0, 0], [0, -1, 0]], _TRIPLE),
        ),
        Control("one ulp off a planted S", _one_ulp_matters(rng=rng)),
        Control("a certificate with one entry changed", _mutants_are_refused(rng=rng)),
    )


_PAIR = ([[0, 1], [0, -1]], [[0, 0], [1, -1]])
_TRIPLE = ([[1, 0], [-1, 0], [0, -1]], [[3, -1, 0], [0, 0, -1]])


def _iff_fails(w_up: Any, w_down: Any, twin: tuple[Any, Any]) -> bool:
    """Whether, without (G), no set satisfies (3) and yet the twin of the same width absorbs."""
    instance = Instance(np.array(w_up), np.array(w_down), activation("relu"))
    return (
        not hypotheses(instance.w_up, instance.w_down, "relu").generic
        and instance.first_set(-identity(2)) is None
        and equal_functions(instance.residual, Mlp(*twin, "relu"))
        and decide(w_up, w_down).verdict is Absorption.ABSORBABLE
    )


def _wrong_sign_fails(*, rng: np.random.Generator) -> bool:
    """Whether planted instances are absorbed, and decided so, although for one of them no set sums to +I."""
    signs = []
    for _ in range(PLANTS):
        plant = planted(*BEYOND, rng=rng)
        instance = Instance(plant.w_up, plant.w_down, activation("gelu"))
        decision = decide(instance.w_up, instance.w_down, activation="gelu", rng=rng)
        absorbed = equal_functions(instance.residual, instance.flipped(plant.flip_set))
        if not absorbed or decision.verdict is not Absorption.ABSORBABLE:
            return False
        signs.append(instance.first_set(identity(len(plant.skip))))
    return None in signs


def _one_ulp_matters(*, rng: np.random.Generator) -> bool:
    """Whether the twin of a planted instance no longer equals it when one entry has moved."""
    for _ in range(PLANTS):
        plant = planted(*BEYOND, rng=rng, size=3)
        moved = _one_ulp_off(Instance(plant.w_up, plant.w_down, activation("relu")), plant.flip_set, rng=rng)
        decision = decide(moved.w_up, moved.w_down, rng=rng)
        absorbed = equal_functions(moved.residual, moved.flipped(plant.flip_set))
        other = moved.first_set(-identity(len(plant.skip)))
        expected = Absorption.NOT_ABSORBABLE if other is None else Absorption.ABSORBABLE
        if absorbed or decision.verdict is not expected:
            return False
    return True


def _mutants_are_refused(*, rng: np.random.Generator) -> bool:
    """Whether a certificate of "no" is accepted as it is and refused after any one entry has changed."""
    w_up, w_down = gaussian((5, 3), rng=rng), gaussian((3, 5), rng=rng)
    certificate = decide(w_up, w_down, rng=rng).certificate
    if certificate is None or not check_certificate(certificate, w_up, w_down).valid:
        return False
    mutants = [_mutant(certificate, k) for k in range(len(certificate.entries))]
    return bool(mutants) and not any(check_certificate(mutant, w_up, w_down).valid for mutant in mutants)


def _mutant(certificate: Certificate, place: int) -> Certificate:
    entries = list(certificate.entries)
    row, column, value = entries[place]
    entries[place] = (row, column, 1 if value != 1 else 2)
    return replace(certificate, entries=tuple(entries))
