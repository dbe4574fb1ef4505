"""The models that small checkpoints are generated of, with the names that each gives its tensors.

The names are written out here rather than taken from the readers' table, so that the two check each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from skip_absorption.checkpoints.block import Norm


@dataclass(frozen=True)
class Model:
    """How one model names its tensors; ``{}`` is the layer.

    Attributes
    ----------
    up, down, gate
        Names of the affine maps, without ``.weight``.
    norm
        The vector that belongs to the norm beside the MLP; None if the names tell nothing.
    stored
        ``linear`` (out, in), ``conv1d`` (in, out) or ``conv2d`` (out, in, 1, 1).
    scale
        The name of a layer scale.
    others
        Further tensors that the model has, by name, with their shapes in d.
    """

    family: str
    up: str
    down: str
    activation: str
    where: Norm
    gate: str | None = None
    biases: bool = True
    norm: str | None = None
    stored: Literal["linear", "conv1d", "conv2d"] = "linear"
    scale: str | None = None
    others: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)


def _llama(family: str, activation: str, **config: Any) -> Model:
    return Model(
        family,
        "model.layers.{}.mlp.up_proj",
        "model.layers.{}.mlp.down_proj",
        activation,
        "pre",
        gate="model.layers.{}.mlp.gate_proj",
        biases=False,
        norm="model.layers.{}.post_attention_layernorm.weight",
        config=config,
    )


MODELS: Mapping[str, Model] = MappingProxyType(
    {
        "bert": Model(
            "bert",
            "bert.encoder.layer.{}.intermediate.dense",
            "bert.encoder.layer.{}.output.dense",
            "gelu",
            "post",
            norm="bert.encoder.layer.{}.output.LayerNorm.weight",
            config={"model_type": "bert", "hidden_act": "gelu"},
        ),
        "gpt2": Model(
            "gpt2",
            "transformer.h.{}.mlp.c_fc",
            "transformer.h.{}.mlp.c_proj",
            "gelu_tanh",
            "pre",
            norm="transformer.h.{}.ln_2.weight",
            others=("transformer.ln_f.weight",),
            stored="conv1d",
            config={"model_type": "gpt2", "activation_function": "gelu_new"},
        ),
        "vit": Model(
            "vit-timm",
            "blocks.{}.mlp.fc1",
            "blocks.{}.mlp.fc2",
            "gelu",
            "pre",
            norm="blocks.{}.norm2.weight",
            config={"architecture": "vit_base_patch16_224"},
        ),
        "deit": Model(
            "vit",
            "deit.encoder.layer.{}.intermediate.dense",
            "deit.encoder.layer.{}.output.dense",
            "gelu",
            "pre",
            norm="deit.encoder.layer.{}.layernorm_after.weight",
            config={"model_type": "deit", "hidden_act": "gelu"},
        ),
        "convnext": Model(
            "convnext",
            "convnext.encoder.stages.{}.layers.0.pwconv1",
            "convnext.encoder.stages.{}.layers.0.pwconv2",
            "gelu",
            "pre",
            norm="convnext.encoder.stages.{}.layers.0.layernorm.weight",
            scale="convnext.encoder.stages.{}.layers.0.layer_scale_parameter",
            others=("convnext.encoder.stages.{}.layers.0.dwconv.weight",),
            config={"model_type": "convnext", "hidden_act": "gelu"},
        ),
        "convnext-timm": Model(
            "convnext-timm",
            "stages.{}.blocks.0.mlp.fc1",
            "stages.{}.blocks.0.mlp.fc2",
            "gelu",
            "pre",
            norm="stages.{}.blocks.0.norm.weight",
            stored="conv2d",
            scale="stages.{}.blocks.0.gamma",
            others=("stages.{}.blocks.0.conv_dw.weight",),
        ),
        "t5": Model(
            "t5",
            "encoder.block.{}.layer.1.DenseReluDense.wi",
            "encoder.block.{}.layer.1.DenseReluDense.wo",
            "relu",
            "pre",
            biases=False,
            norm="encoder.block.{}.layer.1.layer_norm.weight",
            config={"model_type": "t5", "feed_forward_proj": "relu"},
        ),
        "t5-v1.1": Model(
            "t5-gated",
            "encoder.block.{}.layer.1.DenseReluDense.wi_1",
            "encoder.block.{}.layer.1.DenseReluDense.wo",
            "gelu_tanh",
            "pre",
            gate="encoder.block.{}.layer.1.DenseReluDense.wi_0",
            biases=False,
            norm="encoder.block.{}.layer.1.layer_norm.weight",
            config={"model_type": "t5", "feed_forward_proj": "gated-gelu"},
        ),
        "transformer": Model(
            "transformer-encoder",
            "model.encoder.layers.{}.fc1",
            "model.encoder.layers.{}.fc2",
            "relu",
            "post",
            config={"model_type": "marian", "activation_function": "relu"},
        ),
        "opt": Model(
            "opt",
            "model.decoder.layers.{}.fc1",
            "model.decoder.layers.{}.fc2",
            "relu",
            "pre",
            others=("model.decoder.final_layer_norm.weight",),
            config={"model_type": "opt", "activation_function": "relu", "do_layer_norm_before": True},
        ),
        "llama": _llama("llama", "silu", model_type="llama", hidden_act="silu"),
        "mistral": _llama("llama", "silu", model_type="mistral", hidden_act="silu"),
        "deepseek": _llama("llama", "silu", model_type="deepseek_v2", hidden_act="silu"),
        "gemma": _llama("gemma", "gelu_tanh", model_type="gemma", hidden_act="gelu"),
        "nemotron": Model(
            "nemotron",
            "model.layers.{}.mlp.up_proj",
            "model.layers.{}.mlp.down_proj",
            "relu_squared",
            "pre",
            biases=False,
            norm="model.layers.{}.post_attention_layernorm.weight",
            config={"model_type": "nemotron", "hidden_act": "relu2"},
        ),
    }
)
