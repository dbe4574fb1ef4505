"""The compiled inner loop of meet in the middle: sums of short lists, one interval of values at a time."""

from __future__ import annotations

from typing import Any

from numba import njit
from numpy.typing import NDArray

PAUSED, DONE, TOO_MANY_EQUAL, TOO_MANY_FALSE, FULL = 0, 1, 2, 3, 4


@njit(cache=True, nogil=True)
def _collect(
    side: Any,
    new_done: NDArray[Any],
    bounds: tuple[int, int],
    keys: NDArray[Any],
    pairs: NDArray[Any],
) -> int:
    """Store all pairs not done whose sum mod p is below the bound; return how many, -1 if they do not fit.

    `second` is sorted, and from ``start[i]`` on, cyclically, the sums ``first[i] + second[.]`` mod p ascend.
    """
    first, second, start, done = side
    high, p = bounds
    count = 0
    size = len(second)
    for i in range(len(first)):
        step = done[i]
        j = start[i] + step
        if j >= size:
            j -= size
        while step < size:
            total = first[i] + second[j]
            if total >= p:
                total -= p
            if total >= high:
                break
            if count == len(keys):
                return -1
            keys[count] = total
            pairs[count, 0] = i
            pairs[count, 1] = j
            count += 1
            step += 1
            j += 1
            if j == size:
                j = 0
        new_done[i] = step
    return count


@njit(cache=True, nogil=True)
def join(
    sides: Any,
    rows: Any,
    limits: tuple[int, int, int],
    state: NDArray[Any],
    buffers: Any,
) -> int:
    """Match left sums ``A + B`` with right values ``C + D`` interval by interval; return the status.

    `state` holds the low end of the next interval, its width, the number of `found` rows, of false matches,
    and of pairs looked at; a later call goes on from there. A match is found when, in every checked row, the
    offset minus the sum of the four vectors is at most `largest` mod p.
    """
    left, right = sides
    third, fourth, right_start, right_done = right
    vec_a, vec_b, vec_c, vec_d, offset, largest = rows
    p, work, false_limit = limits
    keys, pairs, head, following, scratch, found = buffers
    mask = len(head) - 1
    spent = 0
    while spent < work:
        low, width = state[0], state[1]
        if low >= p:
            return DONE
        high = min(low + width, p)
        count = _collect(left, scratch, (high, p), keys, pairs)
        if count < 0:
            if width == 1:
                return TOO_MANY_EQUAL
            state[1] = width // 2
            spent += len(keys)
            continue
        left[3][:] = scratch
        head[:] = -1
        for e in range(count):
            slot = keys[e] & mask
            following[e] = head[slot]
            head[slot] = e
        spent += count
        size = len(fourth)
        for i in range(len(third)):
            step = right_done[i]
            j = right_start[i] + step
            if j >= size:
                j -= size
            while step < size:
                total = third[i] + fourth[j]
                if total >= p:
                    total -= p
                if total >= high:
                    break
                e = head[total & mask]
                while e >= 0:
                    if keys[e] == total:
                        good = True
                        for k in range(len(offset)):
                            rest = (
                                offset[k]
                                - vec_a[pairs[e, 0], k]
                                - vec_b[pairs[e, 1], k]
                                - vec_c[i, k]
                                - vec_d[j, k]
                            ) % p
                            if rest > largest[k]:
                                good = False
                                break
                        if not good:
                            state[3] += 1
                        elif state[2] == len(found):
                            return FULL
                        else:
                            found[state[2], 0] = pairs[e, 0]
                            found[state[2], 1] = pairs[e, 1]
                            found[state[2], 2] = i
                            found[state[2], 3] = j
                            state[2] += 1
                    e = following[e]
                spent += 1
                step += 1
                j += 1
                if j == size:
                    j = 0
            right_done[i] = step
            if state[3] > false_limit:
                return TOO_MANY_FALSE
        state[0] = high
        state[4] += count
        if count < len(keys) // 4 and width < p // 2:
            state[1] = width * 2
        if state[2] > 0:
            return PAUSED
    return PAUSED
