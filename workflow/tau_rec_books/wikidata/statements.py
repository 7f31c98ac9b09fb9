"""Statements: SPARQL results in JSON read as (subject, property, value, qualifier) rows, strictly and fast.

Every query of a snapshot selects the same four variables, one fact per solution. The reader knows only that
shape: an item must be an entity URI, an unknown value (a blank node, or the ``.well-known/genid/`` URI that
the Wikidata query service makes of one) becomes :data:`UNKNOWN`, everything else is text, and anything that
fits none of these is refused with the number of its row.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from json.encoder import encode_basestring as _quote
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from tau_rec_books.core.collector import collector_held
from tau_rec_books.core.errors import Problem

UNKNOWN = "somevalue"
"""Stands for a value that is known to exist and not known: Wikidata's *somevalue*."""

COLUMNS = ("subject", "property", "value", "qualifier")
"""The variables of every query, in the order of a :class:`Statement`."""

_ENTITY = re.compile(r"http://www\.wikidata\.org/entity/(Q[1-9][0-9]{0,17})")
_GENID = "/.well-known/genid/"
_PROPERTY = re.compile(r"P[1-9][0-9]*|[a-z]+")

# Bodies are parsed in pieces of this size: few enough objects at a time for the memory allocator to use the
# same pages again, which is twice as fast as one tree of a body and keeps the memory at that of the rows.
PIECE_BYTES = 64 << 10
# The largest body whose whole tree (some twenty times its size) is built to tell what is wrong with it.
LARGEST_TREE_BYTES = 128 << 20
_OPENING = re.compile(rb'"bindings"\s*:\s*\[')
_BETWEEN_ROWS = re.compile(rb'\}\s*,(?=\s*\{\s*"(?:subject|property|value|qualifier)"\s*:\s*\{)')


class Statement(NamedTuple):
    """One fact.

    Attributes:
        subject: item id of what the fact is about.
        property: ``P31``, ``P50`` …, ``label`` or ``sitelinks``.
        value: item id, :data:`UNKNOWN`, or text.
        qualifier: series ordinal, date precision or language tag as text; ``None`` when there is none.
    """

    subject: str
    property: str
    value: str
    qualifier: str | None


# Skips the Python-level constructor of a named tuple, which takes as long as the rest of the reading.
_new_statement = partial(tuple.__new__, Statement)


class UnreadableBody(Problem):
    """A body that is not what a snapshot query answers; the sentence says where and why."""


class IncompleteBody(UnreadableBody):
    """A body that is not complete JSON: cut off, or something else altogether."""


class WrongVariables(UnreadableBody):
    """A complete result of some other query."""


def read_statements(folder: Path) -> Iterator[tuple[str, list[Statement]]]:
    """The statements of a snapshot, one response (all its pages joined) at a time, in query order.

    Rows keep the order of the bodies. Pages of one response may repeat the label of an item that works of
    several pages point to.

    Raises:
        Problem: when a file is missing, damaged or not what its query answers.
    """
    for response, pieces in read_pieces(folder):
        with collector_held():
            rows = [row for piece in pieces for row in piece]
        yield response, rows


def read_pieces(folder: Path) -> Iterator[tuple[str, Iterator[list[Statement]]]]:
    """As :func:`read_statements`, each response as an iterator over short lists of its rows.

    For who looks at each row once: no more than one raw body is in memory.

    Raises:
        Problem: as there, when the damaged place is reached.
    """
    # The snapshot's own checks read statements, too.
    from tau_rec_books.wikidata.layout import read_body
    from tau_rec_books.wikidata.snapshot import read_snapshot_manifest

    def pieces(pages: Iterable[Mapping[str, Any]]) -> Iterator[list[Statement]]:
        for page in pages:
            yield from parse_pieces(read_body(folder, page), where=str(folder / page["file"]))

    for response in read_snapshot_manifest(folder)["responses"]:
        yield response["name"], pieces(response["pages"])


def parse_rows(body: bytes, where: str) -> list[Statement]:
    """The rows of one body, in its order.

    Args:
        body: SPARQL 1.1 results in JSON with the variables :data:`COLUMNS`.
        where: what to call the body in a message, usually its file.

    Raises:
        IncompleteBody: not complete JSON.
        WrongVariables: another query's result.
        UnreadableBody: anything else that is not a result of statements.
    """
    with collector_held():
        return [row for piece in parse_pieces(body, where) for row in piece]


