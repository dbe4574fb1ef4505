"""Executes a notebook kept as text and writes the same bytes for the same results."""

import os
from pathlib import Path

import jupytext
import nbclient
import nbformat
from nbconvert import HTMLExporter

from skip_absorption.errors import SkipAbsorptionError
from skip_absorption.results.store import write_text


def execute(source: Path, folder: Path, ipynb: Path, html: Path) -> None:
    """Run a percent-format notebook with a folder as its working directory; write both executed copies.

    Raises
    ------
    SkipAbsorptionError
        One line that names the cell and the error, if a cell fails; then nothing is written.
    """
    notebook = jupytext.read(source)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    client = nbclient.NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=600,
        record_timing=False,
        resources={"metadata": {"path": os.fspath(folder)}},
    )
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError as error:
        raise SkipAbsorptionError(f"{source}: {error.ename}: {error.evalue}") from error
    notebook.metadata.pop("jupytext", None)
    body, _ = HTMLExporter().from_notebook_node(notebook, {"metadata": {"name": source.stem}})
    write_text(ipynb, nbformat.writes(notebook) + "\n")
    write_text(html, body)
