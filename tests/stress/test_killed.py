"""A run that is killed or interrupted leaves no half result and no process, and the same command goes on."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import command, copy_checkout, snakemake, surroundings

DONE, SLOW = "claim_proposition_2", "claim_lemma_7"
KEPT = "smoke/results/claims/proposition_2.json"
RESULT = "smoke/results/claims/lemma_7.json"
BREAK = """
import os, pathlib, time
from skip_absorption.results.store import atomic_path
if snakemake.wildcards.claim == "lemma_7" and pathlib.Path("break").exists():
    with atomic_path(snakemake.output.claim) as partial:
        partial.write_text("{", encoding="utf-8")
        pathlib.Path("stuck").write_text(str(os.getpid()), encoding="utf-8")
        time.sleep(600)
"""


class Run:
    """A checkout in which one claim is checked and another is stuck with half of its result written."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.before = folder, (folder / KEPT).stat().st_mtime_ns

    def start(self) -> subprocess.Popen[str]:
        (self.folder / "break").touch()
        process = subprocess.Popen(
            ["env", "--default-signal=INT", *command(DONE, SLOW)],  # CI and nohup have it ignored
            cwd=self.folder, env=surroundings(self.folder), text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        until(lambda: self.stuck)
        return process

    @property
    def stuck(self) -> int:
        path = self.folder / "stuck"
        return int(path.read_text(encoding="utf-8") or 0) if path.exists() else 0

    def jobs(self) -> list[int]:
        """Return the processes of jobs in the checkout."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words, place = (entry / "cmdline").read_bytes(), (entry / "cwd").readlink()
            except OSError:
                continue  # it has just ended, or is another user's
            if place == self.folder and b".snakemake/scripts/" in words:
                found.append(int(entry.name))
        return found

    def goes_on(self) -> None:
        """The same command does the rest and only that."""
        assert not (self.folder / RESULT).exists()
        (self.folder / "break").unlink()
        done = snakemake(self.folder, DONE, SLOW)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "unlock" not in done.stdout + done.stderr
        assert (self.folder / RESULT).read_bytes().endswith(b"}\n")
        assert (self.folder / KEPT).stat().st_mtime_ns == self.before


def until(what: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Check the first claim, in a checkout where the second one gets stuck as long as a file is there."""
    folder = copy_checkout(tmp_path_factory.mktemp("begun") / "a checkout")
    script = folder / "workflow" / "scripts" / "claim.py"
    text = script.read_text(encoding="utf-8")
    script.write_text(text.replace("begin(snakemake)", "begin(snakemake)" + BREAK), encoding="utf-8")
    done = snakemake(folder, DONE)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def run(begun: Path, tmp_path: Path) -> Run:
    return Run(shutil.copytree(begun, tmp_path / "a checkout"))


@pytest.mark.case("SIGKILL of a worker in mid-rule, then the same command")
def test_a_killed_worker(run: Run) -> None:
    process = run.start()
    os.kill(run.stuck, signal.SIGKILL)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "Traceback" not in said
    run.goes_on()


@pytest.mark.case("SIGKILL of Snakemake in mid-rule, then the same command")
def test_killed_snakemake(run: Run) -> None:
    process = run.start()
    process.kill()
    process.communicate()
    until(lambda: not run.jobs(), 30)
    run.goes_on()


@pytest.mark.case("SIGINT leaves no process behind")
def test_an_interrupted_run(run: Run) -> None:
    process = run.start()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    said, _ = process.communicate(timeout=300)
    assert process.returncode != 0
    assert "Traceback" not in said
    until(lambda: not run.jobs(), 30)
    run.goes_on()


@pytest.mark.case("two runs at once in a checkout: the later one stops with one line")
def test_two_runs_at_once(run: Run) -> None:
    process = run.start()
    try:
        second = snakemake(run.folder, DONE)
        assert second.returncode == 1
        assert second.stderr.splitlines()[-1] == "another run is at work in this folder: wait for it to end"
        assert process.poll() is None
    finally:
        os.kill(run.stuck, signal.SIGKILL)
        process.communicate()
    run.goes_on()
