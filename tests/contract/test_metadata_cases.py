"""Every dirty case of book metadata has a decision, occurs in the world, and comes out with the right values.

The decisions are the rows of ``metadata_cases.csv``. What a record must say is worked out here once
more, from the world before it became triples.
"""

import csv
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tau_rec_books.catalog.books import Book
from tau_rec_books.catalog.build import Build, build, read_facts
from tau_rec_books.catalog.titles import title_key
from tau_rec_books.wikidata import tables
from tau_rec_books.world.build import make_frame, works_by_case, world_works
from tau_rec_books.world.dirty import DIRTY_CASES
from tau_rec_books.world.items import item_labels
from tau_rec_books.world.records import AuthorClaim, DateClaim, NameClaim, Work

pytestmark = pytest.mark.endpoint

with Path(__file__).with_name("metadata_cases.csv").open(encoding="utf-8", newline="") as table:
    DECISIONS = {row["case"]: row for row in csv.DictReader(table)}
NAMES = [case.name for case in DIRTY_CASES]
MAKING_BOOKS = [name for name in NAMES if DECISIONS.get(name, {}).get("outcome", "") in ("book", "merged")]

Claim = TypeVar("Claim", AuthorClaim, NameClaim, DateClaim)
INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200e\u200f\u2060\ufeff\u00ad"))
DISAMBIGUATORS = (" (novel)", " (book)", " (1987 novel)", " (memoir)")


@dataclass(frozen=True)
class Outcome:
    """The world, and what the catalog made of it."""

    cases: Mapping[str, list[list[Work]]]
    orderly: Sequence[Work]
    names: Mapping[str, str]
    built: Build
    books: Mapping[str, Book]
    dropped: Mapping[str, str]

    def of(self, work: Work) -> str:
        """``book``, the rule that dropped the work, or ``not returned``."""
        return "book" if work.qid in self.books else self.dropped.get(work.qid, "not returned")


@pytest.fixture(scope="module")
def outcome(small_world: Any, taken: Path) -> Outcome:
    """The catalog of the small world."""
    built = build(
        read_facts(taken), seed="any", sizes=(10**6,), year_min=1460, year_max=2026, allow_fewer=True
    )
    frame = make_frame(small_world.seed, small_world.scale)
    people = [frame.person(index) for index in range(frame.people)]
    dropped = [(work, rule) for rule, works in built.funnel.dropped.items() for work in works]
    assert len(dict(dropped)) == len(dropped), "a work was dropped twice"
    return Outcome(
        works_by_case(small_world.seed, small_world.scale),
        [work for name, works in world_works(frame) if not name for work in works],
        {person.qid: dict(person.labels).get("en") or dict(person.labels)["mul"] for person in people},
        built,
        {book.id.removeprefix("wd_"): book for book in built.books},
        dict(dropped),
    )


def seen(text: str) -> str:
    """What a reader sees of a text, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).translate(INVISIBLE).split())


def expected_title(work: Work) -> tuple[str, str]:
    """Title and source: P1476 in English, else the English label, else the default one."""
    labels = {tag: seen(text) for tag, text in work.labels if text != work.qid}
    titles = [seen(text) for tag, text in work.titles if tag == "en"]
    if titles:
        return next((text for text in titles if text == labels.get("en")), min(titles)), "P1476"
    source = "en" if "en" in labels else "mul"
    title = labels[source]
    for words in DISAMBIGUATORS:
        title = title.removesuffix(words)
    return title, source


def best(claims: Sequence[Claim]) -> list[Claim]:
    """The claims of best rank."""
    rank = "preferred" if any(claim.rank == "preferred" for claim in claims) else "normal"
    return [claim for claim in claims if claim.rank == rank]


def place(ordinal: str | None) -> float:
    """Where an author with this ordinal stands."""
    digits = "".join(letter for letter in ordinal or "" if letter in "0123456789.")
    return float(digits) if digits else inf


def expected_authors(work: Work, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Name and id of each author in order; the id of an author without an item is empty."""
    items = [claim for claim in best(work.authors) if claim.value in names]
    items.sort(key=lambda claim: (place(claim.ordinal), int(claim.value[1:])))
    held = {claim.ordinal for claim in items} - {None}
    shown = [(place(claim.ordinal), 0, names[claim.value], claim.value) for claim in items]
    shown += [
        (place(claim.ordinal), 1, claim.text, "")
        for claim in best(work.author_names)
        if claim.ordinal not in held and claim.text not in [name for _, _, name, _ in shown]
    ]
    shown.sort(key=lambda author: author[:2])
    return [(name, item) for _, _, name, item in shown]


def published(kind: str, items: Sequence[str]) -> tuple[str, ...]:
    """Published labels of languages or countries."""
    missing = {item.qid for item in tables.placeholders() if item.field == kind}
    corrected = {row.qid: row.corrected for row in tables.corrections() if row.field == kind}
    labels = item_labels()
    return tuple(sorted({corrected.get(qid, labels[qid][1]) for qid in items if qid not in missing}))


