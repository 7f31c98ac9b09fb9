"""Verbs of snapshots: take one from an endpoint, prove that one is unchanged, compare two."""

import sys
from collections import Counter
from pathlib import Path

import click

from tau_rec_books.cli.options import FILE, FOLDER
from tau_rec_books.core.errors import Problem


@click.command("fetch")
@click.option("--endpoint", required=True, help="Address of a SPARQL endpoint with Wikidata's data.")
@click.option("--id", "identifier", required=True, help="Id of the new snapshot: a-z, 0-9, dots and hyphens.")
@click.option(
    "--folder", type=FOLDER, default=Path("snapshots"), show_default=True, help="Folder of all snapshots."
)
@click.option("--logs", type=FOLDER, default=None, help="Log folder.  [default: logs/fetch-ID]")
@click.option("--contact", default=None, help="Your e-mail address or web page, for the endpoint's keepers.")
@click.option(
    "--endpoint-name", default="", help="What the manifest calls the endpoint instead of its address."
)
@click.option("--dry-run", is_flag=True, help="Print the plan and what is done of it; ask nothing.")
@click.option("--start-over", is_flag=True, help="Drop what an unfinished fetch of this id has so far.")
@click.option("--ask-twice", is_flag=True, help="Believe an answer only when a second one has the same rows.")
@click.option(
    "--reference",
    type=FOLDER,
    default=None,
    help="Earlier snapshot; responses with far fewer rows are refused.",
)
@click.option(
    "--reference-share",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Least share of the reference's rows.",
)
@click.option(
    "--row-floor", type=click.IntRange(0), default=1, show_default=True, help="Least rows of any response."
)
@click.option(
    "--deadline",
    type=click.FloatRange(0, min_open=True),
    default=300,
    show_default=True,
    help="Seconds for one answer.",
)
@click.option(
    "--total",
    type=click.FloatRange(0, min_open=True),
    default=14_400,
    show_default=True,
    help="Seconds for the whole run.",
)
@click.option(
    "--attempts", type=click.IntRange(1), default=6, show_default=True, help="Times to ask one question."
)
@click.option(
    "--backoff",
    type=click.FloatRange(0),
    default=2,
    show_default=True,
    help="First pause after a failure, in seconds; it doubles each time.",
)
@click.option(
    "--longest-wait",
    type=click.FloatRange(0),
    default=600,
    show_default=True,
    help="Longest Retry-After to obey, in seconds; above it the fetch stops.",
)
@click.option(
    "--pause",
    type=click.FloatRange(0),
    default=None,
    help="Seconds between two requests.  [default: 1, on this machine 0]",
)
@click.option(
    "--most-pages",
    type=click.IntRange(1, 4096),
    default=64,
    show_default=True,
    help="Most residue classes to split one query into.",
)
def fetch(
    endpoint: str,
    identifier: str,
    folder: Path,
    logs: Path | None,
    contact: str | None,
    endpoint_name: str,
    dry_run: bool,
    start_over: bool,
    ask_twice: bool,
    reference: Path | None,
    reference_share: float,
    row_floor: int,
    deadline: float,
    total: float,
    attempts: int,
    backoff: float,
    longest_wait: float,
    pause: float | None,
    most_pages: int,
) -> None:
    """Take a snapshot: ask an endpoint the 21 queries and freeze its answers.

    A fetch that was interrupted goes on when the same command is run again; no finished answer is asked
    for twice. A query that times out is split by item number. Nothing appears under the snapshot's name
    before all of it is there and checked, and a snapshot that exists is never touched. Answers that were
    refused are kept in the log folder.

    \b
    Examples:
      tau-rec-books fetch --id books-2026-12 --contact me@example.org --endpoint https://query.wikidata.org/sparql
      tau-rec-books fetch --id books-2026-12 --contact me@example.org --endpoint https://qlever.dev/api/wikidata
      tau-rec-books fetch --id trial-run --endpoint http://127.0.0.1:7878/query --dry-run
    """
    from tau_rec_books.wikidata.fetch import drop_unfinished, fetch_snapshot, plan
    from tau_rec_books.wikidata.settings import FetchSettings, row_floors, user_agent
    from tau_rec_books.wikidata.transport import check_endpoint, is_loopback

    check_endpoint(endpoint)
    local = is_loopback(endpoint)
    if contact is None and not local:
        raise Problem(
            "A public endpoint wants to know whom to write to; give --contact with an e-mail address or a "
            "web page."
        )
    settings = FetchSettings(
        endpoint=endpoint,
        user_agent=user_agent(contact or "local"),
        endpoint_name=endpoint_name,
        deadline=deadline,
        total=total,
        attempts=attempts,
        backoff=backoff,
        longest_wait=longest_wait,
        pause=(0.0 if local else 1.0) if pause is None else pause,
        most_pages=most_pages,
        row_floor=row_floor,
        row_floors={} if reference is None else row_floors(reference, reference_share),
        ask_twice=ask_twice,
    )
    if start_over and not dry_run:
        drop_unfinished(identifier, folder)
    if dry_run:
        for planned in plan(identifier, folder, settings):
            pages = f", {planned.pages} pages" if planned.pages > 1 else ""
            rows = f" ({planned.rows:,} rows{pages})" if planned.state != "to ask" else ""
            click.echo(f"{planned.name:28} {planned.state}{rows}")
        return

    def say(line: str) -> None:
        if not sys.stderr.isatty():
            click.echo(line, err=True)

    target = fetch_snapshot(identifier, folder, logs or Path("logs") / f"fetch-{identifier}", settings, say)
    click.echo(f"{target} is complete.")


