"""The decision procedures with a long budget: on a loaded machine a check must not end as UNKNOWN."""

from __future__ import annotations

from functools import partial

from skip_absorption.absorption import condition, construct, minors, width
from skip_absorption.absorption.budget import Budget

__all__ = ["absorb", "decide", "minimal_width", "zero_minors"]

PATIENT = Budget(seconds=1800.0)

absorb = partial(construct.absorb, budget=PATIENT)
decide = partial(condition.decide, budget=PATIENT)
minimal_width = partial(width.minimal_width, budget=PATIENT)
zero_minors = partial(minors.zero_minors, budget=PATIENT)
