"""Fetching a snapshot: asks the 21 queries with patience, splits what is too large, goes on when stopped.

The last two queries ask for the labels of the languages and countries that the first 19 found, so they are
written only then. Nothing appears under the snapshot's name before all of it is there and verified.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rich.markup import escape

from tau_rec_books.core.canonical import write_json, write_text
from tau_rec_books.core.digest import sha256_text
from tau_rec_books.core.errors import CheckFailed, Problem
from tau_rec_books.core.identifiers import qid_number
from tau_rec_books.core.progress import Advance, progress_bar
from tau_rec_books.wikidata.asking import Asker
from tau_rec_books.wikidata.index import update_index
from tau_rec_books.wikidata.journal import Journal
from tau_rec_books.wikidata.layout import MANIFEST, Part, manifest_of, page_entry, response_entry
from tau_rec_books.wikidata.partial import PartialSnapshot
from tau_rec_books.wikidata.queries import (
    COUNTRIES_QUERY,
    LANGUAGES_QUERY,
    QUERY_NAMES,
    genre_of_query,
    genre_query,
    label_query,
)
from tau_rec_books.wikidata.response import Accepted, Expected, Refused, Verdict, judge, judge_modified
from tau_rec_books.wikidata.settings import FetchSettings
from tau_rec_books.wikidata.snapshot import verify_snapshot
from tau_rec_books.wikidata.statements import UNKNOWN
from tau_rec_books.wikidata.tables import genre_qids
from tau_rec_books.wikidata.transport import check_endpoint
from tau_rec_books.wikidata.waiting import clock_text

GENRE_NAMES = tuple(name for name in QUERY_NAMES if name not in (LANGUAGES_QUERY, COUNTRIES_QUERY))
LINK_PROPERTIES = {LANGUAGES_QUERY: "P407", COUNTRIES_QUERY: "P495"}
"""Label query → the property whose values, found by the genre queries, it asks the labels of."""

IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")
"""What the id of a snapshot looks like; it is a folder's name and part of file names."""

MODIFIED_QUERY = (
    "PREFIX schema: <http://schema.org/>\n"
    "SELECT ?d WHERE { <http://www.wikidata.org> schema:dateModified ?d . }\n"
)


class Planned(NamedTuple):
    """One of the 21 queries and how far it is: ``done``, ``begun``, ``to ask``."""

    name: str
    state: str
    rows: int
    pages: int


def plan(identifier: str, snapshots: Path, settings: FetchSettings) -> list[Planned]:
    """What a fetch would ask, without asking anything.

    Raises:
        Problem: when the fetch would be refused.
    """
    partial = _work_folder(identifier, snapshots)
    _check_target(partial)
    check_endpoint(settings.endpoint)
    begun = partial.begun()
    if begun is not None:
        _check_same_fetch(begun, settings, partial)
    planned = []
    for name in QUERY_NAMES:
        records, missing = _walk(partial, Part(name))
        state = "done" if not missing else "begun" if records or partial.was_split(Part(name)) else "to ask"
        rows = sum(record["page"]["rows"] for record in records)
        planned.append(Planned(name, state, rows, len(records) + len(missing)))
    return planned


def fetch_snapshot(
    identifier: str,
    snapshots: Path,
    logs: Path,
    settings: FetchSettings,
    say: Callable[[str], object] = lambda line: None,
) -> Path:
    """Take a snapshot, or go on with one that was cut short.

    Args:
        identifier: id of the new snapshot.
        snapshots: folder of all snapshots.
        logs: folder for refused bodies and one line per answer.
        settings: how to ask.
        say: told one line per response and per pause.

    Returns:
        The folder of the snapshot.

    Raises:
        Problem: when it cannot be taken, with what to do; finished responses are kept for the next run.
    """
    partial = _work_folder(identifier, snapshots)
    if partial.is_published():
        update_index(snapshots)
        partial.remove()
        return partial.target
    _check_target(partial)
    check_endpoint(settings.endpoint)
    with partial.locked():
        try:
            with progress_bar("Fetching", len(QUERY_NAMES)) as advance:
                _Fetch(partial, Journal(logs), settings, say, advance).run()
        except BaseException:
            if partial.is_empty():
                partial.remove()
            raise
        update_index(snapshots)
        partial.remove()
    return partial.target


def drop_unfinished(identifier: str, snapshots: Path) -> None:
    """Remove what an unfinished fetch has so far.

    Raises:
        Problem: when that fetch is running.
    """
    partial = _work_folder(identifier, snapshots)
    with partial.locked():
        partial.remove()


