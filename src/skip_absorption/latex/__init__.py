"""From tables to LaTeX: rounding, booktabs tables, macros, lint, and the build of the PDF."""
