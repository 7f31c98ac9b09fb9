"""A trial for reading: who said what, which tools were called, and why it succeeded or failed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.user import Templates

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SHOWN_BOOKS = 5
_SPEAKERS = {"user_message": ("Reader", "bold cyan"), "agent_message": ("Agent", "bold green")}
_CHECKS = {
    "at_most_one_recommendation": "recommends one book at most",
    "not_from_history": "recommends no book the reader has read",
    "formats_checked": "checks that the book comes in a format the reader named",
    "abstains_on_nvr": "abstains, since no book meets the request",
    "recommends_otherwise": "recommends a book, since some book meets the request",
}
_MARKS = {True: ("yes", "green"), False: ("no", "red"), None: ("–", "dim")}
_OUTCOMES = {"pass": ("yes", "green"), "fail": ("no", "red"), "not_applicable": ("not applicable", "dim")}


def harmless(text: str) -> str:
    """Text without the control characters that could steer a terminal; line breaks and tabs stay."""
    return _CONTROL.sub("\ufffd", text)


def book_table(books: Sequence[Mapping[str, Any]], title: str | None = None) -> Table:
    """Books as a numbered table."""
    table = Table(title=title, title_justify="left", show_lines=False)
    for column, justify in (("#", "right"), ("Title", "left"), ("Authors", "left"), ("Year", "right")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for column in ("Genres", "Languages", "Countries", "Id"):
        table.add_column(column)
    for number, book in enumerate(books, start=1):
        cells = [str(number), book.get("title", ""), ", ".join(book.get("authors", ()))]
        cells.append(str(book.get("year", "")))
        cells += [", ".join(book.get(key, ())) for key in ("genres", "languages", "countries")]
        table.add_row(*(Text(harmless(cell)) for cell in (*cells, book["id"])))
    return table


def print_events(console: Console, events: Sequence[Mapping[str, Any]]) -> None:
    """Print a trial's events as a dialogue."""
    for event in events:
        kind = event["type"]
        if kind in _SPEAKERS:
            name, style = _SPEAKERS[kind]
            if kind == "agent_message" and not event["delivered"]:
                name = "Agent (not delivered)"
            console.print(Text(f"{name}: ", style=style) + Text(harmless(event["text"]), style="default"))
        elif kind == "tool_call":
            console.print(Text(f"  {event['name']} {event['arguments']}", style="yellow"), no_wrap=False)
            console.print(Text(f"    {harmless(_told(event))}", style="dim"))
        elif kind == "stop":
            console.print(Text(f"  stopped: {event['reason']} {event['detail']}", style="red"))


def _told(event: Mapping[str, Any]) -> str:
    """One line about what a call gave."""
    result = event["result"]
    if result is None:
        return "ignored: the trial was over"
    if "error" in result:
        return str(result["error"])
    books = result.get("results", result.get("books"))
    if books is None:
        return ", ".join(f"{key}: {value}" for key, value in result.items())
    shown = "; ".join(
        f"{book.get('title', book['id'])} ({book.get('year', '?')})" for book in books[:_SHOWN_BOOKS]
    )
    total = result.get("total", len(books))
    more = " …" if len(books) > _SHOWN_BOOKS else ""
    return f"{total} books: {shown}{more}" if books else f"{total} books"


def print_score(console: Console, trace: Mapping[str, Any], task: Task, templates: Templates) -> None:
    """Explain a trial's score: each requirement, each protocol check, the counts."""
    evaluation = trace["evaluation"]
    console.print(Text(f"\nEnded: {trace['ending']}", style="bold"))
    if evaluation is None:
        console.print("Not scored: the trial is pending.")
        return
    verdict, style = ("Success", "bold green") if evaluation["success"] else ("Failure", "bold red")
    console.print(Text(verdict, style=style))
    table = Table(title="What the reader wanted", title_justify="left")
    for column in ("Requirement", "Told", "Met by the recommended book"):
        table.add_column(column)
    told = {
        e["fact"]: e["reason"] for m in trace["events"] if m["type"] == "user_message" for e in m["disclosed"]
    }
    for predicate in task.predicates:
        how = told.get(predicate.id, "hidden" if task.reveal[predicate.id] == "hidden" else "not asked")
        mark, style = _MARKS[evaluation["predicates"][predicate.id]]
        table.add_row(Text(templates.fact(predicate)), how, Text(mark, style=style))
    if task.accepted_formats is not None:
        mark, style = _MARKS[evaluation["format_accepted"]]
        how = told.get("formats", "not asked")
        table.add_row(Text(templates.formats(task.accepted_formats)), how, Text(mark, style=style))
    if task.nvr:
        table.add_row("No book of the catalog meets all of this.", "", "")
    console.print(table)
    checks = Table(title="Protocol checks", title_justify="left")
    checks.add_column("The agent …")
    checks.add_column("Passed")
    for name, outcome in evaluation["checks"].items():
        mark, style = _OUTCOMES[outcome]
        checks.add_row(_CHECKS[name], Text(mark, style=style))
    console.print(checks)
    counts = evaluation["diagnostics"]
    console.print(
        f"{counts['turns']} messages, {counts['tool_calls']} tool calls, {counts['proposals']} proposals, "
        f"{counts['rejections']} rejected, {counts['elicited']} of {counts['askable']} askable facts told."
    )
