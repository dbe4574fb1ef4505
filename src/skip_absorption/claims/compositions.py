"""Compositions of blocks along a ray: F(tx)/t enclosed over whole intervals of t (Corollary 3).

Block by block the quotient is y ↦ My + MLP(ty)/t, and MLP(ty)/t is t^(k−1) MLP(y) for a homogeneous block, or
W_down(g(tW_gate y) ⊙ W_val y) for a gated one. The scale s is t, or 1/t for degrees k < 1; both forms make
sense at s = 0, where the skips alone are left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.claims.gated import GATES, SCALES
from skip_absorption.claims.homogeneous import KINDS
from skip_absorption.exact.balls import LIMIT, START, ball, decide_positive
from skip_absorption.exact.rational import ExactArray, exact_matmul, identity, is_zero
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks.blocks import Block, Composition, GatedMlp, Mlp, Residual

if TYPE_CHECKING:
    import flint

TIGHT = 2.0**-200  # the relative width of a ball that stands for an equality


@dataclass(frozen=True)
class Family:
    """One kind of block: how it is built from (N, d), (N, d), (d, N), and its degree if it is homogeneous."""

    name: str
    build: Callable[[ExactArray, ExactArray, ExactArray], Block]
    degree: Fraction | None


def _gated(gate: str, w_gate: ExactArray, w_val: ExactArray, w_down: ExactArray) -> Block:
    return GatedMlp(w_gate, w_val, w_down, gate)


FAMILIES = (
    *(Family(kind.name, kind.build, kind.k) for kind in KINDS),
    *(Family(f"gate {g}", partial(_gated, g), None) for g in GATES),
)


def quotient(blocks: Sequence[Block], family: Family, x: Sequence[Any], s: flint.arb) -> NDArray[Any]:
    """Enclose F(tx)/t for the composition of the blocks, t = s or, for degrees below 1, t = 1/s."""
    y = np.array([ball(value) if isinstance(value, int | Fraction) else value for value in x], dtype=object)
    for block in blocks:
        y = _carried(block, y) + _block_quotient(block, family, y, s)
    return y


def _carried(block: Block, y: NDArray[Any]) -> NDArray[Any]:
    """Return My, exactly 0 for a block without a skip."""
    if not isinstance(block, Residual):
        return np.array([0 * y[0]] * block.d_out, dtype=object)
    return y if block.skip is None else _times(block.skip, y)


def _block_quotient(block: Block, family: Family, y: NDArray[Any], s: flint.arb) -> NDArray[Any]:
    """Return MLP(ty)/t: t^(k−1) MLP(y), or with t inside the gate."""
    inner = block.block if isinstance(block, Residual) else block
    if family.degree is None and isinstance(inner, GatedMlp):
        opened = [inner.gate.ball(s * z) for z in _times(inner.w_gate, y)]
        return _times(inner.w_down, np.array(opened, dtype=object) * _times(inner.w_val, y))
    degree = inner.activation.degree if isinstance(inner, Mlp) else family.degree
    assert degree is not None
    values: NDArray[Any] = _power(s, abs(degree - 1)) * inner.ball(y)
    return values


def _times(matrix: ExactArray, y: NDArray[Any]) -> NDArray[Any]:
    product: NDArray[Any] = np.array([[ball(entry) for entry in row] for row in matrix], dtype=object) @ y
    return product


def _power(s: flint.arb, exponent: Fraction) -> flint.arb:
    """Enclose s^exponent for a ball s in [0, ∞), which may touch 0; the exponent is n or n/2ⁱ."""
    power: flint.arb = s**exponent.numerator
    denominator = exponent.denominator
    while denominator > 1:
        upper = power.abs_upper().sqrt().upper()
        power = power.sqrt() if power > 0 or power.is_zero() else upper / 2 * (1 + type(s)(0, 1))
        denominator //= 2
    return power


@dataclass(frozen=True)
class Pair:
    """Compositions F, with skips, and H, without, of blocks of one family."""

    family: Family
    residual: tuple[Block, ...]
    plain: tuple[Block, ...]

    @property
    def product(self) -> NDArray[Any]:
        """M_L ⋯ M_1 over Q."""
        skips = [
            identity(b.d_in) if b.skip is None else b.skip for b in self.residual if isinstance(b, Residual)
        ]
        return reduce(lambda total, skip: exact_matmul(skip, total), skips, identity(self.residual[0].d_in))

    def _plain_quotient(self, x: ExactArray, s: flint.arb) -> NDArray[Any]:
        """Enclose H(tx)/t; for homogeneous blocks it is t^(k^L − 1) H(x)."""
        if self.family.degree is None:
            return quotient(self.plain, self.family, list(x), s)
        exponent = abs(self.family.degree ** len(self.plain) - 1)
        values: NDArray[Any] = _power(s, exponent) * Composition(self.plain).ball(list(x))
        return values

    def interval(self, x: ExactArray, *, limit: int = 4 * START) -> tuple[Verdict, Fraction]:
        """Decide F(tx) ≠ H(tx) for all scales 0 < s ≤ one of the `SCALES`; return that scale, too."""

        def gap(scale: Fraction) -> flint.arb:
            import flint

            s = (1 + flint.arb(0, 1)) * ball(scale / 2)  # the interval [0, scale]
            return squared_length(
                quotient(self.residual, self.family, list(x), s) - self._plain_quotient(x, s)
            )

        verdict = Verdict.UNKNOWN
        for scale in SCALES:
            verdict = decide_positive(partial(gap, scale), limit=limit)
            if verdict is Verdict.PROVED:
                break
        return verdict, scale

    def differ_at(self, x: ExactArray, scale: Fraction, *, limit: int = LIMIT) -> Verdict:
        """Decide that the library's compositions differ at the point tx of a scale."""
        point = [self._t(scale) * value for value in x]

        def gap() -> flint.arb:
            return squared_length(
                Composition(self.residual).ball(point) - Composition(self.plain).ball(point)
            )

        return decide_positive(gap, limit=limit)

    def _t(self, scale: Fraction) -> Fraction:
        return 1 / scale if self.family.degree is not None and self.family.degree < 1 else scale

    def agrees(self, x: ExactArray, scale: Fraction) -> bool:
        """Whether t times the quotients are the library's values at tx, to 200 bits."""
        import flint

        with flint.ctx.workprec(1024):
            t, s = self._t(scale), ball(scale)
            point = [t * value for value in x]
            pairs = [
                (Composition(self.residual).ball(point), quotient(self.residual, self.family, list(x), s)),
                (Composition(self.plain).ball(point), self._plain_quotient(x, s)),
            ]
            return all(
                _is_small(value - ball(t) * q, value)
                for values, quotients in pairs
                for value, q in zip(values, quotients, strict=True)
            )

    def limits_are_exact(self) -> bool:
        """Whether at scale 0 the quotients are the columns of M_L ⋯ M_1 for F, and 0 for H."""
        import flint

        zero, columns = flint.arb(0), identity(len(self.product))
        return all(
            all(q == ball(m) for q, m in zip(self._at(self.residual, e, zero), self.product @ e, strict=True))
            and all(q.is_zero() for q in self._at(self.plain, e, zero))
            for e in columns
        )

    def _at(self, blocks: Sequence[Block], x: NDArray[Any], s: flint.arb) -> NDArray[Any]:
        return quotient(blocks, self.family, [int(value) for value in x], s)

    def scales(self, x: ExactArray, exponent: Fraction) -> Verdict:
        """Decide H(bx) = b^e H(x) ≠ 0: over Q with b = 2 if e > 1; for √ReLU in balls with b = 2^(1/e)."""
        deep = Composition(self.plain)
        if exponent > 1:
            value = deep.rational(x)
            return Verdict.of(
                not is_zero(value) and is_zero(deep.rational(2 * x) - 2 ** int(exponent) * value)
            )
        import flint

        with flint.ctx.workprec(1024):
            values = deep.ball(list(x))
            scaled = deep.ball([2**exponent.denominator * value for value in x])
            if not any(value > 0 or value < 0 for value in values):
                return Verdict.UNKNOWN
            same = all(_is_small(b - 2 * a, b) for a, b in zip(values, scaled, strict=True))
        return Verdict.of(same)


def _is_small(difference: flint.arb, value: flint.arb) -> bool:
    return bool(difference.contains(0)) and bool(abs(difference) <= TIGHT * (1 + abs(value)))


def squared_length(values: NDArray[Any]) -> flint.arb:
    """Enclose |v|² for a vector of balls."""
    total: flint.arb = sum(value * value for value in values)
    return total
