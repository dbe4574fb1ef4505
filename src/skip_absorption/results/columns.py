"""What a stored table is: columns with a type, a unit and a meaning, some of which form the key."""

from __future__ import annotations

from dataclasses import dataclass

EXACT, ROUNDING, SINGLE, NOISE, FIT, PATH, VOLATILE = (
    "exact", "rounding", "single", "noise", "fit", "path", "volatile"
)  # fmt: skip

TOLERANCES = {
    EXACT: "equal: verdicts, counts, names and all else that is decided without floats",
    ROUNDING: "1e-6 of the value, or 1e-12: processors and BLAS libraries add the same floats in other order",
    SINGLE: "1e-4 of the value, or 1e-12: the same, in single precision",
    NOISE: "a factor of 10, errors below 1e-20 alike: an error of rounding, of which the size is the result",
    FIT: "a factor of 100, errors below 1e-20 alike: a descent takes another way from the first last digit"
    " on, and only the size of the error that it ends with is a result",
    PATH: "not compared: how a search or a descent in floats went, not where it ended",
    VOLATILE: "not compared: time and memory",
}
"""How far a correct run may be from the reference values in a column, and why."""


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
    tolerance
        How a correct run elsewhere may differ, a key of `TOLERANCES`; "" for what type and unit suggest.
    """

    name: str
    type: str
    meaning: str
    unit: str = ""
    key: bool = False
    nullable: bool = False
    allowed: tuple[str, ...] | None = None
    tolerance: str = ""

    @property
    def comparison(self) -> str:
        """How a correct run elsewhere may differ in this column, a key of `TOLERANCES`."""
        if self.tolerance:
            return self.tolerance
        if self.unit in ("s", "MiB"):
            return VOLATILE
        return ROUNDING if self.type == "number" and not self.key else EXACT


@dataclass(frozen=True)
class Table:
    """A stored table: its name (the file's name without the suffix), what it holds, its columns in order."""

    name: str
    meaning: str
    columns: tuple[Column, ...]


NOT_RUN = "not run"
"""A verdict where something needed was not to be had, such as a download."""

ACTIVATION = Column("activation", "string", "the activation σ", key=True)
MEASURE = Column("measure", "string", "the distribution of the weights", key=True)
D = Column("d", "integer", "input dimension", unit="1", key=True)
N = Column("N", "integer", "hidden width", unit="1", key=True)
TARGET = Column("target", "integer", "index of the target", unit="1", key=True)
TRAIN = Column(
    "best_train", "number", "least mean squared error on the training points", unit="1", tolerance=FIT
)
HELDOUT = Column(
    "best_heldout", "number", "the same network's error on fresh points", unit="1", tolerance=FIT
)
RESTARTS = Column("restarts", "integer", "starting points tried", unit="1", tolerance=PATH)
SECONDS = Column("seconds", "number", "wall-clock time", unit="s")
