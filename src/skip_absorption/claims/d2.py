"""D2: at N ≫ d condition (3) still fails for almost every W: width adds subsets, not freedom.

Every set S imposes d² equations, at any N, and they are independent: where W_down[:, S] W_up[S, :] = −I, the
derivative of the left side in the weights of S has rank d². So the weights that satisfy (3) form 2^N pieces,
at most, each of codimension d².
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from skip_absorption.absorption.certificate import Certificate
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import Absorption
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import decide
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.rational import ExactArray, identity, is_zero, rank, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, generic_integers, planted
from skip_absorption.networks.activations import activation

CLAIM = "d2"
EVIDENCE = "exact"
HYPOTHESES = ("N ≫ d ≥ 2; ReLU, GELU (erf and tanh forms), SiLU", "almost every W")
METHOD = (
    "Gaussian dyadics at N = 8d and beyond: (3) is decided, for N up to d² with a certificate that a second "
    "program checks, and up to N = 24 also by trying all sets in integers. At planted solutions of the same "
    "sizes: the procedure finds one, and the d² equations of the planted S have a derivative of rank d², "
    "whatever |S|."
)
ACTIVATIONS = ("relu", "gelu", "silu", "gelu_tanh")
ALL_SETS = 24  # the width up to which all sets are tried
SQUARE = 4  # the largest d at which the derivative is written out
BOUND = 9  # of the planted integers
COARSE = 60  # instances tried for a control


@dataclass
class _Counts:
    drawn: int = 0
    absorbed: int = 0
    certificates: int = 0


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, counts = Tally(), _Counts()
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(ACTIVATIONS)):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        instance = Instance(
            gaussian((case.n, case.d), rng=case.rng), gaussian((case.d, case.n), rng=case.rng), act
        )
        verdicts = [fails(instance, counts, rng=case.rng), solutions_are_thin(case)]
        tally.add(all_of(verdicts), f"case {case.number}, {act.name}, (d, N) = {(case.d, case.n)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{counts.absorbed} of {counts.drawn} Gaussian networks absorbed, {counts.certificates} "
            f"certificates checked; codimension d² in {tally.proved} of {tally.total}{tally.note}"
        ),
        expected=f"0 absorbed of {tally.total}, codimension d² in all",
    )


def fails(instance: Instance, counts: _Counts, *, rng: np.random.Generator) -> Verdict:
    """Decide that no set satisfies (3): by the procedure, its certificate, and all sets if they are few."""
    n, d = instance.w_up.shape
    decision = decide(instance.w_up, instance.w_down, activation=instance.act, rng=rng)
    counts.drawn += 1
    counts.absorbed += decision.verdict is Absorption.ABSORBABLE
    if decision.verdict is not Absorption.NOT_ABSORBABLE:
        return Verdict.REFUTED if decision.verdict is Absorption.ABSORBABLE else Verdict.UNKNOWN
    if n <= ALL_SETS and instance.first_set(-identity(d)) is not None:
        return Verdict.REFUTED
    if decision.certificate is None:
        return Verdict.PROVED if n <= ALL_SETS else Verdict.UNKNOWN
    counts.certificates += 1
    return Verdict.of(check_certificate(decision.certificate, instance.w_up, instance.w_down).valid)


def solutions_are_thin(case: Case) -> Verdict:
    """Decide, at planted weights, that (3) is found, and that its equations for S have rank d² there."""
    plant = planted(case.d, case.n, rng=case.rng, bound=BOUND)
    instance = Instance(plant.w_up, plant.w_down, activation("relu"))
    decision = decide(plant.w_up, plant.w_down, rng=case.rng)
    if decision.verdict is not Absorption.ABSORBABLE:
        return Verdict.UNKNOWN if decision.verdict is Absorption.UNKNOWN else Verdict.REFUTED
    if not is_zero(instance.sum_over(decision.flip_set or ()) + identity(case.d)):
        return Verdict.REFUTED
    return Verdict.of(codimension(plant.w_up, plant.w_down, plant.flip_set) == case.d**2)


def codimension(w_up: ExactArray, w_down: ExactArray, units: tuple[int, ...]) -> int:
    """Return the rank of (α, β) ↦ Σ_S (α_i w_iᵀ + a_i β_iᵀ), the derivative of the sum over S.

    A matrix Y is orthogonal to its image iff Y w_i = 0 and a_iᵀ Y = 0 for all i in S, so the rank is
    d² − (d − rank W_down[:, S])(d − rank W_up[S, :]). For small d the map is written out as well.
    """
    d, chosen = w_up.shape[1], list(units)
    found = d * d - (d - rank(w_down[:, chosen])) * (d - rank(w_up[chosen]))
    if d <= SQUARE:
        dyads = [(np.outer(e, w_up[i]), np.outer(w_down[:, i], e)) for i in chosen for e in identity(d)]
        assert rank(np.array(dyads).reshape(-1, d * d)) == found, "two ways to find one rank"
    return int(found)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    return (
        Control(
            "weights with few values, a null set: some are absorbed at d = 2, N = 14",
            _coarse_are_absorbed(rng=rng),
        ),
        Control("a certificate for other weights", _foreign_certificate_is_refused(rng=rng)),
        Control(
            "S of d − 1 units: the equations are dependent",
            codimension(identity(3), -identity(3), (0, 1)) < 9,
        ),
        Control("planted weights with one entry moved", _moved_is_not_absorbed(rng=rng)),
    )


def _coarse_are_absorbed(*, rng: np.random.Generator) -> bool:
    """Whether weights from few values soon meet the null set, and the procedure says so in each case."""
    for _ in range(COARSE):
        w_up, w_down = generic_integers(2, 14, rng=rng, bound=3)
        instance = Instance(w_up, np.sign(w_down), activation("gelu"))
        decision = decide(instance.w_up, instance.w_down, activation="gelu", rng=rng)
        exists = instance.first_set(-identity(2)) is not None
        if (decision.verdict is Absorption.ABSORBABLE) != exists:
            return False
        if exists:
            return True
    return False


def _foreign_certificate_is_refused(*, rng: np.random.Generator) -> bool:
    """Whether a certificate is accepted for its weights, and refused for the same with one ulp more."""
    w_up, w_down = gaussian((12, 4), rng=rng), gaussian((4, 12), rng=rng)
    certificate = decide(w_up, w_down, rng=rng).certificate
    other = w_up.copy()
    other[0, 0] = np.nextafter(other[0, 0], np.inf)
    return isinstance(certificate, Certificate) and (
        check_certificate(certificate, w_up, w_down).valid
        and not check_certificate(certificate, other, w_down).valid
    )


def _moved_is_not_absorbed(*, rng: np.random.Generator) -> bool:
    """Whether planted weights stop to satisfy (3) for S, and for all S, when one entry of S moves by 1/7."""
    plant = planted(2, 16, rng=rng)
    instance = Instance(plant.w_up, plant.w_down, activation("relu"))
    rows = to_fractions(plant.w_up)
    rows[plant.flip_set[0], 0] += type(rows[0, 0])(1, 7)
    moved = replace(instance, w_up=rows)
    planted_sum = instance.sum_over(plant.flip_set) + identity(2)
    return is_zero(planted_sum) and not is_zero(moved.sum_over(plant.flip_set) + identity(2))
