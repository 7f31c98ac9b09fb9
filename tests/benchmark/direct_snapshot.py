"""Snapshots of synthetic worlds of any size, written without a SPARQL server.

What the server would answer is made from the world's records, work by work, and appended to the page of each
response that the work belongs to, so that memory stays at the sets of linked items however large the world.
A test holds the rows of all 21 responses against those that the server gives for the same world.
"""

import argparse
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from tau_rec_books.core.canonical import write_json, write_text
from tau_rec_books.core.digest import sha256_bytes
from tau_rec_books.core.identifiers import qid_number
from tau_rec_books.core.progress import progress_bar
from tau_rec_books.wikidata.layout import (
    MANIFEST,
    Part,
    manifest_of,
    page_entry,
    response_entry,
    write_body,
)
from tau_rec_books.wikidata.queries import (
    COUNTRIES_QUERY,
    LANGUAGES_QUERY,
    QUERY_NAMES,
    genre_of_query,
    genre_query,
    label_query,
)
from tau_rec_books.wikidata.statements import parse_rows, rows_hash
from tau_rec_books.wikidata.tables import genre_qids
from tau_rec_books.world.build import FULL_WORKS, MODIFIED, make_frame, world_works
from tau_rec_books.world.items import item_labels
from tau_rec_books.world.ntriples import date_time
from tau_rec_books.world.records import (
    NO_VALUE,
    PERSON_NUMBERS,
    STEP,
    UNKNOWN,
    AuthorClaim,
    DateClaim,
    NameClaim,
    Work,
    person_qid,
)
from tau_rec_books.world.works import World

GENRE_NAMES = tuple(name for name in QUERY_NAMES if name not in (LANGUAGES_QUERY, COUNTRIES_QUERY))
TAGS = ("en", "mul")
LEVEL = 1
"""Compression of the bodies: these snapshots are made to be read once."""

WORKS_PER_PAGE = 70_000
"""A response of a larger world is cut into pages, as the fetcher cuts what a query service cannot answer."""

_HEAD = b'{"head":{"vars":["subject","property","value","qualifier"]},"results":{"bindings":['
_TAIL = b"]}}"
_ENTITY = "http://www.wikidata.org/entity/"
_GENID = "http://www.wikidata.org/.well-known/genid/"
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
_DATE_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"

Claim = TypeVar("Claim", AuthorClaim, NameClaim, DateClaim)


def item(qid: str) -> str:
    """An item as a cell."""
    return f'{{"type":"uri","value":"{_ENTITY}{qid}"}}'


def text(value: str, tag: str | None = None, datatype: str | None = None) -> str:
    """A literal as a cell."""
    more = f',"xml:lang":"{tag}"' if tag else f',"datatype":"{datatype}"' if datatype else ""
    return f'{{"type":"literal","value":{quoted(value)}{more}}}'


def solution(subject: str, name: str, value: str, qualifier: str | None = None) -> str:
    """One solution; value and qualifier are cells."""
    last = f',"qualifier":{qualifier}' if qualifier else ""
    return f'{{"subject":{item(subject)},"property":{text(name)},"value":{value}{last}}}'


def best(claims: Sequence[Claim]) -> Iterator[tuple[int, Claim]]:
    """Statements of best rank, with their places."""
    rank = "preferred" if any(claim.rank == "preferred" for claim in claims) else "normal"
    return ((place, claim) for place, claim in enumerate(claims) if claim.rank == rank)


