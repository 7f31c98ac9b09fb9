"""The log folder of a fetch: one line for each answer, and every body that was refused."""

import shutil
from pathlib import Path
from typing import Any

from tau_rec_books.core.canonical import json_text
from tau_rec_books.core.errors import Problem

LINES = "requests.jsonl"


class Journal:
    """Writes below one folder, which is made when there is something to write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def line(self, **facts: Any) -> None:
        """Append one JSON line."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / LINES).open("a", encoding="utf-8", newline="\n") as stream:
                stream.write(json_text(facts) + "\n")
        except OSError as error:
            raise self._problem(error) from error

    def keep(self, stem: str, body: Path) -> str:
        """Move a refused body here under the next free number and return its name."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            number = 1
            while (target := self.folder / f"{stem}.{number:03}.body").exists():
                number += 1
            shutil.move(body, target)
        except OSError as error:
            raise self._problem(error) from error
        return target.name

    def _problem(self, error: OSError) -> Problem:
        return Problem(
            f"Cannot write the log folder {self.folder}: {error.strerror or error}; free some space or "
            "choose another with --logs, then run the command again."
        )