def _work_folder(identifier: str, snapshots: Path) -> PartialSnapshot:
    """The work folder of an id that can be one."""
    if not IDENTIFIER.fullmatch(identifier):
        raise Problem(
            f"{identifier[:80]!r} cannot be the id of a snapshot; use up to 64 of a-z, 0-9, dots and hyphens"
            ", beginning with a letter or digit."
        )
    return PartialSnapshot(snapshots, identifier)


def _check_target(partial: PartialSnapshot) -> None:
    if partial.target.exists():
        raise Problem(
            f"{partial.target} exists already; a snapshot is never overwritten, so choose another --id."
        )


def _queries_hash() -> str:
    """Hash of everything that is asked, whatever the genre queries will find."""
    texts = [genre_query(genre_qids(genre_of_query(name))) for name in GENRE_NAMES]
    return sha256_text("\n".join([*texts, label_query(["Q1"]), MODIFIED_QUERY]))


def _check_same_fetch(begun: Mapping[str, Any], settings: FetchSettings, partial: PartialSnapshot) -> None:
    """One snapshot has one endpoint, one user agent and one set of queries."""
    now = {
        "endpoint": settings.recorded_endpoint,
        "user agent": settings.user_agent,
        "set of queries": _queries_hash(),
    }
    then = {
        "endpoint": begun["endpoint"],
        "user agent": begun["user_agent"],
        "set of queries": begun["queries_sha256"],
    }
    for what, value in now.items():
        if value != then[what]:
            raise Problem(
                f"{partial.target.name} was begun with another {what} ({then[what][:120]} instead of "
                f"{value[:120]}), and one snapshot must not mix them; go on with that one, choose another "
                f"--id, or give --start-over to drop {partial.root}."
            )


def _walk(partial: PartialSnapshot, part: Part) -> tuple[list[Mapping[str, Any]], list[Part]]:
    """Records of the finished parts below one, and the parts still to ask, both in page order."""
    record = partial.record(part)
    if record is not None:
        return [record], []
    if not partial.was_split(part):
        return [], [part]
    records: list[Mapping[str, Any]] = []
    missing: list[Part] = []
    for half in part.halves():
        below = _walk(partial, half)
        records += below[0]
        missing += below[1]
    return records, missing


