"""Whatever an agent does: the invariants of a trial, over random legal and illegal actions.

The test of every run plays some hundreds of trials; `make fuzz-trials` plays thousands (`TRIAL_EXAMPLES`).
"""

import json
import os
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.canonical import json_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.tasks.predicates import holds, wanted
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.endings import STOPS, Ending
from tau_rec_books.trial.machine import Batch, Call, Observation, Say, Trial
from tau_rec_books.trial.replay import Replayer
from tau_rec_books.trial.tools import Tools
from tau_rec_books.trial.trace import Identity, trace_line, trace_of
from tau_rec_books.trial.user import RuleUser, disclosed_after, profile

QUESTIONS = (
    "Which genre, language, country, year and format would you like?",
    "Anything else?",
    "What genre?",
    "Which language, and from what years?",
    "Do you want an audiobook?",
    "Is it a French or a Polish book? From France?",
    "Let me look.",
    "",
)
TOOLS = ("search_books", "get_book", "check_formats", "get_reading_history", "recommend", "nonsense")
ARGUMENTS = st.one_of(
    st.sampled_from(
        ['{"genre": "War"}', '{"query": "war"}', "{}", "", "[", '{"page": "2"}', '{"item_id": 3}', "null"]
    ),
    st.dictionaries(st.sampled_from(["genre", "year_min", "item_id"]), st.text(max_size=6), max_size=2).map(
        json.dumps
    ),
)
MALFORMED: dict[str, tuple[Call | Say, ...]] = {
    "bad JSON": (
        Call("search_books", '{"genre": '),
        Call("recommend", "wd_Q1"),
        Call("get_book", '{"a": NaN}'),
    ),
    "not an object": (
        Call("search_books", "[1, 2]"),
        Call("recommend", '"wd_Q1"'),
        Call("recommend", "null"),
    ),
    "wrong types": (
        Call("search_books", '{"genre": 5, "query": []}'),
        Call("search_books", '{"year_min": true, "query": {}}'),
        Call("get_book", '{"item_id": ["wd_Q1"]}'),
        Call("recommend", '{"item_id": 7}'),
    ),
    "unknown tool": (Call("buy_book", "{}"), Call("", "{}"), Call("recommend ", '{"item_id": null}')),
    "unknown argument": (
        Call("get_reading_history", '{"item_id": "wd_Q1"}'),
        Call("recommend", '{"id": null}'),
    ),
    "unknown id": (Call("get_book", '{"item_id": "wd_Q0"}'), Call("recommend", '{"item_id": "wd_Q0"}')),
    "missing argument": (Call("recommend", "{}"), Call("check_formats", "")),
    "lone surrogate": (
        Call("search_books", '{"genre": "\ud800", "query": "\\udfff"}'),
        Call("\udc00", "\ud800"),
        Say("\ud83d Genre?"),
    ),
    "a megabyte": (
        Call("search_books", json.dumps({"genre": "x" * 1_000_000, "query": [0]})),
        Call("recommend", "[" * 1_000_000),
        Say("What genre? " + "x" * 1_000_000),
    ),
    "unknown tags": (
        Say("[[candidate_id:wd_Q0]]"),
        Say("[[candidate_id:]] or [[candidate_id:wd_Q1]] What year?"),
    ),
}
"""Messages and calls with a fault; none of them may end a trial before a cap does."""
ABSTENTIONS = tuple(f'{{"item_id": {text}}}' for text in ("null", '"null"', '"None"', '""', '" "'))

CHARACTERS = st.characters(exclude_categories=()) | st.characters(categories=["Cs"])
FREE_TEXT = st.text(CHARACTERS, max_size=30)
INTERFACE = st.sampled_from(["structured", "keyword"])
SECONDS = st.sampled_from([0, 0, 0, 0, 3, 40_000, 599_000])


