"""Keyword search against an independent reading of BM25."""

import math
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_rec_books.catalog.books import Book, Catalog
from tau_rec_books.trial.keyword import KeywordSearch
from tau_rec_books.trial.text import tokens

FIELDS = ("title", "authors", "genres", "languages", "countries")


def slow_tokens(text: str) -> list[str]:
    """Letter by letter: fold, drop marks, cut at everything that is neither letter nor digit."""
    words, word = [], ""
    for character in unicodedata.normalize("NFKD", text.casefold()):
        if unicodedata.combining(character):
            continue
        for folded in character.casefold():
            if folded.isalnum():
                word += folded
            elif word:
                words.append(word)
                word = ""
    return [*words, word] if word else words


def slow_scores(catalog: Catalog, query: str) -> dict[str, int]:
    """Okapi BM25 per field, straight from its formula, in billionths per addend."""
    totals: dict[str, int] = {}
    for field in FIELDS:
        documents = {}
        for book in catalog.books:
            value = getattr(book, field)
            texts = [value] if isinstance(value, str) else value
            documents[book.id] = [token for text in texts for token in slow_tokens(text)]
        average = sum(map(len, documents.values())) / len(documents)
        for term in slow_tokens(query):
            having = sum(term in words for words in documents.values())
            if not having:
                continue
            idf = max(0.0, math.log((len(documents) - having + 0.5) / (having + 0.5)))
            for book_id, words in documents.items():
                frequency = words.count(term)
                if frequency:
                    norm = 1.5 * (1 - 0.75 + 0.75 * len(words) / average)
                    addend = idf * frequency * 2.5 / (frequency + norm)
                    totals[book_id] = totals.get(book_id, 0) + round(addend * 1e9)
    return {book_id: score for book_id, score in totals.items() if score > 0}


def slow_search(catalog: Catalog, query: str) -> list[str]:
    scores = slow_scores(catalog, query)
    books = {book.id: book for book in catalog.books}
    ranked = sorted(scores, key=lambda i: (-scores[i], -books[i].sitelinks, int(i[4:])))
    return ranked[:20]


@pytest.fixture(scope="module")
def small(catalog_of: Callable[[int], Catalog]) -> Catalog:
    return catalog_of(1500).prefix(250)


@pytest.fixture(scope="module")
def index(small: Catalog) -> KeywordSearch:
    return KeywordSearch(small)


TEXT = "science fiction Fantasy the River Polish Author 12 FRENCH historical x States memoir children's Star"
WORDS = st.sampled_from(TEXT.split())


@settings(max_examples=60, deadline=None)
@given(query=st.lists(WORDS, max_size=5).map(" ".join) | st.text(max_size=20))
def test_ranking_equals_the_formula(small: Catalog, index: KeywordSearch, query: str) -> None:
    assert [book["id"] for book in index.search(query)["results"]] == slow_search(small, query)


@settings(deadline=None)
@given(text=st.text(max_size=40))
def test_the_tokeniser_equals_a_letter_by_letter_one(text: str) -> None:
    assert tokens(text) == slow_tokens(text)


def test_every_multi_word_genre_is_found_by_its_own_words(catalog: Catalog) -> None:
    index = KeywordSearch(catalog)
    genres = [genre for genre in catalog.vocabulary.genres if " " in genre]
    assert len(genres) >= 5
    for genre in genres:
        assert genre in index.search(genre)["results"][0]["genres"], genre


def test_at_most_twenty_and_never_a_score_of_zero(catalog: Catalog) -> None:
    index = KeywordSearch(catalog)
    assert len(index.search("fantasy")["results"]) == 20
    assert all(score > 0 for _, score in index.ranked("fantasy polish the"))
    assert index.search("zzz qqq")["results"] == []
    assert index.search("")["results"] == []


def test_the_year_is_not_indexed(catalog: Catalog) -> None:
    book = Book("wd_Q1", "Plain", "en", ("A",), (), ("War",), ("Polish",), (), 1987, 1, ("ebook",))
    index = KeywordSearch(Catalog((book,) * 1 + catalog.books[:50], catalog.vocabulary))
    assert all(found["id"] != "wd_Q1" for found in index.search("1987")["results"])


def test_accents_case_and_punctuation_do_not_matter() -> None:
    assert tokens("Café-Society, L’ÉTRANGER_2!") == ["cafe", "society", "l", "etranger", "2"]


def test_a_query_of_a_megabyte_is_answered(index: KeywordSearch) -> None:
    assert len(index.search("science fiction " * 65_000)["results"]) == 20
