"""The state machine: turns, budgets, time, endings, and messages of any size and shape."""

import json
from collections.abc import Callable

import pytest

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.canonical import json_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.tasks.predicates import wanted
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.endings import STOPS, Ending
from tau_rec_books.trial.machine import Batch, Call, Say, Trial
from tau_rec_books.trial.tools import Tools
from tau_rec_books.trial.user import profile

Start = Callable[..., Trial]
Named = Callable[..., Task]
HISTORY = Call("get_reading_history")


def recommend(item: str | None) -> Call:
    return Call("recommend", json.dumps({"item_id": item}))


@pytest.fixture
def trial(start: Start, task_named: Named) -> Trial:
    return start(task_named("mixed"))


def test_a_book_ends_the_trial_as_recommended(trial: Trial, catalog: Catalog) -> None:
    seen = trial.step(recommend(catalog.books[0].id))
    assert seen.ended is trial.ended is Ending.RECOMMENDED
    assert seen.reply is None


@pytest.mark.parametrize("item", [None, "null", "none", ""])
def test_none_ends_the_trial_as_abstained(trial: Trial, item: str | None) -> None:
    assert trial.step(recommend(item)).ended is Ending.ABSTAINED


def test_an_unknown_book_is_an_error_and_the_trial_goes_on(trial: Trial) -> None:
    seen = trial.step(recommend("wd_Q1"))
    assert "wd_Q1" in seen.results[0]["error"]
    assert trial.ended is None


def test_the_twentieth_message_ends_the_trial_unanswered(trial: Trial) -> None:
    for _ in range(19):
        seen = trial.step(Say("Hello."))
        assert seen.reply is not None
        assert seen.ended is None
    last = trial.step(Say("Hello."))
    assert last.reply is None
    assert last.ended is Ending.TURN_CAP


def test_a_recommendation_in_the_twentieth_turn_still_counts(trial: Trial, catalog: Catalog) -> None:
    for _ in range(19):
        trial.step(Say(""))
    trial.step(HISTORY)
    assert trial.step(recommend(catalog.books[0].id)).ended is Ending.RECOMMENDED


def test_an_empty_message_costs_a_turn(start: Start, task_named: Named) -> None:
    trial = start(task_named("mixed"), agent_turns=2)
    assert trial.step(Say("")).reply is not None
    assert trial.step(Batch(())).ended is Ending.TURN_CAP


def test_calls_beyond_the_budget_are_refused_and_the_tenth_ends_the_trial(trial: Trial) -> None:
    for _ in range(150):
        assert "books" in trial.step(HISTORY).results[0]
    for _ in range(9):
        seen = trial.step(HISTORY)
        assert "budget" in seen.results[0]["error"]
        assert seen.ended is None
    assert trial.step(HISTORY).ended is Ending.TOOL_BUDGET
    assert [e["status"] for e in trial.events if e["type"] == "tool_call"] == ["ok"] * 150 + [
        "over_budget"
    ] * 10


def test_a_message_renews_the_budget(trial: Trial) -> None:
    for _ in range(155):
        trial.step(HISTORY)
    trial.step(Say("One moment."))
    assert "books" in trial.step(HISTORY).results[0]


def test_a_recommendation_beyond_the_budget_is_refused(trial: Trial, catalog: Catalog) -> None:
    for _ in range(150):
        trial.step(HISTORY)
    assert "budget" in trial.step(recommend(catalog.books[0].id)).results[0]["error"]
    assert trial.recommendation is None


def test_malformed_calls_cost_a_call(start: Start, task_named: Named) -> None:
    trial = start(task_named("mixed"), tool_calls_per_turn=2, tool_calls_beyond=1)
    for call in (Call("nonsense"), Call("get_book", "{")):
        assert "error" in trial.step(call).results[0]
    assert trial.step(HISTORY).ended is Ending.TOOL_BUDGET


def test_time_is_up_only_after_the_limit_and_for_the_agent_alone(trial: Trial, catalog: Catalog) -> None:
    assert trial.step(Say("Hello."), 599_000).ended is None
    assert trial.step(HISTORY, 1_000).ended is None
    late = trial.step(recommend(catalog.books[0].id), 1)
    assert late.ended is Ending.TIME_CAP
    assert trial.recommendation is None
    assert trial.events[-1]["status"] == "ignored"


def test_a_late_message_is_recorded_but_not_delivered(trial: Trial) -> None:
    assert trial.step(Say("What genre?"), 600_001).ended is Ending.TIME_CAP
    assert trial.events[-1]["type"] == "agent_message"
    assert trial.events[-1]["delivered"] is False


def test_waiting_can_use_up_the_time(trial: Trial) -> None:
    assert trial.wait(600_000).ended is None
    assert trial.wait(1).ended is Ending.TIME_CAP


@pytest.mark.parametrize("ending", STOPS)
def test_the_driver_reports_what_the_trial_cannot_see(trial: Trial, ending: Ending) -> None:
    trial.finish(ending, "detail")
    assert trial.ended is ending
    assert ending.scored == (ending is Ending.CONTEXT_OVERFLOW)


