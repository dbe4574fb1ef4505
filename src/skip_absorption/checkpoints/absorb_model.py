"""A model whose chosen MLP blocks have no skip, verified before it is written, with a manifest that says how.

What changes is W_up, W_down and the biases of those blocks; whatever runs the model must leave out their residual
addition. Nothing else is touched. The manifest lists, for each block, what was done, which exact function the
written weights compute and how far it is from x + MLP(x), what it costs, and how floats agree on sample inputs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Budget
from skip_absorption.checkpoints.block import CheckpointBlock, TensorRef
from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.model_files import WEIGHTS, texts_beside, whole_directory, write_model
from skip_absorption.checkpoints.skipless import WIDTHS, Skipless, without_skip
from skip_absorption.checkpoints.tensors import Tensors, open_tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import format_rational
from skip_absorption.networks.activations import absorbing
from skip_absorption.networks.blocks import Mlp

MANIFEST = "absorption.json"
WITHOUT_SKIP = "mlp_without_skip"
"""The key, in config.json and in the file's metadata, that lists the blocks whose skip was absorbed."""

_WIDTH_KEYS = ("intermediate_size", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "hidden_dim", "d_ff")
_STORED = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_SAMPLES = 64


def absorb_model(
    path: str | Path,
    out: str | Path,
    *,
    blocks: Sequence[int] | None = None,
    width: str = "minimal",
    names: Mapping[str, Any] | None = None,
    rng: np.random.Generator | None = None,
    budget: Budget | None = None,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Write a model that computes what a given one does, without the skips of some MLP blocks.

    Parameters
    ----------
    path
        A model that `open_tensors` reads, of the kind safetensors.
    out
        A new directory, or a name that ends in .safetensors; the manifest is written into the directory, or
        beside the file.
    blocks
        Which of the blocks that `find_blocks` returns, from 0; None for all.
    width
        "minimal" or "exact", as for `without_skip`. All chosen blocks get the width of the widest, since
        configurations know one width; the units that pad the others have zero rows and columns.
    names
        Options of `find_blocks`: up, down, activation.
    rng
        Draws the sample inputs, and primes on which no answer depends; None for a fixed stream.
    budget
        For the search for a least width, for each block.
    progress
        Called with the fraction of the blocks that are done.

    Returns
    -------
    dict
        The manifest.

    Raises
    ------
    InvalidInput
        For a model of another kind, and for blocks whose skip cannot be absorbed, each with the reason.
    NotAbsorbable
        As `without_skip`.
    """
    if width not in WIDTHS:
        raise InvalidInput("width", f"be one of {', '.join(WIDTHS)}", width)
    stream = np.random.default_rng(0) if rng is None else rng
    path, out = Path(path), Path(out)
    with open_tensors(path) as tensors:
        if tensors.kind != "safetensors":
            raise InvalidInput(str(path), "be of the kind safetensors to be rewritten", tensors.kind)
        found = find_blocks(tensors, **dict(names or {}))
        chosen = _chosen(found, blocks)
        for index in chosen:
            _require_absorbable(tensors, found[index], index)
        made: dict[int, Skipless] = {}
        described = []
        for done, index in enumerate(chosen):
            if progress is not None:
                progress(done / len(chosen))
            started = perf_counter()
            block = found[index]
            mlp = _loaded(block, tensors)
            made[index] = without_skip(
                mlp, width=width, dtype=_stored_type(tensors, block), rng=stream, budget=budget
            )
            described.append(
                {"index": index, **_description(block, mlp, made[index], tensors), **_floats(mlp, made[index].twin, stream)}
            )
            described[-1]["seconds"] = round(perf_counter() - started, 3)
        common = max(skipless.twin.width for skipless in made.values())
        replaced: dict[str, NDArray[Any]] = {}
        for entry, index in zip(described, chosen, strict=True):
            new = _tensors_of(found[index], made[index].twin, common)
            replaced |= new
            entry |= {"width": common, "padding": common - made[index].twin.width, "digest": _digest(new)}
            entry |= _costs(found[index], common)
        manifest = _manifest(path, width, tensors, found, chosen, described)
        _write(out, tensors, replaced, manifest)
    if progress is not None:
        progress(1.0)
    return manifest


def _chosen(found: Sequence[CheckpointBlock], blocks: Sequence[int] | None) -> list[int]:
    chosen = list(range(len(found))) if blocks is None else [int(index) for index in blocks]
    if not chosen or len(set(chosen)) < len(chosen) or not all(0 <= i < len(found) for i in chosen):
        raise InvalidInput("blocks", f"be distinct numbers from 0 to {len(found) - 1}", list(chosen))
    return sorted(chosen)


def _require_absorbable(tensors: Tensors, block: CheckpointBlock, index: int) -> None:
    """Refuse a block whose skip no weights, or not these weights alone, can absorb, and say why."""
    where, already = f"block {index} ({block.name})", _already_without(tensors)
    if index in already:
        raise InvalidInput(where, "have a skip", "a block whose skip was absorbed before")
    if block.kind == "gated":
        raise InvalidInput(where, "be ungated: Proposition 2, no gated MLP absorbs a skip at any width", block.family)
    absorbing(block.activation)  # says which statement settles the others
    if block.norm == "pre":
        requirement = (
            "have no norm between skip and MLP: the skip of x + MLP(Norm(x)) carries x past the norm, and no MLP on "
            "Norm(x), which is bounded, replaces it at any width"
        )
        raise InvalidInput(where, requirement, f"{block.norm}-norm ({block.norm_from})")
    if block.norm == "unknown":
        requirement = "be known to have no norm between skip and MLP, as the configuration or a norm's name tells"
        raise InvalidInput(where, requirement, block.norm_from)
    if block.scale is not None:
        raise InvalidInput(where, "have no layer scale on the MLP's output", block.scale.name)
    if block.b_up is not None and block.b_down is None:
        raise InvalidInput(where, "have an output bias if it has hidden ones", "hidden biases alone")


def _already_without(tensors: Tensors) -> list[int]:
    try:
        listed = tensors.config.get(WITHOUT_SKIP) or json.loads(tensors.metadata.get(WITHOUT_SKIP, "[]"))
        return [int(index) for index in listed]
    except (TypeError, ValueError):
        raise InvalidInput(f"{tensors.path}: {WITHOUT_SKIP}", "list blocks", "something else") from None


def _loaded(block: CheckpointBlock, tensors: Tensors) -> Mlp:
    mlp = block.load(tensors)
    assert isinstance(mlp, Mlp)  # `_require_absorbable` refuses the gated ones
    return mlp


def _refs(block: CheckpointBlock) -> dict[str, TensorRef]:
    refs = {"w_up": block.up, "w_down": block.down, "b_up": block.b_up, "b_down": block.b_down}
    return {name: ref for name, ref in refs.items() if ref is not None}


def _stored_type(tensors: Tensors, block: CheckpointBlock) -> np.dtype[Any]:
    import ml_dtypes  # noqa: F401  # registers bfloat16 with NumPy

    codes = {tensors.dtype(ref.name) for ref in _refs(block).values()}
    if len(codes) > 1 or not codes <= _STORED.keys():
        raise InvalidInput(block.name, f"be stored in one of the types {', '.join(_STORED)}", sorted(codes))
    return np.dtype(_STORED[codes.pop()])


def _description(block: CheckpointBlock, mlp: Mlp, made: Skipless, tensors: Tensors) -> dict[str, Any]:
    return {
        "name": block.name,
        "family": block.family,
        "activation": block.activation,
        "norm": block.norm,
        "map": block.map_in_words,
        "dtype": tensors.dtype(block.down.name),
        "d": mlp.d_in,
        "N": mlp.width,
        "least_width_at_least": made.lower,
        "least_width": list(made.how),
        "flipped": list(made.flipped),
        "doubled": list(made.doubled),
        "pairs": made.pairs,
        "largest_delta": made.largest,
        "exact": made.exact,
        "equality_proved": True,  # `without_skip` returns nothing else
        "residual": {
            "skip": format_rational(made.skip_error),
            "skip_rounded": float(made.skip_error),
            "skip_frobenius": made.skip_norm,
            "columns": format_rational(made.column_error),
            "columns_rounded": float(made.column_error),
            "bias": format_rational(made.bias_error),
            "bias_rounded": float(made.bias_error),
        },
    }


def _floats(mlp: Mlp, twin: Mlp, rng: np.random.Generator) -> dict[str, Any]:
    """Compare x + MLP(x) with the twin at standard normal inputs, in single and in double precision."""
    points = rng.standard_normal((_SAMPLES, mlp.d_in))
    compared = {}
    for dtype in (np.float32, np.float64):
        x = points.astype(np.float32).astype(dtype)
        before, after = _evaluated(mlp, x) + x, _evaluated(twin, x)
        compared[np.dtype(dtype).name] = {
            "greatest_difference": float(np.abs(after - before).max()),
            "ulps": ulps(before, after),
        }
    return {"samples": _SAMPLES, "outputs": compared}


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


def _tensors_of(block: CheckpointBlock, twin: Mlp, width: int) -> dict[str, NDArray[Any]]:
    """Return the twin's arrays, padded with zero units to a width, as the block's tensors store them."""
    more = width - twin.width
    arrays = {"w_up": np.pad(twin.w_up, ((0, more), (0, 0))), "w_down": np.pad(twin.w_down, ((0, 0), (0, more)))}
    if twin.b_up is not None:
        arrays["b_up"] = np.pad(twin.b_up, (0, more))
    if twin.b_down is not None:
        arrays["b_down"] = np.asarray(twin.b_down)
    refs = _refs(block)
    return {refs[key].name: array.T if refs[key].transposed else array for key, array in arrays.items()}


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a SHA-256 of names, shapes and exact values (as doubles), whatever the type."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name}{array.shape}".encode())
        digest.update((array.astype("<f8") + 0.0).tobytes())
    return digest.hexdigest()


def _costs(block: CheckpointBlock, width: int) -> dict[str, int]:
    """Return parameters of the block's MLP, and operations per position: two for each weight, d for the skip."""
    biases = (block.b_up is not None, block.b_down is not None)

    def parameters(n: int) -> int:
        return 2 * n * block.d + n * biases[0] + block.d * biases[1]

    return {
        "parameters_before": parameters(block.n),
        "parameters_after": parameters(width),
        "operations_before": 4 * block.n * block.d + block.d,
        "operations_after": 4 * width * block.d,
    }


def _manifest(
    path: Path,
    width: str,
    tensors: Tensors,
    found: Sequence[CheckpointBlock],
    chosen: list[int],
    described: list[dict[str, Any]],
) -> dict[str, Any]:
    total = sum(int(np.prod(tensors.shape(name), dtype=np.int64)) for name in tensors.names())
    added = sum(entry["parameters_after"] - entry["parameters_before"] for entry in described)
    notes = [
        "whatever runs this model must leave out the residual addition around the MLP of these blocks: "
        + ", ".join(found[index].name for index in chosen),
        "a norm after the sum stays where it is, and normalises the MLP's output alone",
    ]
    widths = {entry["width"] for entry in described} | {
        block.n for index, block in enumerate(found) if index not in chosen
    }
    if len(widths) > 1:
        notes.append(f"the blocks have the widths {sorted(widths)}, which a configuration with one width cannot say")
    return {
        "format": "skip-absorption manifest 1",
        "source": path.name,
        "width": width,
        "exact": all(entry["exact"] for entry in described),
        WITHOUT_SKIP: chosen,
        "blocks": described,
        "parameters_before": total,
        "parameters_after": total + added,
        "one_width": widths.pop() if len(widths) == 1 else None,
        "notes": notes,
    }


def _write(out: Path, tensors: Tensors, replaced: Mapping[str, NDArray[Any]], manifest: dict[str, Any]) -> None:
    """Write weights, configuration and manifest, read the weights back, and let them appear all at once."""
    metadata = {WITHOUT_SKIP: json.dumps(manifest[WITHOUT_SKIP])}
    text = json.dumps(manifest, indent=2) + "\n"
    if out.suffix == ".safetensors":
        beside = out.with_suffix(".absorption.json")
        for place in (out, beside):
            if place.exists():
                raise InvalidInput("the output", "be a new file", str(place))
        with whole_directory(out.with_name(f".{out.name}.new")) as folder:
            _write_verified(folder / WEIGHTS, tensors, replaced, metadata)
            (folder / WEIGHTS).rename(out)
            beside.write_text(text, encoding="utf-8")
        out.with_name(f".{out.name}.new").rmdir()
        return
    with whole_directory(out) as folder:
        _write_verified(folder / WEIGHTS, tensors, replaced, metadata)
        for name, content in texts_beside(tensors.path).items():
            (folder / name).write_bytes(content)
        if tensors.config:
            config = json.dumps(_configuration(tensors.config, manifest), indent=2) + "\n"
            (folder / "config.json").write_text(config, encoding="utf-8")
        (folder / MANIFEST).write_text(text, encoding="utf-8")


def _write_verified(
    path: Path, tensors: Tensors, replaced: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> None:
    write_model(path, tensors, replaced, metadata)
    with open_tensors(path) as written:
        for name, values in replaced.items():
            if not np.array_equal(written.read(name), values):
                raise AssertionError(f"{name} was not written as computed, please report")


def _configuration(config: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration for the new model, under a type that loaders which add the skip do not know."""
    changed = {**config, WITHOUT_SKIP: manifest[WITHOUT_SKIP]}
    if isinstance(config.get("model_type"), str):
        changed["model_type"] = f"{config['model_type']}-without-mlp-skip"
    before = {entry["N"] for entry in manifest["blocks"]}
    for key in _WIDTH_KEYS:
        if manifest["one_width"] is not None and config.get(key) in before:
            changed[key] = manifest["one_width"]
    return changed
