"""A script's output goes to its log; its error is one line on the terminal, with the traceback in the log."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
from checkout import ROOT

HEAD = """
import sys
from types import SimpleNamespace
sys.path.insert(0, sys.argv[1])
from support.job import begin
from skip_absorption.errors import InvalidInput
begin(SimpleNamespace(rule="demo", log=sys.argv[2:]))
"""


def run(body: str, *log: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HEAD + body, str(ROOT / "workflow"), *log],
        capture_output=True,
        text=True,
        check=False,
    )


def test_output_of_the_script_and_of_its_children_goes_to_the_log(tmp_path: Path) -> None:
    log = tmp_path / "deep" / "demo.log"
    body = "print('mine')\nimport subprocess\nsubprocess.run(['sh', '-c', 'echo out; echo err >&2'])"
    done = run(body, str(log))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert log.read_text(encoding="utf-8") == "mine\nout\nerr\n"


def test_misuse_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "demo.log"
    done = run("raise InvalidInput('w_up', 'have N >= d', (1, 2))", str(log))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f"demo: w_up must have N >= d; got (1, 2) (log: {log})\n"
    assert "Traceback" in log.read_text(encoding="utf-8")


def test_any_other_error_is_one_line_with_its_kind(tmp_path: Path) -> None:
    done = run("raise ValueError('first\\nsecond')", str(tmp_path / "demo.log"))
    assert done.returncode == 1
    assert done.stderr.startswith("demo: ValueError: first second (log: ")
    assert done.stderr.count("\n") == 1


def test_without_a_log_a_script_speaks_to_the_terminal() -> None:
    done = run("print('seen')\nraise InvalidInput('x', 'be y', 0)")
    assert done.returncode == 1
    assert done.stdout == "seen\n"
    assert done.stderr == "demo: x must be y; got 0\n"


def test_what_a_job_started_ends_with_a_snakemake_that_was_killed(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    body = f"""
import pathlib, subprocess
child = subprocess.Popen(["sh", "-c", "sleep 300 & wait"])
pathlib.Path({str(begun)!r}).touch()
child.wait()
"""
    job = [sys.executable, "-c", HEAD + body, str(ROOT / "workflow")]
    start = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    snakemake = psutil.Popen([sys.executable, "-c", start, *job])
    while not begun.exists() or len(started := snakemake.children(recursive=True)) < 3:  # the job, sh, sleep
        time.sleep(0.1)
    snakemake.kill()
    snakemake.wait()
    _, alive = psutil.wait_procs(started, timeout=30)
    assert alive == []
