"""Keyword search: the sum of per-field Okapi BM25 scores, top 20, no paging."""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tau_rec_books.catalog.books import Book, Catalog
from tau_rec_books.trial.search import Records, popularity_key
from tau_rec_books.trial.text import tokens

FIELDS = ("title", "authors", "genres", "languages", "countries")
"""Indexed fields. The year is not one, so year ranges cannot be expressed (paper, section 4.1)."""
K1 = 1.5
B = 0.75
TOP = 20
UNIT = 1_000_000_000
"""Scores are counted in billionths, so that sums are exact and ties do not depend on the order of adding."""
_BLOCK = 64
_DENSE = 16
"""A term of more than a sixteenth of the books is kept as one score per book, which adds up faster."""


def field_tokens(book: Book, field: str) -> list[str]:
    """The tokens of one indexed field of a book."""
    value = getattr(book, field)
    return tokens(value) if isinstance(value, str) else [token for text in value for token in tokens(text)]


class KeywordSearch:
    """An inverted index over one catalog; build once, share among all trials of a process.

    For each field, ``idf = max(0, ln((N - n + 0.5) / (n + 0.5)))`` and a term scores
    ``idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length))``, rounded to a billionth
    (Robertson and Zaragoza 2009, the paper's reference 40). A query term counts as often as it occurs.
    """

    def __init__(self, catalog: Catalog) -> None:
        books = sorted(catalog.books, key=popularity_key)
        self.size = len(books)
        self.records = Records(books)
        self._terms: dict[str, int] = {}
        entries = [self._scored(books, field) for field in FIELDS]
        term, position, score = (np.concatenate(part) for part in zip(*entries, strict=True))
        order = np.lexsort((position, term))
        term, position, score = term[order], position[order], score[order]
        first = np.flatnonzero(np.r_[True, (term[1:] != term[:-1]) | (position[1:] != position[:-1])])
        self._where = position[first]
        self._values = np.add.reduceat(score, first) if len(score) else score
        self._bounds = np.searchsorted(term[first], np.arange(len(self._terms) + 1)).tolist()
        self._dense: dict[int, NDArray[np.int64]] = {}
        for number, (start, end) in enumerate(pairwise(self._bounds)):
            if end - start > self.size // _DENSE:
                dense = self._dense[number] = np.zeros(self.size, dtype=np.int64)
                dense[self._where[start:end]] = self._values[start:end]

    def _scored(
        self, books: Sequence[Book], field: str
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """Term number, position and score above zero of every term and book of one field."""
        numbers = array("i")
        lengths = np.zeros(len(books), dtype=np.int64)
        for place, book in enumerate(books):
            words = field_tokens(book, field)
            lengths[place] = len(words)
            numbers.extend([self._terms.setdefault(word, len(self._terms)) for word in words])
        keys = np.repeat(np.arange(len(books), dtype=np.int64), lengths) << 32
        keys, counts = np.unique(keys | np.array(numbers, dtype=np.int64), return_counts=True)
        position, term = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
        # math.log, not NumPy's, whose last bit depends on the processor.
        known, containing = np.unique(term, return_counts=True)
        idf = np.zeros(len(self._terms))
        idf[known] = [
            max(0.0, math.log((len(books) - count + 0.5) / (count + 0.5))) for count in containing.tolist()
        ]
        average = len(numbers) / len(books) if books else 0.0
        penalty = K1 * (1 - B + B * lengths[position] / average) if len(numbers) else np.zeros(0)
        score = np.rint(UNIT * idf[term] * counts * (K1 + 1) / (counts + penalty)).astype(np.int64)
        kept = np.flatnonzero(score)
        return term[kept], position[kept], score[kept]

    def search(self, query: str) -> dict[str, Any]:
        """The best 20 books with a score above zero; ties by sitelinks, then by the lower item number."""
        return {"results": [self.records[position] for position, _ in self.ranked(query)]}

    def ranked(self, query: str) -> list[tuple[int, int]]:
        """Positions in popularity order and scores in billionths of the best 20 books."""
        terms = [
            (self._terms[term], count)
            for term, count in Counter(tokens(query)).items()
            if term in self._terms
        ]
        if not terms:
            return []
        if len(terms) == 1 and terms[0][0] not in self._dense:
            where, values = self._postings(terms[0][0])
            return _best(where, values * terms[0][1])
        scores = np.zeros(self.size + -self.size % _BLOCK, dtype=np.int64)
        for number, count in terms:
            dense = self._dense.get(number)
            if dense is not None:
                scores[: self.size] += dense if count == 1 else dense * count
            else:
                where, values = self._postings(number)
                scores[where] += values * count
        touched = np.flatnonzero(scores >= _floor(scores))
        return _best(touched, scores[touched])

    def _postings(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        start, end = self._bounds[number], self._bounds[number + 1]
        return self._where[start:end], self._values[start:end]


def _floor(scores: NDArray[np.int64]) -> int:
    """A score that the best 20 reach: the 20th best of the blocks' maxima, and at least 1."""
    maxima = scores.reshape(-1, _BLOCK).max(axis=1)
    if len(maxima) <= TOP:
        return 1
    return max(1, int(np.partition(maxima, len(maxima) - TOP)[len(maxima) - TOP]))


def _best(where: NDArray[np.int32] | NDArray[np.int64], scores: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The best 20 of the scored positions above zero, ties by position; positions come in rising order.

    Thousands of books may tie for the last places (a one-genre query does that), so only those above the 20th
    best score are sorted and the ties are taken as they come.
    """
    floor = 1
    if len(where) > TOP:
        floor = max(1, int(np.partition(scores, len(scores) - TOP)[len(scores) - TOP]))
    above = np.flatnonzero(scores > floor)
    tied = np.flatnonzero(scores == floor)[: TOP - len(above)]
    above = above[np.argsort(-scores[above], kind="stable")]
    best = np.concatenate((above, tied))
    return list(zip(where[best].tolist(), scores[best].tolist(), strict=True))
