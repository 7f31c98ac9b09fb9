"""A snapshot on disk: its manifest, and the proof that nothing in it has changed.

``snapshots/<id>/`` holds ``queries/NN-name.rq``, ``responses/NN-name.json.zst`` and ``snapshot.json``.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tau_rec_books.core.canonical import read_csv, read_json, write_json, write_text
from tau_rec_books.core.digest import sha256_bytes, sha256_file
from tau_rec_books.core.errors import CheckFailed, Problem
from tau_rec_books.core.schemas import Schemas
from tau_rec_books.wikidata.layout import (
    COMPRESSION_LEVEL,
    MANIFEST,
    Part,
    manifest_of,
    page_entry,
    read_body,
    response_entry,
    write_body,
)
from tau_rec_books.wikidata.queries import QUERY_NAMES
from tau_rec_books.wikidata.statements import UnreadableBody, parse_rows, rows_hash

INDEX = "index.csv"

_SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"


class SnapshotChanged(CheckFailed):
    """A snapshot is not what its manifest says; ``problems`` has one sentence per file."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        more = "".join(f"\n  {problem}" for problem in problems[1:])
        super().__init__(problems[0] + more)


def read_snapshot_manifest(folder: Path) -> Mapping[str, Any]:
    """The manifest of a snapshot, checked against its schema and in itself.

    Raises:
        Problem: when it is missing or not the manifest of a snapshot.
    """
    path = folder / MANIFEST
    if not folder.is_dir():
        raise Problem(
            f"There is no snapshot {folder}; check the path, or take one with `tau-rec-books fetch`."
        )
    manifest = read_json(path)
    problems = _schemas().problems(manifest, "snapshot.schema.json", str(path), limit=1)
    problems = problems or [f"{path}: {fault}" for fault in _manifest_faults(manifest)]
    if problems:
        raise Problem(f"{problems[0]}; restore the file or take the snapshot again.")
    assert isinstance(manifest, dict)
    return manifest


def verify_snapshot(folder: Path) -> dict[str, Any]:
    """Prove that a snapshot is what its manifest says, and that the manifest is what ``index.csv`` says.

    Checked are every query's text, every raw body, its number of rows and their order-free hash, that the 21
    responses are all there and their pages complete, and that no other file is.

    Returns:
        A report: id, counts, and the manifest's hash.

    Raises:
        SnapshotChanged: naming the first file that differs, and listing the others.
    """
    try:
        manifest = read_snapshot_manifest(folder)
    except Problem as error:
        raise SnapshotChanged([str(error)]) from error
    problems = _index_problems(folder) + _file_problems(folder, manifest)
    if problems:
        raise SnapshotChanged(problems)
    return {
        "passed": True,
        "snapshot": manifest["id"],
        "manifest_sha256": sha256_file(folder / MANIFEST),
        "totals": manifest["totals"],
        "responses": [
            {"name": response["name"], "rows": response["rows"], "pages": len(response["pages"])}
            for response in manifest["responses"]
        ],
    }


def write_snapshot(
    folder: Path,
    identifier: str,
    bodies: Iterable[tuple[str, str, bytes]],
    *,
    endpoint: str,
    user_agent: str = "none",
    time: str = "1970-01-01T00:00:00Z",
    level: int = COMPRESSION_LEVEL,
) -> dict[str, Any]:
    """Write a snapshot of bodies that are at hand, without an endpoint, and return its manifest.

    Args:
        folder: the snapshot's own folder; must not exist.
        identifier: id in the manifest.
        bodies: query name, query text and raw body of each response, in query order.
        endpoint, user_agent, time: what the manifest is to say.
        level: compression; low levels are for large test data.

    Raises:
        Problem: when the folder exists or a body is not what a query answers.
    """
    if folder.exists():
        raise Problem(f"{folder} exists already; a snapshot is never overwritten, so choose another id.")
    responses = []
    for name, query, body in bodies:
        part = Part(name)
        rows = parse_rows(body, where=part.response_file)
        write_text(folder / part.query_file, query)
        write_body(folder / part.response_file, body, level)
        entry = page_entry(part, query, sha256_bytes(body), rows_hash(rows), len(rows), len(body))
        responses.append(response_entry(name, query, [entry]))
    manifest = manifest_of(
        identifier,
        endpoint=endpoint,
        user_agent=user_agent,
        started=time,
        ended=time,
        modified_before=None,
        modified_after=None,
        responses=responses,
        level=level,
    )
    write_json(folder / MANIFEST, manifest)
    return manifest


