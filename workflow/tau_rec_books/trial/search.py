"""Structured search: exact filters over catalog fields, answered from bitsets in rank order."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tau_rec_books.catalog.books import Book, Catalog, Vocabulary
from tau_rec_books.core.identifiers import qid_number
from tau_rec_books.trial.text import folded

PAGE_LENGTH = 20
Sort = Literal["popularity", "recency"]
LabelField = Literal["genre", "language", "country"]
_REMEMBERED = 256


def popularity_key(book: Book) -> tuple[int, int]:
    """Sort key of the popularity order: more sitelinks first, then the lower item number."""
    return (-book.sitelinks, qid_number(book.id[3:]))


def recency_key(book: Book) -> tuple[int, int]:
    """Sort key of the recency order: later year first, then the lower item number."""
    return (-book.year, qid_number(book.id[3:]))


def book_record(book: Book) -> dict[str, Any]:
    """A book as the tools show it; its formats are only told by ``check_formats``."""
    return {
        "id": book.id,
        "title": book.title,
        "authors": list(book.authors),
        "genres": list(book.genres),
        "languages": list(book.languages),
        "countries": list(book.countries),
        "year": book.year,
        "sitelinks": book.sitelinks,
    }


class Records(dict[int, dict[str, Any]]):
    """Position → record of a book as the tools show it, made when it is first shown and kept.

    Of a large catalog a process shows only a small part; making every record beforehand would take most of
    the time and memory of an index.
    """

    def __init__(self, books: Sequence[Book]) -> None:
        super().__init__()
        self._books = books

    def __missing__(self, position: int) -> dict[str, Any]:
        record = self[position] = book_record(self._books[position])
        return record


@dataclass(frozen=True, slots=True)
class Filters:
    """One structured query; fields left at their default do not filter.

    Attributes:
        genres: labels that must all apply.
        language, country: a label; a parent covers its children.
        year_min, year_max: inclusive bounds.
        formats: format names of which at least one must be offered.
        sort: ``popularity`` (sitelinks, most first) or ``recency`` (year, latest first); ties by item number.
    """

    genres: tuple[str, ...] = ()
    language: str | None = None
    country: str | None = None
    year_min: int | None = None
    year_max: int | None = None
    formats: tuple[str, ...] = ()
    sort: Sort = "popularity"


class _Order:
    """The catalog in one sort order: positions as bits, one bitset per filter value."""

    def __init__(self, books: Sequence[Book], vocabulary: Vocabulary) -> None:
        self.size = len(books)
        self.records = Records(books)
        self.everything = (1 << len(books)) - 1
        labels: dict[tuple[str, str], list[int]] = {}
        years: dict[int, list[int]] = {}
        for position, book in enumerate(books):
            for field, values in (
                ("genre", book.genres),
                ("language", book.languages),
                ("country", book.countries),
                ("format", book.formats),
            ):
                for value in values:
                    labels.setdefault((field, value), []).append(position)
            years.setdefault(book.year, []).append(position)
        own = {key: _bitset(positions, len(books)) for key, positions in labels.items()}
        self.sets = dict(own)
        for field, children in (
            ("language", vocabulary.language_children),
            ("country", vocabulary.country_children),
        ):
            for parent in children:
                union = 0
                for label in vocabulary.covered(field, parent):
                    union |= own.get((field, label), 0)
                self.sets[(field, parent)] = union
        self.years = np.array(sorted(years), dtype=np.int64)
        self.since = [0] * (len(self.years) + 1)
        for index in range(len(self.years) - 1, -1, -1):
            year_set = _bitset(years[int(self.years[index])], len(books))
            self.since[index] = self.since[index + 1] | year_set

    def matching(self, filters: Filters) -> int:
        found = self.everything
        for genre in filters.genres:
            found &= self.sets.get(("genre", genre), 0)
        if filters.language is not None:
            found &= self.sets.get(("language", filters.language), 0)
        if filters.country is not None:
            found &= self.sets.get(("country", filters.country), 0)
        if filters.year_min is not None:
            found &= self.since[int(np.searchsorted(self.years, filters.year_min, side="left"))]
        if filters.year_max is not None:
            found &= ~self.since[int(np.searchsorted(self.years, filters.year_max, side="right"))]
        if filters.formats:
            offered = 0
            for name in filters.formats:
                offered |= self.sets.get(("format", name), 0)
            found &= offered
        return found


def _bitset(positions: Sequence[int], length: int) -> int:
    bits = np.zeros(length + -length % 8, dtype=np.uint8)
    bits[positions] = 1
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _positions(bitset: int, length: int) -> NDArray[np.int64]:
    packed = np.frombuffer(bitset.to_bytes((length + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(packed, bitorder="little"))


class StructuredSearch:
    """Conjunctive filters over one catalog; build once, share among all trials of a process.

    The order of results is part of the contract: see :class:`Filters`.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.vocabulary = catalog.vocabulary
        self._catalog = catalog
        self._orders: dict[Sort, _Order] = {}
        self._labels: dict[str, dict[str, str]] = {
            "genre": _by_folded(catalog.vocabulary.genres),
            "language": _by_folded(catalog.vocabulary.languages),
            "country": _by_folded(catalog.vocabulary.countries),
            "format": _by_folded(catalog.vocabulary.formats),
        }
        self._remembered: OrderedDict[Filters, NDArray[np.int64]] = OrderedDict()

    def label(self, field: str, text: str) -> str | None:
        """The published label that ``text`` means, whatever its case; ``None`` when there is none."""
        return self._labels[field].get(folded(text))

    def valid_labels(self, field: str) -> list[str]:
        """All published labels of a field, sorted."""
        return sorted(self._labels[field].values())

    def page(self, filters: Filters, page: int = 1) -> dict[str, Any]:
        """One page of results: ``{"total", "page", "pages", "results"}``.

        A page past the last one has no results and still tells the total.
        """
        order = self._order(filters.sort)
        positions = self._remembered.get(filters)
        if positions is None:
            positions = _positions(order.matching(filters), order.size)
            self._remembered[filters] = positions
            if len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)
        else:
            self._remembered.move_to_end(filters)
        start = (page - 1) * PAGE_LENGTH
        shown = positions[start : start + PAGE_LENGTH] if start < len(positions) else positions[:0]
        return {
            "total": len(positions),
            "page": page,
            "pages": -(-len(positions) // PAGE_LENGTH),
            "results": [order.records[position] for position in shown.tolist()],
        }

    def _order(self, sort: Sort) -> _Order:
        if sort not in self._orders:
            key = popularity_key if sort == "popularity" else recency_key
            self._orders[sort] = _Order(sorted(self._catalog.books, key=key), self.vocabulary)
        return self._orders[sort]


def _by_folded(labels: Mapping[str, Any] | Sequence[str]) -> dict[str, str]:
    return {folded(label): label for label in sorted(labels)}
