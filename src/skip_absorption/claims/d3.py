"""D3: a transformer without normalisation is the same function in every basis of its residual stream.

For Q ∈ GL(d), Q(x + W_down σ(W_up x)) = Qx + (Q W_down) σ((W_up Q⁻¹) Qx); attention, embedding and
unembedding turn likewise. Nothing is used of the nonlinearities, since all their arguments stay the same
numbers. So they may be replaced by functions with arbitrary rational values, and then equality can be tested
over Q.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, any_of, each_case
from skip_absorption.exact.balls import decide_nonzero, enclose
from skip_absorption.exact.rational import ExactArray, identity, is_zero, rank, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, rationals
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Block, Composition, GatedMlp, Mlp, Residual
from skip_absorption.networks.normalisation import Norm
from skip_absorption.networks.symmetry import in_new_basis
from skip_absorption.networks.transformer import EXP, Attention, Head, Linear

if TYPE_CHECKING:
    import flint

CLAIM = "d3"
EVIDENCE = "enclosure"
HYPOTHESES = ("no normalisation anywhere", "Q invertible")
METHOD = (
    "Transformers of two layers (attention with two heads, GELU with biases or SwiGLU), embedding and "
    "unembedding, and a random rational Q. Over Q: σ, g and the kernel of attention are replaced by "
    "functions with arbitrary, hashed values; the logits of random sequences agree exactly, and the stream "
    "after each block turns with Q. In balls: the logits with GELU, SiLU and softmax themselves agree to "
    "2⁻²⁰⁰. LayerNorm or RMSNorm before a block break it."
)
KINDS = ("gelu", "swiglu")
TOKENS, LENGTH, LAYERS = 5, 4, 2
TRIES = 10  # networks drawn to find one without an idle block
BITS, MOST_BITS = 300, 4800
CLOSE = 2.0**-200


def arbitrary(name: str) -> Activation:
    """Return a positive function on Q without structure: a hash of its argument, between 1/16 and 16."""

    def value(z: Fraction) -> Fraction:
        digest = hashlib.sha256(f"{name} {z}".encode()).digest()
        return Fraction(1 + digest[0] % 16, 1 + digest[1] % 16)

    return replace(activation("sigmoid"), name=f"arbitrary {name}", _rational=value)


def transformer(case: Case, kind: str, *, exact: bool) -> Composition:
    """Draw a transformer, with arbitrary functions or with GELU, SiLU and softmax."""
    d, n, rng = case.d, case.n, case.rng

    def draw(*shape: int) -> ExactArray:
        return rationals(shape, rng=rng, bound=3, denominator=4)

    h = max(1, d // 2)
    blocks: list[Block] = [Linear(draw(d, TOKENS))]
    for _ in range(LAYERS):
        heads = [Head(draw(h, d), draw(h, d), draw(h, d), draw(d, h)) for _ in range(2)]
        blocks.append(Residual(Attention(heads, arbitrary("kernel") if exact else EXP)))
        if kind == "gelu":
            act = arbitrary("gelu") if exact else activation("gelu")
            blocks.append(Residual(Mlp(draw(n, d), draw(d, n), act, draw(n), draw(d))))
        else:
            gate = arbitrary("silu") if exact else activation("silu")
            blocks.append(Residual(GatedMlp(draw(n, d), draw(n, d), draw(d, n), gate)))
    return Composition([*blocks, Linear(draw(TOKENS, d))])


def with_norms(network: Composition, norms: list[Norm]) -> Composition:
    """Return the network with a normalisation before each of its residual blocks."""
    first, *inner, last = network.blocks
    placed = []
    for norm, block in zip(norms, inner, strict=True):
        assert isinstance(block, Residual)
        placed.append(Residual(Composition([norm, block.block]), block.skip))
    return Composition([first, *placed, last])


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally = Tally()
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=2 * len(KINDS)):
        kind = KINDS[case.number % len(KINDS)]
        exact = case.number // len(KINDS) % 2 == 0
        tokens, q = one_hot(case), random_basis(case.d, rng=case.rng)
        if exact:
            drawn = (transformer(case, kind, exact=True) for _ in range(TRIES))
            network = next((found for found in drawn if not is_idle(found, tokens)), None)
            verdict = Verdict.UNKNOWN if network is None else turned(network, q, tokens)
        else:
            verdict = overlap(transformer(case, kind, exact=False), q, tokens)
        tally.add(verdict, f"case {case.number}, {kind}, {'over Q' if exact else 'balls'}, d = {case.d}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{tally.proved} of {tally.total} networks have the same logits in a random basis{tally.note}",
        expected=f"all {tally.total}",
    )


def random_basis(d: int, *, rng: np.random.Generator) -> ExactArray:
    """Return a random rational matrix that is invertible and not orthogonal."""
    while True:
        q = rationals((d, d), rng=rng)
        if rank(q) == d and not is_zero(q @ q.T - identity(d)):
            return q


def one_hot(case: Case) -> ExactArray:
    """Return a random sequence of tokens as one-hot rows, (LENGTH, TOKENS)."""
    return identity(TOKENS)[case.rng.integers(TOKENS, size=LENGTH)]


def streams(network: Composition, tokens: ExactArray) -> list[Any]:
    """Return what each block of a network gives over Q, the logits last."""
    values = [to_fractions(tokens)]
    for block in network.blocks:
        values.append(block.rational(values[-1]))
    return values[1:]


def is_idle(network: Composition, tokens: ExactArray) -> bool:
    """Whether some block leaves the stream as it is, or the logits are 0: weights that happen to vanish."""
    *stream, logits = streams(network, tokens)
    return is_zero(logits) or any(is_zero(x - y) for x, y in pairwise(stream))


def turned(network: Composition, q: ExactArray, tokens: ExactArray) -> Verdict:
    """Decide over Q that in the basis Q every stream x becomes Qx and the logits stay."""
    *here, logits = streams(network, tokens)
    *there, others = streams(in_new_basis(network, q), tokens)
    same = all(is_zero(x @ q.T - y) for x, y in zip(here, there, strict=True))
    return Verdict.of(same and is_zero(logits - others))


def overlap(network: Composition, q: ExactArray, tokens: ExactArray) -> Verdict:
    """Decide in balls that the logits agree to `CLOSE`; attention with large scores takes many bits."""
    there = in_new_basis(network, q)

    def distance() -> flint.arb:
        total: flint.arb = sum(abs(gap) for gap in (network.ball(tokens) - there.ball(tokens)).flat)
        return total

    found = enclose(distance, lambda x: x > 0 or x < CLOSE, start=BITS, limit=MOST_BITS)
    return Verdict.of(not found.value > 0) if found.reached else Verdict.UNKNOWN


def _controls(seed: int) -> tuple[Control, ...]:
    case = Case(0, 3, 4, generator(CLAIM, "controls", seed))
    q, tokens = random_basis(3, rng=case.rng), one_hot(case)
    network = transformer(case, "swiglu", exact=True)
    there, last = in_new_basis(network, q), network.blocks[-1]
    assert isinstance(last, Linear)

    def broken(*blocks: Block) -> bool:
        return not is_zero(network.rational(tokens) - Composition(blocks).rational(tokens))

    return (
        Control("LayerNorm before each block", _norms_break(case, q, tokens, layer=True)),
        Control("RMSNorm before each block", _norms_break(case, q, tokens, layer=False)),
        Control("the unembedding not turned", broken(*there.blocks[:-1], last)),
        Control("Qᵀ for Q⁻¹ in the unembedding", broken(*there.blocks[:-1], Linear(last.weights @ q.T))),
        Control("one MLP not turned", broken(*there.blocks[:2], network.blocks[2], *there.blocks[3:])),
    )


def _norms_break(case: Case, q: ExactArray, tokens: ExactArray, *, layer: bool) -> bool:
    """Whether logits that agree without norms differ once the same norms stand in both networks."""
    here = transformer(case, "gelu", exact=False)
    there = in_new_basis(here, q)
    norms = [
        Norm(rationals((case.d,), rng=case.rng) + 10, rationals((case.d,), rng=case.rng) if layer else None)
        for _ in here.blocks[1:-1]
    ]
    one, two = with_norms(here, norms), with_norms(there, norms)
    gaps = any_of(decide_nonzero(partial(_entry, one, two, tokens, k), limit=512) for k in range(TOKENS))
    return overlap(here, q, tokens) is Verdict.PROVED and gaps is Verdict.PROVED


def _entry(one: Composition, two: Composition, tokens: ExactArray, k: int) -> flint.arb:
    gap: flint.arb = (one.ball(tokens) - two.ball(tokens)).flat[k]
    return gap