def expected_record(work: Work, names: Mapping[str, str]) -> dict[str, Any]:
    """What the record of a work must say, without its simulated formats."""
    title, source = expected_title(work)
    authors = expected_authors(work, names)
    genres = {item.qid: item.genre for item in tables.genre_items() if item.genre}
    return {
        "id": f"wd_{work.qid}",
        "title": title,
        "title_source": source,
        "authors": tuple(dict.fromkeys(name for name, _ in authors)),
        "author_ids": tuple(item for _, item in authors if item),
        "genres": tuple(sorted({genres[qid] for qid in work.genres if qid in genres})),
        "languages": published("language", work.languages),
        "countries": published("country", work.countries),
        "year": min(date.year for date in best(work.dates) if date.year is not None and date.precision > 8),
        "sitelinks": work.sitelinks or 0,
    }


def record(book: Book) -> dict[str, Any]:
    """A record without its simulated formats."""
    return {name: getattr(book, name) for name in Book.__slots__ if name != "formats"}


def test_every_case_of_the_world_has_a_decision_and_no_decision_is_left_over() -> None:
    assert list(DECISIONS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_case_is_decided_as_the_table_says(name: str, outcome: Outcome) -> None:
    decision = DECISIONS[name]
    groups = outcome.cases[name]
    assert len(groups) >= 2, f"the world has too few works of the case {name}"
    for works in groups:
        found = [outcome.of(work) for work in works]
        if decision["outcome"] == "merged":
            assert sorted(found) == ["book", "duplicate"]
            stays = min(works, key=lambda work: (-(work.sitelinks or 0), int(work.qid[1:])))
            assert outcome.of(stays) == "book"
        else:
            wanted = [decision["outcome"].split("|"), *([[decision["beside"]]] if decision["beside"] else [])]
            assert len(found) == len(wanted)
            assert all(was in options for was, options in zip(found, wanted, strict=True)), (works, found)
        if decision["title_source"]:
            sources = {outcome.books[work.qid].title_source for work in works if work.qid in outcome.books}
            assert sources <= {decision["title_source"]}


@pytest.mark.parametrize("name", NAMES)
def test_the_records_of_the_case_have_the_right_values(name: str, outcome: Outcome) -> None:
    books = 0
    for work in (work for works in outcome.cases[name] for work in works if work.qid in outcome.books):
        assert record(outcome.books[work.qid]) == expected_record(work, outcome.names)
        books += 1
    assert books >= 2 or name not in MAKING_BOOKS


def test_orderly_works_become_books_with_the_right_values(outcome: Outcome) -> None:
    assert len(outcome.orderly) > 50
    for work in outcome.orderly:
        assert record(outcome.books[work.qid]) == expected_record(work, outcome.names)


def test_the_funnel_accounts_for_every_work_once(outcome: Outcome) -> None:
    funnel = outcome.built.funnel
    assert funnel.returned == len(outcome.dropped) + len(outcome.books)
    assert funnel.kept == len(outcome.books) == outcome.built.eligible


@pytest.mark.parametrize(
    ("ordinals", "order"),
    [
        (("2", "10", "1", "2.5"), ("1", "2", "2.5", "10")),
        (("10", "2", "1", "II"), ("1", "2", "10", "II")),
        (("1a", "3", " 2", "1"), ("1a or 1", "1a or 1", " 2", "3")),
    ],
)
def test_odd_ordinals_give_the_order_that_people_mean(
    ordinals: tuple[str, ...], order: tuple[str, ...], outcome: Outcome
) -> None:
    for [work] in outcome.cases["odd_ordinals"]:
        of_author = {claim.value: str(claim.ordinal) for claim in work.authors}
        if tuple(of_author.values()) == ordinals:
            found = [of_author[qid] for qid in outcome.books[work.qid].author_ids]
            assert all(
                one == other or one in other.split(" or ") for one, other in zip(found, order, strict=True)
            )


def test_a_disambiguated_label_loses_its_parenthesis_and_a_series_its_place(outcome: Outcome) -> None:
    for [work] in outcome.cases["disambiguated_label"]:
        if work.title.endswith("(novel series)"):
            assert outcome.of(work) == "no_book_title"
        else:
            assert outcome.books[work.qid].title == work.title.rpartition(" (")[0]


def test_no_record_holds_a_character_that_cannot_be_seen(outcome: Outcome) -> None:
    for book in outcome.built.books:
        for text in (book.title, *book.authors, *book.genres, *book.languages, *book.countries):
            assert text == unicodedata.normalize("NFC", text).strip()
            assert not {unicodedata.category(letter) for letter in text.replace("\u200d", "")} & {
                "Cc", "Cf", "Cs", "Zl", "Zp"
            }  # fmt: skip


def test_titles_in_any_script_have_keys_that_are_not_empty_and_keep_books_apart(outcome: Outcome) -> None:
    odd = [work for name in ("other_script_label", "symbols_only") for [work] in outcome.cases[name]]
    keys = {outcome.books[work.qid].title: title_key(outcome.books[work.qid].title) for work in odd}
    assert all(keys.values())
    assert len(set(keys.values())) == len(keys)


def test_a_country_that_covers_another_says_so_in_the_vocabulary(outcome: Outcome) -> None:
    vocabulary = outcome.built.vocabulary
    assert "England" in vocabulary.covered("country", "United Kingdom")
    assert "British English" in vocabulary.covered("language", "English")
    assert "Soviet Union" in vocabulary.covered("country", "Russia")
