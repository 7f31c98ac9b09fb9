"""The tasks' audit sample: families of every tier and kind, told in words, with cells left to fill."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tau_rec_books.core.agreement import ANSWERS, NOT_APPLICABLE
from tau_rec_books.tasks.answers import answer_rows
from tau_rec_books.tasks.audit import (
    AUDIT_COLUMNS,
    AUDIT_JUDGEMENTS,
    audit_families,
    audit_rows,
    audit_rubric,
    in_words,
)
from tau_rec_books.tasks.families import CONDITIONS, Predicate


def rows_of(drawn: Any) -> list[dict[str, Any]]:
    answers = answer_rows(drawn.families, drawn.catalog, drawn.sizes)
    return audit_rows(drawn.families, answers, drawn.catalog, drawn.sizes, "a seed")


@pytest.fixture(scope="module")
def drawn(drawn_with: Callable[[str], Any]) -> Any:
    return drawn_with("books-tasks-v1")


def test_the_sample_has_every_nvr_family_and_five_others_of_each_tier(drawn: Any) -> None:
    chosen = audit_families(drawn.families, "a seed")
    assert Counter((family.tier, family.nvr) for family in chosen) == {
        (tier, nvr): 5 for tier in ("simple", "medium", "complex") for nvr in (False, True)
    }
    assert [f.id for f in chosen if f.nvr] == [f.id for f in drawn.families if f.nvr]
    assert [f.id for f in chosen] == sorted(f.id for f in chosen)


def test_another_seed_gives_other_families_and_fewer_families_a_smaller_sample(drawn: Any) -> None:
    chosen = {family.id for family in audit_families(drawn.families, "a seed")}
    assert {family.id for family in audit_families(drawn.families, "another")} != chosen
    few = drawn.families[:3]
    assert audit_families(few, "a seed") == list(few)
    assert audit_families((), "a seed") == []


def test_judgements_are_left_to_fill_except_where_none_applies(drawn: Any) -> None:
    rows = rows_of(drawn)
    assert len(rows) == 30
    for row in rows:
        assert set(row) == set(AUDIT_COLUMNS)
        satisfiable = row["kind"] == "satisfiable"
        assert row["nvr_plausible"] == (NOT_APPLICABLE if satisfiable else "")
        assert {row[column] for column in (*AUDIT_JUDGEMENTS[:-1], "notes")} == {""}


def test_every_condition_tells_each_predicate_once_at_its_time(drawn: Any) -> None:
    by_id = {family.id: family for family in drawn.families}
    when = {"stated": "at the start", "on_ask": "when asked", "hidden": "never"}
    for row in rows_of(drawn):
        family = by_id[row["family"]]
        for condition in CONDITIONS:
            told = {}
            for part in row[condition].split("; "):
                time, _, texts = part.partition(": ")
                for text in texts.split(", p"):
                    told[f"p{text.removeprefix('p').split()[0]}"] = time
            assert told == {p.id: when[family.reveal[condition][p.id]] for p in family.predicates}
        for predicate in family.predicates:
            assert str(predicate.value) in row["request"]


def test_figures_are_those_of_the_catalog(drawn: Any) -> None:
    by_id = {family.id: family for family in drawn.families}
    largest = drawn.sizes[-1]
    for row in rows_of(drawn):
        family = by_id[row["family"]]
        left = [
            f"without {p.id}: {len(drawn.meeting([q for q in family.predicates if q != p], largest))}"
            for p in family.predicates
        ]
        assert row["without_one"] == "; ".join(left)
        tags = family.reveal["hidden"]
        revealed = drawn.meeting([p for p in family.predicates if tags[p.id] != "hidden"], largest)
        figures = [
            f"{len(revealed & drawn.matches(p))} of {len(revealed)} fit {p.id}, too"
            for p in family.predicates
            if tags[p.id] == "hidden"
        ]
        assert row["giveaway_figures"] == "; ".join(figures)
        count = len(drawn.meeting(family.predicates, largest))
        assert f"8k: {count}, " in row["answers"]
        assert (count == 0) == (row["kind"] != "satisfiable") == (" misses p" in row["examples"])


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        (Predicate("p1", "genre", "is", "War"), "filed under War"),
        (Predicate("p1", "language", "is", "French"), "written in French"),
        (Predicate("p1", "country", "is", "Japan"), "with the country of origin Japan"),
        (Predicate("p1", "year", "min", 1950), "first published in 1950 or later"),
        (Predicate("p1", "year", "max", 1950), "first published in 1950 or earlier"),
    ],
)
def test_a_predicate_in_words_says_what_it_asks(predicate: Predicate, words: str) -> None:
    assert in_words(predicate) == words


def test_the_rubric_says_for_each_judgement_when_to_write_what() -> None:
    sections = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", audit_rubric(), re.M | re.S))
    assert tuple(sections) == AUDIT_JUDGEMENTS
    for text in sections.values():
        assert "- `yes`:" in text
        assert "- `no`:" in text
    assert all(f"| `{word}` |" in audit_rubric() for word in ANSWERS)
