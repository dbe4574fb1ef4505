import pytest

from skip_absorption.absorption import budget as module
from skip_absorption.absorption.budget import Budget
from skip_absorption.errors import InvalidInput


def test_a_clock_counts_down_and_hands_on_what_is_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    clock = Budget(seconds=10, memory_bytes=5).start()
    now[0] += 4
    assert (clock.elapsed(), clock.remaining(), clock.expired()) == (4.0, 6.0, False)
    assert clock.rest() == Budget(seconds=6.0, memory_bytes=5)
    now[0] += 7
    assert clock.expired()
    assert clock.rest().seconds == 0.0


def test_no_limit_is_infinity():
    assert not Budget(seconds=float("inf")).start().expired()


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_seconds_must_be_a_number_from_zero(seconds):
    with pytest.raises(InvalidInput, match=r"^seconds must be a number >= 0; got"):
        Budget(seconds=seconds)


@pytest.mark.parametrize("memory", [0, -5, 1.5])
def test_memory_must_be_a_positive_integer(memory):
    with pytest.raises(InvalidInput, match=r"^memory_bytes must be a positive integer; got"):
        Budget(memory_bytes=memory)
