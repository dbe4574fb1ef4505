"""The slow obvious oracle: all 2^N subsets, one integer addition at a time."""

from __future__ import annotations

from collections.abc import Iterator

from skip_absorption.absorption.budget import Clock
from skip_absorption.absorption.search.outcome import Reached, Subset, exhausted
from skip_absorption.absorption.search.problem import SubsetProblem


def all_solutions(problem: SubsetProblem) -> Iterator[Subset]:
    """Yield every subset that solves, in Gray-code order: neighbours differ by one unit.

    Examples
    --------
    >>> import numpy as np
    >>> problem = SubsetProblem.of(np.array([[1], [1], [2]]), np.array([[1, 1, 1]]), np.array([[2]]))
    >>> sorted(all_solutions(problem))
    [(0, 1), (2,)]
    """
    for chosen, missing in _walk(problem):
        if not any(missing):
            yield _units(chosen)


def brute_force(problem: SubsetProblem, *, clock: Clock) -> Reached:
    """Search the 2^N subsets while time lasts, as a peer to measure the other methods against."""
    nodes = 0
    for chosen, missing in _walk(problem):
        nodes += 1
        if not any(missing):
            return Reached(f"brute force: found after {nodes} subsets", subset=_units(chosen))
        if nodes % 4096 == 0 and clock.expired():
            return Reached(f"brute force: {nodes} of 2^{problem.n} subsets")
    return Reached(f"brute force: none of {nodes} subsets", refutation=exhausted("brute force", nodes))


def _walk(problem: SubsetProblem) -> Iterator[tuple[list[bool], list[int]]]:
    dyads = [[a * w for a in problem.down[:, i] for w in problem.up[i]] for i in range(problem.n)]
    missing = list(problem.goal.flat)
    chosen = [False] * problem.n
    yield chosen, missing
    for step in range(1, 1 << problem.n):
        i = (step & -step).bit_length() - 1
        sign = 1 if chosen[i] else -1
        chosen[i] = not chosen[i]
        missing = [x + sign * y for x, y in zip(missing, dyads[i], strict=True)]
        yield chosen, missing


def _units(chosen: list[bool]) -> Subset:
    return tuple(i for i, one in enumerate(chosen) if one)
