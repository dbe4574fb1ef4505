"""What Snakemake would do, on a built copy of the checkout: nothing, or exactly what an edit touches."""

import os
import time
from pathlib import Path

import pytest
from checkout import pending, snakemake

SITE = "results/site/index.html"


def after_a_claim(built: Path) -> set[str]:
    """Return what shows a claim's result: verdicts, notebooks, page, all that is generated for the paper."""
    smoke = built / "smoke"
    made = [*smoke.glob("paper/generated/*.tex"), *smoke.glob("results/tables/*.parquet")]
    assert len(made) > 20
    return {
        "results/tables/verdicts.csv",
        "results/verdicts.ok",
        *executed("tour", "theorem_4"),
        "paper/main.pdf",
        SITE,
        *(str(path.relative_to(smoke)) for path in made),
    }


def executed(*notebooks: str) -> set[str]:
    return {f"results/notebooks/{name}.{kind}" for name in notebooks for kind in ("ipynb", "html")}


def claim_file(name: str) -> str:
    return f"results/claims/{name}.json"


def append_comment(text: str) -> str:
    return text + "\n# a remark\n"


def test_a_second_run_does_nothing(built: Path) -> None:
    done = snakemake(built)
    assert done.returncode == 0
    assert "Nothing to be done" in done.stdout + done.stderr


def test_both_tiers_have_the_same_rules_and_never_share_an_output(built: Path) -> None:
    plans = [snakemake(built, "--summary", "all", smoke=smoke) for smoke in (True, False)]
    rows = [{line.split("\t")[0] for line in plan.stdout.splitlines()[1:] if "\t" in line} for plan in plans]
    assert rows[0] & rows[1] == {"resources/downloads/checkpoint.json"}
    assert all(row.startswith("smoke/") for row in rows[0] - rows[1])


@pytest.mark.case("touching an input changes nothing")
def test_touching_an_input_changes_nothing(built: Path) -> None:
    now = time.time() + 1
    for name in (
        "src/skip_absorption/exact/rational.py",
        "workflow/scripts/claim.py",
        "workflow/support/job.py",
        "paper/main.tex",
        "smoke/results/claims/theorem_4.json",
    ):
        os.utime(built / name, (now, now))
    assert pending(built) == set()


@pytest.mark.parametrize("name", ["Snakefile", "workflow/rules/claims.smk", "workflow/rules/paper.smk"])
@pytest.mark.case("a comment in a Snakefile reruns nothing")
def test_a_comment_in_a_snakefile_reruns_nothing(built: Path, edit, name: str) -> None:
    edit(name, lambda text: f"# a remark\n{text}\n# another\n")
    assert pending(built) == set()


@pytest.mark.case("editing a module of the library reruns what uses it, and no more")
def test_editing_one_claim_reruns_that_claim_and_what_shows_it(built: Path, edit) -> None:
    edit("src/skip_absorption/claims/proposition_1.py", append_comment)
    assert pending(built) == {claim_file("proposition_1"), *after_a_claim(built)}


def test_editing_a_figure_reruns_the_figure_and_what_shows_it(built: Path, edit) -> None:
    edit("src/skip_absorption/figures/width_threshold.py", append_comment)
    figure = {"figures/width_threshold.pdf", "figures/width_threshold.png"}
    notebook = executed("width_threshold")
    assert pending(built) == {*figure, *notebook, "paper/main.pdf", SITE, "results/verdicts.ok"}


def test_editing_the_text_reruns_the_paper_and_the_page(built: Path, edit) -> None:
    edit("paper/main.tex", append_comment)
    assert pending(built) == {"paper/main.pdf", SITE, "results/verdicts.ok"}


def test_editing_the_notebook_reruns_the_notebook_and_the_page(built: Path, edit) -> None:
    edit("notebooks/tour.py", append_comment)
    assert pending(built) == {*executed("tour"), SITE, "results/verdicts.ok"}


def test_editing_a_schema_reruns_what_validates_with_it(built: Path, edit) -> None:
    edit("src/skip_absorption/results/schemas/claim.schema.json", lambda text: text + "\n")
    assert claim_file("theorem_4") in pending(built)


def test_changing_one_parameter_reruns_what_uses_it(built: Path, edit) -> None:
    edit("config/smoke.yaml", lambda text: text.replace("theorem_4: {cases: ", "theorem_4: {cases: 1"))
    assert pending(built) == {claim_file("theorem_4"), *after_a_claim(built)}


def test_a_whole_run_can_be_planned_for_slurm(built: Path) -> None:
    """Snakemake refuses a group of jobs that needs a job outside which needs the group."""
    done = snakemake(built, "--profile=workflow/profiles/slurm", "--dry-run", "--forceall")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verdicts_gate" in done.stdout + done.stderr


def test_a_missing_target_is_one_error(built: Path) -> None:
    done = snakemake(built, "claim_theorem_5")
    assert done.returncode == 1
    assert "claim_theorem_5" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr + done.stdout


@pytest.mark.case("a wrong configuration stops the run with one line")
def test_a_bad_configuration_is_one_line(built: Path) -> None:
    done = snakemake(built, "--config", "tier=small", smoke=False)
    assert done.returncode == 1
    assert 'config: tier must be one of full, smoke, large; got "small"\n' in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
