"""What a stored table is: columns with a type, a unit and a meaning, some of which form the key."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One column of a stored table.

    Attributes
    ----------
    name, meaning
        Its name in the header and what it says.
    type
        "string", "integer", "number" (finite) or "boolean" (written true, false).
    unit
        The unit, "1" for counts and pure numbers, "" where none makes sense.
    key
        Whether it belongs to the key: no two rows agree in all key columns.
    nullable
        Whether an empty cell is allowed.
    allowed
        The values allowed; None for any.
    """

    name: str
    type: str
    meaning: str
    unit: str = ""
    key: bool = False
    nullable: bool = False
    allowed: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Table:
    """A stored table: its name (the file's name without the suffix), what it holds, its columns in order."""

    name: str
    meaning: str
    columns: tuple[Column, ...]


NOT_RUN = "not run"
"""A verdict where something needed was not to be had, such as a download."""

ACTIVATION = Column("activation", "string", "the activation σ", key=True)
SECONDS = Column("seconds", "number", "wall-clock time", unit="s")
