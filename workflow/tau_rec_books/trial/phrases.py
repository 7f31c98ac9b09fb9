"""Sets of word phrases with wildcards, found in a list of words in time linear in the text."""

from collections.abc import Iterable, Sequence

from tau_rec_books.trial.text import word_list

_GAP = 3
_SEEN_WORDS = 20_000
_Alternatives = tuple[frozenset[str], tuple[str, ...]]
_Rest = list[_Alternatives | None]


class PhraseSet:
    """Phrases such as ``"kind|kinds of book*"``.

    ``a|b`` is either word, ``*`` any ending, ``_`` one to three words.

    Phrases in scripts without spaces between words are looked up inside words.
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_word: dict[str, list[_Rest]] = {}
        self._by_stem: dict[str, list[_Rest]] = {}
        self._inside: list[str] = []
        for phrase in phrases:
            if any(ord(character) >= 0x3000 for character in phrase):
                self._inside.append(" ".join(word_list(phrase)))
                continue
            parts = [_alternatives(part) for part in phrase.split()]
            first = parts[0]
            assert first is not None, phrase
            for word in sorted(first[0]):
                self._by_word.setdefault(word, []).append(parts[1:])
            for stem in first[1]:
                self._by_stem.setdefault(stem, []).append(parts[1:])
        self._stem_lengths = sorted({len(stem) for stem in self._by_stem})
        self._seen: dict[str, tuple[_Rest, ...]] = {}

    def at(self, words: Sequence[str], start: int) -> int:
        """End of the longest phrase that begins at ``start``, or ``-1``."""
        rests = self._seen.get(words[start])
        if rests is None:
            rests = self._rests(words[start])
        return max([_rest_matches(words, start + 1, rest, 0) for rest in rests]) if rests else -1

    def spans(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """All places ``(start, end)`` where a phrase occurs, the longest for each start."""
        found = []
        seen = self._seen
        for start, word in enumerate(words):
            if seen.get(word, True):
                end = self.at(words, start)
                if end >= 0:
                    found.append((start, end))
        return found

    def within(self, words: Sequence[str]) -> bool:
        """Whether any phrase occurs."""
        seen = self._seen
        return any(seen.get(word, True) and self.at(words, start) >= 0 for start, word in enumerate(words))

    def _rests(self, word: str) -> tuple[_Rest, ...]:
        """What may follow ``word``: the remaining parts of every phrase it can begin."""
        rests = list(self._by_word.get(word, ()))
        for length in self._stem_lengths:
            if length > len(word):
                break
            rests.extend(self._by_stem.get(word[:length], ()))
        if not word.isascii() and any(term in word for term in self._inside):
            rests.append([])
        if len(self._seen) >= _SEEN_WORDS:
            self._seen.clear()
        self._seen[word] = tuple(rests)
        return self._seen[word]


def _alternatives(part: str) -> _Alternatives | None:
    if part == "_":
        return None
    options = [option for option in part.split("|") if option]
    return (
        frozenset("".join(word_list(o)) for o in options if not o.endswith("*")),
        tuple("".join(word_list(o[:-1])) for o in options if o.endswith("*")),
    )


def _rest_matches(
    words: Sequence[str], position: int, rest: Sequence[_Alternatives | None], index: int
) -> int:
    if index == len(rest):
        return position
    part = rest[index]
    if part is None:
        ends = (_rest_matches(words, position + gap, rest, index + 1) for gap in range(1, _GAP + 1))
        return next((end for end in ends if end >= 0), -1)
    if position >= len(words):
        return -1
    word = words[position]
    if word in part[0] or word.startswith(part[1]):
        return _rest_matches(words, position + 1, rest, index + 1)
    return -1
