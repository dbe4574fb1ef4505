"""No source runs what it reads: no pickles, no evaluated text, no command lines put together from values."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(
    path for folder in ("src", "workflow", "notebooks", "docs") for path in (ROOT / folder).rglob("*.py")
)
RULES = [ROOT / "Snakefile", *sorted((ROOT / "workflow" / "rules").glob("*.smk"))]
MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "torch"}
NAMES = {"eval", "exec", "compile", "__import__"}
CALLS = {"os.system", "os.popen", "yaml.load", "yaml.unsafe_load", "yaml.full_load", "subprocess.getoutput"}


def unsafe(text: str) -> Iterator[str]:
    """Yield what a source must not contain."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            )
            yield from (name for name in names if name.partition(".")[0] in MODULES)
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in NAMES | CALLS:
                yield called
            for keyword in node.keywords:
                value = getattr(keyword.value, "value", None)
                if keyword.arg in ("shell", "allow_pickle") and value is not False:
                    yield f"{keyword.arg}={ast.unparse(keyword.value)}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_sources_run_nothing_that_they_read(path: Path) -> None:
    assert list(unsafe(path.read_text(encoding="utf-8"))) == []


def test_rules_run_nothing_that_they_read() -> None:
    assert len(SOURCES) > 50
    forbidden = re.compile(r"\b(eval|exec|shell|system|popen)\s*\(|^\s*shell:|\bpickle\b", re.MULTILINE)
    for path in RULES:
        assert not forbidden.search(path.read_text(encoding="utf-8")), path.name


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from torch.nn import Module",
        "eval('1')",
        "import yaml\nyaml.load(stream)",
        "import subprocess\nsubprocess.run(command, shell=True)",
        "import numpy as np\nnp.load(path, allow_pickle=flag)",
        "import os\nos.system('ls')",
    ],
)
def test_this_would_be_found(text: str) -> None:
    assert list(unsafe(text))


def test_safe_forms_are_not_found() -> None:
    text = "import re, yaml\nre.compile('a')\nyaml.safe_load(s)\nnp.load(p, allow_pickle=False)\nmodel.eval()"
    assert list(unsafe(text)) == []
