"""Markup is escaped by construction; prose sets mathematics and changes no character of the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.claims.ledger import CLAIMS
from skip_absorption.site.markup import Html, element, join, link
from skip_absorption.site.prose import paragraphs, prose

from .conftest import Reader

TEXTS = st.text(alphabet="<>&\"'` *_^aWxkσ0(){}[]\u00e9\n", max_size=40)


@given(TEXTS, TEXTS)
@settings(deadline=None, max_examples=100)
def test_any_text_comes_back_as_it_was(text: str, value: str) -> None:
    read = Reader(element("p", text, title=value))
    assert read.tags == ["p"]
    assert read.text == text
    assert read.attributes == [{"title": value}]


@given(TEXTS)
@settings(deadline=None, max_examples=200)
def test_prose_makes_no_tags_but_its_own(text: str) -> None:
    read = Reader(prose(text))
    assert set(read.tags) <= {"i", "sub", "sup", "code", "strong"}
    kept = str.maketrans("", "", "_^`*() \u00a0")
    assert read.text.translate(kept) == text.translate(kept)


def test_markup_is_not_escaped_twice_and_texts_are_escaped_once() -> None:
    assert element("p", element("b", "<"), "&", None) == "<p><b>&lt;</b>&amp;</p>"
    assert join(["<", Html("<br>")], " & ") == "&lt; &amp; <br>"
    assert link("x", "a?b&c") == '<a href="a?b&amp;c">x</a>'
    assert (
        element("input", type="search", hidden=True, id=None, autofocus=False)
        == '<input type="search" hidden>'
    )


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("rank W_up = d", "rank <i>W</i><sub>up</sub> =\u00a0<i>d</i>"),
        ("N'_i and a_iᵀ", "<i>N&#x27;</i><sub><i>i</i></sub> and <i>a</i><sub><i>i</i></sub>ᵀ"),
        ("at least N + k*", "at least <i>N</i> + <i>k</i><sup>*</sup>"),
        ("λ^k, 2^N, 10^(−3)", "<i>λ</i><sup><i>k</i></sup>, 2<sup><i>N</i></sup>, 10<sup>−3</sup>"),
        ("a matrix I, by (b) of 8(i)", "a matrix I, by (b) of 8(i)"),
        ("f(x) at 2x", "<i>f</i>(<i>x</i>) at 2<i>x</i>"),
        ("``claim_x1`` and b.c", "<code>claim_x1</code> and b.c"),
        ("any M. Then", "any <i>M</i>. Then"),
    ],
)
def test_mathematics_in_prose(text: str, html: str) -> None:
    assert prose(text) == html


def test_paragraphs() -> None:
    assert paragraphs("**One.** two\nthree\n\nfour") == "<p><strong>One.</strong> two three</p><p>four</p>"


def test_every_statement_of_the_ledger_is_set_without_raw_indices() -> None:
    for claim in CLAIMS.values():
        assert "_" not in prose(claim.statement), claim.id
        assert "^" not in prose(claim.statement), claim.id
