"""The MLP blocks of an open checkpoint: by family, by given names, or through an ONNX graph.

Everything that a name does not tell is said: whether the activation comes from the configuration or is the
family's own, and from which tensor the place of the norm is known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skip_absorption.checkpoints.assembly import Described, assembled, common_name
from skip_absorption.checkpoints.block import CheckpointBlock, Norm
from skip_absorption.checkpoints.family_table import FAMILIES, Family
from skip_absorption.checkpoints.tensors import Tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.activations import activation as parse_activation

__all__ = ["FAMILIES", "Family", "configured_activation", "find_blocks"]

_CONFIGURED = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_fast": "gelu_tanh",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "gelu_tanh": "gelu_tanh",
    "relu": "relu",
    "relu2": "relu_squared",
    "relu_squared": "relu_squared",
    "sigmoid": "sigmoid",
    "silu": "silu",
    "swish": "silu",
}
_ACTIVATION_KEYS = (
    "hidden_activation",
    "hidden_act",
    "activation_function",
    "activation",
    "dense_act_fn",
    "feed_forward_proj",
    "act_layer",
)
_DIMENSION_KEYS = ("hidden_size", "n_embd", "d_model", "dim")


def find_blocks(
    tensors: Tensors,
    *,
    up: str | None = None,
    down: str | None = None,
    gate: str | None = None,
    activation: str | None = None,
    transposed: bool | None = None,
) -> tuple[CheckpointBlock, ...]:
    """Return the MLP blocks of a checkpoint, in the order of its layers.

    Parameters
    ----------
    up, down, gate
        Names of the weights, with ``{}`` for the number of the layer, in place of a known family's; the
        biases have the same names with ``.bias`` for ``.weight``.
    activation
        Overrides what the configuration or the family says, not what an ONNX graph shows; needed with ``up``
        and ``down`` unless the configuration names one.
    transposed
        With ``up`` and ``down``: whether W_up is stored as (d, N), where no bias tells.

    Raises
    ------
    InvalidInput
        One line: what was looked for, if nothing is found; which tensor is missing, quantised or of a shape
        that does not fit; which activation is not known.
    """
    if activation is not None:
        activation = parse_activation(activation).name
    if up is not None or down is not None or gate is not None:
        if up is None or down is None:
            raise InvalidInput("up and down", "be given together", f"up {up}, down {down}")
        return _explicit(tensors, up, down, gate, activation, transposed=transposed)
    if tensors.kind == "onnx":
        from skip_absorption.checkpoints.onnx_blocks import blocks_of_graph

        found: tuple[CheckpointBlock, ...] = blocks_of_graph(tensors)
        for block in found:
            if activation not in (None, block.activation):
                raise InvalidInput("activation", f"be that of the graph, {block.activation}", activation)
        return found
    blocks = tuple(_by_family(tensors, activation))
    if not blocks:
        names = tensors.names()
        looked = "; ".join(f"{family.name}: {family.up}" for family in FAMILIES.values())
        requirement = (
            f"hold MLP blocks of a known family ({looked}), or be read with the names of up and down given"
        )
        raise InvalidInput(str(tensors.path), requirement, f"{len(names)} tensors: {', '.join(names[:5])}")
    return tuple(sorted(blocks, key=lambda block: _in_order(block.name)))


def _in_order(name: str) -> tuple[tuple[int, str], ...]:
    return tuple(_by_size(part) if re.fullmatch("[0-9]+", part) else (-1, part) for part in name.split("."))


def _by_size(number: str) -> tuple[int, str]:
    """Order digits as the number that they are, of any length: Python converts no more than 4300."""
    digits = number.lstrip("0")
    return len(digits), digits


@dataclass(frozen=True)
class _Layer:
    """One layer's place among the names: what stands before a template, and the numbers in its braces."""

    prefix: str
    numbers: tuple[str, ...]

    def name(self, template: str) -> str:
        return self.prefix + template.format(*self.numbers)

    def optional(self, template: str | None) -> str | None:
        return None if template is None else self.name(template)


