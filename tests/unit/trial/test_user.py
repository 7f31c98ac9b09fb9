"""The rule user: what it says, when, and what it never says."""

import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Predicate, Task
from tau_rec_books.tasks.predicates import wanted
from tau_rec_books.trial.user import Reply, RuleUser, disclosed_after, profile

EVERYTHING = "Which genre, language, country, year and format would you like?"
PROFILE = profile("rule-v1")


def task_with(
    *predicates: tuple[str, str, str | int, str],
    formats: tuple[str, ...] | None = None,
    condition: str = "mixed",
    nvr: bool = False,
    history: tuple[str, ...] = (),
) -> Task:
    """A task of predicates given as (field, operator, value, reveal tag)."""
    return Task.from_document(
        {
            "id": "family-001-x",
            "family": "family-001",
            "tier": "simple",
            "template": "t",
            "condition": condition,
            "predicates": [
                {"id": f"p{number}", "field": field, "operator": operator, "value": value, "reveal": reveal}
                for number, (field, operator, value, reveal) in enumerate(predicates, start=1)
            ],
            "accepted_formats": None if formats is None else list(formats),
            "history": list(history),
            "persona": {},
            "nvr": nvr,
        }
    )


def acts(reply: Reply) -> list[tuple[str, str | None]]:
    return [(act["act"], act.get("field")) for act in reply.acts]


def converse(user: RuleUser, messages: Sequence[str]) -> list[Reply]:
    replies = [user.opening()]
    known = disclosed_after(frozenset(), replies[0])
    for message in messages:
        replies.append(user.reply(message, known))
        known = disclosed_after(known, replies[-1])
    return replies


@pytest.fixture
def asked(catalog: Catalog) -> Callable[..., Reply]:
    """Function that asks one thing after the opening and gives the reply."""

    def ask(task: Task, message: str) -> Reply:
        return converse(RuleUser(PROFILE, task, catalog), [message])[-1]

    return ask


def test_a_volunteer_states_every_fact_and_the_formats(catalog: Catalog) -> None:
    task = task_with(
        ("genre", "is", "War", "stated"),
        ("year", "min", 1950, "stated"),
        formats=("ebook", "paperback"),
        condition="volunteer",
    )
    opening = RuleUser(PROFILE, task, catalog).opening()
    assert "War" in opening.text
    assert "in or after 1950" in opening.text
    assert "an ebook or a paperback" in opening.text
    assert [entry["fact"] for entry in opening.disclosed] == ["p1", "p2", "formats"]


@pytest.mark.parametrize("condition", ["mixed", "hidden"])
def test_other_readers_open_with_the_one_stated_fact(catalog: Catalog, condition: str) -> None:
    task = task_with(
        ("genre", "is", "War", "stated"),
        ("genre", "is", "Fantasy", "on_ask"),
        ("year", "max", 1950, "hidden" if condition == "hidden" else "on_ask"),
        formats=("ebook",),
        condition=condition,
    )
    opening = RuleUser(PROFILE, task, catalog).opening()
    assert [entry["fact"] for entry in opening.disclosed] == ["p1"]
    assert "Fantasy" not in opening.text
    assert "1950" not in opening.text
    assert "ebook" not in opening.text


def test_one_question_naming_every_field_draws_every_askable_fact(asked: Callable[..., Reply]) -> None:
    task = task_with(
        ("genre", "is", "War", "stated"),
        ("genre", "is", "Fantasy", "on_ask"),
        ("country", "is", "France", "on_ask"),
        ("year", "min", 1900, "on_ask"),
        ("year", "max", 1950, "on_ask"),
        formats=("audiobook",),
    )
    reply = asked(task, EVERYTHING)
    assert acts(reply) == [
        ("answer", "genre"),
        ("no_preference", "language"),
        ("answer", "country"),
        ("answer", "year"),
        ("formats", "formats"),
    ]
    assert [entry["fact"] for entry in reply.disclosed] == ["p2", "p3", "p4", "p5", "formats"]


