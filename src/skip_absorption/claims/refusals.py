"""Widths at which the library states that no residual-free MLP exists."""

from __future__ import annotations

from skip_absorption.claims.patient import absorb
from skip_absorption.errors import NotAbsorbable
from skip_absorption.exact.rational import ExactArray
from skip_absorption.networks.blocks import Mlp


def refused(mlp: Mlp, width: int, *, skip: ExactArray | None = None) -> bool:
    """Whether the library refuses to absorb at a width, with proof; a width below 1 needs none.

    Parameters
    ----------
    skip
        M, shape (d_out, d_in); None is the identity.
    """
    try:
        return width < 1 or absorb(mlp, skip=skip, width=width) is None
    except NotAbsorbable:
        return True
