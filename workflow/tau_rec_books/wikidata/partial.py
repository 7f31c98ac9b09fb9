"""The work folder of an unfinished fetch, from which it goes on after any interruption.

``snapshots/.<id>.partial/`` holds the future snapshot, what is known about each of its parts, and bodies that
have come and not yet been judged. Every step ends with one atomic rename, so a killed fetch leaves nothing
half-done behind; the snapshot appears under its name by one rename of a complete and verified folder.
"""

import fcntl
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tau_rec_books.core.canonical import read_json, write_json, write_text
from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata.layout import Part, write_body
from tau_rec_books.wikidata.response import Exchange


class PartialSnapshot:
    """What a fetch has so far."""

    def __init__(self, snapshots: Path, identifier: str) -> None:
        self.root = snapshots / f".{identifier}.partial"
        self.target = snapshots / identifier
        self.tree = self.root / "snapshot"
        self._state = self.root / "state"
        self._received = self.root / "received"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder while the block runs; it is made when it is not there.

        Raises:
            Problem: when another fetch holds it, or it cannot be written.
        """
        try:
            self._received.mkdir(parents=True, exist_ok=True)
            with (self.root / "lock").open("w") as handle:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    raise Problem(
                        f"Another fetch of {self.target.name} is running; wait for it or choose another --id."
                    ) from error
                self._sweep()
                yield
        except OSError as error:
            raise Problem(
                f"Cannot work in {self.root}: {error.strerror or error}; check the folder, then run the "
                "command again."
            ) from error

    def _sweep(self) -> None:
        """Remove what a killed run was writing: files are written beside their place and then renamed."""
        for path in self.root.rglob(".*.part"):
            path.unlink(missing_ok=True)

    def begun(self) -> Mapping[str, Any] | None:
        """What was written down when this fetch began, or ``None`` when it has not."""
        path = self.root / "begun.json"
        return dict(read_json(path)) if path.is_file() else None

    def begin(self, facts: Mapping[str, Any]) -> None:
        """Write down what this fetch is."""
        write_json(self.root / "begun.json", facts)

    def record(self, part: Part) -> Mapping[str, Any] | None:
        """The record of a finished part: its manifest ``page`` and the items it ``links`` to."""
        path = self._state / f"{part.stem}.json"
        return dict(read_json(path)) if path.is_file() else None

    def was_split(self, part: Part) -> bool:
        """Whether the part proved too large and its halves are asked instead."""
        return (self._state / f"{part.stem}.split").is_file()

    def split(self, part: Part, reason: str) -> None:
        """Note that a part is too large."""
        write_text(self._state / f"{part.stem}.split", reason + "\n")

    def finish(self, part: Part, query: str, body: bytes, level: int, record: Mapping[str, Any]) -> None:
        """Store an accepted body; the part counts as finished once its record is there."""
        write_text(self.tree / part.query_file, query)
        write_body(self.tree / part.response_file, body, level)
        write_json(self._state / f"{part.stem}.json", record)
        self.forget(part.stem)

    def discard(self, part: Part) -> None:
        """Forget a finished or split part and everything below it, so that it is asked again."""
        if self.was_split(part):
            for half in part.halves():
                self.discard(half)
        (self._state / f"{part.stem}.json").unlink(missing_ok=True)
        (self._state / f"{part.stem}.split").unlink(missing_ok=True)
        (self.tree / part.response_file).unlink(missing_ok=True)
        (self.tree / part.query_file).unlink(missing_ok=True)

    def body_file(self, stem: str) -> Path:
        """Where the body of an answer goes while it is received and judged."""
        return self._received / f"{stem}.body"

    def hold(self, stem: str, query_sha256: str, exchange: Exchange) -> None:
        """Note that a body has come in full, so that it need not be asked again if judging is cut short."""
        facts = {
            "query_sha256": query_sha256,
            "status": exchange.status,
            "headers": dict(sorted(exchange.headers.items())),
        }
        write_json(self._received / f"{stem}.json", facts)

    def held(self, stem: str, query_sha256: str) -> Exchange | None:
        """The exchange whose body is there in full and was not judged yet."""
        path = self._received / f"{stem}.json"
        if not path.is_file() or not self.body_file(stem).is_file():
            return None
        facts = read_json(path)
        if facts["query_sha256"] != query_sha256:
            return None
        return Exchange(facts["status"], facts["headers"])

    def forget(self, stem: str) -> None:
        """Drop a received body that has been judged."""
        (self._received / f"{stem}.json").unlink(missing_ok=True)
        self.body_file(stem).unlink(missing_ok=True)

    def is_empty(self) -> bool:
        """Whether no part is finished or known to be too large."""
        return not any(self._state.glob("*"))

    def publish(self) -> None:
        """Give the complete folder its name.

        Raises:
            Problem: when a snapshot of that name has appeared meanwhile.
        """
        if self.target.exists():
            raise Problem(f"{self.target} exists already; a snapshot is never overwritten.")
        self.tree.rename(self.target)

    def is_published(self) -> bool:
        """Whether this fetch gave its folder the name and was stopped before it could tidy up."""
        return self.target.exists() and self.root.exists() and not self.tree.exists()

    def remove(self) -> None:
        """Drop the work folder."""
        shutil.rmtree(self.root, ignore_errors=True)
