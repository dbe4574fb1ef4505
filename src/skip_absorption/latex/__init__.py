"""From tables to LaTeX: rounding, booktabs tables, macros, and the build of the PDF."""

from skip_absorption.latex.build import build_pdf
from skip_absorption.latex.document import generate
from skip_absorption.latex.macros import macro_usage, write_macros

__all__ = ["build_pdf", "generate", "macro_usage", "write_macros"]
