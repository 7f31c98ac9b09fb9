"""The verb that draws task families."""

from pathlib import Path

import click

from tau_rec_books.catalog.books import read_catalog
from tau_rec_books.cli.options import FILE, FOLDER, SIZES
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.core.settings import section
from tau_rec_books.tasks.earlier import earlier_sets
from tau_rec_books.tasks.generate import make_families
from tau_rec_books.tasks.write import read_families, write_tasks


@click.command()
@click.option(
    "--catalog", "catalog_folder", type=FOLDER, required=True, help="Folder that build-catalog wrote."
)
@click.option("--out", type=FOLDER, required=True, help="Folder to write families, tasks and answers to.")
@click.option(
    "--sizes", type=SIZES, default="5000,10000,20000", show_default=True, help="Nested catalog sizes."
)
@click.option("--settings", help="The tasks section as JSON.  [default: tasks in ./config.yaml]")
@click.option(
    "--avoid",
    type=FILE,
    multiple=True,
    help="A families.jsonl to stay clear of, beside the sets of tasks.published_seeds; repeatable.",
)
def make_tasks(
    catalog_folder: Path, out: Path, sizes: tuple[int, ...], settings: str | None, avoid: tuple[Path, ...]
) -> None:
    """Draw task families and write them with their tasks, answers and the log of all draws.

    A set whose seed is not the first of tasks.published_seeds repeats no request of the sets before it, and
    overlap.json tells how much of their answers it shares.

    \b
    Examples:
      tau-rec-books make-tasks --catalog results/books-synthetic-v1/catalog --out try/tasks
      tau-rec-books make-tasks --catalog try/catalog --sizes 200,400,800 --out try/tasks
      tau-rec-books make-tasks --catalog try/catalog --avoid old/families.jsonl --out fresh/tasks
    """
    chosen = section("tasks", settings)
    given = [(path.name, read_families(path)) for path in avoid]
    catalog = read_catalog(
        catalog_folder / f"{size_name(sizes[-1])}.parquet", catalog_folder / "vocabulary.json"
    )
    earlier = [*earlier_sets(catalog, sizes, chosen), *given]
    generation = make_families(catalog, sizes, chosen, [f for _, families in earlier for f in families])
    summary, shared = write_tasks(out, generation, catalog, sizes, earlier)
    medians = ", ".join(f"{median:g} at {name}" for name, median in summary["made"]["median_answers"].items())
    click.echo(
        f"{summary['made']['families']} families after {summary['draws']} draws, "
        f"median answers {medians}: {out}"
    )
    if generation.unfilled or generation.relaxed:
        click.echo(
            f"{len(generation.unfilled)} families could not be drawn and {len(generation.relaxed)} only "
            "without format or history; summary.json lists them."
        )
    for row in shared:
        answers = row["sizes"][size_name(sizes[-1])]["shared_answers"]
        click.echo(
            f"{len(row['same_predicates'])} requests in common with {row['set']}, "
            f"{answers:.0%} of the answers."
        )
