"""WordPiece: known answers on a small vocabulary with the real rules, and against a slow oracle."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skip_absorption.checkpoints.wordpiece import WordPiece, read_vocabulary
from skip_absorption.errors import InvalidInput

PIECES = [
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "hello",
    "world",
    "zur",
    "##ich",
    "zurich",
    "a",
    "##a",
    "##ab",
    "b",
    ",",
    ".",
    "'",
    "don",
    "t",
    "北",
    "京",
    "!",
    "##b",
]
VOCABULARY = {piece: number for number, piece in enumerate(PIECES)}
TOKENIZER = WordPiece(VOCABULARY)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("hello world", ["hello", "world"]),
        ("  HELLO\tWorld\n", ["hello", "world"]),
        ("Zürich", ["zurich"]),
        ("zurzur", ["[UNK]"]),  # one word without a whole split is unknown as a whole
        ("aab", ["a", "##ab"]),
        ("aaab", ["a", "##a", "##ab"]),
        ("don't, hello!", ["don", "'", "t", ",", "hello", "!"]),
        ("北京", ["北", "京"]),
        ("he\u200bllo\x00", ["hello"]),  # format and control characters vanish
        ("a" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_known_answers(text, pieces):
    numbers = [VOCABULARY[piece] for piece in pieces]
    assert TOKENIZER.encode(text) == [VOCABULARY["[CLS]"], *numbers, VOCABULARY["[SEP]"]]


def test_the_numbers_of_bert():
    numbers = {"[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "hello": 7592, "world": 2088}  # as in its vocabulary
    assert WordPiece(numbers).encode("Hello world") == [101, 7592, 2088, 102]


def slow_pieces(word: str) -> list[str]:
    """Return the greedy longest-first split by trying every piece of the vocabulary at every place."""
    pieces: list[str] = []
    rest = word
    while rest:
        fitting = [
            piece
            for piece in PIECES
            if piece.startswith("##") == bool(pieces) and rest.startswith(piece.removeprefix("##"))
        ]
        if not fitting:
            return ["[UNK]"]
        pieces.append(max(fitting, key=len))
        rest = rest[len(pieces[-1].removeprefix("##")) :]
    return pieces


@settings(deadline=None, max_examples=100)
@given(st.text("ab", min_size=1, max_size=12))
def test_words_are_split_as_by_the_oracle(word):
    assert TOKENIZER.encode(word)[1:-1] == [VOCABULARY[piece] for piece in slow_pieces(word)]


def test_long_texts_are_cut_between_the_special_pieces():
    found = TOKENIZER.encode("a " * 600)
    assert len(found) == 512
    assert (found[0], found[-1]) == (VOCABULARY["[CLS]"], VOCABULARY["[SEP]"])
    assert TOKENIZER.encode("a a a", longest=3) == [1, VOCABULARY["a"], 2]


def test_both_files_give_the_same_tokenizer():
    text = "\n".join(PIECES).encode()
    data = json.dumps({"model": {"type": "WordPiece", "vocab": VOCABULARY}}).encode()
    for content in (text, text + b"\n", data):
        assert read_vocabulary(content, source="file").vocabulary == VOCABULARY


@pytest.mark.parametrize("content", [b"", b"hello\nworld", b"\xff", b"{}", b'{"model": 1}', b"{" * 2000])
def test_other_files_are_refused(content):
    with pytest.raises(InvalidInput, match="vocabulary"):
        read_vocabulary(content, source="vocab.txt")
