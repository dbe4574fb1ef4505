"""A run that is killed or interrupted leaves no half result and no process, and the same command goes on."""

import os
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
if snakemake.wildcards.claim == "lemma_7":
    import pathlib, time
    from skip_absorption.results.store import atomic_path
    with atomic_path(snakemake.output.claim) as partial:
        partial.write_text("{", encoding="utf-8")
        pathlib.Path("half").touch()
        time.sleep(600)
"""


class Run:
    """A checkout in which one claim is checked and another is stuck with half of its result written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script = folder / "workflow" / "scripts" / "claim.py"
        self.text = self.script.read_text(encoding="utf-8")

    def start(self) -> subprocess.Popen[str]:
        self.script.write_text(
            self.text.replace("begin(snakemake)", "begin(snakemake)" + BREAK), encoding="utf-8"
        )
        process = subprocess.Popen(
            command(DONE, SLOW),
            cwd=self.folder, env=surroundings(self.folder), text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        until(lambda: (self.folder / "half").exists() and (self.folder / KEPT).exists())
        return process

    def jobs(self) -> list[int]:
        """Return the processes that work in the checkout, but Snakemake."""
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
        """The same command, with the script as it was, does the rest and only that."""
        half, whole = self.folder / RESULT, self.folder / KEPT
        assert not half.exists()
        self.script.write_text(self.text, encoding="utf-8")
        before = whole.read_bytes()
        done = snakemake(self.folder, DONE, SLOW)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "--unlock" not in done.stdout + done.stderr
        assert half.read_bytes().endswith(b"}\n")
        assert whole.stat().st_size == len(before)


def until(what: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(copy_checkout(tmp_path / "a checkout"))


@pytest.mark.case("SIGKILL of a worker in mid-rule, then the same command")
def test_a_killed_worker(run: Run) -> None:
    process = run.start()
    for job in run.jobs():
        os.kill(job, signal.SIGKILL)
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


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGINT, marks=pytest.mark.case("SIGINT leaves no process behind")),
        pytest.param(signal.SIGTERM, marks=pytest.mark.case("SIGTERM leaves no process behind")),
    ],
)
def test_an_interrupted_run(run: Run, number: int) -> None:
    process = run.start()
    process.send_signal(number)  # to Snakemake alone: a terminal would tell all its processes
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
        for job in run.jobs():
            os.kill(job, signal.SIGKILL)
        process.communicate()
    run.goes_on()
