"""X1b: biases change neither the least width nor condition (3), if the other MLP may have both as well.

Only the rows w_i enter k*; the hyperplanes w_i·x + b_i = 0 must be distinct. Flipping S needs the output bias
c + 2c·Σ_S a_i b_i. Without an output bias, S must satisfy 2c·W_down[:, S][W_up | b][S, :] = −[M | c] instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.checker import check_certificate
from skip_absorption.absorption.condition import Absorption
from skip_absorption.claims.agreement import agree_at_points
from skip_absorption.claims.flips import Instance
from skip_absorption.claims.patient import absorb, decide, minimal_width
from skip_absorption.claims.refusals import refused
from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.claims.widths import EVERY_PAIR, build, is_distinct, least_extra
from skip_absorption.exact.rational import ExactArray, identity, is_zero, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import gaussian, generator, integers, planted, planted_width, rationals
from skip_absorption.networks.activations import Activation, activation
from skip_absorption.networks.blocks import Mlp, Residual
from skip_absorption.networks.canonical import equal_functions, hypotheses

CLAIM = "x1b"
EVIDENCE = "exact"
HYPOTHESES = (
    "w_i ≠ 0, a_i ≠ 0; pairs (w_i, b_i) no two collinear (kinks), none ± another (GELU, SiLU)",
    "ReLU, leaky ReLU, GELU (erf and tanh forms) or SiLU; the skip I, any output bias c",
)
METHOD = (
    "Planted S, planted k* = 0 … d, parallel rows with distinct biases, Gaussian dyadics. The least width is "
    "N + k* with the k* of the rows alone (over all F, G for N ≤ 6) and does not move with the biases; twins "
    "of that width equal r as functions, one unit less is refused. The decision agrees with all sets S in "
    "integers; its certificate is checked again. Without an output bias, the sets that give r when flipped "
    "are those of the longer condition (all 2^N for N ≤ 4)."
)
ACTIVATIONS = ("relu", "gelu", "leaky_relu:1/5", "silu", "gelu_tanh")
WEIGHTS = ("planted", "planted width", "parallel", "gaussian", "longer")
EVERY_SET = 4  # the width up to which all sets are flipped
SOME_SETS = 8  # how many random ones beyond it


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random instances, and its false variants; see `METHOD`."""
    tally, exhausted = Tally(), 0
    kinds = len(ACTIVATIONS) * len(WEIGHTS)
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=kinds):
        act = activation(ACTIVATIONS[case.number % len(ACTIVATIONS)])
        weights = WEIGHTS[case.number // len(ACTIVATIONS) % len(WEIGHTS)]
        exhausted += case.n <= EVERY_PAIR
        verdict = agrees(_draw(case, act, weights), rng=case.rng)
        tally.add(verdict, f"case {case.number}, {act.name}, {weights}, (d, N) = {(case.d, case.n)}")
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=(
            f"{tally.proved} of {tally.total} least widths are those of the rows alone, {exhausted} of them "
            f"by all F, G{tally.note}"
        ),
        expected=f"all {tally.total}",
    )


def _draw(case: Case, act: Activation, weights: str) -> Mlp:
    """Draw an MLP with biases that satisfies the hypotheses."""
    d, n, rng = case.d, case.n, case.rng
    assert act.odd is not None
    w_up: ExactArray
    w_down: ExactArray
    while True:
        w_up, w_down = gaussian((n, d), rng=rng), gaussian((d, n), rng=rng)
        hidden, output = gaussian((n,), rng=rng), gaussian((d,), rng=rng)
        if weights != "gaussian":
            hidden, output = rationals((n,), rng=rng), rationals((d,), rng=rng)
        if weights == "planted width":
            w_up, w_down = planted_width(d, n, int(rng.integers(d + 1)), rng=rng)
        elif weights == "parallel":
            w_up, w_down = integers((n, d), rng=rng, bound=1), integers((d, n), rng=rng, bound=1)
            w_up[~w_up.any(axis=1), 0], w_down[0, ~w_down.any(axis=0)] = 1, 1
        elif weights in ("planted", "longer"):
            plant = planted(d, n, rng=rng, bound=n)
            w_up, w_down = plant.w_up, plant.w_down
        mlp = Mlp(
            w_up, w_down if weights == "gaussian" else to_fractions(w_down) / act.odd, act, hidden, output
        )
        if weights == "longer":
            mlp = replace_output(mlp, -shift_of(mlp, plant.flip_set))
        if is_distinct(mlp):
            return mlp


