"""The verb that keeps a section of the configuration beside the build products."""

from pathlib import Path

import click

from tau_rec_books.cli.options import FILE
from tau_rec_books.core.canonical import write_json
from tau_rec_books.core.settings import settings_document


@click.command()
@click.option("--settings", required=True, help="JSON text, or a file of it.")
@click.option("--out", type=FILE, required=True, help="JSON file to write.")
def write_settings(settings: str, out: Path) -> None:
    """Write settings as canonical JSON, so that other verbs can read them and a reader can see them.

    \b
    Example:
      tau-rec-books write-settings --settings '{"pass_k": [1]}' --out results/try/settings/statistics.json
    """
    write_json(out, settings_document(settings))
    click.echo(str(out))
