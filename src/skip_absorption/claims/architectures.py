"""The architectures that the paper names, each with its own activation, proportions, gate, biases and skip.

Hyper-connections carry n streams of dimension d: the skip is M ⊗ I_d, the block reads H_pre and writes
H_post, so that W_up becomes W_up (H_pre ⊗ I) and W_down becomes (H_post ⊗ I) W_down. With one reading the new
W_up has rank at most d, so no sum over units is an invertible M ⊗ I. In mHC, M is doubly stochastic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import Absorption
from skip_absorption.absorption.construct import flip
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.gated import Pair
from skip_absorption.claims.homogeneous import (
    REGLU,
    RELU_SQUARED,
    carried,
    segment_bound,
    two_point_bound,
    witness,
)
from skip_absorption.claims.hyper_connections import STREAMS, is_doubly_stochastic, stream
from skip_absorption.claims.patient import absorb, decide, minimal_width
from skip_absorption.claims.refusals import refused
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, all_of, each_case
from skip_absorption.exact.rational import ExactArray, exact_matmul, identity, is_zero, rank, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, planted, rationals
from skip_absorption.networks.blocks import Block, GatedMlp, Mlp, Residual
from skip_absorption.networks.canonical import equal_functions

CLAIM = "architectures"
EVIDENCE = "enclosure"
HYPOTHESES = (
    "each block without its normalisation, at reduced d and with its own ratio N/d",
    "ungated: almost every W; gated or homogeneous: every W; hyper-connections: M invertible and fixed",
)
METHOD = (
    "Random blocks of each architecture. Ungated: not absorbed at width N by the decision procedure, with "
    "its certificate checked, and by all sets; the least width is N + d, or N + 2nd − d for n streams, where "
    "a twin is built and compared; with a planted set the same block is absorbed. Homogeneous: a witness at "
    "x or 2x, and the bounds of X3. Gated: a witness at tx, and all small t at once. V is wider than W "
    "there, and fitted to it."
)


@dataclass(frozen=True)
class Architecture:
    """A system, and its feedforward block.

    Attributes
    ----------
    system
        Its name.
    activation
        σ, or the gate g if ``gated``.
    ratio
        N/d.
    biases
        Whether the block has hidden and output biases.
    skip
        "identity"; "mixing" or "doubly stochastic" on `STREAMS` streams, see `hyper_connections`.
    result
        What settles it.
    """

    system: str
    activation: str
    gated: bool
    ratio: Fraction
    biases: bool
    skip: str
    result: str

    def width(self, d: int) -> int:
        """Return N at a reduced d, rounded up."""
        return -int(-self.ratio * d // 1)


FOUR, THIRDS = Fraction(4), Fraction(8, 3)
UNGATED, BIASED, MIXED, HOMOGENEOUS, GATED = "Theorem 4", "X1b", "X1", "Proposition 1", "Proposition 2"
ARCHITECTURES = (
    Architecture("Transformer (2017)", "relu", False, FOUR, True, "identity", BIASED),
    Architecture("ResNet, MLP form", "relu", False, Fraction(1), False, "identity", UNGATED),
    Architecture("ViT", "gelu", False, FOUR, True, "identity", BIASED),
    Architecture("ConvNeXt", "gelu", False, FOUR, True, "identity", BIASED),
    Architecture("GPT-2", "gelu_tanh", False, FOUR, True, "identity", BIASED),
    Architecture("LLaMA", "silu", True, THIRDS, False, "identity", GATED),
    Architecture("DeepSeek", "silu", True, THIRDS, False, "identity", GATED),
    Architecture("Gemma", "gelu_tanh", True, FOUR, False, "identity", GATED),
    Architecture("ReGLU", "relu", True, THIRDS, False, "identity", HOMOGENEOUS),
    Architecture("Nemotron", "relu_squared", False, FOUR, False, "identity", HOMOGENEOUS),
    Architecture("modded-nanogpt", "relu_squared", False, FOUR, False, "identity", HOMOGENEOUS),
    Architecture("hyper-connections, GELU", "gelu", False, FOUR, False, "mixing", MIXED),
    Architecture("hyper-connections, SwiGLU", "silu", True, THIRDS, False, "mixing", GATED),
    Architecture("mHC, GELU", "gelu", False, FOUR, False, "doubly stochastic", MIXED),
    Architecture("mHC, SwiGLU", "silu", True, THIRDS, False, "doubly stochastic", GATED),
)


@dataclass(frozen=True)
class Outcome:
    """One random block of one architecture: the verdict, and the least further width where one exists."""

    system: Architecture
    d: int
    extra: int | None
    verdict: Verdict


def outcomes(*, cases: int, dims: Dims, seed: int) -> Iterator[tuple[Case, Outcome]]:
    """Yield random blocks, every architecture at one d, then at the next; each architecture at least once."""
    kinds = len(ARCHITECTURES)
    for case in each_case(CLAIM, cases=max(cases, kinds), dims=dims, seed=seed, kinds=kinds):
        system = ARCHITECTURES[case.number % kinds]
        if system.result == HOMOGENEOUS:
            yield case, Outcome(system, case.d, None, homogeneous(system, case))
        elif system.gated:
            yield case, Outcome(system, case.d, None, gated(system, case))
        else:
            extra = case.d if system.skip == "identity" else (2 * STREAMS - 1) * case.d
            yield case, Outcome(system, case.d, extra, ungated(system, case, extra))


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try every architecture on random blocks, and false variants; see `METHOD`."""
    tally = Tally()
    for case, outcome in outcomes(cases=cases, dims=dims, seed=seed):
        tally.add(outcome.verdict, f"case {case.number}, {outcome.system.system}, d = {outcome.d}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{len(ARCHITECTURES)} systems, {tally.proved} of {tally.total} blocks as stated{tally.note}",
        expected=f"all {tally.total}",
    )


