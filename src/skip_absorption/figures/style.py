"""One look for every figure: the paper's fonts and column, a colour-blind-safe palette, equal bytes."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skip_absorption.results.store import atomic_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN = 130 / 25.4
"""Width of the paper's text column in inches."""

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, darker ones first; yellow is left out, since its thin lines vanish in print."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Marker shapes, so that no line is told by its colour alone."""

_PARAMETERS: Any = {  # keys of Matplotlib's RcParams
    "font.family": "serif",
    "font.serif": ["cmr10"],
    "mathtext.fontset": "cm",
    "axes.formatter.use_mathtext": True,
    "axes.unicode_minus": False,
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.2,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "svg.hashsalt": "skip-absorption",
}

_METADATA: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


@contextmanager
def paper_style() -> Iterator[None]:
    """Use the project's Matplotlib parameters, whatever the reader's own configuration says."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_PARAMETERS)
        yield


def figure(width: float = COLUMN, height: float = 2.6) -> Figure:
    """Return an empty figure of this size in inches, independent of pyplot; call within `paper_style`."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(fig: Figure, path: Path) -> None:
    """Write the figure as ``path`` (a ``.pdf``) and, beside it, as ``.png``; each file whole or not at all.

    No date, program name or random identifier enters the files, so equal figures give equal bytes.
    """
    for suffix in _METADATA:
        with atomic_path(path.with_suffix(f".{suffix}")) as partial:
            partial.write_bytes(render(fig, suffix))


def render(fig: Figure, suffix: str) -> bytes:
    """Return the bytes of the figure as ``"pdf"`` or ``"png"``, drawn with the project's parameters."""
    # fontTools warns of the ancient dates inside the Computer Modern files that ship with Matplotlib.
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    buffer = io.BytesIO()
    with paper_style():
        fig.savefig(buffer, format=suffix, metadata=_METADATA[suffix])
    return buffer.getvalue()
