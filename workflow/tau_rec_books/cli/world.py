"""Verbs of the synthetic world: write it as N-Triples, and serve N-Triples as a SPARQL endpoint."""

from pathlib import Path

import click

from tau_rec_books.world.endpoint import serve_until_stopped


@click.command("make-world")
@click.option(
    "--seed", default="books-synthetic-v1", show_default=True, help="Another seed is another world."
)
@click.option(
    "--scale",
    default=1.0,
    show_default=True,
    type=float,
    help="Size relative to the full world of about 60,000 items.",
)
@click.option(
    "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The .nt file to write."
)
def make_world(seed: str, scale: float, out: Path) -> None:
    """Write a synthetic Wikidata of books as N-Triples.

    Works and people are invented and have item numbers that Wikidata does not use; classes, genres,
    countries and all but 25 languages are real items. The same seed and scale give the same bytes.

    \b
    Examples:
      tau-rec-books make-world --out world.nt
      tau-rec-books make-world --seed my-seed --scale 0.02 --out small.nt
    """
    from tau_rec_books.world.build import write_world

    summary = write_world(out, seed, scale)
    click.echo(f"{out}: {summary}")


@click.command("endpoint")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--port", type=int, default=None, help="Port on loopback; any free one when left out.")
def endpoint(files: tuple[Path, ...], port: int | None) -> None:
    """Serve N-Triples FILES (.nt or .nt.gz) as one SPARQL endpoint on this machine.

    Prints the endpoint's URL once it answers, and serves until Ctrl-C or SIGTERM.

    \b
    Examples:
      tau-rec-books endpoint world.nt
      tau-rec-books endpoint works.nt.gz titles.nt.gz --port 7878
    """
    serve_until_stopped(files, port, lambda url: click.echo(url))
