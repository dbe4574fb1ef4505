"""A skip is an error, but for a case of the stress tests that cannot run here, which is told and counted."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CASES = """
import pytest

@pytest.mark.case("one")
def test_one():
    pass

@pytest.mark.case("two")
def test_two():
    pytest.skip("cannot run here: no network")
"""


def run(folder: Path, file: str, text: str) -> subprocess.CompletedProcess[str]:
    """Run one file of tests in a folder under this suite's conftest."""
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    shutil.copy(HERE / "conftest.py", folder)
    path.write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--cases=cases.csv", file]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "text",
    [
        "import pytest\ndef test_it(): pytest.skip('cannot run here: no reason')",
        "import pytest\n@pytest.mark.skip(reason='later')\ndef test_it(): pass",
        "import pytest\npytest.importorskip('no_such_module')\ndef test_it(): pass",
    ],
)
def test_a_skip_is_an_error(tmp_path: Path, text: str) -> None:
    done = run(tmp_path, "test_it.py", text)
    assert done.returncode in (1, 2), done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1]


def test_a_case_that_cannot_run_is_told_and_counted(tmp_path: Path) -> None:
    done = run(tmp_path, "stress/test_it.py", CASES)
    assert done.returncode == 0, done.stdout
    assert "2 cases: 1 passed, 0 failed, 1 cannot run here" in done.stdout
    rows = (tmp_path / "cases.csv").read_text(encoding="utf-8").splitlines()
    assert [row.rpartition(",")[0] for row in rows[1:]] == ["one,passed", "two,cannot run here: no network"]
    done = run(tmp_path, "stress/test_it.py", CASES.replace("cannot run here: ", ""))
    assert done.returncode == 1
    assert "2 cases: 1 passed, 1 failed, 0 cannot run here" in done.stdout
