"""X4: one matrix Y modulo p ≥ 3 proves that no set S satisfies 2c·W_down[:, S] W_up[S, :] = −M.

Write T = −M/2c, so that (3) asks for s ∈ {0, 1}^N with Σ s_i a_i w_iᵀ = T. Modulo p, (a) a_iᵀYw_i = 0 for all
i and ⟨Y, T⟩ ≠ 0 refute it, and so do (b) a_iᵀYw_i = [i = j] for all i and ⟨Y, T⟩ ≠ 0, 1. p need not be prime.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.certificate import Certificate
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import Absorption
from skip_absorption.absorption.digest import question_digest
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import decide
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.exact.rational import ExactArray, identity, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, generic_integers, integers, planted
from skip_absorption.networks.activations import activation
from skip_absorption.networks.blocks import Mlp
from skip_absorption.networks.canonical import equal_functions

CLAIM = "x4"
EVIDENCE = "exact"
HYPOTHESES = (
    "p ≥ 3 odd, prime or not, every denominator invertible modulo p; any N, d, M",
    "a matrix Y is always found for almost every W if N ≤ d²",
    "(G), X1b or X1c, for the step from (3) to absorption",
)
METHOD = (
    "Sound: at d = 2 all matrices Y modulo 3, 5 and 9 are tried on weights of which all 2^N sets are known "
    "too; no Y refutes a solvable instance, and the checker accepts exactly those that satisfy (a) or (b). "
    "Complete: Gaussian and integer weights with N ≤ d² units always get a certificate, which the checker "
    "and a third program here accept; for larger N some do. Farkas: ⟨Y, T⟩ > Σ max(0, a_iᵀYw_i) for Y = −I."
)
WEIGHTS = ("every matrix", "gaussian", "integers", "planted", "farkas")
MODULI = (3, 5, 9)
CHECKED = 6  # matrices of each kind that are shown to the checker
ALL_SETS = 16  # the width up to which all sets are tried


@dataclass
class _Seen:
    refuting: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, seen = Tally(), _Seen()
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=len(WEIGHTS)):
        weights = WEIGHTS[case.number % len(WEIGHTS)]
        if weights == "every matrix":
            p = MODULI[case.number // len(WEIGHTS) % len(MODULI)]
            verdict = every_matrix_is_sound(_small(case), p, seen, rng=case.rng)
        elif weights == "farkas":
            verdict = farkas_is_sound(case)
        else:
            verdict = is_certified(_draw(case, weights), seen, rng=case.rng)
        tally.add(verdict, f"case {case.number}, {weights}, (d, N) = {(case.d, case.n)}")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(seen.kinds.items()))
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} as predicted; {seen.refuting} matrices refute, none wrongly; "
            f"certificates: {kinds}{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _small(case: Case) -> Instance:
    """Draw small weights at d = 2, for which (3) often holds, with M = I or a random one."""
    rng, n = case.rng, min(case.n, 6)
    if rng.integers(3) == 0:
        plant = planted(2, n, rng=rng, bound=n)
        return Instance(plant.w_up, plant.w_down, activation("relu"))
    skip = integers((2, 2), rng=rng, bound=2) if rng.integers(2) else None
    return Instance(
        integers((n, 2), rng=rng, bound=2), integers((2, n), rng=rng, bound=2), activation("relu"), skip
    )


def _draw(case: Case, weights: str) -> Instance:
    d, n, rng = case.d, case.n, case.rng
    act = activation(("relu", "gelu", "leaky_relu:1/5")[int(rng.integers(3))])
    if weights == "gaussian":
        return Instance(gaussian((n, d), rng=rng), gaussian((d, n), rng=rng), act)
    if weights == "planted":
        plant = planted(d, n, rng=rng, bound=n)
        instance = Instance(plant.w_up, plant.w_down, act)
        return replace(instance, w_down=to_fractions(plant.w_down) / instance.odd)
    w_up, w_down = generic_integers(d, n, rng=rng, bound=1000)
    return Instance(w_up, w_down, act, integers((d, d), rng=rng, bound=9) + 10 * identity(d))


def _skip(instance: Instance) -> ExactArray:
    return identity(instance.w_up.shape[1]) if instance.skip is None else instance.skip


def forms(
    instance: Instance, matrices: NDArray[np.int64], p: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a_iᵀYw_i, (K, N), and ⟨Y, T⟩, (K,), modulo p, for integer weights and matrices Y, (K, d, d)."""
    values = np.einsum("mi,kmd,id->ki", instance.w_down, matrices, instance.w_up) % p
    return values, -np.einsum("kmd,md->k", matrices, _skip(instance)) % p