def test_a_hidden_field_is_declined_without_its_value(asked: Callable[..., Reply]) -> None:
    task = task_with(("genre", "is", "War", "stated"), ("language", "is", "French", "hidden"))
    reply = asked(task, "What language?")
    assert acts(reply) == [("decline", "language")]
    assert "French" not in reply.text
    assert reply.disclosed == ()


def test_a_partly_told_field_is_declined_as_having_more(asked: Callable[..., Reply]) -> None:
    task = task_with(("genre", "is", "War", "stated"), ("genre", "is", "Fantasy", "hidden"))
    assert acts(asked(task, "Any genre?")) == [("decline_more", "genre")]
    bounds = task_with(("year", "min", 1950, "on_ask"), ("year", "max", 1990, "hidden"))
    reply = asked(bounds, "Any year?")
    assert acts(reply) == [("answer", "year"), ("decline_more", "year")]
    assert "1990" not in reply.text


def test_a_told_field_is_restated_and_disclosed_once(catalog: Catalog) -> None:
    task = task_with(("genre", "is", "War", "stated"), ("language", "is", "French", "on_ask"))
    replies = converse(RuleUser(PROFILE, task, catalog), ["Which language?", "Which language?", "Genre?"])
    assert [acts(reply)[0][0] for reply in replies[1:]] == ["answer", "restate", "restate"]
    assert "French" in replies[2].text
    assert [len(reply.disclosed) for reply in replies] == [1, 1, 0, 0]


def test_formats_any_will_do(asked: Callable[..., Reply]) -> None:
    reply = asked(task_with(("genre", "is", "War", "stated")), "Do you want an ebook?")
    assert acts(reply) == [("formats", "formats")]
    assert reply.disclosed == ()


def test_a_verdict_comes_first_and_answers_may_follow(catalog: Catalog, asked: Callable[..., Reply]) -> None:
    book = next(book for book in catalog.books if "War" in book.genres)
    task = task_with(("genre", "is", "War", "stated"), ("year", "min", 1400, "on_ask"))
    reply = asked(task, f"[[candidate_id:{book.id}]] And which years do you like?")
    assert reply.text.startswith("###ACCEPTED### ")
    assert reply.verdict == "accepted"
    assert acts(reply) == [("accept", None), ("answer", "year")]


@pytest.mark.parametrize(
    "message",
    [
        "[[candidate_id:wd_Q9000000000]] or [[candidate_id:wd_Q9000000007]]",
        "[[candidate_id:wd_Q1]]",
        "[[candidate_id:]]",
        "[[candidate_id: Dune ]]",
    ],
)
def test_several_or_unknown_tags_draw_no_verdict(asked: Callable[..., Reply], message: str) -> None:
    reply = asked(task_with(("genre", "is", "War", "stated")), message)
    assert acts(reply) == [("malformed", None)]
    assert reply.verdict is None
    assert "###" not in reply.text


def test_one_book_tagged_twice_is_one_proposal(catalog: Catalog, asked: Callable[..., Reply]) -> None:
    tag = f"[[candidate_id:{catalog.books[0].id}]]"
    assert asked(task_with(("genre", "is", "War", "stated")), f"{tag} yes, {tag}").verdict is not None


def test_a_read_book_or_one_in_another_format_is_rejected(
    catalog: Catalog, asked: Callable[..., Reply]
) -> None:
    book = next(book for book in catalog.books if "War" in book.genres and len(book.formats) == 1)
    other = "ebook" if book.formats[0] != "ebook" else "paperback"
    tag = f"I propose [[candidate_id:{book.id}]]."
    war = ("genre", "is", "War", "stated")
    assert asked(task_with(war), tag).verdict == "accepted"
    assert asked(task_with(war, formats=book.formats), tag).verdict == "accepted"
    assert asked(task_with(war, formats=(other,)), tag).verdict == "rejected"
    assert asked(task_with(war, history=(book.id,)), tag).verdict == "rejected"
    assert asked(task_with(war, nvr=True), tag).verdict == "rejected"


