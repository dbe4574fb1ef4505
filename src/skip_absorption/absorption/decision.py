"""What a decision says: an exact answer, its grounds, and what was tried."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from skip_absorption.absorption.certificate import Certificate
from skip_absorption.errors import Undecided


class Absorption(Enum):
    """The answer to "is this skip absorbed at this width"; ``bool(UNKNOWN)`` raises `Undecided`."""

    ABSORBABLE = "ABSORBABLE"
    NOT_ABSORBABLE = "NOT_ABSORBABLE"
    UNKNOWN = "UNKNOWN"

    def __bool__(self) -> bool:
        if self is Absorption.UNKNOWN:
            raise Undecided("an UNKNOWN decision has no truth value: compare it with Absorption.ABSORBABLE")
        return self is Absorption.ABSORBABLE


@dataclass(frozen=True)
class Decision:
    """What was decided, and on what grounds.

    Attributes
    ----------
    verdict
        An exact answer to the question in `about`, or UNKNOWN.
    flip_set
        0-based units S with odd * W_down[:, S] W_up[S, :] = -M, or None. Negating the rows (and hidden
        biases) of S absorbs the skip.
    certificate
        Proof of the verdict for `skip_absorption.check_certificate`, or None where there is no short one.
    tried
        One line for each method used.
    hypotheses
        One line for each way in which the generic hypotheses fail; empty when they hold. None if they were
        not asked for.
    proof
        One line: how it was decided.
    seconds
        Wall-clock time.
    about
        ``"absorption"``, or ``"condition"`` when condition (3) alone was asked for: then NOT_ABSORBABLE says
        that no flip set exists, no more.
    """

    verdict: Absorption
    flip_set: tuple[int, ...] | None
    certificate: Certificate | None
    tried: tuple[str, ...]
    hypotheses: tuple[str, ...] | None
    proof: str
    seconds: float
    about: str = "absorption"
