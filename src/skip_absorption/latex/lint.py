r"""Checks of the paper's sources: every macro is generated and used, and no result is typed by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_USE = re.compile(r"\\((?:ifRes|Res|Badge)[A-Z][A-Za-z]*)")
_DEFINITION = re.compile(r"\\newcommand\*?\{\\[A-Za-z]+\}|\\newif\\if[A-Za-z]+ \\[A-Za-z]+")
_COMMENT = re.compile(r"(?<!\\)%.*")
_MEASURED = re.compile(r"\\begin\{measured\}(.*?)\\end\{measured\}", re.DOTALL)
_REFERENCE = re.compile(r"\\(?:[Cc]ref|ref|eqref|label|cite[a-z]*)\*?\{[^}]*\}")
_COUNTED = re.compile(
    r"[0-9][0-9.,]*(?:~|\\,|\s)+(?:of(?:~|\s)+)?"
    r"(?:cases|controls|seconds|minutes|targets|restarts|starting points|fits|blocks|layers|entries)\b"
)


def macro_usage(tex_files: Sequence[Path], macros: Iterable[str]) -> list[str]:
    """Compare the macros that the files use with those that are generated, in both directions.

    Parameters
    ----------
    tex_files
        The paper's sources and the generated tables; definitions and comments do not count as uses.
    macros
        The generated names, without backslash.

    Returns
    -------
    list of str
        One line a problem; empty when both sets agree.
    """
    used: dict[str, str] = {}
    for path in tex_files:
        text = _DEFINITION.sub("", _COMMENT.sub("", path.read_text(encoding="utf-8")))
        for name in _USE.findall(text):
            used.setdefault(name, path.name)
    generated = set(macros)
    problems = [
        f"{used[name]} uses \\{name}, which is not generated" for name in used if name not in generated
    ]
    problems += [f"\\{name} is generated but never used" for name in sorted(generated - set(used))]
    return problems


def typed_numbers(tex_files: Sequence[Path]) -> list[str]:
    r"""Find results that were typed by hand.

    A digit is a finding inside the environment ``measured`` (where all values are macros), and anywhere else
    right before a word that counts results, such as "cases" or "seconds".

    Returns
    -------
    list of str
        One line a finding.
    """
    problems = []
    for path in tex_files:
        text = _REFERENCE.sub("", _COMMENT.sub("", path.read_text(encoding="utf-8")))
        for passage in _MEASURED.findall(text):
            problems += [
                f"{path.name} has a typed number among measured values: {line.strip()}"
                for line in passage.splitlines()
                if re.search(r"[0-9]", line)
            ]
        problems += [f"{path.name} has a typed result: {match[0]}" for match in _COUNTED.finditer(text)]
    return problems
