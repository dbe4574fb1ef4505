"""Compiled loops behind `margin`: quadratics ½ s G s + c s over weights s in [0, 1], or over sets."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption._minor_kernels import compiled

Floats: TypeAlias = NDArray[Any]
Bits: TypeAlias = NDArray[np.int8]

_SWEEPS = 100


@compiled
def descend(gram: Floats, slope: Floats, fixed: Bits, s: Floats) -> None:
    """Move the weights s towards a minimum by cyclic coordinate descent, and their slope G s + c with them.

    Those with `fixed` 0 or 1 stay; `fixed` is -1 for the free ones.
    """
    for _ in range(_SWEEPS):
        largest = 0.0
        for i in range(len(s)):
            if fixed[i] >= 0 or gram[i, i] == 0.0:
                continue
            moved = min(1.0, max(0.0, s[i] - slope[i] / gram[i, i])) - s[i]
            if moved != 0.0:
                s[i] += moved
                slope += moved * gram[i]
                largest = max(largest, abs(moved))
        if largest < 1e-9:
            break


@compiled
def flip(gram: Floats, slope: Floats, bits: Bits) -> None:
    """Flip the one bit that lowers the quadratic most, for as long as one does, and the slope with it.

    Rounding could make flips go round in circles, so their number is bounded.
    """
    for _ in range(_SWEEPS * len(bits)):
        best, unit = -1e-12, -1
        for i in range(len(bits)):
            change = (1.0 - 2.0 * bits[i]) * slope[i] + gram[i, i] / 2.0
            if change < best:
                best, unit = change, i
        if unit < 0:
            return
        slope += (1.0 - 2.0 * bits[unit]) * gram[unit]
        bits[unit] = 1 - bits[unit]
