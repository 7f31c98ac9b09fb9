"""Title keys: what counts as the same title, and what must stay apart."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.catalog.titles import clean_text, title_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café Noir", "Cafe\u0301 Noir"),
        ("Café Noir", "CAFE NOIR"),
        ("Łódź Diary", "Lodz diary"),
        ("Søren's Æsop", "Sorens Aesop"),
        ("Straße", "STRASSE"),
        ("Have Space Suit—Will Travel", "Have Space Suit - Will Travel"),
        ("The King’s Road", "The King's Road"),
        ("Rise & Fall", "Rise and Fall"),
        ("Foo\u200bBar", "FooBar"),
        ("\u200eFoo", "Foo"),
        ("Foo\u00adbar", "foobar"),
        ("Foo\u00a0Bar", "Foo Bar"),
        ("ﬁsh", "Fish"),
        ("Ｗide", "wide"),
        ("A test title.", "A test title"),
    ],
)
def test_spellings_of_one_title_share_a_key(one: str, other: str) -> None:
    assert title_key(one) == title_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dune", "Dune: Messiah"),
        ("Volume 1", "Volume 2"),
        ("C", "C++"),
        ("V.", "S."),
        ("$", "…"),
        ("!!!", "???"),
        ("हिन्दी", "हनद"),
        ("ראש", "סוף"),
        ("三体", "三國"),
        ("Рок", "Pok"),
        ("2 × 2", "2 2"),
    ],
)
def test_different_titles_keep_different_keys(one: str, other: str) -> None:
    assert title_key(one) != title_key(other)


@given(st.text(min_size=1))
def test_a_title_that_is_not_empty_has_a_key_that_is_not_empty(title: str) -> None:
    assert title_key(title)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x24F)))
def test_composed_and_decomposed_titles_share_a_key(title: str) -> None:
    assert title_key(unicodedata.normalize("NFC", title)) == title_key(unicodedata.normalize("NFD", title))


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once
    assert once == once.strip()
    assert "\u200b" not in once and "\u00ad" not in once


def test_joiners_that_scripts_need_stay() -> None:
    assert clean_text("می\u200cخواهم") == "می\u200cخواهم"
