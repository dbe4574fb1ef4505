import numpy as np
import pytest

from skip_absorption.absorption.condition import decide
from skip_absorption.absorption.decision import Absorption
from skip_absorption.checkpoints.families import find_blocks
from skip_absorption.checkpoints.generated import MODELS, write_checkpoint
from skip_absorption.checkpoints.tensors import open_tensors
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import exact_matmul
from skip_absorption.measures import is_generic

UNGATED = [m for m, style in MODELS.items() if style.gate is None and style.activation != "relu_squared"]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("model", UNGATED)
def test_planted_blocks_satisfy_the_condition_as_they_are_read(tmp_path, model, dtype):
    written = write_checkpoint(tmp_path, model, rng=np.random.default_rng(0), dtype=dtype)
    with open_tensors(written.path) as tensors:
        free, planted = (block.load(tensors) for block in find_blocks(tensors))
    units = list(written.blocks[1].flip_set)
    assert len(units) == 8
    assert (exact_matmul(planted.w_down[:, units], planted.w_up[units]) == -np.eye(8, dtype=int)).all()
    assert is_generic(planted.w_up, planted.w_down)
    assert written.blocks[0].flip_set is None
    assert is_generic(free.w_up, free.w_down)


def test_the_decision_finds_the_plant_and_refutes_the_rest(tmp_path):
    written = write_checkpoint(tmp_path, "bert", rng=np.random.default_rng(0), dtype="bfloat16")
    with open_tensors(written.path) as tensors:
        free, planted = (block.load(tensors) for block in find_blocks(tensors))
    rng = np.random.default_rng(1)
    found = decide(planted.w_up, planted.w_down, activation="gelu", rng=rng)
    assert tuple(found.flip_set) == written.blocks[1].flip_set
    refuted = decide(free.w_up, free.w_down, activation="gelu", rng=rng)
    assert (found.verdict, refuted.verdict) == (Absorption.ABSORBABLE, Absorption.NOT_ABSORBABLE)


@pytest.mark.parametrize("model", sorted(set(MODELS) - set(UNGATED)))
def test_no_plant_where_no_skip_is_ever_absorbed(tmp_path, model):
    written = write_checkpoint(tmp_path, model, rng=np.random.default_rng(0))
    assert all(block.flip_set is None for block in written.blocks)


def test_the_same_generator_writes_the_same_file(tmp_path):
    one, two = (write_checkpoint(tmp_path / k, "gpt2", rng=np.random.default_rng(7)).path for k in "ab")
    assert (one / "model.safetensors").read_bytes() == (two / "model.safetensors").read_bytes()


@pytest.mark.parametrize(
    "options", [{"model": "lstm"}, {"model": "bert", "form": "hdf5"}, {"model": "bert", "dtype": "int8"}]
)
def test_unknown_requests_are_refused(tmp_path, options):
    with pytest.raises(InvalidInput, match="be "):
        write_checkpoint(tmp_path, **options, rng=np.random.default_rng(0))
