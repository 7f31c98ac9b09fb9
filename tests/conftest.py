"""Fixtures shared by all tests: a drawn catalog with realistic shares, independent of any snapshot."""

import os
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import settings

from tau_rec_books.catalog.books import FORMATS, Book, Catalog, Vocabulary
from tau_rec_books.core.digest import draw_choice, draw_fraction, draw_integer
from tau_rec_books.core.identifiers import size_name

# Machines are shared, so no example is judged by the clock; CI tries the same examples every time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

GENRES = (
    ("Science Fiction", 0.24), ("Fantasy", 0.14), ("Historical Fiction", 0.09), ("Crime", 0.09),
    ("Horror", 0.07), ("Non-Fiction", 0.09), ("Mystery", 0.06), ("Thriller", 0.06),
    ("Children's Literature", 0.06), ("Romance", 0.05), ("Young Adult", 0.06), ("Adventure", 0.06),
    ("Biography and Memoir", 0.05), ("Humor", 0.05), ("Dystopian", 0.03), ("War", 0.02),
    ("Coming of Age", 0.02), ("Philosophical Fiction", 0.015), ("Western", 0.01),
)  # fmt: skip
LANGUAGES = (
    ("English", 0.7), ("American English", 0.07), ("British English", 0.07), ("French", 0.05),
    ("German", 0.03), ("Spanish", 0.02), ("Russian", 0.02), ("Japanese", 0.01), ("Italian", 0.01),
    ("Swedish", 0.01), ("Polish", 0.01),
)  # fmt: skip
COUNTRIES = (
    ("United States", 0.42), ("United Kingdom", 0.1), ("England", 0.03), ("France", 0.05),
    ("Germany", 0.03), ("Canada", 0.03), ("Australia", 0.02), ("Spain", 0.02), ("Russia", 0.02),
    ("Japan", 0.01), ("Italy", 0.01), ("Sweden", 0.01), ("Poland", 0.01),
)  # fmt: skip
HOME = {"French": "France", "German": "Germany", "Spanish": "Spain", "Russian": "Russia", "Japanese": "Japan",
        "Italian": "Italy", "Swedish": "Sweden", "Polish": "Poland", "British English": "United Kingdom",
        "American English": "United States"}  # fmt: skip
LANGUAGE_CHILDREN = {"English": ("American English", "British English")}
COUNTRY_CHILDREN = {"United Kingdom": ("England",)}


def _weighted(table: tuple[tuple[str, float], ...], *parts: str | int) -> str:
    point = draw_fraction(*parts) * sum(weight for _, weight in table)
    for label, weight in table:
        point -= weight
        if point < 0:
            return label
    return table[-1][0]


def _book(number: int, seed: str) -> Book:
    key = (seed, number)
    genres = {_weighted(GENRES, *key, "genre", 0)}
    for extra in (1, 2):
        if draw_fraction(*key, "more", extra) < 0.35:
            genres.add(_weighted(GENRES, *key, "genre", extra))
    language = _weighted(LANGUAGES, *key, "language")
    countries: tuple[str, ...] = ()
    if draw_fraction(*key, "has country") < 0.75:
        home = HOME.get(language)
        at_home = home is not None and draw_fraction(*key, "home") < 0.7
        countries = (home if at_home and home else _weighted(COUNTRIES, *key, "country"),)
    age = draw_fraction(*key, "age")
    mask = 1 + draw_integer(*key, "formats", below=15)
    return Book(
        id=f"wd_Q{9_000_000_000 + number * 7}",
        title=f"{draw_choice(('The', 'A', 'Our', 'No'), *key, 't1')} "
        f"{draw_choice(('Silent', 'Last', 'Glass', 'Red', 'Hidden', 'Winter'), *key, 't2')} "
        f"{draw_choice(('River', 'Engine', 'Garden', 'Letter', 'Star', 'House'), *key, 't3')} {number}",
        title_source="en",
        authors=(f"Author {draw_integer(*key, 'author', below=4000)}",),
        author_ids=(f"Q{8_000_000_000 + draw_integer(*key, 'author', below=4000)}",),
        genres=tuple(sorted(genres)),
        languages=(language,),
        countries=countries,
        year=2026 - int(150 * age * age) - (300 if draw_fraction(*key, "old") < 0.01 else 0),
        sitelinks=int(1.2 / (0.006 + draw_fraction(*key, "fame"))),
        formats=tuple(name for bit, name in enumerate(FORMATS) if mask >> bit & 1),
    )


def _vocabulary(books: tuple[Book, ...], sizes: tuple[int, ...]) -> Vocabulary:
    def counts(field: str, children: dict[str, tuple[str, ...]]) -> dict[str, dict[str, int]]:
        parent_of = {child: parent for parent, kids in children.items() for child in kids}
        table: dict[str, dict[str, int]] = {}
        for size in sizes:
            tally: Counter[str] = Counter()
            for book in books[:size]:
                labels = set(getattr(book, field))
                tally.update(labels | {parent_of[label] for label in labels if label in parent_of})
            for label, count in tally.items():
                table.setdefault(label, {})[size_name(size)] = count
        return {label: table[label] for label in sorted(table)}

    return Vocabulary(
        genres=counts("genres", {}),
        languages=counts("languages", LANGUAGE_CHILDREN),
        countries=counts("countries", COUNTRY_CHILDREN),
        language_children=LANGUAGE_CHILDREN,
        country_children=COUNTRY_CHILDREN,
    )


@lru_cache(maxsize=4)
def draw_catalog(size: int, seed: str = "test catalog") -> Catalog:
    """A catalog of ``size`` drawn books, with vocabulary counts at a quarter, a half and the full size."""
    books = tuple(_book(number, seed) for number in range(size))
    return Catalog(books, _vocabulary(books, (size // 4, size // 2, size)))


@pytest.fixture(scope="session")
def catalog_of() -> Callable[[int], Catalog]:
    """Function that draws a catalog of a given size."""
    return draw_catalog


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell how many faults were tried and survived."""
    counts = {
        outcome: sum(
            "faults/test_fetch_faults.py" in report.nodeid and report.when == "call"
            for report in terminalreporter.stats.get(outcome, ())
        )
        for outcome in ("passed", "failed")
    }
    tried = sum(counts.values())
    if tried:
        terminalreporter.write_line(f"faults of an endpoint: {tried} tried, {counts['passed']} survived")
