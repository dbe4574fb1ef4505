"""How figures call what stored tables call by an identifier; an unknown one keeps its name."""

from __future__ import annotations

from collections.abc import Iterable

ACTIVATIONS = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "tanh-GELU",
    "silu": "SiLU",
    "relu_squared": "ReLU$^2$",
    "reglu": "ReGLU",
}
MEASURES = {
    "gaussian": "Gaussian",
    "kaiming": "Kaiming uniform",
    "lecun": "LeCun uniform",
    "xavier": "Xavier uniform",
    "orthogonal": "orthogonal",
    "student": "Student-t",
    "correlated": "correlated rows",
    "low_rank": "rank $d-1$",
    "sparse": "sparse Gaussian",
    "bfloat16": "bfloat16",
    "float8": "float8 (e4m3)",
    "int8": "int8",
    "int4": "int4",
    "ternary": "ternary",
}
FAMILIES = {
    "random": "Gaussian",
    "planted": "planted $k^*$",
    "rank_deficient": "$W_{up}$ of rank below $d$",
    "skips": "skip of lower rank",
}


def measure(name: str) -> str:
    """Return the name of a distribution for Matplotlib, "integers to B" for ``integers_B``.

    Examples
    --------
    >>> measure("integers_4"), measure("int8"), measure("cauchy")
    ('integers to 4', 'int8', 'cauchy')
    """
    family, _, bound = name.partition("_")
    return f"integers to {bound}" if family == "integers" and bound else MEASURES.get(name, name)


def in_order(present: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the names that are present, the known ones first and in their order, then the others sorted."""
    names = set(present)
    first = [name for name in known if name in names]
    return first + sorted(names - set(first), key=lambda name: (len(name), name))
