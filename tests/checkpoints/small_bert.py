"""A BERT of two layers with random weights, as a checkpoint's directory."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from skip_absorption.measures import generator

D, N, HEADS, LAYERS = 8, 20, 2, 2
VOCABULARY = ["[UNK]", "[CLS]", "[SEP]", "hello", "world", "##s"]
CONFIG = {
    "model_type": "bert",
    "hidden_size": D,
    "intermediate_size": N,
    "num_attention_heads": HEADS,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
}


def small_bert() -> dict[str, NDArray[np.float32]]:
    rng = generator("test", "small_bert")

    def normal(*shape: int) -> NDArray[np.float32]:
        return (rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    def norm(name: str) -> dict[str, NDArray[np.float32]]:
        return {f"{name}.weight": 1 + normal(D) / 4, f"{name}.bias": normal(D)}

    tensors = {
        "embeddings.word_embeddings.weight": normal(len(VOCABULARY), D),
        "embeddings.position_embeddings.weight": normal(64, D),
        "embeddings.token_type_embeddings.weight": normal(2, D),
        **norm("embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        sizes = {f"attention.self.{part}": (D, D) for part in ("query", "key", "value")}
        sizes |= {"attention.output.dense": (D, D), "intermediate.dense": (N, D), "output.dense": (D, N)}
        for part, (rows, columns) in sizes.items():
            tensors |= {f"{name}{part}.weight": normal(rows, columns), f"{name}{part}.bias": normal(rows)}
        tensors |= norm(f"{name}attention.output.LayerNorm") | norm(f"{name}output.LayerNorm")
    return tensors


def write_bert(folder: Path, *, prefix: str = "", tensors=None) -> Path:
    folder.mkdir()
    named = {prefix + name: array for name, array in (tensors or small_bert()).items()}
    save_file(named, folder / "model.safetensors", metadata={"format": "np"})
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY))
    return folder