def label_solutions(qid: str, labels: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The labels that the queries ask for."""
    for tag, label in labels:
        if tag in TAGS:
            yield solution(qid, "label", text(label, tag), text(tag))


def work_solutions(work: Work) -> Iterator[str]:
    """Everything that a genre query says about one work, without the labels of what it points to."""
    qid = work.qid
    for name, items in (
        ("P31", work.classes), ("P7937", work.forms), ("P407", work.languages), ("P495", work.countries),
        ("P136", work.genres), ("P629", work.edition_of), ("P179", work.series),
    ):  # fmt: skip
        for value in items:
            yield solution(qid, name, item(value))
    for place, author in best(work.authors):
        if author.value != NO_VALUE:
            unknown = f'{{"type":"uri","value":"{_GENID}{qid}-author-{place}"}}'
            cell = unknown if author.value == UNKNOWN else item(author.value)
            yield solution(qid, "P50", cell, author.ordinal and text(author.ordinal))
    for _, person in best(work.author_names):
        yield solution(qid, "P2093", text(person.text), person.ordinal and text(person.ordinal))
    for place, date in best(work.dates):
        if date.year is None:
            yield solution(qid, "P577", f'{{"type":"uri","value":"{_GENID}{qid}-date-{place}"}}')
        else:
            precision = text(str(date.precision), datatype=_INTEGER)
            yield solution(qid, "P577", text(date_time(date), datatype=_DATE_TIME), precision)
    for tag, title in work.titles:
        if tag == "en":
            yield solution(qid, "P1476", text(title, tag), text(tag))
    if work.sitelinks is not None:
        yield solution(qid, "sitelinks", text(str(work.sitelinks), datatype=_INTEGER))
    yield from label_solutions(qid, work.labels)


def linked_items(work: Work) -> list[str]:
    """Items whose labels a genre query gives beside the works: authors, classes, forms, genres."""
    authors = [claim.value for _, claim in best(work.authors) if claim.value not in (UNKNOWN, NO_VALUE)]
    return [*authors, *work.classes, *work.forms, *work.genres]


class _Spool:
    """The solutions of one page as they come, and the items whose labels it has already."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.labelled: set[str] = set()
        self._file: BinaryIO = path.open("wb", buffering=1 << 16)

    def write(self, solutions: Iterable[str]) -> None:
        for line in solutions:
            self._file.write(line.encode("utf-8") + b",")

    def close(self) -> None:
        self._file.close()
        self.labelled.clear()


class _Labels:
    """Labels of the items that works point to."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._items = item_labels()

    def of(self, qid: str) -> Sequence[tuple[str, str]]:
        """(tag, text) pairs of an item; none for an item without statements."""
        known = self._items.get(qid)
        if known is not None:
            return (known,)
        index = (qid_number(qid) - PERSON_NUMBERS) // STEP
        if 0 <= index < self._world.people and person_qid(index) == qid:
            return self._world.person(index).labels
        return ()


def write_direct_snapshot(
    folder: Path, seed: str, scale: float, *, pages: int | None = None, level: int = LEVEL
) -> dict[str, Any]:
    """Write the snapshot that a query service with this world would give, and return its manifest.

    Args:
        folder: the snapshot's folder, which must not exist.
        seed, scale: of the world.
        pages: pages per genre response; ``None`` chooses by size.
        level: compression.
    """
    world = make_frame(seed, scale)
    modulus = pages or max(1, -(-world.works // WORKS_PER_PAGE))
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix=".spool-", dir=folder.parent) as place:
        spools, linked = _spool(world, modulus, Path(place))
        jobs = []
        for name in GENRE_NAMES:
            qids = genre_qids(genre_of_query(name))
            write_text(folder / Part(name).query_file, genre_query(qids))
            for rest in range(modulus):
                part = Part(name, rest, modulus)
                jobs.append((folder, part, genre_query(qids, part.residue), spools[name][rest].path, level))
        labels = _Labels(world)
        for name, found in linked.items():
            spool = _Spool(Path(place) / name)
            for qid in sorted(found, key=qid_number):
                spool.write(label_solutions(qid, labels.of(qid)))
            spool.close()
            jobs.append((folder, Part(name), label_query(found), spool.path, level))
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            entries = list(pool.map(_finish, *zip(*jobs, strict=True)))
    responses = []
    for name in QUERY_NAMES:
        query = (folder / Part(name).query_file).read_text(encoding="utf-8")
        own = [entry for job, entry in zip(jobs, entries, strict=True) if job[1].name == name]
        responses.append(response_entry(name, query, own))
    manifest = manifest_of(
        folder.name,
        endpoint=f"synthetic world {seed} at scale {scale:g}, written without a server",
        user_agent="none",
        started=MODIFIED,
        ended=MODIFIED,
        modified_before=None,
        modified_after=None,
        responses=responses,
        level=level,
    )
    write_json(folder / MANIFEST, manifest)
    return manifest


def _spool(world: World, modulus: int, place: Path) -> tuple[dict[str, list[_Spool]], dict[str, set[str]]]:
    """Solutions of all genre pages, and the language and country items that the works name."""
    spools = {name: [_Spool(place / f"{name}.{rest}") for rest in range(modulus)] for name in GENRE_NAMES}
    query_of = {qid: name for name in GENRE_NAMES for qid in genre_qids(genre_of_query(name))}
    linked: dict[str, set[str]] = {LANGUAGES_QUERY: set(), COUNTRIES_QUERY: set()}
    labels = _Labels(world)
    with progress_bar("drawing works", total=world.works) as advance:
        for _, works in world_works(world):
            for work in works:
                names = {query_of[qid] for qid in work.genres if qid in query_of}
                if not names:
                    continue
                solutions = list(dict.fromkeys(work_solutions(work)))
                for name in names:
                    spool = spools[name][qid_number(work.qid) % modulus]
                    spool.write(solutions)
                    for qid in linked_items(work):
                        if qid not in spool.labelled:
                            spool.labelled.add(qid)
                            spool.write(label_solutions(qid, labels.of(qid)))
                linked[LANGUAGES_QUERY].update(work.languages)
                linked[COUNTRIES_QUERY].update(work.countries)
            advance()
    for own in spools.values():
        for spool in own:
            spool.close()
    return spools, linked


def _finish(folder: Path, part: Part, query: str, spool: Path, level: int) -> dict[str, Any]:
    """Write one page from its spool; its rows are counted and hashed as the fetcher does it."""
    body = _HEAD + spool.read_bytes().removesuffix(b",") + _TAIL
    spool.unlink()
    rows = parse_rows(body, where=part.response_file)
    write_text(folder / part.query_file, query)
    write_body(folder / part.response_file, body, level)
    return page_entry(part, query, sha256_bytes(body), rows_hash(rows), len(rows), len(body))


def main() -> None:
    """Write one snapshot."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the snapshot's folder, which must not exist")
    parser.add_argument(
        "--works", type=int, default=FULL_WORKS, help="number of works (default: %(default)s)"
    )
    parser.add_argument("--seed", default="books-synthetic-v1")
    parser.add_argument("--pages", type=int, default=None, help="pages per genre response (default: by size)")
    arguments = parser.parse_args()
    scale = arguments.works / FULL_WORKS
    manifest = write_direct_snapshot(arguments.folder, arguments.seed, scale, pages=arguments.pages)
    totals = manifest["totals"]
    print(
        f"{arguments.folder}: {totals['rows']:,} rows, {totals['bytes']:,} bytes on {totals['pages']} pages"
    )


if __name__ == "__main__":
    main()