def rows(*, cases: int, dims: Dims, seed: int) -> list[dict[str, Any]]:
    """Return the table ``architectures``: one row for each architecture and d."""
    collected: dict[tuple[str, int], list[Outcome]] = {}
    for _, outcome in outcomes(cases=cases, dims=dims, seed=seed):
        collected.setdefault((outcome.system.system, outcome.d), []).append(outcome)
    return [
        {
            "system": system,
            "activation": found[0].system.activation,
            "gated": found[0].system.gated,
            "biases": found[0].system.biases,
            "skip": found[0].system.skip,
            "d": d,
            "N": found[0].system.width(d),
            "result": found[0].system.result,
            "further_units": found[0].extra,
            "cases": len(found),
            "agree": sum(outcome.verdict is Verdict.PROVED for outcome in found),
        }
        for (system, d), found in collected.items()
    ]


def ungated(system: Architecture, case: Case, extra: int) -> Verdict:
    """Decide that a random block is not absorbed, needs `extra` units, and that a planted one is absorbed."""
    d, n, rng = case.d, system.width(case.d), case.rng
    skip, read, written = stream(system.skip, d, rng=rng)
    w_up, w_down = (
        exact_matmul(gaussian((n, d), rng=rng), read),
        exact_matmul(written, gaussian((d, n), rng=rng)),
    )
    biases = (gaussian((n,), rng=rng), gaussian((len(w_down),), rng=rng)) if system.biases else (None, None)
    mlp = Mlp(w_up, w_down, system.activation, *biases)
    plain = Instance(w_up, w_down, mlp.activation)
    if plain.first_set(-skip) is not None or (system.skip != "identity" and rank(w_up) >= len(skip)):
        return Verdict.REFUTED
    verdicts = [not_absorbed(mlp, skip, rng=rng), needs(mlp, skip, extra, rng=rng)]
    if system.skip == "identity":
        verdicts.append(planted_is_absorbed(system, case))
    return all_of(verdicts)


def not_absorbed(mlp: Mlp, skip: ExactArray, *, rng: np.random.Generator) -> Verdict:
    """Decide that the block is not absorbed at its width; a certificate, where there is one, is checked."""
    decision = decide(
        mlp.w_up, mlp.w_down, activation=mlp.activation, skip=skip, b_up=mlp.b_up, b_down=mlp.b_down, rng=rng
    )
    if decision.verdict is Absorption.UNKNOWN:
        return Verdict.UNKNOWN
    certificate = decision.certificate
    valid = certificate is None or check_certificate(
        certificate, mlp.w_up, mlp.w_down, skip=skip, b_up=mlp.b_up, b_down=mlp.b_down
    ).valid  # fmt: skip
    return Verdict.of(decision.verdict is Absorption.NOT_ABSORBABLE and valid)


def needs(mlp: Mlp, skip: ExactArray, extra: int, *, rng: np.random.Generator) -> Verdict:
    """Decide that the least width is N + extra, and that a twin of that width is the same function."""
    found = minimal_width(
        mlp.w_up, mlp.w_down, activation=mlp.activation, skip=skip, b_up=mlp.b_up, b_down=mlp.b_down, rng=rng
    )
    if found.width is None:
        return Verdict.UNKNOWN
    if found.width != mlp.width + extra or not refused(mlp, found.width - 1, skip=skip):
        return Verdict.REFUTED
    twin = absorb(mlp, skip=skip, width=found.width, rng=rng)
    return Verdict.of(twin.width == found.width and equal_functions(Residual(mlp, skip), twin))


def planted_is_absorbed(system: Architecture, case: Case) -> Verdict:
    """Decide that a block of the same shape with a planted set is absorbed at width N."""
    mlp = _planted(system, case.d, rng=case.rng)
    decision = decide(
        mlp.w_up, mlp.w_down, activation=mlp.activation, b_up=mlp.b_up, b_down=mlp.b_down, rng=case.rng
    )
    if decision.verdict is not Absorption.ABSORBABLE:
        return Verdict.UNKNOWN if decision.verdict is Absorption.UNKNOWN else Verdict.REFUTED
    twin = absorb(mlp, width=mlp.width, rng=case.rng)
    return Verdict.of(twin.width == mlp.width and equal_functions(Residual(mlp), twin))


