"""How much time and memory a search may use, and the clock that says what is left."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from skip_absorption.errors import InvalidInput


@dataclass(frozen=True)
class Budget:
    """An allowance that every search honours; what runs out of it ends as UNKNOWN, never as an answer.

    Parameters
    ----------
    seconds
        Wall-clock time; ``float("inf")`` for no limit.
    memory_bytes
        Memory that the search may allocate on top of what the process already uses.

    Raises
    ------
    InvalidInput
        If `seconds` is negative or not a number, or `memory_bytes` is not a positive integer.

    Examples
    --------
    >>> Budget(seconds=5).start().expired()
    False
    """

    seconds: float = 60.0
    memory_bytes: int = 2 << 30

    def __post_init__(self) -> None:
        if not self.seconds >= 0:
            raise InvalidInput("seconds", "be a number >= 0", self.seconds)
        if not isinstance(self.memory_bytes, int) or self.memory_bytes <= 0:
            raise InvalidInput("memory_bytes", "be a positive integer", self.memory_bytes)

    def start(self) -> Clock:
        """Return a clock that starts now."""
        return Clock(self, time.monotonic())


@dataclass(frozen=True)
class Clock:
    """A budget that is being spent."""

    budget: Budget
    started: float

    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self.started

    def remaining(self) -> float:
        """Return the seconds left, never below 0."""
        return max(0.0, self.budget.seconds - self.elapsed())

    def expired(self) -> bool:
        """Whether no time is left."""
        return self.remaining() <= 0

    def rest(self) -> Budget:
        """Return what is left as a budget of its own, to hand to a search that starts later."""
        return replace(self.budget, seconds=self.remaining())
