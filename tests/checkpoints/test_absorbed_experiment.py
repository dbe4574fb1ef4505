"""The comparison of an encoder with itself without skips, on a small model."""

import numpy as np
import pytest

from skip_absorption.experiments import absorbed_checkpoint
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


def test_units_of_the_last_place_and_angles_are_what_they_say(table):
    assert 0 < table.loc[("minimal", "float32"), "ulps"] < table.loc[("minimal", "float64"), "ulps"]
    first, second = np.array([[1.0, 0.0], [0.0, 3.0]]), np.array([[2.0, 0.0], [2.0, 0.0]])
    assert absorbed_checkpoint._cosine_distance(first, second) == pytest.approx(1)  # of a right angle


def test_of_several_blocks_the_worst_counts():
    def block(size, *, proved):
        residual = dict.fromkeys(
            ("skip_rounded", "skip_frobenius", "columns_rounded", "bias_rounded"), f"{size}e-6"
        )
        names = ("least_width_at_least", "largest_delta", "operations_before", "operations_after", "seconds")
        sizes = dict.fromkeys(("d", "N", "width", *names), size)
        return {**sizes, "residual": residual, "equality_proved": proved}

    manifest = {"exact": False, "parameters_before": 10, "parameters_after": 12}
    manifest["blocks"] = [block(3, proved=True), block(2, proved=False)]
    row = absorbed_checkpoint._rewritten(manifest)
    assert (row["blocks"], row["proved"], row["least_width"], row["largest_delta"]) == (2, False, 3, 3)
    assert (row["operations_before"], row["operations_after"], row["seconds"]) == (5, 5, 5)
    assert row["skip_error"] == row["skip_error_norm"] == row["column_error"] == row["bias_error"] == 3e-6


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
