"""The source files that a rule's result depends on: its script and the modules imported from there on."""

import ast
import platform
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

import grimp

import skip_absorption

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "skip_absorption"
LAZY = {f"{PACKAGE}.{name}": f"{PACKAGE}.{module}" for name, module in skip_absorption._PUBLIC.items()}
version = cache(metadata.version)  # it reads a file each time
DISTRIBUTIONS = {"flint": "python-flint", "google": "protobuf", "yaml": "PyYAML"}


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(
        PACKAGE,
        include_external_packages=True,
        exclude_type_checking_imports=True,
        cache_dir=str(ROOT / ".cache" / "grimp"),
    )


@cache
def sources(script: str, *more: str) -> list[str]:
    """Return the files behind a script, relative to the checkout, sorted.

    Parameters
    ----------
    script
        Name of the script under ``workflow/scripts``, without ``.py``.
    more
        What the script reaches by name at run time: modules of the library, or files ending in ``.py``.

    Notes
    -----
    What is missing stops the program with one line, for Snakemake would make a traceback of an exception.
    Imports inside functions count; imports under ``if TYPE_CHECKING`` do not. With a module come the
    packages that contain it, and with a package the data files that lie in it.
    """
    files, library, _ = _reached(script, *more)
    return sorted(map(str, files.union(*map(_files, library))))


@cache
def versions(script: str, *more: str) -> str:
    """Return Python's and the imported packages' versions for the same script, as one line."""
    foreign = sorted(_reached(script, *more)[2] - set(sys.stdlib_module_names))
    names = [DISTRIBUTIONS.get(name, name) for name in foreign]
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in names)])


@cache
def _reached(script: str, *more: str) -> tuple[frozenset[Path], frozenset[str], frozenset[str]]:
    """Return the files outside the library, its modules, and the foreign packages behind a script."""
    files, foreign = set[Path](), set[str]()
    library = {name for name in more if not name.endswith(".py")}
    for name in sorted(library - _graph().modules):
        sys.exit(f"{script} needs the module {name}, which is missing")
    waiting = {Path("workflow", "scripts", f"{script}.py"), *(Path(name) for name in {*more} - library)}
    while waiting:
        file = waiting.pop()
        if not (ROOT / file).is_file():
            sys.exit(f"{script} needs {file}, which is missing")
        files.add(file)
        for name in _imported(file):
            support = Path("workflow", *name.split(".")).with_suffix(".py")
            if name.startswith("support") and (ROOT / support).is_file():
                waiting |= {support} - files
            elif name in _graph().modules:
                library.add(name)
            elif not name.startswith((PACKAGE, "support")):
                foreign.add(name.partition(".")[0])
    reached = closure(library)
    inside = {name for name in reached if name.partition(".")[0] == PACKAGE}
    return frozenset(files), frozenset(inside), frozenset(foreign | (reached - inside))


def closure(modules: set[str]) -> set[str]:
    """Return all modules that run when these are imported: theirs, their packages', and what those import."""
    graph, found, waiting = _graph(), set[str](), set(modules)
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        if module not in graph.modules:
            raise ValueError(f"{module} is not a module of {PACKAGE}")
        found.add(module)
        waiting |= graph.find_modules_directly_imported_by(module)
        waiting |= {module.rpartition(".")[0]} - {""}
    return found


def _imported(path: Path) -> set[str]:
    """Return the names that may be modules among those that a file imports."""
    names = set[str]()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {node.module} | {name for name in inner if name.startswith((PACKAGE, "support"))}
    return {LAZY.get(name, name) for name in names}


def _files(module: str) -> set[Path]:
    """Return the module's file; for a package, its ``__init__`` and the data files that belong to it."""
    place = Path("src", *module.split("."))
    if not (ROOT / place).is_dir():
        return {place.with_suffix(".py")}
    files, folders = {place / "__init__.py"}, [place]
    while folders:
        for entry in (ROOT / folders.pop()).iterdir():
            if entry.is_dir() and not (entry / "__init__.py").exists() and entry.name != "__pycache__":
                folders.append(entry)
            elif entry.is_file() and entry.suffix != ".py":
                files.add(entry.relative_to(ROOT))
    return files
