"""The second program: it re-checks a certificate against the weights in integer arithmetic.

It imports nothing of the prover: no elimination, no search, no FLINT. What each kind needs of the modulus p:
only that p >= 3 is odd and every denominator is invertible. If s in {0,1}^N solved sum_i s_i a_i w_i^T = T
over Q, the identities of the certificate, read in the ring Z/p, would say 0 = <Y, T> (``inconsistent``),
s_j = <Y, T> with s_j 0 or 1 (``not_binary``), that some subset of the listed values sums to <Y, T>
(``support``), and 0 = 1 (``quadratic``): false for any p, prime or not. Primality serves the prover
alone, and is used here only for the checker's own prime in `checker_hypotheses`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skip_absorption.absorption.certificate import Certificate, Entries, Product, read_activation
from skip_absorption.absorption.checker_flip_set import mismatched_row
from skip_absorption.absorption.checker_hypotheses import violation
from skip_absorption.absorption.checker_integers import (
    INT64_MODULUS,
    NotInvertible,
    common_denominator,
    exact_values,
    residue,
    residues,
    scaled_integers,
)
from skip_absorption.absorption.digest import is_identity, question_digest
from skip_absorption.errors import InvalidInput

_BLOCK = 1 << 17  # numbers handled at a time, so that they stay in the cache
_SUPPORT = 20  # units whose subset sums are listed
_WORK = 1 << 28  # Python-integer operations that one check may take
_FAST, _CALL = 64, 1 << 12  # operations on arrays, and what goes with every product, measured in these
_DIGITS = 1 << 12  # bits of a number that take no longer than fewer
_BITS = 1 << 32  # of all numbers over one common denominator


@dataclass(frozen=True)
class CheckResult:
    """Whether a certificate proves its claim, and why or why not in one line."""

    valid: bool
    reason: str

    def __bool__(self) -> bool:
        return self.valid


class _Rejected(Exception):
    """The certificate does not prove its claim; the message says why."""


@dataclass(frozen=True)
class _Question:
    """The weights as exact arrays; `skip` None is the identity."""

    w_up: NDArray[Any]
    w_down: NDArray[Any]
    b_up: NDArray[Any] | None
    skip: NDArray[Any] | None
    odd: Fraction
    kink: bool

    def skip_entry(self, row: int, column: int) -> Fraction:
        if self.skip is None:
            return Fraction(int(row == column))
        entry = self.skip[row, column]
        return Fraction(entry.item() if isinstance(entry, np.generic) else entry)

    def target(self, entries: Entries) -> Fraction:
        """Return <Y, T> over Q."""
        return sum((y * self.skip_entry(r, c) for r, c, y in entries), Fraction(0)) / -self.odd

    def target_mod(self, entries: Entries, p: int) -> int:
        """Return <Y, T> modulo p."""
        total = sum(int(y) * residue(self.skip_entry(r, c), p) for r, c, y in entries)
        return total * residue(-1 / self.odd, p) % p


def check_certificate(
    certificate: Certificate | None,
    w_up: Any,
    w_down: Any,
    *,
    activation: Any = None,
    skip: Any = None,
    b_up: Any = None,
    b_down: Any = None,
) -> CheckResult:
    """Check a certificate against weights, exactly and independently of how it was found (X4).

    Parameters
    ----------
    certificate
        What `skip_absorption.decide` left behind, or read from a file. None, the sign of a decision by an
        exhausted search, is refused.
    w_up, w_down
        (N, d) and (m, N): float16, bfloat16, float32, float64 (exact dyadics), integers, ``Fraction``.
    activation
        None takes the certificate's; anything else must agree with it.
    skip, b_up, b_down
        (m, d) or None for the identity; (N,) and (m,) or None.

    Returns
    -------
    CheckResult
        ``valid`` is True only if the claim is proved for these weights. A claim ``not_absorbable`` also needs
        the generic hypotheses (G), X1c or X1b, which are verified here.

    Raises
    ------
    InvalidInput
        If the weights are not weights. A certificate that fails is a return value.

    Examples
    --------
    >>> import skip_absorption as sa
    >>> w_up, w_down = [[1, 0], [0, 1], [1, 1]], [[1, 2, 1], [0, 1, 3]]
    >>> decision = sa.decide(w_up, w_down)
    >>> check_certificate(decision.certificate, w_up, w_down).valid
    True
    """
    if certificate is None:
        return CheckResult(False, "there is no certificate: an exhausted search leaves none")
    if not isinstance(certificate, Certificate):
        raise InvalidInput("certificate", "be a Certificate", type(certificate).__name__)
    try:
        question = _question(
            certificate, w_up, w_down, activation=activation, skip=skip, b_up=b_up, b_down=b_down
        )
        return CheckResult(True, _check(certificate, question))
    except _Rejected as rejection:
        return CheckResult(False, str(rejection))
    except NotInvertible:
        return CheckResult(False, f"a denominator is not invertible modulo {certificate.modulus}")


def _question(
    certificate: Certificate, w_up: Any, w_down: Any, *, activation: Any, skip: Any, b_up: Any, b_down: Any
) -> _Question:
    """Read the weights and see that they are the ones that the certificate is about."""
    w_up = exact_values(w_up, name="w_up", shape=(None, None))
    width, d_in = w_up.shape
    w_down = exact_values(w_down, name="w_down", shape=(None, width))
    d_out = w_down.shape[0]
    if skip is not None:
        skip = exact_values(skip, name="skip", shape=(d_out, d_in))
    elif d_out != d_in:
        raise InvalidInput("skip", "be given when m is not d", f"m = {d_out}, d = {d_in}")
    b_up = None if b_up is None else exact_values(b_up, name="b_up", shape=(width,))
    b_down = None if b_down is None else exact_values(b_down, name="b_down", shape=(d_out,))
    name, odd, kink = read_activation(certificate.activation)
    if activation is not None and read_activation(getattr(activation, "name", activation))[0] != name:
        raise _Rejected(f"the certificate is about activation {name}")
    digest = question_digest(w_up, w_down, activation=name, skip=skip, b_up=b_up, b_down=b_down)
    if digest != certificate.digest:
        raise _Rejected("digest differs: the certificate is about other weights, biases, skip or activation")
    if (certificate.width, certificate.d_in, certificate.d_out) != (width, d_in, d_out):
        raise _Rejected("the certificate states other shapes")
    if certificate.skip != ("identity" if is_identity(skip) else "given"):
        raise _Rejected(f"the certificate is about the skip {certificate.skip}")
    return _Question(w_up, w_down, b_up, None if is_identity(skip) else skip, odd, kink)


def _check(certificate: Certificate, question: _Question) -> str:
    """Return what the certificate proves."""
    {
        "flip_set": _check_flip_set,
        "inconsistent": _check_inconsistent,
        "not_binary": _check_not_binary,
        "support": _check_support,
        "quadratic": _check_quadratic,
        "farkas": _check_farkas,
    }[certificate.kind](certificate, question)
    if certificate.claim == "not_absorbable":
        failure = violation(question.w_up, question.w_down, question.b_up, kink=question.kink)
        if failure is not None:
            raise _Rejected(f"condition (3) fails, but that does not refute absorption here: {failure}")
    block = f"residual-free MLP of width {certificate.width}"
    return {
        "condition_holds": "condition (3) holds for the flip set",
        "absorbable": f"flipping the units of the flip set makes this block a {block}",
        "condition_fails": "condition (3) has no solution",
        "not_absorbable": f"this block is no {block}: it is generic and condition (3) has no solution",
    }[certificate.claim]


def _check_flip_set(certificate: Certificate, question: _Question) -> None:
    units = list(certificate.flip_set or ())
    skip = np.eye(certificate.d_out, dtype=np.int64) if question.skip is None else question.skip
    row = mismatched_row(question.w_up[units], question.w_down[:, units], skip, question.odd)
    if row is not None:
        raise _Rejected(f"row {row} of the sum over the flip set is not that of -M/odd")


def _forms(question: _Question, entries: Entries, p: int) -> NDArray[Any]:
    """Return a_i^T Y w_i modulo p for every unit i.

    Below 2^31 in int64: a product of residues is at most (p-1)^2 < 2^62 and is reduced, and sums of fewer
    than 2^31 residues stay below 2^62. Larger p in Python integers.
    """
    kind = np.int64 if p < INT64_MODULUS else object
    width = len(question.w_up)
    forms = np.zeros(width, dtype=kind)
    if not entries:
        return forms
    rows = np.array([r for r, _, _ in entries])
    columns, place = np.unique([c for _, c, _ in entries], return_inverse=True)
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    values = np.array([int(y) for _, _, y in entries], dtype=kind)[:, None]
    fits = len(entries) * (p - 1) ** 2 < 1 << 63  # then the sums need no reduction on the way
    step = max(1, _BLOCK // max(len(entries), len(columns)))
    for begin in range(0, width, step):
        units = slice(begin, begin + step)
        up = residues(question.w_up[units][:, columns], p).T
        products = up[place] * values
        inner = np.add.reduceat(products if fits else products % p, starts, axis=0) % p
        outer = residues(question.w_down[rows[starts], units], p) * inner
        forms[units] = (outer if fits else outer % p).sum(axis=0) % p
    return forms


def _check_inconsistent(certificate: Certificate, question: _Question) -> None:
    p = certificate.modulus or 0
    wrong = np.flatnonzero(_forms(question, certificate.entries, p))
    if wrong.size:
        raise _Rejected(f"a_i^T Y w_i is not 0 modulo {p} for unit {wrong[0]}")
    if question.target_mod(certificate.entries, p) == 0:
        raise _Rejected(f"<Y, T> is 0 modulo {p}")


def _check_not_binary(certificate: Certificate, question: _Question) -> None:
    p = certificate.modulus or 0
    forms = _forms(question, certificate.entries, p)
    forms[certificate.coordinate] -= 1
    wrong = np.flatnonzero(forms)
    if wrong.size:
        raise _Rejected(f"a_i^T Y w_i is not [i = {certificate.coordinate}] modulo {p} for unit {wrong[0]}")
    if question.target_mod(certificate.entries, p) in (0, 1):
        raise _Rejected(f"<Y, T> is 0 or 1 modulo {p}")


def _check_support(certificate: Certificate, question: _Question) -> None:
    p = certificate.modulus or 0
    values = [int(x) for x in _forms(question, certificate.entries, p) if x]
    if len(values) > _SUPPORT:
        raise _Rejected(f"a_i^T Y w_i is nonzero modulo {p} for {len(values)} units, more than {_SUPPORT}")
    sums = {0}
    for value in values:
        sums |= {(x + value) % p for x in sums}
    if question.target_mod(certificate.entries, p) in sums:
        raise _Rejected(f"a subset of the values a_i^T Y w_i sums to <Y, T> modulo {p}")


def _check_quadratic(certificate: Certificate, question: _Question) -> None:
    """Expand the identity and compare it with 1, coefficient by coefficient; s_i s_j is kept under i <= j."""
    p, width = certificate.modulus or 0, certificate.width
    if sum(_product_work(product, width) for product in certificate.products) > _WORK:
        raise _Rejected("the identity is too large to expand")
    square: dict[tuple[int, int], int] = {}
    linear, constant = [0] * width, 0
    for i, mu in certificate.binary:
        square[i, i] = square.get((i, i), 0) + mu
        linear[i] -= mu
    for product in certificate.products:
        forms = [(i, int(x)) for i, x in enumerate(_forms(question, product.entries, p)) if x]
        target = question.target_mod(product.entries, p)
        constant -= product.constant * target
        for j, x in forms:
            linear[j] += product.constant * x
        for i, factor in product.linear:
            linear[i] -= factor * target
            for j, x in forms:
                key = (i, j) if i <= j else (j, i)
                square[key] = square.get(key, 0) + factor * x
    if any(x % p for x in square.values()) or any(x % p for x in linear) or constant % p != 1:
        raise _Rejected(f"the polynomial is not 1 modulo {p}")


def _product_work(product: Product, width: int) -> int:
    """Return a bound of the steps that one product takes; those on whole arrays count for less."""
    return (len(product.linear) + 1 + len(product.entries) // _FAST) * width + _CALL


def _check_farkas(certificate: Certificate, question: _Question) -> None:
    """Compare <Y, T> with sum_i max(0, a_i^T Y w_i) over Q, all scaled to integers."""
    entries, width = certificate.entries, certificate.width
    bits = sum(y.bit_length() for y in {Fraction(y).denominator for _, _, y in entries})
    if len(entries) * width * (1 + bits // _DIGITS) > _WORK or len(entries) * bits > _BITS:
        raise _Rejected("the inequality is too large to check")
    values = np.empty(len(entries), dtype=object)
    values[:] = [Fraction(y) for _, _, y in entries]
    scale_y, scale_up, scale_down = map(common_denominator, (values, question.w_up, question.w_down))
    weights = scaled_integers(values, scale_y)
    rows, columns = [r for r, _, _ in entries], [c for _, c, _ in entries]
    total = 0
    for i in range(width):
        down = scaled_integers(question.w_down[rows, i], scale_down)
        up = scaled_integers(question.w_up[i, columns], scale_up)
        total += max(0, int((weights * down * up).sum()))
    if not question.target(entries) * scale_y * scale_up * scale_down > total:
        raise _Rejected("<Y, T> does not exceed the sum of max(0, a_i^T Y w_i)")
