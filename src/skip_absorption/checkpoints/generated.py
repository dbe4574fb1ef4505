"""Small checkpoints of every family with known answers: what a reader must find, which skips are absorbable.

A planted block satisfies the absorption condition exactly in the stored type: its integer weights
have W_down[:, S] W_up[S, :] = −I for a set S of d units.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from skip_absorption.checkpoints._planting import generic, planted_in
from skip_absorption.checkpoints.assembly import common_name
from skip_absorption.checkpoints.block import Norm
from skip_absorption.checkpoints.generated_models import MODELS, Model
from skip_absorption.errors import InvalidInput

__all__ = ["MODELS", "Generated", "KnownBlock", "Model", "write_checkpoint"]

Form = Literal["safetensors", "sharded", "npz", "onnx"]


@dataclass(frozen=True)
class KnownBlock:
    """The answer for one block: the exact weights that a reader must return, and what is known of them.

    Attributes
    ----------
    w_up, w_gate
        (N, d); ``w_gate`` is None for an ungated MLP.
    w_down
        (d, N), with the layer scale multiplied in.
    b_up, b_down
        (N,) and (d,), or None.
    flip_set
        The planted S, in 0..N−1; None for weights drawn at random.
    """

    family: str
    activation: str
    norm: Norm
    w_up: NDArray[Any]
    w_down: NDArray[Any]
    w_gate: NDArray[Any] | None
    b_up: NDArray[Any] | None
    b_down: NDArray[Any] | None
    flip_set: tuple[int, ...] | None


@dataclass(frozen=True)
class Generated:
    """A checkpoint that was written: what to open, and the answer for each of its blocks in order."""

    path: Path
    blocks: tuple[KnownBlock, ...]


def write_checkpoint(
    directory: str | Path,
    model: str,
    *,
    rng: np.random.Generator,
    form: Form = "safetensors",
    dtype: str = "float32",
    d: int = 8,
    n: int = 32,
    layers: int = 2,
    planted: Sequence[int] = (1,),
) -> Generated:
    """Write a small checkpoint.

    Parameters
    ----------
    directory
        An empty directory, made if it is missing.
    model
        A key of `MODELS`.
    form
        ``safetensors`` with config.json, ``sharded`` into a file a layer, ``npz``, or ``onnx`` (float32; the
        activation and the norm as operators in even layers, written out in odd ones).
    dtype
        ``float32``, ``float16`` or ``bfloat16``; the last not for npz.
    planted
        The layers that get absorbable weights, where the model is ungated and not ReLU^2.

    Raises
    ------
    InvalidInput
        For an unknown model, form or type.
    """
    if model not in MODELS:
        raise InvalidInput("model", f"be one of {', '.join(MODELS)}", model)
    if dtype not in ("float32", "float16", "bfloat16") or (dtype == "bfloat16" and form == "npz"):
        raise InvalidInput("dtype", "be float32, float16 or (but for npz) bfloat16", dtype)
    import ml_dtypes  # noqa: F401  # registers bfloat16 with NumPy

    style, directory = MODELS[model], Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    absorbable = style.gate is None and style.activation != "relu_squared"
    known, stored = [], []
    for layer in range(layers):
        block, tensors = _layer(
            style, layer, (n, d), np.dtype(dtype), plant=absorbable and layer in planted, rng=rng
        )
        known.append(block)
        stored.append(tensors)
    if form == "onnx":
        from skip_absorption.checkpoints.generated_onnx import write_model

        path = directory / "model.onnx"
        common = common_name(style.up, style.down)
        write_model(path, known, names=[common.format(layer) for layer in range(layers)])
        return Generated(path, tuple(known))
    config = {**style.config, "hidden_size": d} if style.config else {}
    if config:
        (directory / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return Generated(_write(directory, form, stored), tuple(known))


def _layer(
    style: Model,
    layer: int,
    shape: tuple[int, int],
    dtype: np.dtype[Any],
    *,
    plant: bool,
    rng: np.random.Generator,
) -> tuple[KnownBlock, dict[str, NDArray[Any]]]:
    n, d = shape
    if plant:
        w_up, w_down, flips = planted_in(dtype, d, n, rng=rng)
    else:
        w_up, w_down, flips = generic((n, d), dtype, rng=rng), generic((d, n), dtype, rng=rng), None
    tensors: dict[str, NDArray[Any]] = {}
    scale = None if style.scale is None else (2.0 ** -rng.integers(1, 4, size=d)).astype(dtype)
    if style.scale is not None and scale is not None:
        tensors[style.scale.format(layer)] = scale
        stored_down = (w_down.astype(np.float64) / scale.astype(np.float64)[:, None]).astype(dtype)
        w_down = scale.astype(np.float64)[:, None] * stored_down.astype(np.float64)
    else:
        stored_down = w_down
    tensors[f"{style.up.format(layer)}.weight"] = _stored(w_up, style.stored)
    tensors[f"{style.down.format(layer)}.weight"] = _stored(stored_down, style.stored)
    gate = None if style.gate is None else generic((n, d), dtype, rng=rng)
    if style.gate is not None and gate is not None:
        tensors[f"{style.gate.format(layer)}.weight"] = _stored(gate, style.stored)
    b_up = b_down = None
    if style.biases:
        b_up, stored_bias = generic((n,), dtype, rng=rng), generic((d,), dtype, rng=rng)
        tensors[f"{style.up.format(layer)}.bias"], tensors[f"{style.down.format(layer)}.bias"] = (
            b_up,
            stored_bias,
        )
        b_down = stored_bias if scale is None else scale.astype(np.float64) * stored_bias.astype(np.float64)
    for name in (*([style.norm] if style.norm else []), *style.others):
        convolution = name.endswith(("dwconv.weight", "conv_dw.weight"))
        tensors[name.format(layer)] = np.ones((d, 1, 7, 7) if convolution else (d,), dtype)
    return KnownBlock(
        style.family, style.activation, style.where, w_up, w_down, gate, b_up, b_down, flips
    ), tensors


def _stored(matrix: NDArray[Any], stored: str) -> NDArray[Any]:
    if stored == "conv1d":
        return np.ascontiguousarray(matrix.T)
    return matrix[:, :, None, None] if stored == "conv2d" else matrix


def _write(directory: Path, form: Form, stored: list[dict[str, NDArray[Any]]]) -> Path:
    from safetensors.numpy import save_file

    together = {name: array for tensors in stored for name, array in tensors.items()}
    if form == "npz":
        np.savez(directory / "model.npz", allow_pickle=False, **together)
        return directory / "model.npz"
    if form == "safetensors":
        save_file(together, directory / "model.safetensors", {"format": "np"})
        return directory
    if form != "sharded":
        raise InvalidInput("form", "be safetensors, sharded, npz or onnx", form)
    placed: dict[str, str] = {}
    for layer, tensors in enumerate(stored):
        shard = f"model-{layer + 1:05}-of-{len(stored):05}.safetensors"
        new = {name: array for name, array in tensors.items() if name not in placed}
        save_file(new, directory / shard, {"format": "np"})
        placed |= dict.fromkeys(new, shard)
    index = directory / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": placed}), encoding="utf-8")
    return directory
