"""Reading and writing results: validated on both ways, and never half-written.

A file is written under a temporary name in its own directory and then renamed, so that what stands under
the final name is always whole.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skip_absorption.errors import InvalidInput
from skip_absorption.files import whole_file
from skip_absorption.results.columns import VOLATILE
from skip_absorption.results.schema import table_schema, validate_table

if TYPE_CHECKING:
    import pandas as pd

UNTIMED = "SKIP_ABSORPTION_UNTIMED"
"""Where this environment variable is 1, times and memory are stored as 0: two runs give the same bytes."""


def untimed() -> bool:
    """Whether measured times and memory are stored as 0."""
    return os.environ.get(UNTIMED) == "1"


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path as `whole_file` does, in a folder that is made if it is missing."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        yield partial


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write UTF-8 text with plain newlines, atomically."""
    with atomic_path(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | os.PathLike[str], data: Mapping[str, Any]) -> None:
    """Write JSON with sorted keys, atomically; NaN and infinities are refused.

    What is called ``seconds`` is 0 where times are not stored.

    Raises
    ------
    InvalidInput
        If a value is not a JSON value.
    """
    try:
        kept = _without_times(data) if untimed() else data
        text = json.dumps(kept, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(str(path), "hold JSON values", str(error)) from None
    write_text(path, text + "\n")


def _without_times(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: 0.0 if key == "seconds" else _without_times(inner) for key, inner in value.items()}
    return [_without_times(inner) for inner in value] if isinstance(value, list | tuple) else value


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file.

    Raises
    ------
    InvalidInput
        If the file is missing, is not UTF-8 or is not JSON.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except OSError as error:
        raise InvalidInput(str(path), "be a readable file", error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(str(path), "be a JSON file", str(error)) from None


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


@cache
def claim_schema() -> dict[str, Any]:
    """Return the JSON schema of a claim's result."""
    text = files("skip_absorption.results").joinpath("schemas/claim.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def _claim_validator() -> Callable[[Any], Any]:
    import fastjsonschema  # jsonschema would take a second to import beside Jupyter, in every job

    validator: Callable[[Any], Any] = fastjsonschema.compile(claim_schema(), use_default=False)
    return validator


def validate_claim(result: Any, *, source: str = "claim") -> dict[str, Any]:
    """Check a claim's result against its schema and return it.

    Raises
    ------
    InvalidInput
        One line that names the key, for the first violation.
    """
    from fastjsonschema import JsonSchemaValueException

    try:
        checked: dict[str, Any] = _claim_validator()(result)
    except JsonSchemaValueException as error:
        name = error.name or "data"
        key, requirement = name.removeprefix("data"), error.message.removeprefix(f"{name} must ")
        raise InvalidInput(f"{source}{key}", requirement, error.value) from None
    return checked


def write_claim(path: str | os.PathLike[str], result: Mapping[str, Any]) -> None:
    """Validate a claim's result and write it."""
    write_json(path, validate_claim(dict(result), source=str(path)))


def read_claim(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a claim's result and validate it."""
    return validate_claim(read_json(path), source=str(path))


def write_table(name: str, frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Validate a table and write it as CSV, sorted by its key; floats are written to round-trip."""
    table = validate_table(name, frame, source=str(path))
    keys = [column.name for column in table_schema(name).columns if column.key]
    table = table.sort_values(keys, kind="stable", ignore_index=True)
    for column in table_schema(name).columns:
        if untimed() and column.comparison == VOLATILE:
            table[column.name] = table[column.name].where(table[column.name].isna(), 0.0)
        if column.type == "boolean":
            table[column.name] = table[column.name].map({True: "true", False: "false"})
    with atomic_path(path) as partial:
        table.to_csv(partial, index=False, lineterminator="\n", encoding="utf-8")


def write_parquet(name: str, frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Validate a table and write it as Parquet, with the units and meanings of its columns as metadata.

    The same table gives the same bytes, as long as pyarrow is the same.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = table_schema(name)
    table = pa.Table.from_pandas(validate_table(name, frame, source=str(path)), preserve_index=False)
    fields = [
        table.field(column.name).with_metadata({"unit": column.unit, "meaning": column.meaning})
        for column in schema.columns
    ]
    described = table.cast(pa.schema(fields, metadata={"table": name, "meaning": schema.meaning}))
    with atomic_path(path) as partial:
        pq.write_table(described, partial)


def read_table(name: str, path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a CSV table and validate it against the schema of that name.

    Raises
    ------
    InvalidInput
        If the file is missing, is not CSV or breaks the schema.
    """
    import pandas as pd

    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file, strict=True)) or [[]]
    except OSError as error:
        raise InvalidInput(str(path), "be a readable file", error.strerror or str(error)) from None
    except (ValueError, csv.Error) as error:
        raise InvalidInput(str(path), "be a CSV file", str(error)) from None
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise InvalidInput(f"{path}: row {number}", f"have {len(header)} cells", len(row))
    frame = pd.DataFrame(rows, columns=header, dtype=object)
    return validate_table(name, frame, source=str(path))


def merge_tables(name: str, parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Join the rows of several cells into one validated table."""
    import pandas as pd

    rows = [row for part in parts for row in part.to_dict("records")]
    columns = [column.name for column in table_schema(name).columns]
    return validate_table(name, pd.DataFrame(rows, columns=columns))
