"""Three-valued verdicts: what is proved, what is refuted, and what is honestly not known."""

from __future__ import annotations

from enum import Enum

from skip_absorption.errors import Undecided


class Verdict(Enum):
    """The outcome of an exact decision; UNKNOWN is never rounded to one of the others.

    ``bool`` is True for PROVED, False for REFUTED, and raises for UNKNOWN.

    Raises
    ------
    Undecided
        When the truth value of UNKNOWN is asked for.

    Examples
    --------
    >>> bool(Verdict.PROVED), bool(Verdict.REFUTED)
    (True, False)
    >>> (~Verdict.PROVED).value
    'REFUTED'
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNKNOWN = "UNKNOWN"

    def __bool__(self) -> bool:
        if self is Verdict.UNKNOWN:
            raise Undecided(
                "an UNKNOWN verdict has no truth value: compare it with Verdict.PROVED or REFUTED"
            )
        return self is Verdict.PROVED

    def __invert__(self) -> Verdict:
        return {Verdict.PROVED: Verdict.REFUTED, Verdict.REFUTED: Verdict.PROVED}.get(self, Verdict.UNKNOWN)

    @classmethod
    def of(cls, decided: bool) -> Verdict:
        """Return the verdict of an exact yes or no."""
        return cls.PROVED if decided else cls.REFUTED
