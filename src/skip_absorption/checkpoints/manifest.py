"""What a manifest says: of each block what was done, what that costs and how far it is from the original."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.checkpoints.block import CheckpointBlock
from skip_absorption.checkpoints.model_files import WITHOUT_SKIP
from skip_absorption.checkpoints.skipless import Skipless
from skip_absorption.checkpoints.tensors import Tensors
from skip_absorption.exact.rational import format_rational
from skip_absorption.networks.blocks import Mlp

_SAMPLES = 64


def manifest_block(
    index: int, block: CheckpointBlock, mlp: Mlp, made: Skipless, *, rng: np.random.Generator, seconds: float
) -> dict[str, Any]:
    """Return what was done to one block and what its new weights compute.

    Parameters
    ----------
    index
        Its number among the model's blocks.
    mlp, made
        The block's MLP, and what takes the place of x + MLP(x).
    rng
        Draws the sample inputs.
    seconds
        How long construction and proof took.
    """
    errors = {"skip": made.skip_error, "columns": made.column_error, "bias": made.bias_error}
    return {
        "index": index,
        "name": block.name,
        "family": block.family,
        "activation": block.activation,
        "norm": block.norm,
        "map": block.map_in_words,
        "d": mlp.d_in,
        "N": mlp.width,
        "width": made.twin.width,
        "least_width_at_least": made.lower,
        "least_width": list(made.how),
        "flipped": list(made.flipped),
        "doubled": list(made.doubled),
        "pairs": made.pairs,
        "largest_delta": made.largest,
        "exact": made.exact,
        "equality_proved": True,  # `without_skip` returns nothing else
        "residual": {
            **{name: format_rational(error) for name, error in errors.items()},
            **{f"{name}_rounded": float(error) for name, error in errors.items()},
            "skip_frobenius": made.skip_norm,
        },
        "samples": _SAMPLES,
        "outputs": _compared(mlp, made.twin, rng),
        "seconds": round(seconds, 3),
    }


def _compared(mlp: Mlp, twin: Mlp, rng: np.random.Generator) -> dict[str, Any]:
    """Compare x + MLP(x) with the twin at standard normal inputs, in single and in double precision."""
    points = rng.standard_normal((_SAMPLES, mlp.d_in))
    compared = {}
    for dtype in (np.float32, np.float64):
        x = points.astype(np.float32).astype(dtype)
        with np.errstate(all="ignore"):  # huge weights overflow
            before, after = _evaluated(mlp, x) + x, _evaluated(twin, x)
            found = {"greatest_difference": float(np.abs(after - before).max()), "ulps": ulps(before, after)}
        compared[np.dtype(dtype).name] = {
            name: value if np.isfinite(value) else None for name, value in found.items()
        }
    return compared


def _evaluated(mlp: Mlp, x: NDArray[Any]) -> NDArray[Any]:
    hidden = x @ mlp.w_up.T.astype(x.dtype)
    hidden = hidden if mlp.b_up is None else hidden + mlp.b_up.astype(x.dtype)
    out = mlp.activation.float(hidden).astype(x.dtype) @ mlp.w_down.T.astype(x.dtype)
    return np.asarray(out if mlp.b_down is None else out + mlp.b_down.astype(x.dtype))


def ulps(before: NDArray[Any], after: NDArray[Any]) -> float:
    """Return the greatest difference in units of the last place of the greatest entry of its own vector.

    Examples
    --------
    >>> ulps(np.float32([[1.0, 0.5]]), np.float32([[1.0, 0.5 + 2**-23]]))
    1.0
    """
    sizes = np.spacing(np.abs(before).max(axis=-1, keepdims=True))
    return float((np.abs(after.astype(np.float64) - before) / sizes).max())


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a SHA-256 of names, shapes and exact values (as doubles), whatever the type."""
    found = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        found.update(f"{name}{array.shape}".encode())
        found.update((array.astype("<f8") + 0.0).tobytes())
    return found.hexdigest()


def _costs(block: CheckpointBlock, width: int) -> dict[str, int]:
    """Return the MLP's parameters, and operations per position: two a weight, and d for the skip."""
    biases = (block.b_up is not None, block.b_down is not None)

    def parameters(n: int) -> int:
        return 2 * n * block.d + n * biases[0] + block.d * biases[1]

    return {
        "parameters_before": parameters(block.n),
        "parameters_after": parameters(width),
        "operations_before": 4 * block.n * block.d + block.d,
        "operations_after": 4 * width * block.d,
    }


def manifest_of(
    tensors: Tensors,
    found: Sequence[CheckpointBlock],
    entries: Sequence[dict[str, Any]],
    new: Sequence[Mapping[str, NDArray[Any]]],
    *,
    asked: str,
    width: int,
) -> dict[str, Any]:
    """Return the manifest of a model: its blocks, what they cost, and what must be known to run it.

    Parameters
    ----------
    found
        All blocks of the model.
    entries, new
        Of the chosen ones, what `manifest_block` returned, and the new tensors, padded.
    asked
        "minimal" or "exact".
    width
        The width of all chosen blocks, padding included.
    """
    blocks = [
        {
            **entry,
            "width": width,
            "padding": width - entry["width"],
            "digest": _digest(arrays),
            **_costs(found[entry["index"]], width),
        }
        for entry, arrays in zip(entries, new, strict=True)
    ]
    chosen = [block["index"] for block in blocks]
    widths = {width} | {block.n for index, block in enumerate(found) if index not in chosen}
    notes = [
        "whatever runs this model must leave out the residual addition around the MLP of these blocks: "
        + ", ".join(block["name"] for block in blocks),
        "a norm after the sum stays where it is, and normalises the MLP's output alone",
        "operations count two for each weight of the MLP and position, and d for the addition of the skip",
    ]
    if len(widths) > 1:
        notes.append(
            f"the blocks have the widths {sorted(widths)}, which a configuration with one width cannot say"
        )
    total = sum(int(np.prod(tensors.shape(name), dtype=np.int64)) for name in tensors.names())
    added = sum(block["parameters_after"] - block["parameters_before"] for block in blocks)
    return {
        "format": "skip-absorption manifest 1",
        "source": tensors.path.name,
        "asked": asked,
        "exact": all(block["exact"] for block in blocks),
        WITHOUT_SKIP: chosen,
        "blocks": blocks,
        "parameters_before": total,
        "parameters_after": total + added,
        "one_width": width if len(widths) == 1 else None,
        "notes": notes,
    }
