"""At which width can a residual-free MLP be fitted to x + W_down σ(W_up x)? Numerical, not a proof.

Proposition 8 predicts N + d for random weights, X1 N + k* for others. Each fit descends in the rows V_up
alone (`variable_projection`). Success needs more than a small training error, because a nearly singular
basis can imitate one: the error of the final weights on fresh points must be as small, and no weight may be
large.

One unit below the threshold the question of closure remains: could networks of that width come arbitrarily
near, with weights that grow? The best fit there is continued for long, and errors and weights are compared
with those half-way. An analytic σ offers one way to do it: a unit with a tiny row and a huge column tends
to a linear map of rank one. So one unit is also replaced by such a term, free, whose fit needs no huge
weight. Neither excludes another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.experiments.targets import Target, constructed_rows, draw_target
from skip_absorption.experiments.variable_projection import Model, descend, eliminate
from skip_absorption.measures import gaussian, generator
from skip_absorption.networks.activations import Activation, absorbing

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

EXPERIMENT = "width_threshold"
LOSS_LIMIT = 1e-20  # squared error that counts as zero
WEIGHT_LIMIT = 1e4
NOISE = (0.0, 0.03, 0.1)  # perturbations of informed starts
COARSE = 5  # a kink is searched on every fifth point before all of them are used
SEARCH_STEPS, SEARCH_PROGRESS = 30, 1e-2  # of the descent from each start
FINISH_STEPS, FINISH_PROGRESS = 100, 1e-4  # of the best ones, on all points
FINISHED = 2
PROMISING = 1e-15  # loss from which a start is finished at once


@dataclass(frozen=True)
class Problem:
    """A target with points: inputs and outputs for training, then those held out."""

    act: Activation
    target: Target
    inputs: tuple[Floats, Floats]
    outputs: tuple[Floats, Floats]

    @property
    def coarse(self) -> slice:
        """The training points that searches use."""
        return slice(None, None, COARSE if self.act.even == "kink" else 1)


@dataclass(frozen=True)
class Shape:
    """What is fitted: so many units, and so many free linear terms of rank one."""

    units: int
    linear: int = 0


@dataclass(frozen=True)
class Fit:
    """A fitted network, measured on its final weights.

    Attributes
    ----------
    train, heldout
        Mean squared error per output on the training points and on fresh points.
    max_weight
        The largest entry of V_up and V_down in absolute value; for a kink, after rows are scaled to length 1.
    """

    train: float
    heldout: float
    max_weight: float

    @property
    def admissible(self) -> bool:
        """Whether the weights stay below the limit."""
        return self.max_weight < WEIGHT_LIMIT

    @property
    def success(self) -> bool:
        """Whether the network counts as equal to its target, numerically."""
        return self.admissible and max(self.train, self.heldout) < LOSS_LIMIT


@dataclass(frozen=True)
class Found:
    """The best fit, its rows, the kind of start it came from, and the number of starts."""

    fit: Fit
    v_up: Floats
    start: str
    restarts: int


def shapes(d: int, n: int) -> list[Shape]:
    """Return what is fitted: N − 1, …, N + d + 1 units, and N + d − 2 units with a linear term."""
    return [*(Shape(m) for m in range(n - 1, n + d + 2)), Shape(n + d - 2, 1)]


def run_cell(
    spec: str | Activation, d: int, n: int, *, targets: int, restarts: int, long_steps: int, seed: int = 0
) -> pd.DataFrame:
    """Fit all targets of one size and return the rows of ``width_threshold``, with progress on the way.

    The targets are so many random ones, whose k* is d, and one for each k* = 0, …, d − 1.
    """
    import pandas as pd

    started, parts = perf_counter(), []
    listed: list[int | None] = [*[None] * targets, *range(d)]
    for target, planted in enumerate(listed, start=1):
        fits = run_target(
            spec, d, n, target - 1, planted=planted, restarts=restarts, long_steps=long_steps, seed=seed
        )
        parts.append(fits)
        spent = perf_counter() - started
        left = spent / target * (len(listed) - target)
        print(f"target {target} of {len(listed)}: {spent:.0f} s, about {left:.0f} s left", flush=True)
    return pd.concat(parts, ignore_index=True)


def run_target(
    spec: str | Activation,
    d: int,
    n: int,
    target: int,
    *,
    planted: int | None = None,
    fitted: Sequence[Shape] | None = None,
    restarts: int = 64,
    long_steps: int = 0,
    points: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Fit one target with networks of the given shapes and return one row of ``width_threshold`` for each.

    Parameters
    ----------
    spec
        The activation, one with a parity split.
    d, n
        Input dimension and width N of the target.
    target
        Its index; target and starts are drawn from streams named by it.
    planted
        Its k*; a random target when None.
    fitted
        The shapes to fit; `shapes` when None.
    restarts
        Starting points at most: random and informed ones in turn, until one succeeds.
    long_steps
        Steps by which the best fit with one unit or term fewer than N + d is continued.
    points
        Training points, and as many held out; 1000·d for kinks and 100·d otherwise when None.
    """
    import pandas as pd

    act = absorbing(spec)
    if restarts < 1:
        raise InvalidInput("restarts", "be at least 1", restarts)
    cell = f"{act.name}/{d}/{n}/{target}"
    rng = generator(EXPERIMENT, cell, seed)
    drawn = draw_target(d, n, planted=planted, rng=rng)
    points = points or (1000 if act.even == "kink" else 100) * d
    train, heldout = gaussian((points, d), rng=rng), gaussian((points, d), rng=rng)
    exact = [x + act.float(x @ drawn.w_up.T) @ drawn.w_down.T for x in (train, heldout)]
    problem = Problem(act, drawn, (train, heldout), (exact[0], exact[1]))
    rows = []
    for shape in shapes(d, n) if fitted is None else fitted:
        started = perf_counter()
        stream = generator(EXPERIMENT, f"{cell}/{shape.units}/{shape.linear}", seed)
        best = _best_fit(problem, shape, restarts, rng=stream)
        steps = long_steps if shape.units + shape.linear == n + d - 1 else 0
        halfway, last = _continued(problem, shape, best, steps)
        rows.append(
            {
                "activation": act.name,
                "d": d,
                "N": n,
                "target": target,
                "extra": drawn.extra,
                "width": shape.units,
                "linear_terms": shape.linear,
                "width_minus_N": shape.units - n,
                "best_train": last.train,
                "best_heldout": last.heldout,
                "max_weight": last.max_weight,
                "success": last.success,
                "start": best.start,
                "restarts": best.restarts,
                "long_steps": steps,
                "halfway_train": halfway.train if steps else None,
                "halfway_weight": halfway.max_weight if steps else None,
                "seconds": perf_counter() - started,
            }
        )
    return pd.DataFrame(rows)