@cache
def _schemas() -> Schemas:
    return Schemas(_SCHEMAS)


def _manifest_faults(manifest: Mapping[str, Any]) -> list[str]:
    """What a schema cannot see: names, order, pages that do not cover their response, sums."""
    responses = manifest["responses"]
    names = tuple(response["name"] for response in responses)
    if names != QUERY_NAMES:
        missing = [name for name in QUERY_NAMES if name not in names]
        extra = [name for name in names if name not in QUERY_NAMES]
        told = (missing and f"the response {missing[0]} is missing") or (
            extra and f"{extra[0]} is no response of a snapshot"
        )
        return [told or "the responses are not in query order"]
    faults = []
    for response in responses:
        name, pages = response["name"], response["pages"]
        largest = max(page["modulus"] for page in pages)
        covered = [rest for page in pages for rest in range(page["remainder"], largest, page["modulus"])]
        if sorted(covered) != list(range(largest)) or any(largest % page["modulus"] for page in pages):
            faults.append(f"the pages of {name} do not cover every item number once")
        for page in pages:
            part = Part(name, page["remainder"], page["modulus"])
            if (page["file"], page["query_file"]) != (part.response_file, part.query_file):
                faults.append(f"{page['file']} is not the name of that page of {name}")
        for key in ("rows", "bytes"):
            if response[key] != sum(page[key] for page in pages):
                faults.append(f"the {key} of {name} are not the sum of its pages")
    totals = manifest["totals"]
    sums = {
        "responses": len(responses),
        "pages": sum(len(response["pages"]) for response in responses),
        "rows": sum(response["rows"] for response in responses),
        "bytes": sum(response["bytes"] for response in responses),
    }
    return faults + [f"the total of {key} is not {sums[key]:,}" for key in sums if totals[key] != sums[key]]


def _index_problems(folder: Path) -> list[str]:
    """Whether the list of snapshots beside the folder knows this manifest under the folder's name."""
    index = folder.resolve().parent / INDEX
    if not index.is_file():
        return []
    found = sha256_file(folder / MANIFEST)
    for row in read_csv(index):
        listed = row.get("manifest_sha256", "")
        if row.get("id") == folder.resolve().name and listed != found:
            return [
                f"{folder / MANIFEST} is not the file that {index.name} lists (its SHA-256 is {found[:12]}… "
                f"and not {listed[:12]}…); restore it, or take the snapshot under another id."
            ]
    return []


def _file_problems(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Sentences about missing, changed and extra files, in the order of the manifest."""
    problems = []
    listed = {MANIFEST}
    for response in manifest["responses"]:
        queries = [(entry["query_file"], entry["query_sha256"]) for entry in (response, *response["pages"])]
        for file, expected in dict.fromkeys(queries):
            listed.add(file)
            problems += _query_problems(folder / file, expected)
        for page in response["pages"]:
            listed.add(page["file"])
            problems += _page_problems(folder, page, response["name"])
    found = {path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if not path.is_dir()}
    for file in sorted(found - listed):
        problems.append(f"{folder / file} does not belong to the snapshot; remove it.")
    return problems


def _query_problems(path: Path, expected: str) -> list[str]:
    if not path.is_file():
        return [f"{path} is missing; restore it or take the snapshot again."]
    if sha256_file(path) != expected:
        return [f"{path} has changed since the snapshot was taken; restore it or take the snapshot again."]
    return []


def _page_problems(folder: Path, page: Mapping[str, Any], name: str) -> list[str]:
    path = folder / page["file"]
    advice = "restore it or take the snapshot again"
    try:
        body = read_body(folder, page)
    except Problem as error:
        return [str(error)]
    if sha256_bytes(body) != page["body_sha256"]:
        return [f"{path} is not the response to {name} that was taken; {advice}."]
    try:
        rows = parse_rows(body, where=str(path))
    except UnreadableBody as error:
        return [f"{str(error).removesuffix('.')}; {advice}."]
    if len(rows) != page["rows"]:
        return [f"{path} has {len(rows):,} rows where snapshot.json says {page['rows']:,}; {advice}."]
    if rows_hash(rows) != page["rows_sha256"]:
        return [f"{path} has other rows than snapshot.json says; {advice}."]
    return []
