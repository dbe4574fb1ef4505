"""The linear branch: one elimination modulo a random prime decides condition (3) for almost all weights (X4).

With T = -M/odd the equations sum_i s_i a_i w_i^T = T are linear in s. Modulo a prime p that divides no
denominator they are inconsistent (no s at all), or determine a coordinate that is not 0 or 1 (no s in
{0,1}^N), or determine all of s (one candidate, compared over Q), or leave some coordinates open for a search.
Bad luck with p or with the sampled equations leaves more open; it never refutes or proves anything false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.certificate import Entries
from skip_absorption.absorption.equations import (
    Probes,
    Question,
    all_entries,
    mixed_probes,
    sampled_entries,
    with_entry,
)
from skip_absorption.absorption.verification import mismatch_mod, satisfies
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.prime_field import eliminate, random_prime
from skip_absorption.exact.verdict import Verdict

_PRIMES = 3  # primes tried before the branch gives up
_FULL = 1 << 25  # numbers in a system of all m d equations that is still cheap
_MIXTURES = (4, 16)  # entries of a probe where single entries fall short


@dataclass(frozen=True)
class LinearOutcome:
    """What the equations modulo p tell.

    Attributes
    ----------
    verdict
        PROVED: `units` satisfy condition (3) over Q. REFUTED: none do, by `kind`, `p`, `entries` (Y) and
        `coordinate` (X4); `kind` is None where no prime gave a certificate. UNKNOWN: see `fixed`.
    tried
        One line for each system.
    fixed
        The coordinates that the equations determine, to 0 or 1; every solution has these values, up to units
        with a_i = 0 or w_i = 0, which are held at 0.
    """

    verdict: Verdict
    tried: tuple[str, ...]
    units: tuple[int, ...] | None = None
    kind: str | None = None
    p: int | None = None
    entries: Entries = ()
    coordinate: int | None = None
    fixed: dict[int, int] = field(default_factory=dict)


def solve_linear(
    question: Question, *, rng: np.random.Generator, progress: Callable[[float], None] | None = None
) -> LinearOutcome:
    """Decide condition (3) by linear algebra modulo primes, as far as that goes.

    Parameters
    ----------
    question
        Exact weights and skip.
    rng
        Draws primes, equations and probes.
    progress
        Called with the fraction of the current elimination that is done.
    """
    branch = _Branch(question, rng, progress)
    for _ in range(_PRIMES):
        p = _draw_prime(rng)
        try:
            outcome = branch.modulo(p)
        except InvalidInput:
            branch.tried.append(f"p = {p} divides a denominator: another prime")
            continue
        if outcome is not None:
            return outcome
        if not branch.again:
            break
    if len(branch.fixed) == len(question.w_up):
        branch.tried.append("every solution equals that candidate modulo p, so there is none")
        return LinearOutcome(Verdict.REFUTED, tuple(branch.tried))
    return LinearOutcome(Verdict.UNKNOWN, tuple(branch.tried), fixed=branch.fixed)


def _draw_prime(rng: np.random.Generator) -> int:
    return random_prime(rng=rng, bits=22)


class _Branch:
    """One run of the linear branch.

    Attributes
    ----------
    tried
        Lines for the report.
    fixed
        The most coordinates determined so far.
    again
        Whether another prime may tell more.
    """

    def __init__(
        self, question: Question, rng: np.random.Generator, progress: Callable[[float], None] | None
    ) -> None:
        self.question, self.rng, self.progress = question, rng, progress
        self.idle = ~(question.w_up != 0).any(axis=1) | ~(question.w_down != 0).any(axis=0)
        self.tried: list[str] = []
        self.fixed: dict[int, int] = {}
        self.again = True

    def modulo(self, p: int) -> LinearOutcome | None:
        """Return a decision modulo p, or None; InvalidInput if p divides a denominator."""
        width, m, d = self.question.shape
        for probes in self._systems(p):
            refuted, fixed, rank = self._solve(probes, p)
            if refuted is not None:
                return refuted
            if len(fixed) == width:
                return self._candidate(probes, fixed, p)
            if len(fixed) > len(self.fixed):
                self.fixed = fixed
            self.again = rank < min(width - self.idle.sum(), m * d) and m * d * width <= _FULL
        return None

    def _systems(self, p: int) -> Iterator[Probes]:
        """Yield systems of equations in the order of their cost; the caller stops when one decides."""
        width, m, d = self.question.shape
        first = sampled_entries(self.question, rng=self.rng)
        yield first
        if len(first) == m * d:
            return
        if m * d * width <= _FULL:
            yield all_entries(self.question)
            return
        for terms in _MIXTURES:
            yield mixed_probes(self.question, terms, p, rng=self.rng)

    def _solve(self, probes: Probes, p: int) -> tuple[LinearOutcome | None, dict[int, int], int]:
        """Return a refutation if the system holds one, the coordinates that it determines, and its rank."""
        matrix, right = probes.system(self.question, p)
        found = eliminate(matrix, p, overwrite=True, progress=self.progress)
        label = f"{len(probes)} equations in {found.shape[1]} units mod p = {p}: rank {found.rank}"
        y = found.inconsistency(right)
        if y is not None:
            self.tried.append(f"{label}, inconsistent")
            return self._refuted("inconsistent", probes.matrix_of(y, p), p), {}, found.rank
        solution, determined = found.solve(right), found.determined() | self.idle
        assert solution is not None  # 0 at idle units, whose columns are 0
        bad = np.flatnonzero(determined & (solution > 1))
        if len(bad):
            j = int(bad[0])
            y = found.row_combination(j)
            assert y is not None
            self.tried.append(f"{label}, unit {j} determined and not 0 or 1")
            return self._refuted("not_binary", probes.matrix_of(y, p), p, j), {}, found.rank
        self.tried.append(f"{label}, {int(determined.sum())} units determined, all 0 or 1")
        return None, {int(i): int(solution[i]) for i in np.flatnonzero(determined)}, found.rank

    def _refuted(self, kind: str, entries: Entries, p: int, coordinate: int | None = None) -> LinearOutcome:
        return LinearOutcome(
            Verdict.REFUTED, tuple(self.tried), kind=kind, p=p, entries=entries, coordinate=coordinate
        )

    def _candidate(self, probes: Probes, fixed: dict[int, int], p: int) -> LinearOutcome | None:
        """Compare the only candidate with T; an entry at which they differ modulo p refutes the system."""
        units: NDArray[np.int64] = np.array([i for i, s in fixed.items() if s], dtype=np.int64)
        wrong = mismatch_mod(self.question, units, p)
        if wrong is None:
            self.fixed, self.again = fixed, True
            if satisfies(self.question, units, rng=self.rng):
                self.tried.append(f"the only candidate, {len(units)} units, satisfies condition (3) over Q")
                return LinearOutcome(Verdict.PROVED, tuple(self.tried), units=tuple(units.tolist()))
            self.tried.append(f"the only candidate agrees modulo {p} but not over Q: another prime")
            return None
        self.tried.append(f"the only candidate, {len(units)} units, fails at entry {wrong}")
        refuted, _, _ = self._solve(with_entry(probes, *wrong), p)
        assert refuted is not None
        return refuted
