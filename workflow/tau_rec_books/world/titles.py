"""Invented titles: English ones by genre, and ones in other languages and scripts."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from tau_rec_books.world.draws import Draws, Weighted
from tau_rec_books.world.names import Culture, cultures, full_name, surname

_SLOT = re.compile(r"(\b[Aa]n? )?\{(\w+)\}")
_ROMAN = ("I", "II", "III", "IV", "V", "VI")
_NON_FICTION = ("Non-Fiction", "Biography and Memoir")


@dataclass(frozen=True, slots=True)
class GenreWords:
    """Words and patterns that titles of one genre draw from, beside the general ones."""

    nouns: tuple[str, ...]
    roles: tuple[str, ...]
    patterns: Weighted[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The English title lexicon (``data/titles.toml``)."""

    words: dict[str, tuple[str, ...]]
    general: GenreWords
    genres: dict[str, GenreWords]
    subtitles: Weighted[str]
    dry_subtitles: Weighted[str]
    series: Weighted[str]


@dataclass(frozen=True, slots=True)
class Tongue:
    """Titles in another language (``data/foreign.toml``); ``latin`` ones may stand in an English label."""

    code: str
    latin: bool
    phrases: tuple[str, ...]
    patterns: tuple[str, ...]


def _read(name: str) -> dict[str, Any]:
    text = resources.files("tau_rec_books.world").joinpath("data", name).read_text(encoding="utf-8")
    return tomllib.loads(text)


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The English title lexicon."""
    table = _read("titles.toml")
    words = {name: tuple(values) for name, values in table["words"].items()}
    general_patterns = [(text, float(weight)) for text, weight in table["patterns"]["any"]]
    general = GenreWords(words["noun"], words["role"], Weighted.of(general_patterns))
    total = sum(weight for _, weight in general_patterns)
    genres = {}
    for genre, own in table["genre"].items():
        patterns = [(text, float(weight)) for text, weight in own["patterns"]]
        if not own.get("only", False):
            # The genre's own patterns make up a good quarter of its titles.
            share = 0.4 * total / sum(weight for _, weight in patterns)
            patterns = [(text, weight * share) for text, weight in patterns] + general_patterns
        genres[genre] = GenreWords(
            tuple(own.get("noun", ())), tuple(own.get("role", ())), Weighted.of(patterns)
        )
    return Lexicon(
        words=words,
        general=general,
        genres=genres,
        subtitles=Weighted.of([(text, float(weight)) for text, weight in table["subtitles"]["any"]]),
        dry_subtitles=Weighted.of(
            [(text, float(weight)) for text, weight in table["subtitles"]["nonfiction"]]
        ),
        series=Weighted.of([(text, float(weight)) for text, weight in table["series"]["patterns"]]),
    )


@lru_cache(maxsize=1)
def tongues() -> dict[str, Tongue]:
    """The other languages by item id, in file order."""
    return {
        qid: Tongue(own["code"], own["script"] == "latin", tuple(own["phrases"]), tuple(own["patterns"]))
        for qid, own in _read("foreign.toml").items()
    }


def title(genre: str, culture: Culture, draws: Draws) -> str:
    """An invented English title for a work of this published genre by someone of this culture."""
    book = lexicon()
    text = _fill(draws.weighted(book.genres.get(genre, book.general).patterns), genre, culture, draws)
    point = draws.fraction()
    if point < 0.10:
        subtitles = book.dry_subtitles if genre in _NON_FICTION else book.subtitles
        text = f"{text}: {_fill(draws.weighted(subtitles), genre, culture, draws)}"
    elif point < 0.11:
        text = f"{text}; or, {_fill('The {adj} {role}', genre, culture, draws)}"
    elif point < 0.125:
        text = _fill(draws.weighted(book.series).replace("{title}", text), genre, culture, draws)
    return text


def subtitle(genre: str, culture: Culture, draws: Draws) -> str:
    """An invented subtitle."""
    book = lexicon()
    return _fill(
        draws.weighted(book.dry_subtitles if genre in _NON_FICTION else book.subtitles), genre, culture, draws
    )


def foreign_title(tongue: Tongue, culture: Culture, draws: Draws) -> str:
    """An invented title in another language, in sentence case as most languages have it."""
    pattern = draws.choice(tongue.patterns)
    first = draws.choice(tongue.phrases)
    second = draws.choice(tongue.phrases)
    text = pattern.format(a=first, b=second, place=place(draws), given=draws.choice(culture.given))
    return text[:1].upper() + text[1:]


def place(draws: Draws) -> str:
    """An invented place."""
    words = lexicon().words
    return draws.choice(words["place_head"]) + draws.choice(words["place_tail"])


def plural(noun: str) -> str:
    """The plural of a noun of the lexicon; the lexicon holds only nouns of these regular kinds."""
    if noun.endswith(("s", "x", "ch", "sh", "z")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def _fill(pattern: str, genre: str, culture: Culture, draws: Draws) -> str:
    """A pattern with its slots filled and its articles fitting."""

    def put(match: re.Match[str]) -> str:
        word = _SLOTS[match[2]](genre, culture, draws)
        article = match[1] or ""
        if article:
            vowel = word[:1] in "AEIOUaeiou" and not word.startswith(("Uni", "Eu", "One"))
            article = f"{article[0]}{'n' if vowel else ''} "
        return article + word

    text = _SLOT.sub(put, pattern)
    return text[:1].upper() + text[1:]


def _noun(genre: str, culture: Culture, draws: Draws) -> str:
    own = lexicon().genres.get(genre, lexicon().general).nouns
    if own and draws.chance(0.45):
        return draws.choice(own)
    return draws.choice(lexicon().general.nouns)


def _role(genre: str, culture: Culture, draws: Draws) -> str:
    own = lexicon().genres.get(genre, lexicon().general).roles
    if own and draws.chance(0.45):
        return draws.choice(own)
    return draws.choice(lexicon().general.roles)


def _word(name: str) -> Callable[[str, Culture, Draws], str]:
    return lambda genre, culture, draws: draws.choice(lexicon().words[name])


def _person(genre: str, culture: Culture, draws: Draws) -> str:
    return full_name(culture, draws)


def _heroes(draws: Draws) -> Culture:
    return cultures()["english" if draws.chance(0.6) else "american"]


_SLOTS: dict[str, Callable[[str, Culture, Draws], str]] = {
    "adj": _word("adj"),
    "abstract": _word("abstract"),
    "time": _word("time"),
    "gerund": _word("gerund"),
    "past": _word("past"),
    "went": _word("went"),
    "count": _word("count"),
    "ordinal": _word("ordinal"),
    "subject": _word("subject"),
    "animal": _word("animal"),
    "noun": _noun,
    "nouns": lambda genre, culture, draws: plural(_noun(genre, culture, draws)),
    "role": _role,
    "place": lambda genre, culture, draws: place(draws),
    "given": lambda genre, culture, draws: draws.choice(
        (culture if draws.chance(0.5) else _heroes(draws)).given
    ),
    "surname": lambda genre, culture, draws: surname(culture if draws.chance(0.5) else _heroes(draws), draws),
    "person": _person,
    "digits": lambda genre, culture, draws: str(draws.between(11, 2999)),
    "year": lambda genre, culture, draws: str(draws.between(1500, 1960)),
    "later": lambda genre, culture, draws: str(draws.between(1961, 1999)),
    "small": lambda genre, culture, draws: str(draws.between(1, 9)),
    "roman": lambda genre, culture, draws: draws.choice(_ROMAN),
}
