"""Every table that is stored: its columns, their types, units and meanings, its key; and validation."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any

from skip_absorption.errors import InvalidInput
from skip_absorption.results.checkpoint_tables import CHECKPOINTS
from skip_absorption.results.columns import NOT_RUN, SECONDS, Column, Table
from skip_absorption.results.depth_relu_tables import DEPTH_RELU
from skip_absorption.results.depth_tables import DEPTH
from skip_absorption.results.experiment_tables import EXPERIMENTS, RANDOM_MEASURES_SHARD

if TYPE_CHECKING:
    import pandas as pd


TABLES = {
    table.name: table
    for table in (
        Table(
            "checkpoint_decisions",
            "Condition (3) with biases, decided for the MLP blocks of trained networks",
            (
                Column("model", "string", "the checkpoint", key=True),
                Column("layer", "integer", "index of the block, from 0", unit="1", key=True),
                Column("d", "integer", "width of the residual stream", unit="1", nullable=True),
                Column("N", "integer", "hidden width", unit="1", nullable=True),
                Column("activation", "string", "the activation σ"),
                Column(
                    "verdict",
                    "string",
                    "whether the skip is absorbed at width N",
                    allowed=("ABSORBABLE", "NOT_ABSORBABLE", "UNKNOWN", NOT_RUN),
                ),
                Column("proof", "string", "what proves the verdict", nullable=True),
                Column(
                    "certificate_entries",
                    "integer",
                    "nonzero entries of the certificate's matrix",
                    unit="1",
                    nullable=True,
                ),
                Column("checked", "boolean", "whether the checker accepted the certificate", nullable=True),
                Column("hypotheses", "string", "the generic hypotheses, checked exactly", nullable=True),
                Column("seconds", "number", "wall-clock time", unit="s", nullable=True),
            ),
        ),
        *CHECKPOINTS,
        *EXPERIMENTS,
        *DEPTH,
        *DEPTH_RELU,
        Table(
            "formal",
            "The machine-checked theorems, by statement of the paper",
            (
                Column("number", "integer", "line of the ledger, from 1", unit="1", key=True),
                Column("statement", "string", "how the paper calls the statement"),
                Column("label", "string", "its label in the paper", nullable=True),
                Column("theorem", "string", "the theorem's name in Coq"),
                Column("file", "string", "its file under formal/"),
                Column("instance", "string", 'an example that satisfies its hypotheses; "-" if it has none'),
                Column(
                    "extent",
                    "string",
                    "whether the theorems with this label together say all that the statement says",
                    allowed=("whole", "part"),
                ),
                Column("covers", "string", "what the theorem is about"),
                Column("lines", "integer", "length of the file", unit="1"),
                Column("seconds", "number", "time to compile the file", unit="s", nullable=True),
                Column("axioms", "string", 'axioms used, as Coq\'s kernel lists them; "none"', nullable=True),
                Column("rechecked", "boolean", "whether coqchk, too, has checked the file", nullable=True),
                Column("status", "string", "whether Coq accepted the proof", allowed=("proved", NOT_RUN)),
            ),
        ),
        Table(
            "architectures",
            "Feedforward blocks of named architectures: what settles them, and how many random blocks agree",
            (
                Column("system", "string", "the architecture", key=True),
                Column("activation", "string", "the activation σ, or the gate g"),
                Column("gated", "boolean", "whether the block is gated"),
                Column("biases", "boolean", "whether it has hidden and output biases"),
                Column(
                    "skip",
                    "string",
                    "the skip matrix, on four streams unless it is the identity",
                    allowed=("identity", "mixing", "doubly stochastic"),
                ),
                Column("d", "integer", "width of a stream", unit="1", key=True),
                Column("N", "integer", "hidden width", unit="1"),
                Column(
                    "result",
                    "string",
                    "the statement that settles it",
                    allowed=("Theorem 4", "X1b", "X1", "Proposition 1", "Proposition 2"),
                ),
                Column(
                    "further_units",
                    "integer",
                    "generic least width − N; empty where no width will do",
                    unit="1",
                    nullable=True,
                ),
                Column("cases", "integer", "random blocks tried", unit="1"),
                Column("agree", "integer", "those for which the exact check agrees", unit="1"),
            ),
        ),
        Table(
            "verdicts",
            "One row per checked statement of the paper",
            (
                Column("claim", "string", "identifier: module, rule and file", key=True),
                Column("label", "string", "the label in the paper"),
                Column("title", "string", "how the paper calls it"),
                Column(
                    "evidence",
                    "string",
                    "the weakest kind of evidence",
                    allowed=("exact", "enclosure", "sampled", "numerical"),
                ),
                Column("cases", "integer", "instances tried", unit="1"),
                Column("controls", "integer", "false variants tried", unit="1"),
                Column("rejected", "integer", "false variants rejected", unit="1"),
                Column(
                    "verdict",
                    "string",
                    "the outcome on these cases",
                    allowed=("PROVED-ON-CASES", "REFUTED", "UNKNOWN"),
                ),
                Column("passed", "boolean", "proved on its cases, and every control rejected"),
                Column("found", "string", "what was found"),
                Column("expected", "string", "what the statement predicts"),
                SECONDS,
            ),
        ),
    )
}


RAW = {table.name: table for table in (RANDOM_MEASURES_SHARD,)}
"""Tables that stay among the raw results."""


def table_schema(name: str) -> Table:
    """Return the schema of a table; an unknown name is an error that lists the known ones."""
    known = TABLES | RAW
    if name not in known:
        raise InvalidInput("table", f"be one of {', '.join(sorted(TABLES))}", name)
    return known[name]


def _integer(value: Any) -> int:
    number = int(value)
    if isinstance(value, bool) or number != (float(value) if isinstance(value, str) else value):
        raise ValueError
    return number


def _number(value: Any) -> float:
    number = float(value)
    if isinstance(value, bool) or not isfinite(number):
        raise ValueError
    return number


def _boolean(value: Any) -> bool:
    if str(value).lower() not in {"true", "false"}:
        raise ValueError
    return str(value).lower() == "true"


def _string(value: Any) -> str:
    if not isinstance(value, str) or "\n" in value or "\r" in value or value != value.strip():
        raise ValueError
    return value


_READERS: dict[str, tuple[Callable[[Any], Any], str, str, str]] = {
    "string": (_string, "be one line of text", "str", "str"),
    "integer": (_integer, "be an integer", "int64", "Int64"),
    "number": (_number, "be a finite number", "float64", "float64"),
    "boolean": (_boolean, "be true or false", "bool", "boolean"),
}


def validate_table(name: str, frame: pd.DataFrame, *, source: str | None = None) -> pd.DataFrame:
    """Check a table against its schema and return it with the columns in order and typed.

    Parameters
    ----------
    name
        The table's name, one of `TABLES`.
    frame
        The rows, typed or as strings from a file; empty cells are None, NaN or "".
    source
        What the error names; the table's name when None.

    Raises
    ------
    InvalidInput
        For missing or unknown columns, a cell of the wrong type or not allowed, or a repeated key.
    """
    import pandas as pd

    table, source = table_schema(name), source or name
    expected = [column.name for column in table.columns]
    if sorted(frame.columns) != sorted(expected):
        raise InvalidInput(
            source, f"have the columns {', '.join(expected)}", ", ".join(map(str, frame.columns))
        )
    typed = {
        column.name: _typed(column, [_empty_to_none(v) for v in frame[column.name]], source)
        for column in table.columns
    }
    out = pd.DataFrame(typed)
    keys = [column.name for column in table.columns if column.key]
    repeated = out.duplicated(subset=keys)
    if repeated.any():
        first = out.loc[repeated, keys].iloc[0]
        raise InvalidInput(
            source, f"have one row per ({', '.join(keys)})", f"two rows for ({', '.join(map(str, first))})"
        )
    return out


def _empty_to_none(value: Any) -> Any:
    import pandas as pd

    return None if pd.isna(value) or value == "" else value


def _typed(column: Column, values: list[Any], source: str) -> pd.Series[Any]:
    import pandas as pd

    read, requirement, plain, with_missing = _READERS[column.type]
    cells: list[Any] = []
    for row, value in enumerate(values):
        where = f"{source}: {column.name} in row {row + 1}"
        if value is None:
            if not column.nullable:
                raise InvalidInput(where, "not be empty", '""')
            cells.append(None)
            continue
        try:
            cell = read(value)
        except (TypeError, ValueError, OverflowError):
            raise InvalidInput(where, requirement, value) from None
        if column.allowed is not None and cell not in column.allowed:
            raise InvalidInput(where, f"be one of {', '.join(column.allowed)}", cell)
        cells.append(cell)
    return pd.Series(cells, dtype=with_missing if column.nullable else plain)