class AnyTrial(RuleBasedStateMachine):
    """Drives one trial by legal and illegal actions; ``catalog`` and the rest are set by the test below."""

    catalog: Catalog
    tasks: list[Task]
    tools: dict[str, Tools]
    replayer: Replayer
    endings: Counter[str]

    trial: Trial
    task: Task

    @initialize(number=st.integers(0, 35), interface=INTERFACE, small=st.booleans())
    def begin(self, number: int, interface: Any, small: bool) -> None:
        self.begin_trial(number, interface, small)

    def begin_trial(self, number: int, interface: Any, small: bool) -> None:
        self.task = self.tasks[number % len(self.tasks)]
        caps = Caps(agent_turns=4, tool_calls_per_turn=3, tool_calls_beyond=2) if small else Caps()
        self.trial = Trial(
            self.task, self.catalog, interface, profile("rule-v1"), caps, self.tools[interface]
        )
        self.interface = interface
        self.messages = 0
        self.calls = 0

    def running(self) -> bool:
        return self.trial.ended is None

    def seen(self, observation: Observation) -> None:
        assert observation.ended is self.trial.ended
        assert (observation.reply is None) or self.running()

    @precondition(running)
    @rule(text=st.sampled_from(QUESTIONS) | FREE_TEXT, more=FREE_TEXT, time=SECONDS)
    def says_something(self, text: str, more: str, time: int) -> None:
        self.messages += 1
        self.seen(self.trial.step(Say(text + more), time))

    @precondition(running)
    @rule(numbers=st.lists(st.integers(0, 1499), min_size=1, max_size=2), ask=st.sampled_from(QUESTIONS))
    def proposes(self, numbers: list[int], ask: str) -> None:
        self.messages += 1
        tags = " ".join(f"[[candidate_id:{self.catalog.books[n].id}]]" for n in numbers)
        self.seen(self.trial.step(Say(f"{tags} {ask}")))

    @precondition(running)
    @rule()
    def proposes_a_wanted_book(self) -> None:
        self.messages += 1
        vocabulary = self.catalog.vocabulary
        book = next(
            (b for b in self.catalog.books if wanted(self.task, b, vocabulary)), self.catalog.books[0]
        )
        self.seen(self.trial.step(Say(f"How about [[candidate_id:{book.id}]]?")))

    @precondition(running)
    @rule(name=st.sampled_from(TOOLS) | st.text(max_size=4), arguments=ARGUMENTS | FREE_TEXT, time=SECONDS)
    def calls_a_tool(self, name: str, arguments: str, time: int) -> None:
        self.calls += 1
        observation = self.trial.step(Call(name, arguments), time)
        assert len(observation.results) == 1 or self.trial.ended is Ending.TIME_CAP
        self.seen(observation)

    @precondition(running)
    @rule(
        calls=st.lists(st.builds(Call, st.sampled_from(TOOLS), ARGUMENTS), max_size=3),
        number=st.integers(0, 1499),
        text=FREE_TEXT,
    )
    def sends_a_batch(self, calls: list[Call], number: int, text: str) -> None:
        final = Call("recommend", json.dumps({"item_id": self.catalog.books[number].id}))
        if calls:
            self.calls += len(calls) + (number % 5 == 0)
        else:
            self.messages += 1
        self.seen(
            self.trial.step(Batch(tuple(calls) + ((final,) if calls and number % 5 == 0 else ()), text))
        )

    @precondition(running)
    @rule(kind=st.sampled_from(sorted(MALFORMED)), number=st.integers(0, 3))
    def sends_something_malformed(self, kind: str, number: int) -> None:
        action = MALFORMED[kind][number % len(MALFORMED[kind])]
        if isinstance(action, Say):
            self.messages += 1
            self.seen(self.trial.step(action))
            assert self.trial.ended in (None, Ending.TURN_CAP)
            return
        self.calls += 1
        observation = self.trial.step(action)
        assert "error" in observation.results[0]
        assert self.trial.events[-1]["status"] in ("error", "over_budget")
        assert (self.trial.events[-1]["fault"] is None) == (self.trial.events[-1]["status"] == "over_budget")
        assert self.trial.ended in (None, Ending.TOOL_BUDGET)
        self.seen(observation)

    @precondition(running)
    @rule(ask=st.sampled_from(QUESTIONS))
    def proposes_a_read_book(self, ask: str) -> None:
        if self.task.history:
            self.messages += 1
            observation = self.trial.step(Say(f"{ask} [[candidate_id:{self.task.history[0]}]]"))
            assert observation.reply is None or observation.reply.startswith("###REJECTED###")

    @precondition(running)
    @rule(written=st.sampled_from(ABSTENTIONS), number=st.integers(0, 1499), really=st.integers(0, 5))
    def recommends_twice_in_one_message(self, written: str, number: int, really: int) -> None:
        if really:
            return
        calls = [Call("recommend", written), Call("recommend", json.dumps({"item_id": self.book_id(number)}))]
        self.calls += 2
        self.seen(self.trial.step(Batch(tuple(calls if number % 2 else calls[::-1]))))
        if self.trial.ended in (Ending.RECOMMENDED, Ending.ABSTAINED):
            assert self.trial.events[-1]["status"] == "ignored"

    @precondition(running)
    @rule(written=st.sampled_from(ABSTENTIONS), really=st.integers(0, 5))
    def abstains(self, written: str, really: int) -> None:
        if really == 0:
            self.calls += 1
            self.seen(self.trial.step(Call("recommend", written)))

    def book_id(self, number: int) -> str:
        return self.catalog.books[number].id

    @precondition(running)
    @rule(time=SECONDS)
    def waits(self, time: int) -> None:
        self.seen(self.trial.wait(time))

    @precondition(running)
    @rule(ending=st.sampled_from(STOPS), really=st.integers(0, 9))
    def driver_stops(self, ending: Ending, really: int) -> None:
        if really == 0:
            self.trial.finish(ending, "test")

    @invariant()
    def no_hidden_value_is_in_any_reply(self) -> None:
        hidden = [p for p in self.task.predicates if self.task.reveal[p.id] == "hidden"]
        for event in self.trial.events[-1:]:
            if event["type"] == "user_message":
                for predicate in hidden:
                    word = rf"(?<!\w){re.escape(str(predicate.value))}(?!\w)"
                    assert re.search(word, event["text"], re.IGNORECASE) is None

    @invariant()
    def verdicts_are_the_truth(self) -> None:
        for event in self.trial.events[-1:]:
            for act in event.get("acts", ()):
                if "item_id" in act:
                    book = self.catalog.by_id[act["item_id"]]
                    true = not self.task.nvr and wanted(self.task, book, self.catalog.vocabulary)
                    assert act["act"] == ("accept" if true else "reject")
                    assert event["text"].startswith("###ACCEPTED###" if true else "###REJECTED###")

    @invariant()
    def every_event_can_be_written(self) -> None:
        json_text(self.trial.events[-1]).encode("utf-8")

    def over(self) -> bool:
        return self.trial.ended is not None

    @precondition(over)
    @rule(number=st.integers(0, 35), interface=INTERFACE, small=st.booleans())
    def takes_nothing_more_and_another_begins(self, number: int, interface: Any, small: bool) -> None:
        with pytest.raises(Problem):
            self.trial.step(Say("Hello."))
        self.check_the_whole()
        self.begin_trial(number, interface, small)

    def teardown(self) -> None:
        if hasattr(self, "trial"):
            if self.trial.ended is None:
                self.trial.finish(Ending.CONTEXT_OVERFLOW)
            self.check_the_whole()

    def check_the_whole(self) -> None:
        self.user_is_a_pure_function_of_the_dialogue()
        identity = Identity("t", "b", "any", self.interface, "1500", "rule-v1", "", self.task.id, 1, 1)
        trace = json.loads(trace_line(trace_of(self.trial, identity, self.replayer.digests)))
        assert self.replayer.replay(trace, self.task) == []
        self.counts_add_up(trace)
        self.endings[trace["ending"]] += 1

    def user_is_a_pure_function_of_the_dialogue(self) -> None:
        user = RuleUser(profile("rule-v1"), Task.from_document(self.task.document()), self.catalog)
        known = disclosed_after(frozenset(), user.opening())
        spoken = ""
        for event in self.trial.events[1:]:
            if event["type"] == "agent_message" and event["delivered"]:
                spoken = event["text"]
            elif event["type"] == "user_message":
                reply = user.reply(spoken, known)
                assert reply.document() == {k: event[k] for k in reply.document()}
                known = disclosed_after(known, reply)

    def counts_add_up(self, trace: dict[str, Any]) -> None:
        ending = Ending(trace["ending"])
        events = trace["events"]
        calls = [event for event in events if event["type"] == "tool_call"]
        delivered = [e for e in events if e["type"] == "agent_message" and e["delivered"]]
        replies = [event for event in events if event["type"] == "user_message"]
        assert len(trace["chain"]) == len(events)
        assert len(calls) == self.calls
        assert len(replies) == 1 + len(delivered) - (ending is Ending.TURN_CAP)
        facts = [entry["fact"] for event in replies for entry in event["disclosed"]]
        assert len(facts) == len(set(facts))
        assert (trace["evaluation"] is None) == (not ending.scored)
        assert (trace["recommended"] is not None) == (ending is Ending.RECOMMENDED)
        assert (trace["abstained_as"] is not None) == (ending is Ending.ABSTAINED)
        if trace["evaluation"] is None:
            return
        found = trace["evaluation"]
        counts = found["diagnostics"]
        assert counts["turns"] == len(delivered) <= self.messages
        assert counts["tool_calls"] + sum(call["status"] == "ignored" for call in calls) == len(calls)
        assert counts["rejections"] <= counts["proposals"] <= counts["turns"]
        assert counts["elicited"] + len(counts["missed"]) == counts["askable"]
        success = found["correct_ending"] and "fail" not in found["checks"].values()
        assert found["success"] == success
        if trace["recommended"] is not None:
            book = self.catalog.by_id[trace["recommended"]]
            truth = {p.id: holds(p, book, self.catalog.vocabulary) for p in self.task.predicates}
            assert found["predicates"] == truth


def test_the_invariants_hold_for_any_actions(catalog: Catalog, tasks: list[Task], tools_of: Any) -> None:
    class Here(AnyTrial):
        pass

    Here.catalog = catalog
    Here.tasks = tasks
    Here.tools = {name: tools_of(name) for name in ("structured", "keyword")}
    Here.replayer = Replayer(catalog, "1500")
    Here.endings = Counter()
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=int(os.environ.get("TRIAL_EXAMPLES", "100")),
            stateful_step_count=50,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    print(f"\n{Here.endings.total()} trials:", ", ".join(f"{n} {e}" for e, n in sorted(Here.endings.items())))
