"""The verb that makes the bundled snapshot again and compares it byte for byte."""

import os
import shutil
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from tau_rec_books.cli.options import FILE, FOLDER
from tau_rec_books.core.canonical import write_json
from tau_rec_books.core.digest import sha256_file
from tau_rec_books.core.errors import CheckFailed, Problem


@click.command("synthetic-snapshot")
@click.argument("world", type=FILE)
@click.option(
    "--id", "identifier", default="books-synthetic-v1", show_default=True, help="Id of the snapshot."
)
@click.option("--folder", type=FOLDER, required=True, help="Folder to put the snapshot in.")
@click.option("--compare", type=FOLDER, help="Snapshot that must have the same bytes.")
@click.option("--report", type=FILE, help="Write the digest of every file as JSON.")
def synthetic_snapshot(
    world: Path, identifier: str, folder: Path, compare: Path | None, report: Path | None
) -> None:
    """Serve a synthetic WORLD (.nt) over HTTP and take a snapshot of it with the fetcher.

    The clock of the snapshot is the world's own date, so the same world gives the same bytes. A snapshot
    made earlier in the same folder is made anew.

    \b
    Example:
      tau-rec-books make-world --out world.nt
      tau-rec-books synthetic-snapshot world.nt --folder again --compare snapshots/books-synthetic-v1
    """
    from tau_rec_books.wikidata.fetch import drop_unfinished, fetch_snapshot
    from tau_rec_books.wikidata.settings import FetchSettings, user_agent
    from tau_rec_books.world.build import MODIFIED
    from tau_rec_books.world.endpoint import serve

    if compare is not None and not compare.is_dir():
        raise Problem(f"{compare} does not exist, so there is nothing to compare with; check the path.")
    os.environ["SOURCE_DATE_EPOCH"] = str(int(datetime.fromisoformat(MODIFIED).astimezone(UTC).timestamp()))
    shutil.rmtree(folder / identifier, ignore_errors=True)
    drop_unfinished(identifier, folder)
    with serve([world]) as url:
        settings = FetchSettings(
            endpoint=url,
            endpoint_name=f"synthetic world {identifier} served by Oxigraph {version('oxigraph')}",
            user_agent=user_agent("local"),
            pause=0.0,
        )
        made = fetch_snapshot(identifier, folder, folder / "logs", settings, lambda line: click.echo(line))
    digests = _digests(made)
    if compare is not None:
        bundled = _digests(compare)
        different = sorted(path for path in {*digests, *bundled} if digests.get(path) != bundled.get(path))
        if different:
            raise CheckFailed(
                f"{len(different)} files of {made} differ from {compare}, the first is {different[0]}; "
                "compare the two worlds and the versions in the lock."
            )
        click.echo(f"{made} has the same {len(digests)} files, byte for byte, as {compare}.")
    if report is not None:
        write_json(report, digests)


def _digests(snapshot: Path) -> dict[str, str]:
    files = sorted(path for path in snapshot.rglob("*") if path.is_file())
    return {path.relative_to(snapshot).as_posix(): sha256_file(path) for path in files}
