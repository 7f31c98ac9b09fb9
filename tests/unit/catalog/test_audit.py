"""The catalog's audit sample: 60 records over genres and fame, drawn by hash, with cells left to fill."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from tau_rec_books.catalog.audit import (
    AUDIT_COLUMNS,
    AUDIT_JUDGEMENTS,
    POPULAR_PART,
    audit_rows,
    audit_rubric,
    audit_sample,
)
from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.agreement import ANSWERS


def test_sixty_records_take_three_hundred_judgements(catalog_of: Callable[[int], Catalog]) -> None:
    rows = audit_rows(catalog_of(2000).books)
    assert len({row["id"] for row in rows}) == len(rows) == 60
    assert len(rows) * len(AUDIT_JUDGEMENTS) == 300
    assert all(set(row) == set(AUDIT_COLUMNS) for row in rows)
    assert {row[column] for row in rows for column in (*AUDIT_JUDGEMENTS, "notes")} == {""}


def test_thirty_records_go_round_the_genres_that_they_have(catalog_of: Callable[[int], Catalog]) -> None:
    books = catalog_of(2000).books
    first = [(part, book) for part, book in audit_sample(books) if part != POPULAR_PART]
    counts = Counter(part for part, _ in first)
    assert set(counts) == {genre for book in books for genre in book.genres}
    assert len(counts) == 19
    assert len(first) == 30
    assert set(counts.values()) == {1, 2}
    assert all(part in book.genres for part, book in first)


def test_thirty_records_are_among_the_five_hundred_most_popular(catalog_of: Callable[[int], Catalog]) -> None:
    books = catalog_of(2000).books
    popular = [book for part, book in audit_sample(books) if part == POPULAR_PART]
    assert len(popular) == 30
    for book in popular:
        assert sum(other.sitelinks > book.sitelinks for other in books) < 500


def test_the_sample_does_not_depend_on_the_order_of_the_books(catalog_of: Callable[[int], Catalog]) -> None:
    books = catalog_of(2000).books
    assert audit_rows(books) == audit_rows(books[::-1])


def test_a_catalog_without_one_genre_gives_the_others_more(catalog_of: Callable[[int], Catalog]) -> None:
    books = [book for book in catalog_of(2000).books if "Western" not in book.genres]
    counts = Counter(part for part, _ in audit_sample(books))
    assert "Western" not in counts
    assert sum(counts.values()) == 60


@pytest.mark.parametrize("size", [1, 20, 45])
def test_a_small_catalog_gives_each_of_its_records_once(
    catalog_of: Callable[[int], Catalog], size: int
) -> None:
    books = catalog_of(2000).books[:size]
    sample = [book for _, book in audit_sample(books)]
    assert {book.id for book in sample} == {book.id for book in books}
    assert len(sample) == size


def test_a_row_shows_the_whole_record_and_where_to_look_it_up(catalog_of: Callable[[int], Catalog]) -> None:
    book = replace(catalog_of(2000).books[0], authors=("Ann Roe", "Bo Lee"), countries=())
    (row,) = audit_rows([book])
    assert row["page"] == f"https://www.wikidata.org/wiki/{book.id.removeprefix('wd_')}"
    assert (row["title"], row["authors"], row["countries"]) == (book.title, "Ann Roe; Bo Lee", "")
    assert (row["year"], row["sitelinks"]) == (book.year, book.sitelinks)


def test_the_rubric_says_for_each_judgement_when_to_write_what() -> None:
    sections = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", audit_rubric(), re.M | re.S))
    assert tuple(sections) == AUDIT_JUDGEMENTS
    for text in sections.values():
        assert all(f"- `{word}`:" in text for word in ("yes", "no", "unsure"))
    assert all(f"| `{word}` |" in audit_rubric() for word in ANSWERS)
