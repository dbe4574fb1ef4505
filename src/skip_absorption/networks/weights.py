"""Weights of one MLP block in a file: .npz, .safetensors or .json, read and written exactly.

Keys: ``w_up`` (N, d), ``w_down`` (m, N), and optionally ``b_up`` (N,), ``b_down`` (m,), ``skip`` (m, d) and
``activation`` (a string; in .npz a string array of no dimensions, in .safetensors an entry of the metadata).
Numbers are floats, each the dyadic rational that it stores, or integers; .json and .npz also take exact
strings ``"p/q"``. A decimal in .json means the double that it parses to.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray
from skip_absorption.networks._files import read_file, write_file
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Mlp, Residual

_REQUIRED, _OPTIONAL = ("w_up", "w_down"), ("b_up", "b_down", "skip")


@dataclass(frozen=True, eq=False)
class Weights:
    """What a weights file holds: exact arrays with shapes that fit; None for what it does not name."""

    w_up: ExactArray
    w_down: ExactArray
    b_up: ExactArray | None
    b_down: ExactArray | None
    skip: ExactArray | None
    activation: Activation | None


_parse_activation = activation  # `read_weights` has an argument of that name


def read_weights(
    path: str | os.PathLike[str],
    *,
    activation: str | Activation | None = None,
    layer: str | None = None,
    transpose: bool = False,
) -> Weights:
    """Read one block's weights.

    Parameters
    ----------
    path
        A .npz, .safetensors or .json file.
    activation
        Overrides the one that the file names.
    layer
        Read the keys ``LAYER.w_up``, ... instead of ``w_up``, ...; ``activation`` may lack the prefix.
    transpose
        The file has ``w_up`` as (d, N) and ``w_down`` as (N, m); ``skip`` is (m, d) all the same.

    Raises
    ------
    InvalidInput
        One line that names the file, the key, the requirement and what was found. Pickles are refused.
    """
    path = Path(path)
    given = None if activation is None else _parse_activation(activation)
    prefix = "" if layer is None else f"{layer}."
    wanted = [prefix + key for key in (*_REQUIRED, *_OPTIONAL, "activation")]
    keys, found = read_file(path, [*wanted, *(["activation"] if prefix else [])])
    for key in wanted[: len(_REQUIRED)]:
        if key not in found:
            raise InvalidInput(f"{path}: key {key}", "be present", _listed(keys))
    arrays = {name: _native(found.get(prefix + name)) for name in (*_REQUIRED, *_OPTIONAL)}
    if transpose:
        for name in _REQUIRED:
            arrays[name] = _transposed(arrays[name], f"{path}: key {prefix}{name}")
    skip = arrays.pop("skip")
    try:
        named = given or _stored_activation(found.get(f"{prefix}activation", found.get("activation")))
        mlp = Mlp(**arrays, activation=named or "identity")
        skip = None if skip is None else Residual(mlp, skip).skip
    except InvalidInput as error:
        raise InvalidInput(f"{path}: key {prefix}{error.argument}", error.requirement, error.value) from None
    return Weights(mlp.w_up, mlp.w_down, mlp.b_up, mlp.b_down, skip, named)


def _stored_activation(stored: Any) -> Activation | None:
    if isinstance(stored, np.ndarray) and stored.ndim == 0 and stored.dtype.kind == "U":
        stored = str(stored)
    return None if stored is None else _parse_activation(stored)


def _native(value: Any) -> Any:
    """Return strings as objects and floats in this machine's byte order; other values as they are."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "U":
            return value.astype(object)
        if not value.dtype.isnative:
            return value.astype(value.dtype.newbyteorder("="))
    return value


def _transposed(value: Any, name: str) -> Any:
    array = value if isinstance(value, np.ndarray) else np.array(value, dtype=object)
    if array.ndim != 2:
        raise InvalidInput(name, "have 2 dimensions", f"shape {array.shape}")
    return array.T if isinstance(value, np.ndarray) else array.T.tolist()


def _listed(keys: list[str], most: int = 8) -> str:
    shown = ", ".join(keys[:most]) or "no keys"
    return f"{shown} and {len(keys) - most} more" if len(keys) > most else shown


def write_weights(path: str | os.PathLike[str], mlp: Mlp, *, skip: Any = None) -> None:
    """Write an MLP, and a skip matrix if one is given; the file appears whole or not at all.

    Parameters
    ----------
    path
        Ends in .npz, .safetensors (floats and 64-bit integers only) or .json.
    mlp
        The weights; floats keep their type, except that .json holds doubles.
    skip
        (m, d), exact; None writes none.

    Raises
    ------
    InvalidInput
        For another suffix, a place that cannot be written, a skip that does not fit, or fractions in
        .safetensors.
    """
    arrays = {"w_up": mlp.w_up, "w_down": mlp.w_down, "b_up": mlp.b_up, "b_down": mlp.b_down}
    if skip is not None:
        arrays["skip"] = Residual(mlp, skip).skip
    present = {key: array for key, array in arrays.items() if array is not None}
    write_file(Path(path), present, {"activation": mlp.activation.name})
