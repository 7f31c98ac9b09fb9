"""What a reader may hide: nothing that a revealed fact gives away."""

from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.catalog.books import Book, Catalog, Vocabulary
from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.disclosure import (
    Disclosure,
    giveaway_table,
    hidden_choices,
    reveal_tags,
    stated_predicate,
)
from tau_rec_books.tasks.families import Predicate
from tau_rec_books.tasks.settings import TaskSettings

SettingsWith = Callable[..., dict[str, Any]]


def book(number: int, genres: str, language: str, country: str, year: int = 2000) -> Book:
    return Book(
        f"wd_Q{number}", f"Book {number}", "en", ("A",), ("Q1",), tuple(genres.split("+")), (language,),
        (country,) if country else (), year, 1, ("ebook",),
    )  # fmt: skip


def catalog(books: list[Book], countries: Mapping[str, tuple[str, ...]]) -> Catalog:
    def counts(field: str) -> dict[str, dict[str, int]]:
        return {label: {} for label in sorted({label for b in books for label in getattr(b, field)})}

    parents = {parent: {} for parent in countries}
    vocabulary = Vocabulary(
        counts("genres"), counts("languages") | {"English": {}}, counts("countries") | parents,
        {"English": ("British English",)}, countries,
    )  # fmt: skip
    return Catalog(tuple(books), vocabulary)


LANGUAGE, COUNTRY = (
    Predicate("p2", "language", "is", "British English"),
    Predicate("p3", "country", "is", "United Kingdom"),
)


@pytest.fixture
def disclosure(settings_with: SettingsWith) -> Disclosure:
    """Half of the British English books come from elsewhere, so only what labels mean gives them away."""
    homes = ("England", "United Kingdom", "France", "Scotland", "Japan", "Japan", "", "")
    books = [book(n, "War" if n % 3 else "War+Crime", "British English", homes[n % 8]) for n in range(1, 81)]
    books += [book(100 + n, "Crime", "Japanese", homes[n % 8], 1900 + n) for n in range(80)]
    made = catalog(books, {"United Kingdom": ("England", "Scotland")})
    return Disclosure(BooksIndex(made, (80, 160)), TaskSettings.from_mapping(settings_with()))


@pytest.mark.parametrize(
    ("shown", "secret"),
    [
        (LANGUAGE, COUNTRY),
        (COUNTRY, LANGUAGE),
        (LANGUAGE, Predicate("p3", "country", "is", "England")),
        (Predicate("p2", "language", "is", "Japanese"), Predicate("p3", "country", "is", "Japan")),
        (Predicate("p2", "language", "is", "English"), Predicate("p3", "language", "is", "British English")),
        (Predicate("p2", "country", "is", "England"), Predicate("p3", "country", "is", "United Kingdom")),
    ],
)
def test_a_label_that_tells_another_by_its_meaning_gives_it_away(
    disclosure: Disclosure, shown: Predicate, secret: Predicate
) -> None:
    assert disclosure.tells(shown, secret)
    genre = Predicate("p1", "genre", "is", "War")
    assert disclosure.told([genre, shown, secret], [secret])
    assert not disclosure.told([genre, shown, secret], [shown, secret])


@pytest.mark.parametrize(
    ("shown", "secret"),
    [
        (Predicate("p2", "language", "is", "English"), COUNTRY),
        (LANGUAGE, Predicate("p3", "country", "is", "France")),
        (Predicate("p2", "language", "is", "Japanese"), COUNTRY),
        (Predicate("p1", "genre", "is", "War"), COUNTRY),
        (Predicate("p4", "year", "min", 1990), COUNTRY),
    ],
)
def test_unrelated_labels_tell_nothing(disclosure: Disclosure, shown: Predicate, secret: Predicate) -> None:
    assert not disclosure.tells(shown, secret)


