"""Text as a trial compares it: folded labels, search tokens, and lone surrogates made harmless."""

import re
import unicodedata
from functools import lru_cache
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_PLAIN_SIGNS = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "—": " - ", "–": " - "}
)


@lru_cache(maxsize=65_536)
def folded(label: str) -> str:
    """A label for case-insensitive comparison: NFKC, case-folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


def tokens(text: str) -> list[str]:
    """Search tokens, the same for books and queries.

    Case-folded, accents and other combining marks removed, split wherever a character is neither a letter
    nor a digit: ``"Café-Society"`` → ``["cafe", "society"]``.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    if not decomposed.isascii():
        decomposed = "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()
    return _WORD.findall(decomposed)


def without_surrogates(text: str) -> tuple[str, int]:
    """The text with each lone surrogate replaced by U+FFFD, and how many there were.

    A Python string can hold them (a JSON escape can make one), but no UTF-8 file can.
    """
    return _SURROGATE.subn("\ufffd", text)


def values_without_surrogates(value: Any) -> Any:
    """A JSON value with the lone surrogates of all its texts replaced."""
    if isinstance(value, str):
        return without_surrogates(value)[0]
    if isinstance(value, list):
        return [values_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key)[0]: values_without_surrogates(item) for key, item in value.items()}
    return value


def plain(text: str) -> str:
    """Text for matching words: case-folded, accents removed, typographic quotes and dashes made plain."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_PLAIN_SIGNS))
    if decomposed.isascii():
        return decomposed
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def word_list(text: str) -> list[str]:
    """The words of a text for phrase matching; an apostrophe inside a word belongs to it."""
    return _APOSTROPHE_WORD.findall(plain(text))
