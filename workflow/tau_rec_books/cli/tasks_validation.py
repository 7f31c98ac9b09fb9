"""Verbs that look at a task set: prove it, show one family, and find families to look at twice."""

import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console, RenderableType

from tau_rec_books.cli.options import FILE, FOLDER, SIZES
from tau_rec_books.core.canonical import json_text, write_json
from tau_rec_books.core.errors import CheckFailed
from tau_rec_books.core.settings import section
from tau_rec_books.tasks.validation import validate
from tau_rec_books.tasks.validation.health import examine
from tau_rec_books.tasks.validation.page import family_page, plain, table

PLAIN_WIDTH = 140
"""Columns of a page that does not go to a terminal."""

_RESULTS = click.option(
    "--results",
    type=FOLDER,
    default=Path("results/books-synthetic-v1"),
    show_default=True,
    help="Build products of a track; its folders catalog and tasks are read.",
)
_CATALOG = click.option("--catalog", type=FOLDER, help="Folder of the nested catalogs, when it is elsewhere.")
_TASKS = click.option(
    "--tasks", type=FOLDER, help="Folder of families, tasks and answers, when it is elsewhere."
)


@click.command()
@click.option("--catalog", type=FOLDER, required=True, help="Folder of the nested catalogs.")
@click.option("--tasks", type=FOLDER, required=True, help="Folder of families, tasks and answers.")
@click.option(
    "--sizes", type=SIZES, default="5000,10000,20000", show_default=True, help="Nested catalog sizes."
)
@click.option(
    "--settings", help="The section tasks of the configuration as JSON; from config.yaml when not given."
)
@click.option("--schemas", type=FOLDER, help="Folder of the JSON Schemas to check each line against, too.")
@click.option(
    "--allow-fewer",
    is_flag=True,
    help="Accept catalogs with fewer works than their names say (all there are).",
)
@click.option("--report", type=FILE, help="Where to write the report; validation.json beside the tasks.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
def validate_tasks(
    catalog: Path,
    tasks: Path,
    sizes: tuple[int, ...],
    settings: str | None,
    schemas: Path | None,
    allow_fewer: bool,
    report: Path | None,
    as_json: bool,
) -> None:
    """Prove that a task set keeps every rule, from its files alone.

    The report is written in any case; the exit status is 1 when a check fails.

    \b
    Examples:
      tau-rec-books validate-tasks --catalog results/try/catalog --tasks results/try/tasks
      tau-rec-books validate-tasks --catalog try/catalog --tasks try/tasks --sizes 200,400,800 --json
    """
    found = validate(catalog, tasks, section("tasks", settings), sizes, schemas, fewer_books=allow_fewer)
    place = report if report is not None else tasks / "validation.json"
    write_json(place, found)
    if as_json:
        click.echo(json_text(found, indent=1))
    else:
        for check in found["checks"]:
            click.echo(_line(check))
    failed = sum(not check["passed"] for check in found["checks"])
    if failed:
        raise CheckFailed(
            f"{failed} of {len(found['checks'])} checks of the task set fail; {place} tells every problem."
        )


@click.command()
@click.argument("family")
@_RESULTS
@_CATALOG
@_TASKS
def show(family: str, results: Path, catalog: Path | None, tasks: Path | None) -> None:
    """Show one FAMILY on a page: request, answers, the three readers, formats, history, and its draw.

    \b
    Examples:
      tau-rec-books show family-060
      tau-rec-books show 60 --results results/books-mine
      tau-rec-books show 60 --catalog try/catalog --tasks try/tasks
    """
    _print(family_page(catalog or results / "catalog", tasks or results / "tasks", family))


@click.command()
@_RESULTS
@_CATALOG
@_TASKS
@click.option(
    "--proposals",
    type=click.IntRange(min=1),
    default=18,
    show_default=True,
    help="Proposals that a trial has room for.",
)
@click.option(
    "--similar",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="Share of common answers (Jaccard) that makes two families near-duplicates.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def health(
    results: Path, catalog: Path | None, tasks: Path | None, proposals: int, similar: float, as_json: bool
) -> None:
    """List families that are too easy, too hard, or nearly the same as another.

    An agent that proposes by popularity gets to the first answer after so many books that fit what the reader
    has said. Too easy: at once. Too hard: a hidden reader turns down more books than a trial has room for
    (the paper's popularity agent solves 84 of 135 hidden tasks). Near-duplicate: two families share most of
    their answers.

    \b
    Examples:
      tau-rec-books health
      tau-rec-books health --results results/books-mine --json
      tau-rec-books health --catalog try/catalog --tasks try/tasks --proposals 10 --similar 0.3
    """
    examined = examine(
        catalog or results / "catalog", tasks or results / "tasks", proposals=proposals, similar=similar
    )
    if as_json:
        click.echo(json_text(examined, indent=1))
        return
    findings = examined["findings"]
    columns = ("finding", "condition", "family", "template", "detail")
    if findings:
        _print(table("Families to look at", columns, [[row[key] for key in columns] for row in findings]))
        click.echo()
    for finding, condition in (("too easy", "mixed"), ("too easy", "hidden"), ("too hard", "hidden")):
        count = sum(row["finding"] == finding and row["condition"] == condition for row in findings)
        click.echo(f"{finding}, {condition}: {count} of {examined['satisfiable']} satisfiable families")
    pairs = sum(row["finding"] == "near-duplicate" for row in findings)
    click.echo(f"near-duplicate: {pairs} pairs of {examined['families']} families")


def _print(page: RenderableType) -> None:
    """Print without the blanks that fill up a table's lines."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    with console.capture() as captured:
        console.print(page)
    for line in captured.get().splitlines():
        click.echo(line.rstrip(" "))


def _line(check: dict[str, Any]) -> str:
    """One check on one line."""
    if not check["passed"]:
        more = check["problem_count"] - 1
        return plain(f"FAIL  {check['check']}: {check['problems'][0]}" + (f" ({more} more)" if more else ""))
    looked = f"{check['examined']} examined" if check["examined"] else "nothing to examine"
    return f"ok    {check['check']}: {looked}"
