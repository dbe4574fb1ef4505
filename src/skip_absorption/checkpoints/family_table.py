"""The named families of models: how each one names and stores the weights of its MLP blocks.

A template has one pair of braces for each number in a tensor's name; any prefix may stand before it
(``model.``, ``bert.``, ``transformer.``). What a file's names cannot tell is left open rather than guessed:
``norms`` lists the tensors, and ``norm_keys`` the configuration's entries, from which the place of the norm
is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from skip_absorption.checkpoints.block import Norm

_PRE = "MLP(Norm(x))"


@dataclass(frozen=True)
class Family:
    """How one family of models names and stores the weights of its MLP blocks.

    Attributes
    ----------
    up, down, gate
        Templates of the weights' names; ``gate`` is None for an ungated MLP, and equal to ``up`` where one
        matrix holds the rows of W_gate and below them those of W_up.
    activation
        The activation where no configuration names one.
    conv1d
        Whether W_up is stored as (d, N) where N = d leaves it open.
    norms
        A template, where its norm stands, and for ``pre`` what the block adds to x; the first that is there
        counts.
    norm_keys
        An entry of the configuration, its value, and where the norm then stands; looked at before ``norms``.
    architectures
        A pattern for the configuration's ``architecture`` without which ``norms`` tell nothing; None if they
        always do.
    ignored_keys
        Entries of the configuration that name an activation and that the family's models do not follow.
    marks
        Tensors of the same layer one of which tells the family; () if the names of the weights do.
    absent
        Tensors of the same layer that exclude it.
    scales
        Names that a layer scale may have.
    models
        Values of the configuration's ``model_type`` that tell the family, whatever its marks.
    """

    name: str
    up: str
    down: str
    activation: str
    gate: str | None = None
    conv1d: bool = False
    norms: tuple[tuple[str, Norm, str], ...] = ()
    norm_keys: tuple[tuple[str, Any, Norm], ...] = ()
    architectures: str | None = None
    ignored_keys: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


def _post_norm_models(*models: str) -> tuple[tuple[str, Any, Norm], ...]:
    return tuple(("model_type", model, "post") for model in models)


_BERT = "encoder.layer.{}."
_LLAMA = "layers.{}."
_AFTER = (_LLAMA + "post_feedforward_layernorm.weight", _LLAMA + "post_mlp_layernorm.weight")
_NEXT, _NEXT_TIMM, _NEXT_META = "stages.{}.layers.{}.", "stages.{}.blocks.{}.", "stages.{}.{}."
_CONVOLVED = "MLP(Norm(DepthwiseConv(x)))"

_ALL = (
    Family(
        "convnext",
        _NEXT + "pwconv1.weight",
        _NEXT + "pwconv2.weight",
        "gelu",
        norms=((_NEXT + "layernorm.weight", "pre", _CONVOLVED),),
        marks=(_NEXT + "dwconv.weight",),
        absent=(_NEXT + "grn.weight", _NEXT + "grn.gamma"),
        scales=(_NEXT + "layer_scale_parameter",),
    ),
    Family(
        "convnext-timm",
        _NEXT_TIMM + "mlp.fc1.weight",
        _NEXT_TIMM + "mlp.fc2.weight",
        "gelu",
        norms=((_NEXT_TIMM + "norm.weight", "pre", _CONVOLVED),),
        marks=(_NEXT_TIMM + "conv_dw.weight",),
        scales=(_NEXT_TIMM + "gamma",),
    ),
    Family(
        "convnext-original",
        _NEXT_META + "pwconv1.weight",
        _NEXT_META + "pwconv2.weight",
        "gelu",
        norms=((_NEXT_META + "norm.weight", "pre", _CONVOLVED),),
        marks=(_NEXT_META + "dwconv.weight",),
        absent=(_NEXT_META + "grn.weight", _NEXT_META + "grn.gamma"),
        scales=(_NEXT_META + "gamma",),
    ),
    Family(
        "vit",
        _BERT + "intermediate.dense.weight",
        _BERT + "output.dense.weight",
        "gelu",
        norms=((_BERT + "layernorm_after.weight", "pre", _PRE),),
        marks=(_BERT + "layernorm_after.weight",),
        scales=(_BERT + "lambda_2",),
        models=("beit", "deit", "vit"),
    ),
    Family(
        "vit-timm",
        "blocks.{}.mlp.fc1.weight",
        "blocks.{}.mlp.fc2.weight",
        "gelu",
        norms=(("blocks.{}.norm2.weight", "pre", _PRE),),
        architectures=r"(vit|deit3?|beit)_(?!.*rpn)",  # in others, and with rpn, norm2 may follow the MLP
        absent=(
            "blocks.{}.conv_dw.weight",
            "blocks.{}.attn.logit_scale",  # these two may normalise after the MLP, under the same names
            "blocks.{}.attn.rel_pos.mlp.fc1.weight",
        ),
        scales=("blocks.{}.ls2.gamma", "blocks.{}.gamma_2"),
    ),
    Family(
        "dinov2",
        "layer.{}.mlp.fc1.weight",
        "layer.{}.mlp.fc2.weight",
        "gelu",
        norms=(("layer.{}.norm2.weight", "pre", _PRE),),
        marks=("layer.{}.layer_scale2.lambda1",),
        scales=("layer.{}.layer_scale2.lambda1",),
    ),
    Family(
        "bert",
        _BERT + "intermediate.dense.weight",
        _BERT + "output.dense.weight",
        "gelu",
        norms=(
            (_BERT + "intermediate.LayerNorm.weight", "pre", _PRE),
            (_BERT + "output.LayerNorm.weight", "post", ""),
            (_BERT + "output.LayerNorm.gamma", "post", ""),
        ),
        absent=(_BERT + "layernorm_after.weight",),
    ),
    Family(
        "distilbert",
        "transformer.layer.{}.ffn.lin1.weight",
        "transformer.layer.{}.ffn.lin2.weight",
        "gelu",
        norms=(("transformer.layer.{}.output_layer_norm.weight", "post", ""),),
    ),
    Family(
        "gpt2",
        "h.{}.mlp.c_fc.weight",
        "h.{}.mlp.c_proj.weight",
        "gelu_tanh",
        conv1d=True,
        norms=(
            ("ln_f.weight", "pre", _PRE),
            ("h.{}.ln_2.weight", "unknown", ""),
        ),  # the first GPT has no ln_f
        norm_keys=(("model_type", "openai-gpt", "post"),),
    ),
    Family(
        "t5",
        "block.{}.layer.{}.DenseReluDense.wi.weight",
        "block.{}.layer.{}.DenseReluDense.wo.weight",
        "relu",
        norms=(("block.{}.layer.{}.layer_norm.weight", "pre", _PRE),),
    ),
    Family(
        "t5-gated",
        "block.{}.layer.{}.DenseReluDense.wi_1.weight",
        "block.{}.layer.{}.DenseReluDense.wo.weight",
        "gelu_tanh",
        gate="block.{}.layer.{}.DenseReluDense.wi_0.weight",
        norms=(("block.{}.layer.{}.layer_norm.weight", "pre", _PRE),),
    ),
    Family(
        "opt",
        "decoder.layers.{}.fc1.weight",
        "decoder.layers.{}.fc2.weight",
        "relu",
        norms=(("decoder.final_layer_norm.weight", "pre", _PRE),),
        norm_keys=(("do_layer_norm_before", True, "pre"), ("do_layer_norm_before", False, "post")),
        marks=("decoder.final_layer_norm.weight",),
        models=("opt",),
    ),
    Family(
        "transformer-encoder",
        "encoder.layers.{}.fc1.weight",
        "encoder.layers.{}.fc2.weight",
        "relu",
        norms=(("encoder.layer_norm.weight", "pre", _PRE),),
        norm_keys=_post_norm_models("bart", "marian", "fsmt"),
        # wav2vec 2.0 and data2vec, whose encoder.layer_norm stands before the layers
        absent=("encoder.pos_conv.0.bias", "encoder.pos_conv.0.0.bias"),
    ),
    Family(
        "transformer-decoder",
        "decoder.layers.{}.fc1.weight",
        "decoder.layers.{}.fc2.weight",
        "relu",
        norms=(("decoder.layer_norm.weight", "pre", _PRE),),
        norm_keys=_post_norm_models("bart", "marian", "fsmt"),
    ),
    Family(
        "transformer-torch",
        "layers.{}.linear1.weight",
        "layers.{}.linear2.weight",
        "relu",
    ),
    Family(
        "gemma",
        _LLAMA + "mlp.up_proj.weight",
        _LLAMA + "mlp.down_proj.weight",
        "gelu_tanh",
        gate=_LLAMA + "mlp.gate_proj.weight",
        norms=(
            (_LLAMA + "pre_feedforward_layernorm.weight", "pre", "Norm(MLP(Norm(x)))"),
            (_LLAMA + "post_attention_layernorm.weight", "pre", _PRE),
        ),
        ignored_keys=("hidden_act",),  # early configurations set it to another form of GELU
        marks=(_LLAMA + "pre_feedforward_layernorm.weight",),
        models=("gemma", "gemma2", "gemma3", "gemma3_text"),
    ),
    Family(
        "llama",
        _LLAMA + "mlp.up_proj.weight",
        _LLAMA + "mlp.down_proj.weight",
        "silu",
        gate=_LLAMA + "mlp.gate_proj.weight",
        norms=((_LLAMA + "post_attention_layernorm.weight", "pre", _PRE),),
        marks=(_LLAMA + "mlp.gate_proj.weight",),
        absent=_AFTER,
    ),
    Family(
        "phi3",
        _LLAMA + "mlp.gate_up_proj.weight",
        _LLAMA + "mlp.down_proj.weight",
        "silu",
        gate=_LLAMA + "mlp.gate_up_proj.weight",
        norms=((_LLAMA + "post_attention_layernorm.weight", "pre", _PRE),),
        absent=_AFTER,
    ),
    Family(
        "nemotron",
        _LLAMA + "mlp.up_proj.weight",
        _LLAMA + "mlp.down_proj.weight",
        "relu_squared",
        norms=((_LLAMA + "post_attention_layernorm.weight", "pre", _PRE),),
        absent=(_LLAMA + "mlp.gate_proj.weight", *_AFTER),
        models=("nemotron",),
    ),
)

FAMILIES: Mapping[str, Family] = MappingProxyType({family.name: family for family in _ALL})
"""The families by name, in the order in which they are tried."""