@click.command("verify-snapshot")
@click.argument("folder", type=FOLDER)
@click.option("--report", type=FILE, default=None, help="Write what was checked as JSON.")
def verify_snapshot(folder: Path, report: Path | None) -> None:
    """Prove that the snapshot in FOLDER is the one that was taken.

    Recomputes the hash of every query, every raw response and its rows in any order, counts the rows, and
    looks for missing and extra files. Exits with 1, naming every file that differs, when there is one.

    \b
    Examples:
      tau-rec-books verify-snapshot snapshots/books-synthetic-v1
      tau-rec-books verify-snapshot snapshots/books-synthetic-v1 --report results/snapshot.json
    """
    from tau_rec_books.core.canonical import write_json
    from tau_rec_books.wikidata.snapshot import verify_snapshot as verify

    checked = verify(folder)
    if report is not None:
        write_json(report, checked)
    totals = checked["totals"]
    click.echo(
        f"{folder} is unchanged: {totals['responses']} responses, {totals['rows']:,} rows, "
        f"{totals['bytes']:,} bytes."
    )


@click.command("diff")
@click.argument("earlier", type=FOLDER)
@click.argument("later", type=FOLDER)
@click.option("--csv", "table", type=FILE, default=None, help="Write all differences as a CSV table.")
@click.option(
    "--show", type=click.IntRange(0), default=10, show_default=True, help="Differences of each kind to print."
)
def diff(earlier: Path, later: Path, table: Path | None, show: int) -> None:
    """Compare two snapshots: works added, removed and changed, and labels that drifted.

    Says also how many labels of the item tables (genres, classes, languages, countries) differ in the
    later one.

    \b
    Examples:
      tau-rec-books diff snapshots/books-2026-06-01 snapshots/books-2026-12-01
      tau-rec-books diff snapshots/books-2026-06-01 snapshots/books-2026-12-01 --csv differences.csv
    """
    from tau_rec_books.core.canonical import write_csv
    from tau_rec_books.wikidata.compare import KINDS, Difference, check_snapshot_labels, compare_snapshots

    differences = compare_snapshots(earlier, later)
    if table is not None:
        write_csv(table, Difference._fields, (row._asdict() for row in differences))
    titles = {
        "added": "works added",
        "removed": "works removed",
        "changed": "properties of works changed",
        "label": "labels of other items changed",
    }
    counts = Counter(row.kind for row in differences)
    for kind in KINDS:
        click.echo(f"{counts[kind]:,} {titles[kind]}")
        for row in [row for row in differences if row.kind == kind][:show]:
            change = (
                f": {row.property} {row.before or 'nothing'} → {row.after or 'nothing'}"
                if row.property
                else ""
            )
            click.echo(f"  {row.qid} {row.label}{change}")
    drifted = [check for check in check_snapshot_labels(later) if check.status == "drifted"]
    click.echo(f"{len(drifted):,} labels of the item tables differ in {later}")
    for check in drifted[:show]:
        click.echo(f"  {check.qid} {check.table}: {check.believed} → {check.found or 'nothing'}")
