"""Decide whether W_down sigma(W_up x + b) + Mx is again an MLP of the same width, without a skip.

Under the generic hypotheses (G), or X1c and X1b, that holds iff condition (3) does: some set S of units has
odd * W_down[:, S] W_up[S, :] = -M (Theorem 4, X1, X1b). It is decided by linear algebra modulo a prime, then
by search. Without the hypotheses, and where no such S exists, the question goes to the canonical form with
its n0 classes: the skip is absorbed at width N iff the least width n0 + k* is at most N (X1, X5).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from skip_absorption.absorption.budget import Budget, Clock
from skip_absorption.absorption.certificate import Certificate, Entries, Product
from skip_absorption.absorption.decision import Absorption, Decision
from skip_absorption.absorption.digest import is_identity, question_digest
from skip_absorption.absorption.equations import Question
from skip_absorption.absorption.linear import LinearOutcome, solve_linear
from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import MOST_DIGITS, ExactArray, exact_array, exact_matmul, to_fractions
from skip_absorption.exact.verdict import Verdict
from skip_absorption.networks.activations import Activation, absorbing

__all__ = ["Absorption", "Decision", "decide"]

_SEARCH_LIMIT = 1 << 30  # numbers m d N beyond which exact arithmetic alone would outlast every budget
_SEARCH_WHOLE = 1 << 20  # numbers m d N up to which a search sees all units, so that its certificate is whole


@dataclass(frozen=True)
class _Answer:
    """An answer to condition (3) before it is put into words."""

    verdict: Verdict
    proof: str
    tried: tuple[str, ...]
    units: tuple[int, ...] | None = None
    evidence: dict[str, Any] | None = None


@dataclass(frozen=True)
class _Case:
    """A validated question with all that belongs to it."""

    question: Question
    activation: Activation
    b_up: ExactArray | None
    b_down: ExactArray | None
    digest: str

    def certificate(self, claim: str, **fields: Any) -> Certificate:
        width, m, d = self.question.shape
        return Certificate(
            claim=claim,
            activation=self.activation.name,
            skip="identity" if self.question.skip is None else "given",
            width=width,
            d_in=d,
            d_out=m,
            digest=self.digest,
            **fields,
        )


def decide(
    w_up: Any,
    w_down: Any,
    *,
    activation: str | Activation = "relu",
    skip: Any = None,
    b_up: Any = None,
    b_down: Any = None,
    rng: np.random.Generator | None = None,
    budget: Budget | None = None,
    condition_only: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Decision:
    """Decide exactly whether a residual-free MLP of the same width equals W_down sigma(W_up x + b) + c + Mx.

    Parameters
    ----------
    w_up, w_down
        (N, d) and (m, N), any N and d: float16, bfloat16, float32, float64 (exact dyadics), integers,
        ``Fraction``, exact strings.
    activation
        relu, leaky_relu:SLOPE, gelu, gelu_tanh or silu.
    skip
        M of shape (m, d), or None for the identity (m = d).
    b_up, b_down
        Biases (N,) and (m,), or None. Where either is given, the other MLP may have both (X1b); it gains
        nothing from biases when neither is.
    rng
        Draws primes and equations; by default seeded from the weights, so that a decision repeats itself.
    budget
        For the search; linear algebra always runs to its end.
    condition_only
        Ask for condition (3) alone, whatever the hypotheses.
    progress
        Called with the fraction of the current elimination that is done.

    Raises
    ------
    InvalidInput
        If an argument is no exact array of the right shape or the activation is not covered.

    Notes
    -----
    Theorem 4, X1, X1b, X1c and X4. Deciding is NP-complete in general; UNKNOWN says that the budget ended.

    Examples
    --------
    >>> decision = decide([[1, 0], [0, 1], [1, 1]], [[-1, 0, 5], [0, -1, 7]])
    >>> decision.verdict.value, decision.flip_set
    ('ABSORBABLE', (0, 1))
    >>> decide([[1, 0], [0, 1]], [[1, 0], [0, 1]], activation="gelu").verdict.value
    'NOT_ABSORBABLE'
    """
    begin = time.monotonic()
    case = _validated(w_up, w_down, activation=activation, skip=skip, b_up=b_up, b_down=b_down)
    rng = rng if rng is not None else np.random.default_rng(int(case.digest, 16))
    clock = (budget or Budget()).start()

    def decision(verdict: Absorption, proof: str, tried: tuple[str, ...], **fields: Any) -> Decision:
        fields = {"flip_set": None, "certificate": None, "hypotheses": None, **fields}
        seconds = time.monotonic() - begin
        about = "condition" if condition_only else "absorption"
        return Decision(verdict, tried=tried, proof=proof, seconds=seconds, about=about, **fields)

    violations = None if condition_only else _violations(case)
    answer = _condition(case.question, rng, clock, progress, share=0.5 if violations else 1.0)
    if answer.verdict is Verdict.PROVED:
        claim = "condition_holds" if condition_only else "absorbable"
        certificate = case.certificate(claim, kind="flip_set", flip_set=answer.units)
        proof = f"condition (3) holds: {answer.proof}"
        if case.b_up is not None and not condition_only:
            proof += "; the sum of b_i a_i over these units is added to the output bias"
        return decision(
            Absorption.ABSORBABLE,
            proof,
            answer.tried,
            flip_set=answer.units,
            certificate=certificate,
            hypotheses=violations,
        )
    if violations:
        verdict, proof, how = _by_least_width(case, rng, clock)
        return decision(verdict, proof, answer.tried + how, hypotheses=violations)
    if answer.verdict is Verdict.UNKNOWN:
        return decision(Absorption.UNKNOWN, answer.proof, answer.tried, hypotheses=violations)
    claim, ground = (
        ("condition_fails", "") if condition_only else ("not_absorbable", "generic hypotheses hold and ")
    )
    return decision(
        Absorption.NOT_ABSORBABLE,
        f"{ground}condition (3) fails: {answer.proof}",
        answer.tried,
        certificate=case.certificate(claim, **answer.evidence) if answer.evidence else None,
        hypotheses=violations,
    )


def _validated(
    w_up: Any, w_down: Any, *, activation: str | Activation, skip: Any, b_up: Any, b_down: Any
) -> _Case:
    act = absorbing(activation)
    w_up, w_down = exact_array(w_up, name="w_up", ndim=2), exact_array(w_down, name="w_down", ndim=2)
    (width, d), m = w_up.shape, w_down.shape[0]
    if w_down.shape[1] != width:
        raise InvalidInput("w_down", f"have shape (m, {width}), a column for each row of w_up", w_down.shape)
    if skip is not None:
        skip = exact_array(skip, name="skip", ndim=2)
        if skip.shape != (m, d):
            raise InvalidInput("skip", f"have shape ({m}, {d})", skip.shape)
    elif m != d:
        raise InvalidInput("skip", f"be given when the output size {m} is not the input size {d}", None)
    b_up, b_down = _bias(b_up, "b_up", width), _bias(b_down, "b_down", m)
    digest = question_digest(w_up, w_down, activation=act.name, skip=skip, b_up=b_up, b_down=b_down)
    assert act.odd is not None
    question = Question(w_up, w_down, None if is_identity(skip) else skip, act.odd)
    return _Case(question, act, b_up, b_down, digest)


def _bias(bias: Any, name: str, size: int) -> ExactArray | None:
    if bias is None:
        return None
    array = exact_array(bias, name=name, ndim=1)
    if array.shape != (size,):
        raise InvalidInput(name, f"have shape ({size},)", array.shape)
    return array


def _violations(case: _Case) -> tuple[str, ...]:
    from skip_absorption.networks.canonical import hypotheses

    return hypotheses(case.question.w_up, case.question.w_down, case.activation, case.b_up).violations


def _condition(
    question: Question,
    rng: np.random.Generator,
    clock: Clock,
    progress: Callable[[float], None] | None,
    *,
    share: float,
) -> _Answer:
    """Decide condition (3): the linear branch, then a search with a share of the time that is left."""
    linear = solve_linear(question, rng=rng, progress=progress)
    if linear.verdict is Verdict.PROVED:
        return _Answer(Verdict.PROVED, linear.tried[-1], linear.tried, units=linear.units)
    if linear.verdict is Verdict.REFUTED:
        fields = {"modulus": linear.p, "entries": linear.entries, "coordinate": linear.coordinate}
        evidence = {"kind": linear.kind, **fields} if linear.kind else None
        return _Answer(Verdict.REFUTED, linear.tried[-1], linear.tried, evidence=evidence)
    rest = clock.rest()
    return _search(question, linear, rng, replace(rest, seconds=share * rest.seconds))


def _search(question: Question, linear: LinearOutcome, rng: np.random.Generator, budget: Budget) -> _Answer:
    """Search all units; at large sizes only those left open, with the others at their determined values."""
    from skip_absorption.absorption.search import search_subset

    width, m, d = question.shape
    open_units, fixed_ones = np.arange(width), np.array([], dtype=np.int64)
    if width * m * d > _SEARCH_WHOLE and linear.fixed:
        open_units = np.array([i for i in range(width) if i not in linear.fixed])
        fixed_ones = np.array([i for i, s in linear.fixed.items() if s], dtype=np.int64)
    if (len(open_units) + len(fixed_ones)) * m * d > _SEARCH_LIMIT:
        reason = f"condition (3) undecided: {len(open_units)} units are open, and the size is beyond search"
        return _Answer(Verdict.UNKNOWN, reason, linear.tried)
    target = _target(question)
    if len(fixed_ones):
        target = target - exact_matmul(question.w_down[:, fixed_ones], question.w_up[fixed_ones])
    outcome = search_subset(
        question.w_up[open_units], question.w_down[:, open_units], target, rng=rng, budget=budget
    )
    reduced = len(open_units) < width
    note = (f"{width - len(open_units)} units fixed by linear algebra modulo primes",) if reduced else ()
    tried = linear.tried + note + outcome.tried
    last = outcome.tried[-1] if outcome.tried else "search"
    if outcome.verdict is Verdict.PROVED:
        units = sorted([*fixed_ones.tolist(), *open_units[list(outcome.subset or ())].tolist()])
        return _Answer(Verdict.PROVED, f"{len(units)} units found by search ({last})", tried, tuple(units))
    if outcome.verdict is Verdict.REFUTED:
        evidence = None if reduced else _evidence(outcome.refutation or {})
        return _Answer(Verdict.REFUTED, last, tried, evidence=evidence)
    return _Answer(
        Verdict.UNKNOWN, "condition (3) undecided: linear algebra leaves units open, search ended", tried
    )


def _target(question: Question) -> ExactArray:
    """Return T = -M/odd."""
    _, m, d = question.shape
    rows, columns = np.divmod(np.arange(m * d), d)
    target: ExactArray = to_fractions(question.skip_entries(rows, columns).reshape(m, d)) * (
        -1 / question.odd
    )
    return target


def _evidence(refutation: dict[str, Any]) -> dict[str, Any] | None:
    """Turn a refutation of `skip_absorption.absorption.search` into fields of a certificate."""
    kind = refutation["kind"]
    if kind == "exhausted":
        return None
    if kind == "farkas":
        if not all(len(part) <= MOST_DIGITS for row in refutation["Y"] for y in row for part in y.split("/")):
            return None  # no certificate could be read back
        return {"kind": kind, "entries": _sparse(refutation["Y"])}
    modular = {"kind": kind, "modulus": refutation["p"]}
    if kind == "support":
        return {**modular, "entries": _sparse(refutation["Y"])}
    return {
        **modular,
        "binary": _terms(refutation["mu"]),
        "products": tuple(
            Product(int(ell[0]), _terms(ell[1:]), _sparse(y))
            for ell, y in zip(refutation["ell"], refutation["Y"], strict=True)
        ),
    }


def _sparse(matrix: Any) -> Entries:
    entries = (
        (r, c, Fraction(y) if isinstance(y, str) else int(y))
        for r, row in enumerate(matrix)
        for c, y in enumerate(row)
    )
    return tuple(entry for entry in entries if entry[2])


def _terms(values: Any) -> tuple[tuple[int, int], ...]:
    return tuple((i, int(x)) for i, x in enumerate(values) if x)


def _by_least_width(
    case: _Case, rng: np.random.Generator, clock: Clock
) -> tuple[Absorption, str, tuple[str, ...]]:
    """Compare N with the least width n0 + k* of the canonical form (X1, X5)."""
    from skip_absorption.absorption.width import minimal_width

    question = case.question
    found = minimal_width(
        question.w_up,
        question.w_down,
        activation=case.activation,
        skip=question.skip,
        b_up=case.b_up,
        b_down=case.b_down,
        rng=rng,
        budget=clock.rest(),
    )
    width = question.shape[0]
    if found.upper <= width:
        verdict, least = Absorption.ABSORBABLE, f"at most {found.upper}"
    elif found.lower > width:
        verdict, least = Absorption.NOT_ABSORBABLE, f"at least {found.lower}"
    else:
        verdict, least = Absorption.UNKNOWN, f"between {found.lower} and {found.upper}"
    return verdict, f"canonical form: the least width is {least}, N = {width}", found.how
