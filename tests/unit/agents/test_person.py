"""A person at the terminal, and transcripts."""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tau_rec_books.agents.completion import COMMANDS, completions
from tau_rec_books.agents.person import PersonAsAgent, PersonAsReader
from tau_rec_books.agents.run import TrialRunner
from tau_rec_books.catalog.books import BOOK_SCHEMA, Catalog, book_rows
from tau_rec_books.core.canonical import write_json, write_jsonl, write_parquet
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.replay import Replayer
from tau_rec_books.trial.search import book_record
from tau_rec_books.trial.trace import Identity
from tau_rec_books.trial.transcript import book_table, harmless, print_events, print_score
from tau_rec_books.trial.user import RuleUser, profile


def typing(lines: list[str]) -> Callable[[str], str]:
    rest: Iterator[str] = iter(lines)

    def ask(prompt: str) -> str:
        line = next(rest, None)
        if line is None:
            raise EOFError
        return line

    return ask


@pytest.fixture
def played(catalog: Catalog) -> Callable[..., tuple[dict[str, Any], str]]:
    """Function that plays typed lines and gives the trace and the screen."""
    runner = TrialRunner(catalog, "1500", Caps())

    def play(task: Task, *lines: str, interface: str = "structured") -> tuple[dict[str, Any], str]:
        screen = Console(file=io.StringIO(), width=200, highlight=False)
        identity = Identity("play", "play", "person", interface, "1500", "rule-v1", "", task.id, 1, 1)
        trace = runner.run(task, identity, agent=PersonAsAgent(typing(list(lines)), screen))
        print_events(screen, trace["events"])
        print_score(screen, trace, task, profile("rule-v1").templates)
        assert Replayer(catalog, "1500").replay(trace, task) == []
        return trace, screen.file.getvalue()  # type: ignore[attr-defined]

    return play


def test_a_person_can_search_open_ask_propose_and_recommend(
    played: Callable[..., tuple[dict[str, Any], str]], task_named: Callable[..., Task]
) -> None:
    task = task_named("volunteer", lambda t: not t.nvr and t.accepted_formats is None and not t.history)
    genre = str(task.predicates[0].value)
    trace, screen = played(
        task,
        "help",
        "",
        f'search "genre={genre}" sort=recency',
        "next",
        "open 1",
        "formats 2",
        "history",
        f'search genre="{genre}"',
        "What language would you like?",
        "propose 1 What about this?",
        "open 99",
        "open wd_Q0",
        "propose",
        "more",
        "search genre=Cooking",
        "recommend 1",
        "recommend 1",
    )
    assert trace["ending"] == "recommended"
    names = [e["name"] for e in trace["events"] if e["type"] == "tool_call"]
    assert names == [
        *("search_books", "search_books", "get_book", "check_formats", "get_reading_history"),
        *("search_books", "get_book", "search_books", "recommend"),
    ]
    assert "page 2 of" in screen
    assert "There is no book 99 in the last list; it has 20." in screen
    assert "There is no more in the last list." in screen
    assert "propose needs the number of a book" in screen
    assert "What the reader wanted" in screen
    assert "recommends one book at most" in screen


def test_abstaining_quitting_and_running_out_of_input(
    played: Callable[..., tuple[dict[str, Any], str]], task_named: Callable[..., Task]
) -> None:
    trace, screen = played(task_named("mixed", lambda t: t.nvr), "abstain")
    assert trace["evaluation"]["success"]
    assert "Success" in screen
    for lines in (["quit"], []):
        trace, screen = played(task_named("mixed"), *lines)
        assert trace["evaluation"] is None
        assert "pending" in screen


def test_keyword_words_and_repeated_filters(
    played: Callable[..., tuple[dict[str, Any], str]], task_named: Callable[..., Task]
) -> None:
    trace, _ = played(task_named("mixed"), "search silent river", "abstain", interface="keyword")
    assert json.loads(trace["events"][1]["arguments"]) == {"query": "silent river"}
    trace, _ = played(task_named("mixed"), "search genre=War genre=Fantasy genre=Crime 'odd", "abstain")
    assert json.loads(trace["events"][1]["arguments"])["genre"] == ["War", "Fantasy", "Crime"]


def test_a_person_as_reader_types_or_takes_over(catalog: Catalog, task_named: Callable[..., Task]) -> None:
    task = task_named("mixed", lambda t: not t.nvr)
    screen = Console(file=io.StringIO(), width=200)
    rule_user = RuleUser(profile("rule-v1"), task, catalog)
    words = profile("rule-v1").templates
    identity = Identity("play", "play", "popularity", "structured", "1500", "rule-v1", "", task.id, 1, 1)
    runner = TrialRunner(catalog, "1500", Caps())
    someone = PersonAsReader(rule_user, words, typing(["", "", "Not that one.", "reject", "accept"]), screen)
    trace = runner.run(task, identity, someone=someone)
    assert trace["ending"] == "recommended"
    assert [e["text"] for e in trace["events"] if e["type"] == "user_message"][2:] == [
        "Not that one.",
        words.reject,
        words.accept,
    ]


