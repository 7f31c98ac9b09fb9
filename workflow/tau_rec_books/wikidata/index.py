"""``index.csv``: the list of all snapshots of a folder, with the hash of each manifest."""

from pathlib import Path

from tau_rec_books.core.canonical import read_csv, write_csv
from tau_rec_books.core.digest import sha256_file
from tau_rec_books.wikidata.layout import MANIFEST
from tau_rec_books.wikidata.snapshot import INDEX, read_snapshot_manifest

COLUMNS = ("id", "date", "endpoint", "responses", "rows", "bytes", "manifest_sha256")


def update_index(snapshots: Path) -> Path:
    """List every snapshot of a folder in its ``index.csv``, sorted by id, and return that file.

    A row that is there is kept as it is, since it is what the manifest is checked against; snapshots without
    a row get one, and rows whose folder is gone are left out.

    Raises:
        Problem: when the file or the manifest of a new snapshot cannot be read.
    """
    path = snapshots / INDEX
    known = {row["id"]: row for row in read_csv(path)} if path.is_file() else {}
    rows: list[dict[str, object]] = []
    for folder in sorted(snapshots.iterdir(), key=lambda folder: folder.name):
        if folder.name.startswith(".") or not (folder / MANIFEST).is_file():
            continue
        kept = known.get(folder.name)
        rows.append({column: kept[column] for column in COLUMNS} if kept else _row(folder))
    write_csv(path, COLUMNS, rows)
    return path


def _row(folder: Path) -> dict[str, object]:
    manifest = read_snapshot_manifest(folder)
    totals = manifest["totals"]
    return {
        "id": folder.name,
        "date": manifest["ended"][:10],
        "endpoint": manifest["endpoint"],
        "responses": totals["responses"],
        "rows": totals["rows"],
        "bytes": totals["bytes"],
        "manifest_sha256": sha256_file(folder / MANIFEST),
    }
