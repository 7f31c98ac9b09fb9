"""Files of traces: canonical lines streamed in and out, whole file or nothing."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tau_rec_books.core.errors import Problem


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write piece by piece, which takes its name only when the block ends without an error.

    Raises:
        Problem: when the disk is full or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(handle, "wb", buffering=1 << 20) as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Problem(
            f"Cannot write {path}: {error.strerror or error}; free some space or choose another folder, "
            "then run the command again."
        ) from error


def trace_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The lines of a trace file, as text with the line end and as JSON.

    Raises:
        Problem: when the file is missing, not UTF-8, or a line is not a JSON object.
    """
    try:
        with path.open("rb") as handle:
            for number, raw in enumerate(handle, start=1):
                try:
                    line = raw.decode("utf-8")
                    trace = json.loads(line)
                except ValueError as error:
                    raise Problem(
                        f"{path}, line {number}, is not a trace ({error}); restore it or run again."
                    ) from error
                if not isinstance(trace, dict):
                    raise Problem(f"{path}, line {number}, is not a trace; restore the file.")
                yield line, trace
    except FileNotFoundError as error:
        raise Problem(f"{path} does not exist; run the trials first or check the path.") from error
