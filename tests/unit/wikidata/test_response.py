"""An answer becomes part of a snapshot only when nothing about it looks like an endpoint's bad day."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_rec_books.wikidata.response import (
    Accepted,
    Exchange,
    Expected,
    Failure,
    Refused,
    Verdict,
    excerpt,
    judge,
    judge_modified,
)
from tau_rec_books.wikidata.statements import COLUMNS, Statement

ENTITY = "http://www.wikidata.org/entity/"
JSON = "application/sparql-results+json"
GOOD = Exchange(200, {"content-type": JSON + ";charset=utf-8"})
FANTASY = "Q132311"
ANY = Expected()


def body_of(*rows: tuple[str, str, str]) -> bytes:
    """A body of rows (subject, property, value); item ids become items."""

    def cell(text: str) -> dict[str, str]:
        is_item = text[:1] == "Q" and text[1:].isdigit()
        return {"type": "uri", "value": ENTITY + text} if is_item else {"type": "literal", "value": text}

    bindings = [dict(zip(COLUMNS, map(cell, row), strict=False)) for row in rows]
    return json.dumps({"head": {"vars": COLUMNS}, "results": {"bindings": bindings}}).encode()


WORK = (("Q20", "P136", FANTASY), ("Q20", "P31", "Q7725634"), ("Q7725634", "label", "literary work"))
BODY = body_of(*WORK)


def refused(exchange: Exchange, body: bytes, expected: Expected = ANY) -> Refused:
    with pytest.raises(Refused) as raised:
        judge(exchange, body, expected)
    return raised.value


def test_a_good_answer_is_accepted_with_its_statements() -> None:
    accepted = judge(GOOD, BODY, Expected(genre_items=frozenset({FANTASY})))
    assert accepted.statements == [Statement(*row, None) for row in WORK]
    assert (accepted.rows, accepted.body) == (3, BODY)


@pytest.mark.parametrize("kind", [JSON, "application/json", "Application/JSON; charset=UTF-8"])
def test_json_may_be_called_by_either_of_its_names(kind: str) -> None:
    assert judge(Exchange(200, {"content-type": kind}), BODY, ANY).rows == 3


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        *((status, Verdict.STOP) for status in (204, 301, 400, 401, 403, 404, 405, 413, 414, 501, 505)),
        *((status, Verdict.RETRY) for status in (408, 425, 429, 500, 502, 503, 520, 999)),
        *((status, Verdict.SPLIT) for status in (206, 504, 524)),
    ],
)
def test_each_status_has_its_verdict(status: int, verdict: Verdict) -> None:
    error = refused(Exchange(status, {"content-type": JSON}), BODY)
    assert error.verdict is verdict
    assert f"answers {status}" in error.reason


@pytest.mark.parametrize(
    ("failure", "verdict"),
    [
        (Failure.DEADLINE, Verdict.SPLIT),
        (Failure.TOO_LARGE, Verdict.SPLIT),
        (Failure.CUT, Verdict.CUT),
        (Failure.UNREACHABLE, Verdict.RETRY),
        (Failure.UNUSABLE, Verdict.STOP),
    ],
)
def test_a_failure_below_http_outweighs_a_body_that_looks_good(failure: Failure, verdict: Verdict) -> None:
    error = refused(Exchange(200, {"content-type": JSON}, failure, "it went wrong"), BODY)
    assert (error.verdict, error.reason) == (verdict, "it went wrong")


@pytest.mark.parametrize(
    "text",
    [
        "java.util.concurrent.TimeoutException: Query deadline is expired",
        "com.bigdata.bop.engine.QueryTimeoutException",
        "Timeout exceeded: the request has timed out",
        "Query reached its time limit",
    ],
)
def test_a_500_that_tells_of_a_timeout_is_split(text: str) -> None:
    assert refused(Exchange(500, {}), text.encode()).verdict is Verdict.SPLIT


def test_a_429_with_a_pause_is_waited_for_whatever_it_says() -> None:
    error = refused(Exchange(429, {"retry-after": "7"}), b"timed out")
    assert (error.verdict, error.retry_after) == (Verdict.RETRY, "7")


@pytest.mark.parametrize(
    "title",
    [
        "The Exception",
        "The Timeout",
        "Java: A Novel",
        "Look at me.java",
        "At java.example (a poem)",
        "SPARQL-QUERY",
        "Deadline",
        "An error has occurred",
    ],
)
def test_a_title_is_not_taken_for_a_trace(title: str) -> None:
    assert judge(GOOD, body_of(*WORK, ("Q20", "label", title)), ANY).rows == 4


@pytest.mark.parametrize(
    "trace",
    [
        "SPARQL-QUERY: queryStr=SELECT ?x WHERE { }",
        "java.util.concurrent.TimeoutException",
        "java.util.concurrent.ExecutionException: out of memory",
        "\tat org.example.Servlet.run(Servlet.java:292)",
        "\tat java.base/java.lang.Thread.run(Thread.java:829)",
        "com.bigdata.rdf.sail.QueryTimeoutException",
    ],
)
def test_a_trace_is_seen_inside_before_and_after_the_json(trace: str) -> None:
    inside = body_of(*WORK, ("Q20", "label", trace))
    assert json.loads(inside)
    for body in (inside, BODY + trace.encode(), trace.encode() + BODY, BODY[:-30] + trace.encode()):
        error = refused(GOOD, body)
        assert error.verdict is Verdict.SPLIT
        assert "trace of a failed query" in error.reason


def test_rows_at_a_declared_limit_are_not_all_there_is() -> None:
    for limit, rows in (("3", None), ("4", 3), ("0", 3), ("many", 3), ("", 3), ("9" * 30, 3)):
        exchange = Exchange(200, {"content-type": JSON, "x-sparql-maxrows": limit})
        if rows is None:
            assert refused(exchange, BODY).verdict is Verdict.SPLIT
        else:
            assert judge(exchange, BODY, ANY).rows == rows


def test_a_work_without_the_genres_asked_for_shows_another_querys_answer() -> None:
    error = refused(GOOD, BODY, Expected(genre_items=frozenset({"Q24925"})))
    assert error.verdict is Verdict.RETRY
    assert error.reason == "the work Q20 has none of the genres asked for: the body answers another query"


def test_items_that_were_not_asked_for_show_another_querys_answer() -> None:
    body = body_of(("Q1860", "label", "English"), ("Q150", "label", "French"))
    assert judge(GOOD, body, Expected(subjects=frozenset({"Q1860", "Q150", "Q188"}))).rows == 2
    assert "describes Q150" in refused(GOOD, body, Expected(subjects=frozenset({"Q1860"}))).reason


def test_works_of_another_residue_class_show_another_page() -> None:
    assert judge(GOOD, BODY, Expected(remainder=4, modulus=8)).rows == 3
    error = refused(GOOD, BODY, Expected(remainder=3, modulus=8))
    assert "Q20 is not in the residue class 3 of 8" in error.reason


def test_labels_of_linked_items_may_be_of_any_residue_class() -> None:
    body = body_of(*WORK, ("Q7", "label", "someone"))
    assert judge(GOOD, body, Expected(remainder=0, modulus=4)).rows == 4
    labels = Expected(subjects=frozenset({"Q7", "Q8"}), remainder=0, modulus=4)
    assert "Q7 is not in" in refused(GOOD, body_of(("Q7", "label", "x"), ("Q8", "label", "y")), labels).reason


def test_fewer_rows_than_the_floor_are_asked_for_again() -> None:
    assert judge(GOOD, BODY, Expected(row_floor=3)).rows == 3
    error = refused(GOOD, BODY, Expected(row_floor=4))
    assert (error.verdict, error.rows) == (Verdict.RETRY, 3)
    assert judge(GOOD, body_of(), Expected(row_floor=0)).rows == 0


def test_the_latest_date_of_a_server_is_read() -> None:
    def answer(*dates: str) -> bytes:
        cells: list[Any] = [{"d": {"type": "literal", "value": date}} for date in dates]
        return json.dumps({"head": {"vars": ["d"]}, "results": {"bindings": cells}}).encode()

    assert (
        judge_modified(GOOD, answer("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")) == "2026-01-02T00:00:00Z"
    )
    assert judge_modified(GOOD, answer()) is None
    for body in (b"{}", b"[1]", b"null", b'{"results": {"bindings": [{}]}}', b"{"):
        with pytest.raises(Refused):
            judge_modified(GOOD, body)


def test_an_excerpt_is_one_harmless_line() -> None:
    page = b"<script>alert(1)</script>\n<h1>502\x00 Bad\r\n Gateway</h1>\x1b[31m&lt;b&gt; \xe2\x80\xae \xff"
    assert excerpt(page) == "502 Bad Gateway [31m<b> \ufffd"
    assert len(excerpt(b"word " * 500)) <= 200


JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
CELL = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["uri", "literal", "typed-literal", "bnode", "x"]),
        "value": st.sampled_from([ENTITY + "Q1", ENTITY + "Q20", "P31", "P136", "label", FANTASY])
        | JSON_VALUE,
    }
)
SPARQL = st.builds(
    lambda variables, rows: json.dumps({"head": {"vars": variables}, "results": {"bindings": rows}}).encode(),
    st.just(list(COLUMNS)) | JSON_VALUE,
    st.lists(st.dictionaries(st.sampled_from(COLUMNS), CELL, min_size=3, max_size=4), max_size=4)
    | JSON_VALUE,
)
EXPECTED = st.builds(
    Expected,
    genre_items=st.none() | st.just(frozenset({FANTASY})),
    subjects=st.none() | st.just(frozenset({"Q1", "Q20"})),
    modulus=st.sampled_from([1, 2]),
    row_floor=st.integers(0, 3),
)


@settings(max_examples=500)
@given(
    st.binary(max_size=80) | SPARQL,
    st.sampled_from([200, 200, 200, 206, 302, 403, 429, 500, 503, 504]),
    st.dictionaries(
        st.sampled_from(["content-type", "retry-after", "location", "x-sparql-maxrows", "x-sql-state"]),
        st.sampled_from([JSON, "application/json", "S1TAT", "1", "-1", "²"]) | st.text(max_size=6),
    ),
    EXPECTED,
)
def test_whatever_comes_is_accepted_or_refused_with_a_reason(
    body: bytes, status: int, headers: dict[str, str], expected: Expected
) -> None:
    for judging in (judge, lambda *answer: judge_modified(*answer[:2])):
        try:
            result = judging(Exchange(status, headers), body, expected)
        except Refused as error:
            assert error.reason and not error.reason.endswith(".")
            assert error.reason.isprintable()
        else:
            assert status == 200
            assert not isinstance(result, Accepted) or len(result.statements) == result.rows


@given(SPARQL)
def test_any_sparql_json_of_a_good_exchange_is_accepted_or_refused(body: bytes) -> None:
    try:
        accepted = judge(GOOD, body, Expected(row_floor=0))
    except Refused:
        return
    assert accepted.rows == len(json.loads(body)["results"]["bindings"])