def test_every_ending_can_be_reached(start: Start, task_named: Named, catalog: Catalog) -> None:
    def ended(*steps: Callable[[Trial], object]) -> Ending | None:
        trial = start(task_named("mixed"), agent_turns=2, tool_calls_per_turn=1, tool_calls_beyond=1)
        for step in steps:
            step(trial)
        return trial.ended

    reached = {
        ended(lambda t: t.step(recommend(catalog.books[0].id))),
        ended(lambda t: t.step(recommend(None))),
        ended(lambda t: t.step(Say("")), lambda t: t.step(Say(""))),
        ended(lambda t: t.step(HISTORY), lambda t: t.step(HISTORY)),
        ended(lambda t: t.step(Say(""), 600_001)),
        *(ended(lambda t, stop=stop: t.finish(stop)) for stop in STOPS),
    }
    assert reached == set(Ending)


@pytest.mark.parametrize("ending", sorted(set(Ending) - set(STOPS)))
def test_the_driver_cannot_claim_other_endings(trial: Trial, ending: Ending) -> None:
    with pytest.raises(Problem, match="itself"):
        trial.finish(ending)


def test_a_trial_that_is_over_takes_nothing_more(trial: Trial) -> None:
    trial.step(recommend(None))
    for act in (
        lambda: trial.step(Say("Hello.")),
        lambda: trial.finish(Ending.HARNESS_ERROR),
        lambda: trial.wait(1),
    ):
        with pytest.raises(Problem, match="over"):
            act()


def test_the_first_of_two_recommendations_in_one_message_counts(trial: Trial, catalog: Catalog) -> None:
    first, second = catalog.books[0].id, catalog.books[1].id
    seen = trial.step(Batch((recommend(first), recommend(second), Call("x", "{")), "Here you are."))
    assert seen.ended is Ending.RECOMMENDED
    assert trial.recommendation is not None
    assert trial.recommendation.item_id == first
    kinds = [(event["type"], event.get("status")) for event in trial.events[1:]]
    assert kinds == [
        ("agent_message", None),
        ("tool_call", "ok"),
        ("tool_call", "ignored"),
        ("tool_call", "ignored"),
    ]


def test_text_beside_calls_is_kept_but_not_delivered(trial: Trial, catalog: Catalog) -> None:
    seen = trial.step(Batch((HISTORY, HISTORY), f"What genre? [[candidate_id:{catalog.books[0].id}]]"))
    assert len(seen.results) == 2
    assert seen.reply is None
    assert trial.events[1]["delivered"] is False
    assert trial.events[1]["message"] == trial.events[3]["message"]


def test_lone_surrogates_are_replaced_and_counted(trial: Trial) -> None:
    trial.step(Say("What \ud800 genre \udfff?"))
    trial.step(Call("get_\ud800", '{"a": "\ud9ff"}'))
    message, _, call = trial.events[1:]
    assert message["text"] == "What \ufffd genre \ufffd?"
    assert message["replaced_surrogates"] == 2
    assert call["replaced_surrogates"] == 2
    json_text(trial.events).encode("utf-8")


PIECES = (
    "What genre? ",
    "[[candidate_id:",
    "[[candidate_id:wd_Q1]] ",
    '"',
    "- ",
    "a",
    "?",
    "any other ",
    "( ",
    "\n",
)


@pytest.mark.parametrize("piece", PIECES)
def test_a_message_and_a_call_of_a_megabyte_have_a_result(
    start: Start, task_named: Named, piece: str
) -> None:
    """Work that grows faster than the text would run into the test's time limit here."""
    trial = start(task_named("mixed"))
    text = piece * (1_000_000 // len(piece))
    assert trial.step(Say(text)).reply is not None
    assert "error" in trial.step(Call("search_books", text)).results[0] or not text.strip()
    assert trial.events[1]["text"] == text


def test_tools_of_another_catalog_are_refused(catalog: Catalog, task_named: Named) -> None:
    tools = Tools(catalog.prefix(10), "keyword")
    with pytest.raises(Problem, match="another catalog"):
        Trial(task_named("mixed"), catalog, "keyword", profile("rule-v1"), Caps(), tools)


@pytest.mark.parametrize("cap", ["agent_turns", "agent_seconds", "tool_calls_per_turn", "tool_calls_beyond"])
def test_a_cap_below_one_is_a_problem(cap: str) -> None:
    with pytest.raises(Problem, match=cap):
        Caps(**{cap: 0})


def test_the_reader_never_ends_a_trial(trial: Trial, catalog: Catalog) -> None:
    answer = next(b for b in catalog.books if wanted(trial.task, b, catalog.vocabulary))
    seen = trial.step(Say(f"[[candidate_id:{answer.id}]]"))
    assert seen.reply is not None
    assert seen.reply.startswith("###ACCEPTED###")
    assert trial.ended is None
