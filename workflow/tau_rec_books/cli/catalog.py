"""Verbs of the catalog."""

from pathlib import Path

import click

from tau_rec_books.catalog.build import build, read_facts, write_catalog
from tau_rec_books.cli.options import FOLDER, SIZES


@click.command()
@click.option("--snapshot", type=FOLDER, required=True, help="Folder of a frozen snapshot.")
@click.option("--out", type=FOLDER, required=True, help="Folder to write the catalog to.")
@click.option(
    "--sizes", type=SIZES, default="5000,10000,20000", show_default=True, help="Nested catalog sizes."
)
@click.option("--seed", default="books-order-v1", show_default=True, help="Seed of the fixed order.")
@click.option("--year-min", type=int, default=1460, show_default=True, help="Earliest plausible year.")
@click.option("--year-max", type=int, default=2026, show_default=True, help="Latest plausible year.")
@click.option("--allow-fewer", is_flag=True, help="Accept fewer works than the largest size.")
def build_catalog(
    snapshot: Path,
    out: Path,
    sizes: tuple[int, ...],
    seed: str,
    year_min: int,
    year_max: int,
    allow_fewer: bool,
) -> None:
    """Build the nested catalogs of a snapshot, with vocabulary, funnel, profile and audit sample.

    \b
    Examples:
      tau-rec-books build-catalog --snapshot snapshots/books-synthetic-v1 --out results/try/catalog
      tau-rec-books build-catalog --snapshot snapshots/mine --sizes 200,400,800 --allow-fewer --out try
    """
    built = build(
        read_facts(snapshot),
        seed=seed,
        sizes=sizes,
        year_min=year_min,
        year_max=year_max,
        allow_fewer=allow_fewer,
    )
    write_catalog(out, built, sizes)
    click.echo(
        f"{built.funnel.returned} works returned, {built.eligible} eligible, "
        f"{len(built.books)} in the largest catalog: {out}"
    )
