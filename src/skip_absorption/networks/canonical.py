"""The canonical form of an ungated block, and with it exact equality of networks as functions (X5).

Write f(x) = L x + c + sum_i a_i sigma(w_i.x + b_i) with sigma(z) = odd*z/2 + E(z), E even. Then

    2 f(x) = Lambda x + kappa + 2 sum_i a_i E(w_i.x + b_i),
    Lambda = 2 L + odd sum_i a_i w_i^T,   kappa = 2 c + odd sum_i a_i b_i + 2 sum_{w_i = 0} a_i E(b_i).

E does not see the sign of its argument, so the units with w_i != 0 gather into classes. For a kink there is
one for each hyperplane, named by the primitive integer multiple (u, beta) of its (w_i, b_i) = s_i (u, beta),
and P = (size of the kink) * sum |s_i| a_i. For an analytic E there is one for each pair +-(w, b), and
P = sum a_i. Classes with P = 0 are dropped. What is left determines the function, because even parts of
distinct classes are linearly independent modulo affine maps:

- of kinks: a point of one hyperplane off all the others shows the jump 2P|u.e| of the derivative along e;
- of erf-GELU, of tanh-GELU and of SiLU, with biases, and of all of them together with kinks. Derivatives
  along directions e with u.e = 0 remove all lines but one. There, oriented to be positive at infinity, each
  E(z) is z/2 minus a term that decays like z exp(-z) (SiLU), exp(-z^2/2) (erf-GELU), or z exp(-2p(z)) with p
  cubic (tanh-GELU). The three rates differ, so each family's combination vanishes by itself; within a family
  the slowest term is unique (for SiLU, the nearest pole is).

So two blocks of different families are equal iff neither has a class and their affine parts agree.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skip_absorption.errors import InvalidInput
from skip_absorption.exact.rational import ExactArray, exact_matmul, format_rational, identity, to_fractions
from skip_absorption.networks._rows import Number, integer_vector, opposed, primitive_vector, with_bias
from skip_absorption.networks.activations import ANALYTIC, Activation
from skip_absorption.networks.blocks import Block, Mlp, Residual
from skip_absorption.networks.hypotheses import Hypotheses, hypotheses
from skip_absorption.networks.reduction import Reduced, reduced

__all__ = [
    "CanonicalForm",
    "Hypotheses",
    "Reduced",
    "canonical_form",
    "difference",
    "equal_functions",
    "hypotheses",
    "reduced",
]

Key: TypeAlias = tuple[Number, ...]
Vector: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class CanonicalForm:
    """What determines a block as a function; two blocks are the same function iff theirs are equal.

    Attributes
    ----------
    family
        ``"kink"`` (any leaky ReLU), the name of the analytic activation, or None where there is no class: the
        function is then affine.
    linear
        Lambda, (m, d), ``Fraction``: twice the linear part left when the even parts are split off.
    constant
        kappa, (m,): twice the constant.
    classes
        For each class the vector P, (m,), under the key (u, beta): d+1 coprime integers for a kink, the exact
        row and bias for an analytic activation, the first nonzero entry positive.
    """

    family: str | None
    linear: NDArray[Any]
    constant: Vector
    classes: Mapping[Key, Vector]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CanonicalForm):
            return NotImplemented
        return (
            self.family == other.family
            and self.constant == other.constant
            and self.linear.shape == other.linear.shape
            and bool(np.all(self.linear == other.linear))
            and self.classes == other.classes
        )

    __hash__ = None  # type: ignore[assignment]  # compared, never looked up


def canonical_form(f: Mlp | Residual) -> CanonicalForm:
    """Return the canonical form of an ungated MLP, with or without a skip connection.

    Parameters
    ----------
    f
        An `Mlp`, or a `Residual` around one, with an activation of the ungated theory (kinks, both GELUs,
        SiLU) or a linear one; zero rows, zero columns, collinear rows and biases are all allowed.

    Raises
    ------
    InvalidInput
        For another kind of block or activation, and for units of an analytic activation with w_i = 0,
        b_i != 0 and columns that do not cancel: they add the constant sigma(b_i), which is not rational.

    Notes
    -----
    X5 and X1b, in near-linear time.

    Examples
    --------
    >>> form = canonical_form(Mlp([[1, 0], [-2, 0]], [[1, 1]], "relu"))
    >>> form.linear.tolist(), dict(form.classes)
    ([[Fraction(-1, 1), Fraction(0, 1)]], {(1, 0, 0): (Fraction(3, 1),)})
    """
    return _form(*_parts(f))


def _form(mlp: Mlp, skip: ExactArray | None, units: Sequence[int] | None = None) -> CanonicalForm:
    """Return the canonical form of the skip, the output bias and the given units, all of them by default."""
    act = mlp.activation
    if act.odd is None or (act.even == "analytic" and act not in ANALYTIC):
        raise InvalidInput("activation", "be a leaky ReLU, gelu, gelu_tanh, silu or linear", act.name)
    rows, columns = with_bias(mlp.w_up, mlp.b_up), mlp.w_down
    if units is not None:
        rows, columns = rows[units], columns[:, units]
    affine = act.odd * exact_matmul(columns, rows)
    linear, constant = affine[:, : mlp.d_in], [Fraction(0)] * mlp.d_out
    if mlp.b_up is not None:
        constant = affine[:, -1].tolist()
    if skip is not None:
        linear = linear + 2 * to_fractions(skip)
    if mlp.b_down is not None:
        constant = [k + 2 * c for k, c in zip(constant, to_fractions(mlp.b_down), strict=True)]

    terms: dict[Key, list[tuple[Fraction, list[Number]]]] = defaultdict(list)
    row: list[Number]
    column: list[Number]
    for row, column in zip(rows.tolist(), columns.T.tolist(), strict=True) if act.even else ():
        if any(column):
            w, b = (row, 0) if mlp.b_up is None else (row[:-1], row[-1])
            key, size = _class_of(w, b, act)
            terms[key].append((size, column))

    classes: dict[Key, Vector] = {}
    for key, members in terms.items():
        total = _combination(members)
        if not any(total):
            continue
        if any(key[:-1]):
            classes[key] = total
        elif act.kink_size is not None:
            constant = [k + Fraction(key[-1]) * p for k, p in zip(constant, total, strict=True)]
        elif key[-1]:
            requirement = f"have no unit with w = 0, b != 0 for {act.name}, whose value there is not rational"
            raise InvalidInput(
                "w_up", requirement, f"zero rows with bias +-{_short(key[-1])} and nonzero total column"
            )
    family = None if not classes else "kink" if act.kink_size is not None else act.name
    return CanonicalForm(family, linear, tuple(constant), classes)


def _parts(f: Block) -> tuple[Mlp, ExactArray | None]:
    """Return the MLP and the skip matrix, None for no skip."""
    if isinstance(f, Mlp):
        return f, None
    if isinstance(f, Residual) and isinstance(f.block, Mlp):
        return f.block, identity(f.d_in) if f.skip is None else f.skip
    raise InvalidInput("f", "be an Mlp or a Residual around one", type(f).__name__)


def _class_of(w: list[Number], b: Number, act: Activation) -> tuple[Key, Fraction]:
    """Return the key of a unit's class, and the factor with which its column enters P."""
    if not any(w):
        return (*w, -b if b < 0 else b), act.kink_size or Fraction(1)
    if act.kink_size is not None:
        key, scale = primitive_vector([*w, b])
        return key, abs(scale) * act.kink_size
    return tuple([-n for n in (*w, b)] if opposed(w) else [*w, b]), Fraction(1)


