"""A person at the terminal: as the agent with commands for the tools, or as the reader an agent talks to."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tau_rec_books.agents.conversation import Conversation
from tau_rec_books.trial.search import PAGE_LENGTH
from tau_rec_books.trial.transcript import book_table, harmless
from tau_rec_books.trial.user import Reply, RuleUser, Templates

Ask = Callable[[str], str]
"""Reads one line after a prompt; raises ``EOFError`` at the end of the input."""

HELP = (
    ('search genre="Science Fiction"', "structured search; all filters are optional:"),
    ("", "genre= language= country= year_min= year_max="),
    ("", "formats= sort=recency page="),
    ("search silent river", "keyword search, if the trial has that interface"),
    ("more", "the rest of the last list"),
    ("next", "the next page of the last search"),
    ("open 3", "the record of book 3 of the last list, or by its id"),
    ("formats 3", "the formats of a book"),
    ("history", "what the reader has read"),
    ("propose 3 [words]", "ask the reader for a verdict on a book"),
    ("recommend 3", "give your answer and end the trial"),
    ("abstain", "end the trial: no book meets the request"),
    ("help, quit", "this page; leave without a score"),
)
"""Commands and what they do."""

_TABLE_LINES = 8
"""Lines of a screen that a list of books leaves to its title and the talk around it."""


class PersonLeft(Exception):
    """A person who answers as the reader has left; the trial stays without an ending of its own."""


class PersonAsAgent:
    """Plays a trial by commands; the trial scores it like any agent."""

    name = "person"

    def __init__(self, ask: Ask, console: Console) -> None:
        self._ask = ask
        self._console = console
        self._listed: Sequence[Mapping[str, Any]] = ()
        self._shown = 0
        self._last: dict[str, Any] | None = None

    def run(self, conversation: Conversation) -> None:
        """Play until the trial is over or the person quits (also by Ctrl-C or Ctrl-D)."""
        self._console.print(
            Text(
                "You are the agent: find the book this reader wants. What you type is said to\n"
                "the reader; help lists the commands for searching, proposing, recommending.\n"
            )
        )
        self._heard(conversation.opening)
        while True:
            try:
                line = self._ask("you> ").strip()
            except (EOFError, KeyboardInterrupt):
                self._console.print()
                return
            if line in ("quit", "exit"):
                return
            if line:
                self._do(conversation, line)

    def _do(self, conversation: Conversation, line: str) -> None:
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if line == "help":
            self._help()
        elif line == "more":
            self._list(None)
        elif word == "search":
            self._search(conversation, self._arguments(conversation, rest))
        elif line == "next":
            self._next(conversation)
        elif line == "history":
            self._show(conversation.call("get_reading_history"), "The reader has read")
        elif line == "abstain":
            conversation.recommend(None)
        elif word in ("open", "formats", "recommend", "propose") and not rest:
            self._note(f"{word} needs the number of a book in the last list, or its id: {word} 1")
        elif word in ("open", "formats", "recommend") and " " not in rest:
            tool = {"open": "get_book", "formats": "check_formats", "recommend": "recommend"}[word]
            self._about_one(conversation, tool, rest)
        elif word == "propose":
            self._propose(conversation, rest)
        else:
            self._heard(conversation.say(line))

    def _help(self) -> None:
        table = Table.grid(padding=(0, 2))
        for command, meaning in HELP:
            table.add_row(Text(command, style="bold"), Text(meaning))
        self._console.print(table)
        self._console.print(Text("Anything else is said to the reader. Tab completes; Ctrl-D leaves."))

    def _next(self, conversation: Conversation) -> None:
        if self._last is None:
            self._note("There is no search to go on with; search first.")
        elif conversation.interface == "keyword":
            self._note("A keyword search has no further pages; try other words.")
        else:
            page = str(self._last.get("page", 1))
            following = int(page) + 1 if page.isdecimal() else 2
            self._search(conversation, {**self._last, "page": following})

    def _about_one(self, conversation: Conversation, tool: str, which: str) -> None:
        item = self._item(which)
        if item is not None:
            self._show(conversation.call(tool, {"item_id": item}), None)

    def _propose(self, conversation: Conversation, rest: str) -> None:
        which, _, words = rest.partition(" ")
        item = self._item(which)
        if item is not None:
            self._heard(conversation.say(f"{words} [[candidate_id:{item}]]".strip()))

    def _arguments(self, conversation: Conversation, rest: str) -> dict[str, Any]:
        if conversation.interface == "keyword":
            return {"query": rest}
        try:
            parts = shlex.split(rest)
        except ValueError:
            parts = rest.split()
        arguments: dict[str, Any] = {}
        for part in parts:
            key, _, value = part.partition("=")
            known = arguments.get(key)
            if known is None:
                arguments[key] = value
            else:
                arguments[key] = [*(known if isinstance(known, list) else [known]), value]
        return arguments

    def _search(self, conversation: Conversation, arguments: dict[str, Any]) -> None:
        result = conversation.call("search_books", arguments)
        title = None
        if "error" not in result:
            self._last = arguments
        if "total" in result:
            title = f"{result['total']:,} books, page {result['page']} of {result['pages']}"
        self._show(result, title)

    def _show(self, result: Mapping[str, Any], title: str | None) -> None:
        if "error" in result:
            self._console.print(Text(harmless(result["error"]), style="red"))
            for key in ("valid_values", "arguments"):
                if key in result:
                    self._console.print(Text(", ".join(result[key]), style="dim"))
        elif "results" in result or "books" in result:
            self._listed = result.get("results", result.get("books", ()))
            self._shown = 0
            self._list(title or f"{len(self._listed)} books")
        else:
            for key, value in result.items():
                shown = ", ".join(value) if isinstance(value, list) else str(value)
                self._console.print(Text(f"{key}: ", style="bold") + Text(harmless(shown), style="default"))

    def _list(self, title: str | None) -> None:
        """As much of the last list as a screen holds; ``more`` shows what follows."""
        room = max(5, self._console.height - _TABLE_LINES) if self._console.is_terminal else PAGE_LENGTH
        start = self._shown
        self._shown = min(len(self._listed), start + room)
        if start == self._shown:
            self._note(f"{title}." if title and not self._listed else "There is no more in the last list.")
            return
        listed = self._listed[start : self._shown]
        self._console.print(book_table(listed, self._console.width, title, first=start + 1))
        left = len(self._listed) - self._shown
        if left:
            self._note(f"… {left} more on this page: type more")

    def _item(self, text: str) -> str | None:
        """A book by its number in the last list, or by its id; ``None`` for a number out of the list."""
        if not text.isdecimal():
            return text
        if 1 <= int(text) <= len(self._listed):
            return str(self._listed[int(text) - 1]["id"])
        self._note(f"There is no book {text} in the last list; it has {len(self._listed)}.")
        return None

    def _heard(self, text: str) -> None:
        said_by(self._console, "reader> ", "bold cyan", text)

    def _note(self, text: str) -> None:
        self._console.print(Text(text, style="dim"))


def said_by(console: Console, name: str, style: str, text: str) -> None:
    """Print a message after a name, its lines under one another and verdicts in colour."""
    body = Text(harmless(text), style="default")
    body.highlight_words(("###ACCEPTED###",), "bold green")
    body.highlight_words(("###REJECTED###",), "bold red")
    table = Table.grid()
    table.add_row(Text(name, style=style), body)
    console.print(table)


class PersonAsReader:
    """Answers an agent in the place of the rule user, whose answer an empty line takes over."""

    def __init__(self, rule_user: RuleUser, templates: Templates, ask: Ask, console: Console) -> None:
        self._rule_user = rule_user
        self._templates = templates
        self._ask = ask
        self._console = console

    def opening(self) -> Reply:
        """The first message, typed or taken over."""
        task = self._rule_user.task
        self._console.print(
            Text("You are the reader. What you want, and how you would tell it:", style="bold")
        )
        for predicate in task.predicates:
            fact = self._templates.fact(predicate)
            self._console.print(Text(f"  {fact} ({task.reveal[predicate.id].replace('_', ' ')})"))
        if task.accepted_formats is not None:
            self._console.print(Text(f"  {self._templates.formats(task.accepted_formats)}"))
        self._console.print(
            Text(
                "An empty line says what stands in brackets; accept and reject are verdicts; Ctrl-D leaves.\n"
            )
        )
        return self._answer(self._rule_user.opening())

    def reply(self, text: str, known: frozenset[str]) -> Reply:
        """Answer one message, typed or taken over."""
        said_by(self._console, "agent> ", "bold green", text)
        return self._answer(self._rule_user.reply(text, known))

    def _answer(self, suggested: Reply) -> Reply:
        self._console.print(Text(f"[{suggested.text}]", style="dim"))
        try:
            typed = self._ask("you> ").strip()
        except (EOFError, KeyboardInterrupt) as error:
            self._console.print()
            raise PersonLeft from error
        if not typed:
            return suggested
        verdicts = {"accept": self._templates.accept, "reject": self._templates.reject}
        return Reply(verdicts.get(typed, typed), ({"act": "typed"},), (), False, (), None)