def test_every_verdict_is_the_truth_about_the_book(catalog: Catalog, tasks: list[Task]) -> None:
    for task in tasks[::3]:
        user = RuleUser(PROFILE, task, catalog)
        for book in catalog.books[:150]:
            verdict = user.reply(f"[[candidate_id:{book.id}]]", frozenset()).verdict
            true = wanted(task, book, catalog.vocabulary) and not task.nvr
            assert verdict == ("accepted" if true else "rejected")


@pytest.mark.parametrize("message", ["", "   ", "Hello there.", "I found a great French novel.", "🙂"])
def test_nothing_asked_draws_the_fallback_which_names_no_field(
    asked: Callable[..., Reply], message: str
) -> None:
    reply = asked(task_with(("genre", "is", "War", "stated")), message)
    assert acts(reply) == [("fallback", None)]
    assert not re.search("genre|language|country|year|format", reply.text)


def test_rejections_and_declines_never_differ_by_what_is_hidden(catalog: Catalog) -> None:
    texts = set()
    for value in ("French", "Polish", "English"):
        task = task_with(("genre", "is", "War", "stated"), ("language", "is", value, "hidden"))
        user = RuleUser(PROFILE, task, catalog)
        texts.add(user.reply("Which language?", frozenset({"p1"})).text)
    assert len(texts) == 1


def test_the_tag_in_the_profile_is_the_one_that_is_read() -> None:
    import json

    from tau_rec_books.trial.matching import profile_file

    assert json.loads(profile_file("rule-v1", "templates.json"))["tag"] == "candidate_id"


def test_an_unknown_profile_is_a_problem() -> None:
    with pytest.raises(Problem, match="rule-v1"):
        profile("rule-v0")


ASKING = st.sampled_from(
    [
        EVERYTHING,
        "Anything else I should know?",
        "What genre?",
        "Is there a language you prefer? And a year?",
        "ebook or paperback?",
        "Please tell me more about what you want.",
        "Is it French? Polish? English? War? Fantasy?",
        "I propose [[candidate_id:{id}]].",
        "How about [[candidate_id:{id}]]? Otherwise, which country?",
        "[[candidate_id:{id}]] [[candidate_id:wd_Q1]]",
    ]
)
MESSAGES = st.lists(
    st.one_of(ASKING, ASKING, st.text(max_size=60), st.tuples(ASKING, st.text(max_size=20)).map("".join)),
    max_size=6,
)


def says(text: str, value: str | int) -> bool:
    """Whether a reply holds a value as a word of its own."""
    return re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", text, re.IGNORECASE) is not None


@settings(max_examples=150, deadline=None)
@given(number=st.integers(0, 11), messages=MESSAGES, pick=st.integers(0, 1499))
def test_no_hidden_value_is_ever_in_a_reply(
    catalog: Catalog, tasks: list[Task], number: int, messages: list[str], pick: int
) -> None:
    hidden_tasks = [task for task in tasks if task.condition == "hidden"]
    task = hidden_tasks[number % len(hidden_tasks)]
    spoken = [message.replace("{id}", catalog.books[pick].id) for message in messages]
    hidden = [p for p in task.predicates if task.reveal[p.id] == "hidden"]
    for reply in converse(RuleUser(PROFILE, task, catalog), spoken):
        for predicate in hidden:
            assert not says(reply.text, predicate.value)
            assert predicate.id not in [entry["fact"] for entry in reply.disclosed]


@settings(max_examples=60, deadline=None)
@given(number=st.integers(0, 35), messages=MESSAGES)
def test_the_same_dialogue_gives_the_same_bytes(
    catalog: Catalog, tasks: list[Task], number: int, messages: list[str]
) -> None:
    task = tasks[number % len(tasks)]
    first = converse(RuleUser(PROFILE, task, catalog), messages)
    again = converse(RuleUser(profile("rule-v1"), Task.from_document(task.document()), catalog), messages)
    assert [reply.document() for reply in first] == [reply.document() for reply in again]


@settings(max_examples=100)
@given(label=st.text(min_size=1, max_size=30))
def test_a_fact_is_one_line_whatever_its_label(label: str) -> None:
    sentence = PROFILE.templates.fact(Predicate("p1", "genre", "is", label))
    assert len(sentence.splitlines()) == 1
