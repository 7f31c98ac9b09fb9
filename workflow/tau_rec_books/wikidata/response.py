"""What an endpoint's answer may become: a response of a snapshot, or one of four kinds of refusal.

The rules come from how public query services fail: they answer 200 with a sentence of policy, write a stack
trace into an open JSON document when the deadline strikes, cut bodies, answer from a replica that lags, or
send another query's cached result. A body becomes part of a snapshot only when nothing of the kind can be
seen in it.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import orjson

from tau_rec_books.core.digest import sha256_bytes
from tau_rec_books.wikidata.statements import (
    IncompleteBody,
    Statement,
    UnreadableBody,
    WrongVariables,
    parse_rows,
    rows_hash,
)

JSON_TYPES = ("application/sparql-results+json", "application/json")
"""Content types of a SPARQL result in JSON."""

_TRACES = (
    b"SPARQL-QUERY: queryStr",
    b"java.util.concurrent.TimeoutException",
    b"java.util.concurrent.ExecutionException",
    b"QueryTimeoutException",
    b"com.bigdata.",
    b"!!!!>># An error has occurred",
)
"""What query services write into a body: Blazegraph's query text and Java exceptions, QLever's late error."""

_JAVA_FRAME = re.compile(rb"[\w$]\([\w$]{1,100}\.java:\d{1,6}\)")
"""The end of a line of a Java stack trace, such as ``FutureTask.get(FutureTask.java:205)``."""

_TIMED_OUT = re.compile(rb"TimeoutException|timed? ?-?out|time limit|deadline|cancell?ed", re.IGNORECASE)
_TAGS = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.IGNORECASE | re.DOTALL)


class Verdict(StrEnum):
    """What to do about an answer that cannot be used."""

    RETRY = "retry"
    """Ask the same again after a while."""
    CUT = "cut"
    """The body ended early: ask the same once more, then smaller."""
    SPLIT = "split"
    """The question is too large for the endpoint: never ask it unchanged again."""
    STOP = "stop"
    """Asking on would be useless or rude."""


class Refused(Exception):
    """An answer that must not become part of a snapshot.

    Attributes:
        verdict: what to do about it.
        reason: one clause without its final stop.
        retry_after: the answer's Retry-After header, if any.
        rows: number of its rows where it could be read all the same.
        status: HTTP status of the answer, 0 when there was none (set by who asked).
        server_date: the answer's Date header (set by who asked).
    """

    def __init__(
        self, verdict: Verdict, reason: str, *, retry_after: str | None = None, rows: int | None = None
    ) -> None:
        super().__init__(reason)
        self.verdict = verdict
        self.reason = reason
        self.retry_after = retry_after
        self.rows = rows
        self.status = 0
        self.server_date: str | None = None


class Failure(StrEnum):
    """How an exchange can fail below HTTP."""

    DEADLINE = "deadline"
    CUT = "cut"
    TOO_LARGE = "too large"
    UNREACHABLE = "unreachable"
    UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One answer as it came over the wire.

    Attributes:
        status: HTTP status, 0 when there was no answer.
        headers: header fields by lower-case name.
        failure: what went wrong below HTTP, if anything.
        detail: a clause about the failure.
    """

    status: int
    headers: Mapping[str, str]
    failure: Failure | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """What must hold for the rows of one page.

    Attributes:
        genre_items: every work has one of these as a value of genre; ``None`` for other queries.
        subjects: no other item is described; ``None`` when any may be.
        remainder, modulus: item numbers of works (of subjects, when ``subjects`` is given) leave this
            remainder; modulus 1 says nothing.
        row_floor: fewer rows than this are not believed.
    """

    genre_items: frozenset[str] | None = None
    subjects: frozenset[str] | None = None
    remainder: int = 0
    modulus: int = 1
    row_floor: int = 1


@dataclass(frozen=True, slots=True)
class Accepted:
    """A body that may become part of a snapshot."""

    body: bytes = field(repr=False)
    body_sha256: str
    rows_sha256: str
    rows: int
    statements: list[Statement] = field(repr=False)


def judge(exchange: Exchange, body: bytes, expected: Expected) -> Accepted:
    """Accept an answer to a snapshot query, or say why not.

    Raises:
        Refused: with the verdict; never another exception, whatever the bytes are.
    """
    _judge_exchange(exchange, body)
    try:
        statements = parse_rows(body, "the body")
    except IncompleteBody as error:
        raise Refused(Verdict.CUT, _clause(error)) from error
    except WrongVariables as error:
        raise Refused(Verdict.STOP, _clause(error)) from error
    except UnreadableBody as error:
        verdict = Verdict.STOP if "is not a statement" in str(error) else Verdict.RETRY
        raise Refused(verdict, _clause(error)) from error
    _judge_limit(exchange, len(statements))
    fault = rows_fault(statements, expected)
    if fault:
        raise Refused(Verdict.RETRY, fault, rows=len(statements))
    return Accepted(body, sha256_bytes(body), rows_hash(statements), len(statements), statements)


