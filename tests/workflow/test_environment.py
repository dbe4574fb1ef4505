"""Jobs get one environment, whatever the shell had; an interpreter at an awkward place can be started."""

import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from support import environment


@pytest.fixture
def applied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    before = {"PYTHONPATH": "/elsewhere", "LC_ALL": "C", "HOME": "/nonexistent", "PYTHONHASHSEED": "random"}
    before["TMPDIR"] = "/nonexistent"
    monkeypatch.setattr(os, "environ", before)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(sys, "executable", '/it\'s a "plâce"/python')
    environment.apply(tmp_path)
    return before


def test_the_shell_has_no_say(applied: dict[str, str], tmp_path: Path) -> None:
    assert applied["PYTHONPATH"] == f"{tmp_path / 'src'}:{tmp_path / 'workflow'}"
    assert {
        "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONNOUSERSITE": "1",
        "SOURCE_DATE_EPOCH": environment.SOURCE_DATE, "FORCE_SOURCE_DATE": "1", "MPLBACKEND": "agg",
    }.items() <= applied.items()  # fmt: skip
    assert applied["HOME"] == "/nonexistent"


def test_caches_stay_in_the_work_tree(applied: dict[str, str], tmp_path: Path) -> None:
    caches = [name for name in applied if name.startswith(("JUPYTER", "TEXMF")) or name.endswith("CACHE_DIR")]
    for name in {*caches, "MPLCONFIGDIR", "IPYTHONDIR"} - {"JUPYTER_PREFER_ENV_PATH"}:
        assert Path(applied[name]).is_relative_to(tmp_path / ".cache"), name


@pytest.mark.usefixtures("applied")
def test_the_interpreter_is_one_word_for_the_shell() -> None:
    assert shlex.split(sys.executable) == ['/it\'s a "plâce"/python']


def test_a_missing_folder_for_temporary_files_is_replaced(applied: dict[str, str]) -> None:
    assert Path(applied["TMPDIR"]).is_dir()


@pytest.mark.case("TMPDIR is tiny: temporary files go to the checkout")
def test_a_full_folder_for_temporary_files_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=environment.SCRATCH - 1))
    assert environment.scratch(tmp_path) == str(tmp_path / "tmp")
    assert (tmp_path / "tmp").is_dir()
