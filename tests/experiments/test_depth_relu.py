import numpy as np
import pandas as pd
import pytest

from skip_absorption.depth.folding import unfolded
from skip_absorption.depth.functional_dimension import functional_dimension
from skip_absorption.depth.relu_regions import ReluNetwork, regions
from skip_absorption.distributions import distribution
from skip_absorption.errors import Undecided
from skip_absorption.exact.residues import random_prime
from skip_absorption.experiments import depth_relu
from skip_absorption.experiments.depth_relu import EXPERIMENT, run_fold, run_size
from skip_absorption.measures import generator
from skip_absorption.results.schema import validate_table


@pytest.mark.parametrize(
    ("n", "depth", "measure", "scale", "ties"), [(3, 2, "lecun", 4, 0), (2, 4, "gaussian", 8, 2)]
)
def test_counts_are_those_of_the_draws_one_by_one(n, depth, measure, scale, ties):
    table = run_size(2, n, depth, measures=[measure], scales=[scale], draws=12)
    rng = generator(EXPERIMENT, f"{measure}/2/{n}/{depth}/{scale}", 0)
    random_prime(rng=rng)
    up, down = distribution(measure).draw((12 * depth, 2, n), rng)
    seen, dimensions = [], []
    for k in range(12):
        part = slice(k * depth, (k + 1) * depth)
        network = ReluNetwork.rounded(up[part], scale * down[part])
        found = regions(network)
        seen.append(int(found.visible.sum()))
        dimensions.append(functional_dimension(network, found.points))
    row = validate_table("depth_relu", table).loc[0]
    limit = 3 * n * depth - 4 * (depth - 1)
    assert row["visible"] == np.mean(seen)
    assert row["all_visible"] == seen.count(n * depth) < 12
    assert row["dimension_least"] == min(dimensions)
    assert row["dimension_median"] == np.median(dimensions)
    assert row["plain_dimension"] == limit
    assert sum(3 * v == limit for v in seen) == ties  # as many dimensions exclude nothing
    assert row["excluded"] == sum(3 * v > limit for v in seen)
    assert row["by_dimension"] == sum(x > limit for x in dimensions) >= row["excluded"]
    assert row["violations"] == 0
    assert row["low"] <= row["fraction"] <= row["high"]


def test_a_dimension_below_the_bound_is_counted(monkeypatch):
    monkeypatch.setattr(depth_relu, "total_dimension", lambda *_, p: 5)
    row = run_size(2, 2, 2, measures=["gaussian"], scales=[1], draws=5).loc[0]
    assert row["violations"] == 5  # the first block's two units are visible: six dimensions or more


def test_a_fold_that_is_not_unfolded_stops_the_experiment(monkeypatch):
    monkeypatch.setattr(depth_relu, "unfolded", lambda block: unfolded(block)[1:])
    with pytest.raises(Undecided, match="the fold and its unfolding differ on "):
        run_fold(4)


def test_a_draw_depends_on_its_cell_alone():
    both = run_size(2, 2, 2, measures=["gaussian"], scales=[1, 8], draws=5)
    alone = run_size(2, 2, 2, measures=["gaussian"], scales=[8], draws=5)
    same = [name for name in both.columns if name != "seconds"]
    assert both.loc[1, same].tolist() == alone.loc[0, same].tolist()


def test_the_fold_starts_at_the_circle_and_ends_folded():
    table = validate_table("fold", run_fold(4))
    assert table["block"].max() == 17
    first, last = (table[table["block"] == block] for block in (0, 17))
    np.testing.assert_allclose(np.hypot(first["x"], first["y"]), 1, atol=1e-3)
    assert (last["y"] > 0).all()
    assert (first["y"] < 0).any()
    assert first["ray"].sum() == first["sector"].nunique() == 8
    assert isinstance(table, pd.DataFrame)
