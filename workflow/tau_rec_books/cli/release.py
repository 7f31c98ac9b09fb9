"""Verbs of the release."""

import json
from importlib.resources import as_file, files
from pathlib import Path

import click

from tau_rec_books.cli.options import FILE, FOLDER
from tau_rec_books.core.canonical import write_json
from tau_rec_books.core.errors import CheckFailed
from tau_rec_books.core.settings import settings_document
from tau_rec_books.release.cut import cut
from tau_rec_books.release.layout import Sources
from tau_rec_books.release.verify import verify_release


@click.command()
@click.option("--results", type=FOLDER, required=True, help="Folder of the build products.")
@click.option("--snapshot", type=FOLDER, required=True, help="Folder of the frozen snapshot.")
@click.option(
    "--settings", required=True, help="The released sections of the configuration: JSON, or a file of it."
)
@click.option(
    "--schemas",
    type=FOLDER,
    default="workflow/schemas",
    show_default=True,
    help="Folder of the JSON Schemas.",
)
@click.option("--licence", "licences", type=FILE, multiple=True, help="Licence text to release; repeatable.")
def cut_release(
    results: Path, snapshot: Path, settings: str, schemas: Path, licences: tuple[Path, ...]
) -> None:
    """Cut a release from the build products into RESULTS/release.

    An older release is replaced only when the new one is whole.

    \b
    Example:
      snakemake --cores 2 all
    (the workflow gives this verb its many inputs; there is little reason to call it by hand)
    """
    config = settings_document(settings)
    with as_file(files("tau_rec_books.trial") / "data" / "rule-v1") as profile:
        sources = Sources(results, snapshot, profile, schemas)
        sums = cut(results / "release", sources, config, {path.name: path for path in licences})
    click.echo(f"{len(sums)} files: {results / 'release'}")


@click.command()
@click.argument("release", type=FOLDER)
@click.option("--report", type=FILE, help="Also write the outcome of every check to this JSON file.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def verify(release: Path, report: Path | None, as_json: bool) -> None:
    """Verify a RELEASE folder: checksums, schemas, catalogs, answers, replayed traces, tables.

    Exit status 0 when everything holds, 1 when something was changed; all failures of the first class of
    checks that fails are listed.

    \b
    Examples:
      tau-rec-books verify results/books-synthetic-v1/release
      tau-rec-books verify --json downloaded-release
    """
    checks = []
    for check in verify_release(release):
        checks.append(check)
        if not as_json:
            click.echo(check.line())
            for problem in check.problems:
                click.echo(f"  {problem}")
    passed = not any(check.problems for check in checks)
    outcome = {
        "passed": passed,
        "checks": [{"check": c.name, "examined": c.examined, "problems": c.problems} for c in checks],
    }
    if as_json:
        click.echo(json.dumps(outcome, ensure_ascii=False, indent=1, sort_keys=True))
    if report is not None:
        write_json(report, outcome)
    if not passed:
        raise CheckFailed(f"{release} is not as it was released: {checks[-1].problems[0]}")
