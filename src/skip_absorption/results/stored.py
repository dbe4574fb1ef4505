"""Where the results of this checkout lie, for readers such as the notebooks, wherever they are started."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from skip_absorption.errors import InvalidInput
from skip_absorption.results.store import read_json, read_table

if TYPE_CHECKING:
    import pandas as pd

TIERS = {"full": "", "smoke": "smoke", "large": "large"}
"""The folder of each tier's outputs, from the checkout; earlier ones are preferred."""

VARIABLE = "SKIP_ABSORPTION_TIER"
"""The environment variable that chooses a tier; without it the first one with tables is taken."""


def results_of_run() -> tuple[str, Path] | None:
    """Return the tier and its folder of results, or None where nothing has been run yet.

    They are looked for in the current folder and in those above it.

    Raises
    ------
    InvalidInput
        If the environment names a tier that does not exist.
    """
    named = os.environ.get(VARIABLE) or None
    if named is not None and named not in TIERS:
        raise InvalidInput(VARIABLE, f"be one of {', '.join(TIERS)}", named)
    for folder in _upwards():
        for tier in [named] if named else TIERS:
            results = folder / TIERS[tier] / "results"
            if (results / "tables").is_dir():
                return tier, results
    return None


def describe_run() -> str:
    """Return in one line which run the tables come from, or how to make one."""
    found = results_of_run()
    if found is None:
        return "No results here yet: run ./reproduce (or ./reproduce smoke) in the repository first."
    return f"Tables of the {found[0]} run."


def stored_file(name: str) -> Path | None:
    """Return a file of the run by its path below ``results``; None where it is not there yet."""
    found = results_of_run()
    path = None if found is None else found[1] / name
    return path if path is not None and path.is_file() else None


def stored_table(name: str) -> pd.DataFrame | None:
    """Return a stored table, validated; None where it is not there yet."""
    path = stored_file(f"tables/{name}.csv")
    return None if path is None else read_table(name, path)


def downloaded(name: str) -> Path | None:
    """Return a checkpoint that a rule has downloaded; None where there is none."""
    for folder in _upwards():
        status = folder / "resources" / "downloads" / f"{name}.json"
        if status.is_file():
            wheel = read_json(status).get("wheel")
            return folder / wheel if wheel is not None and (folder / wheel).is_file() else None
    return None


def _upwards() -> Iterator[Path]:
    here = Path.cwd()
    yield here
    yield from here.parents
