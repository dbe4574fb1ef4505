"""Every table that is stored: its columns, their types, units and meanings, its key; and validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from skip_absorption.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

NOT_RUN = "not run"


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


_ACTIVATION = Column("activation", "string", "the activation σ", key=True)
_SECONDS = Column("seconds", "number", "wall-clock time", unit="s")

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
        Table(
            "width_threshold",
            "Best fit of a residual-free MLP of a given width to x + W_down σ(W_up x)",
            (
                _ACTIVATION,
                Column("d", "integer", "input dimension", unit="1", key=True),
                Column("N", "integer", "hidden width of the target", unit="1", key=True),
                Column("target", "integer", "index of the target", unit="1", key=True),
                Column("extra", "integer", "the target's k*, exact", unit="1"),
                Column("width", "integer", "hidden width of the fit", unit="1", key=True),
                Column(
                    "linear_terms", "integer", "free linear terms of rank one beside it", unit="1", key=True
                ),
                Column("width_minus_N", "integer", "width − N", unit="1"),
                Column("best_train", "number", "least mean squared error on the training points", unit="1"),
                Column("best_heldout", "number", "the same network's error on fresh points", unit="1"),
                Column("max_weight", "number", "largest weight of that network in absolute value", unit="1"),
                Column("success", "boolean", "both errors < 1e-20 and all weights < 1e4"),
                Column(
                    "start",
                    "string",
                    "where that fit started: at random, or near rows made from the target's",
                    allowed=("random", "informed"),
                ),
                Column("restarts", "integer", "starting points tried", unit="1"),
                Column("long_steps", "integer", "steps by which that fit was continued", unit="1"),
                Column(
                    "halfway_train", "number", "best_train half-way through them", unit="1", nullable=True
                ),
                Column("halfway_weight", "number", "max_weight half-way", unit="1", nullable=True),
                _SECONDS,
            ),
        ),
        Table(
            "homogeneous",
            "Errors on the unit ball of homogeneous blocks fitted to one with an identity skip (X3)",
            (
                _ACTIVATION,
                Column("d", "integer", "input dimension", unit="1", key=True),
                Column("N", "integer", "hidden width of the target", unit="1", key=True),
                Column("target", "integer", "index of the target", unit="1", key=True),
                Column("width", "integer", "hidden width of the fit", unit="1", key=True),
                Column("greatest", "number", "greatest error on segments from 0 to the sphere", unit="1"),
                Column("least", "number", "least error on one of these segments", unit="1"),
                Column("bound", "number", "c_k, below which no segment's error lies", unit="1"),
                _SECONDS,
            ),
        ),
        Table(
            "minimal_width",
            "How often the least width N + k* of a residual-free MLP takes each value, decided exactly",
            (
                Column("family", "string", "a family with a known k*, or a random measure", key=True),
                Column("d", "integer", "input dimension", unit="1", key=True),
                Column("N", "integer", "hidden width", unit="1", key=True),
                Column(
                    "parameter",
                    "integer",
                    "random, planted: the k* meant; rank_deficient: rank of W_up; skips: rank of M; else 0",
                    unit="1",
                    key=True,
                ),
                Column("predicted", "integer", "least width - N as predicted", unit="1", nullable=True),
                Column("lower", "integer", "least width - N is at least", unit="1", key=True),
                Column("upper", "integer", "and at most; equal where decided", unit="1", key=True),
                Column("count", "integer", "networks with these bounds", unit="1"),
                Column("draws", "integer", "networks of this family, size and parameter", unit="1"),
                _SECONDS,
            ),
        ),
        Table(
            "random_measures",
            "How often random weights absorb the identity skip at their own width (ReLU), decided exactly",
            (
                Column("measure", "string", "the distribution of the weights", key=True),
                Column("d", "integer", "input dimension", unit="1", key=True),
                Column("N", "integer", "hidden width", unit="1", key=True),
                Column(
                    "method",
                    "string",
                    "independent draws, or all values with their multiplicity",
                    key=True,
                    allowed=("sampling", "enumeration"),
                ),
                Column("draws", "integer", "networks", unit="1"),
                Column("condition", "integer", "those that satisfy condition (3)", unit="1"),
                Column("condition_low", "number", "its probability is at least (95 %)", unit="1"),
                Column("condition_high", "number", "its probability is at most (95 %)", unit="1"),
                Column("violations", "integer", "those that break the generic hypotheses", unit="1"),
                Column(
                    "decided", "integer", "networks whose absorption was decided, the first ones", unit="1"
                ),
                Column("absorbable", "integer", "those among the decided that absorb the skip", unit="1"),
                Column("undecided", "integer", "those among the decided that stayed open", unit="1"),
                Column("fraction", "number", "absorbable / decided", unit="1"),
                Column("low", "number", "the probability to absorb is at least (95 %)", unit="1"),
                Column("high", "number", "the probability to absorb is at most (95 %)", unit="1"),
                _SECONDS,
            ),
        ),
        Table(
            "distance",
            "The least Frobenius norm of W_down[:,S] W_up[S,:] + I over all sets S of units",
            (
                Column("measure", "string", "the distribution of the weights", key=True),
                Column("d", "integer", "input dimension", unit="1", key=True),
                Column("N", "integer", "hidden width", unit="1", key=True),
                Column("draw", "integer", "index of the network", unit="1", key=True),
                Column("lower", "number", "a proved lower bound, rounded down", unit="1"),
                Column("upper", "number", "the norm at the best set found", unit="1"),
                Column(
                    "relaxed", "number", "the proved bound for weights in [0, 1] instead of a set", unit="1"
                ),
                Column("units", "integer", "size of the best set", unit="1"),
                Column(
                    "method",
                    "string",
                    "all sets listed; all boxes closed; or bounds left apart",
                    allowed=("enumeration", "branch and bound", "bounds"),
                ),
                Column("nodes", "integer", "sets listed, or boxes bounded", unit="1"),
                _SECONDS,
            ),
        ),
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
                _SECONDS,
            ),
        ),
    )
}


def table_schema(name: str) -> Table:
    """Return the schema of a table; an unknown name is an error that lists the known ones."""
    if name not in TABLES:
        raise InvalidInput("table", f"be one of {', '.join(sorted(TABLES))}", name)
    return TABLES[name]


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
