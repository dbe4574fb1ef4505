"""Skip Absorption: whether a single-hidden-layer MLP absorbs its skip connection, decided exactly.

The names below are the public interface; each is imported from its module on first use, so that
``import skip_absorption`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PUBLIC = {
    "Absorption": "absorption.decision",
    "Activation": "networks.activations",
    "Budget": "absorption.budget",
    "Certificate": "absorption.certificate",
    "Decision": "absorption.decision",
    "InvalidInput": "errors",
    "MinimalWidth": "absorption.width",
    "Mlp": "networks.blocks",
    "NotAbsorbable": "errors",
    "Residual": "networks.blocks",
    "SkipAbsorptionError": "errors",
    "Undecided": "errors",
    "absorb": "absorption.construct",
    "canonical_form": "networks.canonical",
    "check_certificate": "absorption.checker",
    "decide": "absorption.condition",
    "equal_functions": "networks.canonical",
    "minimal_width": "absorption.width",
}

__all__ = sorted(_PUBLIC)  # noqa: PLE0605  # a sorted list of literal strings
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'skip_absorption' has no attribute {name!r}")
    return getattr(import_module(f"skip_absorption.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
