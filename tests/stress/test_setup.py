"""A fresh clone at an awkward place is set up by ./reproduce, works without network, and may be moved."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from checkout import copy_checkout
from possible import namespaces

CONDA = ("CONDA_PREFIX", "CONDA_DEFAULT_ENV", "VIRTUAL_ENV", "PYTHONPATH")


def run(folder: Path, within: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*within, "./reproduce", "smoke", "claim_proposition_2"],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in CONDA},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_checkout(tmp_path_factory.mktemp("setup") / "a b'c (é)")
    done = run(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ">> The environment is ready" in done.stderr
    return folder


@pytest.mark.case("a fresh checkout named a b'c (é) is set up")
def test_a_fresh_checkout(fresh: Path) -> None:
    done = run(fresh)
    assert done.returncode == 0, done.stderr
    assert ">> Installing" not in done.stderr


@pytest.mark.case("./reproduce without network after the set-up")
def test_without_network(fresh: Path) -> None:
    done = run(fresh, namespaces("--net"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.case("a checkout that was set up is moved: it is set up anew")
def test_a_moved_checkout(fresh: Path) -> None:
    moved = fresh.rename(fresh.with_name("moved"))
    done = run(moved)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ">> The environment is ready" in done.stderr