def _planted(system: Architecture, d: int, *, rng: np.random.Generator) -> Mlp:
    n = system.width(d)
    plant = planted(d, n, rng=rng)
    biases = (rationals((n,), rng=rng), rationals((d,), rng=rng)) if system.biases else (None, None)
    return Mlp(plant.w_up, plant.w_down, system.activation, *biases)


def homogeneous(system: Architecture, case: Case) -> Verdict:
    """Decide that a block and a wider, fitted one without the skip differ at x or 2x, and by how much."""
    kind = REGLU if system.gated else RELU_SQUARED
    left, right, x = _fitted(system, case, kind.build)
    return all_of(
        [
            witness(left, right, x, exact=True),
            two_point_bound(left, right, x, kind),
            segment_bound(left, right, x, kind),
        ]
    )


def gated(system: Architecture, case: Case) -> Verdict:
    """Decide that a gated block and a wider, fitted one without the skip differ at small multiples of x."""
    left, right, x = _fitted(
        system, case, lambda gate, value, down: GatedMlp(gate, value, down, system.activation)
    )
    assert isinstance(left.block, GatedMlp)
    assert isinstance(right, GatedMlp)
    assert left.skip is not None
    pair = Pair(left.skip, left.block, right)
    return all_of([pair.witness(x), pair.interval(x)])


def _fitted(system: Architecture, case: Case, build: Any) -> tuple[Residual, Block, ExactArray]:
    """Draw r, x with Mx ≠ 0, and V of width N + d: the rows of r and random ones, fitted columns."""
    d, n, rng = case.d, system.width(case.d), case.rng
    skip, read, written = stream(system.skip, d, rng=rng)
    rows = [exact_matmul(rationals((n, d), rng=rng), read) for _ in range(2)]
    left = Residual(build(*rows, exact_matmul(written, rationals((d, n), rng=rng))), skip)
    while True:
        x = rationals((len(skip),), rng=rng)
        if not is_zero(carried(left, x)):
            break
    wider = [np.concatenate([known, rationals((d, len(skip)), rng=rng)]) for known in rows]
    points = gaussian((8 * (n + d), len(skip)), rng=rng)
    features = build(*wider, identity(n + d)).float(points)
    columns = np.linalg.lstsq(features, left.float(points), rcond=None)[0].T
    return left, build(*wider, columns), x


def _named(system: str) -> Architecture:
    return next(entry for entry in ARCHITECTURES if entry.system == system)


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    d, eye = 2, identity(2)
    random = Mlp(gaussian((8, d), rng=rng), gaussian((d, 8), rng=rng), "gelu_tanh", gaussian((8,), rng=rng))
    gpt = _planted(_named("GPT-2"), d, rng=rng)
    # M = J/n has rank 1; with H_post H_pre = M a planted set of the block is one of the whole
    flips = decide(gpt.w_up, gpt.w_down, activation=gpt.activation, b_up=gpt.b_up, rng=rng).flip_set or ()
    plant, mean = planted(d, 6, rng=rng), np.full((2, 2), Fraction(1, 2), dtype=object)
    read, written = np.kron(mean[:1], eye), np.kron(to_fractions(np.ones((2, 1), dtype=np.int64)), eye)
    averaged = Mlp(exact_matmul(plant.w_up, read), exact_matmul(written, plant.w_down), "gelu")
    skip = np.kron(mean, eye)
    rounded = np.array([[Fraction(0.3), Fraction(0.7)], [Fraction(0.7), Fraction(0.3)]], dtype=object)
    rows, x = rationals((3, d), rng=rng), rationals((d,), rng=rng)
    glu = Pair(eye, GatedMlp(eye, eye, -eye, "sigmoid"), GatedMlp(-eye, eye, eye, "sigmoid"))
    same = Pair(0 * eye, GatedMlp(rows, rows, rows.T, "silu"), GatedMlp(rows, rows, rows.T, "silu"))
    return (
        Control("GPT-2 with a planted set", not_absorbed(gpt, eye, rng=rng) is Verdict.REFUTED),
        Control(
            "GPT-2 with d − 1 more units",
            refused(random, 9) and not refused(random, 10),
        ),
        Control(
            "GPT-2, flipped, its output bias not corrected",
            not equal_functions(Residual(gpt), flip(gpt, flips)),
        ),
        Control(
            "mHC with M = J/n, singular: a planted block is absorbed",
            is_doubly_stochastic(mean)
            and not_absorbed(averaged, skip, rng=rng) is Verdict.REFUTED
            and equal_functions(Residual(averaged, skip), absorb(averaged, skip=skip, width=6)),
        ),
        Control("doubly stochastic up to rounding only", not is_doubly_stochastic(rounded)),
        Control("GLU, g the sigmoid, in place of SwiGLU", glu.interval(x + 10) is not Verdict.PROVED),
        Control("SwiGLU with M = 0", same.interval(x + 10) is not Verdict.PROVED),
    )
