"""The place where faults are tried: a tiny world, and a fetch of it that was stopped half-way."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tau_rec_books.core.digest import sha256_file
from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata.fetch import fetch_snapshot
from tau_rec_books.wikidata.queries import QUERY_NAMES, genre_of_query
from tau_rec_books.wikidata.settings import FetchSettings
from tau_rec_books.wikidata.tables import genre_qids

EPOCH = "1700000000"
TARGET = "19-young-adult"
"""The query that faults are tried on: the last genre, so that most of a fetch is done before."""

_WD, _PROP, _WIKIBASE = (
    "http://www.wikidata.org/entity/",
    "http://www.wikidata.org/prop/",
    "http://wikiba.se/ontology#",
)
_XSD = "http://www.w3.org/2001/XMLSchema#"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def _work(number: int, genre: str, title: str) -> Iterator[str]:
    """N-Triples of one work with what every query branch asks for."""
    work, author = f"<{_WD}Q{number}>", f"<{_WD}Q{number + 5_000_000}>"
    date, value, writing = (
        f"<{_WD}{kind}/Q{number}-{at}>" for kind, at in (("statement", 1), ("value", 2), ("statement", 3))
    )
    for code, target in (("P31", "Q7725634"), ("P136", genre), ("P407", "Q1860"), ("P495", "Q145")):
        yield f"{work} <{_PROP}direct/{code}> <{_WD}{target}> ."
    yield f"{work} <{_PROP}direct/P50> {author} ."
    yield f"{work} <{_PROP}P50> {writing} ."
    yield f"{writing} <{_TYPE}> <{_WIKIBASE}BestRank> ."
    yield f"{writing} <{_PROP}statement/P50> {author} ."
    yield f'{writing} <{_PROP}qualifier/P1545> "1" .'
    yield f"{work} <{_PROP}P577> {date} ."
    yield f"{date} <{_TYPE}> <{_WIKIBASE}BestRank> ."
    yield f"{date} <{_PROP}statement/value/P577> {value} ."
    yield f'{value} <{_WIKIBASE}timeValue> "1990-01-01T00:00:00Z"^^<{_XSD}dateTime> .'
    yield f'{value} <{_WIKIBASE}timePrecision> "9"^^<{_XSD}integer> .'
    yield f'{work} <{_PROP}direct/P1476> "{title}"@en .'
    yield f'{work} <{_LABEL}> "{title}"@en .'
    yield f'{author} <{_LABEL}> "Author of {title}"@en .'
    yield f'{work} <{_WIKIBASE}sitelinks> "3"^^<{_XSD}integer> .'


def tiny_world() -> str:
    """Three works per genre and sixteen of the target's, in every residue class of eight."""
    lines = [
        f'<{_WD}Q1860> <{_LABEL}> "English"@en .',
        f'<{_WD}Q145> <{_LABEL}> "United Kingdom"@en .',
        f'<{_WD}Q7725634> <{_LABEL}> "literary work"@en .',
        f"<http://www.wikidata.org> <http://schema.org/dateModified> "
        f'"2023-11-14T22:00:00Z"^^<{_XSD}dateTime> .',
    ]
    for place, name in enumerate(QUERY_NAMES[:-2]):
        genre = genre_of_query(name)
        for copy in range(16 if name == TARGET else 3):
            lines += _work(9_000_000_000 + 100 * place + copy, genre_qids(genre)[0], f"{genre} {copy}")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Bench:
    """A folder in which a fetch was stopped just before the target query, beside an older snapshot."""

    server: Any
    root: Path
    settings: FetchSettings

    @property
    def snapshots(self) -> Path:
        return self.root / "snapshots"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    def fetch(self, plan: Any = None, **changes: Any) -> Path:
        """Go on with the fetch while the server follows a plan."""
        self.server.reset(plan)
        settings = replace(self.settings, endpoint=self.server.url, **changes)
        return fetch_snapshot("new", self.snapshots, self.logs, settings)

    def refused(self, plan: Any = None, **changes: Any) -> str:
        """Go on with the fetch, expect it to be refused, and return the sentence."""
        with pytest.raises(Problem) as raised:
            self.fetch(plan, **changes)
        return str(raised.value)

    def bad_bodies(self) -> list[bytes]:
        return [path.read_bytes() for path in sorted(self.logs.glob("*.body"))]

    def visible(self) -> list[str]:
        return sorted(path.name for path in self.snapshots.iterdir() if not path.name.startswith("."))


def tree_hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): sha256_file(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
