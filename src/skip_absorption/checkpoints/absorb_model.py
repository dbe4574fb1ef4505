"""A model whose chosen MLP blocks have no skip, verified before it is written, with a manifest.

What changes is W_up, W_down and the biases of those blocks; whatever runs the model must leave out their
residual addition. The manifest lists, for each block, what was done, which exact function the written weights
compute and how far it is from x + MLP(x), what it costs, and how floats agree on sample inputs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.budget import Budget
from skip_absorption.checkpoints.block import CheckpointBlock, TensorRef
from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.manifest import manifest_block, manifest_of
from skip_absorption.checkpoints.model_files import (
    WEIGHTS,
    WITHOUT_SKIP,
    absorbed_blocks,
    scratch_directory,
    texts_beside,
    whole_directory,
    write_model,
)
from skip_absorption.checkpoints.remarks import about_activations, about_unread
from skip_absorption.checkpoints.skipless import Skipless, without_skip
from skip_absorption.checkpoints.tensors import Tensors, open_tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.activations import absorbing
from skip_absorption.networks.blocks import Mlp

MANIFEST = "absorption.json"
_WIDTH_KEYS = ("intermediate_size", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "hidden_dim", "d_ff")
_OTHER_FORMATS = (".npz", ".npy", ".json", ".onnx", ".pt", ".pth", ".bin", ".whl", ".zip")
_STORED = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}


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
    stream = np.random.default_rng(0) if rng is None else rng
    path, out = Path(path), Path(out)
    if out.suffix.lower() in _OTHER_FORMATS:
        raise InvalidInput(
            "the output", "be a directory or end in .safetensors, the one format written", str(out)
        )
    with open_tensors(path) as tensors:
        if tensors.kind != "safetensors":
            raise InvalidInput(str(path), "be of the kind safetensors to be rewritten", tensors.kind)
        found = find_blocks(tensors, **dict(names or {}))
        chosen = _chosen(found, blocks)
        for index in chosen:
            _require_absorbable(tensors, found[index], index)
        made: list[Skipless] = []
        entries = []
        for done, index in enumerate(chosen):
            if progress is not None:
                progress(done / len(chosen))
            started = perf_counter()
            mlp: Any = found[index].load(tensors)
            kind = _stored_type(tensors, found[index])
            with _within_range(found[index], kind):
                made.append(without_skip(mlp, width=width, dtype=kind, rng=stream, budget=budget))
                seconds = perf_counter() - started
                entries.append(
                    manifest_block(index, found[index], mlp, made[-1], rng=stream, seconds=seconds)
                )
        common = max(skipless.twin.width for skipless in made)
        new = [
            _tensors_of(found[index], skipless.twin, common)
            for index, skipless in zip(chosen, made, strict=True)
        ]
        manifest = manifest_of(tensors, found, entries, new, asked=width, width=common)
        manifest["notes"] += [
            *about_unread(tensors, found),
            *about_activations([found[index] for index in chosen]),
        ]
        _write(out, tensors, {name: array for arrays in new for name, array in arrays.items()}, manifest)
    if progress is not None:
        progress(1.0)
    return manifest


@contextmanager
def _within_range(block: CheckpointBlock, kind: np.dtype[Any]) -> Iterator[None]:
    """Name the block whose corrections are too large, as those of denormal rows are."""
    try:
        yield
    except (OverflowError, np.linalg.LinAlgError):
        requirement = f"have a twin without skip whose weights are numbers of type {kind}"
        raise InvalidInput(block.name, requirement, "larger ones") from None


def _chosen(found: Sequence[CheckpointBlock], blocks: Sequence[int] | None) -> list[int]:
    chosen = list(range(len(found))) if blocks is None else [int(index) for index in blocks]
    if not chosen or len(set(chosen)) < len(chosen) or not all(0 <= i < len(found) for i in chosen):
        raise InvalidInput("blocks", f"be distinct numbers from 0 to {len(found) - 1}", list(chosen))
    return sorted(chosen)


def _require_absorbable(tensors: Tensors, block: CheckpointBlock, index: int) -> None:
    """Refuse a block whose skip no weights, or not these weights alone, can absorb, and say why."""
    where = f"block {index} ({block.name})"
    if index in absorbed_blocks(tensors):
        raise InvalidInput(where, "have a skip", "a block whose skip was absorbed before")
    if block.kind == "gated":
        raise InvalidInput(
            where, "be ungated: Proposition 2, no gated MLP absorbs a skip at any width", block.family
        )
    absorbing(block.activation)  # says which statement settles the others
    if block.norm == "pre":
        requirement = (
            "have no norm between skip and MLP: the skip of x + MLP(Norm(x)) carries x past the norm, and "
            "no MLP on Norm(x), which is bounded, replaces it at any width"
        )
        raise InvalidInput(where, requirement, f"{block.norm}-norm ({block.norm_from})")
    if block.norm == "unknown":
        requirement = (
            "be known to have no norm between skip and MLP, as the configuration or a norm's name tells"
        )
        raise InvalidInput(where, requirement, block.norm_from)
    if block.scale is not None:
        raise InvalidInput(where, "have no layer scale on the MLP's output", block.scale.name)
    if block.b_up is not None and block.b_down is None:
        raise InvalidInput(where, "have an output bias if it has hidden ones", "hidden biases alone")


def _refs(block: CheckpointBlock) -> dict[str, TensorRef]:
    refs = {"w_up": block.up, "w_down": block.down, "b_up": block.b_up, "b_down": block.b_down}
    return {name: ref for name, ref in refs.items() if ref is not None}


def _stored_type(tensors: Tensors, block: CheckpointBlock) -> np.dtype[Any]:
    import ml_dtypes  # noqa: F401  # registers bfloat16 with NumPy

    codes = {tensors.dtype(ref.name) for ref in _refs(block).values()}
    if len(codes) > 1 or not codes <= _STORED.keys():
        raise InvalidInput(block.name, f"be stored in one of the types {', '.join(_STORED)}", sorted(codes))
    return np.dtype(_STORED[codes.pop()])


def _tensors_of(block: CheckpointBlock, twin: Mlp, width: int) -> dict[str, NDArray[Any]]:
    """Return the twin's arrays, padded with zero units to a width, as the block's tensors store them."""
    more = width - twin.width
    arrays = {
        "w_up": np.pad(twin.w_up, ((0, more), (0, 0))),
        "w_down": np.pad(twin.w_down, ((0, 0), (0, more))),
    }
    if twin.b_up is not None:
        arrays["b_up"] = np.pad(twin.b_up, (0, more))
    if twin.b_down is not None:
        arrays["b_down"] = np.asarray(twin.b_down)
    refs = _refs(block)
    return {refs[key].name: array.T if refs[key].transposed else array for key, array in arrays.items()}


def _write(
    out: Path, tensors: Tensors, replaced: Mapping[str, NDArray[Any]], manifest: dict[str, Any]
) -> None:
    """Write weights, configuration and manifest, read the weights back, and let them appear all at once."""
    metadata = {WITHOUT_SKIP: json.dumps(manifest[WITHOUT_SKIP])}
    text = json.dumps(manifest, indent=2) + "\n"
    if out.suffix == ".safetensors":
        beside = out.with_suffix(".absorption.json")
        for place in (out, beside):
            if place.exists():
                raise InvalidInput("the output", "be a new file", str(place))
        with scratch_directory(out) as folder:
            _write_verified(folder / WEIGHTS, tensors, replaced, metadata)
            (folder / MANIFEST).write_text(text, encoding="utf-8")
            (folder / MANIFEST).rename(beside)
            (folder / WEIGHTS).rename(out)
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
    """Return the new configuration, of a type that loaders which would add the skip do not know."""
    changed = {**config, WITHOUT_SKIP: manifest[WITHOUT_SKIP]}
    if isinstance(config.get("model_type"), str):
        changed["model_type"] = f"{config['model_type']}-without-mlp-skip"
    before, one = {entry["N"] for entry in manifest["blocks"]}, manifest["one_width"]
    widths = [key for key in _WIDTH_KEYS if type(config.get(key)) is int and config[key] in before]
    return changed | {key: one for key in widths if one is not None}
