from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from skip_absorption.claims import architectures
from skip_absorption.claims.architectures import ARCHITECTURES, rows
from skip_absorption.claims.hyper_connections import (
    STREAMS,
    doubly_stochastic,
    is_doubly_stochastic,
    stream,
)
from skip_absorption.exact.rational import identity, rank, to_fractions
from skip_absorption.measures import generator
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.results.schema import validate_table

NAMED = {
    "Transformer", "ResNet", "ViT", "ConvNeXt", "GPT-2", "LLaMA", "DeepSeek", "Gemma", "Nemotron",
    "modded-nanogpt", "ReGLU", "hyper-connections", "mHC",
}  # fmt: skip


def test_every_named_system_has_a_row_with_its_proportions():
    assert {a.system.replace(",", "").split()[0] for a in ARCHITECTURES} == NAMED
    by_name = {a.system: a for a in ARCHITECTURES}
    assert by_name["GPT-2"].width(3) == 12
    assert by_name["LLaMA"].width(3) == 8
    assert by_name["LLaMA"].width(2) == 6
    assert by_name["GPT-2"].biases
    assert by_name["GPT-2"].activation == "gelu_tanh"


def test_the_table_has_a_row_for_each_system_and_size():
    found = validate_table("architectures", pd.DataFrame(rows(cases=30, dims=[(2, 8), (3, 12)], seed=3)))
    assert len(found) == 2 * len(ARCHITECTURES)
    assert (found["agree"] == found["cases"]).all()
    further = found.set_index(["system", "d"])["further_units"]
    assert further["GPT-2", 3] == 3
    assert further["mHC, GELU", 2] == (2 * STREAMS - 1) * 2
    assert pd.isna(further["LLaMA", 2])


def test_fewer_cases_than_systems_still_reach_each():
    assert len(rows(cases=1, dims=[(2, 8)], seed=0)) == len(ARCHITECTURES)


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_projected_matrices_are_doubly_stochastic(n):
    for seed in range(5):
        matrix = doubly_stochastic(n, rng=generator("test architectures", "sinkhorn", seed))
        assert is_doubly_stochastic(matrix)
        assert [sum(row) for row in matrix.tolist()] == [1] * n
        assert [sum(row) for row in matrix.T.tolist()] == [1] * n
        assert min(matrix.ravel()) >= 0
    assert not is_doubly_stochastic(
        np.array([[Fraction(3, 2), Fraction(-1, 2)], [Fraction(-1, 2), Fraction(3, 2)]])
    )
    assert not is_doubly_stochastic(np.array([[1, 0], [1, 0]]))


@pytest.mark.parametrize("kind", ["mixing", "doubly stochastic"])
def test_streams_are_mixed_read_and_written_one_coordinate_at_a_time(kind):
    rng = generator("test architectures", kind)
    skip, read, written = stream(kind, 2, rng=rng)
    assert skip.shape == (2 * STREAMS, 2 * STREAMS)
    assert rank(skip) == 2 * STREAMS
    mixing, pre, post = skip[::2, ::2], read[0, ::2], written[::2, 0]
    mlp = Mlp(rng.standard_normal((3, 2)), rng.standard_normal((2, 3)), "gelu")
    whole = Residual(Mlp(to_fractions(mlp.w_up) @ read, written @ to_fractions(mlp.w_down), "gelu"), skip)
    x = rng.standard_normal((STREAMS, 2))
    out = mlp.float(pre.astype(float) @ x)
    wanted = mixing.astype(float) @ x + np.outer(post.astype(float), out)
    assert whole.float(x.ravel()) == pytest.approx(wanted.ravel())
    assert stream("identity", 2, rng=rng)[0].tolist() == identity(2).tolist()


def test_a_wrong_number_of_further_units_is_refuted():
    rng = generator("test architectures", "further")
    mlp = Mlp(rng.standard_normal((6, 2)), rng.standard_normal((2, 6)), "gelu", rng.standard_normal(6))
    verdicts = [architectures.needs(mlp, identity(2), extra, rng=rng).value for extra in (1, 2, 3)]
    assert verdicts == ["REFUTED", "PROVED", "REFUTED"]
