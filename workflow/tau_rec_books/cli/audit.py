"""The verb that compares two filled copies of an audit sample."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from tau_rec_books.catalog import audit as catalog_audit
from tau_rec_books.cli.options import FILE
from tau_rec_books.core.agreement import Agreement, Comparison, compare_copies, read_filled_copy
from tau_rec_books.core.canonical import json_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks import audit as tasks_audit
from tau_rec_books.tasks.validation.page import plain, table

SAMPLES = (
    ("catalog", catalog_audit.AUDIT_KEY, catalog_audit.AUDIT_JUDGEMENTS),
    ("tasks", tasks_audit.AUDIT_KEY, tasks_audit.AUDIT_JUDGEMENTS),
)
"""The samples there are: name, column that names a row, columns with judgements."""

PLAIN_WIDTH = 120
"""Columns of a page that does not go to a terminal."""


@click.command()
@click.argument("first", type=FILE)
@click.argument("second", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def agreement(first: Path, second: Path, as_json: bool) -> None:
    """Compare two filled copies of an audit_sample.csv: percent agreement and Cohen's kappa.

    Works for the sample of the catalog and for that of the tasks; the rubric beside each says how to fill it.
    A judgement that both call "not applicable" is set aside. Disagreements are listed, for talking them over.

    \b
    Examples:
      tau-rec-books agreement ann.csv bo.csv
      tau-rec-books agreement --json ann.csv bo.csv
    """
    copies = (read_filled_copy(first), read_filled_copy(second))
    sample, key, judgements = _sample_of(first, list(copies[0][0]))
    compared = compare_copies(*copies, key, judgements, (str(first), str(second)))
    if as_json:
        click.echo(json_text(_document(sample, compared), indent=1))
    else:
        _print_page(compared, (str(first), str(second)))


def _sample_of(path: Path, columns: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
    for sample, key, judgements in SAMPLES:
        if {key, *judgements} <= set(columns):
            return sample, key, judgements
    raise Problem(
        f"{path} has neither the columns of the catalog's audit sample nor of the tasks'; "
        "fill a copy of audit_sample.csv and save it as CSV with commas."
    )


def _document(sample: str, compared: Comparison) -> dict[str, object]:
    return {
        "sample": sample,
        "rows": compared.rows,
        "judgements": [_figures(one) for one in compared.judgements],
        "overall": _figures(compared.overall),
        "disagreements": [
            {"row": d.row, "judgement": d.judgement, "first": d.first, "second": d.second}
            for d in compared.disagreements
        ],
    }


def _figures(one: Agreement) -> dict[str, object]:
    return {
        "judgement": one.judgement,
        "compared": one.compared,
        "agreed": one.agreed,
        "not_applicable": one.not_applicable,
        "percent": None if one.percent is None else round(one.percent, 6),
        "kappa": None if one.kappa is None else round(one.kappa, 6),
        "note": one.note,
    }


def _print_page(compared: Comparison, names: tuple[str, str]) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    lines = (*compared.judgements, compared.overall)
    columns = ("judgement", "compared", "agreed", "percent", "kappa", "set aside")
    cells = [
        (
            one.judgement,
            one.compared,
            one.agreed,
            "-" if one.percent is None else f"{one.percent:.1f}",
            "undefined" if one.kappa is None else f"{one.kappa:.3f}",
            one.not_applicable,
        )
        for one in lines
    ]
    console.print(table(f"Agreement on {compared.rows} rows", columns, cells))
    for one in lines:
        if one.note:
            console.print(Text(f"kappa of {one.judgement} is undefined: {one.note}."))
    if compared.disagreements:
        console.print()
        console.print(
            table(
                "Disagreements",
                ("row", "judgement", *(plain(name) for name in names)),
                [(d.row, d.judgement, d.first, d.second) for d in compared.disagreements],
            )
        )
