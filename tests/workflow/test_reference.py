"""Reference values and the review record in a built copy: what agrees, what moved, what was edited."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import snakemake

TABLE = "smoke/results/tables/homogeneous.csv"


def only(folder: Path, *rules: str) -> tuple[int, str]:
    """Run the last of these rules, and of those that it needs the others alone."""
    done = snakemake(folder, "--allowed-rules", *rules, "--", rules[-1])
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def referenced(built: Path) -> Iterator[Path]:
    """Make the built copy its own reference."""
    shutil.rmtree(built / "reference" / "smoke", ignore_errors=True)
    done = snakemake(built, "update_reference")
    assert done.returncode == 0, done.stdout + done.stderr
    table = (built / TABLE).read_text(encoding="utf-8")
    yield built
    (built / TABLE).write_text(table, encoding="utf-8")
    shutil.rmtree(built / "reference" / "smoke", ignore_errors=True)


def test_a_run_agrees_with_itself_and_a_changed_value_is_named(referenced: Path) -> None:
    code, said = only(referenced, "comparison", "compare")
    assert code == 0, said
    assert "0 values outside the tolerance" in said
    size = sum(path.stat().st_size for path in (referenced / "reference" / "smoke").iterdir())
    assert size < 150_000

    table = referenced / TABLE
    table.write_text(table.read_text(encoding="utf-8").replace(",0.2", ",0.3", 1), encoding="utf-8")
    code, said = only(referenced, "comparison", "compare")
    assert code == 1
    assert "OUTSIDE: homogeneous." in said
    assert "outside the tolerance of the reference" in said
    report = json.loads((referenced / "smoke/results/comparison.json").read_text(encoding="utf-8"))
    assert report["outside"] > 0
    assert report["machine"]["cpu"]


@pytest.mark.case("a result edited by hand is found, and makes no reference")
def test_an_output_edited_by_hand_is_found_and_makes_no_reference(referenced: Path) -> None:
    code, said = only(referenced, "verify_outputs")
    assert code == 0, said
    table = referenced / TABLE
    table.write_text(table.read_text(encoding="utf-8").replace(",0.2", ",0.3", 1), encoding="utf-8")
    before = (referenced / "reference/smoke/summary.json").read_bytes()
    code, said = only(referenced, "verify_outputs")
    assert code == 1
    assert f"{TABLE} was changed after its job had written it" in said
    code, said = only(referenced, "update_reference")
    assert code == 1
    assert f"update_reference: the reference stays as it is: {TABLE} was changed after its job" in said
    assert (referenced / "reference/smoke/summary.json").read_bytes() == before
    code, said = only(referenced, "comparison", "review")
    assert code == 0, said
    results = referenced / "smoke" / "results"
    told = f"{TABLE} was changed after its job had written it"
    assert json.loads((results / "review.json").read_text(encoding="utf-8"))["changed"] == [told]
    assert f"- CHANGED: {told}\n" in (results / "REVIEW.md").read_text(encoding="utf-8")


def test_the_review_record_lists_every_output(referenced: Path) -> None:
    done = snakemake(referenced, "review")
    assert done.returncode == 0, done.stdout + done.stderr
    results = referenced / "smoke" / "results"
    record = json.loads((results / "review.json").read_text(encoding="utf-8"))
    listed = {one["file"] for one in record["manifest"]}
    for path in (
        *(results / "tables").iterdir(),
        *(results / "claims").iterdir(),
        referenced / "smoke/paper/main.pdf",
    ):
        assert path.relative_to(referenced).as_posix() in listed
    assert record["commit"] == "unknown"
    assert record["changed"] == []
    assert record["total"]["seconds"] > 0
    assert all(row["passed"] for row in record["verdicts"])
    assert (
        (results / "REVIEW.md").read_text(encoding="utf-8").startswith("# Review record of the smoke run\n")
    )
