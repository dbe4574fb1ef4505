"""Constraint programming (CP-SAT), only where the integer equations fit its 64-bit domain exactly."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.search.outcome import Reached, exhausted
from skip_absorption.absorption.search.problem import SubsetProblem

_LARGEST_SUM = 1 << 60  # of the moduli of one equation's coefficients: no partial sum can overflow


def cp_sat(
    problem: SubsetProblem,
    entries: list[tuple[int, int]],
    *,
    rng: np.random.Generator,
    clock: Clock,
    seconds: float,
) -> Reached:
    """Hand the equations at `entries` to CP-SAT; infeasibility counts, as these are some of the equations.

    Parameters
    ----------
    problem, entries
        The exact problem and the entries (row, column) whose equations are used.
    rng
        Draws the solver's seed.
    clock, seconds
        Limits of its time and memory.
    """
    equations = [problem.equation(r, c) for r, c in entries]
    if any(sum(abs(x) for x in [*coefficients, right]) > _LARGEST_SUM for coefficients, right in equations):
        return Reached("CP-SAT: not used, coefficients exceed its 64-bit domain")
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    units = [model.new_bool_var(f"s{i}") for i in range(problem.n)]
    for coefficients, right in equations:
        model.add(cp_model.LinearExpr.weighted_sum(units, coefficients) == right)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = min(seconds, clock.remaining(), 1e9)
    solver.parameters.max_memory_in_mb = max(1, clock.budget.memory_bytes >> 20)
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = int(rng.integers(1 << 30))
    solver.parameters.catch_sigint_signal = False
    status = _solve(solver, model)
    if status == cp_model.INFEASIBLE:
        nodes = int(solver.num_branches)
        return Reached("CP-SAT: infeasible", refutation=exhausted("CP-SAT", nodes))
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        subset = problem.verified(i for i, unit in enumerate(units) if solver.boolean_value(unit))
        return Reached("CP-SAT: found" if subset is not None else "CP-SAT: not a solution", subset=subset)
    return Reached(f"CP-SAT: {solver.status_name(status).lower()} after {solver.num_branches} branches")


def _solve(solver: Any, model: Any) -> Any:
    """Solve in a thread, so that an interrupt reaches this one, which then stops the solver and waits."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        answer = pool.submit(solver.solve, model)
        try:
            while True:
                try:
                    return answer.result(timeout=0.1)
                except TimeoutError:
                    continue
        except KeyboardInterrupt:
            solver.stop_search()
            raise
