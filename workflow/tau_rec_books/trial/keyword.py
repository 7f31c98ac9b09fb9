"""Keyword search: the sum of per-field Okapi BM25 scores, top 20, no paging."""

import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tau_rec_books.catalog.books import Book, Catalog
from tau_rec_books.trial.search import book_record, popularity_key
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
        self.records: list[dict[str, Any]] = [book_record(book) for book in books]
        gathered: dict[str, dict[int, int]] = {}
        for field in FIELDS:
            documents = [Counter(field_tokens(book, field)) for book in books]
            lengths = [document.total() for document in documents]
            average = sum(lengths) / len(books) if books else 0.0
            containing: Counter[str] = Counter()
            for document in documents:
                containing.update(document.keys())
            idf = {
                term: max(0.0, math.log((len(books) - count + 0.5) / (count + 0.5)))
                for term, count in containing.items()
            }
            for position, document in enumerate(documents):
                if not document:
                    continue
                penalty = K1 * (1 - B + B * lengths[position] / average)
                for term, count in document.items():
                    score = round(UNIT * idf[term] * count * (K1 + 1) / (count + penalty))
                    if score:
                        row = gathered.setdefault(term, {})
                        row[position] = row.get(position, 0) + score
        everywhere = np.arange(len(books), dtype=np.int64)
        self._postings: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        for term, row in gathered.items():
            if len(row) > len(books) // _DENSE:
                dense = np.zeros(len(books), dtype=np.int64)
                dense[list(row)] = list(row.values())
                self._postings[term] = (everywhere, dense)
            else:
                where = sorted(row)
                values = np.array([row[position] for position in where], dtype=np.int64)
                self._postings[term] = (np.array(where, dtype=np.int64), values)

    def search(self, query: str) -> dict[str, Any]:
        """The best 20 books with a score above zero; ties by sitelinks, then by the lower item number."""
        return {"results": [self.records[position] for position, _ in self.ranked(query)]}

    def ranked(self, query: str) -> list[tuple[int, int]]:
        """Positions in popularity order and scores in billionths of the best 20 books."""
        terms = [
            (*self._postings[term], count)
            for term, count in Counter(tokens(query)).items()
            if term in self._postings
        ]
        if not terms:
            return []
        if len(terms) == 1 and len(terms[0][0]) < len(self.records):
            where, values, count = terms[0]
            return _best(where, values * count if count > 1 else values)
        scores = np.zeros(len(self.records) + -len(self.records) % _BLOCK, dtype=np.int64)
        for where, values, count in terms:
            weighted = values * count if count > 1 else values
            if len(where) == len(self.records):
                scores[: len(self.records)] += weighted
            else:
                scores[where] += weighted
        touched = np.flatnonzero(scores >= _floor(scores))
        return _best(touched, scores[touched])


def _floor(scores: NDArray[np.int64]) -> int:
    """A score that the best 20 reach: the 20th best of the blocks' maxima, and at least 1."""
    maxima = scores.reshape(-1, _BLOCK).max(axis=1)
    if len(maxima) <= TOP:
        return 1
    return max(1, int(np.partition(maxima, len(maxima) - TOP)[len(maxima) - TOP]))


def _best(where: NDArray[np.int64], scores: NDArray[np.int64]) -> list[tuple[int, int]]:
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
