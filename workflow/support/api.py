"""The reference of the library as HTML, from its docstrings."""

import warnings
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
        names = modules(Path(skip_absorption.__file__).parent)
        pdoc.pdoc(*(name for name in names if name.count(".") < 2), output_directory=target)
