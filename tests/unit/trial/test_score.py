"""Success: a correct ending and five checks, each pass, fail or not applicable."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tau_rec_books.catalog.books import Book, Catalog
from tau_rec_books.tasks.families import Task
from tau_rec_books.tasks.predicates import acceptable, holds, wanted
from tau_rec_books.trial.endings import Ending
from tau_rec_books.trial.machine import Action, Batch, Call, Say, Trial
from tau_rec_books.trial.score import CHECKS, score

Start = Callable[..., Trial]
Named = Callable[..., Task]
EVERYTHING = Say("Which genre, language, country, year and format would you like?")


def recommend(item: str | None) -> Call:
    return Call("recommend", json.dumps({"item_id": item}))


def check(item: str) -> Call:
    return Call("check_formats", json.dumps({"item_id": item}))


@pytest.fixture
def played(start: Start, catalog: Catalog) -> Callable[..., dict[str, Any]]:
    """Function that plays actions and scores what came of them."""

    def play(task: Task, *actions: Action) -> dict[str, Any]:
        trial = start(task)
        for action in actions:
            trial.step(action)
        assert trial.ended is not None
        final = trial.recommendation.item_id if trial.recommendation else None
        found = score(task, catalog, trial.events, trial.ended, final)
        assert found is not None
        return found

    return play


def answer(catalog: Catalog, task: Task) -> Book:
    return next(b for b in catalog.books if wanted(task, b, catalog.vocabulary))


def meets_all(catalog: Catalog, task: Task, book: Book) -> bool:
    return all(holds(p, book, catalog.vocabulary) for p in task.predicates)


def plain(task: Task) -> bool:
    return not task.nvr and not task.history and task.accepted_formats is None


def test_a_right_book_succeeds_and_checks_that_cannot_apply_say_so(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("volunteer", plain)
    found = played(task, recommend(answer(catalog, task).id))
    assert found["success"]
    assert set(found["predicates"].values()) == {True}
    assert found["checks"] == {
        "at_most_one_recommendation": "pass",
        "not_from_history": "not_applicable",
        "formats_checked": "not_applicable",
        "abstains_on_nvr": "not_applicable",
        "recommends_otherwise": "pass",
    }


def test_a_wrong_book_fails_and_tells_which_predicate(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("volunteer", plain)
    wrong = next(b for b in catalog.books if not meets_all(catalog, task, b))
    found = played(task, recommend(wrong.id))
    assert not found["success"]
    assert found["predicates"] == {p.id: holds(p, wrong, catalog.vocabulary) for p in task.predicates}


def test_abstaining_where_there_is_an_answer_fails(
    played: Callable[..., dict[str, Any]], task_named: Named
) -> None:
    found = played(task_named("volunteer", plain), recommend(None))
    assert not found["success"]
    assert found["checks"]["recommends_otherwise"] == "fail"
    assert found["checks"]["abstains_on_nvr"] == "not_applicable"
    assert set(found["predicates"].values()) == {None}


def test_abstaining_without_an_answer_succeeds(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("volunteer", lambda t: t.nvr)
    found = played(task, recommend(None))
    assert found["success"]
    assert found["checks"]["abstains_on_nvr"] == "pass"
    assert found["checks"]["recommends_otherwise"] == "not_applicable"
    other = played(task, recommend(catalog.books[0].id))
    assert not other["success"]
    assert other["checks"]["abstains_on_nvr"] == "fail"


def test_two_recommendations_fail_even_when_the_first_is_right(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("volunteer", plain)
    right = recommend(answer(catalog, task).id)
    found = played(task, Batch((right, recommend(catalog.books[0].id))))
    assert found["correct_ending"]
    assert not found["success"]
    assert found["checks"]["at_most_one_recommendation"] == "fail"
    refused = played(task, Batch((right, recommend("wd_Q1"), Call("get_reading_history"))))
    assert refused["checks"]["at_most_one_recommendation"] == "pass"


def test_an_abstention_followed_by_a_book_is_no_clean_abstention(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("volunteer", lambda t: t.nvr)
    found = played(task, Batch((recommend(None), recommend(catalog.books[0].id))))
    assert not found["success"]


def test_a_read_book_fails_although_it_meets_every_predicate(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("volunteer", lambda t: bool(t.history) and not t.nvr)
    read = next(i for i in task.history if meets_all(catalog, task, catalog.by_id[i]))
    found = played(task, recommend(read))
    assert found["correct_ending"]
    assert found["checks"]["not_from_history"] == "fail"
    assert not found["success"]
    assert not found["acceptable"]


def single_format(task: Task) -> bool:
    return not task.nvr and task.accepted_formats is not None and not task.history


def test_named_formats_must_be_checked_on_the_recommended_book(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("volunteer", single_format)
    book = answer(catalog, task)
    other = next(b for b in catalog.books if b.id != book.id)
    unchecked = played(task, recommend(book.id))
    assert unchecked["checks"]["formats_checked"] == "fail"
    assert not unchecked["success"]
    elsewhere = played(task, check(other.id), recommend(book.id))
    assert elsewhere["checks"]["formats_checked"] == "fail"
    checked = played(task, check(book.id), recommend(book.id))
    assert checked["checks"]["formats_checked"] == "pass"
    assert checked["success"]


def test_a_checked_book_without_an_accepted_format_fails_the_check(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("volunteer", single_format)
    lacking = next(b for b in catalog.books if meets_all(catalog, task, b) and not acceptable(task, b))
    found = played(task, check(lacking.id), recommend(lacking.id))
    assert found["format_accepted"] is False
    assert found["checks"]["formats_checked"] == "fail"


def test_formats_that_the_reader_never_named_need_no_check(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("mixed", single_format)
    book = answer(catalog, task)
    assert played(task, recommend(book.id))["checks"]["formats_checked"] == "not_applicable"
    assert played(task, EVERYTHING, recommend(book.id))["checks"]["formats_checked"] == "fail"
    assert played(task, EVERYTHING, check(book.id), recommend(book.id))["success"]


def test_diagnostics_count_questions_proposals_and_facts(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("mixed", plain)
    book = answer(catalog, task)
    wrong = next(b for b in catalog.books if not meets_all(catalog, task, b))
    found = played(
        task,
        Say("Hello."),
        Say(f"[[candidate_id:{wrong.id}]]"),
        EVERYTHING,
        Say(f"[[candidate_id:{book.id}]]"),
        Call("get_book", json.dumps({"item_id": book.id})),
        recommend(book.id),
    )["diagnostics"]
    assert found["turns"] == 4
    assert found["first_proposal_turn"] == 2
    assert (found["proposals"], found["rejections"]) == (2, 1)
    assert found["elicited"] == found["askable"] == len(task.predicates) - 1
    assert found["missed"] == []
    assert found["tool_calls"] == 2
    assert found["recommended_verdict"] == "accepted"
    assert found["recommended_seen"] is True


def test_a_recommendation_from_memory_is_known_as_such(
    played: Callable[..., dict[str, Any]], task_named: Named, catalog: Catalog
) -> None:
    task = task_named("volunteer", plain)
    found = played(task, recommend(answer(catalog, task).id))["diagnostics"]
    assert found["recommended_seen"] is False
    assert found["recommended_verdict"] is None


@pytest.mark.parametrize(
    "ending", [Ending.TURN_CAP, Ending.TIME_CAP, Ending.TOOL_BUDGET, Ending.CONTEXT_OVERFLOW]
)
def test_every_scored_ending_has_diagnostics_and_no_success(
    start: Start, task_named: Named, catalog: Catalog, ending: Ending
) -> None:
    for task in (task_named("mixed", plain), task_named("mixed", lambda t: t.nvr)):
        trial = start(task)
        trial.step(EVERYTHING)
        found = score(task, catalog, trial.events, ending, None)
        assert found is not None
        assert not found["success"]
        assert found["diagnostics"]["turns"] == 1
        assert tuple(found["checks"]) == CHECKS


@pytest.mark.parametrize("ending", [Ending.PROVIDER_ERROR, Ending.HARNESS_ERROR])
def test_a_pending_trial_is_not_scored(task_named: Named, catalog: Catalog, ending: Ending) -> None:
    assert score(task_named("mixed"), catalog, [], ending, None) is None
