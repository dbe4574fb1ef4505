"""One target a claim, ending in one line; a claim that fails turns red in the paper and fails the build."""

import fcntl
import shutil
from pathlib import Path

import pytest
from checkout import pending, snakemake

from skip_absorption.claims.ledger import CLAIMS


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if " · " in line]


def test_a_claim_ends_in_one_line_although_nothing_is_new(built: Path) -> None:
    done = snakemake(built, "claim_theorem_4")
    assert done.returncode == 0
    (line,) = lines(done.stdout)
    assert line.startswith("Theorem 4 · found ")
    assert " · PASS · " in line


def test_every_claim_has_its_target(built: Path) -> None:
    done = snakemake(built, "--list-target-rules")
    assert {f"claim_{claim}" for claim in CLAIMS} <= set(done.stdout.split())


def test_verify_prints_a_line_for_each_claim(built: Path) -> None:
    done = snakemake(built, "verify")
    assert done.returncode == 0
    assert [line.split(" · ")[0] for line in lines(done.stdout)] == [c.title for c in CLAIMS.values()]


def test_a_broken_theorem_turns_red_and_fails_the_build(built: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(built, broken, symlinks=True)
    module = broken / "src" / "skip_absorption" / "claims" / "theorem_4.py"
    text = module.read_text(encoding="utf-8")
    assert "-identity(" in text
    module.write_text(text.replace("-identity(", "identity("), encoding="utf-8")

    done = snakemake(broken, "claim_theorem_4")
    assert done.returncode != 0
    (line,) = lines(done.stdout)
    assert line.startswith("Theorem 4 · ")
    assert " · FAIL (REFUTED) · " in line
    assert "claim_theorem_4: not proved on its cases: Theorem 4" in done.stderr

    done = snakemake(broken)
    assert done.returncode != 0
    assert "verdicts_gate: not proved on its cases: Theorem 4 (log: " in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (broken / "smoke" / "results" / "verdicts.ok").exists()
    assert "{fail}" in (broken / "smoke" / "paper" / "generated" / "badges.tex").read_text(encoding="utf-8")
    assert (broken / "smoke" / "paper" / "main.pdf").stat().st_size > 0

    module.write_text(text, encoding="utf-8")
    assert snakemake(broken).returncode == 0
    assert pending(broken) == set()


@pytest.mark.case("a second run in the same checkout is refused in one line")
def test_a_second_run_at_the_same_time_is_refused_in_one_line(built: Path) -> None:
    with (built / ".cache" / "run.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = snakemake(built, "verify")
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("another run is at work in this folder: wait for it to end")
    assert "Traceback" not in done.stderr
    assert snakemake(built, "verify").returncode == 0
