"""What of a label or title is shown."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.catalog.titles import clean_text, plain_label

# Letters, accents, spaces, controls and every kind of character that cannot be seen, often side by side.
mixed = st.text(
    st.sampled_from("aé e\u0301\u200b\u200c\u200d\u00ad\u3164\u2800\u202e\t\n\x00नि😀\u0378\u1100\u1161-")
)


@given(mixed | st.text())
def test_what_is_shown_is_composed_spaced_once_and_stable(text: str) -> None:
    shown = clean_text(text)
    assert shown == unicodedata.normalize("NFC", " ".join(shown.split()))
    assert clean_text(shown) == shown
    assert not {unicodedata.category(letter) for letter in shown if letter not in "\u200c\u200d"} & {
        "Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", " ", "\u200b", "\u200d", "\u3164", "\u2800 \u00ad", "\u0301", "\ufe0f", "\x00\n"]
)
def test_a_text_of_which_nothing_can_be_seen_is_empty(text: str) -> None:
    assert clean_text(text) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("e\u200b\u0301t\u00e9", "été"),
        ("Glass\u200dRivers\u200c", "GlassRivers"),
        ("क्\u200dष", "क्\u200dष"),
        ("👩\u200d🚀 \u200d", "👩\u200d🚀"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("…", "…"),
        ("№ 9", "№ 9"),
    ],
)
def test_joiners_stay_where_a_script_needs_them_and_accents_find_their_letter(text: str, shown: str) -> None:
    assert clean_text(text) == shown


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        ("Inferno (novel)", "Inferno"),
        ("Inferno (1994 novel)", "Inferno"),
        ("Inferno (Brown novel)", "Inferno"),
        ("Poems (short story collection)", "Poems"),
        ("Inferno (Canto I)", "Inferno (Canto I)"),
        ("Inferno (A Novel)", "Inferno (A Novel)"),
        ("Inferno (novel) and Other Things", "Inferno (novel) and Other Things"),
        ("Inferno (novel) (book)", "Inferno (novel)"),
        ("Inferno (novel series)", "Inferno (novel series)"),
        ("(novel)", "(novel)"),
        ("Inferno(novel)", "Inferno(novel)"),
        ("Graphic (unnovel)", "Graphic (unnovel)"),
    ],
)
def test_a_label_loses_the_words_that_only_tell_it_from_others(label: str, plain: str) -> None:
    assert plain_label(label) == plain