def refuting(
    values: NDArray[np.int64], targets: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which matrices satisfy (a), and for each the j with which it satisfies (b), or −1."""
    by_zero = ~values.any(axis=1) & (targets != 0)
    single = ((values != 0).sum(axis=1) == 1) & (values.max(axis=1) == 1)
    by_one = single & (targets != 0) & (targets != 1)
    return by_zero, np.where(by_one, values.argmax(axis=1), -1)


def every_matrix_is_sound(instance: Instance, p: int, seen: _Seen, *, rng: np.random.Generator) -> Verdict:
    """Decide that no matrix modulo p refutes a solvable instance, and that the checker sees what refutes."""
    matrices = _all_matrices(p)
    solution = instance.first_set(-_skip(instance))
    values, targets = forms(instance, matrices, p)
    by_zero, by_one = refuting(values, targets)
    found = by_zero | (by_one >= 0)
    nearly = ~found & (values.sum(axis=1) <= 1)  # only ⟨Y, T⟩ is wrong
    seen.refuting += int(found.sum())
    if solution is not None and found.any():
        return Verdict.REFUTED
    groups = (by_zero, by_one >= 0, nearly, ~found & ~nearly)
    for k in [k for mask in groups for k in _some(np.flatnonzero(mask), rng=rng)]:
        certificates = _certificates(instance, matrices[k], p)
        accepted = {c.coordinate for c in certificates if _accepts(c, instance)}
        if accepted != ({None} if by_zero[k] else {int(by_one[k])} if by_one[k] >= 0 else set()):
            return Verdict.REFUTED
    return Verdict.PROVED


def _all_matrices(p: int) -> NDArray[np.int64]:
    return np.array(list(product(range(p), repeat=4)), dtype=np.int64).reshape(-1, 2, 2)


def _some(indices: NDArray[np.int64], *, rng: np.random.Generator) -> list[int]:
    return [int(k) for k in rng.permutation(indices)[:CHECKED]]


def _certificates(instance: Instance, matrix: NDArray[np.int64], p: int) -> Iterator[Certificate]:
    """Yield the certificates that a nonzero matrix could be: kind (a), and kind (b) for each j."""
    entries = tuple((int(r), int(c), int(matrix[r, c])) for r, c in np.argwhere(matrix))
    if entries:
        yield _certificate(instance, kind="inconsistent", modulus=p, entries=entries)
        for j in range(len(instance.w_up)):
            yield _certificate(instance, kind="not_binary", modulus=p, entries=entries, coordinate=j)


def _certificate(instance: Instance, *, claim: str = "condition_fails", **fields: Any) -> Certificate:
    digest = question_digest(instance.w_up, instance.w_down, activation=instance.act.name, skip=instance.skip)
    (n, d), m = instance.w_up.shape, len(instance.w_down)
    given = instance.skip is not None and not np.array_equal(instance.skip, identity(d))
    return Certificate(
        claim=claim,
        activation=instance.act.name,
        skip="given" if given else "identity",
        width=n,
        d_in=d,
        d_out=m,
        digest=digest,
        **fields,
    )


def _accepts(certificate: Certificate, instance: Instance) -> bool:
    return check_certificate(certificate, instance.w_up, instance.w_down, skip=instance.skip).valid


def is_certified(instance: Instance, seen: _Seen, *, rng: np.random.Generator) -> Verdict:
    """Decide that the decision is right and certified: always if N ≤ d² or the answer is yes."""
    n, d = instance.w_up.shape
    decision = decide(instance.w_up, instance.w_down, activation=instance.act, skip=instance.skip, rng=rng)
    if decision.verdict is Absorption.UNKNOWN:
        return Verdict.UNKNOWN
    absorbed = decision.verdict is Absorption.ABSORBABLE
    if n <= ALL_SETS and absorbed != (instance.first_set(-_skip(instance)) is not None):
        return Verdict.REFUTED
    certificate = decision.certificate
    if certificate is None:
        return Verdict.of(n > d * d and not absorbed and n <= ALL_SETS)
    seen.kinds[certificate.kind] += 1
    right = certificate.claim == ("absorbable" if absorbed else "not_absorbable")
    return Verdict.of(
        right and _accepts(certificate, instance) and proves(certificate, instance) is not False
    )


def proves(certificate: Certificate, instance: Instance) -> bool | None:
    """Check kinds (a), (b) and a flip set once more, in fractions, term by term; None for another kind."""
    rows, columns, odd = to_fractions(instance.w_up), to_fractions(instance.w_down), instance.odd
    target = to_fractions(_skip(instance)) / -odd
    if certificate.kind == "flip_set":
        return bool(np.all(instance.sum_over(certificate.flip_set or ()) == odd * target))
    if certificate.kind not in ("inconsistent", "not_binary"):
        return None
    p = certificate.modulus or 0

    def residue(value: Fraction) -> int:
        return value.numerator * pow(value.denominator, -1, p) % p

    values = [
        residue(sum((y * columns[r, i] * rows[i, c] for r, c, y in certificate.entries), Fraction(0)))
        for i in range(len(rows))
    ]
    trace = residue(sum((y * target[r, c] for r, c, y in certificate.entries), Fraction(0)))
    wanted = [int(i == certificate.coordinate) for i in range(len(rows))]
    return values == wanted and trace not in ((0,) if certificate.coordinate is None else (0, 1))


def farkas_is_sound(case: Case) -> Verdict:
    """Decide that Y = −I is accepted iff d > Σ max(0, −a_i·w_i) over Q, and that no set solves (3) then."""
    d, n, rng = case.d, min(case.n, ALL_SETS), case.rng
    w_up = gaussian((n, d), rng=rng)
    w_down = gaussian((d, n), rng=rng) * float(rng.choice([0.25, 0.5, 1.0])) * 4 / n
    instance = Instance(w_up, w_down, activation("gelu"))
    total = sum(
        (max(Fraction(0), -(x @ y)) for x, y in zip(to_fractions(w_up), to_fractions(w_down).T, strict=True)),
        Fraction(0),
    )
    certificate = _certificate(instance, kind="farkas", entries=tuple((i, i, -1) for i in range(d)))
    accepted = _accepts(certificate, instance)
    return Verdict.of(
        accepted == (total < d) and not (accepted and instance.first_set(-identity(d)) is not None)
    )


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    plant = planted(2, 2, rng=rng)
    solvable = Instance(plant.w_up, plant.w_down, activation("relu"))
    tables = [forms(solvable, _all_matrices(p), p) for p in MODULI]
    open_ = Instance(gaussian((5, 3), rng=rng), gaussian((3, 5), rng=rng), activation("relu"))
    certificate = decide(open_.w_up, open_.w_down, rng=rng).certificate
    assert certificate is not None
    valid = _accepts(certificate, open_)
    other = replace(open_, w_up=np.nextafter(open_.w_up, np.inf))
    opposed = Instance(np.array([[1, 0], [-1, 0]]), np.array([[-1, 1], [0, 0]]), activation("relu"))
    absorbed = equal_functions(opposed.residual, Mlp([[0, 1], [0, -1]], [[0, 0], [1, -1]], "relu"))
    one: dict[str, Any] = {"kind": "inconsistent", "modulus": 3, "entries": ((1, 1, 1),)}
    thirds = Instance(to_fractions(identity(2)) / 3, -3 * identity(2), activation("relu"))
    return (
        Control(
            "⟨Y, T⟩ = 1 allowed in (b)",
            any(((v.sum(axis=1) == 1) & (v.max(axis=1) == 1) & (t == 1)).any() for v, t in tables),
        ),
        Control("⟨Y, T⟩ = 0 allowed in (a)", any((~v.any(axis=1) & (t == 0))[1:].any() for v, t in tables)),
        Control(
            "a certificate with one entry changed",
            valid and not any(_accepts(c, open_) for c in _mutants(certificate)),
        ),
        Control("a certificate for weights one ulp away", valid and not _accepts(certificate, other)),
        Control(
            "a certificate that calls another modulus",
            valid
            and not _accepts(
                replace(certificate, modulus=3 * certificate.modulus + 2 if certificate.modulus else 5), open_
            ),
        ),
        Control(
            "without (G): (3) refuted where absorption holds",
            absorbed
            and _accepts(_certificate(opposed, **one), opposed)
            and not _accepts(_certificate(opposed, claim="not_absorbable", **one), opposed),
        ),
        Control(
            "p divides a denominator: W_up = I/3, W_down = −3I modulo 3",
            thirds.first_set(-identity(2)) == (0, 1) and not _accepts(_certificate(thirds, **one), thirds),
        ),
    )


def _mutants(certificate: Certificate) -> Iterator[Certificate]:
    """Yield the certificate with each entry replaced, one at a time."""
    for place, (row, column, value) in enumerate(certificate.entries):
        entries = list(certificate.entries)
        entries[place] = (row, column, 1 if value != 1 else 2)
        yield replace(certificate, entries=tuple(entries))
