"""BERT's uncased WordPiece: from text to the numbers of its pieces, by the vocabulary beside the weights."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skip_absorption.errors import InvalidInput

CLS, SEP, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"

_LONGEST_WORD = 100
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


@dataclass(frozen=True, eq=False)
class WordPiece:
    """A tokenizer: lower case, no accents, words and punctuation apart, longest pieces first.

    Parameters
    ----------
    vocabulary
        The number of each piece; pieces inside a word begin with ``##``.

    Raises
    ------
    InvalidInput
        If [CLS], [SEP] or [UNK] is missing.

    Examples
    --------
    >>> pieces = ["[UNK]", "[CLS]", "[SEP]", "skip", "##s", "the", "!"]
    >>> WordPiece({piece: number for number, piece in enumerate(pieces)}).encode("The SKIPS!")
    [1, 5, 3, 4, 6, 2]
    """

    vocabulary: Mapping[str, int]

    def __post_init__(self) -> None:
        """Check that the special pieces are there."""
        for piece in (CLS, SEP, UNKNOWN):
            if piece not in self.vocabulary:
                raise InvalidInput("the vocabulary", f"hold {piece}", f"{len(self.vocabulary)} other pieces")

    def encode(self, text: str, *, longest: int = 512) -> list[int]:
        """Return the numbers of [CLS], the pieces, cut to `longest` in all, and [SEP]."""
        pieces = [piece for word in _words(text) for piece in self._pieces(word)]
        numbers = [self.vocabulary[piece] for piece in pieces[: max(0, longest - 2)]]
        return [self.vocabulary[CLS], *numbers, self.vocabulary[SEP]]

    def _pieces(self, word: str) -> list[str]:
        if len(word) > _LONGEST_WORD:
            return [UNKNOWN]
        pieces, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.vocabulary), None)
            if end is None:
                return [UNKNOWN]
            pieces.append(mark + word[start:end])
            start = end
        return pieces


def read_vocabulary(data: bytes, *, source: str) -> WordPiece:
    """Return the tokenizer of a ``vocab.txt`` (one piece a line) or of a ``tokenizer.json`` with WordPiece.

    Raises
    ------
    InvalidInput
        If the bytes are neither.
    """
    try:
        text = data.decode("utf-8")
        if text.lstrip()[:1] != "{":
            return WordPiece({piece: number for number, piece in enumerate(text.splitlines())})
        vocabulary = json.loads(text)["model"]["vocab"]
        return WordPiece({str(piece): int(number) for piece, number in vocabulary.items()})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        requirement = "be a WordPiece vocabulary, one piece a line or a tokenizer.json"
        raise InvalidInput(source, requirement, str(error)) from None


def _words(text: str) -> Iterator[str]:
    """Yield the words and the single punctuation marks and ideographs, in lower case and without accents."""
    spaced = "".join(_spaced(character) for character in text)
    for word in spaced.split():
        plain = unicodedata.normalize("NFD", word.lower())
        yield from _split(c for c in plain if unicodedata.category(c) != "Mn")


def _spaced(character: str) -> str:
    if character in "\t\n\r":
        return " "
    category, code = unicodedata.category(character), ord(character)
    if code in (0, 0xFFFD) or category in ("Cc", "Cf"):
        return ""
    if category == "Zs":
        return " "
    return f" {character} " if any(low <= code <= high for low, high in _IDEOGRAPHS) else character


def _split(characters: Iterator[str]) -> Iterator[str]:
    word = ""
    for character in characters:
        if _punctuation(character):
            if word:
                yield word
            yield character
            word = ""
        else:
            word += character
    if word:
        yield word


def _punctuation(character: str) -> bool:
    """Whether BERT sets the character apart: Unicode punctuation, and ASCII that is no letter or digit."""
    return unicodedata.category(character).startswith("P") or (
        "!" <= character <= "~" and not character.isalnum()
    )