def parse_pieces(body: bytes, where: str) -> Iterator[list[Statement]]:
    """As :func:`parse_rows`, some rows at a time; what is wrong with a row is told when it is reached."""
    items = _ItemIds()
    done = 0
    try:
        frame = _frame(body)
        if frame is not None:
            for piece in _rows_by_pieces(body, *frame, items, where):
                done += len(piece)
                yield piece
            return
        if len(body) > LARGEST_TREE_BYTES:
            raise IncompleteBody(
                f"{where} is not complete JSON (its end does not close what its start opens)."
            )
    except orjson.JSONDecodeError as error:
        if len(body) > LARGEST_TREE_BYTES:
            raise IncompleteBody(f"{where} is not complete JSON ({error}).") from error
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise IncompleteBody(f"{where} is not complete JSON ({error}).") from error
    yield _checked_rows(_bindings(document, where)[done:], items, where, done)


def rows_hash(rows: Iterable[Statement]) -> str:
    """Order-free hash of rows: SHA-256 over the sorted lines of their canonical form.

    A line is the compact JSON array ``[subject, property, value, qualifier]`` in UTF-8 followed by LF; lines
    are sorted by code point and repeated rows stay repeated. Neither the order of solutions, the spacing of
    the JSON, the names of blank nodes nor a literal's way of giving its datatype changes it.
    """
    digest = hashlib.sha256()
    quoted = _Quoted()
    # Item ids and property names need no escapes; the rest is quoted by the standard library's C function.
    lines = [
        f'["{subject}","{name}",{_quote(value)},{quoted[qualifier]}]\n'
        for subject, name, value, qualifier in rows
    ]
    lines.sort()
    for start in range(0, len(lines), 65_536):
        digest.update("".join(lines[start : start + 65_536]).encode("utf-8"))
    return digest.hexdigest()


class _Quoted(dict[str | None, str]):
    """Qualifier → its JSON text; there are few different ones."""

    def __missing__(self, qualifier: str | None) -> str:
        text = self[qualifier] = "null" if qualifier is None else _quote(qualifier)
        return text


class _NotAStatement(ValueError):
    """A cell that cannot be part of a statement."""


_NOT_ROWS = (_NotAStatement, KeyError, TypeError, AttributeError)


class _ItemIds(dict[str, str]):
    """Entity URI → item id, each URI checked once: an item is named by a score of rows."""

    def __missing__(self, uri: str) -> str:
        match = _ENTITY.fullmatch(uri)
        if match:
            qid = match[1]
        elif _GENID in uri:
            qid = UNKNOWN
        else:
            raise _NotAStatement(f"{uri[:120]!r} is neither an item nor an unknown value")
        self[uri] = qid
        return qid


def _bindings(document: Any, where: str) -> list[Any]:
    """``results.bindings`` of a document whose head is that of a snapshot query."""
    if not isinstance(document, dict):
        raise UnreadableBody(f"{where} is not a SPARQL result but a JSON {type(document).__name__}.")
    head, results = document.get("head"), document.get("results")
    if not isinstance(head, dict) or not isinstance(results, dict):
        told = next((document[key] for key in ("exception", "error", "message") if key in document), None)
        raise UnreadableBody(
            f"{where} is JSON without a SPARQL result" + (f": {str(told)[:200]!r}." if told else ".")
        )
    variables = head.get("vars")
    if not isinstance(variables, list) or not all(isinstance(name, str) for name in variables):
        raise WrongVariables(f"{where} does not say which variables it gives.")
    if sorted(variables) != sorted(COLUMNS):
        raise WrongVariables(
            f"{where} gives the variables {_named(variables)} instead of {', '.join(COLUMNS)}."
        )
    bindings = results.get("bindings")
    if not isinstance(bindings, list):
        raise UnreadableBody(f"{where} has no list of solutions.")
    return bindings


def _named(names: list[str]) -> str:
    """Names as a list for a message."""
    return ", ".join(name if name.isprintable() else repr(name) for name in names)[:200] or "none"