def replace_output(mlp: Mlp, output: ExactArray | None) -> Mlp:
    """Return the network with another output bias."""
    return Mlp(mlp.w_up, mlp.w_down, mlp.activation, mlp.b_up, output)


def shift_of(mlp: Mlp, units: Sequence[int]) -> NDArray[np.object_]:
    """Return 2c·Σ_S a_i b_i."""
    assert mlp.activation.odd is not None and mlp.b_up is not None
    chosen = list(units)
    total = to_fractions(mlp.w_down)[:, chosen] @ to_fractions(mlp.b_up)[chosen]
    shift: NDArray[np.object_] = mlp.activation.odd * total
    return shift


def flipped(mlp: Mlp, units: Sequence[int], output: ExactArray | None) -> Mlp:
    """Negate rows and hidden biases of the units, and set the output bias."""
    assert mlp.b_up is not None
    rows, hidden, chosen = to_fractions(mlp.w_up), to_fractions(mlp.b_up), list(units)
    rows[chosen], hidden[chosen] = -rows[chosen], -hidden[chosen]
    return Mlp(rows, mlp.w_down, mlp.activation, hidden, output)


def agrees(mlp: Mlp, *, rng: np.random.Generator) -> Verdict:
    """Decide one instance: least width, decision, and flips without an output bias."""
    if not hypotheses(mlp.w_up, mlp.w_down, mlp.activation, mlp.b_up).generic:  # drawn so
        return Verdict.REFUTED
    found = _least(mlp, mlp.b_up, rng=rng)
    decision = decide(
        mlp.w_up, mlp.w_down, activation=mlp.activation, b_up=mlp.b_up, b_down=mlp.b_down, rng=rng
    )
    if found is None or decision.verdict is Absorption.UNKNOWN:
        return Verdict.UNKNOWN
    absorbed = decision.verdict is Absorption.ABSORBABLE
    certificate = decision.certificate
    if certificate is not None:
        weights = {"b_up": mlp.b_up, "b_down": mlp.b_down}
        if not check_certificate(certificate, mlp.w_up, mlp.w_down, **weights).valid:
            return Verdict.REFUTED
    solution = Instance(mlp.w_up, mlp.w_down, mlp.activation).first_set(-identity(mlp.d_in))
    if absorbed != (solution is not None) or absorbed != (found == mlp.width):
        return Verdict.REFUTED
    others = [b for b in _other_biases(mlp) if hypotheses(mlp.w_up, mlp.w_down, mlp.activation, b).generic]
    if any(_least(mlp, b, rng=rng) != found for b in others) or not twins_exist(mlp, found, rng=rng):
        return Verdict.REFUTED
    return Verdict.of(flips_are_as_stated(mlp, solution, rng=rng))


def _least(mlp: Mlp, hidden: ExactArray | None, *, rng: np.random.Generator) -> int | None:
    output = None if hidden is None else mlp.b_down
    return minimal_width(
        mlp.w_up, mlp.w_down, activation=mlp.activation, b_up=hidden, b_down=output, rng=rng
    ).width


def _other_biases(mlp: Mlp) -> list[ExactArray | None]:
    """Return biases under which the rows keep their least width, where the hypotheses allow them."""
    assert mlp.b_up is not None
    return [None, 0 * to_fractions(mlp.b_up), 3 * to_fractions(mlp.b_up) + 1]


