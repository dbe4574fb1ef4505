"""The comparison of an encoder with itself without skips, on a small model."""

import pytest

from skip_absorption.experiments.absorbed_checkpoint import SENTENCES, run
from skip_absorption.results.schema import validate_table

from .small_bert import LAYERS, D, N, write_bert


@pytest.fixture
def table(tmp_path):
    model = write_bert(tmp_path / "model")
    found, manifests = run(model, [0, 1], model="small")
    assert set(manifests) == {"minimal", "exact"}
    return validate_table("absorbed_checkpoint", found).set_index(["variant", "precision"])


def test_both_variants_agree_with_the_original_up_to_their_rounding(table):
    exact, minimal = table.loc[("exact", "float64")], table.loc[("minimal", "float64")]
    assert (exact["width"], minimal["width"], exact["N"]) == (N + 2 * D, N + D, N)
    assert exact["exact"]
    assert not minimal["exact"]
    assert exact["difference"] < 1e-13 < minimal["difference"] < 1e-4
    assert exact["skip_error"] == exact["column_error"] == exact["bias_error"] == 0
    assert min(minimal["skip_error"], minimal["column_error"], minimal["bias_error"]) > 0
    assert table.loc[("exact", "float32"), "difference"] < 1e-5
    assert (table["blocks"] == LAYERS).all()
    assert (table["sentences"] == len(SENTENCES)).all()
    assert table["proved"].all()


def test_a_skip_added_by_mistake_is_seen(table):
    assert (table["mistaken_cosine_distance"] > 1e4 * table["cosine_distance"]).all()
    assert (table["mistaken_cosine_distance"] > 1e-3).all()


def test_without_a_download_the_rows_say_not_run():
    found, manifests = run(None, [0], model="small")
    table = validate_table("absorbed_checkpoint", found)
    assert manifests == {}
    assert len(table) == 4
    assert set(table["status"]) == {"not run"}
    assert table["difference"].isna().all()
