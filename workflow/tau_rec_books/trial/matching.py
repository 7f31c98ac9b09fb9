"""Which fields a message of the agent asks about: keyword rules over clauses (paper, section 4.1)."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from tau_rec_books.trial.phrases import PhraseSet
from tau_rec_books.trial.text import plain, word_list

ASK_FIELDS = ("genre", "language", "country", "year", "formats")
"""Everything a reader can be asked about, in the order of the answers."""

TAG_WORD = "candidatetag"
_TAG = re.compile(r"\[\[\s*candidate_id\s*:\s*([^\[\]\s]{0,200})\s*\]\]", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"\n]{1,200})"')
_ITEM_START = re.compile(r"^\s*(?:[-*+•·▪◦‣]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+")
_SENTENCE = re.compile(r"[^.!?;。]+[.!?;。]*")
_CLAUSE_END = re.compile(r"[,:()、，]| - |/(?=\s)")
_ABBREVIATIONS = (
    ("e.g.", "e g "),
    ("i.e.", "i e "),
    ("etc.", "etc "),
    ("vs.", "vs "),
    ("u.s.a.", "usa "),
    ("u.s.", "usa "),
    ("u.k.", "uk "),
    ("a.k.a.", "aka "),
)


def tagged_ids(text: str) -> list[str]:
    """The ids in the proposal tags of a message, in order, each once."""
    return list(dict.fromkeys(match.group(1) for match in _TAG.finditer(text)))


@dataclass(frozen=True, slots=True)
class Clause:
    """One piece of a message and what the rules made of it.

    Attributes:
        text: the words compared.
        asks: whether the piece asks or requests.
        fields: fields it asks about.
        generic: ``""``, ``"soft"`` (counts when the message names no field) or ``"strong"``.
    """

    text: str
    asks: bool
    fields: tuple[str, ...]
    generic: str


@dataclass(frozen=True, slots=True)
class Matched:
    """What a message asks about.

    Attributes:
        fields: the fields asked about, in fixed order; all five for a generic request.
        generic: whether a generic request was recognised.
        clauses: how each piece was read.
    """

    fields: tuple[str, ...]
    generic: bool
    clauses: tuple[Clause, ...]


class Matcher:
    """The keyword rules of one user profile; the lexicon is data beside the profile's templates."""

    def __init__(self, lexicon: dict[str, Any]) -> None:
        fields = lexicon["fields"]
        self._names = {f: PhraseSet([*fields[f]["names"], *fields[f]["foreign"]]) for f in ASK_FIELDS}
        self._short = {f: PhraseSet(fields[f]["foreign_short"]) for f in ASK_FIELDS}
        self._values = {f: PhraseSet(fields[f]["values"]) for f in ASK_FIELDS}
        self._not_fields = PhraseSet(lexicon["not_fields"])
        generic = lexicon["generic"]
        self._strong = PhraseSet(generic["strong"])
        self._soft = PhraseSet(generic["soft"])
        self._not_generic = PhraseSet(generic["not"])
        self._narrowing = PhraseSet(generic["narrowing"])
        asking = lexicon["asking"]
        self._question_starts = PhraseSet(asking["question_starts"])
        self._unmarked_starts = PhraseSet(asking["unmarked_starts"])
        self._requests = PhraseSet(asking["requests"])
        self._headers = PhraseSet(asking["headers"])
        self._stating = PhraseSet(lexicon["stating"])
        self._about_book = PhraseSet(lexicon["about_book"])
        self._proposing = PhraseSet(lexicon["framing"]["proposing"])
        self._framing_values = PhraseSet(lexicon["framing"]["values"])
        self._framing_all = PhraseSet(lexicon["framing"]["all"])
        self._wishes = PhraseSet(lexicon["wish_words"])
        self._book_nouns = frozenset(lexicon["book_nouns"])
        self._possessives = frozenset(f"{noun}'s" for noun in lexicon["book_nouns"])
        self._pointing = frozenset(lexicon["pointing_words"])
        self._hints = frozenset(lexicon["hint_words"])
        self._english = frozenset(lexicon["english_words"])

    def match(self, text: str, titles: Sequence[str] = ()) -> Matched:
        """Read one message.

        Args:
            text: the message.
            titles: titles of the books it proposes, whose words are not questions.
        """
        clauses: list[Clause] = []
        inherited = False
        for line in self._lines(text, titles):
            item = _ITEM_START.match(line)
            if item is None and line.strip():
                inherited = False
            body = line[item.end() :] if item else line
            read = self._read_line(body, inherited and item is not None)
            clauses.extend(read)
            if item is None and line.strip():
                inherited = self._heads_list(body, read)
        fields = {field for clause in clauses if clause.asks for field in clause.fields}
        strength = {clause.generic for clause in clauses if clause.asks}
        generic = "strong" in strength or ("soft" in strength and not fields)
        asked = ASK_FIELDS if generic else tuple(field for field in ASK_FIELDS if field in fields)
        return Matched(asked, generic, tuple(clauses))

    def _lines(self, text: str, titles: Sequence[str]) -> list[str]:
        shown = _TAG.sub(f" {TAG_WORD} ", text)
        flat = plain(shown)
        for short, long in _ABBREVIATIONS:
            flat = flat.replace(short, long)
        for title in titles:
            needle = plain(title)
            if len(needle) > 2:
                flat = flat.replace(needle, " ")
        flat = flat.replace("**", "").replace("__", "").replace("`", "")
        return _QUOTED.sub(self._unquoted, flat).splitlines()

    def _unquoted(self, match: re.Match[str]) -> str:
        """Quoted words are a title or a quotation, unless they are just a field's name."""
        words = word_list(match.group(1))
        names_field = any(self._names[field].at(words, 0) == len(words) for field in ASK_FIELDS if words)
        return f" {match.group(1)} " if names_field else " "

    def _heads_list(self, body: str, read: Sequence[Clause]) -> bool:
        if not body.rstrip().endswith((":", "?")):
            return False
        words = word_list(body)
        addressed = any(word in ("you", "your", "me", "need", "questions") for word in words)
        return (bool(read) and read[-1].asks) or (addressed and self._headers.within(words))

    def _read_line(self, body: str, inherited: bool) -> list[Clause]:
        body = body.lstrip("#> ")
        if inherited and "?" not in body:
            _label, colon, rest = body.partition(":")
            rest_words = word_list(rest)
            if colon and rest_words and not self._hints.intersection(rest_words):
                return [Clause(" ".join(word_list(body)), False, (), "")]
            return self._read_sentence(body, True)
        sentences = _SENTENCE.findall(body)
        clauses = []
        for index, sentence in enumerate(sentences):
            following = sentences[index + 1] if index + 1 < len(sentences) else ""
            proposing = TAG_WORD in sentence or following.strip(" .*_()").startswith(TAG_WORD)
            clauses.extend(self._read_sentence(sentence, "?" in sentence, proposing))
        return clauses

    def _read_sentence(self, sentence: str, asks: bool, proposing: bool = False) -> list[Clause]:
        """Read the clauses of one sentence from left to right.

        A clause keeps the mood of the one before until it begins like a question, a request or a statement.
        While a book is proposed ("how about …"), labels describe it and only names of fields are questions.
        """
        marked = asks
        english = bool(self._english.intersection(word_list(sentence)))
        clauses = []
        dropped = False
        for piece in _CLAUSE_END.split(sentence):
            words = word_list(piece)
            if not words:
                continue
            start = (
                1 if words[0] in ("and", "or", "but", "so", "also", "then", "well") and len(words) > 1 else 0
            )
            if self._about_book.at(words, start) >= 0:
                asks, dropped = False, True
            elif self._stating.at(words, start) >= 0:
                asks = self._requests.within(words)
                dropped = False
            elif (self._question_starts if marked else self._unmarked_starts).at(words, start) >= 0 or (
                self._question_starts if marked else self._unmarked_starts
            ).at(words, 0) >= 0:
                asks, dropped = True, False
            elif not asks and not dropped and self._requests.within(words):
                asks = True
            if asks and self._about_book.within(words):
                clauses.append(Clause(" ".join(words), False, (), ""))
                continue
            if not asks:
                clauses.append(Clause(" ".join(words), False, (), ""))
                continue
            proposing = proposing or self._proposing.at(words, start) >= 0
            fields = self._fields(words, start, english, proposing)
            generic = self._generic(words, bool(fields))
            if proposing and generic == "soft":
                generic = ""
            clauses.append(Clause(" ".join(words), True, fields, generic))
        return clauses

    def _fields(self, words: Sequence[str], start: int, english: bool, proposing: bool) -> tuple[str, ...]:
        if self._framing_all.at(words, start) >= 0:
            return ()
        blocked = _places(self._not_fields.spans(words))
        named = []
        of_a_book = False
        for field in ASK_FIELDS:
            spans = self._names[field].spans(words)
            if not english:
                spans += self._short[field].spans(words)
            asked = [
                self._is_asked(words, span)
                for span in _outermost(spans)
                if not blocked.issuperset(range(*span))
            ]
            if any(asked):
                named.append(field)
            of_a_book = of_a_book or not all(asked)
        if named or of_a_book or proposing or self._framing_values.at(words, start) >= 0:
            return tuple(named)
        return tuple(
            field
            for field in ASK_FIELDS
            if any(
                not blocked.issuperset(range(*span)) and not self._describes_book(words, span)
                for span in self._values[field].spans(words)
            )
        )

    def _is_asked(self, words: Sequence[str], span: tuple[int, int]) -> bool:
        """Whether a field's name is about the wish and not about one book: "the genre of this book"."""
        start, end = span
        after = words[end : end + 2]
        if len(after) == 2 and after[0] in ("of", "for") and after[1] in self._pointing:
            return False
        before = words[max(0, start - 2) : start]
        if len(before) == 2 and before[0] in self._pointing and before[1] in self._possessives:
            return False
        if before and before[-1] == "its":
            return self._wishes.within(words)
        return True

    def _describes_book(self, words: Sequence[str], span: tuple[int, int]) -> bool:
        """Whether a value only describes a book at hand: "this fantasy novel", "the French book"."""
        start, end = span
        before = words[max(0, start - 3) : start]
        if self._pointing.intersection(before):
            return True
        return "the" in before[-2:] and bool(self._book_nouns.intersection(words[end : end + 2]))

    def _generic(self, words: Sequence[str], has_fields: bool) -> str:
        if self._not_generic.within(words):
            return ""
        for _, end in self._strong.spans(words):
            if has_fields and end < len(words) and self._narrowing.at(words, end) >= 0:
                continue
            return "strong"
        return "soft" if self._soft.within(words) else ""


def _outermost(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that lie in no other: "country of origin" is one name, not also "country" and "origin"."""
    kept: list[tuple[int, int]] = []
    reached = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reached:
            kept.append((start, end))
            reached = end
    return kept


def _places(spans: Sequence[tuple[int, int]]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


def profile_file(profile: str, name: str) -> str:
    """The text of one data file of a user profile."""
    return (files("tau_rec_books.trial") / "data" / profile / name).read_text(encoding="utf-8")


@lru_cache(maxsize=4)
def matcher(profile: str) -> Matcher:
    """The matcher of a user profile, such as ``rule-v1``."""
    return Matcher(json.loads(profile_file(profile, "lexicon.json")))
