"""Finding the built catalog and tasks: options that verbs on single trials share, and their defaults."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tau_rec_books.catalog.books import Catalog, read_catalog
from tau_rec_books.cli.options import FOLDER
from tau_rec_books.core.canonical import read_jsonl
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps

DEFAULT_RESULTS = Path("results/books-synthetic-v1")


@dataclass(frozen=True)
class Built:
    """Where one track's products lie.

    Attributes:
        results: folder of the track.
        catalog: folder with ``{size}.parquet`` and ``vocabulary.json``.
        tasks: ``tasks.jsonl``.
    """

    results: Path
    catalog: Path
    tasks: Path

    def read_catalog(self, size: str) -> Catalog:
        """The catalog of one size name.

        Raises:
            Problem: when there is none of that size.
        """
        return read_catalog(self.catalog / f"{size}.parquet", self.catalog / "vocabulary.json")

    def read_tasks(self) -> dict[str, Task]:
        """The tasks by id, in file order."""
        return read_tasks(self.tasks)


def read_tasks(path: Path) -> dict[str, Task]:
    """The tasks of ``tasks.jsonl``, by id, in file order.

    Raises:
        Problem: when the file is missing or a line is not a task.
    """
    tasks = {}
    for number, document in enumerate(read_jsonl(path), start=1):
        try:
            task = Task.from_document(document)
        except (KeyError, TypeError) as error:
            raise Problem(
                f"{path}, line {number}, is not a task ({error!r}); make the tasks again."
            ) from error
        tasks[task.id] = task
    return tasks


def built(results: Path, catalog: Path | None, tasks: Path | None) -> Built:
    """Where things lie, from the options of :func:`built_options`.

    Raises:
        Problem: when nothing is built there.
    """
    where = catalog or results / "catalog"
    listed = tasks or results / "tasks"
    if listed.suffix != ".jsonl":
        listed = listed / "tasks.jsonl"
    for path in (where / "vocabulary.json", listed):
        if not path.is_file():
            raise Problem(
                f"Nothing is built yet: {path} does not exist; run `make` first, or name a track's folder "
                "with --results."
            )
    return Built(results, where, listed)


def built_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options ``--results``, and ``--catalog`` and ``--tasks`` for products that lie elsewhere."""
    for option in (
        click.option(
            "--tasks", type=click.Path(path_type=Path), help="tasks.jsonl or its folder, if elsewhere."
        ),
        click.option("--catalog", type=FOLDER, help="Folder of the nested catalogs, if elsewhere."),
        click.option(
            "--results",
            type=FOLDER,
            default=DEFAULT_RESULTS,
            show_default=True,
            help="Build products of a track; its folders catalog and tasks are read.",
        ),
    ):
        command = option(command)
    return command


def cap_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for the limits of a trial."""
    for name, value in reversed(list(Caps().document().items())):
        option = click.option(
            f"--{name.replace('_', '-')}",
            type=int,
            default=value,
            show_default=True,
            help="Limit of a trial.",
        )
        command = option(command)
    return command
