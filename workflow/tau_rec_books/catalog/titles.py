"""Clean titles for showing, and title keys for finding duplicates."""

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


def clean_text(text: str) -> str:
    """The text as it is shown: NFC, no control or invisible format characters, single spaces.

    Joiners between letters of scripts that need them (ZWNJ, ZWJ) stay.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kept = []
    for character in unicodedata.normalize("NFC", text):
        category = unicodedata.category(character)
        if category in ("Cc", "Zs", "Zl", "Zp"):
            kept.append(" ")
        elif category not in ("Cf", "Cs", "Co", "Cn") or character in "\u200c\u200d":
            kept.append(character)
    return " ".join("".join(kept).split())


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
    pieces = []
    for character in folded.replace("&", " and "):
        if character.isalnum():
            pieces.append(character)
            continue
        category = unicodedata.category(character)
        if category == "Cf" or character in "'’":
            continue
        pieces.append(" " if category[0] in "PZC" or category == "Sk" else character)
    key = " ".join("".join(pieces).split())
    return key or clean_text(unicodedata.normalize("NFKC", title).casefold()) or title


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
