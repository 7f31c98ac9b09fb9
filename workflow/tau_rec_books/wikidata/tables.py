"""The tables of Wikidata items: genres, classes, languages, countries, placeholders, corrections, exclusions.

Each table is a CSV file under ``wikidata/data``, made to be edited: one item per row, with the English label
the item is believed to have and a short reason for what is decided about it. The label is never used for
matching, only to notice that an item has come to mean something else.

Two very broad classes, creative work (Q17537576) and publication (Q732577), are in no row on purpose: they
sit beside the real class of many good works, and alone they do not say that the item is a book.
"""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib import resources
from typing import TypeVar

from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import QID, qid_number

DECISIONS = ("keep", "drop")
"""What a class says about an item that has it."""

KINDS = (
    "work",
    "collection",
    "edition",
    "series",
    "article",
    "chapter",
    "play",
    "poem",
    "short story",
    "comics",
    "periodical",
    "document",
    "other",
)
"""Kinds of class, as named in reports of what was dropped."""

PLACEHOLDER_FIELDS = ("author", "country", "language")
"""Fields in which a placeholder item may stand for a missing value."""

CORRECTED_FIELDS = ("country", "language")
"""Fields whose published labels may be corrected."""


@dataclass(frozen=True, slots=True)
class GenreItem:
    """A value of genre (P136); ``genre`` is its published label, empty when it is left out on purpose."""

    qid: str
    label: str
    genre: str
    reason: str


@dataclass(frozen=True, slots=True)
class ClassItem:
    """A value of instance of (P31) or form (P7937): ``decision`` of ``DECISIONS``, ``kind`` of ``KINDS``."""

    qid: str
    label: str
    decision: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlaceItem:
    """A language or a country; ``parent`` is the item that covers it, empty at the top (one level only)."""

    qid: str
    label: str
    parent: str
    reason: str


@dataclass(frozen=True, slots=True)
class Placeholder:
    """An item that stands for "no value" in one of ``PLACEHOLDER_FIELDS``: it counts as missing."""

    qid: str
    label: str
    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class Correction:
    """A published label of ours for one language or country item.

    Two items may be corrected to one label, which merges them.
    """

    qid: str
    field: str
    label: str
    corrected: str
    reason: str


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A faulty work that is left out of the catalog."""

    qid: str
    reason: str


Row = TypeVar("Row", GenreItem, ClassItem, PlaceItem, Placeholder, Correction, Exclusion)

_MAY_BE_EMPTY = ("genre", "parent")


def parse_table(text: str, name: str, row_type: type[Row]) -> tuple[Row, ...]:
    """The rows of one table, in file order, each checked on its own and against the others.

    Args:
        text: the CSV text, whose header is the field names of ``row_type`` in their order.
        name: file name for messages.
        row_type: one of the row classes of this module.

    Raises:
        Problem: for a wrong header, a row that does not fit it, an empty cell, something that is not an item
            id, or an item listed twice.
    """
    columns = [field.name for field in fields(row_type)]
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise Problem(f"{name} is not a CSV table ({error}); mend its quotes.") from error
    if not lines or lines[0] != columns:
        raise Problem(f"{name}: the header must read {','.join(columns)}; mend its first line.")
    rows: list[Row] = []
    seen: dict[str, int] = {}
    for number, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(columns):
            raise Problem(f"{name}, line {number}: {len(cells)} cells where {len(columns)} are due; mend it.")
        values = dict(zip(columns, cells, strict=True))
        for column, cell in values.items():
            if cell != cell.strip() or (not cell and column not in _MAY_BE_EMPTY):
                raise Problem(
                    f"{name}, line {number}: the cell {column!r} is empty or padded with spaces; mend it."
                )
            if column in ("qid", "parent") and cell and not QID.fullmatch(cell):
                raise Problem(f"{name}, line {number}: {cell!r} is not an item id such as Q42; mend it.")
        if values["qid"] in seen:
            raise Problem(
                f"{name}, line {number}: {values['qid']} is already on line {seen[values['qid']]}; keep one."
            )
        seen[values["qid"]] = number
        _check_choice(name, number, values)
        rows.append(row_type(**values))
    return tuple(rows)


def _check_choice(name: str, number: int, values: dict[str, str]) -> None:
    choices = {"decision": DECISIONS, "kind": KINDS, "field": PLACEHOLDER_FIELDS}
    for column, allowed in choices.items():
        if column in values and values[column] not in allowed:
            raise Problem(
                f"{name}, line {number}: {column} {values[column]!r} is not one of {', '.join(allowed)}; "
                "mend it."
            )


def check_places(rows: Iterable[PlaceItem], name: str) -> None:
    """Check that each parent is an item of the table without a parent of its own, so there is no cycle.

    Raises:
        Problem: naming the first item whose parent is missing from the table or is a child itself.
    """
    table = {row.qid: row for row in rows}
    for row in table.values():
        if row.parent and (row.parent not in table or table[row.parent].parent):
            raise Problem(
                f"{name}: the parent {row.parent} of {row.qid} ({row.label}) must be a row without a parent; "
                "mend one of them."
            )


def _load(name: str, row_type: type[Row]) -> tuple[Row, ...]:
    path = resources.files("tau_rec_books.wikidata").joinpath("data", name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{name} cannot be read as UTF-8 text ({error}); restore the file.") from error
    return parse_table(text, name, row_type)


@lru_cache(maxsize=1)
def genre_items() -> tuple[GenreItem, ...]:
    """The genre items, mapped and deliberately unmapped, in file order."""
    return _load("genres.csv", GenreItem)


@lru_cache(maxsize=1)
def class_items() -> tuple[ClassItem, ...]:
    """The class and form items that are kept or dropped, in file order."""
    return _load("classes.csv", ClassItem)


@lru_cache(maxsize=1)
def language_items() -> tuple[PlaceItem, ...]:
    """The language items, each parent followed by its children."""
    rows = _load("languages.csv", PlaceItem)
    check_places(rows, "languages.csv")
    return rows


@lru_cache(maxsize=1)
def country_items() -> tuple[PlaceItem, ...]:
    """The country items, each parent followed by its children."""
    rows = _load("countries.csv", PlaceItem)
    check_places(rows, "countries.csv")
    return rows


@lru_cache(maxsize=1)
def placeholders() -> tuple[Placeholder, ...]:
    """The items that count as a missing value, in file order."""
    return _load("placeholders.csv", Placeholder)


@lru_cache(maxsize=1)
def corrections() -> tuple[Correction, ...]:
    """The label corrections, in file order."""
    return _load("corrections.csv", Correction)


@lru_cache(maxsize=1)
def exclusions() -> tuple[Exclusion, ...]:
    """The works left out as faulty records, in file order."""
    return _load("exclusions.csv", Exclusion)


@lru_cache(maxsize=1)
def published_genres() -> tuple[str, ...]:
    """The published genre labels, sorted by code point."""
    return tuple(sorted({item.genre for item in genre_items() if item.genre}))


def genre_qids(genre: str) -> tuple[str, ...]:
    """The items of one published genre label, by item number.

    Raises:
        Problem: when no item carries the label.
    """
    qids = sorted((item.qid for item in genre_items() if genre and item.genre == genre), key=qid_number)
    if not qids:
        raise Problem(f"There is no genre {genre!r}; the genres are {', '.join(published_genres())}.")
    return tuple(qids)
