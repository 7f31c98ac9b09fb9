"""A catalog as bitsets: which books each predicate matches, at every size."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Field, Predicate

LABEL_FIELDS: tuple[Field, ...] = ("genre", "language", "country")
_COLUMNS: Mapping[str, str] = {"genre": "genres", "language": "languages", "country": "countries"}


class BooksIndex:
    """Sets of books as Python integers: bit i stands for the i-th book in catalog order.

    A smaller catalog is a prefix, so a set at size n is the lowest n bits.

    Attributes:
        sizes: catalog sizes, increasing; masks: all books of each size.
        labels: field → its labels that occur, by code point; parents that occur only through children, too.
        ids: book ids in catalog order.
        formats: format name → books available in it.
        covered: field → label → the labels that a request for it accepts (itself and its children).
    """

    def __init__(self, catalog: Catalog, sizes: Sequence[int]) -> None:
        """Index a catalog.

        Raises:
            Problem: when the catalog has no books or the sizes do not increase.
        """
        if not catalog.books:
            raise Problem("The catalog has no books; build it from a snapshot that has some.")
        if list(sizes) != sorted(set(sizes)) or not sizes or sizes[0] < 1:
            raise Problem(f"Catalog sizes must be positive and increase, but are {list(sizes)}.")
        self.sizes = tuple(sizes)
        total = min(len(catalog.books), sizes[-1])
        books = catalog.books[:total]
        self.masks = tuple((1 << min(size, total)) - 1 for size in sizes)
        self.smallest, self.largest = self.masks[0], self.masks[-1]
        self.ids = tuple(book.id for book in books)
        self._bytes = (total + 7) // 8
        self._years = np.array([book.year for book in books], dtype=np.int64)
        self._from_year: dict[int, int] = {}
        self.formats = self._group((book.formats for book in books), catalog.vocabulary.formats)
        self._labels: dict[Field, dict[str, int]] = {}
        self.covered: dict[Field, dict[str, frozenset[str]]] = {}
        vocabulary = catalog.vocabulary
        listed = (vocabulary.genres, vocabulary.languages, vocabulary.countries)
        for field, known in zip(LABEL_FIELDS, listed, strict=True):
            own = self._group((getattr(book, _COLUMNS[field]) for book in books), ())
            table: dict[str, int] = {}
            self.covered[field] = {}
            for label in sorted({*own, *known}):
                covered = vocabulary.covered(field, label)
                bits = 0
                for child in covered:
                    bits |= own.get(child, 0)
                if bits:
                    table[label] = bits
                    self.covered[field][label] = frozenset(covered)
            self._labels[field] = table
        self.labels: dict[Field, tuple[str, ...]] = {
            field: tuple(self._labels[field]) for field in LABEL_FIELDS
        }

    def _group(self, rows: Iterable[Sequence[str]], names: Iterable[str]) -> dict[str, int]:
        """Label → set of the books that carry it."""
        arrays: dict[str, bytearray] = {name: bytearray(self._bytes) for name in names}
        for position, row in enumerate(rows):
            for label in row:
                array = arrays.get(label)
                if array is None:
                    array = arrays[label] = bytearray(self._bytes)
                array[position >> 3] |= 1 << (position & 7)
        return {label: int.from_bytes(array, "little") for label, array in arrays.items()}

    def label(self, field: Field, label: str) -> int:
        """The books that a request for ``label`` accepts."""
        return self._labels[field].get(label, 0)

    def since(self, year: int) -> int:
        """The books first published in ``year`` or later."""
        bits = self._from_year.get(year)
        if bits is None:
            packed = np.packbits(self._years >= year, bitorder="little")
            bits = self._from_year[year] = int.from_bytes(packed.tobytes(), "little")
        return bits

    def matches(self, predicate: Predicate) -> int:
        """The books that meet one predicate."""
        if predicate.field != "year":
            return self.label(predicate.field, str(predicate.value))
        year = int(predicate.value)
        return self.since(year) if predicate.operator == "min" else self.largest ^ self.since(year + 1)

    def meeting(self, predicates: Iterable[Predicate]) -> int:
        """The books that meet all of the predicates (all books for none)."""
        bits = self.largest
        for predicate in predicates:
            bits &= self.matches(predicate)
        return bits

    def positions(self, bits: int) -> NDArray[np.int64]:
        """The positions in catalog order of a set's books, increasing."""
        packed = np.frombuffer(bits.to_bytes(self._bytes, "little"), dtype=np.uint8)
        return np.flatnonzero(np.unpackbits(packed, bitorder="little"))

    def years(self, bits: int) -> list[int]:
        """The years of a set's books, increasing, one per book."""
        found: list[int] = np.sort(self._years[self.positions(bits)]).tolist()
        return found

    def book_ids(self, bits: int) -> list[str]:
        """The ids of a set's books, in catalog order."""
        return [self.ids[position] for position in self.positions(bits).tolist()]
