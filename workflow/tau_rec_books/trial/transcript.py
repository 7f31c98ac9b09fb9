"""A trial for reading: who said what, which tools were called, and why it succeeded or failed."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.tasks.families import Task
from tau_rec_books.tasks.predicates import wanted
from tau_rec_books.trial.search import book_record, popularity_key
from tau_rec_books.trial.user import Templates

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SHOWN_BOOKS = 3
_WIDE = 110
"""Characters from which a table of books has room for authors and ids."""
_INDENT = " " * 4
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


def book_table(
    books: Sequence[Mapping[str, Any]], width: int, title: str | None = None, first: int = 1
) -> Table:
    """Books as a numbered table of one line each, with as many columns as the width (in characters) holds."""
    table = Table(
        title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=width
    )
    table.add_column("#", justify="right", min_width=2)
    columns: list[tuple[str, int, Callable[[Mapping[str, Any]], str]]] = [
        ("Title", 5, lambda book: book.get("title", "")),
        ("Genres", 4, lambda book: ", ".join(book.get("genres", ()))),
        ("Languages", 3, lambda book: ", ".join(book.get("languages", ()))),
        ("Countries", 3, lambda book: ", ".join(book.get("countries", ()))),
    ]
    if width >= _WIDE:
        columns.insert(1, ("Authors", 3, lambda book: ", ".join(book.get("authors", ()))))
    for name, ratio, _ in columns:
        table.add_column(name, no_wrap=True, overflow="ellipsis", ratio=ratio)
    table.add_column("Year", justify="right", min_width=4)
    if width >= _WIDE:
        table.add_column("Id", min_width=14)
    for number, book in enumerate(books, start=first):
        cells = [str(number), *(of(book) for _, _, of in columns), str(book.get("year", ""))]
        if width >= _WIDE:
            cells.append(book["id"])
        table.add_row(*(Text(harmless(cell)) for cell in cells))
    return table


def print_events(console: Console, events: Sequence[Mapping[str, Any]]) -> None:
    """Print a trial's events as a dialogue; the following pages of one search are told in one line."""
    for index, event in enumerate(events):
        kind = event["type"]
        if kind in _SPEAKERS:
            name, style = _SPEAKERS[kind]
            if kind == "agent_message" and not event["delivered"]:
                name = "Agent (not delivered)"
            console.print(Text(f"{name}: ", style=style) + Text(harmless(event["text"]), style="default"))
        elif kind == "tool_call":
            if index and _follows(events[index - 1], event):
                if index + 1 == len(events) or not _follows(event, events[index + 1]):
                    console.print(Text(f"{_INDENT}… and on to page {event['result']['page']}", style="dim"))
                continue
            console.print(Text(harmless(f"  {event['name']} {event['arguments']}"), style="yellow"))
            style = "red" if "error" in (event["result"] or {}) else "dim"
            for line in _told(event):
                console.print(Text(harmless(_INDENT + line), style=style), no_wrap=True, overflow="ellipsis")
        elif kind == "stop":
            console.print(Text(f"  stopped: {event['reason']} {event['detail']}", style="red"))


def _follows(before: Mapping[str, Any], event: Mapping[str, Any]) -> bool:
    """Whether two calls are one page and the next of the same search."""
    for call in (before, event):
        if call["type"] != "tool_call" or call["status"] != "ok" or "page" not in call["result"]:
            return False
    queries = [{k: v for k, v in call["parsed"].items() if k != "page"} for call in (before, event)]
    return queries[0] == queries[1] and event["result"]["page"] == before["result"]["page"] + 1


def _told(event: Mapping[str, Any]) -> list[str]:
    """A few lines about what a call gave; of a list of books the first three."""
    result = event["result"]
    if result is None:
        return ["ignored: the trial was over"]
    if "error" in result:
        return [str(result["error"])]
    books = result.get("results", result.get("books"))
    if books is None:
        if "title" in result:
            return [_book_line(result)]
        return [
            f"{key}: {', '.join(value) if isinstance(value, list) else value}"
            for key, value in result.items()
        ]
    head = f"{result.get('total', len(books)):,} books"
    if "pages" in result:
        head += f", page {result['page']} of {result['pages']}"
    lines = [head, *(_book_line(book) for book in books[:_SHOWN_BOOKS])]
    if len(books) > _SHOWN_BOOKS:
        lines.append(f"… {len(books) - _SHOWN_BOOKS} more")
    return lines


def _book_line(book: Mapping[str, Any]) -> str:
    if "title" not in book:
        return str(book["id"])
    parts = [", ".join(book[key]) for key in ("genres", "languages", "countries") if book[key]]
    return f"{book['title']} ({', '.join(book['authors'])}, {book['year']}) · {' · '.join(parts)}"


def print_right_answer(console: Console, trace: Mapping[str, Any], task: Task, catalog: Catalog) -> None:
    """After a failure on a request that can be met, name the most popular book that meets it."""
    if task.nvr or trace["evaluation"] is None or trace["evaluation"]["success"]:
        return
    right = [book for book in catalog.books if wanted(task, book, catalog.vocabulary)]
    if right:
        best = min(right, key=popularity_key)
        told = f"{len(right)} books would have done, such as {_book_line(book_record(best))} · {best.id}"
        console.print(Text(harmless(told)))


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


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
        f"{_counted(counts['turns'], 'message')}, {_counted(counts['tool_calls'], 'tool call')}, "
        f"{_counted(counts['proposals'], 'proposal')}, "
        f"{counts['rejections']} rejected, {counts['elicited']} of {counts['askable']} askable facts told."
    )
