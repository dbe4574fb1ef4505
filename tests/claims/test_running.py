import pytest

from skip_absorption.claims.running import Tally, all_of, any_of, each_case
from skip_absorption.exact.verdict import Verdict

P, R, U = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("verdicts", "conjunction", "disjunction"),
    [
        ([], P, R),
        ([P, P], P, P),
        ([P, U], U, P),
        ([U, U], U, U),
        ([P, R], R, P),
        ([U, R], R, U),
        ([R, R], R, R),
    ],
)
def test_verdicts_combine(verdicts, conjunction, disjunction):
    for order in (verdicts, verdicts[::-1]):
        assert all_of(order) is conjunction
        assert any_of(order) is disjunction


def test_a_disjunction_stops_at_the_first_proof():
    def verdicts():
        yield P
        raise AssertionError("evaluated in vain")

    assert any_of(verdicts()) is P


def test_a_tally_keeps_the_first_failure():
    tally = Tally()
    assert tally.verdict is U
    tally.add(P, "case 0")
    assert (tally.verdict, tally.note) == (P, "")
    tally.add(U, "case 1")
    tally.add(R, "case 2")
    assert (tally.verdict, tally.total, tally.proved) == (R, 3, 1)
    assert tally.note == "; UNKNOWN at case 1"


def test_cases_run_through_sizes_and_do_not_depend_on_their_number():
    dims = [(2, 4), (3, 6)]
    few = list(each_case("x", cases=6, dims=dims, seed=1, kinds=2))
    assert [(case.d, case.n) for case in few] == [(2, 4), (2, 4), (3, 6), (3, 6), (2, 4), (2, 4)]
    more = list(each_case("x", cases=9, dims=dims, seed=1, kinds=2))
    assert [case.rng.integers(2**40) for case in few] == [case.rng.integers(2**40) for case in more[:6]]
