"""A library that is wrong in one place must turn a claim red."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from skip_absorption.absorption import condition, equations
from skip_absorption.absorption.minors import ZeroMinors
from skip_absorption.claims import (
    homogeneous,
    proposition_1,
    proposition_2,
    proposition_8_i,
    proposition_8_ii,
    theorem_4,
)
from skip_absorption.claims.ledger import passed, run_claim
from skip_absorption.exact import prime_field
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks import activations, canonical


def is_red(claim, cases=50):
    result = run_claim(claim, cases=cases, dims=[(2, 3), (3, 4)], seed=0)
    return not passed(result)


def plus_identity(function):
    def wrong(*arguments, **keywords):
        w_up = arguments[-2] if len(arguments) > 1 else keywords["w_up"]
        return function(*arguments, skip=-np.eye(np.shape(w_up)[1], dtype=np.int64), **keywords)

    return wrong


def test_a_consistent_wrong_sign_in_prover_and_checker(monkeypatch):
    monkeypatch.setattr(theorem_4, "decide", plus_identity(theorem_4.decide))
    monkeypatch.setattr(theorem_4, "check_certificate", plus_identity(theorem_4.check_certificate))
    assert is_red("theorem_4")


def test_a_wrong_sign_in_the_equations(monkeypatch):
    right_side = equations.Probes.right_side
    monkeypatch.setattr(equations.Probes, "right_side", lambda self, q, p: (-right_side(self, q, p)) % p)
    assert is_red("theorem_4")


def test_a_prime_field_reduction_off_by_one(monkeypatch):
    def off_by_one(array, p):
        return (prime_field.reduce_mod(array, p) + (np.asarray(array) != 0)) % p

    monkeypatch.setattr(equations, "reduce_mod", off_by_one)
    assert is_red("theorem_4")


@pytest.mark.parametrize("odd", [Fraction(-1), Fraction(2)])
def test_a_wrong_odd_part_of_gelu(odd, monkeypatch):
    wrong = replace(activations.GELU, odd=odd)
    monkeypatch.setitem(activations._NAMED, "gelu", wrong)
    for module in (activations, canonical):
        monkeypatch.setattr(module, "ANALYTIC", (wrong, activations.GELU_TANH, activations.SILU))
    assert is_red("theorem_4")


@pytest.mark.parametrize("module", [theorem_4, proposition_8_i, proposition_1, proposition_2])
@pytest.mark.parametrize("answer", [True, False])
def test_an_equality_that_always_answers_the_same(module, answer, monkeypatch):
    monkeypatch.setattr(module, "equal_functions", lambda _f, _g: answer)
    narrow = answer and module in (proposition_1, proposition_2)  # they use it only to confirm equalities
    assert is_red(module.CLAIM, cases=20) != narrow


@pytest.mark.parametrize("verdict", list(condition.Absorption))
def test_a_decision_that_is_always_the_same(verdict, monkeypatch):
    decide = theorem_4.decide

    def stuck(*arguments, **keywords):
        return replace(decide(*arguments, **keywords), verdict=verdict, certificate=None)

    monkeypatch.setattr(theorem_4, "decide", stuck)
    assert is_red("theorem_4")


def test_a_checker_that_accepts_or_refuses_everything(monkeypatch):
    for valid in (True, False):
        monkeypatch.setattr(
            theorem_4, "check_certificate", lambda *_, valid=valid: type("R", (), {"valid": valid})
        )
        assert is_red("theorem_4", cases=10)


def test_a_twin_of_another_width(monkeypatch):
    absorb = proposition_8_i.absorb
    monkeypatch.setattr(
        proposition_8_i, "absorb", lambda mlp, *, width, **more: absorb(mlp, width=width + 1, **more)
    )
    assert is_red("proposition_8_i", cases=15)


@pytest.mark.parametrize("verdict", [Verdict.REFUTED, Verdict.UNKNOWN])
def test_minors_that_are_not_all_proved_nonzero(verdict, monkeypatch):
    wrong = ZeroMinors(8, verdict, None, (), "sabotage")
    monkeypatch.setattr(proposition_8_ii, "zero_minors", lambda *_, **__: wrong)
    assert is_red("proposition_8_ii", cases=15)


@pytest.mark.parametrize("shift", [-1, 1])
def test_a_least_width_off_by_one(shift, monkeypatch):
    minimal_width = proposition_8_ii.minimal_width

    def shifted(*arguments, **keywords):
        found = minimal_width(*arguments, **keywords)
        return replace(found, width=found.width + shift, lower=found.lower + shift, upper=found.upper + shift)

    monkeypatch.setattr(proposition_8_ii, "minimal_width", shifted)
    assert is_red("proposition_8_ii", cases=15)


def test_a_wrong_constant_of_the_bound(monkeypatch):
    wrong = replace(homogeneous.RELU_SQUARED, constant=lambda: homogeneous.ball(Fraction(1, 5)))
    monkeypatch.setattr(proposition_1, "KINDS", (wrong, *homogeneous.KINDS[1:]))
    assert is_red("proposition_1", cases=8)


@pytest.mark.parametrize("module", [proposition_1, proposition_2])
def test_a_skip_that_is_dropped(module, monkeypatch):
    """Without the skip, a fitted V and a control with M = 0 look alike; the intervals no longer exclude 0."""
    monkeypatch.setattr(module.Residual, "_rational", lambda self, points: self.block.rational(points))
    monkeypatch.setattr(module.Residual, "_ball", lambda self, points: self.block.ball(points))
    assert is_red(module.CLAIM, cases=20)
