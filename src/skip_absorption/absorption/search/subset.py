"""The order of the methods: cheap proofs first, then exhaustive search, then finders, while the budget lasts."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.search.affine import inconsistent_refutation, solve_affine
from skip_absorption.absorption.search.brute_force import brute_force
from skip_absorption.absorption.search.farkas import farkas
from skip_absorption.absorption.search.outcome import Reached, SearchOutcome
from skip_absorption.absorption.search.problem import SubsetProblem
from skip_absorption.absorption.search.quadratic import quadratic
from skip_absorption.exact.rational import ExactArray
from skip_absorption.exact.verdict import Verdict


def search_subset(
    w_up: ExactArray,
    w_down: ExactArray,
    target: ExactArray,
    *,
    rng: np.random.Generator,
    budget: Budget | None = None,
) -> SearchOutcome:
    clock = (budget or Budget()).start()
    problem = SubsetProblem.of(w_up, w_down, target)
    tried: list[str] = []

    def run(method: Callable[[], Reached]) -> SearchOutcome | None:
        begin = time.monotonic()
        reached = method()
        tried.append(f"{reached.note} ({time.monotonic() - begin:.2f} s)")
        if reached.subset is not None:
            return SearchOutcome(Verdict.PROVED, reached.subset, None, tuple(tried))
        if reached.refutation is not None:
            return SearchOutcome(Verdict.REFUTED, None, reached.refutation, tuple(tried))
        return None

    if problem.solves(()):
        return SearchOutcome(Verdict.PROVED, (), None, ("the target is 0",))
    equations, affine = solve_affine(problem, rng=rng)
    if affine is None:
        return SearchOutcome(
            Verdict.REFUTED, None, inconsistent_refutation(equations, problem.n), ("inconsistent mod p",)
        )
    for method in (
        lambda: farkas(problem, equations.entries, clock=clock),
        lambda: quadratic(affine, problem.n),
        lambda: brute_force(problem, clock=clock),
    ):
        outcome = run(method)
        if outcome is not None:
            return outcome
    return SearchOutcome(Verdict.UNKNOWN, None, None, tuple(tried))