class _Fetch:
    """One run of a fetch."""

    def __init__(
        self,
        partial: PartialSnapshot,
        journal: Journal,
        settings: FetchSettings,
        say: Callable[[str], object],
        advance: Advance,
    ) -> None:
        self._partial = partial
        self._journal = journal
        self._settings = settings
        self._say = say
        self._advance = advance
        self._asker = Asker(settings, partial, journal, self._tell)

    def _tell(self, line: str) -> None:
        self._say(line)
        # What a server says must not be taken for the progress bar's markup.
        self._advance(0, escape(line))

    def run(self) -> None:
        """Ask what is missing, write the manifest, verify all of it and publish it."""
        begun = self._begin()
        linked: dict[str, set[str]] = {name: set() for name in LINK_PROPERTIES}
        responses = []
        for name in QUERY_NAMES:
            items = genre_qids(genre_of_query(name)) if name in GENRE_NAMES else tuple(linked[name])
            records = self._response(name, items)
            for record in records:
                for target, found in record["links"].items():
                    linked[target].update(found)
            query = _query(Part(name), items)
            write_text(self._partial.tree / Part(name).query_file, query)
            responses.append(response_entry(name, query, [record["page"] for record in records]))
        manifest = manifest_of(
            self._partial.target.name,
            endpoint=self._settings.recorded_endpoint,
            user_agent=self._settings.user_agent,
            started=begun["started"],
            modified_before=begun["modified_before"],
            modified_after=self._modified("after"),
            ended=clock_text(),
            responses=responses,
            level=self._settings.compression_level,
        )
        write_json(self._partial.tree / MANIFEST, manifest)
        try:
            verify_snapshot(self._partial.tree)
        except CheckFailed as failure:
            raise Problem(
                f"The work folder {self._partial.root} has been changed by something else; give --start-over "
                f"({failure})"
            ) from failure
        self._partial.publish()

    def _begin(self) -> Mapping[str, Any]:
        begun = self._partial.begun()
        if begun is None:
            begun = {
                "started": clock_text(),
                "modified_before": self._modified("before"),
                "endpoint": self._settings.recorded_endpoint,
                "user_agent": self._settings.user_agent,
                "queries_sha256": _queries_hash(),
            }
            self._partial.begin(begun)
        _check_same_fetch(begun, self._settings, self._partial)
        return begun

    def _modified(self, when: str) -> str | None:
        """The server's dateModified; ``None`` when it does not tell, which is no reason to give up."""
        stem = f"server-date-{when}"
        try:
            date = self._asker.ask(
                stem, MODIFIED_QUERY, judge_modified, attempts=min(2, self._settings.attempts)
            )
        except Refused as refused:
            # Whoever is shut out or cannot be reached now would only be asked once more by the first query.
            if when == "before" and refused.status in (0, 401, 403, 429):
                raise self._failed("The first answer", refused.reason) from refused
            return None
        self._partial.forget(stem)
        return date

    def _response(self, name: str, items: tuple[str, ...]) -> list[Mapping[str, Any]]:
        """The records of all pages of one response, after asking what is missing of it."""
        whole = Part(name)
        self._advance(0, f"Fetching {name}")
        records, missing = _walk(self._partial, whole)
        note = "" if missing else ", already there"
        while missing:
            self._page(missing[0], items)
            records, missing = _walk(self._partial, whole)
        rows = sum(record["page"]["rows"] for record in records)
        floor = self._floor(name, items)
        if rows < floor:
            self._partial.discard(whole)
            found = f"{rows:,} rows on {len(records)} pages"
            raise self._failed(name, f"it has {found}, fewer than the floor of {floor:,}")
        pages = f" on {len(records)} pages" if len(records) > 1 else ""
        self._advance(1)
        self._tell(f"{name}: {rows:,} rows{pages}{note}")
        return records

    def _page(self, part: Part, items: tuple[str, ...]) -> None:
        """Ask one part, and store it or note that its halves are to be asked."""
        try:
            accepted = self._agreed(part, items) if self._settings.ask_twice else self._ask(part, items)
        except Refused as refused:
            if refused.verdict not in (Verdict.SPLIT, Verdict.CUT):
                raise self._failed(part.stem, refused.reason) from refused
            if part.modulus * 2 > self._settings.most_pages:
                raise self._failed(part.stem, f"{refused.reason}, small as it is") from refused
            self._tell(f"{part.stem}: {refused.reason}; asking for it in two halves")
            self._partial.split(part, refused.reason)
            return
        links = {
            target: sorted(
                {row.value for row in accepted.statements if row.property == code and row.value != UNKNOWN},
                key=qid_number,
            )
            for target, code in LINK_PROPERTIES.items()
            if part.name in GENRE_NAMES
        }
        query = _query(part, items)
        page = page_entry(
            part, query, accepted.body_sha256, accepted.rows_sha256, accepted.rows, len(accepted.body)
        )
        level = self._settings.compression_level
        self._partial.finish(part, query, accepted.body, level, {"page": page, "links": links})

    def _ask(self, part: Part, items: tuple[str, ...]) -> Accepted:
        genre = part.name in GENRE_NAMES
        expected = Expected(
            genre_items=frozenset(items) if genre else None,
            subjects=None if genre else frozenset(items),
            remainder=part.remainder,
            modulus=part.modulus,
            # One page may well be empty; the response as a whole is measured when its pages are all there.
            row_floor=self._floor(part.name, items) if part.modulus == 1 else 0,
        )
        return self._asker.ask(
            part.stem, _query(part, items), lambda exchange, body: judge(exchange, body, expected)
        )

    def _agreed(self, part: Part, items: tuple[str, ...]) -> Accepted:
        """The first answer whose rows another answer repeats: replicas behind one address may differ."""
        answers: dict[str, Accepted] = {}
        counts: list[str] = []
        while len(counts) < max(2, self._settings.attempts):
            accepted = self._ask(part, items)
            counts.append(f"{accepted.rows:,}")
            if accepted.rows_sha256 in answers:
                return answers[accepted.rows_sha256]
            if answers:
                reason = f"the answers so far have {', '.join(counts)} rows"
                self._asker.keep_body(part.stem, _query(part, items), "disagrees", reason, accepted.rows)
                self._tell(f"{part.stem}: {reason}; asking again")
            answers[accepted.rows_sha256] = accepted
            self._partial.forget(part.stem)
        raise self._failed(part.stem, f"no two of its answers agree; they have {', '.join(counts)} rows")

    def _floor(self, name: str, items: tuple[str, ...]) -> int:
        """Least number of rows to believe; nothing asked for is nothing found."""
        return max(self._settings.row_floor, self._settings.row_floors.get(name, 0)) if items else 0

    def _failed(self, what: str, reason: str) -> Problem:
        return Problem(
            f"{what} cannot be fetched from {self._settings.recorded_endpoint}: {reason}; mend that or wait, "
            f"then run the same command, which goes on with what is finished (refused bodies are in "
            f"{self._journal.folder})."
        )


def _query(part: Part, items: tuple[str, ...]) -> str:
    return (genre_query if part.name in GENRE_NAMES else label_query)(items, part.residue)