def twins_exist(mlp: Mlp, width: int, *, rng: np.random.Generator) -> bool:
    """Whether MLPs of that width, the library's and one from the proof, equal r, and none is smaller."""
    block = Residual(mlp)
    twins = [absorb(mlp, width=width, rng=rng)]
    if mlp.width <= EVERY_PAIR:
        least = least_extra(block)
        twins.append(build(block, least.flipped, least.doubled))
    for twin in twins:
        if (
            twin.width != width
            or not equal_functions(block, twin)
            or not agree_at_points(block, twin, rng=rng)
        ):
            return False
    return refused(mlp, width - 1)


def flips_are_as_stated(mlp: Mlp, solution: tuple[int, ...] | None, *, rng: np.random.Generator) -> bool:
    """Whether flips equal r: under (3) with the output bias moved, under the longer condition with none."""
    n = mlp.width
    assert mlp.b_down is not None
    if n <= EVERY_SET:
        signs = list(product((False, True), repeat=n))
    else:
        signs = [tuple(row) for row in rng.integers(2, size=(SOME_SETS, n)).astype(bool).tolist()]
    sets = [tuple(i for i, negated in enumerate(row) if negated) for row in signs]
    instance, output = Instance(mlp.w_up, mlp.w_down, mlp.activation), to_fractions(mlp.b_down)
    for units in sets if solution is None else [*sets, solution]:
        shift = shift_of(mlp, units)
        holds = is_zero(instance.sum_over(units) + identity(mlp.d_in))
        longer = holds and is_zero(shift + output)
        if equal_functions(Residual(mlp), flipped(mlp, units, output + shift)) != holds:
            return False
        if equal_functions(Residual(mlp), flipped(mlp, units, None)) != longer:
            return False
    return True


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    plant = planted(2, 5, rng=rng)
    ones = np.ones(5, dtype=np.int64)
    while not shift_of(mlp := Mlp(plant.w_up, plant.w_down, "gelu", ones, ones[:2]), plant.flip_set).all():
        plant = planted(2, 5, rng=rng)
    output, shift = to_fractions(ones[:2]), shift_of(mlp, plant.flip_set)

    def absorbs(bias: ExactArray | None) -> bool:
        return equal_functions(Residual(mlp), flipped(mlp, plant.flip_set, bias))

    right = absorbs(output + shift)
    same = Mlp([[1, 0], [2, 0], [0, 1]], [[1, 1, 0], [0, 0, 1]], "relu", [1, 2, 0])
    opposed = Mlp([[1, 2], [-1, -2], [0, 1]], [[1, 1, 0], [0, 0, 1]], "gelu", [1, -1, 0])
    random = Mlp(gaussian((4, 2), rng=rng), gaussian((2, 4), rng=rng), "silu", gaussian((4,), rng=rng))
    return (
        Control("the output bias left at c", right and not absorbs(output)),
        Control("the output bias moved the other way", right and not absorbs(output - shift)),
        Control("(3) without an output bias", right and not absorbs(None)),
        Control(
            "the longer condition, with an output bias",
            right
            and not is_zero(output + shift)
            and decide(mlp.w_up, mlp.w_down, activation="gelu", b_up=ones, b_down=ones[:2]).verdict
            is Absorption.ABSORBABLE,
        ),
        Control("one hyperplane twice", _overcounts(same)),
        Control("GELU with (w, b) and −(w, b)", _overcounts(opposed)),
        Control("width N + k* − 1", refused(random, 5) and not refused(random, 6)),
    )


def _overcounts(mlp: Mlp) -> bool:
    """Whether, without the hypotheses, an MLP narrower than N + k* equals r."""
    twin = absorb(mlp)
    return twin.width < mlp.width + least_extra(Residual(mlp)).extra and equal_functions(Residual(mlp), twin)
