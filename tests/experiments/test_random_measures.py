from itertools import product

import numpy as np
import pandas as pd
import pytest

from skip_absorption.absorption.condition import Absorption, decide
from skip_absorption.distributions import distribution
from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.minimal_width import FAMILIES, run_cell
from skip_absorption.experiments.random_measures import (
    classes_of_weights,
    clopper_pearson,
    decide_all,
    enumerated_row,
    merge_shards,
    run_measure,
    run_shard,
)
from skip_absorption.measures import generator, is_generic
from skip_absorption.results.schema import validate_table


def test_the_intervals_invert_the_binomial_tail():
    from scipy.stats import binom

    for draws, hits in ((20, 3), (50, 25), (9, 8)):
        low, high = clopper_pearson(hits, draws)
        assert binom.sf(hits - 1, draws, low) == pytest.approx(0.025)
        assert binom.cdf(hits, draws, high) == pytest.approx(0.025)
    low, high = clopper_pearson(0, 100_000)
    assert low == 0
    assert (1 - high) ** 100_000 == pytest.approx(0.05)
    low, high = clopper_pearson(10, 10)
    assert high == 1
    assert low**10 == pytest.approx(0.05)


@pytest.mark.parametrize(("hits", "draws"), [(-1, 3), (4, 3), (0, 0)])
def test_impossible_counts_are_refused(hits, draws):
    with pytest.raises(InvalidInput, match="hits must lie in"):
        clopper_pearson(hits, draws)


@pytest.mark.parametrize("name", ["ternary", "sparse", "integers_2", "low_rank"])
@pytest.mark.parametrize(("d", "n"), [(2, 3), (3, 4)])
def test_absorption_agrees_with_the_decision_one_by_one(name, d, n):
    rng = generator("test", f"{name}{d}{n}")
    w_up, w_down = distribution(name).draw((30, d, n), rng)
    answers = decide_all(w_up, w_down, rng=rng)
    for b in range(30):
        assert answers.absorbable[b] == (decide(w_up[b], w_down[b], rng=rng).verdict is Absorption.ABSORBABLE)
    assert not answers.undecided.any()


def test_classes_count_every_network_once():
    drawn = distribution("ternary")
    up, _, counts = classes_of_weights(drawn, 2, 2)
    assert counts.sum() == 3**8
    assert len(up) < 600
    condition = generic = 0
    for entries in product((-1, 0, 1), repeat=8):
        w_up, w_down = np.array(entries[:4]).reshape(2, 2), np.array(entries[4:]).reshape(2, 2)
        condition += (w_down @ w_up == -np.eye(2)).all()  # a set of one unit has rank 1
        generic += is_generic(w_up, w_down)
    row = enumerated_row(drawn, 2, 2, rng=generator("test", "enumeration"))
    assert row["condition"] == condition
    assert row["violations"] == 3**8 - generic
    assert row["draws"] == row["decided"] == 3**8
    assert row["low"] == row["fraction"] == row["high"] == row["absorbable"] / 3**8


def sampled(name, sizes, *, shards=1, **options):
    return merge_shards(pd.concat([run_shard(name, sizes, shard, **options) for shard in range(shards)]))


def test_sampling_meets_enumeration():
    listed, widths = run_measure("ternary", [(2, 2)], widths=20, enumerated=[(2, 2)])
    table = sampled("ternary", [(2, 2)], draws=4000, searches=4000)
    table = validate_table("random_measures", pd.concat([table, listed]))
    validate_table("minimal_width", widths)
    assert widths["count"].sum() == 20
    drawn, listed = (table[table["method"] == method].iloc[0] for method in ("sampling", "enumeration"))
    assert drawn["low"] <= listed["fraction"] <= drawn["high"]
    assert drawn["condition_low"] <= listed["condition"] / listed["draws"] <= drawn["condition_high"]


def test_a_density_never_satisfies_the_condition_and_says_how_sure_that_is():
    row = sampled("gaussian", [(2, 3)], draws=1000, searches=10).iloc[0]
    assert row["condition"] == row["absorbable"] == row["violations"] == 0
    assert row["decided"] == 1000
    assert row["high"] == pytest.approx(1 - 0.05 ** (1 / 1000))


def test_few_searches_decide_the_first_networks_only():
    row = sampled("ternary", [(2, 3)], draws=200, searches=20).iloc[0]
    assert (row["draws"], row["decided"]) == (200, 20)
    assert row["fraction"] == row["absorbable"] / 20


def test_cells_do_not_depend_on_one_another():
    sizes = [(2, 3), (2, 2)]
    whole = run_shard("int4", sizes, 1, draws=100, searches=30).drop(columns="seconds")
    alone = [run_shard("int4", [size], 1, draws=100, searches=30) for size in sizes]
    alone = pd.concat(alone, ignore_index=True).drop(columns="seconds")
    pd.testing.assert_frame_equal(whole, alone)


def test_shards_are_different_draws_and_their_counts_add_up():
    shards = [run_shard("ternary", [(2, 2)], i, draws=300, searches=300) for i in range(3)]
    assert len({tuple(part.loc[0, ["condition", "violations", "absorbable"]]) for part in shards}) > 1
    merged = validate_table("random_measures", merge_shards(pd.concat(shards))).iloc[0]
    for key in ("draws", "condition", "violations", "decided", "absorbable", "undecided"):
        assert merged[key] == sum(part.loc[0, key] for part in shards)
    assert (merged["low"], merged["high"]) == clopper_pearson(merged["absorbable"], 900)
    streams = [generator("random_measures", f"ternary/2/2/{i}") for i in range(3)]
    weights = [distribution("ternary").draw((300, 2, 2), stream) for stream in streams]
    solved = [decide_all(*one, rng=generator("test", "oracle")).condition.sum() for one in weights]
    assert merged["condition"] == sum(solved)


def test_shards_with_few_and_many_searches_count_the_first_networks_of_each():
    whole = run_shard("ternary", [(2, 2)], 0, draws=100, searches=100)
    cut = run_shard("ternary", [(2, 2)], 1, draws=100, searches=5)
    assert (whole.loc[0, "decided"], cut.loc[0, "decided"]) == (100, 5)
    assert whole.loc[0, "first_decided"] == 100
    row = merge_shards(pd.concat([whole, cut])).iloc[0]
    assert row["decided"] == whole.loc[0, "first_decided"] + cut.loc[0, "first_decided"] == 105
    again = run_shard("ternary", [(2, 2)], 0, draws=100, searches=5)
    row = merge_shards(pd.concat([again, cut])).iloc[0]
    assert row["decided"] == 10
    assert row["absorbable"] == again.loc[0, "first_absorbable"] + cut.loc[0, "first_absorbable"]


def test_too_large_an_enumeration_is_refused():
    with pytest.raises(InvalidInput, match="N must leave at most 300000 multisets"):
        classes_of_weights(distribution("ternary"), 2, 6)
    with pytest.raises(InvalidInput, match="independent entries on few values"):
        classes_of_weights(distribution("gaussian"), 2, 2)


@pytest.mark.parametrize(("d", "n"), [(2, 2), (3, 5)])
def test_every_least_width_is_as_predicted(d, n):
    table = validate_table("minimal_width", run_cell(d, n, draws=6, cases=3))
    assert (table["lower"] == table["predicted"]).all()
    assert (table["upper"] == table["predicted"]).all()
    assert set(table["family"]) == set(FAMILIES) - ({"rank_deficient"} if d == 2 else set())
    planted = table[table["family"] == "planted"]
    assert sorted(planted["upper"]) == list(range(d + 1))