def judge_modified(exchange: Exchange, body: bytes) -> str | None:
    """The latest ``schema:dateModified`` in an answer to that question, ``None`` when it has none.

    Raises:
        Refused: as :func:`judge`.
    """
    _judge_exchange(exchange, body)
    try:
        document: Any = orjson.loads(body)
        dates = [solution["d"]["value"] for solution in document["results"]["bindings"]]
        return max(map(str, dates), default=None)
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise Refused(Verdict.RETRY, "the body is not a SPARQL result with the variable d") from error


def rows_fault(statements: list[Statement], expected: Expected) -> str | None:
    """Why rows cannot be the answer to the question asked, or ``None``."""
    if len(statements) < expected.row_floor:
        return (
            f"the body has {_count(len(statements), 'row')}, fewer than the floor of {expected.row_floor:,}"
        )
    described = {row.subject for row in statements}
    works = {row.subject for row in statements if row.property != "label"}
    numbered = works if expected.subjects is None else described
    if expected.subjects is not None and not described <= expected.subjects:
        stranger = min(described - expected.subjects)
        return f"the body describes {stranger}, which was not asked for: it answers another query"
    if expected.genre_items is not None:
        fitting = {
            row.subject for row in statements if row.property == "P136" and row.value in expected.genre_items
        }
        if works - fitting:
            return (
                f"the work {min(works - fitting)} has none of the genres asked for: "
                "the body answers another query"
            )
    if expected.modulus > 1:
        for qid in sorted(numbered):
            if int(qid[1:]) % expected.modulus != expected.remainder:
                return (
                    f"{qid} is not in the residue class {expected.remainder} of {expected.modulus}: "
                    "the body is another page"
                )
    return None


def excerpt(body: bytes, length: int = 200) -> str:
    """The beginning of a body as one line of harmless text, for a message."""
    text = body[: 20 * length].decode("utf-8", errors="replace")
    text = html.unescape(_TAGS.sub(" ", text))
    # Control characters, invisible ones and marks of writing direction are not printable.
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _judge_exchange(exchange: Exchange, body: bytes) -> None:
    """Transport, status, traces of a failed query, content type."""
    retry_after = exchange.headers.get("retry-after")
    said = excerpt(body)
    quoted = f" and says “{said}”" if said else ""
    match exchange.failure:
        case Failure.DEADLINE:
            raise Refused(Verdict.SPLIT, exchange.detail)
        case Failure.TOO_LARGE:
            raise Refused(Verdict.SPLIT, exchange.detail)
        case Failure.CUT:
            raise Refused(Verdict.CUT, exchange.detail, retry_after=retry_after)
        case Failure.UNREACHABLE:
            raise Refused(Verdict.RETRY, exchange.detail)
        case Failure.UNUSABLE:
            raise Refused(Verdict.STOP, exchange.detail)
    status = exchange.status
    if status != 200:
        reason = f"it answers {status}{quoted}"
        timed_out = _TIMED_OUT.search(body) is not None
        if status in (206, 504, 524):
            raise Refused(Verdict.SPLIT, reason)
        # QLever answers 429 to a query that took too long; a server that wants a pause says for how long.
        if timed_out and (status == 500 or (status == 429 and retry_after is None)):
            raise Refused(Verdict.SPLIT, reason)
        if status in (408, 425, 429) or (status >= 500 and status not in (501, 505, 511)):
            raise Refused(Verdict.RETRY, reason, retry_after=retry_after)
        if 300 <= status < 400 and "location" in exchange.headers:
            moved = excerpt(exchange.headers["location"].encode())
            raise Refused(Verdict.STOP, f"it has moved to {moved}; give that address with --endpoint")
        raise Refused(Verdict.STOP, reason)
    if not body.strip():
        raise Refused(Verdict.RETRY, "the body is empty", retry_after=retry_after)
    _judge_trace(body)
    content_type = exchange.headers.get("content-type", "").split(";")[0].strip().lower()
    if content_type not in JSON_TYPES:
        kind = excerpt(content_type.encode(), 60) or "no content type"
        raise Refused(Verdict.STOP, f"it answers 200 with {kind} instead of JSON{quoted}")


def _judge_trace(body: bytes) -> None:
    """Text that a query service writes into a body when a query fails while it is being answered."""
    places = [place for place in map(body.find, _TRACES) if place >= 0]
    if b".java:" in body and (frame := _JAVA_FRAME.search(body)):
        places.append(max(0, frame.start() - 40))
    if places:
        seen = excerpt(body[min(places) : min(places) + 80], 60)
        raise Refused(Verdict.SPLIT, f"the body holds the trace of a failed query (“{seen}”)")


def _judge_limit(exchange: Exchange, rows: int) -> None:
    """Virtuoso's marks of a result that is not all there is."""
    limit = exchange.headers.get("x-sparql-maxrows", "")
    if limit.isascii() and limit.isdigit() and 0 < int(limit[:18]) <= rows:
        raise Refused(Verdict.SPLIT, f"the body has as many rows as the server's limit of {limit}", rows=rows)
    if exchange.headers.get("x-sql-state", "").strip() == "S1TAT":
        raise Refused(Verdict.SPLIT, "the server says that the result is incomplete", rows=rows)


def _clause(error: Exception) -> str:
    return str(error).removesuffix(".")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
