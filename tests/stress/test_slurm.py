"""The workflow on a real Slurm of one node: jobs that fail or are cancelled; Snakemake killed."""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from checkout import copy_checkout, publish_small_model, surroundings
from possible import ROOT, cannot_run_here, need
from single_node import PROGRAMS, slurm, within

OPTIONS = [
    "--profile=workflow/profiles/slurm", "--slurm-no-account", "--slurm-status-command=squeue",
    "--slurm-init-seconds-before-status-checks=2", "--seconds-between-status-checks=2", "--latency-wait=5",
    "--jobs=4",
]  # fmt: skip
SLOW = """
import pathlib, time
marker = pathlib.Path(__file__).parents[2] / "slowed"
if not marker.exists():
    marker.touch()
    time.sleep(300)
"""


class Cluster:
    """A copy of the checkout, and commands on the Slurm that runs it."""

    def __init__(self, folder: Path, checkout: Path) -> None:
        self.folder, self.checkout = folder, checkout

    def call(self, *command: str) -> str:
        done = subprocess.run(
            within(self.folder, *command), capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    def running(self) -> list[str]:
        return self.call("squeue", "-h", "-t", "running", "-o", "%i").split()

    def start(self, *targets: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "snakemake", "--configfile=config/smoke.yaml", *targets, *OPTIONS]
        with (self.checkout / "said").open("ab") as out:
            return subprocess.Popen(
                within(self.folder, *words),
                cwd=self.checkout, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                env=surroundings(self.checkout),
            )  # fmt: skip

    def run(self, *targets: str) -> tuple[int, str]:
        before = self.said()
        process = self.start(*targets)
        try:
            code = process.wait(timeout=1800)
        finally:
            process.kill()
        return code, self.said()[len(before) :]

    def said(self) -> str:
        path = self.checkout / "said"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def edit(self, name: str, how: Callable[[str], str]) -> None:
        path = self.checkout / name
        path.write_text(how(path.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    need(*PROGRAMS, install="slurm-wlm munge procps")
    if not ROOT:
        cannot_run_here("only root can start a Slurm")
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))  # where the user munge may go, unlike pytest's own
    try:
        with slurm(folder):
            found = Cluster(folder, copy_checkout(folder / "checkout"))
            yield found
            for job in found.running():
                found.call("scancel", job)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def until(what: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.5)


@pytest.mark.case("Slurm: a failing job is told; a later run does what is left")
def test_a_failing_job_is_told_and_a_later_run_does_only_what_is_left(cluster: Cluster) -> None:
    script = "workflow/scripts/distance_figure.py"
    text = (cluster.checkout / script).read_text(encoding="utf-8")
    cluster.edit(script, lambda _: text + 'raise ValueError("broken on purpose")\n')
    code, said = cluster.run("distance_figure")
    assert code == 1, said
    cells = sorted((cluster.checkout / "smoke/results/raw/distance").glob("*.csv"))
    assert len(cells) == 2, said
    assert not (cluster.checkout / "smoke/figures/distance.pdf").exists()
    log = (cluster.checkout / "smoke/logs/distance_figure.log").read_text(encoding="utf-8")
    assert "broken on purpose" in log
    before = [path.stat().st_mtime_ns for path in cells]
    cluster.edit(script, lambda _: text)
    code, said = cluster.run("distance_figure")
    assert code == 0, said
    assert (cluster.checkout / "smoke/figures/distance.pdf").stat().st_size > 0
    assert [path.stat().st_mtime_ns for path in cells] == before


@pytest.mark.case("Slurm: short jobs share one")
def test_short_jobs_of_a_kind_share_one(cluster: Cluster) -> None:
    names = cluster.call("squeue", "-h", "-t", "all", "-o", "%k").splitlines()
    assert len([name for name in names if "distance_cell" in name]) == 1, names


@pytest.mark.case("Slurm: a cancelled job is tried again")
def test_a_cancelled_job_is_tried_again(cluster: Cluster) -> None:
    cluster.edit(
        "workflow/scripts/claim.py", lambda text: text.replace("begin(snakemake)", "begin(snakemake)" + SLOW)
    )
    process = cluster.start("claim_x2")
    try:
        until((cluster.checkout / "slowed").exists)
        for job in cluster.running():
            cluster.call("scancel", job)
        assert process.wait(timeout=900) == 0, cluster.said()
    finally:
        process.kill()
    assert (cluster.checkout / "smoke/results/claims/x2.json").exists()


@pytest.mark.case("Slurm: Snakemake is killed, the same command goes on")
def test_the_same_command_goes_on_after_snakemake_was_killed(cluster: Cluster) -> None:
    (cluster.checkout / "slowed").unlink()
    process = cluster.start("claim_x3")
    try:
        until((cluster.checkout / "slowed").exists)
    finally:
        process.kill()
        process.wait()
    for job in cluster.running():
        cluster.call("scancel", job)
    until(lambda: not cluster.running())
    assert not (cluster.checkout / "smoke/results/claims/x3.json").exists()
    code, said = cluster.run("claim_x3")
    assert code == 0, said
    assert (cluster.checkout / "smoke/results/claims/x3.json").exists()


@pytest.mark.case("Slurm: the whole smoke build")
def test_the_whole_workflow(cluster: Cluster) -> None:
    place = cluster.folder / "whole"
    place.mkdir()
    whole = Cluster(cluster.folder, copy_checkout(place / "checkout"))
    publish_small_model(whole.checkout)
    before = whole.call("squeue", "-h", "-t", "all", "-o", "%i").split()
    code, said = whole.run()
    assert code == 0, said
    smoke = whole.checkout / "smoke"
    for name in ("paper/main.pdf", "results/site/index.html", "results/verdicts.ok"):
        assert (smoke / name).stat().st_size > 0
    table = (smoke / "results/tables/checkpoint_decisions.csv").read_text(encoding="utf-8")
    assert "NOT_ABSORBABLE" in table
    jobs = len(whole.call("squeue", "-h", "-t", "all", "-o", "%i").split()) - len(before)
    (steps,) = re.findall(r"(\d+) of \1 steps \(100%\) done", said)
    assert 0 < 2 * jobs < int(steps)  # short ones share a job
