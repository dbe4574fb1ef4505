"""From tables to LaTeX: rounding, booktabs tables, macros."""
