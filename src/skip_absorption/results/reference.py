"""What a correct run must give: reference values of every table and claim, and what moved since.

What is compared, and how strictly, follows from the tables' schema (`Column.comparison`): a new table needs
nothing here. Of each table the reference keeps the number of rows; for an exact column a digest of all its
cells; for a column of floats its least, median and greatest value; and up to `KEPT` rows, evenly spaced, to
show where something moved. Times and memory are in no reference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, log10
from typing import TYPE_CHECKING, Any

from skip_absorption.errors import InvalidInput
from skip_absorption.results.columns import EXACT, FIT, NOISE, NOT_RUN, ROUNDING, SINGLE, Column
from skip_absorption.results.schema import table_schema

if TYPE_CHECKING:
    import pandas as pd

KEPT = 60
"""Rows kept of a table at most."""

RELATIVE, ABSOLUTE = {ROUNDING: 1e-6, SINGLE: 1e-4}, 1e-12
POWERS, NOTHING = {NOISE: 1.0, FIT: 2.0}, 1e-20  # of ten between two errors; the error that counts as none
_DIGITS = {ROUNDING: 9, SINGLE: 9, NOISE: 3, FIT: 3}
CLAIM_KEYS = ("verdict", "cases", "found", "expected")


@dataclass(frozen=True)
class Difference:
    """A value that is not that of the reference.

    Attributes
    ----------
    where
        Table and column, or claim and key, and the row where it is known.
    was, now
        The reference value and that of this run.
    by
        How far they are apart, in words; "" for values that are not numbers.
    allowed
        Whether the tolerance of the column allows it.
    share
        For floats, how much of the tolerance it takes, at most 1e9; 0 for all else.
    """

    where: str
    was: str
    now: str
    by: str
    allowed: bool
    share: float = 0.0


def distance(kind: str, was: float | None, now: float | None) -> tuple[float, str]:
    """Return how far two floats are apart, 1 being the most that is allowed, and the same in words.

    Examples
    --------
    >>> distance("rounding", 1.0, 1.0 + 1e-7)[1]
    'relative 1.0e-07'
    >>> distance("fit", 1e-30, 1e-25)
    (0.0, '')
    """
    if was is None or now is None:
        return (0.0, "") if was is now else (inf, "empty in one of them")
    if kind in POWERS:
        powers = abs(log10(max(abs(was), NOTHING)) - log10(max(abs(now), NOTHING)))
        return powers / POWERS[kind], f"a factor of {10**powers:.1f}" if powers else ""
    gap, size = abs(was - now), max(abs(was), abs(now))
    if not gap:
        return 0.0, ""
    return min(gap / (RELATIVE[kind] * size), gap / ABSOLUTE), f"relative {gap / size:.1e}"


def _prepared(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    keys = [column.name for column in table_schema(name).columns if column.key]
    return frame.sort_values(keys, kind="stable", ignore_index=True)


def _text(value: Any) -> str:
    import pandas as pd

    if pd.isna(value):
        return ""
    return str(value).lower() if str(value) in ("True", "False") else str(value)


def _digest(cells: pd.Series[Any]) -> str:
    return hashlib.sha256("\n".join(map(_text, cells)).encode()).hexdigest()[:16]


def _number(value: Any) -> float | None:
    import pandas as pd

    return None if value == "" or pd.isna(value) else float(value)


def _compared(name: str) -> list[Column]:
    return [column for column in table_schema(name).columns if column.comparison in (EXACT, *_DIGITS)]


def _statistics(cells: pd.Series[Any]) -> dict[str, float | int | None]:
    present = cells.dropna()
    return {
        "least": _number(present.min()) if len(present) else None,
        "median": _number(present.median()) if len(present) else None,
        "greatest": _number(present.max()) if len(present) else None,
        "empty": int(cells.isna().sum()),
    }


def summary(name: str, frame: pd.DataFrame) -> dict[str, Any]:
    """Return what the reference says of all rows of a table: their number, digests, and spans of floats."""
    table = _prepared(name, frame)
    return {
        "rows": len(table),
        "exact": {c.name: _digest(table[c.name]) for c in _compared(name) if c.comparison == EXACT},
        "floats": {c.name: _statistics(table[c.name]) for c in _compared(name) if c.comparison != EXACT},
    }


def kept_rows(name: str, frame: pd.DataFrame) -> list[dict[str, str]]:
    """Return up to `KEPT` rows, evenly spaced, of the columns compared, as texts."""
    table = _prepared(name, frame)
    count = min(KEPT, len(table))
    places = [i * len(table) // count for i in range(count)]
    return [
        {c.name: _short(c.comparison, table[c.name].iloc[place]) for c in _compared(name)} for place in places
    ]


def _short(kind: str, value: Any) -> str:
    """Return a cell as kept: exact ones in full, floats with more digits than their tolerance asks for."""
    digits = _DIGITS.get(kind)
    return _text(value) if digits is None or _text(value) == "" else f"{value:.{digits}g}"


def not_run(frame: pd.DataFrame) -> bool:
    """Whether some row of a table says that it could not be run, for want of a program or a download."""
    return any((frame[name] == NOT_RUN).any() for name in frame.columns)


def compare_table(
    name: str, said: Mapping[str, Any], kept: Sequence[Mapping[str, str]], frame: pd.DataFrame
) -> Iterator[Difference]:
    """Yield what moved in a table.

    Parameters
    ----------
    name
        The table.
    said, kept
        Its reference: the `summary` and the `kept_rows`.
    frame
        The table of this run.
    """
    table, now = _prepared(name, frame), summary(name, frame)
    columns = {column.name: column for column in _compared(name)}
    if set(said["exact"]) | set(said["floats"]) != set(columns) or set(now["exact"]) != set(said["exact"]):
        old, new = sorted({*said["exact"], *said["floats"]}), sorted(columns)
        yield Difference(f"{name}: columns", ", ".join(old), ", ".join(new), "", allowed=False)
        return
    if said["rows"] != now["rows"]:
        by = f"{now['rows'] - said['rows']:+d}"
        yield Difference(f"{name}: rows", str(said["rows"]), str(now["rows"]), by, allowed=False)
    keys = [column.name for column in columns.values() if column.key]
    places = {tuple(map(_text, row)): i for i, row in enumerate(table[keys].itertuples(index=False))}
    for row in kept:
        place = places.get(tuple(row[key] for key in keys))
        here = ", ".join(f"{key} = {row[key]}" for key in keys)
        if place is None:
            yield Difference(f"{name}: row ({here})", "there", "missing", "", allowed=False)
            continue
        for column in columns.values():
            cell = _short(column.comparison, table[column.name].iloc[place])
            yield from _cell(f"{name}.{column.name} at {here}", column.comparison, row[column.name], cell)
    for column, digest in said["exact"].items():
        if digest != now["exact"][column]:
            where = f"{name}.{column}, all rows (digest)"
            yield Difference(where, digest, now["exact"][column], "", allowed=False)
    for column, statistics in said["floats"].items():
        for which, was in statistics.items():
            kind = EXACT if which == "empty" else columns[column].comparison
            yield from _cell(f"{name}.{column}, {which} of all rows", kind, was, now["floats"][column][which])


def _cell(where: str, kind: str, was: Any, now: Any) -> Iterator[Difference]:
    if kind == EXACT:
        if _text(was) != _text(now):
            yield Difference(where, _text(was), _text(now), "", allowed=False)
        return
    apart, by = distance(kind, _number(was), _number(now)) if was != now else (0.0, "")
    if apart:
        yield Difference(where, f"{was}", f"{now}", by, allowed=apart <= 1, share=min(apart, 1e9))


def claim_values(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the reference keeps of a claim's result."""
    controls = {control["name"]: control["rejected"] for control in result["controls"]}
    return {**{key: result[key] for key in CLAIM_KEYS}, "controls": controls}


