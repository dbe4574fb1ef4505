"""The reference of the library as HTML, from its docstrings."""

import warnings
from importlib import import_module
from pathlib import Path

import skip_absorption


def modules(package: Path) -> list[str]:
    """Return the names of all modules of a package but the private ones, the package first."""
    files = [path.relative_to(package.parent) for path in package.rglob("*.py")]
    parts = [path.with_suffix("").parts for path in files]
    dotted = {".".join(part for part in names if part != "__init__") for names in parts}
    return sorted(name for name in dotted if not any(part.startswith("_") for part in name.split(".")))


def write_api(target: Path) -> None:
    """Write a page for each module, and a page to search them, into a folder.

    pdoc is a tool of development, imported late so that every other rule works without it.
    """
    import pdoc  # noqa: PLC0415  # see above
    import pdoc.render  # noqa: PLC0415  # see above

    vars(skip_absorption).update({name: getattr(skip_absorption, name) for name in skip_absorption.__all__})
    pdoc.render.configure(docformat="numpy", show_source=False, footer_text="Skip Absorption")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # what cannot be documented stops the build
        warnings.filterwarnings("ignore", ".*type annotation")  # one for type checkers alone stays as it is
        pdoc.pdoc(*_specifications(), output_directory=target)


def _specifications() -> list[str]:
    """Return what pdoc needs to be told: it finds modules itself, but none below an ``__all__``."""
    named = []
    for name in modules(Path(skip_absorption.__file__).parent):
        parent = name.rpartition(".")[0]
        if not parent or hasattr(import_module(parent), "__all__"):
            named.append(name)
    return [*named, rf"!{skip_absorption.__name__}\..*\b_"]  # the last: no private module
