"""The one writer for each kind of file: JSON, JSON Lines, CSV, Parquet.

Same inputs, same bytes: keys sorted, one number form, LF, UTF-8 without BOM, no wall clock, no
host. Every writer replaces its file atomically, so a killed run leaves the old file or the new one.
"""

import csv
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from tau_rec_books.core.errors import Problem

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Canonical JSON: sorted keys, no escapes beyond the necessary, no NaN.

    Raises:
        ValueError: for NaN or infinite numbers.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=separators, indent=indent
    )


@contextmanager
def atomic_file(path: Path, buffering: int = -1) -> Iterator[BinaryIO]:
    """A file that appears whole or not at all: written to a temporary neighbour, then renamed.

    Args:
        path: where the file appears.
        buffering: bytes kept before writing, for files written in many small pieces.

    Raises:
        Problem: when the disk is full or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(handle, "wb", buffering=buffering) as stream:
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


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file or nothing.

    Raises:
        Problem: when the disk is full or the folder cannot be written.
    """
    with atomic_file(path) as stream:
        stream.write(data)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with LF line ends."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write one canonical JSON document, indented for reading."""
    write_text(path, json_text(value, indent=1) + "\n")


def jsonl_bytes(rows: Iterable[Any]) -> bytes:
    """The bytes of a JSON Lines file of these rows, in the order given."""
    return "".join(json_text(row) + "\n" for row in rows).encode("utf-8")


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Write one canonical JSON document per line, in the order given."""
    write_bytes(path, jsonl_bytes(rows))


def read_json(path: Path) -> Any:
    """Read a JSON document.

    Raises:
        Problem: when the file is missing or not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Problem(f"{path} does not exist; build it first or check the path.") from error
    except (ValueError, UnicodeDecodeError) as error:
        raise Problem(f"{path} is not valid JSON ({error}); restore it or build it again.") from error


def read_jsonl(path: Path) -> Iterator[Any]:
    """Read a JSON Lines file row by row.

    Raises:
        Problem: when the file is missing or a line is not JSON.
    """
    try:
        with path.open(encoding="utf-8", newline="\n") as handle:
            for number, line in enumerate(handle, start=1):
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise Problem(
                        f"{path}, line {number}, is not valid JSON ({error}); restore it or build it again."
                    ) from error
    except FileNotFoundError as error:
        raise Problem(f"{path} does not exist; build it first or check the path.") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is not UTF-8 text ({error}); restore it or build it again.") from error


def csv_cell(value: object) -> str:
    """One cell as text; an apostrophe keeps a spreadsheet from running text as a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    # Apostrophes of the text's own count along, so that reading takes off exactly the one added here.
    return "'" + text if text.lstrip("'").startswith(_FORMULA_STARTS) else text


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """A CSV table as text, with a header and LF line ends."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([csv_cell(row[column]) for column in columns])
    return buffer.getvalue()


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write a CSV table with these columns, in the row order given."""
    write_text(path, csv_text(columns, rows))


def read_csv(path: Path) -> list[dict[str, str]]:
    """Read a CSV table as text cells (an apostrophe added against formulas is taken off again).

    Raises:
        Problem: when the file is missing, not UTF-8, or a row has too many or too few cells.
    """
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            rows = []
            for row in csv.DictReader(handle, restkey="__more__", restval=None):
                if "__more__" in row or None in row.values():
                    raise Problem(
                        f"{path}: the row {list(row.values())} does not fit the header; mend the row."
                    )
                rows.append({key: _text_of_cell(cell) for key, cell in row.items()})
            return rows
    except FileNotFoundError as error:
        raise Problem(f"{path} does not exist; check the path.") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is not UTF-8 text ({error}); save it as UTF-8.") from error


def _text_of_cell(cell: str) -> str:
    guarded = cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA_STARTS)
    return cell[1:] if guarded else cell


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> None:
    """Write a Parquet table whose bytes depend only on rows, schema and the pinned writer version.

    The caller gives the rows in their total order; columns follow ``schema``, which is enforced.

    Raises:
        Problem: when a value does not fit the schema (a null in a non-nullable column, say).
    """
    try:
        columns = {field.name: [row[field.name] for row in rows] for field in schema}
        table = pa.Table.from_pydict(columns, schema=schema)
        table.validate(full=True)
        for field in schema:
            if not field.nullable and table.column(field.name).null_count:
                raise ValueError(f"column {field.name} has empty cells")
    except (KeyError, ValueError, pa.ArrowException) as error:
        raise Problem(
            f"{path.name} cannot be written: {error!s}; the rows do not fit their schema."
        ) from error
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=9,
        row_group_size=65_536,
        use_dictionary=True,
        write_statistics=True,
        store_schema=True,
    )
    write_bytes(path, sink.getvalue().to_pybytes())


def content_hash(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> str:
    """Hash of a table's content that does not depend on the Parquet writer.

    SHA-256 over the schema's text (name, type and nullability per line) and one canonical JSON line per row.
    """
    digest = hashlib.sha256()
    for field in schema:
        digest.update(f"{field.name} {field.type} {'null' if field.nullable else 'not null'}\n".encode())
    for row in rows:
        digest.update((json_text({field.name: row[field.name] for field in schema}) + "\n").encode("utf-8"))
    return digest.hexdigest()