def _best_fit(problem: Problem, shape: Shape, restarts: int, *, rng: np.random.Generator) -> Found:
    """Search from all starts, finish the best ones on all points; a success ends the search."""
    model, (x, y) = Model(problem.act, shape.linear), (problem.inputs[0], problem.outputs[0])
    reached: list[tuple[float, int, Floats, str]] = []
    finished: list[tuple[Fit, Floats, str]] = []

    def finish(rows: Floats, kind: str) -> Fit:
        end = descend(model, x, y, rows, steps=FINISH_STEPS, least_progress=FINISH_PROGRESS)
        finished.append((measure(problem, model, end.v_up), end.v_up, kind))
        return finished[-1][0]

    for kind, start in _starts(problem.target, shape, restarts, rng=rng):
        part = problem.coarse
        end = descend(model, x[part], y[part], start, steps=SEARCH_STEPS, least_progress=SEARCH_PROGRESS)
        reached.append((end.loss, len(reached), end.v_up, kind))
        if end.loss < PROMISING and finish(end.v_up, kind).success:
            break
    else:
        for _, _, rows, kind in sorted(reached, key=lambda entry: entry[:2])[:FINISHED]:
            finish(rows, kind)
    fit, rows, kind = min(finished, key=lambda end: (not end[0].admissible, end[0].train))
    return Found(fit, rows, kind, len(reached))


def _continued(problem: Problem, shape: Shape, best: Found, steps: int) -> tuple[Fit, Fit]:
    """Continue a fit for so many steps; return it half-way and at the end."""
    if not steps:
        return best.fit, best.fit
    model = Model(problem.act, shape.linear)
    end = descend(model, problem.inputs[0], problem.outputs[0], best.v_up, steps=steps, least_progress=-1.0)
    return measure(problem, model, end.halfway), measure(problem, model, end.v_up)


def _starts(
    target: Target, shape: Shape, restarts: int, *, rng: np.random.Generator
) -> Iterator[tuple[str, Floats]]:
    """Yield random rows and informed ones in turn.

    Informed rows are the target's with random signs, then opposed copies; from N + k* units on, every other
    time the rows that X1 constructs. They are perturbed, the constructed ones always.
    """
    w_up, constructed = target.w_up, constructed_rows(target)
    n, d = w_up.shape
    if shape.units < 1:
        raise InvalidInput("width", "be at least 1", shape.units)
    for number in range(restarts):
        rows = gaussian((shape.units + shape.linear, d), rng=rng)
        if number % 2:
            signed = (w_up * rng.choice([-1.0, 1.0], size=(n, 1)))[rng.permutation(n)]
            known = np.concatenate([signed, -signed[rng.permutation(n)]])[: shape.units]
            by_theory = number % 4 == 1 and len(constructed) <= shape.units
            rows[: len(known)] = known
            if by_theory:
                rows[: len(constructed)] = constructed
            rows += rng.choice(NOISE[1:] if by_theory else NOISE) * gaussian(rows.shape, rng=rng)
        yield ("informed" if number % 2 else "random"), rows


def measure(problem: Problem, model: Model, v_up: Floats) -> Fit:
    """Return the errors of the network with these rows and the best columns, and its largest weight."""
    v_up = v_up.copy()
    scaled = slice(None) if problem.act.even == "kink" else slice(len(v_up) - model.linear, None)
    lengths = np.linalg.norm(v_up[scaled], axis=1, keepdims=True)  # rescaling such rows changes no function
    v_up[scaled] /= np.where(lengths > 0, lengths, 1.0)
    v_down = eliminate(model.features(v_up, problem.inputs[0]), problem.outputs[0])[1].T
    train, heldout = (
        float(np.mean((model.features(v_up, x) @ v_down.T - y) ** 2))
        for x, y in zip(problem.inputs, problem.outputs, strict=True)
    )
    return Fit(train, heldout, float(max(np.abs(v_up).max(), np.abs(v_down).max())))
