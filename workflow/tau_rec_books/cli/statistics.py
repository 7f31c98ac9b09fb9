"""Verbs of the statistics."""

from pathlib import Path

import click

from tau_rec_books.cli.options import FILE
from tau_rec_books.core.canonical import read_csv, read_jsonl, write_csv
from tau_rec_books.statistics.table import table_columns, table_rows


@click.command()
@click.option("--trials", type=FILE, required=True, help="trials.csv: one row per trial.")
@click.option("--tasks", type=FILE, required=True, help="tasks.jsonl.")
@click.option("--pass-k", type=int, multiple=True, default=(1,), show_default=True, help="k of a column.")
@click.option("--out", type=FILE, required=True, help="CSV file to write.")
def compute_statistics(trials: Path, tasks: Path, pass_k: tuple[int, ...], out: Path) -> None:
    """Compute pass^k per agent, condition and tier, with NVR families apart.

    \b
    Example:
      tau-rec-books compute-statistics --trials results/books-synthetic-v1/trials/trials.csv \\
        --tasks results/books-synthetic-v1/tasks/tasks.jsonl --out pass_hat_k.csv
    """
    known = {task["id"]: task for task in read_jsonl(tasks)}
    rows = table_rows(read_csv(trials), known, pass_k)
    write_csv(out, table_columns(pass_k), rows)
    click.echo(f"{len(rows)} cells: {out}")