def _layers(tensors: Tensors, template: str, *, prefixed: bool) -> Iterator[_Layer]:
    text = "([0-9]+)".join(re.escape(part) for part in template.split("{}"))
    pattern = re.compile((r"((?:.*\.)?)" if prefixed else "()") + text)
    for name in tensors.names():
        match = pattern.fullmatch(name)
        if match:
            yield _Layer(match[1], match.groups()[1:])


def _by_family(tensors: Tensors, activation: str | None) -> Iterator[CheckpointBlock]:
    taken: set[str] = set()
    model = tensors.config.get("model_type")
    for family in FAMILIES.values():
        for layer in _layers(tensors, family.up, prefixed=True):
            name = layer.name(family.up)
            if name not in taken and _recognised(tensors, family, layer, model):
                taken.add(name)
                yield _block(tensors, family, layer, activation)


def _recognised(tensors: Tensors, family: Family, layer: _Layer, model: object) -> bool:
    told = not family.marks or model in family.models
    marked = told or any(layer.name(mark) in tensors for mark in family.marks)
    return marked and not any(layer.name(mark) in tensors for mark in family.absent)


def _block(tensors: Tensors, family: Family, layer: _Layer, given: str | None) -> CheckpointBlock:
    section = _section(tensors.config, layer.prefix)
    act, act_from = (given, "given") if given is not None else _activation(tensors, family, section)
    norm, norm_from, adds, size = _norm(tensors, family, layer, section)
    known_d = size or _dimension(section)
    block = assembled(
        tensors,
        Described(family.name, act, act_from, norm, norm_from, adds),
        up=layer.name(family.up),
        down=layer.name(family.down),
        gate=layer.optional(family.gate),
        scale=next((layer.name(s) for s in family.scales if layer.name(s) in tensors), None),
        conv1d=family.conv1d,
        known_d=known_d,
        modules=[layer.name(module) for module in _modules(family)],
        norms=[layer.name(template).rpartition(".")[0] for template, *_ in family.norms],
    )
    told = block.n != block.d and (block.b_up or block.b_down or known_d in (block.d, block.n))
    if family.conv1d and block.n <= block.d and not told and section.get("model_type") not in _CONV1D:
        requirement = "come with a bias, a norm or a configuration that tells how it is stored"
        raise InvalidInput(
            f"{tensors.path}: tensor {block.up.name}", requirement, f"d = {block.d}, N = {block.n}"
        )
    return block


_CONV1D = ("gpt2", "openai-gpt")


def _modules(family: Family) -> list[str]:
    """Return the templates of the modules that hold the MLP: one, or one for each weight in a layer."""
    common = common_name(family.up, family.down)
    if not common.endswith("{}"):
        return [common]
    parents = [weight.removesuffix(".weight").rpartition(".")[0] for weight in (family.up, family.down)]
    return [common, *(parent for parent in parents if parent != common)]


def _activation(tensors: Tensors, family: Family, section: Mapping[str, Any]) -> tuple[str, str]:
    """Return the configured activation and where it is named, or the family's if nothing names another."""
    gated = section.get("feed_forward_proj")
    if isinstance(gated, str) and gated.startswith("gated-") != (family.gate is not None):
        kind = "ungated" if family.gate is None else "gated"
        raise InvalidInput(
            "config.json: key feed_forward_proj", f"be of the {kind} MLP that is stored", gated
        )
    found = configured_activation(section, ignored=family.ignored_keys)
    if found is not None:
        return found
    config = tensors.config
    parts = [config, *(part for part in config.values() if isinstance(part, dict))]
    others = [
        f"{key} = {part[key]}"
        for part in parts
        if part is not section
        for key in _ACTIVATION_KEYS
        if part.get(key) is not None
    ]
    if "quickgelu" in str(config.get("architecture")):
        others.append(f"architecture = {config['architecture']}")
    if others:
        raise InvalidInput(
            "activation", f"be given: the configuration has {others[0]}, perhaps not of this MLP", None
        )
    return family.activation, f"the default of the family {family.name}"


