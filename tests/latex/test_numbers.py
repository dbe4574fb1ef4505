import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.latex.numbers import NOT_RUN, escape, integer, scientific, seconds


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (9999, "9999"), (12345, r"12\,345"), (-1234567, r"-1\,234\,567"), (6.0, "6")],
)
def test_whole_numbers_are_grouped_from_five_digits_on(value: float, text: str) -> None:
    assert integer(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.001, r"\ensuremath{<}0.01"), (0.1234, "0.12"), (1.26, "1.3"), (9.96, "10"), (83.4, "83")],
)
def test_times_keep_two_digits(value: float, text: str) -> None:
    assert seconds(value) == text


def test_scientific_notation() -> None:
    assert scientific(3.44e-29) == r"\ensuremath{3.4\times10^{-29}}"
    assert scientific(9.97e-5) == r"\ensuremath{1.0\times10^{-4}}"
    assert scientific(0) == "0"


@pytest.mark.parametrize("show", [integer, seconds, scientific])
@pytest.mark.parametrize("missing", [None, math.nan, math.inf])
def test_a_missing_value_says_so(show, missing) -> None:
    assert show(missing) == NOT_RUN


def test_special_and_mathematical_characters() -> None:
    assert escape("a_b & 5% #1 {x} $y$ ~ ^ \\") == (
        r"a\_b \& 5\% \#1 \{x\} \$y\$ \textasciitilde{} \textasciicircum{} \textbackslash{}"
    )
    assert escape("S ≠ ∅, 10⁻²") == (
        r"S \ensuremath{\ne} \ensuremath{\varnothing}, 10\ensuremath{^{-}}\ensuremath{^{2}}"
    )
    assert escape("λ^k, 2⁻ʲ") == (
        r"\ensuremath{\lambda}\ensuremath{^{k}}, 2\ensuremath{^{-}}\ensuremath{^{j}}"
    )
    assert escape("™x₁ᵀ") == r"\ensuremath{^{TM}}x\ensuremath{_{1}}\ensuremath{^{\mathsf{T}}}"
    assert escape("Montúfar ☃") == r"Montúfar \texttt{U+2603}"


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters(exclude_characters="\u00a0")))
def test_no_text_can_break_out_of_its_place(text: str) -> None:
    safe = escape(text)
    outside_maths = re.sub(r"\\ensuremath\{.*?\}(?!\})", "", safe)
    assert not re.search(r"(?<!\\)[%&#$~_^]", outside_maths)
    assert safe.count("{") - safe.count(r"\{") == safe.count("}") - safe.count(r"\}")
    assert "\n" not in safe
