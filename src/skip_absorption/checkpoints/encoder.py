"""A BERT encoder in NumPy, as sentence encoders use it, with or without the skips around its MLP blocks.

Each layer maps the sequence h, (T, d), to LN(MLP(y) + y) with y = LN(Attention(h) + h); the sentence's vector
is the mean over the sequence, at unit length. A layer without skip maps to LN(MLP(y)): the model in which
`absorb_model` has removed the skip of that layer is run so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.checkpoints.families import configured_activation
from skip_absorption.checkpoints.model_files import absorbed_blocks, texts_beside
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.checkpoints.wordpiece import WordPiece, read_vocabulary
from skip_absorption.errors import InvalidInput
from skip_absorption.networks.activations import Activation, activation

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Encoder:
    """A BERT encoder: its tensors by their usual names, and what they do not say.

    Parameters
    ----------
    tensors
        Under the names of a BERT checkpoint, from ``embeddings.word_embeddings.weight`` on; a common prefix
        such as ``bert.`` is left out. All computation is in their dtype.
    heads
        The number of attention heads; it divides d.
    activation
        sigma of the MLP blocks.
    epsilon
        What layer normalisation adds to the variance.
    without_skip
        The layers whose MLP block has no skip.

    Raises
    ------
    InvalidInput
        If the heads do not divide d, or a layer named in `without_skip` does not exist.
    """

    tensors: Mapping[str, Floats]
    heads: int
    activation: str | Activation = "gelu"
    epsilon: float = 1e-12
    without_skip: Collection[int] = ()

    def __post_init__(self) -> None:
        """Check what the tensors do not fix."""
        d = self["embeddings.word_embeddings.weight"].shape[1]
        if self.heads < 1 or d % self.heads:
            raise InvalidInput("heads", f"divide d = {d}", self.heads)
        for layer in self.without_skip:
            if not 0 <= layer < self.layers:
                raise InvalidInput("without_skip", f"hold layers from 0 to {self.layers - 1}", layer)

    def __getitem__(self, name: str) -> Floats:
        """Return a tensor, or say which one is missing."""
        if name not in self.tensors:
            raise InvalidInput("the encoder's tensors", f"hold {name}", f"{len(self.tensors)} others")
        return self.tensors[name]

    @property
    def layers(self) -> int:
        """The number of layers."""
        heads = [name.split(".")[2] for name in self.tensors if name.startswith("encoder.layer.")]
        return 1 + max(map(int, heads), default=-1)

    def embed(self, sentences: Sequence[Sequence[int]]) -> Floats:
        """Return the vectors of sentences given as numbers of pieces, (n, d), each of length 1."""
        return np.stack([_unit(self.hidden(pieces).mean(axis=0)) for pieces in sentences])

    def hidden(self, pieces: Sequence[int]) -> Floats:
        """Return the last layer's sequence, (T, d), for one sentence."""
        words = self["embeddings.word_embeddings.weight"]
        positions = self["embeddings.position_embeddings.weight"]
        if not 0 < len(pieces) <= len(positions) or not all(0 <= p < len(words) for p in pieces):
            requirement = f"be 1 to {len(positions)} numbers in [0, {len(words)})"
            raise InvalidInput("pieces", requirement, f"{len(pieces)} numbers")
        h = words[list(pieces)] + positions[: len(pieces)]
        h = self._normalised(h + self["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(self.layers):
            y = self._normalised(
                h + self.attention(h, layer), self._name(layer, "attention.output.LayerNorm")
            )
            h = self.after(y, layer)
        return h

    def attention(self, h: Floats, layer: int) -> Floats:
        """Return what the attention of a layer adds to the sequence, (T, d)."""
        query, key, value = (
            self._dense(h, self._name(layer, f"attention.self.{part}")).reshape(len(h), self.heads, -1)
            for part in ("query", "key", "value")
        )
        scores = np.einsum("ihk,jhk->hij", query, key) / np.sqrt(query.shape[-1], dtype=h.dtype)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = np.einsum("hij,jhk->ihk", weights, value).reshape(h.shape)
        return self._dense(mixed, self._name(layer, "attention.output.dense"))

    def after(self, y: Floats, layer: int) -> Floats:
        """Return the sequence after a layer's MLP block, skip and normalisation, (T, d)."""
        inner = self._dense(y, self._name(layer, "intermediate.dense"))
        out = self._dense(_elementwise(self.activation)(inner), self._name(layer, "output.dense"))
        if layer not in self.without_skip:
            out = out + y
        return self._normalised(out, self._name(layer, "output.LayerNorm"))

    def _name(self, layer: int, part: str) -> str:
        return f"encoder.layer.{layer}.{part}"

    def _dense(self, x: Floats, name: str) -> Floats:
        return np.asarray(x @ self[f"{name}.weight"].T + self[f"{name}.bias"])

    def _normalised(self, x: Floats, name: str) -> Floats:
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(variance + x.dtype.type(self.epsilon))
        return np.asarray(scaled * self[f"{name}.weight"] + self[f"{name}.bias"])


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.sqrt(np.square(vector).sum()))


def _elementwise(spec: str | Activation) -> Callable[[Floats], Floats]:
    """Return the activation rounded to the dtype of its argument once, after double precision."""
    act = activation(spec)
    return lambda z: act.float(z).astype(z.dtype)


_FIRST = "embeddings.word_embeddings.weight"


def read_encoder(path: str | Path, *, dtype: Any = np.float32) -> tuple[Encoder, WordPiece]:
    """Read a BERT encoder and its tokenizer from a model's directory or archive.

    Parameters
    ----------
    path
        Holds the tensors, ``config.json``, and ``vocab.txt`` or ``tokenizer.json``. A layer whose skip
        `absorb_model` has removed is run without it.
    dtype
        float32 or float64: of the tensors, and so of everything that is computed.

    Raises
    ------
    InvalidInput
        If one of these is missing, or the model is no BERT.
    """
    path = Path(path)
    with open_tensors(path) as tensors:
        first = next((name for name in tensors.names() if name.endswith(_FIRST)), None)
        if first is None:
            raise InvalidInput(str(path), f"hold {_FIRST}, as a BERT does", f"{len(tensors.names())} others")
        prefix = first.removesuffix(_FIRST)
        values = {
            name.removeprefix(prefix): tensors.read(name).astype(dtype)
            for name in tensors.names()
            if name.startswith(prefix) and tensors.dtype(name).startswith(("F", "BF"))
        }
        config, absorbed = tensors.config, absorbed_blocks(tensors)
    heads, act = config.get("num_attention_heads"), configured_activation(config)
    if not isinstance(heads, int) or act is None:
        raise InvalidInput(f"{path}: config.json", "give num_attention_heads and hidden_act", sorted(config))
    texts = texts_beside(path)
    name = next((name for name in ("vocab.txt", "tokenizer.json") if name in texts), None)
    if name is None:
        raise InvalidInput(str(path), "hold vocab.txt or tokenizer.json", sorted(texts))
    epsilon = float(config.get("layer_norm_eps", 1e-12))
    encoder = Encoder(values, heads, act[0], epsilon, tuple(absorbed))
    return encoder, read_vocabulary(texts[name], source=f"{path}: {name}")
