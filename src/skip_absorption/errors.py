"""The few named errors of the library; each message is one line: argument, requirement, value."""

from __future__ import annotations

import reprlib

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 120


class SkipAbsorptionError(Exception):
    """Base of every error that a user can cause; the command line prints its one line and exits with 2."""


def plain(text: str) -> str:
    r"""Return one line without control characters, which names in a stranger's file may hold.

    Examples
    --------
    >>> print(plain("red\x1b[31m\nlayer"))
    red\x1b[31m\nlayer
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class InvalidInput(SkipAbsorptionError, ValueError):
    """An argument breaks a requirement.

    Parameters
    ----------
    argument
        The name of the argument, key or file as the user knows it.
    requirement
        What it must be, read after the word "must".
    value
        What it is; shortened when long.

    Examples
    --------
    >>> raise InvalidInput("w_up", "have shape (N, d) with N >= d", (3, 4))
    Traceback (most recent call last):
    skip_absorption.errors.InvalidInput: w_up must have shape (N, d) with N >= d; got (3, 4)
    """

    def __init__(self, argument: str, requirement: str, value: object) -> None:
        self.argument, self.requirement, self.value = argument, requirement, value
        try:
            shown = value if isinstance(value, str) and len(value) <= _short.maxstring else _short.repr(value)
        except ValueError:  # Python writes no integer of more than 4300 digits
            shown = f"{type(value).__name__} with a number of more than 4300 digits"
        line = f"{argument} must {requirement}; got {shown}".replace("\n", " ")
        super().__init__(plain(line))


class NotAbsorbable(SkipAbsorptionError):
    """Absorbing weights were asked for at a width at which provably none exist."""


class Undecided(SkipAbsorptionError):
    """A truth value was asked of an UNKNOWN verdict, or a result needs a decision that was not reached."""
