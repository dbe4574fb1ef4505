"""Whatever a checkpoint holds, loading its blocks ends soon, in blocks or in one line that says why."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import bytes_near, fuzz, guarded, json_near
from hypothesis import given
from hypothesis import strategies as st

from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.generated import write_checkpoint
from skip_absorption.checkpoints.model_files import absorbed_blocks
from skip_absorption.checkpoints.remarks import remarks
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.measures import generator

pytestmark = pytest.mark.case("damaged checkpoints: blocks or one line, no crash, no hang")

MODELS = ("bert", "llama", "gpt2")
CONFIG = {
    "model_type": "bert",
    "architecture": "vit",
    "hidden_size": 8,
    "hidden_act": "gelu",
    "do_layer_norm_before": False,
    "mlp_without_skip": [0],
    "text_config": {"hidden_act": "silu"},
    "vision_config": {"hidden_act": "relu"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def valid(folder: Path) -> dict[str, list[bytes]]:
    """Return valid files of each kind."""
    rng, found = generator("test", "fuzzed checkpoints"), {}
    for form in ("safetensors", "onnx"):
        places = [write_checkpoint(folder / f"{form}-{m}", m, rng=rng, form=form).path for m in MODELS]
        files = [next(p.glob(f"*.{form}")) if p.is_dir() else p for p in places]
        found[f".{form}"] = [file.read_bytes() for file in files]
    np.savez(folder / "w.npz", allow_pickle=False, up=np.ones((3, 2)), down=np.ones((2, 3)))
    found[".npz"] = [(folder / "w.npz").read_bytes()]
    return found


def blocks_or_one_line(path: Path, **options: Any) -> None:
    """Read everything of every block; a refusal must be one line."""
    with guarded():
        try:
            with open_tensors(path) as tensors:
                found = find_blocks(tensors, **options)
                for block in found:
                    mlp = block.load(tensors)
                    assert (mlp.width, mlp.d_in) == (block.n, block.d)
                remarks(tensors, found)
                absorbed_blocks(tensors)
        except InvalidInput as error:
            assert str(error).isprintable()
            assert len(str(error)) < 5000


@pytest.mark.parametrize("suffix", [".safetensors", ".onnx", ".npz"])
def test_damaged_files(suffix: str, folder: Path, valid: dict[str, list[bytes]]) -> None:
    path = folder / f"damaged{suffix}"
    options = {"up": "up", "down": "down", "activation": "relu"} if suffix == ".npz" else {}
    path.write_bytes(valid[suffix][0])
    with open_tensors(path) as tensors:
        assert find_blocks(tensors, **options)

    @fuzz
    @given(bytes_near(*valid[suffix]))
    def run(data: bytes) -> None:
        path.write_bytes(data)
        blocks_or_one_line(path, **options)

    run()


def test_other_headers(folder: Path, valid: dict[str, list[bytes]]) -> None:
    """A safetensors file with a header of other values: shapes, types, places, metadata."""
    path = folder / "header.safetensors"
    cut = [(data, 8 + struct.unpack("<Q", data[:8])[0]) for data in valid[".safetensors"]]
    headers = [json.loads(data[8:end]) | {"__metadata__": {"mlp_without_skip": "[0]"}} for data, end in cut]
    values = b"".join(data[end:] for data, end in cut)

    @fuzz
    @given(json_near(*headers), st.integers(0, len(values)))
    def run(header: Any, length: int) -> None:
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + values[:length])
        blocks_or_one_line(path)

    run()


def test_other_names(folder: Path) -> None:
    """Names of any characters and numbers of any length before, in and after those of a family."""
    path = folder / "names.npz"
    part = st.sampled_from(
        ["encoder", "layer", "0", "9" * 5000, "mlp", "fc1", "weight", "\x1b[31m", "é\u2028", ""]
    )
    prefix = st.lists(part, max_size=3).map(lambda parts: "".join(f"{p}." for p in parts))
    number = st.sampled_from(["0", "00", "1", "9" * 4301]) | st.integers(0).map(str)

    @fuzz
    @given(prefix, number, st.lists(part, max_size=4).map(".".join))
    def run(before: str, layer: str, further: str) -> None:
        names = [f"{before}encoder.layer.{layer}.{part}.dense.weight" for part in ("intermediate", "output")]
        arrays = {names[0]: np.ones((3, 2)), names[1]: np.ones((2, 3)), further: np.ones((2, 2))}
        np.savez(
            path, allow_pickle=False, **{name: a for name, a in arrays.items() if name not in ("", "file")}
        )
        blocks_or_one_line(path)
        blocks_or_one_line(path, up=before + "encoder.layer.{}.intermediate.dense.weight", down=further)

    run()


def test_configurations(folder: Path, valid: dict[str, list[bytes]]) -> None:
    place = folder / "configured"
    place.mkdir()

    @fuzz
    @given(
        st.sampled_from(valid[".safetensors"]),
        json_near(CONFIG).map(lambda value: json.dumps(value).encode())
        | bytes_near(json.dumps(CONFIG).encode()),
    )
    def run(data: bytes, config: bytes) -> None:
        (place / "model.safetensors").write_bytes(data)
        (place / "config.json").write_bytes(config)
        blocks_or_one_line(place)

    run()


@pytest.mark.parametrize("beside", [True, False])
def test_shards(beside: bool, folder: Path, valid: dict[str, list[bytes]]) -> None:
    place = folder / f"shards{beside}"
    place.mkdir()
    shard = "a.safetensors" if beside else "b.safetensors"
    (place / shard).write_bytes(valid[".safetensors"][0])
    with open_tensors(place / shard) as tensors:
        index = {"metadata": {}, "weight_map": dict.fromkeys(tensors.names(), "a.safetensors")}

    @fuzz
    @given(
        json_near(index).map(json.dumps)
        | bytes_near(json.dumps(index).encode()).map(lambda data: data.decode("latin-1"))
    )
    def run(text: str) -> None:
        (place / "m.safetensors.index.json").write_text(text, encoding="utf-8")
        blocks_or_one_line(place / "m.safetensors.index.json")

    run()
