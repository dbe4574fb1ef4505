"""Executes a notebook kept as text and writes the same bytes for the same results."""

import os
import re
from html import escape
from pathlib import Path
from typing import Any

import jupytext
import nbclient
import nbformat
from jinja2 import pass_context
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from skip_absorption.errors import SkipAbsorptionError
from skip_absorption.results.store import write_text
from skip_absorption.results.stored import VARIABLE

SECONDS = 600  # for one cell
OPENING = "<mrow>|<mo[^>]*>(?:&#x00028;|&#x0003D;|&#x0007B;|&#x0002C;)</mo>"  # ( = { and the comma
NO_DESCRIPTION = "No description has been provided for this image"
SCRIPTS = re.compile(r"<script\b.*?</script>\s*", re.DOTALL)
STYLE = """<style>
body.jp-Notebook { max-width: 60rem; margin: 0 auto; padding: 1rem; }
.jp-InputPrompt, .jp-OutputPrompt { display: none; }
.jp-Cell { padding: 2px 0; }
.jp-RenderedMarkdown table, .jp-RenderedHTMLCommon table { margin-left: 0; }
.jp-OutputArea-output { overflow-x: auto; }
.jp-OutputArea { margin-bottom: 0.5em; }
.jp-OutputArea-output pre { white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere; }
.jp-InputArea-editor .highlight { overflow-x: auto; }
.jp-RenderedImage img { max-width: 100%; height: auto; }
math { font-size: 1.1em; }
</style>
</head>"""


def execute(source: Path, tier: str, ipynb: Path, html: Path) -> None:
    """Run a percent-format notebook in its own folder, as Jupyter would, and write both executed copies.

    Parameters
    ----------
    source
        The notebook's text.
    tier
        Whose tables it reads.

    Raises
    ------
    SkipAbsorptionError
        One line that names the cell and the error, if a cell fails. Then neither copy is written, and what
        was executed stands beside them as ``<name>.partial.ipynb``.
    """
    partial = ipynb.with_suffix(".partial.ipynb")
    partial.unlink(missing_ok=True)
    notebook = jupytext.read(source)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    client = nbclient.NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=SECONDS,
        record_timing=False,
        coalesce_streams=True,  # else they are cut where the kernel happens to flush them
        resources={"metadata": {"path": os.fspath(source.parent)}},
    )
    try:
        client.execute(env={**os.environ, VARIABLE: tier})
    except (nbclient.exceptions.CellExecutionError, nbclient.exceptions.CellTimeoutError) as error:
        write_text(partial, nbformat.writes(notebook) + "\n")
        what = f"{error.ename}: {error.evalue}" if hasattr(error, "ename") else f"more than {SECONDS} s"
        where = f"cell {_failed(notebook)}"
        raise SkipAbsorptionError(f"{source}: {where}: {what} (executed so far: {partial})") from error
    notebook.metadata.pop("jupytext", None)
    write_text(ipynb, nbformat.writes(notebook) + "\n")
    write_text(html, to_html(notebook))


def _failed(notebook: nbformat.NotebookNode) -> int:
    """Return the number of the last cell that was begun, counting code cells from 1."""
    return sum(1 for cell in notebook.cells if cell.cell_type == "code" and cell.execution_count)


def to_html(notebook: nbformat.NotebookNode) -> str:
    """Return an executed notebook as one page that needs no network: formulas are MathML."""
    name = next(line for cell in notebook.cells for line in cell.source.splitlines() if line[:2] == "# ")
    body, _ = _Exporter().from_notebook_node(notebook, {"metadata": {"name": name[2:]}})
    descriptions = iter(_descriptions(notebook))
    body = re.sub(f'alt="{NO_DESCRIPTION}"', lambda _: f'alt="{escape(next(descriptions))}"', body)
    return SCRIPTS.sub("", body).replace("</head>", STYLE, 1)


def _descriptions(notebook: nbformat.NotebookNode) -> list[str]:
    """Return what the notebook says of its pictures, in order; nbconvert leaves it out."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    pictures = [output for output in outputs if "image/png" in output.get("data", ())]
    return [picture.metadata.get("image/png", {}).get("alt", NO_DESCRIPTION) for picture in pictures]


class _Renderer(IPythonRenderer):
    """Markdown whose formulas become MathML."""

    def inline_math(self, body: str) -> str:
        return _mathml(body, "inline")

    def block_math(self, body: str) -> str:
        return _mathml(body, "block")


def _mathml(formula: str, display: str) -> str:
    """Convert a formula; bars and slashes stand close, and a minus that opens a term is a sign."""
    text = convert(formula, display=display)
    text = re.sub(
        r"<mo[^>]*>(&#x0007C;|&#x0002F;)</mo>", r'<mo lspace="0" rspace="0" stretchy="false">\1</mo>', text
    )
    return re.sub(rf"({OPENING})<mo>&#x02212;</mo>", r'\1<mo form="prefix">&#x02212;</mo>', text)


class _Exporter(HTMLExporter):
    """HTML with formulas in it rather than a script that would be loaded to set them."""

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        return MarkdownWithMath(renderer=_Renderer(escape=False)).render(source)
