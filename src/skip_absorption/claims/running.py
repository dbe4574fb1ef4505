"""What the check of a statement reports, and how the verdicts of its cases combine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator

Dims = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Control:
    """A false variant of the statement, and whether the same check rejected it."""

    name: str
    rejected: bool


@dataclass(frozen=True)
class Report:
    """The outcome of a check.

    Attributes
    ----------
    verdict
        PROVED if every case is, REFUTED if one contradicts the statement, UNKNOWN otherwise.
    cases
        How many instances were tried.
    controls
        The false variants.
    found, expected
        One line each: what was seen, what the statement predicts.
    """

    verdict: Verdict
    cases: int
    controls: tuple[Control, ...]
    found: str
    expected: str


@dataclass(frozen=True)
class Case:
    """One random instance: its number, its sizes (d, N), and its own random stream."""

    number: int
    d: int
    n: int
    rng: np.random.Generator = field(repr=False)


def each_case(claim: str, *, cases: int, dims: Dims, seed: int, kinds: int = 1) -> Iterator[Case]:
    """Yield the instances of a claim: every kind at one size, then at the next, round and round.

    Case i draws from a stream named by the claim and i, so it is the same however many cases run.
    """
    for number in range(cases):
        d, n = dims[number // kinds % len(dims)]
        yield Case(number, d, n, generator(claim, f"case {number}", seed))


@dataclass
class Tally:
    """Counts the verdicts of cases; the first that is not PROVED is remembered."""

    counts: Counter[Verdict] = field(default_factory=Counter)
    first: str = ""

    def add(self, verdict: Verdict, description: str) -> None:
        """Count one case; ``description`` names it should it be the first to fail."""
        self.counts[verdict] += 1
        if verdict is not Verdict.PROVED and not self.first:
            self.first = f"{verdict.value} at {description}"

    @property
    def total(self) -> int:
        """The number of cases so far."""
        return self.counts.total()

    @property
    def proved(self) -> int:
        """The number of cases that are PROVED."""
        return self.counts[Verdict.PROVED]

    @property
    def verdict(self) -> Verdict:
        """REFUTED if one case is, PROVED if all are and there is one, UNKNOWN otherwise."""
        return all_of(self.counts) if self.counts else Verdict.UNKNOWN

    @property
    def note(self) -> str:
        """Empty, or the first failure as a suffix for the line of what was found."""
        return f"; {self.first}" if self.first else ""


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Combine verdicts with "and": REFUTED if any is, PROVED if all are, UNKNOWN otherwise."""
    return ~any_of(~verdict for verdict in verdicts)


def any_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Combine verdicts with "or": PROVED as soon as one is, REFUTED if all are, UNKNOWN otherwise."""
    combined = Verdict.REFUTED
    for verdict in verdicts:
        if verdict is Verdict.PROVED:
            return Verdict.PROVED
        if verdict is Verdict.UNKNOWN:
            combined = Verdict.UNKNOWN
    return combined
