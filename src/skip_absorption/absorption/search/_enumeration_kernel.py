"""The compiled inner loop of the depth-first enumeration."""

from __future__ import annotations

from typing import Any

from numba import njit
from numpy.typing import NDArray

PAUSED, FOUND, EXHAUSTED = 0, 1, 2


@njit(cache=True, nogil=True)
def walk(
    bits: NDArray[Any],
    depth: int,
    limit: int,
    tables: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]],
    p: int,
) -> tuple[int, int, int]:
    """Go on from (bits, depth) for at most `limit` nodes; return the status, the depth and the nodes visited.

    ``bits[k]`` is -1 until 0 is tried at depth k. The state stays valid, so a later call goes on from there.
    """
    level_start, row_start, index, value, offset = tables
    nodes = 0
    while depth >= 0:
        if nodes >= limit:
            return PAUSED, depth, nodes
        if bits[depth] == 1:
            bits[depth] = -1
            depth -= 1
            continue
        bits[depth] += 1
        nodes += 1
        allowed = True
        for row in range(level_start[depth], level_start[depth + 1]):
            rest = offset[row]
            for entry in range(row_start[row], row_start[row + 1]):
                if bits[index[entry]] == 1:
                    rest -= value[entry]
                    if rest < 0:
                        rest += p
            if rest > 1:
                allowed = False
                break
        if allowed:
            if depth == len(bits) - 1:
                return FOUND, depth, nodes
            depth += 1
    return EXHAUSTED, depth, nodes