def _combination(members: Sequence[tuple[Fraction, list[Number]]]) -> Vector:
    """Return the sum of size * column over the members of a class."""
    scaled = [(size, *integer_vector(column)) for size, column in members]
    q = math.lcm(*[size.denominator * q for size, _, q in scaled])
    total = [0] * len(members[0][1])
    for size, integers, own in scaled:
        factor = size.numerator * (q // (size.denominator * own))
        total = [t + factor * n for t, n in zip(total, integers, strict=True)]
    return tuple([Fraction(t, q) for t in total])


def equal_functions(f: Mlp | Residual, g: Mlp | Residual) -> bool:
    """Whether f(x) = g(x) for every real x, decided exactly (X5); the widths may differ.

    Raises
    ------
    InvalidInput
        As `canonical_form`, and if the dimensions of f and g differ.

    Examples
    --------
    >>> block = Mlp([[1, 0], [0, 1]], [[-1, 0], [0, -1]], "gelu")
    >>> equal_functions(Residual(block), Mlp([[-1, 0], [0, -1]], [[-1, 0], [0, -1]], "gelu"))
    True
    """
    first, second = _left_over(f, g)
    return first == second


def _left_over(f: Mlp | Residual, g: Mlp | Residual) -> tuple[CanonicalForm, CanonicalForm]:
    """Return the canonical forms of f and g without the units that both have."""
    _same_dimensions(f, g)
    (one, skip_one), (two, skip_two) = _parts(f), _parts(g)
    units_one, units_two = _without_twins(one, two)
    return _form(one, skip_one, units_one), _form(two, skip_two, units_two)


def _without_twins(f: Mlp, g: Mlp) -> tuple[list[int], list[int]]:
    """Return the units of f and of g that stay when units common to both are removed from f - g.

    An absorbing network shares every unit that it does not flip, so this saves most of the exact arithmetic.
    """
    if f.activation != g.activation:
        return list(range(f.width)), list(range(g.width))
    there = defaultdict(list)
    for j, unit in enumerate(_units(g)):
        there[unit].append(j)
    stay = [i for i, unit in enumerate(_units(f)) if not (there[unit] and there[unit].pop() >= 0)]
    return stay, sorted(j for left in there.values() for j in left)


def _units(f: Mlp) -> Iterator[Hashable]:
    rows, columns = with_bias(f.w_up, f.b_up), f.w_down.T
    for row, column in zip(rows, columns, strict=True):
        if rows.dtype.kind == "f" and columns.dtype.kind == "f":
            yield (row.astype(np.float64) + 0.0).tobytes(), (column.astype(np.float64) + 0.0).tobytes()
        else:
            yield tuple(row.tolist()), tuple(column.tolist())


def _same_dimensions(f: Block, g: Block) -> None:
    for block in (f, g):
        _parts(block)
    if (f.d_in, f.d_out) != (g.d_in, g.d_out):
        raise InvalidInput("g", f"map R^{f.d_in} to R^{f.d_out} as f does", f"R^{g.d_in} to R^{g.d_out}")


def difference(f: Mlp | Residual, g: Mlp | Residual) -> str | None:
    """Return None if f and g are the same function, otherwise one line: where their canonical forms differ.

    Raises
    ------
    InvalidInput
        As `equal_functions`.

    Examples
    --------
    >>> difference(Mlp([[1]], [[1]], "relu"), Mlp([[1]], [[2]], "relu"))
    'the linear parts differ: twice the coefficient of input 0 in output 0 is 1 in the first, 2 in the second'
    """
    left_over = _left_over(f, g)
    if left_over[0] == left_over[1]:
        return None
    try:
        return _first_difference(canonical_form(f), canonical_form(g))
    except InvalidInput:  # a constant sigma(b) that both have is not rational
        return f"beside the units that both have, {_first_difference(*left_over)}"


def _first_difference(first: CanonicalForm, second: CanonicalForm) -> str:
    for k, j in np.argwhere(first.linear != second.linear).tolist():
        where = f"the linear parts differ: twice the coefficient of input {j} in output {k}"
        return _sides(where, first.linear[k, j], second.linear[k, j])
    for k, (one, two) in enumerate(zip(first.constant, second.constant, strict=True)):
        if one != two:
            return _sides(f"the constants differ: twice the constant of output {k}", one, two)
    if first.family != second.family:
        kinds = [f"{len(form.classes)} {form.family or 'even'} terms" for form in (first, second)]
        return f"the even parts differ: {kinds[0]} in the first, {kinds[1]} in the second"
    zero = (Fraction(0),) * len(first.constant)
    for key in [*first.classes, *second.classes]:
        ones, twos = first.classes.get(key, zero), second.classes.get(key, zero)
        for k, (one, two) in enumerate(zip(ones, twos, strict=True)):
            if one != two:
                where = f"the even parts differ: the weight in output {k} of the {first.family} at (w, b) = "
                return _sides(where + _row(key), one, two)
    raise AssertionError("canonical forms that differ differ somewhere")


def _sides(where: str, first: Fraction, second: Fraction) -> str:
    return f"{where} is {_short(first)} in the first, {_short(second)} in the second"


def _row(key: Key, most: int = 6) -> str:
    texts = [_short(value) for value in key]
    if len(texts) > most:
        texts = [*texts[: most - 2], "...", texts[-1]]
    return f"({', '.join(texts)})"


def _short(value: Number, most: int = 60) -> str:
    text = format_rational(Fraction(value))
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"
