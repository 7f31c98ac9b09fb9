"""Files of traces, read line by line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tau_rec_books.core.errors import Problem


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
