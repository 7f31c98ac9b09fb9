"""The verb that studies which fields a message asks about."""

from pathlib import Path
from typing import Any

import click

from tau_rec_books.cli.options import FILE
from tau_rec_books.core.canonical import read_jsonl
from tau_rec_books.core.errors import Problem


@click.command()
@click.option(
    "--input",
    "turns",
    type=FILE,
    help="JSON Lines: one object with a text per turn.  [default: the labelled turns that ship with it]",
)
@click.option("--user", default="rule-v1", show_default=True, help="User profile whose matcher to study.")
@click.option("--clauses", is_flag=True, help="Show how each piece of a turn was read.")
@click.option("--report", is_flag=True, help="Compare with the labels and print precision and recall.")
def match(turns: Path | None, user: str, clauses: bool, report: bool) -> None:
    """Print the fields that each agent turn is taken to ask about.

    A turn is a JSON object with "text" and, for --report, the labels "fields" (a list) and "generic".

    \b
    Examples:
      tau-rec-books match --report
      tau-rec-books match --input turns.jsonl --clauses
    """
    from tau_rec_books.core.canonical import json_text
    from tau_rec_books.trial.match_report import compare, labelled_turns, report_lines
    from tau_rec_books.trial.matching import matcher

    rows = list(read_jsonl(turns)) if turns is not None else labelled_turns()
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise Problem(f'{turns}, line {number}, has no text; each line is an object with a "text".')
    rules = matcher(user)
    if report:
        for line in report_lines(compare(rows, rules)):
            click.echo(line)
        return
    for row in rows:
        found = rules.match(row["text"])
        shown: dict[str, Any] = {"text": row["text"], "fields": list(found.fields), "generic": found.generic}
        if clauses:
            shown["clauses"] = [
                {"text": c.text, "asks": c.asks, "fields": list(c.fields), "generic": c.generic}
                for c in found.clauses
            ]
        click.echo(json_text(shown))
