"""When a claim has passed: one rule for the build, the paper and the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

PROVED_ON_CASES, LEAST_CONTROLS = "PROVED-ON-CASES", 2


def status(result: Mapping[str, Any]) -> Literal["pass", "fail", "unknown"]:
    """Return how a claim ended; to pass it is proved on its cases, with two controls or more, all rejected.

    A control that was not rejected is a failure, whatever the verdict is.

    Examples
    --------
    >>> controls = [{"name": "+I for -I", "rejected": True}, {"name": "N < d", "rejected": True}]
    >>> status({"verdict": "PROVED-ON-CASES", "controls": controls})
    'pass'
    >>> status({"verdict": "UNKNOWN", "controls": controls[:1]})
    'fail'
    """
    rejected = [control["rejected"] for control in result["controls"]]
    if result["verdict"] == "REFUTED" or not all(rejected) or len(rejected) < LEAST_CONTROLS:
        return "fail"
    return "pass" if result["verdict"] == PROVED_ON_CASES else "unknown"