def test_a_predicate_that_nine_of_ten_matching_books_meet_is_given_away(settings_with: SettingsWith) -> None:
    made = [book(n, "War", "French", "France" if n % 10 else "Belgium") for n in range(1, 101)]
    made += [book(n, "Crime", "German", "Germany") for n in range(101, 201)]
    small = Disclosure(
        BooksIndex(catalog(made, {}), (200,)), TaskSettings.from_mapping(settings_with(hidden_exclusion=0.0))
    )
    genre, country = Predicate("p1", "genre", "is", "War"), Predicate("p2", "country", "is", "France")
    assert small.giveaway([genre, country], [country]) == 0.9
    rejection, _, _ = small.check([genre, country], [country])
    assert rejection and rejection.rule == "giveaway"
    assert small.giveaway([genre, country], [genre]) == 1.0


def test_a_label_that_tells_another_is_refused_at_any_giveaway_share(settings_with: SettingsWith) -> None:
    """What British English means does not depend on how many of its books come from the country."""
    homes = ("United Kingdom", "Japan", "France", "")
    made = [book(n, "War", "British English", homes[n % 4]) for n in range(1, 81)]
    index = BooksIndex(catalog(made, {}), (80,))
    free = TaskSettings.from_mapping(settings_with(giveaway_share=2.0, hidden_exclusion=0.0))
    request = [Predicate("p1", "genre", "is", "War"), LANGUAGE, COUNTRY]
    rejection, _, _ = Disclosure(index, free).check(request, [COUNTRY])
    assert rejection and rejection.rule == "giveaway"
    assert Disclosure(index, free).check([request[0], COUNTRY], [COUNTRY])[0] is None


def test_hidden_predicates_that_rule_out_too_little_are_refused(disclosure: Disclosure) -> None:
    genre, language = (
        Predicate("p1", "genre", "is", "War"),
        Predicate("p2", "language", "is", "British English"),
    )
    rejection, excluded, _ = disclosure.check([genre, language], [language])
    assert rejection and rejection.rule == "hidden_exclusion" and excluded == 0.0


def test_readers_open_with_a_genre_when_there_is_one() -> None:
    genres = [Predicate("p1", "genre", "is", "Crime"), Predicate("p2", "genre", "is", "War")]
    assert {stated_predicate([*genres, COUNTRY], str(n)).id for n in range(40)} == {"p1", "p2"}
    assert {stated_predicate([LANGUAGE, COUNTRY], str(n)).id for n in range(40)} == {"p2", "p3"}


@given(st.integers(2, 5), st.integers(1, 2), st.text(max_size=5))
def test_tags_state_one_predicate_and_hide_the_chosen_ones(count: int, hide: int, key: str) -> None:
    predicates = [Predicate(f"p{n}", "genre", "is", str(n)) for n in range(1, count + 1)]
    stated = stated_predicate(predicates, key)
    choices = list(hidden_choices(predicates, stated, hide, key))
    assert len(set(choices)) == len(choices)
    assert choices == list(hidden_choices(predicates, stated, hide, key))
    for hidden in choices:
        assert stated not in hidden and len(hidden) == hide
        tags = reveal_tags(predicates, stated, hidden)
        assert set(tags["volunteer"].values()) == {"stated"}
        assert [p.id for p in predicates if tags["mixed"][p.id] == "stated"] == [stated.id]
        assert [p.id for p in predicates if tags["hidden"][p.id] == "hidden"] == [p.id for p in hidden]
        assert "hidden" not in tags["mixed"].values()


def test_the_table_of_giveaways_is_well_formed() -> None:
    rows = giveaway_table()
    assert len({row[:2] for row in rows}) == len(rows)
    assert {way for _, _, way in rows} == {"both", "language", "country"}
    told = {(language, country) for language, country, way in rows if way == "both"}
    for pair in (
        ("British English", "United Kingdom"), ("American English", "United States"),
        ("Brazilian Portuguese", "Brazil"), ("Canadian French", "Canada"), ("Austrian German", "Austria"),
    ):  # fmt: skip
        assert pair in told
    assert not any(one[:2] == other[1::-1] for one, other in permutations(rows, 2))
