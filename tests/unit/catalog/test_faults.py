"""The two exclusion rules: what no expert would accept goes, and books that only look like it stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.catalog.faults import MOST_GENRES, MOST_LANGUAGES, lists_everything, title_of_no_book


@pytest.mark.parametrize(
    "title",
    [
        "Category:Lace books of Penntide",
        "template:Forster, 1771",
        "Wikipedia:Wikipediholic",
        "List of Glass books of Mirlund",
        "list of nonfiction books about rivers",
        "Index of the Project Gutenberg Works of George Gibbs",
        "Test item 7",
        "test book 344",
        "Sandbox item 1",
        "The Arrival (play)",
        "The Revenge (1680 play)",
        "Garavi sokak (theatre play)",
        "Blue Lantern (short story)",
        "Tabaré (poem)",
        "Brutus (tragedy)",
        "Thanupp(Short story)",
        "Shivers (novel series)",
        "Granada (Trilogy)",
        "The Art of Awareness (4th Edition)",
    ],
)
def test_a_title_that_names_no_book_is_seen(title: str) -> None:
    assert title_of_no_book([title])
    assert title_of_no_book(["Glass Rivers", title])


@pytest.mark.parametrize(
    "title",
    [
        "Help Yourself",
        "Help Wanted, Male",
        "Portal of Evil",
        "Category 2, Hetarenes and Related Ring Systems",
        "Wikipedia – A New Community of Practice?",
        "Project: Earth",
        "Template: A Love Story",
        "List of the Lost",
        "List of the specimens of lepidopterous insects in the collection of the British Museum",
        "Outline of National Economics Criticism",
        "Index of Refraction",
        "Test of the Twins",
        "Test to Destruction",
        "The Sandbox",
        "The Play",
        "Play (a Novel)",
        "The Dream (novel)",
        "The Stray Dog (short story collection)",
        "In the Next Room (or The Vibrator Play)",
        "From Linguistic Areas to Areal Linguistics (Studies in Language Companion Series)",
        "Film (1965)",
        "(play)",
    ],
)
def test_a_book_whose_title_begins_or_ends_like_that_stays(title: str) -> None:
    assert not title_of_no_book([title])


@given(st.integers(0, 12), st.integers(0, 19))
def test_a_record_lists_everything_from_one_label_beyond_the_most(languages: int, genres: int) -> None:
    crowded = lists_everything(["label"] * languages, ["label"] * genres)
    assert crowded == (languages > MOST_LANGUAGES or genres > MOST_GENRES)


@given(st.text(max_size=200))
def test_any_text_is_judged(text: str) -> None:
    assert isinstance(title_of_no_book([text]), bool)
