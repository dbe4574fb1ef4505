"""Quotients along a ray, against the compositions that they describe."""

from fractions import Fraction

import flint
import numpy as np
import pytest

from skip_absorption.claims.compositions import FAMILIES, Pair, quotient
from skip_absorption.claims.homogeneous import RELU_SQUARED
from skip_absorption.exact.balls import ball
from skip_absorption.exact.rational import identity, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, integers
from skip_absorption.networks.blocks import Composition, Residual


def draw(family, skips=(None, None)):
    rng = generator("test compositions", family.name)
    weights = [[integers(s, rng=rng) for s in ((3, 2), (3, 2), (2, 3))] for _ in range(4)]
    blocks = [family.build(*w) for w in weights]
    return Pair(family, tuple(map(Residual, blocks[:2], skips)), tuple(blocks[2:]))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_quotients_are_values_at_tx_over_t(family):
    pair = draw(family)
    x = to_fractions(np.array([1, -2]))
    for s in (Fraction(1, 4), Fraction(1)):
        assert pair.agrees(x, s)
        t = 1 / s if family.degree == Fraction(1, 2) else s
        with flint.ctx.workprec(100):
            found = quotient(pair.residual, family, list(x), ball(s))
        values = Composition(pair.residual).float(float(t) * x.astype(float)) / float(t)
        assert [float(q) for q in found] == pytest.approx(values)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_an_interval_contains_its_points(family):
    pair = draw(family)
    x = [1, -2]
    whole = quotient(pair.residual, family, x, flint.arb("0.125 +/- 0.125"))
    for s in (0.25, 0.01, 0.0):
        assert all(
            q.overlaps(w)
            for q, w in zip(quotient(pair.residual, family, x, flint.arb(s)), whole, strict=True)
        )


def test_the_limit_is_the_product_of_the_skips_in_order():
    first, second = np.array([[0, 1], [0, 0]]), np.array([[1, 0], [0, 0]])
    pair = draw(FAMILIES[0], (first, second))
    assert pair.product.tolist() == [[0, 1], [0, 0]]
    assert pair.limits_are_exact()
    assert Pair(FAMILIES[0], pair.residual[::-1], pair.plain).product.tolist() == [[0, 0], [0, 0]]


def test_exponents_multiply():
    block = RELU_SQUARED.build(identity(2), identity(2), identity(2))
    pair = Pair(FAMILIES[0], (Residual(block),), (block,) * 3)
    x = to_fractions(np.array([1, 1]))
    assert pair.scales(x, Fraction(8)) is Verdict.PROVED
    assert pair.scales(x, Fraction(6)) is Verdict.REFUTED
    assert pair.scales(-x, Fraction(8)) is Verdict.REFUTED  # H(x) = 0 shows nothing
