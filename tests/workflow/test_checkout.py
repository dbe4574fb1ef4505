"""The copies in which workflows are tested hold the sources, after a full build too."""

from pathlib import Path

import checkout
import pytest

KEPT = {"Snakefile", "paper/main.tex", "src/package/results/a.py", "docs/results.md", "figures"}
LEFT = (
    ".git/HEAD", ".venv/bin/python", "results/tables/a.csv", "smoke/paper/main.pdf", "large/a", "logs/a.log",
    "benchmarks/a.tsv", "paper/main.pdf", "paper/main.aux", "paper/generated/macros.tex", "figures/fold.png",
    "resources/downloads/a.whl", "src/package/__pycache__/a.pyc", ".cache/outputs/a.sha256",
)  # fmt: skip


def test_outputs_are_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    for name in (*KEPT - {"figures"}, *LEFT):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    monkeypatch.setattr(checkout, "ROOT", root)
    copy = checkout.copy_checkout(tmp_path / "copy")
    ends = {p.relative_to(copy).as_posix() for p in copy.rglob("*") if p.is_file() or not list(p.iterdir())}
    assert ends - {"resources"} == KEPT
