"""The book record, its Arrow schema, and a catalog read back from its files."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tau_rec_books.core.canonical import read_json
from tau_rec_books.core.errors import Problem

FORMATS = ("audiobook", "ebook", "hardcover", "paperback")

_TEXTS = pa.list_(pa.field("element", pa.string(), nullable=False))

BOOK_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("title_source", pa.string(), nullable=False),
        pa.field("authors", _TEXTS, nullable=False),
        pa.field("author_ids", _TEXTS, nullable=False),
        pa.field("genres", _TEXTS, nullable=False),
        pa.field("languages", _TEXTS, nullable=False),
        pa.field("countries", _TEXTS, nullable=False),
        pa.field("year", pa.int32(), nullable=False),
        pa.field("sitelinks", pa.int32(), nullable=False),
        pa.field("formats", _TEXTS, nullable=False),
    ]
)
"""Columns of ``catalog/{size}.parquet``; list columns are never null."""

_COLUMNS = tuple(BOOK_SCHEMA.names)
_CELLS = attrgetter(*_COLUMNS)


@dataclass(frozen=True, slots=True)
class Book:
    """One catalog record.

    Attributes:
        id: ``wd_Q…``.
        title: English title.
        title_source: ``P1476``, ``en`` or ``mul``: where the title comes from.
        authors: names in display order (P1545, then item number).
        author_ids: item ids of the authors that have an item, in the same order.
        genres, languages, countries: published labels, sorted by code point.
        year: first publication, proleptic astronomical year.
        sitelinks: number of wiki pages about the work, the popularity proxy.
        formats: non-empty subset of ``FORMATS``, sorted; simulated from a hash of the item id.
    """

    id: str
    title: str
    title_source: str
    authors: tuple[str, ...]
    author_ids: tuple[str, ...]
    genres: tuple[str, ...]
    languages: tuple[str, ...]
    countries: tuple[str, ...]
    year: int
    sitelinks: int
    formats: tuple[str, ...]

    def row(self) -> dict[str, Any]:
        """The record as a row of ``BOOK_SCHEMA``."""
        cells = _CELLS(self)
        return {
            name: list(cell) if type(cell) is tuple else cell
            for name, cell in zip(_COLUMNS, cells, strict=True)
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Book":
        """The record of one table row."""
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
        return cls(**values)


@dataclass(frozen=True)
class Vocabulary:
    """Valid labels of each field, and which labels a parent label covers.

    Attributes:
        genres, languages, countries: label → number of books per size name, e.g. ``{"5k": 12, "20k": 61}``.
            Languages and countries list parents that occur only through their children, too; a parent's
            count includes its children's books.
        language_children, country_children: parent label → sorted child labels that occur (one level).
        formats: the format names.
    """

    genres: Mapping[str, Mapping[str, int]]
    languages: Mapping[str, Mapping[str, int]]
    countries: Mapping[str, Mapping[str, int]]
    language_children: Mapping[str, tuple[str, ...]]
    country_children: Mapping[str, tuple[str, ...]]
    formats: tuple[str, ...] = FORMATS

    def covered(self, field: str, label: str) -> tuple[str, ...]:
        """The labels that satisfy a request for ``label``: itself and, for a parent, its children."""
        children: Mapping[str, tuple[str, ...]] = {}
        if field == "language":
            children = self.language_children
        elif field == "country":
            children = self.country_children
        return (label, *children.get(label, ()))

    def document(self) -> dict[str, Any]:
        """The content of ``vocabulary.json``."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Vocabulary":
        """A vocabulary read from ``vocabulary.json``."""
        return cls(
            genres=document["genres"],
            languages=document["languages"],
            countries=document["countries"],
            language_children={k: tuple(v) for k, v in document["language_children"].items()},
            country_children={k: tuple(v) for k, v in document["country_children"].items()},
            formats=tuple(document["formats"]),
        )


@dataclass(frozen=True)
class Catalog:
    """Books in catalog order, with their vocabulary.

    ``books[:n]`` is the catalog of size ``n``: smaller catalogs are prefixes.
    """

    books: tuple[Book, ...]
    vocabulary: Vocabulary

    @cached_property
    def by_id(self) -> Mapping[str, Book]:
        """Book id → book."""
        return {book.id: book for book in self.books}

    def prefix(self, size: int) -> "Catalog":
        """The nested catalog of the first ``size`` books, with the same vocabulary."""
        return Catalog(self.books[:size], self.vocabulary)


def read_books(path: Path) -> tuple[Book, ...]:
    """Read the books of one catalog file, in catalog order.

    Raises:
        Problem: when the file is missing, not Parquet, or has other columns.
    """
    try:
        table = pq.read_table(path)
    except FileNotFoundError as error:
        raise Problem(f"{path} does not exist; build the catalog first or check the path.") from error
    except (pa.ArrowException, OSError) as error:
        raise Problem(f"{path} is not a readable Parquet file ({error}); build the catalog again.") from error
    if table.schema.names != BOOK_SCHEMA.names:
        raise Problem(f"{path} has columns {table.schema.names}, not those of a catalog; check the path.")
    return tuple(Book.from_row(row) for row in table.to_pylist())


def read_catalog(path: Path, vocabulary: Path) -> Catalog:
    """Read a catalog from ``{size}.parquet`` and ``vocabulary.json``."""
    return Catalog(read_books(path), Vocabulary.from_document(read_json(vocabulary)))


def book_rows(books: Iterable[Book]) -> list[dict[str, Any]]:
    """Table rows of the books, in the order given."""
    return [book.row() for book in books]