def compare_claim(said: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield what moved in a claim's result: verdict, cases, texts, and the controls by name."""
    now, name = claim_values(result), result["id"]
    for key in CLAIM_KEYS:
        yield from _cell(f"{name}: {key}", EXACT, said[key], now[key])
    for control in sorted({*said["controls"], *now["controls"]}):
        was, is_now = (
            {True: "rejected", False: "not rejected", None: "absent"}[found.get(control)]
            for found in (said["controls"], now["controls"])
        )
        yield from _cell(f"{name}: control {control}", EXACT, was, is_now)


def report(
    reference: Mapping[str, Any],
    kept: Mapping[str, Sequence[Mapping[str, str]]],
    tables: Mapping[str, pd.DataFrame],
    claims: Mapping[str, Mapping[str, Any]],
    *,
    settings: Mapping[str, str],
    machine: Mapping[str, str],
) -> dict[str, Any]:
    """Compare a run with its reference and return all that there is to say, as JSON values.

    Parameters
    ----------
    reference
        As `make` returns it; empty where there is none.
    kept
        The kept rows of each table.
    tables, claims
        The results of this run, by name.
    settings
        A digest of each part of the configuration.
    machine
        What the run was made on.
    """
    known = {"tables": {}, "claims": {}, "settings": {}, "machine": {}} | dict(reference)
    found, compared, without, set_aside = list[Difference](), 0, list[str](), list[str]()
    for name, frame in tables.items():
        if name not in known["tables"] or name not in kept:
            without.append(name)
        elif known["tables"][name]["not_run"] or not_run(frame):
            set_aside.append(name)
        else:
            compared += 1
            found += compare_table(name, known["tables"][name], kept[name], frame)
    for id, result in claims.items():
        if id in known["claims"]:
            found += compare_claim(known["claims"][id], result)
        else:
            without.append(id)
    gone = [f"{name}: no longer made" for name in known["tables"] if name not in tables]
    gone += [f"{id}: no longer checked" for id in known["claims"] if id not in claims]
    found += [Difference(where, "in the reference", "missing", "", allowed=False) for where in gone]
    changed = {*known["settings"].items()} ^ {*settings.items()} if known["settings"] else set()
    return {
        "machine": dict(machine),
        "reference_machine": known["machine"],
        "tables": compared,
        "claims": len(claims.keys() & known["claims"].keys()),
        "without_reference": without,
        "not_run": set_aside,
        "settings_changed": sorted({key for key, _ in changed}),
        "outside": sum(not difference.allowed for difference in found),
        "moved": [asdict(difference) for difference in found],
    }


def make(
    tables: Mapping[str, pd.DataFrame],
    claims: Mapping[str, Mapping[str, Any]],
    *,
    settings: Mapping[str, str],
    machine: Mapping[str, str],
) -> dict[str, Any]:
    """Return the reference of a run, less the rows that are kept; arguments as in `report`."""
    if not tables or not claims:
        raise InvalidInput("the run", "have tables and claims", f"{len(tables)} and {len(claims)}")
    return {
        "machine": dict(machine),
        "settings": dict(settings),
        "tables": {
            name: summary(name, frame) | {"not_run": not_run(frame)} for name, frame in tables.items()
        },
        "claims": {id: claim_values(result) for id, result in claims.items()},
    }
