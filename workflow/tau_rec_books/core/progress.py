"""Progress on a terminal, silence in a log."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

T = TypeVar("T")


class Advance(Protocol):
    """Moves a progress bar on by some steps, optionally with a new description."""

    def __call__(self, steps: int = 1, text: str | None = None) -> None:
        """Advance by ``steps``; ``text`` replaces the description."""


@contextmanager
def progress_bar(description: str, total: int) -> Iterator[Advance]:
    """A progress bar on standard error while the block runs; nothing when that is not a terminal."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("[progress.description]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not sys.stderr.isatty(),
        transient=True,
    ) as bar:
        task = bar.add_task(description, total=total)

        def advance(steps: int = 1, text: str | None = None) -> None:
            if text is None:
                bar.advance(task, steps)
            else:
                bar.update(task, advance=steps, description=text)

        yield advance


def with_progress(items: Iterable[T], description: str, total: int) -> Iterator[T]:
    """Iterate with a progress bar."""
    with progress_bar(description, total) as advance:
        for item in items:
            yield item
            advance()
