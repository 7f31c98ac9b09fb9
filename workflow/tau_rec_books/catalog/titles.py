"""Clean titles for showing, and title keys for finding duplicates."""

import re
import unicodedata
from functools import lru_cache

# Letters that have no decomposition into a base letter and a mark; casefolding handles ß, NFKC ﬁ and ĳ.
_UNDECOMPOSED = str.maketrans(
    {
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ħ": "h",
        "ŧ": "t",
        "ı": "i",
        "ŋ": "n",
    }
)
_ALPHABETS_WITH_ACCENTS = ("LATIN", "GREEK", "CYRILLIC")
# Scripts and emoji need joiners between two of their characters; elsewhere they only hide.
_IDLE_JOINERS = re.compile(r"(?<![^\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f])")
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Hangul fillers and the empty Braille pattern: letters and symbols by category, but nothing to see."""
_KINDS = "novel|novella|book|memoir|autobiography|anthology|short story collection|essay collection"
_DISAMBIGUATOR = re.compile(rf"(?<=\S) \((?:[^()]{{1,40}} )?(?:{_KINDS})\)\Z")


@lru_cache(maxsize=16_384)
def clean_text(text: str) -> str:
    """The text as it is shown: NFC, no control or invisible format characters, single spaces.

    Joiners (ZWNJ, ZWJ) stay between characters of scripts that need them. A text of which nothing can be seen
    is empty.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kept = []
    for character in text:
        category = unicodedata.category(character)
        if category in ("Cc", "Zs", "Zl", "Zp"):
            kept.append(" ")
        elif category not in ("Cf", "Cs", "Co", "Cn") or character in "\u200c\u200d":
            kept.append(character)
    # What was taken out may have stood between a letter and its accent, so composition comes last.
    shown = _IDLE_JOINERS.sub("", " ".join("".join(kept).split()))
    shown = unicodedata.normalize("NFC", " ".join(shown.split()))
    return shown if any(_can_be_seen(character) for character in shown) else ""


def _can_be_seen(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in _BLANKS


def plain_label(label: str) -> str:
    """A label without the words in parentheses that tell it from others: "Inferno (1994 novel)" → "Inferno".

    Only for labels: what a title (P1476) has in parentheses is part of it.
    """
    return _DISAMBIGUATOR.sub("", label)


def title_key(title: str) -> str:
    """The key under which two titles count as the same; never empty for a title that is not empty.

    Casefold, compatibility forms, no format characters, accents off (in alphabets where they are accents:
    the vowel signs of Indic scripts are marks, too, but carry meaning), punctuation to spaces, "&" as "and".
    Symbols such as "+" and "$" stay, so that "C" and "C++" differ. Subtitles are never stripped: "Dune" and
    "Dune: Messiah" stay apart. A title of nothing but punctuation is its own key.
    """
    if title.isascii():
        folded = title.casefold()
    else:
        folded = _without_accents(unicodedata.normalize("NFKC", title).casefold()).translate(_UNDECOMPOSED)
    key = " ".join(folded.translate(_KEY_PIECES).split())
    return key or clean_text(unicodedata.normalize("NFKC", title).casefold()) or title


class _KeyPieces(dict[int, str]):
    """Code point → what a title key has for it; a table for ``str.translate`` that fills itself."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character == "&":
            piece = " and "
        elif character.isalnum():
            piece = character
        elif category == "Cf" or character in "'’":
            piece = ""
        else:
            piece = " " if category[0] in "PZC" or category == "Sk" else character
        self[code] = piece
        return piece


_KEY_PIECES = _KeyPieces()


def _without_accents(text: str) -> str:
    kept = []
    accented = False
    for character in unicodedata.normalize("NFKD", text):
        if unicodedata.combining(character) and unicodedata.category(character) == "Mn":
            if not accented:
                kept.append(character)
            continue
        accented = character.isalpha() and _takes_accents(character)
        kept.append(character)
    return unicodedata.normalize("NFKC", "".join(kept))


@lru_cache(maxsize=4096)
def _takes_accents(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_ALPHABETS_WITH_ACCENTS)
