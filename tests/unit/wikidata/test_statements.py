"""SPARQL JSON becomes statements strictly: a cell is an item, an unknown value or text, or it is refused."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata import statements
from tau_rec_books.wikidata.statements import (
    COLUMNS,
    UNKNOWN,
    IncompleteBody,
    Statement,
    UnreadableBody,
    WrongVariables,
    parse_rows,
    rows_hash,
)

ENTITY = "http://www.wikidata.org/entity/"
GENID = "http://www.wikidata.org/.well-known/genid/0a1b2c3d4e"


def uri(value: str) -> dict[str, str]:
    return {"type": "uri", "value": value}


def literal(value: str, **more: str) -> dict[str, str]:
    return {"type": "literal", "value": value, **more}


def solution(
    subject: Any = None, name: Any = None, value: Any = None, qualifier: Any = None
) -> dict[str, Any]:
    cells = {
        "subject": subject or uri(ENTITY + "Q271764"),
        "property": name or literal("P31"),
        "value": value or uri(ENTITY + "Q7725634"),
        "qualifier": qualifier,
    }
    return {column: cell for column, cell in cells.items() if cell is not None}


def body_of(*solutions: Any, variables: Any = COLUMNS, **more: Any) -> bytes:
    document = {"head": {"vars": list(variables)}, "results": {"bindings": list(solutions)}, **more}
    return json.dumps(document).encode()


def parse(*solutions: Any) -> list[Statement]:
    return parse_rows(body_of(*solutions), "05-crime.json")


def test_an_item_value_is_its_id() -> None:
    assert parse(solution()) == [Statement("Q271764", "P31", "Q7725634", None)]


def test_an_absent_qualifier_is_none_and_a_present_one_is_text() -> None:
    author = solution(name=literal("P50"), qualifier=literal("2"))
    assert [row.qualifier for row in parse(solution(), author)] == [None, "2"]


def test_a_precision_is_text_whatever_its_datatype() -> None:
    nine = literal("9", datatype="http://www.w3.org/2001/XMLSchema#integer")
    old_style = {**nine, "type": "typed-literal"}
    date = literal("-0043-01-01T00:00:00Z", datatype="http://www.w3.org/2001/XMLSchema#dateTime")
    for cell in (nine, old_style):
        assert parse(solution(name=literal("P577"), value=date, qualifier=cell)) == [
            Statement("Q271764", "P577", "-0043-01-01T00:00:00Z", "9")
        ]


@pytest.mark.parametrize(
    "cell", [uri(GENID), {"type": "bnode", "value": "b0"}, {"type": "bnode", "value": "7"}]
)
def test_an_unknown_value_is_marked_as_such(cell: dict[str, str]) -> None:
    assert parse(solution(name=literal("P50"), value=cell))[0].value == UNKNOWN
    assert parse(solution(name=literal("P50"), qualifier=cell))[0].qualifier == UNKNOWN


def test_text_that_looks_like_something_else_stays_text() -> None:
    for title in ("Q42", "1984", "null", "", "=1+1", ENTITY + "Q42", '  }},{"subject":{ ', "Łódź\u200b"):
        assert parse(solution(name=literal("label"), value=literal(title)))[0].value == title


@pytest.mark.parametrize(
    "address",
    [
        ENTITY + "Q0",
        ENTITY + "Q042",
        ENTITY + "P31",
        ENTITY + "L42",
        ENTITY + "Q42-F1",
        ENTITY + "q42",
        ENTITY + "Q42 ",
        ENTITY + "Q42\n",
        ENTITY + "Q٤٢",
        ENTITY + "statement/Q42-1a2b",
        "https://www.wikidata.org/entity/Q42",
        "http://www.wikidata.org/wiki/Q42",
        "http://www.wikidata.org/prop/direct/P31",
        "Q42",
        "",
    ],
)
def test_an_address_that_is_no_item_is_refused(address: str) -> None:
    for row in (solution(value=uri(address)), solution(subject=uri(address))):
        with pytest.raises(UnreadableBody, match="row 1 is not a statement"):
            parse(row)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (solution(subject=literal("Q42")), "subject is not an item"),
        (solution(subject=uri(GENID)), "subject is not an item"),
        (solution(subject={"type": "bnode", "value": "b0"}), "subject is not an item"),
        (solution(name=uri(ENTITY + "P31")), "property is not text"),
        (solution(name=literal("P31 ")), "property is none that a query names"),
        (solution(name=literal("")), "property is none that a query names"),
        (solution(value={"type": "literal"}), "value has no text"),
        (solution(value={"type": "literal", "value": None}), "value has no text"),
        (solution(value={"type": "literal", "value": 7}), "value has no text"),
        (solution(value={"type": "triple", "value": "x"}), "a cell of type 'triple'"),
        (solution(value={"value": "x"}), "cells are not those of a result"),
        (solution(value=["x"]), "value is not an object"),
        (solution(qualifier=uri(ENTITY + "Q42")), "a cell of type 'uri'"),
        (solution(qualifier={}), "qualifier has no text"),
        (solution(qualifier="1"), "qualifier is not an object"),
        ({**solution(), "extra": literal("1")}, "'extra' is not a variable"),
        ({**solution(qualifier=literal("1")), "extra": literal("1")}, "'extra' is not a variable"),
        ({"subject": uri(ENTITY + "Q1"), "property": literal("P31")}, "value is missing"),
        ({}, "subject is missing"),
        ([], "not an object"),
        ("row", "not an object"),
        (None, "not an object"),
    ],
)
def test_a_row_that_is_no_statement_is_named_with_its_fault(row: Any, fault: str) -> None:
    with pytest.raises(UnreadableBody) as raised:
        parse(solution(), solution(), row, solution())
    assert "05-crime.json: row 3 is not a statement: " in str(raised.value)
    assert fault in str(raised.value)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", IncompleteBody),
        (b"\xff\xfe", IncompleteBody),
        (b"\xef\xbb\xbf" + body_of(), IncompleteBody),
        (b"Please set a user-agent", IncompleteBody),
        (body_of(solution())[:-1], IncompleteBody),
        (body_of(solution()) + b"}", IncompleteBody),
        (body_of(solution()) + b"\njava.lang.Exception", IncompleteBody),
        (b"[" * 5000, IncompleteBody),
        (b"[]", UnreadableBody),
        (b"null", UnreadableBody),
        (b'{"boolean": true, "head": {}}', UnreadableBody),
        (b'{"exception": "index is locked"}', UnreadableBody),
        (b'{"head": {"vars": []}, "results": []}', UnreadableBody),
        (b'{"head": {}, "results": {"bindings": []}}', WrongVariables),
        (b'{"head": {"vars": [1]}, "results": {"bindings": []}}', WrongVariables),
        (body_of(variables=("item", "itemLabel")), WrongVariables),
        (body_of(variables=(*COLUMNS, "extra")), WrongVariables),
        (body_of(variables=(*COLUMNS, "subject")), WrongVariables),
        (b'{"head": {"vars": ["subject","property","value","qualifier"]}, "results": {}}', UnreadableBody),
    ],
)
def test_a_body_that_is_no_result_is_refused(body: bytes, kind: type[Problem]) -> None:
    with pytest.raises(kind) as raised:
        parse_rows(body, "05-crime.json")
    assert str(raised.value).startswith("05-crime.json ")


def test_an_error_as_json_is_quoted() -> None:
    with pytest.raises(UnreadableBody, match="index is locked"):
        parse_rows(b'{"exception": "index is locked"}', "body")


def test_the_head_may_come_last_or_in_another_order() -> None:
    row = json.dumps(solution()).encode()
    columns = json.dumps(COLUMNS[::-1]).encode()
    body = b'{"results": {"bindings": [' + row + b", " + row + b']}, "head": {"vars": ' + columns + b"}}"
    assert len(parse_rows(body, "body")) == 2


def large_body(rows: int, indent: int | None) -> tuple[bytes, list[Statement]]:
    """A body of many pieces; titles imitate the end of a row as well as a string can."""
    traps = ('}},{"subject":{', "}, {", '"bindings":[', "]}}", "\\", '\\"}},{"subject":{"', "ü" * 50)
    solutions, expected = [], []
    for number in range(1, rows + 1):
        title = f"{traps[number % len(traps)]} {number}"
        qualifier = literal("en") if number % 3 else None
        solutions.append(solution(uri(f"{ENTITY}Q{number}"), literal("label"), literal(title), qualifier))
        expected.append(Statement(f"Q{number}", "label", title, "en" if number % 3 else None))
    document = {"head": {"vars": COLUMNS}, "results": {"bindings": solutions}}
    return json.dumps(document, indent=indent, ensure_ascii=False).encode(), expected


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_a_large_body_reads_the_same_in_pieces(indent: int | None) -> None:
    body, expected = large_body(3000, indent)
    assert len(body) > 4 * statements.PIECE_BYTES
    assert parse_rows(body, "body") == expected


def test_a_fault_in_a_late_piece_is_told_with_its_row() -> None:
    body, _ = large_body(3000, None)
    document = json.loads(body)
    del document["results"]["bindings"][2900]["value"]
    with pytest.raises(UnreadableBody, match="row 2901 is not a statement: its value is missing"):
        parse_rows(json.dumps(document).encode(), "body")


@pytest.mark.parametrize("limit", [1, 1 << 40])
def test_a_large_body_is_incomplete_wherever_it_is_cut(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "LARGEST_TREE_BYTES", limit)
    body, _ = large_body(2000, None)
    for cut in (1, 2, 3, 4, len(body) // 2, len(body) // 2 + 7, len(body) - 100, len(body) - 20):
        with pytest.raises(IncompleteBody):
            parse_rows(body[:-cut], "body")


CELL = st.one_of(
    st.builds(uri, st.sampled_from([ENTITY + "Q1", ENTITY + "Q22", ENTITY + "P3", GENID, "x"])),
    st.builds(literal, st.text(max_size=8)),
    st.builds(literal, st.sampled_from(["P31", "label", "sitelinks"])),
    st.just({"type": "bnode", "value": "b1"}),
)
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
ROW = st.one_of(
    st.fixed_dictionaries(
        {"subject": CELL, "property": CELL, "value": CELL}, optional={"qualifier": CELL, "other": CELL}
    ),
    st.dictionaries(st.sampled_from([*COLUMNS, "type"]), CELL | JSON_VALUE, max_size=5),
    JSON_VALUE,
)


@given(st.binary(max_size=200) | JSON_VALUE.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_refused_with_a_sentence(body: bytes) -> None:
    with pytest.raises(Problem):
        parse_rows(body, "body")


@settings(max_examples=400)
@given(st.lists(ROW, max_size=6), st.sampled_from([1, 1 << 20]))
def test_any_rows_are_statements_or_refused_with_a_sentence(rows: list[Any], piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statements, "PIECE_BYTES", piece)
        try:
            parsed = parse_rows(body_of(*rows), "body")
        except UnreadableBody as error:
            assert "row " in str(error)
            return
    assert len(parsed) == len(rows)
    for statement, row in zip(parsed, rows, strict=True):
        assert statement.subject == row["subject"]["value"].removeprefix(ENTITY)
        assert (statement.qualifier is None) == ("qualifier" not in row)


STATEMENT = st.builds(
    Statement,
    st.integers(1, 10**12).map(lambda number: f"Q{number}"),
    st.sampled_from(["P31", "P577", "label", "sitelinks"]),
    st.text(max_size=10),
    st.none() | st.text(max_size=4),
)


@given(st.lists(STATEMENT, max_size=12), st.randoms(use_true_random=False))
def test_the_row_hash_forgets_the_order_and_nothing_else(rows: list[Statement], random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert rows_hash(shuffled) == rows_hash(rows)
    if rows:
        assert rows_hash(rows[1:]) != rows_hash(rows)
        assert rows_hash([*rows, rows[0]]) != rows_hash(rows)
        changed = [rows[0]._replace(value=rows[0].value + "x"), *rows[1:]]
        assert rows_hash(changed) != rows_hash(rows)


@given(st.lists(STATEMENT, max_size=6))
def test_the_row_hash_is_the_documented_one(rows: list[Statement]) -> None:
    import hashlib

    import orjson

    lines = sorted(orjson.dumps(tuple(row)).decode() + "\n" for row in rows)
    assert rows_hash(rows) == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_the_row_hash_does_not_see_how_an_engine_writes_the_same_rows() -> None:
    date = literal("1990-01-01T00:00:00Z", datatype="http://www.w3.org/2001/XMLSchema#dateTime")
    one = [solution(name=literal("P577"), value=date), solution(name=literal("P50"), value=uri(GENID))]
    two = [
        solution(name=literal("P50"), value={"type": "bnode", "value": "t12"}),
        solution(name=literal("P577"), value={**date, "type": "typed-literal"}),
    ]
    spaced = json.dumps(json.loads(body_of(*two)), indent=3).encode()
    assert rows_hash(parse(*one)) == rows_hash(parse_rows(spaced, "body"))
