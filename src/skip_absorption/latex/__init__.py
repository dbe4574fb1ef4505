"""From tables to LaTeX: rounding, booktabs tables, macros, and the build of the PDF."""

from skip_absorption.latex.build import build_pdf
from skip_absorption.latex.document import generate
from skip_absorption.latex.lint import macro_usage, typed_numbers
from skip_absorption.latex.macros import write_macros

__all__ = ["build_pdf", "generate", "macro_usage", "typed_numbers", "write_macros"]
