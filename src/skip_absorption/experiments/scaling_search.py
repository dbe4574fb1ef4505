"""How long does it take to find a subset, or to prove that there is none? Our search and its peers.

Every method gets the same integer weights, small enough that CP-SAT takes them exactly, the same target and
the same time limit. HiGHS works in floats: its "infeasible" is reported, but is no proof.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.search import search_subset
from skip_absorption.absorption.search.affine import solve_affine
from skip_absorption.absorption.search.brute_force import brute_force
from skip_absorption.absorption.search.cp_sat import cp_sat
from skip_absorption.absorption.search.lattice import lattice
from skip_absorption.absorption.search.meet_in_the_middle import meet_in_the_middle
from skip_absorption.absorption.search.outcome import Reached
from skip_absorption.absorption.search.problem import SubsetProblem
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.verdict import Verdict
from skip_absorption.experiments.benchmarking import parser, run
from skip_absorption.measures import generator

EXPERIMENT = "scaling_search"
LARGEST_WEIGHT = (
    1 << 11
)  # then the equations' coefficients have 23 bits: few coincidences, exact for every peer
INSTANCES = ("random", "planted")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Row:
    """One method on one instance: its verdict, whether it is a proof, and the seconds it took."""

    method: str
    instance: str
    d: int
    N: int
    verdict: str
    proof: bool
    seconds: float
    limit_seconds: float


def draw_problem(instance: str, d: int, n: int, *, seed: int) -> SubsetProblem:
    """Draw integer weights, the multiples of 1/2048 in [-1, 1]; the target is -I in the same scale.

    If planted, it is the sum over a random half of the units instead.

    Raises
    ------
    InvalidInput
        If there is no such instance, or not 1 <= d <= N.
    """
    if instance not in INSTANCES:
        raise InvalidInput("instance", f"be one of {', '.join(INSTANCES)}", instance)
    if not 1 <= d <= n:
        raise InvalidInput("N", f"be at least d = {d}, and d at least 1", n)
    rng = generator(EXPERIMENT, f"{instance},d={d},N={n}", seed)
    w_up = rng.integers(-LARGEST_WEIGHT, LARGEST_WEIGHT + 1, (n, d))
    w_down = rng.integers(-LARGEST_WEIGHT, LARGEST_WEIGHT + 1, (d, n))
    half = rng.permutation(n)[: n // 2]
    target = (
        w_down[:, half] @ w_up[half]
        if instance == "planted"
        else -(LARGEST_WEIGHT**2) * np.eye(d, dtype=np.int64)
    )
    return SubsetProblem.of(w_up, w_down, target)


def _ours(problem: SubsetProblem, rng: np.random.Generator, budget: Budget) -> Verdict:
    return search_subset(problem.up, problem.down, problem.goal, rng=rng, budget=budget).verdict


def _brute_force(problem: SubsetProblem, rng: np.random.Generator, budget: Budget) -> Verdict:
    return _verdict(brute_force(problem, clock=budget.start()))


def _middle(problem: SubsetProblem, rng: np.random.Generator, budget: Budget) -> Verdict:
    clock = budget.start()
    _, affine = solve_affine(problem, rng=rng)
    if affine is None:
        return Verdict.REFUTED
    reached = meet_in_the_middle(
        affine, problem.solves, rng=rng, clock=clock, memory_bytes=budget.memory_bytes
    )
    if reached.ones is not None:
        return Verdict.PROVED
    return Verdict.REFUTED if reached.exhausted else Verdict.UNKNOWN


def _lattice(problem: SubsetProblem, rng: np.random.Generator, budget: Budget) -> Verdict:
    return _verdict(lattice(problem, _all_entries(problem), rng=rng, clock=budget.start()))


def _cp_sat(problem: SubsetProblem, rng: np.random.Generator, budget: Budget) -> Verdict:
    clock = budget.start()
    return _verdict(cp_sat(problem, _all_entries(problem), rng=rng, clock=clock, seconds=budget.seconds))


def _highs(problem: SubsetProblem, rng: np.random.Generator, budget: Budget) -> Verdict:
    from scipy.optimize import Bounds, LinearConstraint, milp

    equations = [problem.equation(r, c) for r, c in _all_entries(problem)]
    right = np.array([float(t) for _, t in equations])
    result = milp(
        np.zeros(problem.n),
        integrality=np.ones(problem.n, dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(np.array([c for c, _ in equations], dtype=np.float64), right, right),
        options={"time_limit": budget.seconds},
    )
    if result.x is not None and problem.solves(int(i) for i in np.flatnonzero(result.x > 0.5)):
        return Verdict.PROVED
    return Verdict.REFUTED if result.status == 2 else Verdict.UNKNOWN


def _all_entries(problem: SubsetProblem) -> list[tuple[int, int]]:
    m, d = problem.shape
    return [(r, c) for r in range(m) for c in range(d)]


def _verdict(reached: Reached) -> Verdict:
    if reached.subset is not None:
        return Verdict.PROVED
    return Verdict.REFUTED if reached.refutation is not None else Verdict.UNKNOWN


METHODS: dict[str, Callable[[SubsetProblem, np.random.Generator, Budget], Verdict]] = {
    "search_subset": _ours,
    "meet_in_the_middle": _middle,
    "cp_sat": _cp_sat,
    "highs": _highs,
    "lll": _lattice,
    "brute_force": _brute_force,
}


def scaling_search(
    sizes: Sequence[int], dims: Sequence[int], *, seconds: float, seed: int = 0
) -> Iterator[Row]:
    """Run every method on one instance of each kind at every d and N, and log each row.

    Parameters
    ----------
    sizes, dims
        The values of N and d.
    seconds
        The time limit of one method on one instance.
    seed
        Of the weights and of the methods' own draws.
    """
    budget = Budget(seconds=seconds)
    for method in METHODS.values():  # compiled loops are loaded before the clock runs
        method(draw_problem("random", 1, 4, seed=seed), np.random.default_rng(seed), budget)
    for d in dims:
        for n in sizes:
            for instance in INSTANCES:
                problem = draw_problem(instance, d, n, seed=seed)
                for name, method in METHODS.items():
                    rng = generator(EXPERIMENT, f"{name},{instance},d={d},N={n}", seed)
                    start = perf_counter()
                    verdict = method(problem, rng, budget)
                    taken = perf_counter() - start
                    proof = verdict is Verdict.PROVED or (verdict is Verdict.REFUTED and name != "highs")
                    _log.info(
                        "d = %d · N = %d · %s · %s · %s · %.3g s", d, n, instance, name, verdict.value, taken
                    )
                    yield Row(name, instance, d, n, verdict.value, proof, taken, seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison from the command line."""
    command = parser(EXPERIMENT, __doc__)
    command.add_argument("--sizes", type=int, nargs="+", default=[16, 20, 30, 40, 50], metavar="N")
    command.add_argument("--dims", type=int, nargs="+", default=[2, 3], metavar="D")
    command.add_argument("--seconds", type=float, default=10.0, help="time limit of each method (default 10)")
    return run(
        command,
        arguments,
        lambda options: scaling_search(
            options.sizes, options.dims, seconds=options.seconds, seed=options.seed
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