def _norm(
    tensors: Tensors, family: Family, layer: _Layer, section: Mapping[str, Any]
) -> tuple[Norm, str, str, int | None]:
    """Return where the norm stands, how this is known, what the block adds to x, and d if the norm tells."""
    shapes = [tensors.shape(layer.name(t)) for t, *_ in family.norms if layer.name(t) in tensors]
    size = next((shape[0] for shape in shapes if len(shape) == 1), None)
    seen = [(layer.name(t), norm) for t, norm, _ in family.norms if layer.name(t) in tensors]
    for key, value, norm in family.norm_keys:
        if key in section and section[key] == value:
            told = f"config.json: {key} = {value}"
            if seen and seen[0][1] not in (norm, "unknown"):
                return "unknown", f"{told} contradicts the tensor {seen[0][0]}", "", size
            return norm, told, "MLP(Norm(x))", size
    if family.architectures is not None:
        named = tensors.config.get("architecture")
        if not isinstance(named, str) or not re.match(family.architectures, named):
            return "unknown", "the norm may follow the MLP, and no architecture is named that tells", "", size
    for template, norm, adds in family.norms:
        if layer.name(template) in tensors and norm != "unknown":
            return norm, f"the tensor {layer.name(template)}", adds, size
    return "unknown", "nothing in the file tells it", "", size


def _section(config: Mapping[str, Any], prefix: str) -> Mapping[str, Any]:
    """Return the part of a configuration that is about the tensors with this prefix."""
    for word in prefix.split("."):
        for key in (word, f"{word.removesuffix('_model')}_config"):
            if isinstance(config.get(key), dict):
                named: Mapping[str, Any] = config[key]
                return named
    part = config.get("vision_config" if "vision" in prefix or "visual" in prefix else "text_config")
    return part if isinstance(part, dict) else config


def _dimension(config: Mapping[str, Any]) -> int | None:
    return next((config[key] for key in _DIMENSION_KEYS if type(config.get(key)) is int), None)


def configured_activation(
    config: Mapping[str, Any], *, ignored: Collection[str] = ()
) -> tuple[str, str] | None:
    """Return the activation that a configuration names, and where; None if it names none.

    Parameters
    ----------
    ignored
        Keys that do not count.

    Raises
    ------
    InvalidInput
        For a name that stands for no activation known here, and for keys that name several.
    """
    found: tuple[str, str] | None = None
    for key in _ACTIVATION_KEYS:
        value = config.get(key)
        if value is None or key in ignored:
            continue
        text = str(value).lower()
        if key == "feed_forward_proj":  # T5's gated GELU is the tanh form
            text = "gelu_new" if text == "gated-gelu" else text.removeprefix("gated-")
        if text not in _CONFIGURED:
            requirement = f"be one of {', '.join(_CONFIGURED)} (or be overridden)"
            raise InvalidInput(f"config.json: key {key}", requirement, value)
        if found is not None and found[0] != _CONFIGURED[text]:
            raise InvalidInput(f"config.json: key {key}", f"agree with {found[1]} (or be overridden)", value)
        found = found or (_CONFIGURED[text], f"config.json: {key} = {value}")
    return found


def _explicit(
    tensors: Tensors,
    up: str,
    down: str,
    gate: str | None,
    activation: str | None,
    *,
    transposed: bool | None,
) -> tuple[CheckpointBlock, ...]:
    counts = {pattern.count("{}") for pattern in (up, down, gate) if pattern is not None}
    if len(counts) > 1 or any(
        c in pattern.replace("{}", "") for pattern in (up, down, gate or "") for c in "{}"
    ):
        raise InvalidInput("up, down and gate", "have equally many {}", (up, down, gate))
    found = (activation, "given") if activation else configured_activation(tensors.config)
    if found is None:
        raise InvalidInput("activation", "be given, since no configuration names it", None)
    layers = sorted(
        _layers(tensors, up, prefixed=False), key=lambda layer: [_by_size(number) for number in layer.numbers]
    )
    if not layers:
        names = tensors.names()
        raise InvalidInput(f"{tensors.path}: tensor {up}", "be present", ", ".join(names[:5]))
    described = Described("explicit", *found, "unknown", "names alone do not tell it")
    return tuple(
        assembled(
            tensors,
            described,
            up=layer.name(up),
            down=layer.name(down),
            gate=layer.optional(gate),
            conv1d=transposed,
            known_d=_dimension(tensors.config) if transposed is None else None,
        )
        for layer in layers
    )
