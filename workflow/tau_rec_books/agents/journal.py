"""The journal of a shard: every finished trial on disk at once, so that a killed run repeats nothing."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tau_rec_books.core.errors import Problem

_SYNC_EVERY = 64


class Journal:
    """An append-only file of lines ``key TAB status TAB trace``; the last line of a key counts.

    A line goes to the operating system as one write when its trial ends, so that a killed process loses at
    most the trial in flight; a torn last line is cut off when the journal is opened again. The disk is asked
    to keep it every 64 trials and at the end.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._unsynced = 0
        self._entries: dict[str, tuple[str, int, int]] = {}
        self._end = 0
        stream.seek(0)
        for line in stream:
            parts = line.split(b"\t", 2)
            if len(parts) != 3 or not line.endswith(b"}\n"):
                break
            self._note(parts[0].decode("ascii", "replace"), parts[1].decode("ascii", "replace"), line)
        stream.seek(self._end)
        stream.truncate()

    def _note(self, key: str, status: str, line: bytes) -> None:
        start = self._end + len(key) + len(status) + 2
        self._end += len(line)
        self._entries[key] = (status, start, self._end)

    def status(self, key: str) -> str | None:
        """``scored``, ``pending`` or ``None`` for a trial that has not been run."""
        entry = self._entries.get(key)
        return entry[0] if entry else None

    def add(self, key: str, status: str, trace_line: str) -> None:
        """Append a finished trial."""
        line = f"{key}\t{status}\t{trace_line}".encode()
        self._stream.write(line)
        self._stream.flush()
        self._note(key, status, line)
        self._unsynced += 1
        if self._unsynced >= _SYNC_EVERY:
            self.sync()

    def sync(self) -> None:
        """Ask the disk to keep what was added."""
        os.fsync(self._stream.fileno())
        self._unsynced = 0

    def trace(self, key: str) -> bytes:
        """The trace line of a finished trial."""
        _, start, end = self._entries[key]
        self._stream.seek(start)
        line = self._stream.read(end - start)
        self._stream.seek(self._end)
        return line


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """Open or create a journal; only one process at a time.

    Raises:
        Problem: when another process holds it, or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open("a+b")
    except OSError as error:
        raise Problem(f"Cannot open the journal {path}: {error.strerror}; choose another folder.") from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Problem(
                f"Another run is writing the journal {path}; wait for it or choose another folder."
            ) from error
        journal = Journal(stream)
        yield journal
        journal.sync()
