"""A person at the terminal: as the agent with commands for the tools, or as the reader an agent talks to."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from tau_rec_books.agents.conversation import Conversation
from tau_rec_books.trial.transcript import book_table, harmless
from tau_rec_books.trial.user import Reply, RuleUser, Templates

Ask = Callable[[str], str]
"""Reads one line after a prompt; raises ``EOFError`` at the end of the input."""

HELP = """Anything you type is said to the reader, except these commands:
  search genre="Science Fiction" language=English country=France year_min=1950 year_max=1990
         formats=ebook sort=recency page=2      (structured; every part is optional, genre may be repeated)
  search silent river                           (keyword)
  next                    the next page of the last search
  open 3                  the record of book 3 of the last list (an id such as wd_Q123 works everywhere, too)
  formats 3               the formats of a book
  history                 what the reader has read
  propose 3 [words]       ask the reader for a verdict on a book
  recommend 3             give your answer and end the trial
  abstain                 end the trial: no book meets the request
  help, quit"""


class PersonAsAgent:
    """Plays a trial by commands; the trial scores it like any agent."""

    name = "person"

    def __init__(self, ask: Ask, console: Console) -> None:
        self._ask = ask
        self._console = console
        self._listed: Sequence[Mapping[str, Any]] = ()
        self._last: dict[str, Any] = {}

    def run(self, conversation: Conversation) -> None:
        """Play until the trial is over or the person quits."""
        self._console.print(
            Text("You are the agent: find the book this reader wants. Type help for commands.\n")
        )
        self._heard(conversation.opening)
        while True:
            try:
                line = self._ask("you> ").strip()
            except EOFError:
                return
            if line in ("quit", "exit"):
                return
            if line:
                self._do(conversation, line)

    def _do(self, conversation: Conversation, line: str) -> None:
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if line == "help":
            self._console.print(Text(HELP))
        elif word == "search":
            self._search(conversation, self._arguments(conversation, rest))
        elif line == "next":
            self._search(conversation, {**self._last, "page": int(self._last.get("page", 1)) + 1})
        elif line == "history":
            self._show(conversation.call("get_reading_history"), "The reader has read")
        elif line == "abstain":
            conversation.recommend(None)
        elif word in ("open", "formats", "recommend") and rest and " " not in rest:
            tool = {"open": "get_book", "formats": "check_formats", "recommend": "recommend"}[word]
            self._show(conversation.call(tool, {"item_id": self._item(rest)}), None)
        elif word == "propose" and rest:
            number, _, words = rest.partition(" ")
            self._heard(conversation.say(f"{words} [[candidate_id:{self._item(number)}]]".strip()))
        else:
            self._heard(conversation.say(line))

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
        self._last = arguments
        result = conversation.call("search_books", arguments)
        title = None
        if "total" in result:
            title = f"{result['total']} books, page {result['page']} of {result['pages']}"
        self._show(result, title)

    def _show(self, result: Mapping[str, Any], title: str | None) -> None:
        if "error" in result:
            self._console.print(Text(harmless(result["error"]), style="red"))
            if "valid_values" in result:
                self._console.print(Text(", ".join(result["valid_values"]), style="dim"))
        elif "results" in result or "books" in result:
            self._listed = result.get("results", result.get("books", ()))
            self._console.print(book_table(self._listed, title))
        else:
            for key, value in result.items():
                shown = ", ".join(value) if isinstance(value, list) else str(value)
                self._console.print(Text(f"{key}: ", style="bold") + Text(harmless(shown), style="default"))

    def _item(self, text: str) -> str:
        """A book by its number in the last list, or by its id."""
        if text.isdecimal() and 1 <= int(text) <= len(self._listed):
            return str(self._listed[int(text) - 1]["id"])
        return text

    def _heard(self, text: str) -> None:
        self._console.print(Text("reader> ", style="bold cyan") + Text(harmless(text), style="default"))


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
            Text("An empty line says what stands in brackets; accept and reject are verdicts.\n")
        )
        return self._answer(self._rule_user.opening())

    def reply(self, text: str, known: frozenset[str]) -> Reply:
        """Answer one message, typed or taken over."""
        self._console.print(Text("agent> ", style="bold green") + Text(harmless(text), style="default"))
        return self._answer(self._rule_user.reply(text, known))

    def _answer(self, suggested: Reply) -> Reply:
        self._console.print(Text(f"[{suggested.text}]", style="dim"))
        try:
            typed = self._ask("you> ").strip()
        except EOFError:
            typed = ""
        if not typed:
            return suggested
        verdicts = {"accept": self._templates.accept, "reject": self._templates.reject}
        return Reply(verdicts.get(typed, typed), ({"act": "typed"},), (), False, (), None)
