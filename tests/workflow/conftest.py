"""A copy of the checkout, at a place with an awkward name, where workflows can be built and broken."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "workflow")]

from checkout import copy_checkout, publish_small_model, snakemake  # noqa: E402  # found through the path above

Edit = Callable[[str, Callable[[str], str]], None]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the smoke tier once, in a folder whose name has a blank, quotes and an umlaut."""
    folder = copy_checkout(tmp_path_factory.mktemp("build") / 'it\'s a "tëst"')
    publish_small_model(folder)
    done = snakemake(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def edit(built: Path) -> Iterator[Edit]:
    """Change a file of the built copy for the length of one test."""
    before: dict[Path, str] = {}

    def change(name: str, how: Callable[[str], str]) -> None:
        path = built / name
        before.setdefault(path, path.read_text(encoding="utf-8"))
        path.write_text(how(before[path]), encoding="utf-8")

    yield change
    for path, text in before.items():
        path.write_text(text, encoding="utf-8")
