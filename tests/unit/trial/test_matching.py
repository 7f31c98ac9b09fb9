"""Which fields a message asks about: questions and requests, not statements, not books at hand."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_rec_books.trial.matching import ASK_FIELDS, matcher, profile_file, tagged_ids
from tau_rec_books.trial.phrases import PhraseSet
from tau_rec_books.trial.text import word_list

CODES = {"g": "genre", "l": "language", "c": "country", "y": "year", "f": "formats"}
EVERYTHING = "glcyf"

CASES = [
    # plain questions
    ("What genre do you like?", "g"),
    ("Which language should the book be in?", "l"),
    ("Do you have a country of origin in mind?", "c"),
    ("From which years should it be?", "y"),
    ("Do you need it in a particular format?", "f"),
    ("When should it have been published?", "y"),
    ("Where should the author come from?", "c"),
    ("What kind of story are you in the mood for?", "g"),
    ("How recent should it be?", "y"),
    ("Would you rather read or listen to it?", "f"),
    ("Any preferred time period?", "y"),
    ("What type of book do you enjoy?", "g"),
    ("Does the nationality of the author matter to you?", "c"),
    ("Is there a specific decade you prefer?", "y"),
    ("What language", "l"),
    # values as questions
    ("Do you want it in English?", "l"),
    ("Fantasy or science fiction?", "g"),
    ("Would you like something recent or a classic?", "y"),
    ("Hardcover, paperback or audiobook?", "f"),
    ("Are you after a British or an American book?", "c"),
    ("Should it be fiction or nonfiction?", "g"),
    # several fields
    ("Do you have a preference for genre, language, or country?", "glc"),
    ("What language and what years?", "ly"),
    ("Any particular country, year range and format?", "cyf"),
    ("Which genre do you prefer, and should it be in English or another language?", "gl"),
    ("Could you tell me:\n- Genre\n- Preferred language\n- Publication year (e.g., after 1990)", "gly"),
    ("Please share the following details:\n1. Country of origin\n2. Format (ebook, print)", "cf"),
    ("A few questions:\n* **Language**: any preference?\n* **Era**: older or newer?", "ly"),
    # requests without a question mark
    ("Please tell me your preferred language.", "l"),
    ("Let me know which format works for you.", "f"),
    ("I'd like to know more about the genre you want.", "g"),
    ("It would help to know the publication period.", "y"),
    ("I was wondering which country it should come from.", "c"),
    ("Feel free to mention a language too.", "l"),
    ("I still need your preferred format before I can go on.", "f"),
    # generic requests
    ("Anything else I should know?", EVERYTHING),
    ("Do you have any other requirements?", EVERYTHING),
    ("What are you looking for?", EVERYTHING),
    ("Could you tell me more about what you want?", EVERYTHING),
    ("Are there any further preferences, such as language or year?", EVERYTHING),
    ("Please share all your criteria.", EVERYTHING),
    ("What else matters to you?", EVERYTHING),
    ("Do you have any preferences?", EVERYTHING),
    ("Could you give me some more details?", EVERYTHING),
    ("Could you give me a hint about what was missing?", EVERYTHING),
    ("What other genre should it include?", "g"),
    ("I apologize. Please bear with me while I check the available formats.", ""),
    ("My search for English books published before 1960 returned 312 results. Any preferred year?", "y"),
    ("Any other preferences for the language?", "l"),
    ("Do you have any preferences regarding format?", "f"),
    # statements
    ("I found a French fantasy novel from 1990.", ""),
    ("It is available as an ebook.", ""),
    ("I will search by genre and year now.", ""),
    ("You said you want science fiction in English.", ""),
    ("Thanks, that narrows the genre down.", ""),
    ("Since you want science fiction, do you have a language preference?", "l"),
    ("I found three science fiction novels, but which language do you want?", "l"),
    ("Great, a fantasy novel from before 2000! Which country should it come from?", "c"),
    ("I searched every genre and every year without luck.", ""),
    # books at hand
    ("This book's genre is Fantasy.", ""),
    ("Is the genre of that book okay?", ""),
    ("Does this work for you?", ""),
    ("Is this the kind of book you had in mind?", ""),
    ("How about this one: a French thriller from 1999?", ""),
    ("Here is what I found:\n- Genre: Fantasy\n- Language: English\n- Year: 1990\nWhat do you think?", ""),
    ("Would you like me to check the formats of this book?", ""),
    ("Have you already read other fantasy novels?", ""),
    ('How about "The Language of Years"?', ""),
    ("I suggest *The Country of Genres*, 1990, in English. [[candidate_id:wd_Q5]]", ""),
    ("How about Dune, a science fiction novel in English? [[candidate_id:wd_Q5]]", ""),
    ("[[candidate_id:wd_Q5]] Does it suit you? Otherwise, which language do you prefer?", "l"),
    ("Is there anything else I can help you with?", ""),
    ("Shall I look for another one?", ""),
    ('Is "The Year of the Flood" what you had in mind? [[candidate_id:wd_Q5]]', ""),
    ("The language of this novel is French and its country of origin is France – is that a problem?", ""),
    # other languages
    ("¿Qué género prefieres?", "g"),
    ("¿En qué idioma?", "l"),
    ("Quel genre préférez-vous, et dans quelle langue ?", "gl"),
    ("Aus welchem Land soll das Buch kommen?", "c"),
    ("In welchem Jahr soll es erschienen sein?", "y"),
    ("どのジャンルが好きですか？", "g"),
    ("Какой жанр вы предпочитаете?", "g"),
    # long and chatty
    (
        "Hi there! Thanks so much for writing. I'd be delighted to help you find a wonderful book today. "
        "I have access to a large catalog with thousands of titles. To get started, could you tell me a bit "
        "about the genre you'd enjoy, and whether you'd prefer a newer or an older book?",
        "gy",
    ),
]


@pytest.mark.parametrize(("message", "codes"), CASES)
def test_a_message_asks_exactly_these_fields(message: str, codes: str) -> None:
    assert matcher("rule-v1").match(message).fields == tuple(CODES[code] for code in codes)


def test_a_generic_request_asks_every_field_in_fixed_order() -> None:
    matched = matcher("rule-v1").match("Anything else?")
    assert matched.generic
    assert matched.fields == ASK_FIELDS


def test_words_of_a_proposed_title_are_no_question() -> None:
    message = "Would The Genre of Language suit you? [[candidate_id:wd_Q5]]"
    assert matcher("rule-v1").match(message, ["The Genre of Language"]).fields == ()


@settings(deadline=None)
@given(text=st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    matched = matcher("rule-v1").match(text)
    assert set(matched.fields) <= set(ASK_FIELDS)


def test_tags_are_found_whatever_their_spacing_and_case() -> None:
    text = "[[candidate_id:wd_Q1]] [[ Candidate_ID : wd_Q2 ]] [[candidate_id:wd_Q1]] [candidate_id:wd_Q3]"
    assert tagged_ids(text) == ["wd_Q1", "wd_Q2"]


@pytest.mark.parametrize(
    ("phrase", "words", "found"),
    [
        ("any other", "are there any other wishes", True),
        ("kind|type of book*", "what type of books", True),
        ("kind|type of book*", "what type of story", False),
        ("where _ from", "where should it be from", True),
        ("where _ from", "where from", False),
        ("where _ from", "where a b c d from", False),
        ("genre*", "subgenre", False),
        ("ジャンル", "好きなジャンルは", True),
    ],
)
def test_phrases_have_alternatives_endings_and_gaps(phrase: str, words: str, found: bool) -> None:
    assert PhraseSet([phrase]).within(word_list(words)) == found


def test_the_longest_phrase_at_a_place_counts() -> None:
    assert PhraseSet(["other", "other book* wish*"]).spans(["other", "book", "wishes"]) == [(0, 3)]


def test_every_list_of_the_lexicon_is_free_of_repeats() -> None:
    lexicon = json.loads(profile_file("rule-v1", "lexicon.json"))

    def lists(value: object) -> list[list[str]]:
        if isinstance(value, dict):
            return [found for inner in value.values() for found in lists(inner)]
        return [value] if isinstance(value, list) else []

    for phrases in lists(lexicon):
        assert len(phrases) == len(set(phrases)), [p for p in phrases if phrases.count(p) > 1]