def _rows(bindings: list[Any], items: _ItemIds) -> list[Statement]:
    """Rows of solutions, checked column by column; any of ``_NOT_ROWS`` when one does not fit."""
    if not bindings:
        return []
    subjects = list(map(itemgetter("subject"), bindings))
    properties = list(map(itemgetter("property"), bindings))
    values = list(map(itemgetter("value"), bindings))
    if set(map(_TYPE, subjects)) != {"uri"}:
        raise _NotAStatement("subject")
    subject_ids = list(map(items.__getitem__, map(_VALUE, subjects)))
    names = list(map(_VALUE, properties))
    kinds = list(map(_TYPE, values))
    texts = list(map(_VALUE, values))
    if set(kinds) <= _COMMON:
        texts = [items[text] if kind == "uri" else text for kind, text in zip(kinds, texts, strict=True)]
    else:
        texts = [items[cell["value"]] if cell["type"] == "uri" else _text(cell) for cell in values]
    qualifiers = [solution["qualifier"] if len(solution) == 4 else None for solution in bindings]
    notes = [cell and _text(cell) for cell in qualifiers]
    # Whatever may differ from row to row is checked above; the rest holds for a whole column or for no one.
    if UNKNOWN in set(subject_ids) or not set(map(_TYPE, properties)) <= _LITERALS:
        raise _NotAStatement("subject or property")
    if not all(_PROPERTY.fullmatch(name) for name in set(names)):
        raise _NotAStatement("property")
    if set(map(type, texts)) != {str} or not set(map(type, notes)) <= {str, _NONE}:
        raise _NotAStatement("text")
    if max(map(len, bindings)) > 4:
        raise _NotAStatement("variables")
    return list(map(_new_statement, zip(subject_ids, names, texts, notes, strict=True)))


_TYPE, _VALUE = itemgetter("type"), itemgetter("value")
_LITERALS = {"literal", "typed-literal"}
_COMMON = {"uri", "literal"}
_NONE = type(None)


def _text(cell: Any) -> str:
    """The text of a literal; an unknown value's mark for a blank node or its URI."""
    kind = cell["type"]
    if kind == "literal" or kind == "typed-literal":
        return cell["value"]  # type: ignore[no-any-return]
    if kind == "bnode" or (kind == "uri" and _GENID in cell["value"]):
        return UNKNOWN
    raise _NotAStatement(f"a cell of type {str(kind)[:40]!r}")


def _first_fault(bindings: list[Any], items: _ItemIds, before: int) -> str:
    """Which solution is the first that is no statement, and what is wrong with it."""
    for number, solution in enumerate(bindings, start=before + 1):
        try:
            if not isinstance(solution, dict):
                raise _NotAStatement("it is not an object")
            for column, cell in solution.items():
                if column not in COLUMNS:
                    raise _NotAStatement(f"{column[:40]!r} is not a variable of the query")
                if not isinstance(cell, dict):
                    raise _NotAStatement(f"its {column} is not an object")
                if not isinstance(cell.get("value"), str):
                    raise _NotAStatement(f"its {column} has no text")
            missing = [column for column in COLUMNS[:3] if column not in solution]
            if missing:
                raise _NotAStatement(f"its {missing[0]} is missing")
            _rows([solution], items)
        except _NOT_ROWS as error:
            told = str(error) if isinstance(error, _NotAStatement) else "its cells are not those of a result"
            return f"row {number} is not a statement: {_FAULTS.get(told, told)}"
    return "its rows are not statements"


_FAULTS = {
    "subject": "its subject is not an item",
    "subject or property": "its subject is not an item or its property is not text",
    "property": "its property is none that a query names",
}


def _frame(body: bytes) -> tuple[int, int] | None:
    """Where the solutions of a body start and end, when the document without them is a result with none.

    ``None`` when that cannot be told, as when the end is missing or the head comes last.
    """
    opening = _OPENING.search(body)
    end = body.rfind(b"]")
    if opening is None or end < opening.end():
        return None
    try:
        empty = _bindings(orjson.loads(body[: opening.end()] + body[end:]), "") == []
    except (UnreadableBody, orjson.JSONDecodeError):
        return None
    return (opening.end(), end) if empty else None


def _rows_by_pieces(
    body: bytes, start: int, end: int, items: _ItemIds, where: str
) -> Iterator[list[Statement]]:
    """The rows between two offsets of a body, parsed piece by piece.

    A match of ``}, {"subject": {`` lies between two solutions whenever the whole is JSON, since inside a
    string its first quote would have to be escaped. Each piece is then an array of its own, and all of them
    and the frame parse if and only if the whole does.

    Raises:
        orjson.JSONDecodeError: when a piece is not JSON.
        UnreadableBody: when a solution is not a statement.
    """
    done = 0
    while start < end:
        boundary = _BETWEEN_ROWS.search(body, min(start + PIECE_BYTES, end), end)
        piece = orjson.loads(b"[" + body[start : boundary.start() + 1 if boundary else end] + b"]")
        rows = _checked_rows(piece, items, where, done)
        done += len(rows)
        yield rows
        start = boundary.end() if boundary else end


def _checked_rows(bindings: list[Any], items: _ItemIds, where: str, before: int) -> list[Statement]:
    """Rows of solutions; a fault is told with the number of its row, ``before`` rows having come before."""
    try:
        return _rows(bindings, items)
    except _NOT_ROWS as error:
        raise UnreadableBody(f"{where}: {_first_fault(bindings, items, before)}.") from error
