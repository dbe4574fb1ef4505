"""What a checkpoint holds beside the blocks that were found, in one line each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skip_absorption.checkpoints.block import CheckpointBlock
from skip_absorption.checkpoints.model_files import absorbed_blocks
from skip_absorption.checkpoints.tensors import Tensors

_MLP = re.compile(
    r"(?:.*[._])?(?:experts?|moe|mlp|ffn|feed_?forward|feed_forward_network|DenseReluDense|fc[12]|pwconv[12])[._].*"
)


def unread(tensors: Tensors, found: Sequence[CheckpointBlock]) -> tuple[str, ...]:
    """Return the matrices whose names say that they are parts of an MLP and that belong to no block found.

    Experts of a mixture beside dense layers are such, and MLPs of a second part of a model, under names that
    no family has. An ONNX graph names its matrices at will, so nothing is said about one.
    """
    if tensors.kind == "onnx":
        return ()
    read = {ref.name for block in found for ref in (block.up, block.down, block.gate) if ref is not None}
    return tuple(
        name
        for name in tensors.names()
        if name not in read and len(tensors.shape(name)) > 1 and _MLP.fullmatch(name)
    )


def about_unread(tensors: Tensors, found: Sequence[CheckpointBlock]) -> list[str]:
    """Return a line about the MLPs that were not found, if there are any."""
    further = unread(tensors, found)
    if not further:
        return []
    return [
        f"{len(further)} further matrices look like parts of MLPs (experts, or a layout not known here) "
        f"and were not looked at, such as {further[0]}"
    ]


def about_activations(found: Sequence[CheckpointBlock]) -> list[str]:
    """Return a line about the activations that are assumed, since nothing in the checkpoint names them."""
    assumed = {
        f"{block.activation} is {block.activation_from}": None
        for block in found
        if block.activation_from.startswith("the default of")
    }
    if not assumed:
        return []
    return [f"no configuration names the activation: {', '.join(assumed)} (another: --activation)"]


def remarks(tensors: Tensors, found: Sequence[CheckpointBlock]) -> list[str]:
    """Return lines about assumed activations, MLPs that were not found, and skips that are not there."""
    lines = [*about_activations(found), *about_unread(tensors, found)]
    if gone := absorbed_blocks(tensors):
        lines.append(
            f"the skips of these blocks were absorbed before: {', '.join(map(str, gone))}; what is said of "
            "them is about x + MLP(x), which this model does not compute"
        )
    return lines
