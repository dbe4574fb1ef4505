"""The files that count as a rule's sources are those that Python loads, and no more than it may load."""

import subprocess
import sys
from pathlib import Path

import pytest

from skip_absorption.claims.ledger import CLAIMS
from support.sources import ROOT, closure, sources, versions

NOTEBOOKS = sorted(f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.py"))
SCRIPTS = sorted(path.stem for path in (ROOT / "workflow" / "scripts").glob("*.py"))
LOADED = """
import ast, pathlib, sys
sys.path.insert(0, "workflow")
for name in sys.argv[1:]:
    if name.endswith(".py"):
        tree = ast.parse(pathlib.Path(name).read_text(encoding="utf-8"))
        tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        exec(compile(tree, name, "exec"))
    else:
        __import__(name)
for module in sys.modules.values():
    file = getattr(module, "__file__", None)
    if file and pathlib.Path(file).is_relative_to(pathlib.Path.cwd()) and "site-packages" not in file:
        print(pathlib.Path(file).relative_to(pathlib.Path.cwd()).as_posix())
"""


def loaded(*names: str) -> set[str]:
    """Import what a script imports, and return the files of the checkout that were loaded: the oracle."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *names], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("script", SCRIPTS)
def test_everything_that_a_script_loads_is_a_source(script: str) -> None:
    assert loaded(f"workflow/scripts/{script}.py") <= set(sources(script))


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_everything_that_a_notebook_loads_is_a_source(notebook: str) -> None:
    files = set(sources("notebook", notebook))
    assert loaded("workflow/scripts/notebook.py", notebook) <= files


def test_lazy_names_of_the_package_count() -> None:
    assert "src/skip_absorption/absorption/construct.py" in sources("notebook", "notebooks/tour.py")


@pytest.mark.parametrize("claim", CLAIMS)
def test_everything_that_a_claim_loads_is_a_source(claim: str) -> None:
    module = CLAIMS[claim].module
    assert loaded("workflow/scripts/claim.py", module) <= set(sources("claim", module))


@pytest.mark.parametrize("claim", CLAIMS)
def test_no_other_claim_is_a_source(claim: str) -> None:
    files = sources("claim", CLAIMS[claim].module)
    assert [name for name in CLAIMS if f"src/skip_absorption/claims/{name}.py" in files] == [claim]


def test_imports_inside_functions_and_data_files_count() -> None:
    files = sources("claim", CLAIMS["proposition_1"].module)
    assert "src/skip_absorption/results/provenance.py" in files
    assert "src/skip_absorption/results/schemas/claim.schema.json" in files
    assert not [file for file in files if "__pycache__" in file]


def test_lazy_names_of_the_package_do_not_count() -> None:
    inside = {name for name in closure({"skip_absorption.errors"}) if name.startswith("skip_absorption")}
    assert inside == {"skip_absorption", "skip_absorption.errors"}


def test_a_figure_depends_on_no_theory() -> None:
    theory = ("/absorption/", "/claims/", "/exact/", "/experiments/", "/networks/")
    files = sources("width_threshold_figure")
    assert not [file for file in files if any(part in file for part in theory)]


def test_versions_name_python_and_what_is_imported() -> None:
    line = versions("claim", CLAIMS["proposition_1"].module)
    assert line.startswith(f"Python {sys.version_info.major}.{sys.version_info.minor}.")
    assert "python-flint 0." in line
    assert "numpy 2." in line


def test_an_unknown_module_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"skip_absorption\.nothing is not a module"):
        closure({"skip_absorption.nothing"})


def test_every_source_exists() -> None:
    for script in SCRIPTS:
        assert all(Path(ROOT, name).is_file() for name in sources(script))
