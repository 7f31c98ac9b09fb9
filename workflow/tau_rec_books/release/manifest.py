"""manifest.json: what a release holds, under which licence, made from what."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tau_rec_books import __version__
from tau_rec_books.catalog.books import BOOK_SCHEMA, book_rows, read_books
from tau_rec_books.core.canonical import content_hash
from tau_rec_books.core.digest import sha256_file
from tau_rec_books.release.checksums import MANIFEST, released_files

SCHEMA_VERSION = 1

LICENCES: tuple[tuple[str, str], ...] = (
    ("catalog/", "CC0-1.0"),
    ("snapshot/", "CC0-1.0"),
    ("tasks/", "CC-BY-4.0"),
    ("traces/", "CC-BY-4.0"),
    ("statistics/", "CC-BY-4.0"),
    ("user/", "CC-BY-4.0"),
    ("", "MIT"),
)
"""Folder → licence of the files in it; the first that fits holds."""


def licence_of(path: str) -> str:
    """SPDX id of the licence of a released file."""
    return next(licence for folder, licence in LICENCES if path.startswith(folder))


def release_manifest(folder: Path, config: Mapping[str, Any], snapshot_sha256: str) -> dict[str, Any]:
    """The manifest of the files that lie in ``folder``; no clock, host or path goes into it.

    Parquet tables get a content hash, too, which does not depend on the version of the Parquet writer.
    """
    files: list[dict[str, Any]] = []
    for path in released_files(folder):
        if path == MANIFEST:
            continue
        entry: dict[str, Any] = {
            "path": path,
            "bytes": (folder / path).stat().st_size,
            "sha256": sha256_file(folder / path),
            "licence": licence_of(path),
        }
        if path.endswith(".parquet"):
            entry["content_sha256"] = content_hash(book_rows(read_books(folder / path)), BOOK_SCHEMA)
        files.append(entry)
    return {
        "schema_version": SCHEMA_VERSION,
        "track": config["track"],
        "date": config["release"]["date"],
        "tau_rec_books": __version__,
        "protocol_version": config["trials"]["protocol_version"],
        "snapshot": {"id": config["snapshot"]["id"], "sha256": snapshot_sha256},
        "sizes": list(config["catalog"]["sizes"]),
        "files": files,
    }