def test_leaving_ends_a_persons_part_cleanly(catalog: Catalog, task_named: Callable[..., Task]) -> None:
    task = task_named("mixed")
    screen = Console(file=io.StringIO(), width=80)
    someone = PersonAsReader(
        RuleUser(profile("rule-v1"), task, catalog), profile("rule-v1").templates, typing([""]), screen
    )
    identity = Identity("play", "play", "popularity", "structured", "1500", "rule-v1", "", task.id, 1, 1)
    trace = TrialRunner(catalog, "1500", Caps()).run(task, identity, someone=someone)
    assert trace["events"][-1]["detail"] == "PersonLeft"
    assert trace["evaluation"] is None


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("", [f"{command} " for command in sorted(COMMANDS)]),
        ("pro", ["propose "]),
        ("search year", ["search year_min=", "search year_max="]),
        ("search genre=cri", ["search genre=Crime "]),
        ('search genre="Science F', ['search genre="Science Fiction" ']),
        ("search genre=War country=united s", ["search genre=War country=united sort="]),
        ('search genre=War country="united s', ['search genre=War country="United States" ']),
        ("search formats=e", ["search formats=ebook "]),
        ("search year_min=", []),
        ("What gen", []),
    ],
)
def test_tab_completes_commands_filters_and_labels(catalog: Catalog, line: str, offered: list[str]) -> None:
    assert completions(line, "structured", catalog.vocabulary) == offered
    if line.startswith("search "):
        assert completions(line, "keyword", catalog.vocabulary) == []


@pytest.mark.parametrize("width", [80, 120])
def test_a_list_of_books_has_a_line_per_book_and_fits(catalog: Catalog, width: int) -> None:
    screen = Console(file=io.StringIO(), width=width)
    screen.print(book_table([book_record(book) for book in catalog.books[:20]], width, "Books"))
    lines = screen.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= width
    assert sum(line[:3].strip().isdecimal() for line in lines) == 20
    assert any(catalog.books[0].id in line for line in lines) == (width == 120)


def test_the_pages_of_one_search_are_told_in_a_line(
    played: Callable[..., tuple[dict[str, Any], str]], task_named: Callable[..., Task]
) -> None:
    _, screen = played(task_named("mixed"), "search", "next", "next", "search sort=recency", "abstain")
    assert screen.count("… and on to page 3") == 1
    assert screen.count("… 17 more") == 2


def test_control_characters_cannot_steer_the_terminal() -> None:
    assert harmless("a\x1b[31mb\nc\td\x07") == "a\ufffd[31mb\nc\td\ufffd"


def test_the_verbs_play_and_print_a_trial(tmp_path: Path, catalog: Catalog, tasks: list[Task]) -> None:
    write_parquet(tmp_path / "1500.parquet", book_rows(catalog.books), BOOK_SCHEMA)
    write_json(tmp_path / "vocabulary.json", catalog.vocabulary.document())
    write_jsonl(tmp_path / "tasks.jsonl", (task.document() for task in tasks))
    common = ["--catalog", str(tmp_path), "--tasks", str(tmp_path / "tasks.jsonl"), "--size", "1500"]

    def run(verb: str, *more: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tau_rec_books", verb, *common, *more]
        return subprocess.run(command, input=typed, capture_output=True, text=True, check=False)

    out = tmp_path / "mine.jsonl"
    name = tasks[1].id
    played = run("play", "--task", name, "--out", str(out), typed="What genre?\nabstain\n")
    assert played.returncode == 0, played.stderr
    assert "reader>" in played.stdout
    assert json.loads(out.read_text(encoding="utf-8"))["ending"] == "abstained"
    shown = run("trial", "--task", name, "--agent", "popularity", "--out", str(out))
    assert shown.returncode == 0, shown.stderr
    assert "Agent: " in shown.stdout
    assert "Success" in shown.stdout
    both = run("play", "--task", name, "--as-user", typed="\n" * 30)
    assert both.returncode == 0, both.stderr
    assert "agent>" in both.stdout
    assert "cannot be replayed" in run("play", "--task", name, "--as-user", "--out", str(out)).stderr
    assert "family-001" in run("trial", "--task", "nonsense", "--agent", "no-ask").stderr
    nothing = subprocess.run(
        [sys.executable, "-m", "tau_rec_books", "play", "--results", str(tmp_path / "no")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Nothing is built yet" in nothing.stderr
