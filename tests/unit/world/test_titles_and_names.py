"""Invented titles and names: filled in, varied, and in the scripts and orders of many cultures."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.wikidata.tables import published_genres
from tau_rec_books.world.draws import Draws
from tau_rec_books.world.names import cultures, full_name
from tau_rec_books.world.tastes import genres, homes, share_before, year_between
from tau_rec_books.world.titles import foreign_title, plural, title, tongues


@given(st.sampled_from(published_genres()), st.sampled_from(sorted(cultures())), st.integers(0, 10**6))
def test_a_title_has_no_open_slot_and_starts_with_a_capital(genre: str, culture: str, number: int) -> None:
    text = title(genre, cultures()[culture], Draws("title", number))
    assert not re.search(r"[{}]|  |^ | $|\ba [AEIO]\w|\bA [AEIO]\w", text.replace("A One", ""))
    assert not text[0].islower()


def test_titles_are_mostly_unique() -> None:
    culture = cultures()["american"]
    drawn = [title("Science Fiction", culture, Draws("unique", number)) for number in range(3000)]
    assert len(set(drawn)) > 2800


@pytest.mark.parametrize("genre", published_genres())
def test_every_genre_has_its_own_words(genre: str) -> None:
    culture = cultures()["english"]
    own = {title(genre, culture, Draws("words", number)) for number in range(300)}
    general = {title("no such genre", culture, Draws("words", number)) for number in range(300)}
    assert len(own & general) < 200


def test_other_languages_bring_other_scripts() -> None:
    drawn = {
        qid: foreign_title(tongue, cultures()["latin"], Draws("foreign", qid))
        for qid, tongue in tongues().items()
    }
    scripts = {unicodedata.name(text[0]).split()[0] for text in drawn.values()}
    assert {"LATIN", "CYRILLIC", "GREEK", "CJK", "HANGUL", "ARABIC", "HEBREW", "DEVANAGARI"} <= scripts
    assert all(unicodedata.is_normalized("NFC", text) for text in drawn.values())


def test_names_follow_the_order_of_their_culture() -> None:
    korean, russian = cultures()["korean"], cultures()["russian"]
    assert full_name(korean, Draws("name")).split()[0] in korean.heads
    assert full_name(russian, Draws("name")).split()[0] in russian.given


@pytest.mark.parametrize(
    ("noun", "nouns"), [("Lamp", "Lamps"), ("Gallery", "Galleries"), ("Arch", "Arches"), ("Quay", "Quays")]
)
def test_plurals(noun: str, nouns: str) -> None:
    assert plural(noun) == nouns


def test_every_home_has_names_and_years() -> None:
    assert all(home.culture in cultures() and home.first <= home.last <= 2026 for home in homes())


def test_every_genre_goes_with_others() -> None:
    assert all(set(genre.beside.options) <= set(genres()) - {genre.label} for genre in genres().values())


@given(st.integers(1460, 2026), st.integers(0, 566), st.floats(0, 1, exclude_max=True))
def test_a_drawn_year_lies_in_its_span(first: int, width: int, fraction: float) -> None:
    last = min(2026, first + width)
    assert first <= year_between(first, last, fraction) <= last


def test_the_share_of_books_before_a_year_grows() -> None:
    shares = [share_before(year) for year in range(1460, 2028)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
