"""Damaged inputs: valid files with bytes or JSON values changed; and a guard against hanging and hoarding."""

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
SECONDS, MEMORY = 5, 1 << 30

fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def bytes_near(*valid: bytes) -> st.SearchStrategy[bytes]:
    """Return valid inputs with a few pieces cut out, repeated, overwritten or put in; and some noise."""

    @st.composite
    def damaged(draw: st.DrawFn) -> bytes:
        data = bytearray(draw(st.sampled_from(valid)))
        for _ in range(draw(st.integers(1, 4))):
            start = draw(st.integers(0, len(data)))
            end = min(len(data), start + draw(st.sampled_from([0, 1, 2, 4, 8, 64])))
            noise = st.binary(max_size=8) | st.sampled_from(
                [b"\xff" * 8, b"9" * 300, b"[" * 300, b"\0", b"1e999"]
            )
            piece = draw(st.just(bytes(data[start:end]) * 2) | noise)
            data[start:end] = piece
        return bytes(data[: draw(st.integers(0, len(data)))]) if draw(st.integers(0, 9)) == 0 else bytes(data)

    return damaged() | st.binary(max_size=200)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(
        [2**31, -(2**63), 2**64, 10**30, 0.5, -0.0, 1e308, "", "0", "1/0", "relu", "é\u2028", "9" * 50]
    )
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(max_size=5)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value inside a JSON value."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from places(inner, (*path, i))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy in which the value at a place is another one."""
    if not path:
        return new
    key = path[0]
    if isinstance(value, dict) if isinstance(key, str) else isinstance(value, list) and key < len(value):
        copy = value.copy()
        copy[key] = replaced(value.get(key) if isinstance(value, dict) else value[key], path[1:], new)
        return copy
    return value


def json_near(*valid: Any, protected: tuple[str, ...] = ()) -> st.SearchStrategy[Any]:
    """Return valid JSON values with one to three values changed, but none under the protected keys."""
    ways = [[path for path in places(one) if not path or path[0] not in protected] for one in valid]

    @st.composite
    def damaged(draw: st.DrawFn) -> Any:
        number = draw(st.integers(0, len(valid) - 1))
        value = valid[number]
        for _ in range(draw(st.integers(1, 3))):
            value = replaced(value, draw(st.sampled_from(ways[number])), draw(VALUES))
        return value

    return damaged()


@contextmanager
def guarded() -> Iterator[None]:
    """Stop what takes more than `SECONDS` of processor time, or `MEMORY` bytes more than the process has."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"more than {SECONDS} s")

    pages, resident = map(int, Path("/proc/self/statm").read_text(encoding="ascii").split()[:2])
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = max(resident * resource.getpagesize(), 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    handler = signal.signal(signal.SIGPROF, stop)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 8 * MEMORY, hard))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))
        signal.signal(signal.SIGPROF, handler)
    assert 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < most + MEMORY
