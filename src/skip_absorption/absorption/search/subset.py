"""The order of the methods: cheap proofs first, then exhaustive search, then finders, while time lasts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from skip_absorption.absorption.budget import Budget, Clock
from skip_absorption.absorption.search.affine import (
    AffineSet,
    Equations,
    inconsistent_refutation,
    solve_affine,
)
from skip_absorption.absorption.search.cp_sat import cp_sat
from skip_absorption.absorption.search.farkas import farkas
from skip_absorption.absorption.search.kernel_enumeration import enumerate_kernel
from skip_absorption.absorption.search.lattice import lattice
from skip_absorption.absorption.search.meet_in_the_middle import meet_in_the_middle, predicted_seconds
from skip_absorption.absorption.search.outcome import PartReached, Reached, SearchOutcome, exhausted
from skip_absorption.absorption.search.problem import SubsetProblem, validated
from skip_absorption.absorption.search.quadratic import quadratic
from skip_absorption.exact.rational import ExactArray, is_zero
from skip_absorption.exact.verdict import Verdict

_FIRST_NODES = 1 << 16  # of the enumeration, before anything faster on dense systems is tried
_ALL_NODES = 1 << 62
_QUICK = 2.0  # seconds for which an exhaustive search goes before the finders
_BYTES_PER_ENTRY = 200  # of the weights and of the linear system, as Python integers and residues
_SECONDS_PER_ENTRY = 2e-6
_SECONDS_PER_STEP = 1e-9  # of its elimination


def search_subset(
    w_up: ExactArray,
    w_down: ExactArray,
    target: ExactArray,
    *,
    rng: np.random.Generator,
    budget: Budget | None = None,
) -> SearchOutcome:
    """Find s in {0, 1}^N with ``sum_i s_i a_i w_i^T = T`` over Q, or prove that there is none.

    Parameters
    ----------
    w_up
        Exact array (N, d), rows w_i.
    w_down
        Exact array (m, N), columns a_i.
    target
        Exact array (m, d), T. The absorption condition (3) has ``T = -M`` (``-M / 2c`` in general).
    rng
        Chooses primes, orders and seeds; no verdict depends on them but UNKNOWN.
    budget
        Time and memory; the default is `Budget()`.

    Returns
    -------
    SearchOutcome
        PROVED with the subset, verified over Q; REFUTED with the data described in
        `skip_absorption.absorption.search.outcome`; or UNKNOWN. Always with what was tried.

    Raises
    ------
    InvalidInput
        If shapes do not fit or an entry is not an exact finite number.

    Examples
    --------
    >>> eye = np.eye(2, dtype=np.int64)
    >>> search_subset(eye, -eye, -eye, rng=np.random.default_rng(0)).subset
    (0, 1)
    >>> search_subset(eye, -2 * eye, -eye, rng=np.random.default_rng(0)).verdict.value
    'REFUTED'
    """
    clock = (budget or Budget()).start()
    w_up, w_down, target = validated(w_up, w_down, target)
    if is_zero(target):
        return SearchOutcome(Verdict.PROVED, (), None, ("the target is 0: the empty set",))
    entries = w_up.size + w_down.size + target.size
    if (
        entries * _BYTES_PER_ENTRY > clock.budget.memory_bytes
        or entries * _SECONDS_PER_ENTRY > clock.remaining()
    ):
        return SearchOutcome(Verdict.UNKNOWN, None, None, (f"{entries} weights exceed the budget",))
    search = _Search(SubsetProblem.of(w_up, w_down, target), clock, rng)
    for step in search.steps():
        outcome = search.taken(step)
        if outcome is not None:
            return outcome
        if clock.expired():
            search.tried.append("the time is used up")
            break
    return SearchOutcome(Verdict.UNKNOWN, None, None, tuple(search.tried))


@dataclass
class _Search:
    """The state of one search: what was tried, and the independent parts still open."""

    problem: SubsetProblem
    clock: Clock
    rng: np.random.Generator
    tried: list[str] = field(default_factory=list)
    ones: list[int] = field(default_factory=list)
    open_parts: list[AffineSet] = field(default_factory=list)
    alone: bool = False

    def taken(self, step: Callable[[], Reached]) -> SearchOutcome | None:
        """Take a step, note it, and return the outcome if it decides."""
        begin = time.monotonic()
        reached = step()
        self.tried.append(f"{reached.note} ({time.monotonic() - begin:.2f} s)")
        if reached.subset is not None:
            return SearchOutcome(Verdict.PROVED, reached.subset, None, tuple(self.tried))
        if reached.refutation is not None:
            return SearchOutcome(Verdict.REFUTED, None, reached.refutation, tuple(self.tried))
        return None

    def steps(self) -> Iterator[Callable[[], Reached]]:
        """Yield the methods in order; which ones come later depends on what the earlier ones left open."""
        problem, clock, rng = self.problem, self.clock, self.rng
        if not self._linear_system_fits():
            return
        equations: list[Equations] = []
        parts: list[AffineSet] = []
        yield lambda: self._linear(equations, parts)
        entries = equations[0].entries
        yield lambda: farkas(problem, entries, clock=clock)
        yield lambda: self._by_degree_two(parts)
        yield lambda: self._by_row(parts)
        self._open(parts)
        yield self._enumeration(_FIRST_NODES)
        predicted = sum(predicted_seconds(part) for part in self.open_parts)
        if predicted <= _QUICK:
            yield self._middle()
        yield lambda: lattice(problem, entries, rng=rng, clock=clock)
        if _QUICK < predicted <= clock.remaining():
            yield self._middle()
        yield lambda: cp_sat(problem, entries, rng=rng, clock=clock, seconds=clock.remaining() / 2)
        yield self._enumeration(_ALL_NODES)

    def _linear_system_fits(self) -> bool:
        n, (m, d) = self.problem.n, self.problem.shape
        rows = min(m * d, 2 * n + 64)
        seconds = rows * n * (_SECONDS_PER_ENTRY + min(rows, n) * _SECONDS_PER_STEP)
        fits = rows * n * _BYTES_PER_ENTRY <= self.clock.budget.memory_bytes
        if fits and seconds <= self.clock.remaining():
            return True
        self.tried.append(
            f"linear system of {rows} x {n}: exceeds the {'time' if fits else 'memory'} allowed"
        )
        return False

    def _linear(self, equations: list[Equations], parts: list[AffineSet]) -> Reached:
        found, affine = solve_affine(self.problem, rng=self.rng)
        equations.append(found)
        if affine is None:
            refutation = inconsistent_refutation(found, self.problem.n)
            return Reached("linear system: inconsistent mod p", refutation=refutation)
        parts += sorted(affine.components(), key=lambda part: part.dimension)
        note = f"linear system: rank {len(affine.pivots)}, {affine.dimension} free units, {len(parts)} parts"
        if affine.dimension == 0:
            ones = affine.ones(np.zeros(0, dtype=np.int8))
            subset = None if ones is None else self.problem.verified(ones)
            if subset is not None:
                return Reached(note, subset)
            if ones is not None:
                return Reached(note, refutation=exhausted("the only point mod p", 1, affine.p))
        return Reached(note)

    def _open(self, parts: list[AffineSet]) -> None:
        """Settle the determined units, all 0 or 1 by now, and leave the other parts open."""
        for part in parts:
            if part.dimension:
                self.open_parts.append(part)
            else:
                self.ones += part.ones(np.zeros(0, dtype=np.int8)) or []
        self.alone = len(self.open_parts) == 1 and not self._left_out(parts)

    def _left_out(self, parts: list[AffineSet]) -> bool:
        """Whether a unit is in no part though its dyad is not 0: p divides it, so that s_i is free mod p."""
        left = set(range(self.problem.n))
        for part in parts:
            left -= {*part.pivots.tolist(), *part.free.tolist()}
        return any(any(self.problem.up[i]) and any(self.problem.down[:, i]) for i in left)

    def _by_degree_two(self, parts: list[AffineSet]) -> Reached:
        reached = Reached("quadratic: nothing to refute")
        for part in parts:
            reached = quadratic(part, self.problem.n)
            if reached.decided:
                break
        return reached

    def _by_row(self, parts: list[AffineSet]) -> Reached:
        for part in parts:
            refutation = part.refuted_row()
            if refutation is not None:
                return Reached("short rows: one has no 0/1 solution mod p", refutation=refutation)
        return Reached("short rows: each has a 0/1 solution mod p")

    def _enumeration(self, nodes: int) -> Callable[[], Reached]:
        def search(part: AffineSet) -> PartReached:
            return enumerate_kernel(part, self._accepts, clock=self.clock, node_limit=nodes)

        return lambda: self._parts("enumeration", search)

    def _middle(self) -> Callable[[], Reached]:
        def search(part: AffineSet) -> PartReached:
            memory = self.clock.budget.memory_bytes
            return meet_in_the_middle(
                part, self._accepts, rng=self.rng, clock=self.clock, memory_bytes=memory
            )

        return lambda: self._parts("meet in the middle", search)

    def _accepts(self, ones: list[int]) -> bool:
        """Accept a point mod p of a part: exactly if nothing else is open, else for now."""
        return not self.alone or self.problem.solves(self.ones + ones)

    def _parts(self, method: str, search: Callable[[AffineSet], PartReached]) -> Reached:
        """Search every open part on its own; one without a solution refutes, all with one may solve."""
        nodes, notes, still_open = 0, [], []
        for part in self.open_parts:
            reached = search(part)
            nodes += reached.nodes
            notes += [reached.note] if reached.note else []
            if reached.exhausted:
                refutation = exhausted(method, reached.nodes, part.p)
                return Reached(f"{method}: none in {reached.nodes} nodes", refutation=refutation)
            if reached.ones is None:
                still_open.append(part)
            else:
                self.ones += reached.ones
        self.open_parts = still_open
        if still_open:
            why = "".join(f", {note}" for note in dict.fromkeys(notes))
            return Reached(f"{method}: {len(still_open)} parts open after {nodes} nodes{why}")
        subset = self.problem.verified(self.ones)
        if subset is None:
            return Reached(f"{method}: the solution mod p is none over Q")
        return Reached(f"{method}: found after {nodes} nodes", subset)
