"""What the workflow makes for readers: its figures, tables and notebooks, with their rules and captions."""

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2

from skip_absorption.site.exhibits import Exhibit


def made(
    rules: Iterable[Any], root: str, folder: str, suffix: str, repository: str
) -> dict[str, dict[str, Any]]:
    """Return the files of a folder that rules make: by name, the rule, its file and the tables that it reads.

    Parameters
    ----------
    rules
        Snakemake's rules.
    root
        Where the tier's outputs go.
    folder, suffix
        The outputs' folder there, and their suffix.
    repository
        The folder of the Snakefile, to which the rules' files are relative.
    """
    return {
        Path(output).stem: {
            "rule": rule.name,
            "rules_file": Path(rule.snakefile).relative_to(repository).as_posix(),
            "tables": _named(rule.input, Path(root, "results", "tables"), ".csv"),
        }
        for rule in sorted(rules, key=lambda rule: rule.name)
        for output in rule.output
        if _named([output], Path(root, folder), suffix)
    }


def _named(files: Iterable[Any], folder: Path, suffix: str) -> list[str]:
    """Return the names of those files that lie in the folder; those with wildcards have none."""
    paths = [Path(str(file)) for file in files if not callable(file) and "{" not in str(file)]
    return [path.stem for path in paths if path.parent == folder and path.suffix == suffix]


def caption_file(name: str) -> Path:
    """Return the caption of an output, which is also that of Snakemake's report."""
    return Path("workflow", "report", f"{name}.rst")


def exhibits(places: dict[str, dict[str, Any]], config: dict[str, Any]) -> list[Exhibit]:
    """Return what `made` has found, with captions, in which sizes are filled in from the configuration.

    A place that has a caption of its own keeps it.
    """
    return [
        Exhibit(name, **{"caption": _caption(caption_file(name), config), **place})
        for name, place in places.items()
    ]


def _caption(path: Path, config: dict[str, Any]) -> str:
    if not path.exists():
        return ""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)  # noqa: S701  # plain text, escaped later
    template = environment.from_string(path.read_text(encoding="utf-8"))
    return template.render(snakemake=SimpleNamespace(config=config))
