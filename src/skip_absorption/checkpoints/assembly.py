"""A block from the names of its tensors: shapes checked against each other, and the layout found out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from skip_absorption.checkpoints.block import CheckpointBlock, Norm, TensorRef, map_in_words, squeezed
from skip_absorption.checkpoints.tensors import Tensors
from skip_absorption.errors import InvalidInput

_FLOATS = ("F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E4M3FNUZ", "F8_E5M2", "F8_E5M2FNUZ")
_SCALES = (".scale_weight", "_scale", "_scale_inv", "_scales", ".SCB", ".absmax", ".quant_state")


@dataclass(frozen=True)
class Described:
    """What the names and the configuration say about a block, beside its tensors.

    Attributes
    ----------
    adds
        For a norm before the MLP: what the block adds to x.
    """

    family: str
    activation: str
    activation_from: str
    norm: Norm
    norm_from: str
    adds: str = ""


def assembled(
    tensors: Tensors,
    described: Described,
    *,
    up: str,
    down: str,
    gate: str | None = None,
    scale: str | None = None,
    conv1d: bool | None = None,
    known_d: int | None = None,
    modules: Sequence[str] = (),
    norms: Sequence[str] = (),
) -> CheckpointBlock:
    """Return the block whose weights have these names.

    Parameters
    ----------
    gate
        None for none; equal to ``up`` if that tensor holds the rows of W_gate and below them those of W_up.
    scale
        A factor on the output, layer scale.
    conv1d
        Whether W_up is stored as (d, N), used if nothing in the file tells; None if the user did not say.
    known_d
        d, if a norm or the configuration tells it.
    modules
        Names of what holds the MLP: the MLP itself, or its layer and perhaps a module for each weight. The
        layer may hold other parts, if none of them is named like one that acts on the MLP.
    norms
        Names of the norms that may stand in the modules.

    Raises
    ------
    InvalidInput
        For a missing or quantised tensor, shapes that do not fit, further tensors inside the MLP.
    """
    weights = [name for name in (up, down, gate) if name is not None]
    for name in weights:
        _require_floats(tensors, name)
    biases = {name: bias_of(tensors, name) for name in weights}
    fused = gate == up
    up_shape, down_shape = squeezed(tensors.shape(up)), squeezed(tensors.shape(down))
    halves = _halved(up_shape) if fused else up_shape
    if len(up_shape) != 2 or halves != down_shape[::-1] or 0 in up_shape:
        requirement = f"have the shape of {'half of ' if fused else ''}{up}, reversed: {halves[::-1]}"
        raise InvalidInput(f"{tensors.path}: tensor {down}", requirement, down_shape)
    transposed = not fused and _is_transposed(tensors, up, (biases[up], biases[down]), conv1d, known_d)
    n, d = halves[::-1] if transposed else halves
    _require_shape(tensors, biases[up], (2 * n if fused else n,))
    _require_shape(tensors, biases[down], (d,))
    _require_shape(tensors, scale, (d,))
    if gate is not None and not fused:
        _require_shape(tensors, gate, tensors.shape(up))
        _require_shape(tensors, biases[gate], (n,))
    name = common_name(up, down)
    known = {*weights, *biases.values(), scale}
    for weight in weights:  # a layer's own names: adapters, fake quantisation
        if weight.endswith(".weight"):
            _require_alone(tensors, weight.removesuffix(".weight"), known)
    beside = tuple(f"{norm}." for norm in norms)
    for module in modules:
        layer = module.rpartition(".")[2].isdigit()
        _require_alone(tensors, module, known, beside, of=_ACTS if layer else _ANYTHING)
    first, second = ((0, n), (n, 2 * n)) if fused else (None, None)
    kind: Literal["gated", "ungated"] = "ungated" if gate is None else "gated"
    return CheckpointBlock(
        name=name,
        family=described.family,
        kind=kind,
        activation=described.activation,
        norm=described.norm,
        d=d,
        n=n,
        up=TensorRef(up, transposed, second),
        down=TensorRef(down, transposed),
        gate=None if gate is None else TensorRef(gate, transposed, first),
        b_up=_vector(biases[up], second),
        b_down=_vector(biases[down]),
        b_gate=None if gate is None else _vector(biases[gate], first),
        scale=_vector(scale),
        map_in_words=map_in_words(described.norm, adds=described.adds),
        activation_from=described.activation_from,
        norm_from=described.norm_from,
    )


def _vector(name: str | None, rows: tuple[int, int] | None = None) -> TensorRef | None:
    return None if name is None else TensorRef(name, rows=rows)


def _halved(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (shape[0] // 2, *shape[1:]) if shape and shape[0] % 2 == 0 else ()


def bias_of(tensors: Tensors, weight: str) -> str | None:
    """Return the name of the bias beside a weight: ``.weight`` or ``.kernel`` exchanged for ``.bias``."""
    for suffix in (".weight", ".kernel"):
        name = weight.removesuffix(suffix) + ".bias"
        if weight.endswith(suffix) and name in tensors:
            return name
    return None


def common_name(up: str, down: str) -> str:
    """Return the parts that two names share at their beginning; ``up`` if there is none.

    Examples
    --------
    >>> common_name("h.0.mlp.c_fc.weight", "h.0.mlp.c_proj.weight")
    'h.0.mlp'
    """
    parts = []
    for a, b in zip(up.split("."), down.split("."), strict=False):
        if a != b:
            break
        parts.append(a)
    return ".".join(parts) or up


def _is_transposed(
    tensors: Tensors, up: str, biases: tuple[str | None, str | None], conv1d: bool | None, known_d: int | None
) -> bool:
    """Whether W_up is stored as (d, N): from what fixes N or d, else as the family stores it."""
    (b_up, b_down), (rows, columns) = biases, squeezed(tensors.shape(up))
    if rows == columns:
        return bool(conv1d)
    if b_up is not None:
        return tensors.shape(b_up) == (columns,)
    if b_down is not None:
        return tensors.shape(b_down) == (rows,)
    if known_d in (rows, columns):
        return rows == known_d
    if conv1d is None and rows < columns:
        requirement = "come with a bias that tells N from d, or with transposed"
        raise InvalidInput(f"{tensors.path}: tensor {up}", requirement, f"shape {(rows, columns)} alone")
    return bool(conv1d)


def _require_shape(tensors: Tensors, name: str | None, shape: tuple[int, ...]) -> None:
    if name is None:
        return
    _require_floats(tensors, name)
    if tensors.shape(name) != shape:
        raise InvalidInput(f"{tensors.path}: tensor {name}", f"have shape {shape}", tensors.shape(name))


def _require_floats(tensors: Tensors, name: str) -> None:
    if name not in tensors:
        raise InvalidInput(f"{tensors.path}: tensor {name}", "be present", f"{len(tensors.names())} others")
    dtype = tensors.dtype(name)
    stems = (name, name.removesuffix(".weight"))
    scales = [stem + suffix for stem in stems for suffix in _SCALES if stem + suffix in tensors]
    if dtype not in _FLOATS or scales:
        requirement = "hold floats that stand for themselves (quantised weights are read from ONNX only)"
        found = f"type {dtype}" + (f" with {scales[0]}" if scales else "")
        raise InvalidInput(f"{tensors.path}: tensor {name}", requirement, found)


_ANYTHING = re.compile(".*")
_ACTS = re.compile(
    r"(?!(cross|self_|encoder_)?att)(.*[._])?"
    r"(adapters?|alpha|fc[0-9]*|ffn|gamma|gate|linear[0-9]*|lora|resid|res|resweight|rezero|scale)([._].*)?"
)
"""Names of parts of a layer, its attention left aside, that may be part of the MLP or scale its output."""


def _require_alone(
    tensors: Tensors,
    name: str,
    known: set[str | None],
    beside: tuple[str, ...] = (),
    *,
    of: re.Pattern[str] = _ANYTHING,
) -> None:
    """Refuse an MLP with a part that is not looked at: its map would be another one."""
    for other in tensors.names():
        if other in known or other.startswith(beside):
            continue
        if other.startswith(name + ".") and of.fullmatch(other, len(name) + 1):
            raise InvalidInput(
                f"{tensors.path}: {name}", "hold nothing but the tensors of a plain MLP", other
            )
