"""The review record: on what, for how long and with which outcome a run was made; checksums of every output.

What changes from run to run, such as times, stands in this record alone. It holds no date and no host name.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any


def measurements(folder: Path) -> list[dict[str, Any]]:
    """Return jobs, seconds, CPU seconds and peak memory in MiB of each rule, from its benchmark files.

    Parameters
    ----------
    folder
        Where Snakemake writes them: ``<rule>.tsv``, or ``<rule>/<cell>.tsv`` for a rule with wildcards.
    """
    rules: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.rglob("*.tsv")):
        rule = path.relative_to(folder).parts[0].removesuffix(".tsv")
        total = rules.setdefault(rule, {"rule": rule, "jobs": 0, "seconds": 0.0, "cpu": 0.0, "memory": 0.0})
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                total["jobs"] += 1
                total["seconds"] += _measured(row, "s")
                total["cpu"] += _measured(row, "cpu_time")
                total["memory"] = max(total["memory"], _measured(row, "max_rss"))
    return sorted(rules.values(), key=lambda total: -total["seconds"])


def _measured(row: Mapping[str, str | None], column: str) -> float:
    """Return a number of a benchmark file; a job too short to be measured has "NA" or "-" there."""
    try:
        return float(row.get(column) or 0)
    except ValueError:
        return 0.0


def total(rules: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sum over rules of jobs and times, and the greatest memory of one job."""
    rules = list(rules)
    sums = {key: sum(rule[key] for rule in rules) for key in ("jobs", "seconds", "cpu")}
    return {"rule": "all rules", **sums, "memory": max((rule["memory"] for rule in rules), default=0.0)}


def review(
    *,
    tier: str,
    commit: str,
    lock: str,
    versions: Mapping[str, str],
    machine: Mapping[str, str],
    rules: list[dict[str, Any]],
    checksums: Mapping[str, str],
    changed: Iterable[str],
    claims: Iterable[Mapping[str, Any]],
    comparison: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the record as JSON values, with the outputs as a manifest.

    Parameters
    ----------
    tier
        The tier that was run.
    commit
        The commit of the sources, "-dirty" appended if they were edited; "unknown" outside git.
    lock
        SHA-256 of the lock file.
    versions, machine
        Programs and packages; processor, memory, BLAS.
    rules
        As `measurements` returns them.
    checksums, changed
        The SHA-256 of each output as its job wrote it, and those that were changed since.
    claims
        Rows of the table of verdicts.
    comparison
        The outcome of the comparison with the reference values.
    """
    return {
        "version": "1",
        "tier": tier,
        "commit": commit.removesuffix("-dirty"),
        "dirty": commit.endswith("-dirty") if commit != "unknown" else None,
        "lock_sha256": lock,
        "versions": {key: versions[key] for key in versions if key not in ("blas", "commit", "system")},
        "machine": dict(machine),
        "total": total(rules),
        "rules": rules,
        "verdicts": [dict(row) for row in claims],
        "comparison": dict(comparison),
        "changed": list(changed),
        "manifest": [{"file": name, "sha256": checksum} for name, checksum in sorted(checksums.items())],
    }


def markdown(record: Mapping[str, Any], comparison_lines: Iterable[str]) -> str:
    """Return the record for readers."""
    return "\n".join(_parts(record, comparison_lines)) + "\n"


def _parts(record: Mapping[str, Any], comparison_lines: Iterable[str]) -> Iterator[str]:
    dirty = {True: ", edited", False: ", as committed", None: ""}[record["dirty"]]
    yield f"# Review record of the {record['tier']} run\n"
    yield from _table(
        ("what", "value"),
        [
            ("commit", f"{record['commit']}{dirty}"),
            ("requirements.lock, SHA-256", record["lock_sha256"]),
            *record["machine"].items(),
            *record["versions"].items(),
        ],
    )
    yield "\n## Time and memory\n"
    yield "Seconds and CPU seconds are sums over the jobs of a rule; memory is that of its largest job.\n"
    yield from _table(
        ("rule", "jobs", "seconds", "CPU seconds", "peak MiB"),
        [
            (one["rule"], one["jobs"], f"{one['seconds']:.1f}", f"{one['cpu']:.1f}", f"{one['memory']:.0f}")
            for one in [*record["rules"], record["total"]]
        ],
    )
    yield "\n## Verdicts\n"
    yield from _table(
        ("statement", "verdict", "cases", "controls rejected", "passed"),
        [
            (
                row["title"],
                row["verdict"],
                row["cases"],
                f"{row['rejected']} of {row['controls']}",
                "yes" if row["passed"] else "NO",
            )
            for row in record["verdicts"]
        ],
    )
    yield "\n## Comparison with the reference values\n"
    yield from (f"- {line}" for line in comparison_lines)
    yield "\n## Outputs\n"
    yield from (f"- CHANGED: {line}" for line in record["changed"])
    yield f"{len(record['manifest'])} files; `snakemake verify_outputs` checks them.\n"
    yield from _table(("file", "SHA-256"), [(one["file"], one["sha256"]) for one in record["manifest"]])


def _table(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    for cells in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"
