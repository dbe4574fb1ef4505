"""A library that is wrong in one place must turn a claim of the discussion red."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from skip_absorption.claims import (
    architectures,
    d1,
    d2,
    d3,
    d4,
    d5,
    d6,
    d7,
    d8,
    examples,
    hypotheses,
    refusals,
)
from skip_absorption.claims.ledger import passed, run_claim
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks import activations, blocks, canonical, normalisation, symmetry


def is_red(claim, cases=20, dims=((2, 3), (3, 4))):
    return not passed(run_claim(claim, cases=cases, dims=list(dims), seed=0))


def test_the_library_as_it_is_is_green():
    assert not any(is_red(claim) for claim in ("d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"))


@pytest.mark.parametrize("odd", [Fraction(-1), Fraction(2)])
@pytest.mark.parametrize("claim", ["d6", "architectures"])
def test_a_wrong_odd_part_of_gelu(claim, odd, monkeypatch):
    wrong = replace(activations.GELU, odd=odd)
    monkeypatch.setitem(activations._NAMED, "gelu", wrong)
    for module in (activations, canonical):
        monkeypatch.setattr(module, "ANALYTIC", (wrong, activations.GELU_TANH, activations.SILU))
    assert is_red(claim)


@pytest.mark.parametrize("module", [d1, d5, d8, architectures, hypotheses, examples])
@pytest.mark.parametrize("answer", [True, False])
def test_an_equality_that_always_answers_the_same(module, answer, monkeypatch):
    monkeypatch.setattr(module, "equal_functions", lambda _f, _g: answer)
    assert is_red("hypotheses" if module is examples else module.CLAIM)


@pytest.mark.parametrize("claim", [d2, d8, architectures, hypotheses])
@pytest.mark.parametrize("verdict", list(d2.Absorption))
def test_a_decision_that_is_always_the_same(claim, verdict, monkeypatch):
    decide = claim.decide

    def stuck(*arguments, **keywords):
        return replace(decide(*arguments, **keywords), verdict=verdict, certificate=None)

    monkeypatch.setattr(claim, "decide", stuck)
    assert is_red(claim.CLAIM)


@pytest.mark.parametrize("valid", [True, False])
def test_a_checker_that_accepts_or_refuses_everything(valid, monkeypatch):
    monkeypatch.setattr(d2, "check_certificate", lambda *_: type("R", (), {"valid": valid}))
    assert is_red("d2")


@pytest.mark.parametrize("module", [d1, architectures, hypotheses])
@pytest.mark.parametrize("shift", [-1, 1])
def test_a_least_width_off_by_one(module, shift, monkeypatch):
    minimal_width = module.minimal_width

    def shifted(*arguments, **keywords):
        found = minimal_width(*arguments, **keywords)
        return replace(found, width=found.width + shift, lower=found.lower + shift, upper=found.upper + shift)

    monkeypatch.setattr(module, "minimal_width", shifted)
    assert is_red(module.CLAIM)


@pytest.mark.parametrize("claim", ["d1", "architectures", "hypotheses"])
@pytest.mark.parametrize("refuses", [True, False])
def test_a_construction_that_refuses_or_builds_whatever_is_asked(claim, refuses, monkeypatch):
    def absorb(mlp, **_):
        if refuses:
            raise refusals.NotAbsorbable("sabotage")
        return mlp

    monkeypatch.setattr(refusals, "absorb", absorb)
    assert is_red(claim)


def test_a_key_that_is_not_turned(monkeypatch):
    conjugated = symmetry.conjugated

    def careless(block, q, inverse):
        turned = conjugated(block, q, inverse)
        if isinstance(block, symmetry.Attention):
            heads = [
                symmetry.Head(new.query, old.key, new.value, new.out)
                for new, old in zip(turned.heads, block.heads, strict=True)
            ]
            return symmetry.Attention(heads, block.kernel)
        return turned

    monkeypatch.setattr(symmetry, "conjugated", careless)
    assert is_red("d3")


def test_an_output_bias_that_is_not_turned(monkeypatch):
    conjugated = symmetry.conjugated

    def careless(block, q, inverse):
        turned = conjugated(block, q, inverse)
        if isinstance(block, symmetry.Mlp) and block.b_down is not None:
            return symmetry.Mlp(turned.w_up, turned.w_down, block.activation, block.b_up, block.b_down)
        return turned

    monkeypatch.setattr(symmetry, "conjugated", careless)
    assert is_red("d3")


def test_a_transformer_that_ignores_its_stream(monkeypatch):
    """Logits that are constant would agree in every basis."""
    monkeypatch.setattr(d3.Linear, "_rational", lambda self, points: 0 * blocks.Mlp(
        self.weights, np.eye(self.d_out, dtype=int), "identity").rational(points))  # fmt: skip
    assert is_red("d3")


def test_a_layer_norm_that_does_not_centre(monkeypatch):
    ball = normalisation.Norm._ball

    def uncentred(self, points):
        plain = normalisation.Norm(self.gain, None, self.epsilon)
        values = ball(plain, points)
        return values if self.bias is None else values + normalisation.ball_points(self.bias)

    monkeypatch.setattr(normalisation.Norm, "_ball", uncentred)
    assert is_red("d4")


def test_equations_that_forget_the_bias(monkeypatch):
    freedom = d4.freedom
    monkeypatch.setattr(
        d4, "freedom", lambda norm: freedom(d4.Norm(norm.gain, None if norm.bias is None else 0 * norm.bias))
    )
    assert is_red("d4")


def test_a_skip_that_is_dropped(monkeypatch):
    monkeypatch.setattr(blocks.Residual, "_rational", lambda self, points: self.block.rational(points))
    monkeypatch.setattr(blocks.Residual, "_ball", lambda self, points: self.block.ball(points))
    assert is_red("d7")
    assert is_red("d8")
    assert is_red("hypotheses")


def test_a_permutation_that_leaves_the_columns(monkeypatch):
    monkeypatch.setattr(
        d5, "permuted", lambda mlp, order: d5.Mlp(mlp.w_up[order], mlp.w_down, mlp.activation)
    )
    assert is_red("d5")


def test_flips_that_do_nothing(monkeypatch):
    monkeypatch.setattr(d5.Instance, "flipped", lambda self, _: d5.Mlp(self.w_up, self.w_down, self.act))
    assert is_red("d5")
    assert is_red("d8")


def test_a_slope_without_its_half(monkeypatch):
    monkeypatch.setattr(d6, "slope", lambda mlp: d6.exact_matmul(mlp.w_down, mlp.w_up))
    assert is_red("d6")


def test_a_perturbation_that_is_too_large(monkeypatch):
    moved = d8._moved

    def coarse(instance, units, unit, tolerance, *, rng):
        return moved(instance, units, unit, 10**8 * tolerance, rng=rng)

    monkeypatch.setattr(d8, "_moved", coarse)
    assert is_red("d8")


@pytest.mark.parametrize("module", [d7, architectures])
def test_a_witness_that_finds_nothing(module, monkeypatch):
    monkeypatch.setattr(module, "witness", lambda *_, **__: Verdict.REFUTED)
    assert is_red(module.CLAIM)


def test_a_doubly_stochastic_matrix_that_is_not_exact(monkeypatch):
    monkeypatch.setattr(architectures, "is_doubly_stochastic", lambda _: True)
    assert is_red("architectures")
