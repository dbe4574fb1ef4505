"""X7c: on the plane an open set of ReLU compositions absorbs its skips, for N ≥ 4 and L ≥ 8N − 15.

F consists of L residual blocks of width N, H of L residual-free ones. Both are piecewise linear maps of the
plane; their linear maps are compared on every sector of a common refinement.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from skip_absorption.claims.running import Case, Control, Dims, Report, Tally, each_case
from skip_absorption.depth.folding import WIDTH, Box, fold_box, fold_depth, is_idle, padded, unfolded
from skip_absorption.depth.relu_fan import Fan, differing_sectors, fan
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import is_zero, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.measures import generator, rationals
from skip_absorption.networks.blocks import Composition, Mlp, Residual

CLAIM = "x7c"
EVIDENCE = "exact"
HYPOTHESES = (
    "ReLU, d = 2, N ≥ 4, L ≥ 8N − 15; bias-free blocks with identity skips",
    "θ in an open set: the first block folds the plane along a line onto a pointed cone and is otherwise "
    "near the identity; the rows of the later blocks are negative on the cone",
)
METHOD = (
    "Boxes of weights are drawn; F is taken at vertices of each and at points inside. H is built from F's "
    "first block over Q: four blocks of width 4 for each of 2(N − 2) rays, and one quadrant map, filled up "
    "to width N with zero units. Both maps are computed as fans of rational rays, and their matrices agree "
    "on every sector; so do the values of the two networks at random points, and at every second case with "
    "three blocks more."
)
POINTS = 6  # random points at which the networks are evaluated besides
DEEPER = 3


def check(*, cases: int, dims: Dims, seed: int) -> Report:
    """Try the statement on random boxes, and its false variants; see `METHOD`."""
    for d, n in dims:
        if d != 2 or n < WIDTH:
            raise InvalidInput("dims", f"hold pairs (2, N) with N >= {WIDTH}", (d, n))
    tally, sectors = Tally(), 0
    for case in each_case(CLAIM, cases=cases, dims=dims, seed=seed, kinds=2):
        residual = _draw(case)
        depth = len(residual) + DEEPER * (case.number // 2 % 2)
        plain = padded(unfolded(residual[0]), depth, case.n)
        residual = (*residual, *residual[1 : 1 + depth - len(residual)])
        differing, count = compare(residual, plain)
        points = rationals((POINTS, 2), rng=case.rng)
        agree = is_zero(Composition(residual).rational(points) - Composition(plain).rational(points))
        shaped = len(plain) == len(residual) and all(block.width == case.n for block in plain)
        tally.add(
            Verdict.of(agree and shaped and differing == 0 and stays_put(residual)),
            f"case {case.number}, L = {depth}, (d, N) = {(case.d, case.n)}",
        )
        sectors += count
    return Report(
        verdict=tally.verdict,
        cases=tally.total,
        controls=_controls(seed),
        found=f"{tally.proved} of {tally.total} absorbed, {sectors} sectors compared{tally.note}",
        expected=f"all {tally.total}",
    )


def _draw(case: Case) -> tuple[Residual, ...]:
    box = fold_box(case.n, rng=case.rng)
    return box.inside(rng=case.rng) if case.number % 2 else box.vertex(rng=case.rng)


def compare(residual: Sequence[Residual], plain: Sequence[Mlp]) -> tuple[int, int]:
    """Return on how many sectors of a common refinement the two maps differ, and their number."""
    differing, count = differing_sectors(fan(residual), fan(plain))
    return len(differing), count


def stays_put(residual: Sequence[Residual]) -> bool:
    """Whether all blocks but the first have all rows negative, and so are the identity, on its image."""
    image: Fan = fan(residual[:1])
    return all(is_idle(block, image.images) for block in residual[1:])


def _controls(seed: int) -> tuple[Control, ...]:
    rng = generator(CLAIM, "controls", seed)
    n = WIDTH
    box = fold_box(n, rng=rng)
    residual = box.vertex(rng=rng)
    plain = list(padded(unfolded(residual[0]), fold_depth(n), n))

    def refuted(changed: Sequence[Mlp], *, of: Sequence[Residual] = residual) -> bool:
        return compare(of, changed)[0] > 0

    flat = Box(box.up, box.down.copy(), box.radius)
    flat.down[0, 1, 0] = Fraction(0)  # b_1 = 0: nothing is folded
    awake = Residual(Mlp(-box.up[1], box.down[1], "relu"))
    return (
        Control(
            "one weight of H changed by 2^−20", all(refuted(_nudged(plain, k)) for k in range(len(plain)))
        ),
        Control(
            "one block of H left out",
            all(refuted([*plain[:k], *plain[k + 1 :]]) for k in range(len(plain))),
        ),
        Control(
            "F without its fold", refuted(plain, of=flat.vertex(rng=rng)) and not _unfolds(flat, rng=rng)
        ),
        Control(
            "a later block with rows positive on the cone",
            refuted(plain, of=[residual[0], awake, *residual[2:]])
            and not stays_put([residual[0], awake, *residual[2:]]),
        ),
        Control("H without its last block, Φ", refuted([*plain[:-1], plain[-2]])),
    )


def _nudged(plain: Sequence[Mlp], k: int) -> list[Mlp]:
    """Change one weight of block k."""
    down = to_fractions(plain[k].w_down)
    down[1, 0] += Fraction(1, 2**20)
    return [*plain[:k], Mlp(plain[k].w_up, down, "relu"), *plain[k + 1 :]]


def _unfolds(box: Box, *, rng: np.random.Generator) -> bool:
    residual = box.inside(rng=rng)
    try:
        return compare(residual, unfolded(residual[0]))[0] == 0
    except InvalidInput:
        return False
