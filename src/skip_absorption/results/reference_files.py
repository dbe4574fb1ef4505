"""The folder of reference values of a tier, and a comparison in words."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skip_absorption.errors import InvalidInput
from skip_absorption.results.store import atomic_path, read_json, write_json

SUMMARY = "summary.json"
LINES = 12
"""Lines about one column or claim at most; a last one counts the rest."""

Rows = list[dict[str, str]]


def write_reference(folder: Path, reference: Mapping[str, Any], kept: Mapping[str, Rows]) -> None:
    """Write a reference and its kept rows, a CSV file a table; files of tables that are gone are removed."""
    for name, rows in kept.items():
        with (
            atomic_path(folder / f"{name}.csv") as partial,
            partial.open("w", encoding="utf-8", newline="") as f,
        ):
            writer = csv.DictWriter(f, list(rows[0]) if rows else [], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    for path in folder.glob("*.csv"):
        if path.stem not in kept:
            path.unlink()
    write_json(folder / SUMMARY, reference)


def read_reference(folder: Path) -> tuple[dict[str, Any], dict[str, Rows]]:
    """Return the reference and the kept rows of a folder; both empty where it is not there.

    Raises
    ------
    InvalidInput
        If a file is there and cannot be read.
    """
    if not (folder / SUMMARY).exists():
        return {}, {}
    kept = {}
    for path in sorted(folder.glob("*.csv")):
        try:
            with path.open(encoding="utf-8", newline="") as file:
                kept[path.stem] = [dict(row) for row in csv.DictReader(file, strict=True)]
        except (ValueError, csv.Error) as error:
            raise InvalidInput(str(path), "be a CSV file", str(error)) from None
    reference: dict[str, Any] = read_json(folder / SUMMARY)
    return reference, kept


def settings(config: Mapping[str, Any]) -> dict[str, str]:
    """Return a digest of each part of a configuration that results depend on, claims one by one."""
    parts = {key: value for key, value in config.items() if key not in ("claims", "benchmarks", "strict")}
    parts |= {f"claims.{id}": value for id, value in config["claims"].items()}
    return {
        key: hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]
        for key, value in sorted(parts.items())
    }


def verdict(report: Mapping[str, Any], *, strict: bool) -> str:
    """Return "" if a comparison is as it should be, else what is wrong in one line."""
    if report["outside"]:
        return f"{report['outside']} values are outside the tolerance of the reference"
    left_out = len(report["without_reference"]) + len(report["not_run"])
    if strict and left_out:
        return f"{left_out} tables or claims have no reference or were not run, and strict is set"
    return ""


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a comparison in words: the machines, what moved and by how much, what was not compared."""
    here, there = report["machine"], report["reference_machine"]
    yield f"this run:  {_on(here)}"
    if there:
        yield f"reference: {_on(there)}"
    if report["settings_changed"]:
        yield f"other parameters than the reference's: {', '.join(report['settings_changed'])}"
    outside, within = _groups(report, allowed=False), _groups(report, allowed=True)
    for place, group in outside.items():
        yield from (f"OUTSIDE: {_sentence(one)}" for one in group[:LINES])
        if len(group) > LINES:
            yield f"OUTSIDE: {place}: {len(group) - LINES} more"
    for place, group in within.items():
        most = max(group, key=lambda one: one["share"])
        yield f"moved within the tolerance: {place}, {len(group)} values; at most {_sentence(most)}"
    for key, what in (("without_reference", "no reference for"), ("not_run", "not run here or there")):
        if report[key]:
            yield f"{what} ({len(report[key])}): {', '.join(report[key])}"
    moved = len(report["moved"]) - report["outside"]
    yield (
        f"{report['tables']} tables and {report['claims']} claims compared: "
        f"{report['outside']} values outside the tolerance, {moved} moved within it"
    )


def _on(machine: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in machine.items()) or "not known"


def _groups(report: Mapping[str, Any], *, allowed: bool) -> dict[str, list[Mapping[str, Any]]]:
    """Return what moved, by column or by claim."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for moved in report["moved"]:
        if moved["allowed"] == allowed:
            groups.setdefault(re.split(r":|,| at ", moved["where"])[0], []).append(moved)
    return groups


def _sentence(moved: Mapping[str, Any]) -> str:
    by = f" ({moved['by']})" if moved["by"] else ""
    return f"{moved['where']}: {moved['was']} -> {moved['now']}{by}"
