"""Structured search: filters, orders, pages."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_rec_books.catalog.books import Book, Catalog, Vocabulary
from tau_rec_books.trial.search import Filters, StructuredSearch

GENRES = ["Science Fiction", "Fantasy", "Crime", "Young Adult", "War"]
LANGUAGES = [None, "English", "British English", "French", "Polish"]
COUNTRIES = [None, "United Kingdom", "England", "France"]


@pytest.fixture(scope="module")
def search(catalog: Catalog) -> StructuredSearch:
    return StructuredSearch(catalog)


def plainly(catalog: Catalog, filters: Filters) -> list[Book]:
    """The same answer by reading every record, one condition after the other."""
    vocabulary: Vocabulary = catalog.vocabulary
    found = []
    for book in catalog.books:
        languages = vocabulary.covered("language", filters.language) if filters.language else ()
        countries = vocabulary.covered("country", filters.country) if filters.country else ()
        if not all(genre in book.genres for genre in filters.genres):
            continue
        if languages and not any(label in book.languages for label in languages):
            continue
        if countries and not any(label in book.countries for label in countries):
            continue
        if filters.year_min is not None and book.year < filters.year_min:
            continue
        if filters.year_max is not None and book.year > filters.year_max:
            continue
        if filters.formats and not any(name in book.formats for name in filters.formats):
            continue
        found.append(book)
    if filters.sort == "popularity":
        return sorted(found, key=lambda book: (-book.sitelinks, int(book.id[4:])))
    return sorted(found, key=lambda book: (-book.year, int(book.id[4:])))


FILTERS = st.builds(
    Filters,
    genres=st.lists(st.sampled_from(GENRES), max_size=2, unique=True).map(tuple),
    language=st.sampled_from(LANGUAGES),
    country=st.sampled_from(COUNTRIES),
    year_min=st.none() | st.integers(1400, 2030),
    year_max=st.none() | st.integers(1400, 2030),
    formats=st.lists(st.sampled_from(["ebook", "audiobook"]), max_size=2, unique=True).map(tuple),
    sort=st.sampled_from(["popularity", "recency"]),
)


@settings(deadline=None)
@given(filters=FILTERS, page=st.integers(1, 90))
def test_a_page_holds_what_reading_every_record_gives(
    catalog: Catalog, search: StructuredSearch, filters: Filters, page: int
) -> None:
    expected = plainly(catalog, filters)
    answer = search.page(filters, page)
    assert answer["total"] == len(expected)
    assert answer["pages"] == (len(expected) + 19) // 20
    assert [book["id"] for book in answer["results"]] == [
        book.id for book in expected[(page - 1) * 20 : page * 20]
    ]


def test_pages_together_hold_every_match_once(catalog: Catalog, search: StructuredSearch) -> None:
    filters = Filters(genres=("Science Fiction",))
    pages = search.page(filters)["pages"]
    seen = [book["id"] for page in range(1, pages + 1) for book in search.page(filters, page)["results"]]
    assert len(seen) == len(set(seen)) == search.page(filters)["total"]
    assert search.page(filters, pages + 1)["results"] == []


def test_a_parent_label_covers_its_children(catalog: Catalog, search: StructuredSearch) -> None:
    parent = search.page(Filters(language="English"))["total"]
    child = search.page(Filters(language="British English"))["total"]
    own = sum("English" in book.languages for book in catalog.books)
    assert child > 0
    assert parent > own


def test_results_never_tell_the_formats(search: StructuredSearch) -> None:
    assert all("formats" not in book for book in search.page(Filters())["results"])


def test_an_empty_catalog_has_no_pages(catalog: Catalog) -> None:
    empty = StructuredSearch(Catalog((), catalog.vocabulary))
    assert empty.page(Filters(year_min=1900)) == {"total": 0, "page": 1, "pages": 0, "results": []}


def test_a_smaller_catalog_finds_only_its_own_books(catalog_of: Callable[[int], Catalog]) -> None:
    small = catalog_of(1500).prefix(100)
    ids = {book.id for book in small.books}
    answer = StructuredSearch(small).page(Filters(), 5)
    assert answer["total"] == 100
    assert {book["id"] for book in answer["results"]} <= ids
